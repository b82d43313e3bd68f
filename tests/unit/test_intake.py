"""Documents are taken in once, each on its own; what is no document costs nothing."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
from intake_desk import BUCKET, PDF, Desk, FakeOcr, FakeWorkflow, desk, event

from mailroom.document import Status, document_id
from mailroom.errors import (
    OcrRefused,
    OcrThrottled,
    OcrUnavailable,
    ServiceMisconfigured,
    SourceUnreadable,
    Superseded,
    UnknownEvent,
)
from mailroom.intake import take_all
from mailroom.ocr_done import job_done

__all__ = ["desk"]  # the fixture


def test_take_all_registers_and_starts_one_job(desk: Desk) -> None:
    version = desk.put("incoming/a.pdf")

    take_all(desk.intake, event(("incoming/a.pdf", version)))

    row = desk.row("incoming/a.pdf", version)
    assert row["status"] == "READING"
    assert row["job_id"] == f"job-of-{row['document_id']}-1"
    assert row["media_type"] == "application/pdf"
    assert [each["status"] for each in row["timeline"]] == ["RECEIVED", "READING"]
    (start,) = desk.ocr.started
    assert start["tag"] == f"{row['document_id']}.1"
    assert (start["key"], start["version_id"]) == ("incoming/a.pdf", version)


def test_take_all_same_event_many_times_at_once_costs_one_job(desk: Desk) -> None:
    version = desk.put("incoming/a.pdf")
    delivery = event(("incoming/a.pdf", version))

    with ThreadPoolExecutor(3) as pool:
        list(pool.map(lambda _: take_all(desk.intake, delivery), range(3)))
    for _ in range(2):
        take_all(desk.intake, delivery)

    assert len(desk.ocr.started) == 1
    assert desk.rows() == 1


def test_take_all_reads_the_version_of_the_event_not_the_latest(desk: Desk) -> None:
    old = desk.put("incoming/a.pdf")
    new = desk.put("incoming/a.pdf", b"no document at all")

    take_all(desk.intake, event(("incoming/a.pdf", old)))
    take_all(desk.intake, event(("incoming/a.pdf", new)))

    assert desk.row("incoming/a.pdf", old)["status"] == "READING"
    landed = [desk.row("incoming/a.pdf", version)["landed_at"] for version in (old, new)]
    assert landed == sorted(landed)
    assert desk.row("incoming/a.pdf", new)["status"] == "REJECTED"
    assert [start["version_id"] for start in desk.ocr.started] == [old]


def test_take_all_one_bad_record_does_not_hold_up_the_others(desk: Desk) -> None:
    first, second = desk.put("incoming/a.pdf"), desk.put("incoming/c.pdf")
    bad = desk.put("incoming/b.docx", b"PK\x03\x04")
    delivery = event(
        ("incoming/a.pdf", first), ("incoming/b.docx", bad), ("incoming/c.pdf", second)
    )

    take_all(desk.intake, delivery)
    take_all(desk.intake, delivery)

    assert len(desk.ocr.started) == 2
    row = desk.row("incoming/b.docx", bad)
    assert row["status"] == "REJECTED"
    assert "Office" in row["reasons"][0]
    assert "open_shard" not in row


def test_take_all_object_that_met_a_fault_is_tried_again_alone(desk: Desk) -> None:
    first, second = desk.put("incoming/a.pdf"), desk.put("incoming/b.pdf")
    desk.ocr.errors = [OcrUnavailable("No answer.")]
    delivery = event(("incoming/a.pdf", first), ("incoming/b.pdf", second))

    with pytest.raises(OcrUnavailable):
        take_all(desk.intake, delivery)
    assert desk.row("incoming/a.pdf", first)["status"] == "RECEIVED"
    assert desk.row("incoming/b.pdf", second)["status"] == "READING"
    take_all(desk.intake, delivery)

    assert desk.row("incoming/a.pdf", first)["status"] == "READING"
    assert len(desk.ocr.started) == 3


def test_take_all_where_textract_is_full_the_document_is_held_without_an_error(
    desk: Desk,
) -> None:
    version = desk.put("incoming/a.pdf")
    desk.ocr.errors = [OcrThrottled("Too many open jobs.")]

    for _ in range(3):
        take_all(desk.intake, event(("incoming/a.pdf", version)))

    row = desk.row("incoming/a.pdf", version)
    assert row["status"] == "HELD"
    assert row["open_shard"].startswith("held#")
    assert len(desk.ocr.started) == 1


def test_take_all_unexpected_error_gives_the_lease_back(desk: Desk) -> None:
    version = desk.put("incoming/a.pdf")
    desk.ocr.errors = [RuntimeError("a bug")]

    with pytest.raises(RuntimeError):
        take_all(desk.intake, event(("incoming/a.pdf", version)))
    take_all(desk.intake, event(("incoming/a.pdf", version)))

    assert desk.row("incoming/a.pdf", version)["status"] == "READING"


def test_take_all_deleted_object_ends_as_a_row(desk: Desk) -> None:
    delivery = event(("incoming/gone.pdf", "v1"))

    for _ in range(2):
        take_all(desk.intake, delivery)

    row = desk.row("incoming/gone.pdf", "v1")
    assert row["status"] == "REJECTED"
    assert "deleted" in row["reasons"][0]
    assert desk.ocr.started == []


def test_take_all_empty_file_is_rejected_without_a_call(desk: Desk) -> None:
    version = desk.put("incoming/empty.pdf", b"")

    take_all(desk.intake, event(("incoming/empty.pdf", version)))

    assert desk.row("incoming/empty.pdf", version)["reasons"] == ["The file is empty."]
    assert desk.ocr.started == []


def test_take_all_what_textract_refuses_is_rejected_with_its_reason(desk: Desk) -> None:
    version = desk.put("incoming/a.pdf")
    desk.ocr.errors = [OcrRefused("Textract: The document is damaged.")]

    take_all(desk.intake, event(("incoming/a.pdf", version)))

    row = desk.row("incoming/a.pdf", version)
    assert (row["status"], row["reasons"]) == ("REJECTED", ["Textract: The document is damaged."])


@pytest.mark.parametrize(
    "error", [ServiceMisconfigured("Textract: no right."), SourceUnreadable("Textract: cannot.")]
)
def test_take_all_wrong_stack_is_dead_lettered_row_and_message(
    desk: Desk, error: Exception
) -> None:
    version = desk.put("incoming/a.pdf")
    desk.ocr.errors = [error]

    take_all(desk.intake, event(("incoming/a.pdf", version)))

    row = desk.row("incoming/a.pdf", version)
    assert row["status"] == "DEAD_LETTERED"
    assert row["error"]["stage"] == "Intake"
    assert row["error"]["error"] == type(error).__name__
    (message,) = desk.dead_letters()
    assert message["document_id"] == row["document_id"]
    assert len(desk.ocr.started) == 1


def test_take_all_same_content_is_processed_again_unless_it_is_to_be_linked(desk: Desk) -> None:
    first, second = desk.put("incoming/a.pdf"), desk.put("incoming/b.pdf")

    take_all(desk.intake, event(("incoming/a.pdf", first), ("incoming/b.pdf", second)))

    assert len(desk.ocr.started) == 2


def test_take_all_linked_copy_is_a_duplicate_of_the_first_and_unpaid(desk: Desk) -> None:
    settings = replace(desk.intake.settings, duplicate_policy="link")
    intake = replace(desk.intake, settings=settings)
    first, copy = desk.put("incoming/a.pdf"), desk.put("incoming/copy.pdf")
    other = desk.put("incoming/other.pdf", PDF + b"x")
    delivery = event(
        ("incoming/a.pdf", first), ("incoming/copy.pdf", copy), ("incoming/other.pdf", other)
    )

    for _ in range(2):
        take_all(intake, delivery)

    original = desk.row("incoming/a.pdf", first)
    row = desk.row("incoming/copy.pdf", copy)
    assert (row["status"], row["original"]) == ("DUPLICATE", original["document_id"])
    assert "open_shard" not in row
    assert desk.row("incoming/other.pdf", other)["status"] == "READING"
    assert [start["key"] for start in desk.ocr.started] == ["incoming/a.pdf", "incoming/other.pdf"]


@pytest.mark.parametrize("key", ["textract/x/1/job/1", "text/x/1.jsonl", "results/x/1.json"])
def test_take_all_refuses_what_mailroom_wrote_itself(desk: Desk, key: str) -> None:
    with pytest.raises(UnknownEvent):
        take_all(desk.intake, event((key, desk.put(key))))

    assert desk.rows() == 0


def test_take_all_started_by_hand_is_the_same_document_as_its_event(desk: Desk) -> None:
    version = desk.put("incoming/a b+c.pdf")

    by_hand = take_all(desk.intake, {"bucket": BUCKET, "key": "incoming/a b+c.pdf"})
    take_all(desk.intake, event(("incoming/a+b%2Bc.pdf", version)))

    assert by_hand["documents"][0]["document_id"] == document_id(
        BUCKET, "incoming/a b+c.pdf", version
    )
    assert len(desk.ocr.started) == 1


def test_take_all_reprocess_is_a_new_attempt_of_a_document_at_rest(desk: Desk) -> None:
    version = desk.put("incoming/a.pdf")
    again = {"bucket": BUCKET, "key": "incoming/a.pdf", "reprocess": True}
    desk.ocr.errors = [OcrRefused("Textract: unreadable.")]
    take_all(desk.intake, event(("incoming/a.pdf", version)))

    take_all(desk.intake, again)

    row = desk.row("incoming/a.pdf", version)
    assert (row["attempt"], row["status"]) == (2, "READING")
    assert "reasons" not in row
    assert desk.ocr.started[1]["tag"].endswith(".2")
    with pytest.raises(Superseded):
        take_all(desk.intake, again)


def test_take_all_reprocess_forgets_whose_files_a_redrive_has_read(desk: Desk) -> None:
    version = desk.put("incoming/a.pdf")
    desk.ocr.errors = [OcrRefused("Textract: unreadable.")]
    take_all(desk.intake, event(("incoming/a.pdf", version)))
    table, identity = desk.intake.table, document_id(BUCKET, "incoming/a.pdf", version)
    redriven = {"job_id": "old", "ocr_attempt": 1}
    table.move(identity, 1, to=Status.WORKING, allowed=(Status.REJECTED,), values=redriven)
    table.move(identity, 1, to=Status.STORED, allowed=(Status.WORKING,))

    take_all(desk.intake, {"bucket": BUCKET, "key": "incoming/a.pdf", "reprocess": True})

    row = desk.row("incoming/a.pdf", version)
    assert "ocr_attempt" not in row
    assert row["job_id"] == f"job-of-{identity}-2"


def notice(row: dict[str, Any], **changed: Any) -> dict[str, Any]:
    return {
        "JobId": f"job-of-{row['document_id']}-{row['attempt']}",
        "JobTag": f"{row['document_id']}.{row['attempt']}",
        "Status": "SUCCEEDED",
        "API": "StartDocumentAnalysis",
        **changed,
    }


def test_job_done_twice_starts_one_execution(desk: Desk) -> None:
    version = desk.put("incoming/a.pdf")
    take_all(desk.intake, event(("incoming/a.pdf", version)))
    row, workflow = desk.row("incoming/a.pdf", version), FakeWorkflow()

    meanings = [job_done(notice(row), desk.intake.table, workflow) for _ in range(2)]

    assert meanings == ["started", "repeated"]
    assert list(workflow.started) == [f"{row['document_id']}-1"]
    assert desk.row("incoming/a.pdf", version)["status"] == "WORKING"


def test_job_done_before_intake_wrote_the_job_down_records_it(desk: Desk) -> None:
    version = desk.put("incoming/a.pdf")
    workflow = FakeWorkflow()

    class FastOcr(FakeOcr):
        def start(self, document_id: str, attempt: int, **request: Any) -> str:
            job_id = super().start(document_id, attempt, **request)
            row = {"document_id": document_id, "attempt": attempt}
            job_done(notice(row), desk.intake.table, workflow)
            return job_id

    intake = replace(desk.intake, ocr=FastOcr())
    take_all(intake, event(("incoming/a.pdf", version)))

    row = desk.row("incoming/a.pdf", version)
    assert (row["status"], row["job_id"]) == ("WORKING", f"job-of-{row['document_id']}-1")
    assert len(workflow.started) == 1


@pytest.mark.parametrize("change", [{"JobId": "another-job"}, {"JobTag": "old"}])
def test_job_done_late_news_of_another_job_or_attempt_ends_nothing(
    desk: Desk, change: dict[str, str]
) -> None:
    version = desk.put("incoming/a.pdf")
    desk.ocr.errors = [OcrRefused("Textract: unreadable.")]
    take_all(desk.intake, event(("incoming/a.pdf", version)))
    take_all(desk.intake, {"bucket": BUCKET, "key": "incoming/a.pdf", "reprocess": True})
    row, workflow = desk.row("incoming/a.pdf", version), FakeWorkflow()
    if "JobTag" in change:
        change = {"JobTag": f"{row['document_id']}.1"}

    assert job_done(notice(row, **change), desk.intake.table, workflow) == "stale"

    assert workflow.started == {}
    assert desk.row("incoming/a.pdf", version) == row


@pytest.mark.parametrize("status", ["FAILED", "Failed", "ERROR", None])
def test_job_done_anything_but_success_is_carried_on(desk: Desk, status: str | None) -> None:
    version = desk.put("incoming/a.pdf")
    take_all(desk.intake, event(("incoming/a.pdf", version)))
    row, workflow = desk.row("incoming/a.pdf", version), FakeWorkflow()
    told = notice(row, Status=status)
    if status is None:
        del told["Status"]

    job_done(told, desk.intake.table, workflow)

    (state,) = workflow.started.values()
    assert state["ocr_status"] == (status or "UNKNOWN").upper()
