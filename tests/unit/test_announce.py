"""Every end is announced: after its row is written, at least once, by whoever writes it."""

import json
from copy import deepcopy
from dataclasses import dataclass, replace
from datetime import timedelta
from decimal import Decimal
from typing import Any

import contract
import fastjsonschema
import pytest
from beside_desk import HOUR, Beside, Stale, beside
from intake_desk import Desk, HeardBus, desk, event

from mailroom.announce import DETAIL_TYPES, announce_end, detail
from mailroom.aws.queue import Queue
from mailroom.aws.table import storable
from mailroom.closer import close
from mailroom.document import AT_REST, AT_WORK, ENDS, INLINE_BYTES, Status, document_id
from mailroom.errors import OcrRefused, ServiceMisconfigured, StorageUnavailable
from mailroom.intake import take_all

__all__ = ["beside", "desk"]  # the fixtures

SAMPLES = ["07", "08", "09", "10", "11"]


def row_of(told: dict[str, Any]) -> dict[str, Any]:
    """The row that a sample's detail tells of."""
    row = {**told, "attempt": Decimal(told["attempt"]), "version_id": told["version_id"] or ""}
    match told["status"]:
        case "STORED":
            row["fields_key"] = told["results_key"]
        case "IN_REVIEW":
            row["reasons"] = ["…"] * told["reasons_count"]
        case "DEAD_LETTERED":
            row["error"] = {name: told[name] for name in ("stage", "error", "cause")}
        case "REJECTED":
            row["reasons"] = [told["reason"]]
        case "DUPLICATE":
            row["original"] = told["original_id"]
    return dict(storable(row))


# -- the contract ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SAMPLES)
def test_sample_keeps_the_contract_and_is_what_a_row_gives(load_event: Any, name: str) -> None:
    sample = load_event(name)

    contract.keeps(sample)
    assert detail(row_of(sample["detail"])) == sample["detail"]
    assert DETAIL_TYPES[Status(sample["detail"]["status"])] == sample["detail-type"]


def test_every_end_has_a_type_with_a_schema_and_a_sample(load_event: Any) -> None:
    assert set(DETAIL_TYPES) == set(ENDS)
    assert set(Status) == {*ENDS, *AT_WORK, Status.HELD}
    schemas = {path.stem for path in contract.SCHEMAS.glob("*.json")}
    assert schemas == {f"{name}-1" for name in DETAIL_TYPES.values()}
    assert {load_event(name)["detail-type"] for name in SAMPLES} == set(DETAIL_TYPES.values())


@pytest.mark.parametrize("name", SAMPLES)
def test_contract_notices_what_is_missing_wrong_or_too_much(load_event: Any, name: str) -> None:
    sample = load_event(name)
    for field in sample["detail"]:
        if field == "version":
            continue
        broken = deepcopy(sample)
        del broken["detail"][field]
        with pytest.raises(fastjsonschema.JsonSchemaValueException):
            contract.keeps(broken)
        broken["detail"][field] = ["no such thing"]
        with pytest.raises(fastjsonschema.JsonSchemaValueException):
            contract.keeps(broken)
    with pytest.raises(AssertionError):
        contract.keeps({**sample, "detail": {**sample["detail"], "text": "The whole page."}})


def test_detail_of_a_page_without_a_class_or_a_version_has_nulls() -> None:
    row = {
        "document_id": "0" * 40, "attempt": Decimal(2), "bucket": "b", "key": "incoming/x",
        "status": "IN_REVIEW", "reasons": ["No text was found in the document."],
    }  # fmt: skip

    told = detail(row)

    contract.keeps({"source": "mailroom", "detail-type": "DocumentInReview", "detail": told})
    assert (told["document_class"], told["version_id"], told["reasons_count"]) == (None, None, 1)


def test_detail_holds_no_reason_no_text_and_stays_small(load_event: Any) -> None:
    stored = row_of(load_event("07")["detail"])
    many = {f"line_{number}": "x" * 1000 for number in range(100)}
    assert len(json.dumps(detail({**stored, "fields": many}))) < INLINE_BYTES + 2000
    failed = row_of(load_event("09")["detail"])
    longest = {"stage": "Extract", "error": "Bug", "cause": "請" * 32_768}
    # What EventBridge takes in one entry.
    assert len(json.dumps(detail({**failed, "error": longest}))) < 256 * 1024
    review = row_of(load_event("08")["detail"])
    told = detail({**review, "reasons": ["secret"], "fields": {"total": "secret"}})
    assert "secret" not in json.dumps(told)


# -- intake ---------------------------------------------------------------------------------------


@dataclass
class Witness(HeardBus):
    """Looks at the row at the moment of the announcement."""

    desk: Desk | None = None

    def put(self, detail_type: str, detail: dict[str, Any]) -> None:
        assert self.desk
        row = self.desk.intake.table.get(detail["document_id"]) or {}
        assert (row["status"], row["attempt"]) == (detail["status"], detail["attempt"])
        assert "announced_at" not in row
        super().put(detail_type, detail)


def watched(desk: Desk) -> Desk:
    """The desk with a bus that looks at the rows."""
    witness: Any = Witness(desk=desk)
    desk.bus, desk.intake = witness, replace(desk.intake, bus=witness)
    return desk


def is_at_rest(row: dict[str, Any]) -> bool:
    assert row["timeline"][-1]["status"] == "ANNOUNCED"
    assert row["announced_at"] == row["timeline"][-1]["at"]
    return "open_shard" not in row


def test_intake_announces_what_it_rejects_once_and_after_the_row(desk: Desk) -> None:
    watched(desk)
    office = desk.put("incoming/b.docx", b"PK\x03\x04")
    damaged = desk.put("incoming/a.pdf")
    delivery = event(
        ("incoming/b.docx", office), ("incoming/gone.pdf", "v1"), ("incoming/a.pdf", damaged)
    )
    desk.ocr.errors = [OcrRefused("Textract: The document is damaged.")]

    for _ in range(2):
        take_all(desk.intake, delivery)

    assert desk.bus.types() == ["DocumentRejected"] * 3
    rows = [
        desk.row("incoming/b.docx", office),
        desk.row("incoming/gone.pdf", "v1"),
        desk.row("incoming/a.pdf", damaged),
    ]
    assert all(map(is_at_rest, rows))
    assert [told["reason"] for _, told in desk.bus.heard] == [row["reasons"][0] for row in rows]
    for kind, told in desk.bus.heard:
        contract.keeps({"source": "mailroom", "detail-type": kind, "detail": told})


def test_intake_announces_a_linked_copy_with_its_original(desk: Desk) -> None:
    watched(desk)
    settings = replace(desk.intake.settings, duplicate_policy="link")
    intake = replace(desk.intake, settings=settings)
    first, copy = desk.put("incoming/a.pdf"), desk.put("incoming/copy.pdf")

    for _ in range(2):
        take_all(intake, event(("incoming/a.pdf", first), ("incoming/copy.pdf", copy)))

    ((kind, told),) = desk.bus.heard
    contract.keeps({"source": "mailroom", "detail-type": kind, "detail": told})
    assert told["original_id"] == document_id(intake.settings.bucket, "incoming/a.pdf", first)
    assert is_at_rest(desk.row("incoming/copy.pdf", copy))


def test_intake_announces_a_dead_letter_which_stays_open(desk: Desk) -> None:
    watched(desk)
    version = desk.put("incoming/a.pdf")
    desk.ocr.errors = [ServiceMisconfigured("Textract: no right.")]

    take_all(desk.intake, event(("incoming/a.pdf", version)))

    ((kind, told),) = desk.bus.heard
    contract.keeps({"source": "mailroom", "detail-type": kind, "detail": told})
    assert (told["stage"], told["error"]) == ("Intake", "ServiceMisconfigured")
    assert not is_at_rest(desk.row("incoming/a.pdf", version))


def test_intake_without_a_bus_still_ends_the_row_and_the_sweep_announces_it(
    beside: Beside,
) -> None:
    beside.desk.bus.errors = [StorageUnavailable("EventBridge did not answer: ReadTimeoutError.")]
    version = beside.desk.put("incoming/empty.pdf", b"")
    take_all(beside.desk.intake, event(("incoming/empty.pdf", version)))
    row = beside.desk.row("incoming/empty.pdf", version)
    assert (row["status"], row["open_shard"][0], "announced_at" in row) == ("REJECTED", "#", False)

    assert beside.sweep(after=timedelta(minutes=1)) == {}
    assert beside.sweep() == {"announced": 1}
    assert beside.sweep() == {}

    assert beside.desk.bus.types() == ["DocumentRejected"]
    assert is_at_rest(beside.desk.row("incoming/empty.pdf", version))


def test_new_attempt_clears_the_mark_and_announces_its_own_end(desk: Desk) -> None:
    version = desk.put("incoming/a.pdf")
    desk.ocr.errors = [OcrRefused("Textract: damaged."), OcrRefused("Textract: still damaged.")]
    take_all(desk.intake, event(("incoming/a.pdf", version)))
    again = {"bucket": desk.intake.settings.bucket, "key": "incoming/a.pdf", "reprocess": True}

    take_all(desk.intake, again)

    told = [(each["attempt"], each["reason"]) for _, each in desk.bus.heard]
    assert told == [(1, "Textract: damaged."), (2, "Textract: still damaged.")]
    take_all(desk.intake, again)
    row = desk.row("incoming/a.pdf", version)
    assert (row["status"], row["attempt"], "announced_at" in row) == ("READING", 3, False)


# -- closer and sweeper ---------------------------------------------------------------------------


def ended(beside: Beside, to: Status, **values: Any) -> dict[str, Any]:
    """A document whose execution wrote an end, and died before it could announce it."""
    row = beside.working()
    whole = {
        "document_class": "invoice", "confidence": Decimal("0.9"), "fields": {"total": "1.00"},
        "fields_key": "results/x", "pages": 1, "answered_by": "a model", "reasons": ["Doubtful."],
        "error": {"stage": "Extract", "error": "OcrFailed"}, **values,
    }  # fmt: skip
    table = beside.desk.intake.table
    table.move(row["document_id"], 1, to=to, allowed=(Status.WORKING,), values=whole)
    return row


@pytest.mark.parametrize("end", [Status.STORED, Status.IN_REVIEW, Status.DEAD_LETTERED])
def test_closer_announces_what_an_execution_could_not(beside: Beside, end: Status) -> None:
    row = ended(beside, end)
    told = {"name": f"{row['document_id']}-1", "status": "FAILED", "executionArn": "arn"}
    queue, bus = Queue(beside.desk.queue_url), beside.desk.intake.bus

    for _ in range(2):
        assert not close(told, beside.desk.intake.table, queue, bus)

    ((kind, heard),) = beside.desk.bus.heard
    contract.keeps({"source": "mailroom", "detail-type": kind, "detail": heard})
    assert kind == DETAIL_TYPES[end]
    after = beside.desk.row("incoming/a.pdf", row["version_id"])
    assert (after["status"], is_at_rest(after)) == (end, end in AT_REST)
    assert beside.desk.dead_letters() == []


def test_closer_announces_the_dead_letter_that_it_writes(beside: Beside) -> None:
    watched(beside.desk)
    row = beside.working()
    told = {"name": f"{row['document_id']}-1", "status": "TIMED_OUT", "executionArn": "arn"}

    close(told, beside.desk.intake.table, Queue(beside.desk.queue_url), beside.desk.intake.bus)

    ((kind, heard),) = beside.desk.bus.heard
    contract.keeps({"source": "mailroom", "detail-type": kind, "detail": heard})
    assert (heard["stage"], heard["error"]) == ("Execution", "TIMED_OUT")


@pytest.mark.parametrize("end", [Status.STORED, Status.IN_REVIEW, Status.DEAD_LETTERED])
def test_sweep_announces_each_end_once_its_execution_is_over(beside: Beside, end: Status) -> None:
    row = ended(beside, end)
    beside.executions.ended = ("RUNNING", "", "")
    assert beside.sweep() == {}
    beside.executions.ended = ("FAILED", "EventBridge.FailedEntry", "")

    assert [beside.sweep(), beside.sweep()] == [{"announced": 1}, {}]

    assert beside.desk.bus.types() == [DETAIL_TYPES[end]]
    after = beside.desk.row("incoming/a.pdf", row["version_id"])
    assert (after["status"], is_at_rest(after)) == (end, end in AT_REST)


def test_sweep_announces_the_dead_letter_that_it_writes(beside: Beside) -> None:
    watched(beside.desk)
    beside.working()
    beside.executions.ended = ("ABORTED", "", "")

    assert beside.sweep() == {"dead-lettered": 1}
    assert beside.sweep() == {}

    assert beside.desk.bus.types() == ["DocumentDeadLettered"]


def test_sweep_by_two_at_once_announces_once(beside: Beside) -> None:
    ended(beside, Status.STORED)
    beside.table = Stale(beside.desk.intake.table)

    assert [beside.sweep() for _ in range(2)] == [{"announced": 1}, {"changed meanwhile": 1}]
    assert beside.desk.bus.types() == ["DocumentStored"]


def test_sweep_with_a_listing_that_is_behind_announces_nothing_again(beside: Beside) -> None:
    row = ended(beside, Status.IN_REVIEW)
    beside.table = Stale(beside.desk.intake.table)
    beside.desk.intake.table.mark_announced(row["document_id"], 1, Status.IN_REVIEW)

    assert beside.sweep() == {"changed meanwhile": 1}
    assert beside.desk.bus.heard == []


def test_sweep_comes_back_to_what_the_bus_refused(beside: Beside) -> None:
    row = ended(beside, Status.DEAD_LETTERED)
    beside.desk.bus.errors = [StorageUnavailable("EventBridge did not take the event.")]

    assert beside.sweep() == {"failed": 1}
    assert "announced_at" not in beside.desk.row("incoming/a.pdf", row["version_id"])
    assert beside.sweep(after=4 * HOUR) == {"announced": 1}


def test_announce_end_leaves_alone_what_is_not_its_own(beside: Beside) -> None:
    row = beside.working()
    table, bus = beside.desk.intake.table, beside.desk.intake.bus

    announce_end(row["document_id"], 1, bus, table)  # at work
    announce_end("0" * 40, 1, bus, table)  # unknown
    table.move(row["document_id"], 1, to=Status.STORED, allowed=(Status.WORKING,))
    announce_end(row["document_id"], 2, bus, table)  # another attempt

    assert beside.desk.bus.heard == []
