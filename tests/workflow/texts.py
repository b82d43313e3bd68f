"""The text road in one process: the real state machine on moto, the real S3 event as its input.

A fake Claude answers behind `bedrock:invokeModel`.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import boto3
import pytest
from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from integrations import add_get_object, add_invoke_model
from machines_on_moto import (
    Execution,
    create_bucket,
    create_machine,
    create_table,
    hooks,
    open_moto,
    rows_of,
    run_execution,
)
from services import response
from stack import ROOT, known_names, resolve, resources

from mailroom.aws.clients import client

KEY = "raw/notes.txt"
TABLE = "mailroom-summaries"
MACHINE = resources("AWS::Serverless::StateMachine")["SummaryStateMachine"]
USAGE = {"input_tokens": 120, "output_tokens": 30}


def says(text: str, *, stop_reason: str = "end_turn") -> dict[str, Any]:
    """Claude's answer in the shape of its Messages API."""
    content = [{"type": "text", "text": text}] if text else []
    return {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-haiku-4-5",
        "content": content, "stop_reason": stop_reason, "stop_sequence": None, "usage": USAGE,
    }  # fmt: skip


@dataclass
class TextRoad:
    """Drops texts, delivers their events, and looks at what came of them."""

    s3: Any
    dynamodb: Any
    bucket: str
    machine: str
    waits: list[float]
    claude: list[AWSResponse | dict[str, Any]] = field(default_factory=list)
    requests: list[dict[str, Any]] = field(default_factory=list)
    # By "<service>.<operation>": what the next calls are refused with.
    refusals: dict[str, list[AWSResponse]] = field(default_factory=dict)
    runs: int = 0

    def drop(self, body: str | bytes, key: str = KEY, **more: Any) -> dict[str, Any]:
        """Put an object; returns the event that EventBridge gets of it."""
        data = body.encode() if isinstance(body, str) else body
        put = self.s3.put_object(Bucket=self.bucket, Key=key, Body=data, **more)
        return object_created(self.bucket, key, put["VersionId"], len(data))

    def run(self, event: dict[str, Any]) -> Execution:
        """Deliver an event: EventBridge starts an execution with it, under a name of its own."""
        self.runs += 1
        return run_execution(self.machine, f"run-{self.runs}", event)

    def summarise(self, body: str | bytes, key: str = KEY, **more: Any) -> Execution:
        """Drop a text and follow it to its end."""
        return self.run(self.drop(body, key, **more))

    def rows(self) -> list[dict[str, Any]]:
        """All rows, numbers as Decimals."""
        return rows_of(TABLE)

    def row(self) -> dict[str, Any]:
        """The only row."""
        (row,) = self.rows()
        return row

    def answer(self, request: AWSPreparedRequest, **_: Any) -> AWSResponse:
        """What Claude says: the prepared answers in turn, the last of them for ever."""
        self.requests.append(json.loads(request.body))  # type: ignore[arg-type]
        prepared = self.claude.pop(0) if len(self.claude) > 1 else self.claude[0]
        return prepared if isinstance(prepared, AWSResponse) else response(200, prepared)

    def refuse(self, event_name: str, **_: Any) -> AWSResponse | None:
        refusals = self.refusals.get(event_name.removeprefix("before-send."))
        return refusals.pop(0) if refusals else None


def object_created(bucket: str, key: str, version_id: str, size: int) -> dict[str, Any]:
    """EventBridge's event of a new object, from the sample: its key is as it is, not encoded."""
    (path,) = (ROOT / "events").glob("*-raw-text-created.json")
    event: dict[str, Any] = json.loads(path.read_text("utf-8"))
    event["detail"]["bucket"]["name"] = bucket
    event["detail"]["object"] |= {"key": key, "version-id": version_id, "size": size}
    return event


@contextmanager
def open_text_road(monkeypatch: pytest.MonkeyPatch) -> Iterator[TextRoad]:
    """The road's part of the stack on moto, and everything put back afterwards."""
    with open_moto(monkeypatch, client) as waits:
        road = _deploy(waits)
        road.claude = [says("A short text.")]
        hooks.update(
            {
                "bedrock-runtime": road.answer,
                "dynamodb.PutItem": road.refuse,
                "s3.GetObject": road.refuse,
            }
        )
        add_get_object(monkeypatch)
        add_invoke_model(monkeypatch)
        yield road


def _deploy(waits: list[float]) -> TextRoad:
    names = known_names()
    bucket = create_bucket(resolve(resources("AWS::S3::Bucket")["Documents"]["BucketName"], names))
    table = resources("AWS::DynamoDB::Table")["SummariesTable"]
    names["SummariesTable"] = create_table(table, names)
    machine = create_machine(MACHINE, names)
    return TextRoad(boto3.client("s3"), boto3.client("dynamodb"), bucket, machine, waits)
