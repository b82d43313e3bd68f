"""A desk for tests beside the road: the rows on moto, Textract and Step Functions as fakes."""

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import boto3
import pytest
from aws_fakes import make_bucket_and_table
from moto import mock_aws

from mailroom.aws.bucket import Bucket
from mailroom.aws.clients import client
from mailroom.aws.queue import Queue
from mailroom.aws.table import DocumentTable
from mailroom.document import SourceObject, document_id, job_tag
from mailroom.intake import Intake
from mailroom.settings import IntakeSettings

BUCKET = "mailroom-documents"
PDF = b"%PDF-1.7\n%%EOF"


@dataclass
class FakeOcr:
    """Starts a job a document, or raises what the queue holds."""

    errors: list[Exception] = field(default_factory=list)
    started: list[dict[str, Any]] = field(default_factory=list)

    def start(self, document_id: str, attempt: int, **request: Any) -> str:
        self.started.append({"tag": job_tag(document_id, attempt), **request})
        if self.errors:
            raise self.errors.pop(0)
        return f"job-of-{document_id}-{attempt}"


@dataclass
class FakeWorkflow:
    """Remembers the executions that were started, by name."""

    started: dict[str, dict[str, Any]] = field(default_factory=dict)

    def start(self, name: str, state: dict[str, Any]) -> None:
        assert self.started.setdefault(name, state) == state

    def execution_arn(self, name: str) -> str:
        return f"arn:aws:states:us-east-1:000000000000:execution:mailroom-document:{name}"


@dataclass
class HeardBus:
    """Remembers what was put, or raises what the queue holds."""

    heard: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    errors: list[Exception] = field(default_factory=list)

    def put(self, detail_type: str, detail: dict[str, Any]) -> None:
        if self.errors:
            raise self.errors.pop(0)
        self.heard.append((detail_type, detail))

    def types(self) -> list[str]:
        return [detail_type for detail_type, _ in self.heard]


class AtomicTable(DocumentTable):
    """DynamoDB checks a condition and writes in one step; moto, between threads, in two."""

    _one_at_a_time = threading.Lock()

    def _write(self, document_id: str, operation: Any, **arguments: Any) -> None:
        with self._one_at_a_time:
            super()._write(document_id, operation, **arguments)


@dataclass(frozen=True)
class Ports:
    """An intake and the start behind it, made of the same ports: a test changes one for both."""

    settings: IntakeSettings
    bucket: Bucket
    table: DocumentTable
    ocr: Any
    dead_letters: Queue
    bus: Any

    def take(self, source: SourceObject) -> dict[str, str]:
        return Intake.of(**vars(self)).take(source)


@dataclass
class Desk:
    """What a test works with: one intake on moto's services, and a fake Textract."""

    intake: Ports
    ocr: FakeOcr
    queue_url: str
    bus: HeardBus

    def put(self, key: str, body: bytes = PDF) -> str:
        answer = boto3.client("s3").put_object(Bucket=BUCKET, Key=key, Body=body)
        return str(answer["VersionId"])

    def delete(self, key: str, version_id: str) -> None:
        boto3.client("s3").delete_object(Bucket=BUCKET, Key=key, VersionId=version_id)

    def row(self, key: str, version_id: str) -> dict[str, Any]:
        return self.intake.table.get(document_id(BUCKET, key, version_id)) or {}

    def rows(self) -> int:
        return int(boto3.client("dynamodb").scan(TableName="documents")["Count"])

    def dead_letters(self) -> list[dict[str, Any]]:
        answer = boto3.client("sqs").receive_message(QueueUrl=self.queue_url)
        return [json.loads(message["Body"]) for message in answer.get("Messages", [])]


def event(*objects: tuple[str, str | None]) -> dict[str, Any]:
    return {
        "Records": [
            {
                "eventSource": "aws:s3",
                "eventName": "ObjectCreated:Put",
                "s3": {"bucket": {"name": BUCKET}, "object": {"key": key, "versionId": version}},
            }
            for key, version in objects
        ]
    }


@pytest.fixture
def desk() -> Iterator[Desk]:
    with mock_aws():
        client.cache_clear()
        make_bucket_and_table(BUCKET, "documents", "document_id", open="open_shard")
        queue_url = boto3.client("sqs").create_queue(QueueName="dead")["QueueUrl"]
        settings = IntakeSettings(
            BUCKET,
            "documents",
            "topic",
            "role",
            "FORMS,TABLES",
            queue_url,
            max_in_flight="0",
            duplicate_policy="process",
            bus="mailroom",
        )
        ocr, bus, queue = FakeOcr(), HeardBus(), Queue(queue_url)
        intake = Ports(settings, Bucket(BUCKET), AtomicTable("documents"), ocr, queue, bus)
        yield Desk(intake, ocr, queue_url, bus)
        client.cache_clear()
