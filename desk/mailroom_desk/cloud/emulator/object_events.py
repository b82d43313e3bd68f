"""S3's events on EventBridge name the version of the object, as on AWS.

ministack 1.5.33 leaves `version-id` out of them, though its bucket notifications have it. Without
it, two versions of a file could not be told apart.
"""

import json
from contextvars import ContextVar
from typing import Any

from ministack.services import eventbridge, s3

_VERSION: ContextVar[str | None] = ContextVar("version", default=None)


def install() -> None:
    """Replace how S3's events are made, and how they are handed to EventBridge."""
    fire, dispatch = s3._fire_s3_event, eventbridge._dispatch_event

    def fire_s3_event(*arguments: Any, version_id: str | None = None, **more: Any) -> None:
        token = _VERSION.set(version_id)
        try:
            fire(*arguments, version_id=version_id, **more)
        finally:
            _VERSION.reset(token)

    def dispatch_event(event: dict[str, Any], view: Any = None) -> None:
        version = _VERSION.get()
        if version and event.get("Source") == "aws.s3":
            detail = json.loads(event["Detail"])
            detail["object"]["version-id"] = version
            event = event | {"Detail": json.dumps(detail)}
        dispatch(event, view)

    s3._fire_s3_event = fire_s3_event
    eventbridge._dispatch_event = dispatch_event
