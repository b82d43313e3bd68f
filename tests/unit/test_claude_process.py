"""The Claude server as a process: it says when it is there and ends without noise."""

import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

PATIENCE = 60.0


@pytest.fixture
def server(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], int]]:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    module = "mailroom_desk.cloud.claude"
    options = ["--port", str(port), "--ledger", str(tmp_path / "ledger.db"), "--backend", "offline"]
    process = subprocess.Popen(
        [sys.executable, "-m", module, *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    yield process, port
    if process.poll() is None:
        process.kill()
    process.communicate()


def health(process: subprocess.Popen[str], port: int) -> str:
    """The answer of /health, as soon as there is one."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/health") as reply:
                text: str = reply.read().decode()
                return text
        except urllib.error.URLError:
            time.sleep(0.1)
    raise AssertionError("The server did not start.")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_server_on_a_signal_ends_with_0_and_says_nothing(
    server: tuple[subprocess.Popen[str], int], number: signal.Signals
) -> None:
    process, port = server
    assert health(process, port) == '{"status":"ok"}'
    process.send_signal(number)
    output, _ = process.communicate(timeout=PATIENCE)
    assert (process.returncode, output) == (0, "")
