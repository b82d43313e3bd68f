"""Events of every shape name the same object; each key is decoded exactly once."""

import json
from pathlib import Path
from typing import Any
from urllib.parse import quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mailroom.document import SourceObject
from mailroom.errors import UnknownEvent
from mailroom.incoming import source_objects

BUCKET = "mailroom-documents-000000000000-us-east-1"
EVENTS = Path(__file__).parents[2] / "events"

# S3 keys are UTF-8 of up to 1,024 bytes; a folder marker is none of our business here.
keys = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=80).filter(
    lambda key: not key.endswith("/")
)


def notification(key: str, name: str = "ObjectCreated:Put", **more: Any) -> dict[str, Any]:
    record = {
        "eventSource": "aws:s3",
        "eventName": name,
        "s3": {"bucket": {"name": BUCKET}, "object": {"key": quote_plus(key), **more}},
    }
    return {"Records": [record]}


def eventbridge(key: str, kind: str = "Object Created", **more: Any) -> dict[str, Any]:
    return {
        "source": "aws.s3",
        "detail-type": kind,
        "detail": {"bucket": {"name": BUCKET}, "object": {"key": key, **more}},
    }


def in_sqs(*bodies: Any) -> dict[str, Any]:
    return {
        "Records": [
            {"eventSource": "aws:sqs", "messageId": str(n), "body": json.dumps(body)}
            for n, body in enumerate(bodies)
        ]
    }


def in_sns(body: Any) -> dict[str, Any]:
    return {"Records": [{"EventSource": "aws:sns", "Sns": {"Message": json.dumps(body)}}]}


def sns_body(body: Any) -> dict[str, Any]:
    return {"Type": "Notification", "Message": json.dumps(body), "UnsubscribeURL": "…"}


@given(keys)
def test_source_objects_any_shape_gives_the_same_object(key: str) -> None:
    for event in (notification(key, versionId="v1"), eventbridge(key, **{"version-id": "v1"})):
        for shape in (
            event,
            in_sqs(event),
            in_sns(event),
            in_sqs(sns_body(event)),
            sns_body(event),
        ):
            assert list(source_objects(shape)) == [SourceObject(BUCKET, key, "v1")]


def test_source_objects_sample_event_decodes_space_plus_percent_and_accent() -> None:
    event = json.loads((EVENTS / "01-s3-object-created.json").read_text("utf-8"))

    assert list(source_objects(event)) == [SourceObject(BUCKET, "incoming/Café 50% off+tip.pdf")]


def test_source_objects_encoded_looking_key_of_eventbridge_stays_as_it_is() -> None:
    (source,) = source_objects(eventbridge("incoming/5%3A00+x.pdf"))

    assert isinstance(source, SourceObject)
    assert source.key == "incoming/5%3A00+x.pdf"


def test_source_objects_two_byte_forms_of_a_name_stay_two_names() -> None:
    composed, decomposed = "incoming/é.pdf", "incoming/e\u0301.pdf"
    found = [*source_objects(notification(composed)), *source_objects(notification(decomposed))]

    assert [each.key for each in found if isinstance(each, SourceObject)] == [composed, decomposed]


@pytest.mark.parametrize("how", ["Put", "Post", "Copy", "CompleteMultipartUpload"])
def test_source_objects_every_way_of_creation_counts(how: str) -> None:
    assert len(list(source_objects(notification("incoming/a.pdf", f"ObjectCreated:{how}")))) == 1


@pytest.mark.parametrize(
    "event",
    [
        {"Service": "Amazon S3", "Event": "s3:TestEvent", "Bucket": BUCKET},
        in_sqs({"Service": "Amazon S3", "Event": "s3:TestEvent", "Bucket": BUCKET}),
        in_sqs(sns_body({"Service": "Amazon S3", "Event": "s3:TestEvent", "Bucket": BUCKET})),
        notification("incoming/new folder/", size=0),
        eventbridge("incoming/new folder/"),
        notification("incoming/a.pdf", "ObjectRemoved:DeleteMarkerCreated"),
        notification("incoming/a.pdf", "ObjectRemoved:Delete"),
        eventbridge("incoming/a.pdf", "Object Deleted"),
        {"Records": []},
    ],
)
def test_source_objects_what_is_no_document_is_dropped(event: dict[str, Any]) -> None:
    assert list(source_objects(event)) == []


@pytest.mark.parametrize(
    "event",
    [
        None,
        [],
        "text",
        {},
        {"Records": [{"eventSource": "aws:kinesis"}]},
        {"Records": [None]},
        {"Records": [{"eventSource": "aws:s3", "eventName": "ObjectCreated:Put", "s3": {}}]},
        {"Records": [{"eventSource": "aws:sqs", "body": "not JSON"}]},
        {"bucket": "b"},
        in_sqs(in_sqs(in_sqs(in_sqs(in_sqs(notification("a")))))),
    ],
)
def test_source_objects_unknown_shape_is_named(event: Any) -> None:
    (found,) = source_objects(event)

    assert isinstance(found, UnknownEvent)


def test_source_objects_bad_record_does_not_hold_up_the_others() -> None:
    good, other = notification("incoming/a.pdf"), notification("incoming/b.pdf")
    event = {"Records": [*good["Records"], {"eventSource": "aws:nothing"}, *other["Records"]]}

    kinds = [type(each) for each in source_objects(event)]

    assert kinds == [SourceObject, UnknownEvent, SourceObject]


def test_source_objects_started_by_hand_takes_the_key_as_it_is() -> None:
    event = {"bucket": BUCKET, "key": "incoming/a+b %20.pdf", "reprocess": True}

    assert list(source_objects(event)) == [
        SourceObject(BUCKET, "incoming/a+b %20.pdf", reprocess=True)
    ]
