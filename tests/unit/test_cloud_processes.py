"""The local cloud's folder, ports and processes."""

import dataclasses
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from mailroom_desk.cloud.folder import Folder, read_json, tail, write_json
from mailroom_desk.cloud.ports import choose_ports
from mailroom_desk.cloud.processes import ProcessId, end_processes
from mailroom_desk.cloud.settings import Ports, aws_environment
from mailroom_desk.cloud.state import Cloud, find_cloud

STUBBORN = """
import signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print("ready", flush=True)
time.sleep(60)
"""


@pytest.fixture
def stubborn() -> Iterator["subprocess.Popen[bytes]"]:
    with subprocess.Popen([sys.executable, "-c", STUBBORN], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        yield process
        process.kill()


def test_end_processes_that_ignore_sigterm_kills_them(
    stubborn: "subprocess.Popen[bytes]",
) -> None:
    end_processes([ProcessId.of(stubborn.pid)], grace=0.2)
    assert ProcessId(stubborn.pid, 0.0).find() is None
    assert stubborn.wait() in {-signal.SIGKILL, 0}  # 0: psutil has collected it


def test_process_id_of_an_earlier_process_does_not_find_the_one_that_has_its_number() -> None:
    own = ProcessId.of(os.getpid())
    assert own.find() is not None
    assert dataclasses.replace(own, started=own.started - 60).find() is None


def test_choose_ports_with_the_preferred_one_taken_takes_the_next() -> None:
    first = choose_ports(0)
    preferred = choose_ports(first.emulator)
    assert preferred.emulator >= first.emulator
    assert len({preferred.emulator, preferred.textract, preferred.claude}) == 3


def test_aws_environment_hides_the_users_own_account_and_keys() -> None:
    base = {"AWS_PROFILE": "work", "AWS_SESSION_TOKEN": "t", "ANTHROPIC_API_KEY": "k", "HOME": "/h"}
    environment = aws_environment(Ports(1, 2, 3), base)
    assert environment["HOME"] == "/h"
    assert not {"AWS_PROFILE", "AWS_SESSION_TOKEN", "ANTHROPIC_API_KEY"} & set(environment)
    assert environment["AWS_ENDPOINT_URL"] == "http://127.0.0.1:1"
    assert environment["AWS_ENDPOINT_URL_TEXTRACT"] == "http://127.0.0.1:2"
    assert environment["AWS_ENDPOINT_URL_BEDROCK_RUNTIME"] == "http://127.0.0.1:3"


def test_aws_environment_with_a_proxy_reaches_this_machine_directly() -> None:
    environment = aws_environment(Ports(1, 2, 3), {"NO_PROXY": "intranet"})
    assert environment["NO_PROXY"] == environment["no_proxy"] == "intranet,127.0.0.1,localhost"


def test_find_cloud_after_a_crash_finds_none(tmp_path: Path) -> None:
    own = ProcessId.of(os.getpid())
    cloud = Cloud(tmp_path.resolve(), Ports(1, 2, 3), own, "mailroom", {"DocumentsBucket": "b"})
    cloud.save()
    assert find_cloud(tmp_path) == cloud

    dataclasses.replace(cloud, supervisor=ProcessId(own.pid, own.started - 60)).save()
    assert find_cloud(tmp_path) is None


@pytest.mark.parametrize("content", ["", "{", "[]", '{"ports": {}}', "null"])
def test_find_cloud_with_a_damaged_file_finds_none(tmp_path: Path, content: str) -> None:
    Folder(tmp_path).cloud_file.write_text(content)
    assert find_cloud(tmp_path) is None


def test_write_json_replaces_the_file_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    write_json(tmp_path / "a.json", {"n": 1})
    write_json(tmp_path / "a.json", {"n": 2})
    assert read_json(tmp_path / "a.json") == {"n": 2}
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]


def test_tail_of_a_long_log_is_its_last_lines(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("".join(f"line {number}\n" for number in range(5000)))
    assert tail(log, 2) == "line 4998\nline 4999"
    assert tail(tmp_path / "none") == ""
