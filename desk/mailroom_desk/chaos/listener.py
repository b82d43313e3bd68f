"""Someone who listens on the bus from the start, and looks at the row of each announcement."""

import json
import threading
from collections import Counter
from dataclasses import dataclass, field

from mailroom_desk.cloud.state import Cloud
from mailroom_desk.rows import Rows
from mailroom_desk.stack import Stack

_NAME = "chaos-listener"
_WAIT_SECONDS = 1


@dataclass
class Listener:
    """`heard` counts announcements by document and attempt; `premature` came before the store."""

    cloud: Cloud
    stack: Stack
    heard: Counter[tuple[str, int]] = field(default_factory=Counter)
    premature: set[str] = field(default_factory=set)
    _ended: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None

    def start(self) -> None:
        """Make a rule and a queue, and listen."""
        events, sqs = self.cloud.client("events"), self.cloud.client("sqs")
        self._url = sqs.create_queue(QueueName=_NAME)["QueueUrl"]
        attributes = sqs.get_queue_attributes(QueueUrl=self._url, AttributeNames=["QueueArn"])
        pattern = json.dumps({"source": ["mailroom"], "detail-type": ["DocumentStored"]})
        events.put_rule(Name=_NAME, EventBusName=self.cloud.bus, EventPattern=pattern)
        target = {"Id": "queue", "Arn": attributes["Attributes"]["QueueArn"]}
        events.put_targets(Rule=_NAME, EventBusName=self.cloud.bus, Targets=[target])
        self._sqs = sqs
        self._thread = threading.Thread(target=self._listen, name="listener", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Hear what is left, and end."""
        self._ended.set()
        if self._thread:
            self._thread.join()

    def _listen(self) -> None:
        rows = Rows(self.stack)
        while True:
            last = self._ended.is_set()
            answer = self._sqs.receive_message(
                QueueUrl=self._url, MaxNumberOfMessages=10, WaitTimeSeconds=_WAIT_SECONDS
            )
            messages = answer.get("Messages", [])
            if last and not messages:
                return
            details = [json.loads(message["Body"])["detail"] for message in messages]
            found = rows.get_many({detail["document_id"] for detail in details})
            for detail in details:
                identity = detail["document_id"]
                self.heard[identity, int(detail["attempt"])] += 1
                if "stored_at" not in found.get(identity, {}):
                    self.premature.add(identity)
            for message in messages:
                self._sqs.delete_message(QueueUrl=self._url, ReceiptHandle=message["ReceiptHandle"])
