"""Small functions and state machines, made in the cloud for one test and removed after it."""

import io
import json
import time
import uuid
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from mailroom_desk.cloud.state import Cloud

ROLE = "arn:aws:iam::000000000000:role/test"
_SECONDS = 60


@contextmanager
def function(cloud: Cloud, code: str, *, timeout: int = 20) -> Iterator[str]:
    """A Python function whose module is `app`, with `app.handler` to call."""
    arn = create_function(cloud, code, timeout=timeout)
    try:
        yield arn
    finally:
        cloud.client("lambda").delete_function(FunctionName=arn)


def create_function(cloud: Cloud, code: str, *, timeout: int = 20) -> str:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as bundle:
        bundle.writestr("app.py", code)
    made = cloud.client("lambda").create_function(
        FunctionName=f"test-{uuid.uuid4().hex[:12]}",
        Runtime="python3.13",
        Handler="app.handler",
        Role=ROLE,
        Code={"ZipFile": archive.getvalue()},
        Timeout=timeout,
    )
    return str(made["FunctionArn"])


@contextmanager
def machine(cloud: Cloud, states: dict[str, Any], **fields: Any) -> Iterator[str]:
    """A state machine; it starts at the first of its states."""
    arn = create_machine(cloud, states, **fields)
    try:
        yield arn
    finally:
        cloud.client("stepfunctions").delete_state_machine(stateMachineArn=arn)


def create_machine(cloud: Cloud, states: dict[str, Any], **fields: Any) -> str:
    definition = {"StartAt": next(iter(states)), "States": states, **fields}
    made = cloud.client("stepfunctions").create_state_machine(
        name=f"test-{uuid.uuid4().hex[:12]}", definition=json.dumps(definition), roleArn=ROLE
    )
    return str(made["stateMachineArn"])


def task(resource: str, **fields: Any) -> dict[str, Any]:
    return {"Type": "Task", "Resource": resource, "End": True} | fields


def run(cloud: Cloud, arn: str, work: Any = None) -> dict[str, Any]:
    """Start an execution and wait for its end; its description."""
    client = cloud.client("stepfunctions")
    started = client.start_execution(stateMachineArn=arn, input=json.dumps(work or {}))
    return wait_for_end(client, started["executionArn"])


def wait_for_end(client: Any, execution_arn: str) -> dict[str, Any]:
    deadline = time.monotonic() + _SECONDS
    while time.monotonic() < deadline:
        execution: dict[str, Any] = client.describe_execution(executionArn=execution_arn)
        if execution["status"] != "RUNNING":
            return execution
        time.sleep(0.05)
    raise AssertionError(f"{execution_arn} still runs after {_SECONDS} s")


def wait_for[T](look: Callable[[], T | None], seconds: float = 240) -> T:
    """Look until something is found; `seconds` bound a test that would otherwise hang."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if found := look():
            return found
        time.sleep(0.1)
    raise AssertionError(f"nothing came within {seconds} s")
