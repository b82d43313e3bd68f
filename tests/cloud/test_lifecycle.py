"""Starting, restarting and ending: what survives, and that nothing is left behind."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from mailroom_desk.cloud.folder import Folder
from mailroom_desk.cloud.launch import Launched, answers, launch
from mailroom_desk.cloud.state import Cloud, find_cloud
from mailroom_desk.cloud.up import down

from .conftest import SETTINGS
from .machines import create_function, create_machine, task, wait_for_end

SECONDS = 60
SLOW = "import time\ndef handler(event, context):\n    time.sleep(event['seconds'])"
TEMPLATE = """
Resources:
  Queue:
    Type: AWS::SQS::Queue
Outputs:
  QueueUrl:
    Value: !Ref Queue
"""
CONFIG = """
version = 0.1
[local.global.parameters]
stack_name = "small"
[local.deploy.parameters]
resolve_s3 = true
"""
UP = """
import sys
from pathlib import Path
from mailroom_desk.cloud.settings import Settings
from mailroom_desk.cloud.up import up
up(Path(sys.argv[1]), project=Path(sys.argv[2]), settings=Settings(emulator_port=0),
   progress=lambda message: print(message, flush=True))
"""


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Folder]:
    folder = Folder(tmp_path.resolve() / ".mailroom")
    folder.create()
    yield folder
    down(folder.path)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "template.yaml").write_text(TEMPLATE)
    (tmp_path / "samconfig.toml").write_text(CONFIG)
    return tmp_path


def test_state_survives_a_restart(home: Folder) -> None:
    launched, cloud = start(home)
    s3, dynamodb, sqs = (cloud.client(name) for name in ("s3", "dynamodb", "sqs"))
    s3.create_bucket(Bucket="kept")
    s3.put_bucket_versioning(Bucket="kept", VersioningConfiguration={"Status": "Enabled"})
    first = s3.put_object(Bucket="kept", Key="a é+", Body=b"1")["VersionId"]
    s3.put_object(Bucket="kept", Key="a é+", Body=b"2")
    dynamodb.create_table(
        TableName="kept",
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
        KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
    )
    dynamodb.put_item(TableName="kept", Item={"id": {"S": "1"}, "b": {"B": b"\xff"}})
    queue = sqs.create_queue(QueueName="kept")["QueueUrl"]
    sqs.send_message(QueueUrl=queue, MessageBody="waiting")
    launched.end()

    launched, cloud = start(home)
    s3, dynamodb, sqs = (cloud.client(name) for name in ("s3", "dynamodb", "sqs"))
    assert s3.get_object(Bucket="kept", Key="a é+")["Body"].read() == b"2"
    assert s3.get_object(Bucket="kept", Key="a é+", VersionId=first)["Body"].read() == b"1"
    item = dynamodb.get_item(TableName="kept", Key={"id": {"S": "1"}})["Item"]
    assert item["b"]["B"] == b"\xff"
    messages = sqs.receive_message(QueueUrl=queue)["Messages"]
    assert [message["Body"] for message in messages] == ["waiting"]
    launched.end()


def test_running_execution_starts_again_under_its_name_after_a_restart(home: Folder) -> None:
    launched, cloud = start(home)
    arn = create_machine(cloud, {"A": task(create_function(cloud, SLOW, timeout=60))})
    work = json.dumps({"seconds": 2})
    started = cloud.client("stepfunctions").start_execution(
        stateMachineArn=arn, name="one", input=work
    )
    launched.end()

    launched, cloud = start(home)
    ended = wait_for_end(cloud.client("stepfunctions"), started["executionArn"])
    assert (ended["status"], ended["name"], ended["input"]) == ("SUCCEEDED", "one", work)
    launched.end()


def test_state_survives_a_crash_of_the_emulator(home: Folder) -> None:
    launched, cloud = start(home)
    queue = cloud.client("sqs").create_queue(QueueName="kept")["QueueUrl"]
    saved = home.emulator / "state" / "sqs.json"
    until(lambda: saved.exists() and "kept" in saved.read_text())
    os.kill(cloud.pids["emulator"], signal.SIGKILL)
    launched.supervisor.wait(SECONDS)
    launched.end()

    launched, cloud = start(home)
    assert cloud.client("sqs").get_queue_url(QueueName="kept")["QueueUrl"].endswith("/kept")
    assert queue.endswith("/kept")
    launched.end()


@pytest.mark.parametrize("victim", ["supervisor", "emulator"])
def test_killed_process_takes_the_others_and_the_sandboxes_with_it(
    home: Folder, victim: str
) -> None:
    launched, cloud = start(home)
    function = create_function(cloud, SLOW)
    cloud.client("lambda").invoke(FunctionName=function, Payload=b'{"seconds": 0}')
    everything = processes(cloud)
    assert len(everything) > len(cloud.pids)

    os.kill(cloud.pids[victim], signal.SIGKILL)
    launched.supervisor.wait(SECONDS)
    assert_gone(everything)
    launched.end()


def test_crashed_server_is_started_again(home: Folder) -> None:
    launched, cloud = start(home)
    crashed = cloud.pids["claude"]
    os.kill(crashed, signal.SIGKILL)
    health = f"{cloud.ports.url(cloud.ports.claude)}/health"
    until(lambda: cloud.pids.get("claude", crashed) != crashed and answers(health))
    launched.end()


@pytest.mark.parametrize(
    ("moment", "number"),
    [
        ("Starting the local cloud", signal.SIGINT),
        ("Starting the local cloud", signal.SIGKILL),
        ("Deploying the stack", signal.SIGTERM),
    ],
)
def test_up_that_is_interrupted_leaves_no_process(
    home: Folder, project: Path, moment: str, number: signal.Signals
) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", UP, str(home.path), str(project)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as command:
        assert command.stdout is not None
        while command.stdout.readline().strip() != moment:
            assert command.poll() is None
        until(lambda: psutil.Process(command.pid).children(recursive=True) != [])
        everything = psutil.Process(command.pid).children(recursive=True)
        command.send_signal(number)
    assert_gone(everything)
    assert find_cloud(home.path) is None


def test_up_outlives_its_command_and_down_ends_everything(home: Folder, project: Path) -> None:
    command = [sys.executable, "-c", UP, str(home.path), str(project)]
    first = subprocess.run(command, check=True, capture_output=True, text=True)
    assert "Deploying the stack" in first.stdout
    cloud = find_cloud(home.path)
    assert cloud is not None
    assert "small" in cloud.outputs["QueueUrl"]
    everything = processes(cloud)

    second = subprocess.run(command, check=True, capture_output=True, text=True)
    assert second.stdout == ""
    assert find_cloud(home.path) == cloud

    assert down(home.path)
    assert_gone(everything)
    assert not down(home.path)


def start(home: Folder) -> tuple[Launched, Cloud]:
    """The three servers without a template."""
    launched = launch(home, SETTINGS)
    return launched, Cloud(home.path, launched.ports, launched.identity, "", {})


def processes(cloud: Cloud) -> list[psutil.Process]:
    """The cloud's processes and all that they have started."""
    supervisor = psutil.Process(cloud.pids["supervisor"])
    return [supervisor, *supervisor.children(recursive=True)]


def assert_gone(found: list[psutil.Process]) -> None:
    _, alive = psutil.wait_procs(found, timeout=SECONDS)
    assert alive == []


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)
