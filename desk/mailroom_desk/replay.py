"""Replay undelivered events: hand each to its target again, then delete the message.

Comes in: the queue in which Lambda keeps the events that no try of a function could deal with, and
EventBridge those that it could not deliver to a function or a state machine.
Goes out: a `Replayed` for each message. None is lost: a message is deleted once the target has
taken the event, and an event that comes twice changes nothing. At most as many are replayed as lay
there at the start, so that events which fail again do not turn in a circle.

Sources of the shapes: AWS Lambda Developer Guide, "Capturing records of Lambda asynchronous
invocations"; Amazon EventBridge User Guide, "Using dead-letter queues to process undelivered
events".
"""

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import ClientError

from mailroom_desk.stack import Stack

_BATCH = 10  # messages of one ReceiveMessage, says SQS's API reference
_TARGET = "TARGET_ARN"  # an attribute of what EventBridge could not deliver
_WAIT_SECONDS = 2  # a long poll asks all of SQS's servers


@dataclass(frozen=True)
class Replayed:
    """One message: who has its event again, or why it was left in the queue.

    `function` is the function's name, or the state machine's.
    """

    message_id: str
    function: str | None
    left: str | None = None


def replay(stack: Stack, limit: int | None = None) -> Iterator[Replayed]:
    """Replay what lies in the queue now, `limit` messages at most."""
    queue = stack.undelivered_queue_url
    sqs = stack.client("sqs")
    todo = _length(sqs, queue)
    todo = todo if limit is None else min(todo, limit)
    left: dict[str, str] = {}
    try:
        while todo > 0:
            answer = sqs.receive_message(
                QueueUrl=queue,
                MaxNumberOfMessages=min(_BATCH, todo),
                MessageAttributeNames=[_TARGET],
                WaitTimeSeconds=_WAIT_SECONDS,
            )
            messages = answer.get("Messages", [])
            if not messages:
                return
            for message in messages:
                todo -= 1
                if message["MessageId"] in left:
                    continue
                replayed = _replay(stack, message)
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


def _replay(stack: Stack, message: dict[str, Any]) -> Replayed:
    name = message["MessageId"]
    try:
        arn, event = _record(message)
    except ValueError as error:
        return Replayed(name, None, str(error))
    target, give = _target(stack, arn)
    if give is None:
        return Replayed(name, target, f"{target} is no target of this stack.")
    try:
        give(json.dumps(event))
    except ClientError as error:
        return Replayed(name, target, f"{target} did not take it: {error}")
    return Replayed(name, target)


def _target(stack: Stack, arn: str) -> tuple[str, Callable[[str], Any] | None]:
    """The name of the target, and how it gets an event.

    Those of this stack alone: a message in a queue must not choose what else is invoked.
    """
    service, name = arn.split(":")[2], arn.split(":")[6]
    if service == "lambda" and name.startswith(stack.intake_function.removesuffix("intake")):
        client = stack.client("lambda")
        return name, lambda event: client.invoke(
            FunctionName=name, InvocationType="Event", Payload=event.encode()
        )
    if service == "states" and arn.startswith(stack.state_machine_arn.removesuffix("document")):
        states = stack.client("stepfunctions")
        return name, lambda event: states.start_execution(stateMachineArn=arn, input=event)
    return name, None


def _record(message: dict[str, Any]) -> tuple[str, Any]:
    """The target's ARN and its event. Raises ValueError for what neither service wrote."""
    try:
        body = json.loads(message["Body"])
    except ValueError:
        raise ValueError("The message is not JSON: no service of the stack wrote it.") from None
    arn = message.get("MessageAttributes", {}).get(_TARGET, {}).get("StringValue")
    event = body
    match body:
        case {"requestContext": {"functionArn": str(arn)}, "requestPayload": event}:
            pass
    parts = (arn or "").split(":")
    if len(parts) < 7 or not parts[6]:
        raise ValueError("The message is no record of a failed invocation or delivery.")
    return arn, event
