"""The bus: domain events go out."""

import json
from typing import Any

from mailroom.aws.clients import client, faults
from mailroom.errors import MailroomError, ServiceMisconfigured, StorageUnavailable

# Errors of PutEvents in EventBridge's API reference.
_ERRORS: dict[str, type[MailroomError]] = {
    "InternalException": StorageUnavailable,
    "ThrottlingException": StorageUnavailable,
    "AccessDeniedException": ServiceMisconfigured,
    "ResourceNotFoundException": ServiceMisconfigured,
}
SOURCE = "mailroom"


class Bus:
    """One event bus. Raises StorageUnavailable, ServiceMisconfigured."""

    def __init__(self, name: str, api: Any = None) -> None:
        self._name = name
        self._events = api or client("events")

    def put(self, detail_type: str, detail: dict[str, Any]) -> None:
        """Put one event. An entry that the bus refuses is an error, though the call succeeds."""
        entry = {
            "EventBusName": self._name,
            "Source": SOURCE,
            "DetailType": detail_type,
            "Detail": json.dumps(detail),
        }
        with faults("EventBridge", _ERRORS, StorageUnavailable):
            answer = self._events.put_events(Entries=[entry])
        if answer.get("FailedEntryCount"):
            raise StorageUnavailable("EventBridge did not take the event.")
