"""What is announced in the deployed stack, by whom it can be heard, and by whom not."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import contract
import pytest

from mailroom.announce import detail
from mailroom.document import AT_REST, document_id
from mailroom_desk.chaos.pdf import one_page
from mailroom_desk.cloud.state import Cloud
from mailroom_desk.events.ear import Ear
from mailroom_desk.events.explain import explain
from mailroom_desk.rows import Rows
from mailroom_desk.stack import local_stack

SAMPLES = Path(__file__).parents[2] / "samples"
SECONDS = 240  # a bound for a test that would otherwise hang, not a measurement
OURS = {"source": ["mailroom"]}


@pytest.fixture
def ear(cloud: Cloud) -> Iterator[Ear]:
    with Ear(cloud.client, cloud.bus, OURS) as ear:
        yield ear


def uploaded(cloud: Cloud, key: str, body: bytes) -> str:
    answer = cloud.client("s3").put_object(Bucket=cloud.bucket, Key=key, Body=body)
    return document_id(cloud.bucket, key, answer["VersionId"])


def test_every_end_is_announced_once_as_its_row_says(cloud: Cloud, ear: Ear) -> None:
    expected = {
        uploaded(cloud, "incoming/told stored.pdf", (SAMPLES / "INV-20931.pdf").read_bytes()):
            "STORED",
        uploaded(cloud, "incoming/told blank.pdf", one_page([])): "IN_REVIEW",
        uploaded(cloud, "incoming/told locked.pdf", (SAMPLES / "locked.pdf").read_bytes()):
            "DEAD_LETTERED",
        uploaded(cloud, "incoming/told empty.pdf", b""): "REJECTED",
    }  # fmt: skip

    heard: dict[str, list[dict[str, Any]]] = {}
    rows: dict[str, dict[str, Any]] = {}
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        for event in ear.hear(1):
            contract.keeps(event)
            heard.setdefault(event["detail"]["document_id"], []).append(event["detail"])
        rows = Rows(local_stack(cloud.folder)).get_many(expected)
        told = heard.keys() >= expected.keys()
        if told and all("announced_at" in row for row in rows.values()):
            break

    for identity, status in expected.items():
        row = rows[identity]
        assert row["status"] == status
        assert heard[identity] == [detail(row)]
        assert row["timeline"][-1] == {"status": "ANNOUNCED", "at": row["announced_at"]}
        assert ("open_shard" not in row) == (status in AT_REST)


def test_archive_keeps_what_was_announced(cloud: Cloud, ear: Ear) -> None:
    uploaded(cloud, "incoming/kept empty.pdf", b"")
    while not ear.hear(5):
        pass

    archive = cloud.client("events").describe_archive(ArchiveName="mailroom-announcements")

    assert json.loads(archive["EventPattern"]) == OURS
    assert archive["EventSourceArn"].endswith(f":event-bus/{cloud.bus}")
    assert archive["RetentionDays"] == 90
    assert archive["EventCount"] >= 1


def test_event_that_nothing_matches_reaches_nobody_and_explain_says_so(
    cloud: Cloud, ear: Ear
) -> None:
    events = cloud.client("events")
    sample = json.loads(
        (Path(__file__).parents[2] / "events/11-duplicate-detected.json").read_text()
    )

    def put(source: str) -> dict[str, Any]:
        entry = {
            "EventBusName": cloud.bus,
            "Source": source,
            "DetailType": sample["detail-type"],
            "Detail": json.dumps(sample["detail"]),
        }
        assert events.put_events(Entries=[entry])["FailedEntryCount"] == 0
        return {**sample, "source": source}

    stranger, ours = put("stranger"), put("mailroom")

    (mine,) = (each for each in explain(events, cloud.bus, ours) if "-tail-" in each.rule)
    assert mine.takes_it and len(mine.targets) == 1
    assert not any(each.takes_it for each in explain(events, cloud.bus, stranger))
    heard: list[dict[str, Any]] = []
    deadline = time.monotonic() + SECONDS
    while not heard and time.monotonic() < deadline:
        heard += [e for e in ear.hear(2) if e["detail"] == sample["detail"]]
    assert [event["source"] for event in heard] == ["mailroom"]
