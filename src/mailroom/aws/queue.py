"""The queue of dead letters: for alarms and integrations; people read the rows."""

import json
from typing import Any

from mailroom.aws.clients import client, faults
from mailroom.errors import MailroomError, ServiceMisconfigured, StorageUnavailable

# Errors of SendMessage in SQS's API reference.
_ERRORS: dict[str, type[MailroomError]] = {
    "RequestThrottled": StorageUnavailable,
    "AccessDenied": ServiceMisconfigured,
    "AWS.SimpleQueueService.NonExistentQueue": ServiceMisconfigured,
    "QueueDoesNotExist": ServiceMisconfigured,  # the same, from other SDKs
}


class Queue:
    """One queue. Raises StorageUnavailable, ServiceMisconfigured."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._sqs = client("sqs")

    def send(self, message: dict[str, Any]) -> None:
        """Send one JSON message."""
        with faults("SQS", _ERRORS, StorageUnavailable):
            self._sqs.send_message(QueueUrl=self._url, MessageBody=json.dumps(message))
