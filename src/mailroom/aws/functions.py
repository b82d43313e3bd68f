"""Other functions of the stack: hand them an event and go on."""

import json
from typing import Any

from mailroom.aws.clients import client, faults
from mailroom.errors import MailroomError, ServiceMisconfigured, StorageUnavailable

# Errors of Invoke in Lambda's API reference.
_ERRORS: dict[str, type[MailroomError]] = {
    "TooManyRequestsException": StorageUnavailable,
    "ServiceException": StorageUnavailable,
    "ResourceConflictException": StorageUnavailable,
    "ResourceNotReadyException": StorageUnavailable,
    "ResourceNotFoundException": ServiceMisconfigured,
    "AccessDeniedException": ServiceMisconfigured,
}


class Function:
    """One function, invoked asynchronously: Lambda queues the event and retries it.

    Raises StorageUnavailable, ServiceMisconfigured.
    """

    def __init__(self, name: str, api: Any = None) -> None:
        self._name = name
        self._lambda = api or client("lambda")

    def __call__(self, event: dict[str, Any]) -> None:
        with faults("Lambda", _ERRORS, StorageUnavailable):
            self._lambda.invoke(
                FunctionName=self._name, InvocationType="Event", Payload=json.dumps(event).encode()
            )
