"""State machines in one process: on moto, with the real handlers behind them.

Three of moto's internals are replaced, all here: how it runs a Lambda function (by calling our
handler), how it waits before a retry and how in a Wait state (by writing the wait down).
"""

import importlib
import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import boto3
import pytest
from boto3.dynamodb.types import TypeDeserializer
from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from moto import mock_aws
from moto.awslambda_simple.models import LambdaSimpleBackend
from moto.stepfunctions.parser.asl.component.common.retry import retrier_decl
from moto.stepfunctions.parser.asl.component.state.wait.wait_function.wait_function import (
    WaitFunction,
)
from stack import ACCOUNT, REGION, ROOT, resolve

PATIENCE_SECONDS = 60
CONFIG: Any = {"stepfunctions": {"execute_state_machine": True}, "lambda": {"use_docker": False}}

hooks: dict[str, Callable[..., AWSResponse | None]] = {}
"""What answers instead of moto in the test that runs, by the operation or its service."""


class SharedSession(boto3.Session):
    """Makes each client once for all tests: to make one takes longer than a run's other parts."""

    def __init__(self) -> None:
        super().__init__()
        self.clients: dict[str, Any] = {}
        self.events.register_first("before-send", self._ask_hooks)

    def client(self, service_name: Any, **more: Any) -> Any:  # type: ignore[override]
        config = more.get("config")
        key = repr((service_name, {**more, "config": vars(config) if config else None}))
        if key not in self.clients:
            self.clients[key] = super().client(service_name, **more)
        return self.clients[key]

    @staticmethod
    def _ask_hooks(event_name: str, request: AWSPreparedRequest, **_: Any) -> AWSResponse | None:
        operation = event_name.removeprefix("before-send.")
        hook = hooks.get(operation) or hooks.get(operation.partition(".")[0])
        found = hook(event_name=event_name, request=request) if hook else None
        if found is not None:
            request.url = found.url  # botocore asks moto as well: lead it away
        return found


@cache
def shared_session() -> SharedSession:
    """The session behind `boto3.client`, for our code, for moto's and for the tests'."""
    return SharedSession()


@contextmanager
def open_moto(monkeypatch: pytest.MonkeyPatch, made_once: Any) -> Iterator[list[float]]:
    """An empty account; the list fills with the waits before retries.

    `made_once` is the cached function by which the code under test makes its clients.
    """
    waits: list[float] = []
    made_once.cache_clear()
    with mock_aws(config=CONFIG):
        monkeypatch.setattr(boto3, "DEFAULT_SESSION", shared_session())
        monkeypatch.setattr(retrier_decl, "time", SimpleNamespace(sleep=waits.append))
        yield waits
        hooks.clear()
    made_once.cache_clear()


# -- what is deployed -----------------------------------------------------------------------------


def create_bucket(name: str) -> str:
    """A bucket that keeps the versions of its objects."""
    s3: Any = boto3.client("s3")
    s3.create_bucket(Bucket=name)
    s3.put_bucket_versioning(Bucket=name, VersioningConfiguration={"Status": "Enabled"})
    return name


def create_table(properties: dict[str, Any], names: dict[str, Any]) -> str:
    """A table with the keys and the indexes that the template gives it; its name."""
    kept = {
        "TableName", "BillingMode", "KeySchema", "AttributeDefinitions", "GlobalSecondaryIndexes",
    }  # fmt: skip
    table = resolve({name: properties[name] for name in kept & properties.keys()}, names)
    boto3.client("dynamodb").create_table(**table)
    return str(table["TableName"])


def definition(machine: dict[str, Any], names: dict[str, Any], folder: Path = ROOT) -> str:
    """A state machine's definition, placeholders filled in as the template says."""
    text = (folder / str(machine["DefinitionUri"])).read_text("utf-8")
    for placeholder, value in resolve(machine["DefinitionSubstitutions"], names).items():
        text = text.replace(f"${{{placeholder}}}", value)
    return text


def create_machine(machine: dict[str, Any], names: dict[str, Any], text: str | None = None) -> str:
    """A state machine of the template, or one of its name with another definition; its ARN."""
    states: Any = boto3.client("stepfunctions")
    made = states.create_state_machine(
        name=resolve(machine["Name"], names),
        definition=text or definition(machine, names),
        roleArn=f"arn:aws:iam::{ACCOUNT}:role/states",
    )
    return str(made["stateMachineArn"])


# -- how functions run, and how states wait -------------------------------------------------------


def name_functions(functions: dict[str, dict[str, Any]], names: dict[str, Any]) -> None:
    """Add the ARNs of a template's functions to the names."""
    for logical_id, function in functions.items():
        name = resolve(function["FunctionName"], names)
        names[f"{logical_id}.Arn"] = f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:{name}"


def answer_invocations(
    monkeypatch: pytest.MonkeyPatch, names: dict[str, Any], invoke: Callable[[str, Any], Any]
) -> None:
    """Let `invoke` answer for all functions: it is given a function's logical id and the event."""

    def answer(_: Any, arn: str, __: Any, body: Any, ___: Any, headers: dict[str, str]) -> bytes:
        name = next(name for name, value in names.items() if value == arn)
        try:
            return json.dumps(invoke(name.removesuffix(".Arn"), json.loads(body))).encode()
        except Exception as error:
            kind = type(error).__name__
            if kind == "States.Timeout":
                raise TimeoutError from None  # as moto's own clock does; nothing can be waited for
            headers["x-amz-function-error"] = "Unhandled"
            # What AWS's runtime client sends: the bare class name.
            told = {"errorMessage": str(error), "errorType": kind}
            return json.dumps({**told, "requestId": "r", "stackTrace": []}).encode()

    monkeypatch.setattr(LambdaSimpleBackend, "invoke", answer)


def call_handler(handler: str, event: Any, **context: Any) -> Any:
    """Call a handler by its name in the template, with what the libraries read of a context."""
    module, _, name = handler.rpartition(".")
    given = {
        "function_name": name,
        "memory_limit_in_mb": 256,
        "invoked_function_arn": f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:{name}",
        "aws_request_id": "request",
        "get_remaining_time_in_millis": lambda: 30_000,
        **context,
    }
    return getattr(importlib.import_module(module), name)(event, SimpleNamespace(**given))


def failure(name: str, message: str = "as the test wants it") -> Exception:
    """An error of any name, also of those that Lambda and Step Functions have for their own."""
    return type(name, (Exception,), {})(message)


def answer_waits(monkeypatch: pytest.MonkeyPatch, wait: Callable[[int], None]) -> None:
    """Let `wait` do what happens in a Wait state; it is given the seconds."""

    def wait_interval(_: WaitFunction, env: Any, wait_seconds: int) -> None:
        wait(wait_seconds)

    monkeypatch.setattr(WaitFunction, "_wait_interval", wait_interval)


# -- what came of it ------------------------------------------------------------------------------


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


def start_execution(machine: str, name: str, state: Any) -> None:
    """Start an execution of a state machine, given by its ARN."""
    states: Any = boto3.client("stepfunctions")
    states.start_execution(stateMachineArn=machine, name=name, input=json.dumps(state))


def run_execution(machine: str, name: str, state: Any) -> Execution:
    """Start an execution and follow it to its end."""
    start_execution(machine, name, state)
    return follow_execution(machine, name)


def follow_execution(machine: str, name: str, patience: float = PATIENCE_SECONDS) -> Execution:
    """Follow an execution of a state machine to its end."""
    states: Any = boto3.client("stepfunctions")
    arn = f"{machine.replace(':stateMachine:', ':execution:')}:{name}"
    deadline = time.monotonic() + patience
    while (found := states.describe_execution(executionArn=arn))["status"] == "RUNNING":
        assert time.monotonic() < deadline, f"{name} still runs"
        time.sleep(0.01)
    history = states.get_execution_history(executionArn=arn, maxResults=1000)
    return Execution(
        arn,
        found["status"],
        found.get("error", ""),
        found.get("cause", ""),
        json.loads(found.get("output") or "null"),
        history["events"],
    )


def rows_of(table: str) -> list[dict[str, Any]]:
    """All rows of a table, numbers as Decimals."""
    dynamodb: Any = boto3.client("dynamodb")
    pages = dynamodb.get_paginator("scan").paginate(TableName=table, ConsistentRead=True)
    return [as_row(item) for page in pages for item in page["Items"]]


def as_row(item: dict[str, Any]) -> dict[str, Any]:
    """An item of DynamoDB as a row."""
    read = TypeDeserializer().deserialize
    return {name: read(value) for name, value in item.items()}


def take_messages(queue: str) -> list[dict[str, Any]]:
    """The bodies of all messages in a queue, given by its URL; they are taken out."""
    sqs: Any = boto3.client("sqs")
    messages = []
    while batch := sqs.receive_message(QueueUrl=queue, MaxNumberOfMessages=10).get("Messages"):
        for message in batch:
            messages.append(json.loads(message["Body"]))
            sqs.delete_message(QueueUrl=queue, ReceiptHandle=message["ReceiptHandle"])
    return messages
