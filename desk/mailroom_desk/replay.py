"""Replay undelivered events: invoke the function again, then delete the message.

Comes in: the queue in which Lambda keeps the events that no try of a function could deal with.
Goes out: a `Replayed` for each message. None is lost: a message is deleted once Lambda has taken
the event, and an event that comes twice changes nothing. At most as many are replayed as lay there
at the start, so that events which fail again do not turn in a circle.

Source of the record's shape: AWS Lambda Developer Guide, "Capturing records of Lambda asynchronous
invocations".
"""

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import ClientError

from mailroom_desk.stack import Stack

_BATCH = 10  # messages of one ReceiveMessage, says SQS's API reference
_WAIT_SECONDS = 2  # a long poll asks all of SQS's servers


@dataclass(frozen=True)
class Replayed:
    """One message: the function that has its event again, or why it was left in the queue."""

    message_id: str
    function: str | None
    left: str | None = None


def replay(stack: Stack, limit: int | None = None) -> Iterator[Replayed]:
    """Replay what lies in the queue now, `limit` messages at most."""
    queue = stack.undelivered_queue_url
    sqs = stack.client("sqs")
    # Functions of this stack alone: a message in a queue must not choose what else is invoked.
    prefix = stack.intake_function.removesuffix("intake")
    todo = _length(sqs, queue)
    todo = todo if limit is None else min(todo, limit)
    left: dict[str, str] = {}
    try:
        while todo > 0:
            answer = sqs.receive_message(
                QueueUrl=queue,
                MaxNumberOfMessages=min(_BATCH, todo),
                WaitTimeSeconds=_WAIT_SECONDS,
            )
            messages = answer.get("Messages", [])
            if not messages:
                return
            for message in messages:
                todo -= 1
                if message["MessageId"] in left:
                    continue
                replayed = _replay(stack.client("lambda"), message, prefix)
                if replayed.left:
                    left[message["MessageId"]] = message["ReceiptHandle"]
                else:
                    sqs.delete_message(QueueUrl=queue, ReceiptHandle=message["ReceiptHandle"])
                yield replayed
    finally:
        # Until now they were hidden. After a while SQS shows them again by itself.
        for handle in left.values():
            with suppress(ClientError):
                sqs.change_message_visibility(
                    QueueUrl=queue, ReceiptHandle=handle, VisibilityTimeout=0
                )


def _length(sqs: Any, queue: str) -> int:
    attribute = "ApproximateNumberOfMessages"
    answer = sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=[attribute])
    return int(answer["Attributes"][attribute])


def _replay(functions: Any, message: dict[str, Any], prefix: str) -> Replayed:
    name = message["MessageId"]
    try:
        function, event = _record(message["Body"])
    except ValueError as error:
        return Replayed(name, None, str(error))
    if not function.startswith(prefix):
        return Replayed(name, function, f"{function} is no function of this stack.")
    try:
        functions.invoke(
            FunctionName=function, InvocationType="Event", Payload=json.dumps(event).encode()
        )
    except ClientError as error:
        return Replayed(name, function, f"{function} could not be invoked: {error}")
    return Replayed(name, function)


def _record(body: str) -> tuple[str, Any]:
    """The function's name and its event. Raises ValueError for what Lambda did not write."""
    try:
        record = json.loads(body)
    except ValueError:
        raise ValueError("The message is not JSON: Lambda did not write it.") from None
    match record:
        case {"requestContext": {"functionArn": str(arn)}, "requestPayload": event}:
            parts = arn.split(":")
            if len(parts) >= 7 and parts[2] == "lambda" and parts[6]:
                return parts[6], event
    raise ValueError("The message is no record of a failed invocation.")
