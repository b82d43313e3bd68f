"""No row stays open: held documents go on, bad ends are heard, long waits are looked after."""

from dataclasses import replace
from datetime import timedelta

import pytest
from beside_desk import HOUR, Beside, Stale, beside
from intake_desk import desk

from mailroom.aws.queue import Queue
from mailroom.closer import close
from mailroom.document import Status
from mailroom.errors import OcrFailed, OcrThrottled, OcrUnavailable
from mailroom.intake import take_all
from mailroom.release import release

__all__ = ["beside", "desk"]  # the fixtures


def held(beside: Beside, count: int) -> list[str]:
    beside.desk.ocr.errors = [OcrThrottled("Full.") for _ in range(count)]
    keys = [f"incoming/{n}.pdf" for n in range(count)]
    for key in keys:
        beside.put(key)
    return keys


def test_release_lets_the_oldest_go_and_no_more_than_asked(beside: Beside) -> None:
    keys = held(beside, 5)

    assert release(2, beside.desk.intake.table, beside.taken_in.append) == 2

    assert [event["key"] for event in beside.taken_in] == keys[:2]


def test_release_by_two_at_once_lets_each_document_go_once(beside: Beside) -> None:
    keys = held(beside, 6)
    table = beside.desk.intake.table
    as_seen_by_both = Stale(table)

    counts = [release(4, as_seen_by_both, beside.taken_in.append) for _ in range(2)]

    assert counts == [4, 0]
    assert [event["key"] for event in beside.taken_in] == keys[:4]


def test_released_document_that_is_refused_again_keeps_its_place(beside: Beside) -> None:
    first, *_ = held(beside, 3)
    table = beside.desk.intake.table
    release(1, table, beside.taken_in.append)
    beside.desk.ocr.errors = [OcrThrottled("Still full.")]
    take_all(beside.desk.intake, beside.taken_in.pop())

    release(1, table, beside.taken_in.append)

    assert [event["key"] for event in beside.taken_in] == [first]


def test_held_and_refused_for_weeks_does_not_grow_the_row(beside: Beside) -> None:
    (key,) = held(beside, 1)
    table = beside.desk.intake.table
    (first,) = table.oldest_held(1)

    for _ in range(20):
        beside.desk.ocr.errors = [OcrThrottled("Still full.")]
        release(1, table, beside.taken_in.append)
        take_all(beside.desk.intake, beside.taken_in.pop())

    (row,) = table.oldest_held(1)
    assert row["key"] == key
    assert row["timeline"] == first["timeline"]
    assert row["received_at"] == first["received_at"]


def test_document_that_is_deleted_while_it_is_held_is_rejected(beside: Beside) -> None:
    (key,) = held(beside, 1)
    release(1, beside.desk.intake.table, beside.taken_in.append)
    event = beside.taken_in.pop()
    beside.desk.delete(key, event["version_id"])

    take_all(beside.desk.intake, event)

    row = beside.desk.row(key, event["version_id"])
    assert (row["status"], "deleted" in row["reasons"][0]) == ("REJECTED", True)


def test_held_for_days_harms_no_document(beside: Beside) -> None:
    held(beside, 3)

    swept = beside.sweep(after=timedelta(days=30))

    assert swept == {"released": 2}
    assert beside.desk.dead_letters() == []


def test_released_after_days_is_started_not_given_up(beside: Beside) -> None:
    (key,) = held(beside, 1)
    release(1, beside.desk.intake.table, beside.taken_in.append)

    take_all(beside.desk.intake, beside.taken_in.pop())

    assert [row["status"] for row in beside.desk.intake.table.open_rows()] == ["READING"]
    assert beside.desk.ocr.started[-1]["key"] == key


def test_max_in_flight_holds_what_comes_above_it(beside: Beside) -> None:
    settings = replace(beside.desk.intake.settings, max_in_flight="2")
    beside.desk.intake = replace(beside.desk.intake, settings=settings)

    versions = {key: beside.put(key) for key in (f"incoming/{n}.pdf" for n in range(4))}

    statuses = [beside.desk.row(key, version)["status"] for key, version in versions.items()]
    assert statuses == ["READING", "READING", "HELD", "HELD"]
    assert len(beside.desk.ocr.started) == 2


@pytest.mark.parametrize("status", ["FAILED", "TIMED_OUT", "ABORTED"])
def test_close_ends_the_row_of_an_execution_that_ended_badly(beside: Beside, status: str) -> None:
    row = beside.working()
    detail = {
        "name": f"{row['document_id']}-1",
        "status": status,
        "executionArn": row["execution_arn"],
    }
    queue = Queue(beside.desk.queue_url)

    assert close(detail, beside.desk.intake.table, queue, beside.desk.intake.bus)

    after = beside.desk.row("incoming/a.pdf", row["version_id"])
    assert (after["status"], after["error"]["error"]) == ("DEAD_LETTERED", status)
    assert "open_shard" in after
    (letter,) = beside.desk.dead_letters()
    assert letter["execution"] == row["execution_arn"]


def test_close_again_writes_nothing_new_but_sends_the_letter_that_may_be_missing(
    beside: Beside,
) -> None:
    row = beside.working()
    detail = {"name": f"{row['document_id']}-1", "status": "ABORTED", "executionArn": "arn"}
    table, bus = beside.desk.intake.table, beside.desk.intake.bus
    queue = Queue(beside.desk.queue_url)
    close(detail, table, queue, bus)
    dead = beside.desk.row("incoming/a.pdf", row["version_id"])

    close(detail, table, queue, bus)
    assert not close({**detail, "status": "TIMED_OUT"}, table, queue, bus)

    assert beside.desk.row("incoming/a.pdf", row["version_id"]) == dead
    assert beside.desk.bus.types() == ["DocumentDeadLettered"]
    assert len(beside.desk.dead_letters() + beside.desk.dead_letters()) == 2


def test_close_leaves_a_newer_attempt_and_a_persons_run_alone(beside: Beside) -> None:
    row = beside.working()
    queue = Queue(beside.desk.queue_url)
    for name in (f"{row['document_id']}-2", "0a1b-by-hand"):
        detail = {"name": name, "status": "ABORTED", "executionArn": "arn"}
        assert not close(detail, beside.desk.intake.table, queue, beside.desk.intake.bus)

    assert beside.desk.row("incoming/a.pdf", row["version_id"]) == row


def test_sweep_leaves_young_rows_alone(beside: Beside) -> None:
    beside.working("incoming/a.pdf")
    beside.put("incoming/b.pdf")

    assert beside.sweep(after=timedelta(minutes=1)) == {}
    assert beside.jobs.asked == []


def test_sweep_starts_again_what_intake_never_started(beside: Beside) -> None:
    beside.desk.ocr.errors = [OcrUnavailable("No answer.")]
    with pytest.raises(OcrUnavailable):
        beside.put()

    assert beside.sweep() == {"started again": 1}
    take_all(beside.desk.intake, beside.taken_in.pop())

    first, second = beside.desk.ocr.started
    assert first == second


def test_sweep_finds_the_job_whose_notice_was_lost(beside: Beside) -> None:
    row = beside.desk.row("incoming/a.pdf", beside.put())

    assert beside.sweep() == {"job found": 1}

    (event,) = beside.notices
    assert row["job_id"] in event["Records"][0]["Sns"]["Message"]
    assert beside.jobs.asked == [row["job_id"]]


def test_sweep_by_two_at_once_does_each_thing_once(beside: Beside) -> None:
    for n in range(4):
        beside.put(f"incoming/{n}.pdf")
    beside.table = Stale(beside.desk.intake.table)

    assert [beside.sweep() for _ in range(2)] == [{"job found": 4}, {"changed meanwhile": 4}]
    assert len(beside.notices) == 4


def test_sweep_waits_for_a_slow_job_and_gives_it_up_in_the_end(beside: Beside) -> None:
    version = beside.put()
    beside.jobs.answer = "IN_PROGRESS"

    assert beside.sweep(after=23 * HOUR) == {}
    assert beside.sweep(after=25 * HOUR) == {"dead-lettered": 1}

    row = beside.desk.row("incoming/a.pdf", version)
    assert row["error"]["error"] == "OcrNeverEnded"


def test_sweep_of_a_job_that_textract_forgot_ends_with_the_reason(beside: Beside) -> None:
    version = beside.put()
    beside.jobs.error = OcrFailed("Textract: The job is unknown.")

    assert beside.sweep() == {"dead-lettered": 1}
    assert beside.desk.row("incoming/a.pdf", version)["error"]["cause"] == str(beside.jobs.error)


def test_sweep_that_textract_throttles_comes_back_later(beside: Beside) -> None:
    beside.put()
    beside.jobs.error = OcrThrottled("Slow down.")

    assert beside.sweep() == {"Textract has no time": 1}
    assert beside.desk.dead_letters() == []


@pytest.mark.parametrize(
    ("ended", "status", "error"),
    [
        (("RUNNING", "", ""), "WORKING", None),
        (("TIMED_OUT", "", ""), "DEAD_LETTERED", "TIMED_OUT"),
        (("ABORTED", "", ""), "DEAD_LETTERED", "ABORTED"),
        (("FAILED", "States.DataLimitExceeded", "Too much."), "DEAD_LETTERED",
         "States.DataLimitExceeded"),
    ],
)  # fmt: skip
def test_sweep_does_the_closers_work_again(
    beside: Beside, ended: tuple[str, str, str], status: str, error: str | None
) -> None:
    row = beside.working()
    beside.executions.ended = ended

    beside.sweep()

    after = beside.desk.row("incoming/a.pdf", row["version_id"])
    assert after["status"] == status
    assert after.get("error", {}).get("error") == error


def test_sweep_starts_the_execution_that_was_never_started(beside: Beside) -> None:
    beside.working()

    assert beside.sweep() == {"execution started": 1}
    assert len(beside.notices) == 1


def test_sweep_announces_what_was_stored_in_silence_once(beside: Beside) -> None:
    row = beside.working()
    beside.desk.intake.table.move(
        row["document_id"],
        1,
        to=Status.STORED,
        allowed=(Status.WORKING,),
        values={
            "document_class": "invoice",
            "fields": {"total": "1.00"},
            "fields_key": "results/x",
        },
    )

    beside.executions.ended = ("RUNNING", "", "")
    assert beside.sweep() == {}
    beside.executions.ended = ("FAILED", "EventBridge.FailedEntry", "")
    assert beside.sweep() == {"announced": 1}
    assert beside.sweep() == {}

    ((kind, detail),) = beside.desk.bus.heard
    assert (kind, detail["document_id"]) == ("DocumentStored", row["document_id"])
    assert "open_shard" not in beside.desk.row("incoming/a.pdf", row["version_id"])


def test_sweep_one_row_that_cannot_be_mended_does_not_hide_the_others(beside: Beside) -> None:
    beside.put("incoming/a.pdf")
    beside.jobs.error = RuntimeError("a bug")
    beside.desk.ocr.errors = [OcrUnavailable("No answer.")]
    with pytest.raises(OcrUnavailable):
        beside.put("incoming/b.pdf")

    assert beside.sweep() == {"failed": 1, "started again": 1}
