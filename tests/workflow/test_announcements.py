"""What is announced by whom: the state machine, intake and the closer, with the same marks.

`Road.announced` holds every event that any test here hears against the schemas of `docs/`.
"""

from collections.abc import Callable
from typing import Any

import pytest
from faults import fail
from machines_on_moto import Execution
from papers import BLANK_PAGES, DOUBTFUL_PAGES, INVOICE_PAGES
from road import Road

from mailroom.announce import detail
from mailroom.document import AT_REST

KEY = "incoming/a bill.pdf"


def stored(road: Road) -> str:
    identity = road.upload()
    road.read(identity, INVOICE_PAGES)
    return identity


def in_review(road: Road) -> str:
    identity = road.upload()
    road.read(identity, DOUBTFUL_PAGES)
    return identity


def in_review_without_a_class(road: Road) -> str:
    identity = road.upload()
    road.read(identity, BLANK_PAGES)
    return identity


def dead(road: Road) -> str:
    fail(road, "Extract", "BrokenOnPurpose", times=1)
    return stored(road)


def dead_without_a_cause(road: Road) -> str:
    fail(road, "Classify", "States.Timeout", times=4)
    return stored(road)


def dead_at_the_store(road: Road) -> str:
    fail(road, "Store", "BrokenOnPurpose", times=1)
    return stored(road)


def aborted(road: Road) -> str:
    identity = road.upload()
    job_id = str(road.row(identity)["job_id"])
    fail(road, "DeadLetterRow", "Any.ValidationException", times=1)
    fail(road, "Extract", "BrokenOnPurpose", times=1)
    attempt = road.notify(job_id)
    execution = road.finished(f"{identity}-{attempt}")
    assert road.row(identity)["status"] == "WORKING"
    road.invoke("CloserFunction", bad_end(execution))
    return identity


def rejected(road: Road) -> str:
    return road.upload("incoming/empty.pdf", b"")


def duplicate(road: Road) -> str:
    road.names["DuplicatePolicy"] = "link"
    original = road.upload()
    copy = road.upload("incoming/copy.pdf")
    assert road.row(copy)["original"] == original
    return copy


def bad_end(execution: Execution) -> dict[str, Any]:
    """What EventBridge tells the closer."""
    told = {
        "name": execution.arn.rpartition(":")[2],
        "status": execution.status,
        "executionArn": execution.arn,
        "error": execution.error,
        "cause": execution.cause,
    }
    return {"source": "aws.states", "detail": told}


@pytest.mark.parametrize(
    ("end", "status"),
    [
        (stored, "STORED"),
        (in_review, "IN_REVIEW"),
        (in_review_without_a_class, "IN_REVIEW"),
        (dead, "DEAD_LETTERED"),
        (dead_without_a_cause, "DEAD_LETTERED"),
        (dead_at_the_store, "DEAD_LETTERED"),
        (aborted, "DEAD_LETTERED"),
        (rejected, "REJECTED"),
        (duplicate, "DUPLICATE"),
    ],
)
def test_end_is_announced_once_as_the_row_says_and_leaves_its_mark(
    road: Road, end: Callable[[Road], str], status: str
) -> None:
    identity = end(road)

    (event,) = road.announced()
    row = road.row(identity)
    assert event["detail"]["status"] == row["status"] == status
    # Whoever writes the end says the same of it.
    assert event["detail"] == detail(row)
    assert row["timeline"][-1] == {"status": "ANNOUNCED", "at": row["announced_at"]}
    assert ("open_shard" not in row) == (status in AT_REST)


def test_new_attempt_takes_the_mark_away_and_announces_its_own_end(road: Road) -> None:
    identity = dead(road)
    assert "announced_at" in road.row(identity)

    road.start("redo", {"bucket": road.bucket, "key": KEY, "reprocess": True})
    assert "announced_at" not in road.row(identity)
    road.read(identity, INVOICE_PAGES)

    told = [(each["detail"]["attempt"], each["detail"]["status"]) for each in road.announced()]
    assert told == [(1, "DEAD_LETTERED"), (2, "STORED")]
    assert "announced_at" in road.row(identity)


@pytest.mark.parametrize(
    ("state", "end", "kind"),
    [
        ("Announce", stored, "DocumentStored"),
        ("AnnounceReview", in_review, "DocumentInReview"),
        ("AnnounceDeadLetter", dead, "DocumentDeadLettered"),
    ],
)
def test_what_the_machine_could_not_announce_the_closer_does_once(
    road: Road, state: str, end: Callable[[Road], str], kind: str
) -> None:
    fail(road, state, "EventBridge.FailedEntry", times=9)
    identity = end(road)
    row = road.row(identity)
    assert road.announced() == [] and "announced_at" not in row and row["open_shard"]
    execution = road.finished(f"{identity}-1")
    assert execution.status == "FAILED"

    for _ in range(2):
        assert road.invoke("CloserFunction", bad_end(execution)) == {"closed": False}

    (event,) = road.announced()
    assert event["detail-type"] == kind
    after = road.row(identity)
    assert (after["status"], "announced_at" in after) == (row["status"], True)


def test_row_that_was_not_written_is_announced_by_whoever_ends_it(road: Road) -> None:
    fail(road, "DeadLetterRow", "Any.ValidationException", times=1)
    fail(road, "Extract", "BrokenOnPurpose", times=1)
    identity = stored(road)
    assert road.row(identity)["status"] == "WORKING"
    assert road.announced() == []

    road.invoke("CloserFunction", bad_end(road.finished(f"{identity}-1")))

    (event,) = road.announced()
    assert event["detail"]["stage"] == "Execution"
    assert road.row(identity)["announced_at"]
