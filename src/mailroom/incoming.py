"""From an event of any shape to the objects it names, each key decoded exactly once.

Comes in: a bucket notification, an EventBridge event, either of them wrapped in SQS or SNS or both,
or `{"bucket", "key"}` from a run that was started by hand.
Goes out: one `SourceObject` for each object created, in order; what is no document is dropped with
a log line; any other shape is an `UnknownEvent` in its place, so that one bad record does not hold
up the others.

Bucket notifications write keys form-encoded (a space is `+`, a plus `%2B`); EventBridge and people
write them as they are. Nothing is guessed: trying one reading and then the other would open a
neighbour's file. Source: Amazon S3 User Guide, "Event message structure" and "EventBridge events".
"""

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote_plus

from mailroom.document import SourceObject
from mailroom.errors import UnknownEvent
from mailroom.observability import logger

_DEPTH = 4  # EventBridge inside SNS inside SQS, and one to spare


def source_objects(event: Any) -> Iterator[SourceObject | UnknownEvent]:
    """The objects that an event says were created."""
    try:
        yield from _unwrap(event, _DEPTH)
    except UnknownEvent as error:
        yield error


def _unwrap(event: Any, depth: int) -> Iterator[SourceObject | UnknownEvent]:
    match event:
        case {"Event": "s3:TestEvent"}:
            logger().info("Dropped S3's test event")
        case {"Records": list(records)}:
            for record in records:
                try:
                    yield from _record(record, depth)
                except UnknownEvent as error:
                    yield error
        case {"source": "aws.s3", "detail-type": str(kind), "detail": dict(detail)}:
            yield from _from_eventbridge(kind, detail)
        case {"Type": "Notification", "Message": str(message)}:
            yield from _wrapped(message, depth)
        case {"bucket": str(bucket), "key": str(key)}:
            yield SourceObject(
                bucket, key, event.get("version_id") or None, event.get("reprocess") is True
            )
        case _:
            raise UnknownEvent("The event is neither an S3 event nor a request to process a key.")


def _record(record: Any, depth: int) -> Iterator[SourceObject | UnknownEvent]:
    match record:
        case {"eventSource": "aws:s3", "eventName": str(name), "s3": dict(s3)}:
            yield from _from_notification(name, s3)
        case {"eventSource": "aws:sqs", "body": str(body)}:
            yield from _wrapped(body, depth)
        case {"EventSource": "aws:sns", "Sns": {"Message": str(message)}}:
            yield from _wrapped(message, depth)
        case _:
            raise UnknownEvent("A record of the event comes from neither S3 nor SQS nor SNS.")


def _wrapped(text: str, depth: int) -> Iterator[SourceObject | UnknownEvent]:
    try:
        inner = json.loads(text)
    except json.JSONDecodeError:
        raise UnknownEvent("The body of the message is not JSON.") from None
    if depth == 0:
        raise UnknownEvent("The event is wrapped too deep.")
    yield from _unwrap(inner, depth - 1)


def _from_notification(name: str, s3: dict[str, Any]) -> Iterator[SourceObject]:
    match s3:
        case {"bucket": {"name": str(bucket)}, "object": {"key": str(encoded), **rest}}:
            try:
                key = unquote_plus(encoded, errors="strict")
            except UnicodeDecodeError:
                raise UnknownEvent("The key of the object is not UTF-8.") from None
            version_id = str(rest.get("versionId") or "") or None
            created = name.removeprefix("s3:").startswith("ObjectCreated:")
            yield from _created(created, SourceObject(bucket, key, version_id))
        case _:
            raise UnknownEvent("An S3 record names no object.")


def _from_eventbridge(kind: str, detail: dict[str, Any]) -> Iterator[SourceObject]:
    match detail:
        case {"bucket": {"name": str(bucket)}, "object": {"key": str(key), **rest}}:
            source = SourceObject(bucket, key, str(rest.get("version-id") or "") or None)
            yield from _created(kind == "Object Created", source)
        case _:
            raise UnknownEvent("An EventBridge event of S3 names no object.")


def _created(created: bool, source: SourceObject) -> Iterator[SourceObject]:
    if not created:
        logger().info("Dropped an event that creates nothing")
    elif source.key.endswith("/"):
        logger().info("Dropped a folder marker")
    else:
        yield source
