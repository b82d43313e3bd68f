"""The deployed template with real files: what a document meets on the main road."""

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote_plus

import pytest

from mailroom.document import document_id
from mailroom_desk.cloud.ledger import Ledger
from mailroom_desk.cloud.state import Cloud
from mailroom_desk.follow import Followed, follow
from mailroom_desk.rows import Rows
from mailroom_desk.stack import Stack, local_stack

SAMPLES = Path(__file__).parents[2] / "samples"
EVENTS = Path(__file__).parents[2] / "events"
INVOICE = (SAMPLES / "INV-20931.pdf").read_bytes()
SECONDS = 240  # a bound for a test that would otherwise hang, not a measurement


@dataclass
class Desk:
    """What a test does at its desk: upload as any program does, and look at the rows."""

    cloud: Cloud
    stack: Stack

    def upload(self, key: str, body: bytes) -> tuple[str, str]:
        """Put an object with boto3, without the command line; returns document and version id."""
        s3 = self.cloud.client("s3")
        version = s3.put_object(Bucket=self.stack.bucket, Key=key, Body=body)["VersionId"]
        return document_id(self.stack.bucket, key, version), version

    def ends(self, *identities: str) -> list[dict[str, Any]]:
        """Wait for the end of each document, which is its announcement."""
        documents = [Followed(identity, "", 0.0) for identity in identities]
        for _ in follow(documents, Rows(self.stack), SECONDS):
            pass
        assert all(document.ended is not None for document in documents)
        deadline = time.monotonic() + SECONDS
        while time.monotonic() < deadline:
            rows = list(Rows(self.stack).get_many(identities).values())
            if all("announced_at" in row for row in rows):
                break
            time.sleep(0.05)
        return [row for identity in identities for row in rows if row["document_id"] == identity]

    def calls(self, identity: str) -> list[tuple[str, str]]:
        """The paid calls for one document."""
        entries = Ledger(self.cloud.folder / "ledger.db").entries()
        return [(e.operation, e.outcome) for e in entries if e.document_id == identity]

    def invoke(self, function: str, event: Any) -> tuple[dict[str, Any], str | None]:
        answer = self.cloud.client("lambda").invoke(
            FunctionName=f"mailroom-{function}", Payload=json.dumps(event).encode()
        )
        return json.loads(answer["Payload"].read()), answer.get("FunctionError")

    def logged(self) -> str:
        """All that the functions have logged."""
        logs = self.cloud.client("logs")
        groups = logs.describe_log_groups(logGroupNamePrefix="/mailroom/")["logGroups"]
        events = [
            event["message"]
            for group in groups
            for page in logs.get_paginator("filter_log_events").paginate(
                logGroupName=group["logGroupName"]
            )
            for event in page["events"]
        ]
        return "\n".join(events)


@pytest.fixture(scope="session")
def desk(cloud: Cloud) -> Desk:
    return Desk(cloud, local_stack(cloud.folder))


@pytest.fixture
def announcements(cloud: Cloud) -> Iterator[Callable[[], list[dict[str, Any]]]]:
    """What anyone hears who listens on the bus."""
    events, sqs = cloud.client("events"), cloud.client("sqs")
    url = sqs.create_queue(QueueName="listener")["QueueUrl"]
    arn = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])["Attributes"]
    bus = cloud.outputs["EventBus"]
    events.put_rule(Name="listener", EventBusName=bus, EventPattern='{"source": ["mailroom"]}')
    target = {"Id": "queue", "Arn": arn["QueueArn"]}
    events.put_targets(Rule="listener", EventBusName=bus, Targets=[target])

    def heard() -> list[dict[str, Any]]:
        answer = sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10, WaitTimeSeconds=2)
        return [json.loads(message["Body"]) for message in answer.get("Messages", [])]

    yield heard
    events.remove_targets(Rule="listener", EventBusName=bus, Ids=["queue"])
    events.delete_rule(Name="listener", EventBusName=bus)
    sqs.delete_queue(QueueUrl=url)


def test_upload_with_any_program_ends_stored_and_announced_once(
    desk: Desk, announcements: Callable[[], list[dict[str, Any]]]
) -> None:
    key = "incoming/Café 50% off+tip.pdf"
    identity, version = desk.upload(key, INVOICE)

    (row,) = desk.ends(identity)

    assert (row["status"], row["document_class"]) == ("STORED", "invoice")
    assert (row["key"], row["version_id"]) == (key, version)
    assert row["fields"]["invoice_number"] == "BW-20931"
    assert row["fields"]["total"] == "6655.21"
    assert row["answered_by"] == "offline stand-in"
    assert "open_shard" not in row
    (event,) = announcements()
    assert event["detail-type"] == "DocumentStored"
    assert event["detail"]["document_id"] == identity
    assert event["detail"]["fields"] == row["fields"]


def test_second_delivery_of_event_and_notice_changes_nothing(desk: Desk) -> None:
    key = "incoming/twice delivered.pdf"
    identity, version = desk.upload(key, INVOICE)
    (row,) = desk.ends(identity)
    calls = desk.calls(identity)
    event = json.loads((EVENTS / "01-s3-object-created.json").read_text("utf-8"))
    event["Records"][0]["s3"]["bucket"]["name"] = desk.stack.bucket
    event["Records"][0]["s3"]["object"] |= {"key": quote_plus(key), "versionId": version}
    notice = json.loads((EVENTS / "02-textract-succeeded.json").read_text("utf-8"))
    message = json.loads(notice["Records"][0]["Sns"]["Message"])
    message |= {"JobId": row["job_id"], "JobTag": f"{identity}.1"}
    notice["Records"][0]["Sns"]["Message"] = json.dumps(message)

    for _ in range(2):
        assert desk.invoke("intake", event)[1] is None
        assert desk.invoke("ocr-done", notice)[1] is None

    assert [operation for operation, _ in calls].count("StartDocumentAnalysis") == 1
    assert [operation for operation, _ in calls].count("Converse") == 1
    assert desk.calls(identity) == calls
    assert desk.ends(identity) == [row]
    states = desk.cloud.client("stepfunctions")
    runs = states.list_executions(stateMachineArn=desk.stack.state_machine_arn)["executions"]
    assert [run["name"] for run in runs if identity in run["name"]] == [f"{identity}-1"]


def test_bad_files_end_with_a_true_reason_and_unpaid(desk: Desk) -> None:
    empty, _ = desk.upload("incoming/empty.pdf", b"")
    office, _ = desk.upload("incoming/report.pdf", b"PK\x03\x04 an Office file")
    locked, _ = desk.upload("incoming/locked.pdf", (SAMPLES / "locked.pdf").read_bytes())
    torn, _ = desk.upload("incoming/torn.pdf", (SAMPLES / "truncated.pdf").read_bytes())

    rows = desk.ends(empty, office, locked, torn)

    statuses = [row["status"] for row in rows]
    assert statuses == ["REJECTED", "REJECTED", "DEAD_LETTERED", "DEAD_LETTERED"]
    assert rows[0]["reasons"] == ["The file is empty."]
    assert "Office" in rows[1]["reasons"][0]
    assert "password" in rows[2]["error"]["cause"]
    assert rows[3]["error"]["error"] == "OcrFailed"
    assert desk.calls(empty) == desk.calls(office) == []
    assert "Converse" not in [operation for operation, _ in desk.calls(locked)]
    states = desk.cloud.client("stepfunctions")
    run = states.describe_execution(executionArn=rows[2]["execution_arn"])
    assert (run["status"], run["error"]) == ("FAILED", "OcrFailed")
    sqs = desk.cloud.client("sqs")
    answer = sqs.receive_message(
        QueueUrl=desk.cloud.outputs["DeadLetterQueueUrl"], MaxNumberOfMessages=10, WaitTimeSeconds=2
    )
    letters = [json.loads(message["Body"]) for message in answer["Messages"]]
    assert {locked, torn} <= {letter["document_id"] for letter in letters}
    for letter in letters:
        assert {"stage", "error", "cause", "execution"} <= letter.keys()


def test_run_started_by_hand_is_handed_to_intake(desk: Desk) -> None:
    key = "incoming/by hand.pdf"
    identity, _ = desk.upload(key, INVOICE)
    desk.ends(identity)
    states = desk.cloud.client("stepfunctions")

    started = states.start_execution(
        stateMachineArn=desk.stack.state_machine_arn,
        input=json.dumps({"bucket": desk.stack.bucket, "key": key, "reprocess": True}),
    )
    for _ in follow([Followed(identity, key, 0.0)], Rows(desk.stack), SECONDS):
        pass
    run = states.describe_execution(executionArn=started["executionArn"])
    while run["status"] == "RUNNING":
        run = states.describe_execution(executionArn=started["executionArn"])
    (row,) = desk.ends(identity)

    assert run["status"] == "SUCCEEDED"
    assert (row["attempt"], row["status"]) == (2, "STORED")
    assert [operation for operation, _ in desk.calls(identity)].count("Converse") == 1


def test_every_function_takes_its_sample_event(desk: Desk) -> None:
    key = "incoming/Café 50% off+tip.pdf"
    identity, _ = desk.upload(key, INVOICE)
    (row,) = desk.ends(identity)
    real = {"job_id": row["job_id"], "document_id": identity, "version_id": row["version_id"]}
    text_key = f"text/{identity}/1.jsonl"

    for function, name in (
        ("intake", "01-s3-object-created"),
        ("ocr-done", "02-textract-succeeded"),
        ("ocr-done", "03-textract-failed"),
        ("extract", "04-extract-input"),
        ("classify", "05-classify-input"),
        ("store", "06-store-input"),
    ):
        text = (EVENTS / f"{name}.json").read_text("utf-8")
        sample = json.loads((EVENTS / "04-extract-input.json").read_text("utf-8"))
        text = text.replace(sample["document_id"], identity)
        text = text.replace(sample["job_id"], row["job_id"])
        event = json.loads(text)
        if "document_id" in event:
            event |= real
        if "extracted" in event:
            event["extracted"]["text_key"] = text_key
        answer, failed = desk.invoke(function, event)
        assert failed is None, (function, answer)
    assert answer == {"status": "skipped_duplicate"}
    assert desk.ends(identity) == [row]


def test_logs_name_the_document_and_hold_none_of_its_words(desk: Desk) -> None:
    identity, _ = desk.upload("incoming/logged.pdf", INVOICE)
    desk.ends(identity)

    logged = desk.logged()

    assert logged.count(identity) >= 5
    for word in ("Brightwater", "Calder", "BW-20931", "6655.21"):
        assert word not in logged
