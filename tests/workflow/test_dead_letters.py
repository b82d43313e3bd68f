"""What fails ends where a person finds it: every Catch of the machine is walked."""

import json

import pytest
from faults import DRIVES, FAILURES, drive, fail
from papers import INVOICE_PAGES
from road import Road
from services import refusal
from stack import states

CATCHING = [name for name, state in states().items() if "Catch" in state]


def test_every_state_with_a_catch_can_be_driven() -> None:
    assert set(CATCHING) == set(DRIVES)


@pytest.mark.parametrize("state", CATCHING)
def test_unknown_error_is_not_retried_and_leaves_its_traces(road: Road, state: str) -> None:
    integrated = "states:::" in states()[state]["Resource"]
    error = "Any.ValidationException" if integrated else "ZeroDivisionError"
    # moto takes every refusal of SQS for one that is worth another try.
    tries = 1 + states()[state]["Retry"][0]["MaxAttempts"] * ("sqs" in states()[state]["Resource"])
    fail(road, state, error, times=tries)
    execution = drive(road, state)

    assert execution.status == "FAILED"
    FAILURES[state](road, execution)
    assert len(road.waits) == tries - 1


def test_error_of_a_handler_reaches_the_row_with_its_cause(road: Road) -> None:
    identity = road.upload()
    state = road.work(identity)
    del state["job_id"]
    execution = road.start(f"{identity}-1", state)

    assert execution.status == "FAILED"
    error = road.row(identity)["error"]
    assert error["stage"] == "Extract"
    assert error["error"] == execution.error == "TypeError"
    assert json.loads(error["cause"])["errorType"] == "TypeError"


def test_failed_job_ends_with_textracts_own_reason(road: Road) -> None:
    road.textract.status_message = "PDF is password protected"
    identity = road.upload()
    execution = road.read(identity, [[]], status="FAILED")

    assert execution.error == "OcrFailed"
    row = road.row(identity)
    assert row["status"] == "DEAD_LETTERED"
    assert "PDF is password protected" in row["error"]["cause"]
    (message,) = road.dead_letters()
    assert message["error"] == "OcrFailed" and message["stage"] == "Extract"
    assert road.claude.requests == []


def test_error_without_a_cause_travels_the_same_road(road: Road) -> None:
    fail(road, "Classify", "States.Timeout", times=4)
    identity = road.upload()
    execution = road.read(identity, INVOICE_PAGES)

    # moto refuses to end an execution with an error of the platform's name; the rest is done then.
    assert execution.status == "FAILED"
    assert execution.states[-1] == "Failed"
    error = {"stage": "Classify", "error": "States.Timeout", "cause": ""}
    assert road.row(identity)["error"] == error
    (message,) = road.dead_letters()
    assert message == {
        "document_id": identity, "attempt": 1, **error, "execution": execution.arn,
    }  # fmt: skip


def test_row_that_has_gone_on_gets_no_dead_letter_and_no_message(road: Road) -> None:
    identity = road.upload()
    road.read(identity, INVOICE_PAGES)
    before = road.row(identity)
    fail(road, "Extract", "BrokenOnPurpose", times=1)

    execution = road.start("once-more", road.work(identity))

    assert execution.error == "BrokenOnPurpose"
    assert execution.states[-3:] == ["DeadLetter", "DeadLetterRow", "Failed"]
    assert road.row(identity) == before
    assert road.dead_letters() == []


def test_dead_letter_whose_rows_answer_was_lost_is_sent_and_announced(road: Road) -> None:
    fail(road, "Extract", "BrokenOnPurpose", times=1)
    road.refusals["dynamodb.UpdateItem"] = [refusal("InternalServerError", 500)]
    road.answers_lost["dynamodb.UpdateItem"] = 1
    identity = road.upload()
    execution = road.read(identity, INVOICE_PAGES)

    assert execution.error == "BrokenOnPurpose"
    assert road.row(identity)["status"] == "DEAD_LETTERED"
    (message,) = road.dead_letters()
    assert message["document_id"] == identity
    (event,) = road.announced()
    assert event["detail-type"] == "DocumentDeadLettered"


def test_mark_of_a_row_that_has_gone_on_ends_well(road: Road) -> None:
    road.refusals["dynamodb.UpdateItem"] = [refusal("ConditionalCheckFailedException")]
    identity = road.upload()
    execution = road.read(identity, INVOICE_PAGES)

    assert execution.status == "SUCCEEDED", execution.cause
    assert execution.states[-1] == "Done"
    assert len(road.announced()) == 1
    assert "announced_at" not in road.row(identity)


def test_dead_letter_is_taken_up_again_by_hand(road: Road) -> None:
    fail(road, "Classify", "BrokenOnPurpose", times=1)
    identity = road.upload()
    road.read(identity, INVOICE_PAGES)

    road.start("redo", {"bucket": road.bucket, "key": "incoming/a bill.pdf", "reprocess": True})
    execution = road.read(identity, INVOICE_PAGES)

    assert execution.status == "SUCCEEDED", execution.cause
    row = road.row(identity)
    assert row["status"] == "STORED" and row["attempt"] == 2
    assert "error" not in row and "open_shard" not in row
