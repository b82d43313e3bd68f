"""The main road in one process: the real state machine on moto, the real handlers behind it.

moto brings S3, DynamoDB, SQS, EventBridge and Step Functions. The harness itself plays S3's
notification and Textract's notice.
"""

import json
import os
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch
from urllib.parse import quote_plus

import boto3
import contract
import pytest
from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from machines_on_moto import (
    Execution,
    answer_invocations,
    as_row,
    call_handler,
    create_bucket,
    create_machine,
    create_table,
    follow_execution,
    hooks,
    name_functions,
    open_moto,
    rows_of,
    run_execution,
    take_messages,
)
from moto.core.models import botocore_stubber
from services import FakeClaude, FakeTextract, result_files
from stack import ACCOUNT, REGION, functions, known_names, resolve, resources

from mailroom.aws.clients import client
from mailroom.document import Work, document_id, execution_name, parse_job_tag

BUS, QUEUE, EAR = "mailroom", "mailroom-dead-letters", "ear-on-the-bus"
PDF = b"%PDF-1.7 a document of no interest to the fakes"


@dataclass
class Road:
    """Drives documents along the road, and looks at what came of them."""

    names: dict[str, Any]
    s3: Any
    dynamodb: Any
    sqs: Any
    states: Any
    waits: list[float]
    textract: FakeTextract = field(default_factory=FakeTextract)
    claude: FakeClaude = field(default_factory=FakeClaude)
    invoked: list[str] = field(default_factory=list)
    # By function: what the next invocations fail with, before the handler is reached.
    failures: dict[str, list[Exception]] = field(default_factory=dict)
    # By "<service>.<operation>": what the state machine's own next calls are refused with; a None
    # lets one pass.
    refusals: dict[str, list[AWSResponse | None]] = field(default_factory=dict)
    # By the same: how many of those act all the same.
    answers_lost: Counter[str] = field(default_factory=Counter)
    # What functions are told next when they ask how much time they have left.
    millis_left: list[int] = field(default_factory=list)
    in_handler: bool = False

    @property
    def bucket(self) -> str:
        return str(self.names["Documents"])

    # -- what happens to a document ---------------------------------------------------------------

    def upload(self, key: str = "incoming/a bill.pdf", body: bytes = PDF) -> str:
        """Put an object and deliver its notification; returns the document's id."""
        put = self.s3.put_object(Bucket=self.bucket, Key=key, Body=body)
        self.invoke("IntakeFunction", s3_event(self.bucket, key, put["VersionId"]))
        return document_id(self.bucket, key, put["VersionId"])

    def read(
        self, document_id: str, pages: list[list[str]], *, status: str = "SUCCEEDED", **more: Any
    ) -> Execution:
        """Textract ends the document's job: its files, its notice, and the execution to its end."""
        job_id = self.write_results(document_id, result_files(pages, **more))
        attempt = self.notify(job_id, status)
        return self.finished(execution_name(document_id, attempt))

    def write_results(self, document_id: str, files: list[dict[str, Any]]) -> str:
        """Write a job's files as OutputConfig asks; returns the job's id."""
        job_id = str(self.row(document_id).get("job_id") or list(self.textract.jobs)[-1])
        output = self.textract.jobs[job_id]["OutputConfig"]
        prefix = f"{output['S3Prefix']}/{job_id}/"
        bodies = {"../.s3_access_check": b"", **{str(i): f for i, f in enumerate(files, start=1)}}
        for name, content in bodies.items():
            body = content if isinstance(content, bytes) else json.dumps(content).encode()
            key = f"{prefix}{name}".replace(f"{job_id}/../", "")
            self.s3.put_object(Bucket=output["S3Bucket"], Key=key, Body=body)
        return job_id

    def notify(self, job_id: str, status: str = "SUCCEEDED") -> int:
        """Deliver Textract's notice of a job; returns the attempt that it was about."""
        tag = self.textract.jobs[job_id]["JobTag"]
        notice = {
            "JobId": job_id,
            "Status": status,
            "API": "StartDocumentAnalysis",
            "JobTag": tag,
        }
        sns = {"Type": "Notification", "Message": json.dumps(notice)}
        self.invoke("OcrDoneFunction", {"Records": [{"EventSource": "aws:sns", "Sns": sns}]})
        return parse_job_tag(tag)[1]  # type: ignore[index]

    def start(self, name: str, state: dict[str, Any]) -> Execution:
        """Start an execution by hand and follow it to its end."""
        return run_execution(self.names["StateMachine"], name, state)

    def work(self, document_id: str) -> dict[str, Any]:
        """The input that a document's execution has."""
        row = self.row(document_id)
        return Work(
            document_id=document_id,
            attempt=int(row["attempt"]),
            bucket=row["bucket"],
            key=row["key"],
            version_id=row["version_id"],
            job_id=row["job_id"],
            ocr_status="SUCCEEDED",
        ).to_state()

    # -- what came of it --------------------------------------------------------------------------

    def row(self, document_id: str) -> dict[str, Any]:
        """The document's row, numbers as Decimals."""
        answer = self.dynamodb.get_item(
            TableName=self.names["DocumentsTable"],
            Key={"document_id": {"S": document_id}},
            ConsistentRead=True,
        )
        return as_row(answer.get("Item", {}))

    def rows(self) -> list[str]:
        """The ids of all rows."""
        return [row["document_id"] for row in rows_of(self.names["DocumentsTable"])]

    def dead_letters(self) -> list[dict[str, Any]]:
        """The messages in the queue of dead letters, taken out."""
        return take_messages(self.names[QUEUE])

    def announced(self) -> list[dict[str, Any]]:
        """What a rule on the bus sent to its queue, taken out. All of it keeps the contract."""
        events = take_messages(self.names[EAR])
        for event in events:
            contract.keeps(event)
        return events

    def object(self, key: str) -> bytes:
        """An object's content."""
        return bytes(self.s3.get_object(Bucket=self.bucket, Key=key)["Body"].read())

    def keys(self, prefix: str) -> list[str]:
        """The keys under a prefix."""
        listing = self.s3.list_objects_v2(Bucket=self.bucket, Prefix=prefix)
        return [item["Key"] for item in listing.get("Contents", ())]

    def finished(self, name: str) -> Execution:
        """Wait for an execution's end."""
        return follow_execution(self.names["StateMachine"], name)

    # -- how functions run ------------------------------------------------------------------------

    def invoke(self, logical_id: str, event: Any) -> Any:
        """Call a function's handler with exactly its environment, as the template gives it."""
        self.invoked.append(logical_id)
        function = functions()[logical_id]
        variables = resolve(function["Environment"]["Variables"], self.names)
        with self._handling(), patch.dict(os.environ, variables):
            return call_handler(
                function["Handler"],
                event,
                function_name=resolve(function["FunctionName"], self.names),
                memory_limit_in_mb=function["MemorySize"],
                invoked_function_arn=self.names[f"{logical_id}.Arn"],
                aws_request_id=f"request-{len(self.invoked)}",
                get_remaining_time_in_millis=lambda: self.remaining_millis(function),
            )

    def remaining_millis(self, function: dict[str, Any]) -> int:
        """What a function has left of its time: all of it, or what a test wants next."""
        whole = int(function["Timeout"]) * 1000
        return self.millis_left.pop(0) if self.millis_left else whole

    @contextmanager
    def _handling(self) -> Iterator[None]:
        self.in_handler = True
        try:
            yield
        finally:
            self.in_handler = False

    def answer(self, logical_id: str, event: Any) -> Any:
        """What a function answers to the state machine, or the error that a test wants first."""
        if failures := self.failures.get(logical_id):
            self.invoked.append(logical_id)
            raise failures.pop(0)
        return self.invoke(logical_id, event)

    def refuse(self, event_name: str, request: AWSPreparedRequest, **_: Any) -> AWSResponse | None:
        """Refuse a call of the state machine's own, or lose its answer, where a test wants it."""
        if self.in_handler:
            return None
        operation = event_name.removeprefix("before-send.")
        refusals = self.refusals.get(operation)
        refused = refusals.pop(0) if refusals else None
        if refused is not None and self.answers_lost[operation]:
            self.answers_lost[operation] -= 1
            botocore_stubber(event_name, request)
        return refused


def s3_event(bucket: str, key: str, version_id: str) -> dict[str, Any]:
    """A bucket notification: its key is form-encoded."""
    s3 = {
        "bucket": {"name": bucket},
        "object": {"key": quote_plus(key, safe="/"), "versionId": version_id},
    }
    record = {"eventSource": "aws:s3", "eventName": "ObjectCreated:Put", "s3": s3}
    return {"Records": [record]}


@contextmanager
def open_road(monkeypatch: pytest.MonkeyPatch) -> Iterator[Road]:
    """A stack on moto, and everything put back afterwards."""
    with open_moto(monkeypatch, client) as waits:
        road = _deploy(waits)
        hooks.update(
            {
                "textract": road.textract.answer,
                "bedrock-runtime": road.claude.answer,
                "eventbridge.PutEvents": road.refuse,
                "dynamodb.UpdateItem": road.refuse,
                "sqs.SendMessage": road.refuse,
            }
        )
        answer_invocations(monkeypatch, road.names, road.answer)
        yield road


def _deploy(waits: list[float]) -> Road:
    s3, dynamodb = boto3.client("s3"), boto3.client("dynamodb")
    sqs, events, states = boto3.client("sqs"), boto3.client("events"), boto3.client("stepfunctions")
    names = known_names()
    bucket = resources("AWS::S3::Bucket")["Documents"]["BucketName"]
    names["Documents"] = create_bucket(resolve(bucket, names))
    table = resources("AWS::DynamoDB::Table")["DocumentsTable"]
    names["DocumentsTable"] = create_table(table, names)
    names["DeadLetters"] = names[QUEUE] = sqs.create_queue(QueueName=QUEUE)["QueueUrl"]
    events.create_event_bus(Name=BUS)
    names["Bus"] = BUS
    names[EAR] = sqs.create_queue(QueueName=EAR)["QueueUrl"]
    events.put_rule(Name=EAR, EventBusName=BUS, EventPattern=json.dumps({"source": ["mailroom"]}))
    ear_arn = f"arn:aws:sqs:{REGION}:{ACCOUNT}:{EAR}"
    events.put_targets(Rule=EAR, EventBusName=BUS, Targets=[{"Id": "ear", "Arn": ear_arn}])
    names["OcrTopic"] = f"arn:aws:sns:{REGION}:{ACCOUNT}:mailroom-ocr-done"
    names["OcrRole.Arn"] = f"arn:aws:iam::{ACCOUNT}:role/mailroom-ocr"
    name_functions(functions(), names)
    machine = resources("AWS::Serverless::StateMachine")["DocumentStateMachine"]
    names["StateMachine"] = create_machine(machine, names)
    return Road(names, s3, dynamodb, sqs, states, waits)
