"""Listen on a bus: a rule and a queue for as long as somebody listens, and nothing after it."""

import json
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any, Self
from uuid import uuid4

_MOST = 10  # messages of one ReceiveMessage, says SQS's API reference
_KEPT_SECONDS = "3600"  # where the listener was killed and could not clean up


class Ear:
    """A context manager. `hear` gives events as they arrive, each at least once."""

    def __init__(
        self, client: Callable[[str], Any], bus: str, pattern: dict[str, Any], name: str = ""
    ) -> None:
        """`client` makes a boto3 client; `pattern` says which events are meant."""
        self._events, self._sqs = client("events"), client("sqs")
        self._bus, self._pattern = bus, pattern
        self._name = name or f"{bus}-tail-{uuid4().hex[:8]}"

    def __enter__(self) -> Self:
        self.open()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def open(self) -> None:
        """Make the queue, let the rule into it, make the rule."""
        self._url = self._sqs.create_queue(
            QueueName=self._name, Attributes={"MessageRetentionPeriod": _KEPT_SECONDS}
        )["QueueUrl"]
        queue = self._sqs.get_queue_attributes(QueueUrl=self._url, AttributeNames=["QueueArn"])
        arn = queue["Attributes"]["QueueArn"]
        rule = self._events.put_rule(
            Name=self._name, EventBusName=self._bus, EventPattern=json.dumps(self._pattern)
        )["RuleArn"]
        self._sqs.set_queue_attributes(
            QueueUrl=self._url, Attributes={"Policy": json.dumps(_policy(arn, rule))}
        )
        self._events.put_targets(
            Rule=self._name, EventBusName=self._bus, Targets=[{"Id": "queue", "Arn": arn}]
        )

    def close(self) -> None:
        """Take everything away again."""
        self._events.remove_targets(Rule=self._name, EventBusName=self._bus, Ids=["queue"])
        self._events.delete_rule(Name=self._name, EventBusName=self._bus)
        self._sqs.delete_queue(QueueUrl=self._url)

    def hear(self, wait_seconds: int) -> Sequence[dict[str, Any]]:
        """The events that arrive within some seconds, ten at most."""
        answer = self._sqs.receive_message(
            QueueUrl=self._url, MaxNumberOfMessages=_MOST, WaitTimeSeconds=wait_seconds
        )
        messages = answer.get("Messages", [])
        for message in messages:
            self._sqs.delete_message(QueueUrl=self._url, ReceiptHandle=message["ReceiptHandle"])
        return [json.loads(message["Body"]) for message in messages]


def _policy(queue: str, rule: str) -> dict[str, Any]:
    return {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Effect": "Allow",
                "Principal": {"Service": "events.amazonaws.com"},
                "Action": "sqs:SendMessage",
                "Resource": queue,
                "Condition": {"ArnEquals": {"aws:SourceArn": rule}},
            }
        ],
    }
