"""Lambda functions in the emulator: errors at start-up, what they see, and how many there are."""

import json
import os
from concurrent.futures import ThreadPoolExecutor, as_completed

import psutil
import pytest

from mailroom_desk.cloud.state import Cloud

from .conftest import SETTINGS
from .machines import function


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("import no_such_package\ndef handler(e, c): pass", "Runtime.ImportModuleError"),
        # Installed at the desk, but not in the bundle: AWS would not find it either.
        ("import psutil\ndef handler(e, c): pass", "Runtime.ImportModuleError"),
        ("def other(e, c): pass", "Runtime.HandlerNotFound"),
        ("def handler(e, c):", "Runtime.UserCodeSyntaxError"),
        ("import os\nos._exit(3)", "Runtime.ExitError"),
        ("def handler(e, c):\n    import os\n    os._exit(3)", "Runtime.ExitError"),
    ],
)
def test_function_that_cannot_run_has_awss_error_name(cloud: Cloud, code: str, name: str) -> None:
    client = cloud.client("lambda")
    with function(cloud, code) as arn:
        answer = client.invoke(FunctionName=arn)
        assert answer["FunctionError"] == "Unhandled"
        assert json.loads(answer["Payload"].read())["errorType"] == name


def test_function_past_its_timeout_is_timed_out(cloud: Cloud) -> None:
    code = "import time\ndef handler(e, c): time.sleep(30)"
    client = cloud.client("lambda")
    with function(cloud, code, timeout=1) as arn:
        payload = json.loads(client.invoke(FunctionName=arn)["Payload"].read())
    assert payload["errorType"] == "Sandbox.Timedout"


def test_function_sees_the_context_and_the_runtime_of_aws(cloud: Cloud) -> None:
    code = """
import boto3, os
def handler(event, context):
    left = context.get_remaining_time_in_millis()
    bucket = boto3.client("s3").list_buckets()["ResponseMetadata"]["HTTPStatusCode"]
    return [context.function_name, len(context.aws_request_id), 0 < left <= 20_000, bucket,
            context.log_group_name, os.environ["AWS_EXECUTION_ENV"]]
"""
    client = cloud.client("lambda")
    with function(cloud, code) as arn:
        answer = client.invoke(FunctionName=arn)
        name = arn.rsplit(":", 1)[-1]
        seen = json.loads(answer["Payload"].read())
    assert seen == [
        name,
        36,
        True,
        200,
        f"/aws/lambda/{name}",
        "AWS_Lambda_python3.13",
    ]


def test_many_calls_at_once_run_in_no_more_sandboxes_than_the_bound(cloud: Cloud) -> None:
    code = "import os, time\ndef handler(e, c):\n    time.sleep(0.2)\n    return os.getpid()"
    client = cloud.client("lambda")
    with function(cloud, code) as arn, ThreadPoolExecutor(40) as callers:
        call = lambda _: json.loads(client.invoke(FunctionName=arn)["Payload"].read())  # noqa: E731
        processes = set(callers.map(call, range(40)))
        alive = psutil.Process(cloud.pids["emulator"]).children()
        assert len(processes) <= SETTINGS.sandboxes
        assert len(alive) <= SETTINGS.sandboxes
        assert os.getpid() not in processes


def test_busy_function_does_not_keep_another_one_waiting(cloud: Cloud) -> None:
    client, calls = cloud.client("lambda"), 8 * SETTINGS.sandboxes
    slow = "import time\ndef handler(e, c): time.sleep(0.5)"
    with (
        function(cloud, slow) as busy,
        function(cloud, "def handler(e, c): pass") as other,
        ThreadPoolExecutor(calls) as callers,
    ):
        running = [callers.submit(client.invoke, FunctionName=busy) for _ in range(calls)]
        next(as_completed(running))
        client.invoke(FunctionName=other)
        assert sum(each.done() for each in running) < calls / 2
