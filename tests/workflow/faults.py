"""How to bring a document to each state, make that state fail, and see that it has failed."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from machines_on_moto import Execution, failure
from papers import DOUBTFUL_PAGES, INVOICE_PAGES
from road import PDF, Road
from services import refusal, response
from stack import states

KEY = "incoming/a bill.pdf"

# moto gives every refusal of SQS one name, and those of EventBridge none but this of an entry.
# The rules are walked with these.
NOT_ON_MOTO = {
    "SQS.RequestThrottled",
    "SQS.InternalError",
    "SQS.ServiceUnavailable",
    "EventBridge.ThrottlingException",
    "EventBridge.InternalException",
    "EventBridge.SdkClientException",
}

# Which of its own calls of the operation is the state's: the row's end is written before its mark.
EARLIER_CALLS = {"MarkDeadLetter": 1}

OPERATIONS = {
    "arn:${Partition}:states:::events:putEvents": "eventbridge.PutEvents",
    "arn:${Partition}:states:::dynamodb:updateItem": "dynamodb.UpdateItem",
    "arn:${Partition}:states:::sqs:sendMessage": "sqs.SendMessage",
}


@dataclass(frozen=True)
class Drive:
    """How a document gets to a state, and where it ends when the state works at last."""

    end: str
    status: str
    pages: tuple[list[str], ...] | None = tuple(INVOICE_PAGES)
    broken: str | None = None


DRIVES = {
    "Intake": Drive("Intake", "READING", pages=None),
    "Extract": Drive("MarkAnnounced", "STORED"),
    "Classify": Drive("MarkAnnounced", "STORED"),
    "Store": Drive("MarkAnnounced", "STORED"),
    "Announce": Drive("MarkAnnounced", "STORED"),
    "MarkAnnounced": Drive("MarkAnnounced", "STORED"),
    "Review": Drive("MarkReview", "IN_REVIEW", pages=tuple(DOUBTFUL_PAGES)),
    "AnnounceReview": Drive("MarkReview", "IN_REVIEW", pages=tuple(DOUBTFUL_PAGES)),
    "MarkReview": Drive("MarkReview", "IN_REVIEW", pages=tuple(DOUBTFUL_PAGES)),
    "DeadLetterRow": Drive("Failed", "DEAD_LETTERED", broken="Extract"),
    "DeadLetterMessage": Drive("Failed", "DEAD_LETTERED", broken="Extract"),
    "AnnounceDeadLetter": Drive("Failed", "DEAD_LETTERED", broken="Extract"),
    "MarkDeadLetter": Drive("Failed", "DEAD_LETTERED", broken="Extract"),
}


@dataclass(frozen=True)
class Driven(Execution):
    """An execution, and the document it was about."""

    document_id: str


def fail(road: Road, state: str, error: str, *, times: int) -> None:
    """Make the next calls of a state fail with an error of this name."""
    resource = states()[state]["Resource"]
    if resource in OPERATIONS:
        code = error.partition(".")[2]
        let_pass = [None] * EARLIER_CALLS.get(state, 0)
        refused = [*let_pass, *(_refused(code) for _ in range(times))]
        road.refusals.setdefault(OPERATIONS[resource], []).extend(refused)
    else:
        function = resource.strip("${}").removesuffix("Arn")
        road.failures.setdefault(function, []).extend([failure(error)] * times)


def drive(road: Road, state: str) -> Driven:
    """Send a document along the road that leads through a state."""
    how = DRIVES[state]
    if how.broken:
        fail(road, how.broken, "BrokenOnPurpose", times=1)
    if how.pages is None:
        road.s3.put_object(Bucket=road.bucket, Key=KEY, Body=PDF)
        execution = road.start("by-hand", {"bucket": road.bucket, "key": KEY})
        (identity,) = road.rows() or [""]
    else:
        identity = road.upload(KEY)
        execution = road.read(identity, list(how.pages))
    return Driven(**vars(execution), document_id=identity)


def _refused(code: str) -> Any:
    if code == "FailedEntry":
        entry = {"ErrorCode": "InternalFailure", "ErrorMessage": "as the test wants it"}
        return response(200, {"FailedEntryCount": 1, "Entries": [entry]})
    return refusal(code, 500 if "Internal" in code else 400)


def _dead_letter(road: Road, execution: Driven) -> str:
    """Row, message and execution tell the same story; returns the error's name."""
    row = road.row(execution.document_id)
    assert row["status"] == "DEAD_LETTERED"
    assert row["open_shard"]
    assert [each["status"] for each in row["timeline"][-2:]] == ["DEAD_LETTERED", "ANNOUNCED"]
    (message,) = road.dead_letters()
    assert message == {
        "document_id": execution.document_id,
        "attempt": 1,
        **row["error"],
        "execution": execution.arn,
    }
    assert execution.error == row["error"]["error"]
    assert execution.cause == row["error"]["cause"]
    assert row["error"]["stage"] in execution.states
    (event,) = road.announced()
    assert event["detail-type"] == "DocumentDeadLettered"
    assert event["detail"].items() >= row["error"].items()
    return str(row["error"]["error"])


def _nothing_taken(road: Road, execution: Driven) -> str:
    assert execution.states[-1] == "NotTakenIn"
    assert road.rows() == [] and road.dead_letters() == []
    return execution.error


def _unannounced(road: Road, execution: Driven) -> str:
    row = road.row(execution.document_id)
    assert execution.states[-1] == "Unannounced"
    assert row["status"] == DRIVES[execution.states[-2]].status and row["open_shard"]
    assert "announced_at" not in row and "error" not in row
    assert road.dead_letters() == []
    return execution.error


def _row_unreachable(road: Road, execution: Driven) -> str:
    """The message is sent even so: it is then the only trace beside the execution."""
    assert execution.states[-4:] == ["DeadLetterRow", "DeadLetterMessage", "Written?", "Failed"]
    assert road.row(execution.document_id)["status"] == "WORKING"
    assert road.announced() == []
    (message,) = road.dead_letters()
    assert message["error"] == execution.error == "BrokenOnPurpose"
    return _caught(execution, "DeadLetterRow", "row")


def _message_unsent(road: Road, execution: Driven) -> str:
    """The row has it all and is announced; the execution says what broke the document."""
    assert execution.states[-2:] == ["MarkDeadLetter", "Failed"]
    row = road.row(execution.document_id)
    assert row["error"]["error"] == execution.error == "BrokenOnPurpose"
    assert row["announced_at"] and len(road.announced()) == 1
    assert road.dead_letters() == []
    return _caught(execution, "DeadLetterMessage", "message")


def _dead_unannounced(road: Road, execution: Driven) -> str:
    """Row and message are there; the row stays open, without the mark, for closer and sweep."""
    state = execution.states[-2]
    row = road.row(execution.document_id)
    assert row["status"] == "DEAD_LETTERED" and row["open_shard"]
    assert "announced_at" not in row
    assert row["error"]["error"] == execution.error == "BrokenOnPurpose"
    assert len(road.dead_letters()) == 1
    assert len(road.announced()) == (state == "MarkDeadLetter")
    return _caught(execution, state, "unannounced")


def _caught(execution: Driven, state: str, where: str) -> str:
    return next(text for name, text in execution.payloads() if name == f"{state} output")


FAILURES: dict[str, Callable[[Road, Driven], str]] = {
    "Intake": _nothing_taken,
    "Extract": _dead_letter,
    "Classify": _dead_letter,
    "Store": _dead_letter,
    "Review": _dead_letter,
    "Announce": _unannounced,
    "MarkAnnounced": _unannounced,
    "AnnounceReview": _unannounced,
    "MarkReview": _unannounced,
    "DeadLetterRow": _row_unreachable,
    "DeadLetterMessage": _message_unsent,
    "AnnounceDeadLetter": _dead_unannounced,
    "MarkDeadLetter": _dead_unannounced,
}
