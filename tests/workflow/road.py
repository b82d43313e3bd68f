"""The main road in one process: the real state machine on moto, the real handlers behind it.

moto brings S3, DynamoDB, SQS, EventBridge and Step Functions. Two of its internals are replaced,
both here: how it runs a Lambda function (by calling our handler), and how it waits before a retry
(by writing the wait down). The harness itself plays S3's notification and Textract's notice.
"""

import importlib
import json
import os
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch
from urllib.parse import quote_plus

import boto3
import contract
import pytest
from boto3.dynamodb.types import TypeDeserializer
from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from moto import mock_aws
from moto.awslambda_simple.models import LambdaSimpleBackend
from moto.stepfunctions.parser.asl.component.common.retry import retrier_decl
from services import FakeClaude, FakeTextract, result_files
from stack import ACCOUNT, ASL, REGION, functions, known_names, resolve, resources

from mailroom.aws.clients import client
from mailroom.document import Work, document_id, execution_name, parse_job_tag

BUS, QUEUE, EAR = "mailroom", "mailroom-dead-letters", "ear-on-the-bus"
PDF = b"%PDF-1.7 a document of no interest to the fakes"
PATIENCE_SECONDS = 60


@dataclass(frozen=True)
class Execution:
    """One finished execution: its status, error and cause, and its history."""

    arn: str
    status: str
    error: str
    cause: str
    output: Any
    events: list[dict[str, Any]]

    @property
    def states(self) -> list[str]:
        """The names of the states entered, in order."""
        return [
            event["stateEnteredEventDetails"]["name"]
            for event in self.events
            if "stateEnteredEventDetails" in event
        ]

    def payloads(self) -> Iterator[tuple[str, str]]:
        """Every state's input and output, as JSON text."""
        for event in self.events:
            for details, part in (("Entered", "input"), ("Exited", "output")):
                found = event.get(f"state{details}EventDetails")
                if found and part in found:
                    yield f"{found['name']} {part}", found[part]


@dataclass
class Road:
    """Drives documents along the road, and looks at what came of them."""

    names: dict[str, Any]
    s3: Any
    dynamodb: Any
    sqs: Any
    states: Any
    textract: FakeTextract = field(default_factory=FakeTextract)
    claude: FakeClaude = field(default_factory=FakeClaude)
    waits: list[float] = field(default_factory=list)
    invoked: list[str] = field(default_factory=list)
    # By function: what the next invocations fail with, before the handler is reached.
    failures: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    # By "<service>.<operation>": what the state machine's own next calls are refused with; a None
    # lets one pass.
    refusals: dict[str, list[AWSResponse | None]] = field(default_factory=dict)
    # What functions are told next when they ask how much time they have left.
    millis_left: list[int] = field(default_factory=list)
    _in_handler: bool = False

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
        self.states.start_execution(
            stateMachineArn=self.names["StateMachine"], name=name, input=json.dumps(state)
        )
        return self.finished(name)

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
        item = answer.get("Item", {})
        return {name: TypeDeserializer().deserialize(value) for name, value in item.items()}

    def rows(self) -> list[str]:
        """The ids of all rows."""
        items = self.dynamodb.scan(TableName=self.names["DocumentsTable"])["Items"]
        return [item["document_id"]["S"] for item in items]

    def dead_letters(self) -> list[dict[str, Any]]:
        """The messages in the queue of dead letters, taken out."""
        return self._messages(QUEUE)

    def announced(self) -> list[dict[str, Any]]:
        """What a rule on the bus sent to its queue, taken out. All of it keeps the contract."""
        events = self._messages(EAR)
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
        arn = f"{self.names['StateMachine'].replace(':stateMachine:', ':execution:')}:{name}"
        deadline = time.monotonic() + PATIENCE_SECONDS
        while (found := self.states.describe_execution(executionArn=arn))["status"] == "RUNNING":
            assert time.monotonic() < deadline, f"{name} still runs"
            time.sleep(0.01)
        history = self.states.get_execution_history(executionArn=arn, maxResults=1000)
        return Execution(
            arn,
            found["status"],
            found.get("error", ""),
            found.get("cause", ""),
            json.loads(found.get("output") or "null"),
            history["events"],
        )

    def _messages(self, queue: str) -> list[dict[str, Any]]:
        url = self.names[queue]
        messages = []
        while batch := self.sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10).get(
            "Messages"
        ):
            for message in batch:
                messages.append(json.loads(message["Body"]))
                self.sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
        return messages

    # -- how functions run ------------------------------------------------------------------------

    def invoke(self, logical_id: str, event: Any) -> Any:
        """Call a function's handler with exactly its environment, as the template gives it."""
        self.invoked.append(logical_id)
        function = functions()[logical_id]
        module, _, name = function["Handler"].rpartition(".")
        variables = resolve(function["Environment"]["Variables"], self.names)
        context = SimpleNamespace(
            function_name=resolve(function["FunctionName"], self.names),
            memory_limit_in_mb=function["MemorySize"],
            invoked_function_arn=self.names[f"{logical_id}.Arn"],
            aws_request_id=f"request-{len(self.invoked)}",
            get_remaining_time_in_millis=lambda: self.remaining_millis(function),
        )
        with self._handling(), patch.dict(os.environ, variables):
            return getattr(importlib.import_module(module), name)(event, context)

    def remaining_millis(self, function: dict[str, Any]) -> int:
        """What a function has left of its time: all of it, or what a test wants next."""
        whole = int(function["Timeout"]) * 1000
        return self.millis_left.pop(0) if self.millis_left else whole

    @contextmanager
    def _handling(self) -> Iterator[None]:
        self._in_handler = True
        try:
            yield
        finally:
            self._in_handler = False

    def lambda_invoke(self, function_name: str, body: Any, headers: dict[str, str]) -> bytes:
        """What moto calls: the handler's result, or its error as Lambda reports it."""
        logical_id = next(n for n in functions() if self.names[f"{n}.Arn"] == function_name)
        failures = self.failures.get(logical_id)
        if failures:
            self.invoked.append(logical_id)
            if failures[0]["errorType"] == "States.Timeout":
                failures.pop(0)
                raise TimeoutError  # as moto's own clock does; nothing of it can be waited for
            headers["x-amz-function-error"] = "Unhandled"
            return json.dumps(failures.pop(0)).encode()
        try:
            return json.dumps(self.invoke(logical_id, json.loads(body))).encode()
        except Exception as error:
            headers["x-amz-function-error"] = "Unhandled"
            # What AWS's runtime client sends: the bare class name.
            failure = {"errorMessage": str(error), "errorType": type(error).__name__}
            return json.dumps({**failure, "requestId": "r", "stackTrace": []}).encode()

    def refuse(self, event_name: str, **_: Any) -> AWSResponse | None:
        """Refuse a call of the state machine's own, where a test wants it."""
        if self._in_handler:
            return None
        refusals = self.refusals.get(event_name.removeprefix("before-send."))
        return refusals.pop(0) if refusals else None


def s3_event(bucket: str, key: str, version_id: str) -> dict[str, Any]:
    """A bucket notification: its key is form-encoded."""
    s3 = {
        "bucket": {"name": bucket},
        "object": {"key": quote_plus(key, safe="/"), "versionId": version_id},
    }
    record = {"eventSource": "aws:s3", "eventName": "ObjectCreated:Put", "s3": s3}
    return {"Records": [record]}


def failure(name: str, message: str = "as the test wants it") -> dict[str, Any]:
    """What Lambda reports of a handler's error."""
    return {"errorType": name, "errorMessage": message}


def definition(names: dict[str, Any]) -> str:
    """The state machine's definition, placeholders filled in as the template says."""
    machine = resources("AWS::Serverless::StateMachine")["DocumentStateMachine"]
    text = ASL.read_text("utf-8")
    for placeholder, value in resolve(machine["DefinitionSubstitutions"], names).items():
        text = text.replace(f"${{{placeholder}}}", value)
    return text


@contextmanager
def open_road(monkeypatch: pytest.MonkeyPatch) -> Iterator[Road]:
    """A stack on moto, and everything put back afterwards."""
    config: Any = {
        "stepfunctions": {"execute_state_machine": True},
        "lambda": {"use_docker": False},
    }
    client.cache_clear()
    with mock_aws(config=config):
        monkeypatch.setattr(boto3, "DEFAULT_SESSION", shared_session())
        road = _deploy()
        _HOOKS.update(
            {
                "textract": road.textract.answer,
                "bedrock-runtime": road.claude.answer,
                "eventbridge.PutEvents": road.refuse,
                "dynamodb.UpdateItem": road.refuse,
                "sqs.SendMessage": road.refuse,
            }
        )

        def invoke(_: Any, name: str, __: Any, body: Any, ___: Any, headers: Any) -> bytes:
            return road.lambda_invoke(name, body, headers)

        monkeypatch.setattr(LambdaSimpleBackend, "invoke", invoke)
        monkeypatch.setattr(retrier_decl, "time", SimpleNamespace(sleep=road.waits.append))
        yield road
        _HOOKS.clear()
    client.cache_clear()


_HOOKS: dict[str, Callable[..., AWSResponse | None]] = {}
"""What answers instead of moto in the test that runs, by the operation or its service."""


class SharedSession(boto3.Session):
    """Makes each client once for all tests: to make one takes longer than a run's other parts."""

    def __init__(self) -> None:
        super().__init__()
        self._clients: dict[str, Any] = {}
        self.events.register_first("before-send", self._ask_hooks)

    def client(self, service_name: Any, **more: Any) -> Any:  # type: ignore[override]
        config = more.get("config")
        key = repr((service_name, {**more, "config": vars(config) if config else None}))
        if key not in self._clients:
            self._clients[key] = super().client(service_name, **more)
        return self._clients[key]

    @staticmethod
    def _ask_hooks(event_name: str, request: AWSPreparedRequest, **_: Any) -> AWSResponse | None:
        operation = event_name.removeprefix("before-send.")
        hook = _HOOKS.get(operation) or _HOOKS.get(operation.partition(".")[0])
        found = hook(event_name=event_name, request=request) if hook else None
        if found is not None:
            request.url = found.url  # botocore asks moto as well: lead it away
        return found


@cache
def shared_session() -> SharedSession:
    """The session behind `boto3.client`, for our code, for moto's and for the tests'."""
    return SharedSession()


def _deploy() -> Road:
    s3, dynamodb = boto3.client("s3"), boto3.client("dynamodb")
    sqs, events, states = boto3.client("sqs"), boto3.client("events"), boto3.client("stepfunctions")
    names = known_names()
    names["Documents"] = resolve(resources("AWS::S3::Bucket")["Documents"]["BucketName"], names)
    s3.create_bucket(Bucket=names["Documents"])
    s3.put_bucket_versioning(
        Bucket=names["Documents"], VersioningConfiguration={"Status": "Enabled"}
    )
    table = resolve(resources("AWS::DynamoDB::Table")["DocumentsTable"], names)
    kept = ("TableName", "BillingMode", "KeySchema", "AttributeDefinitions")
    dynamodb.create_table(
        **{name: table[name] for name in kept},
        GlobalSecondaryIndexes=table["GlobalSecondaryIndexes"],
    )
    names["DocumentsTable"] = table["TableName"]
    names["DeadLetters"] = names[QUEUE] = sqs.create_queue(QueueName=QUEUE)["QueueUrl"]
    events.create_event_bus(Name=BUS)
    names["Bus"] = BUS
    names[EAR] = sqs.create_queue(QueueName=EAR)["QueueUrl"]
    events.put_rule(Name=EAR, EventBusName=BUS, EventPattern=json.dumps({"source": ["mailroom"]}))
    ear_arn = f"arn:aws:sqs:{REGION}:{ACCOUNT}:{EAR}"
    events.put_targets(Rule=EAR, EventBusName=BUS, Targets=[{"Id": "ear", "Arn": ear_arn}])
    names["OcrTopic"] = f"arn:aws:sns:{REGION}:{ACCOUNT}:mailroom-ocr-done"
    names["OcrRole.Arn"] = f"arn:aws:iam::{ACCOUNT}:role/mailroom-ocr"
    for logical_id, function in functions().items():
        name = resolve(function["FunctionName"], names)
        names[f"{logical_id}.Arn"] = f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:{name}"
    machine = resources("AWS::Serverless::StateMachine")["DocumentStateMachine"]
    names["StateMachine"] = states.create_state_machine(
        name=resolve(machine["Name"], names),
        definition=definition(names),
        roleArn=f"arn:aws:iam::{ACCOUNT}:role/states",
    )["stateMachineArn"]
    return Road(names, s3, dynamodb, sqs, states)


def entered(execution: Execution) -> Counter[str]:
    """How often each state was entered."""
    return Counter(execution.states)
