"""Both servers as processes that start with a fault plan."""

import http.client
import json
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

PATIENCE_SECONDS = 60
CALLS = {
    "textract": ("/", {"X-Amz-Target": "Textract.GetDocumentAnalysis"}),
    "claude": ("/model/m/converse", {}),
}
SERVICES = {"textract": "textract", "claude": "bedrock-runtime"}


def command(name: str, tmp_path: Path, port: int) -> list[str]:
    started = [sys.executable, "-m", f"mailroom_desk.cloud.{name}", "--port", str(port)]
    started += ["--ledger", str(tmp_path / "ledger.db"), "--faults", str(tmp_path / "plan.json")]
    if name == "textract":
        started += ["--state", str(tmp_path / "state"), "--endpoint-url", "http://127.0.0.1:1"]
    return started


def connected(port: int) -> http.client.HTTPConnection:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_SECONDS)
        try:
            connection.connect()
            return connection
        except OSError:
            assert time.monotonic() < deadline, "the server did not start"
            time.sleep(0.05)


@pytest.mark.parametrize("name", ["textract", "claude"])
def test_server_that_holds_a_call_stops_at_once_and_cleanly(name: str, tmp_path: Path) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    plan = {"rules": [{"service": SERVICES[name], "fault": "no_answer"}]}
    (tmp_path / "plan.json").write_text(json.dumps(plan))
    started = command(name, tmp_path, port)
    with subprocess.Popen(started, stderr=subprocess.PIPE, text=True) as server:
        held, looking = connected(port), connected(port)
        path, headers = CALLS[name]
        held.request("POST", path, b"{}", headers)
        looking.request("GET", "/faults")
        answer = json.load(looking.getresponse())
        while answer["hits"] == [0]:
            looking.request("GET", "/faults")
            answer = json.load(looking.getresponse())
        looking.close()
        server.send_signal(signal.SIGTERM)
        with pytest.raises((http.client.RemoteDisconnected, ConnectionResetError)):
            held.getresponse()
        held.close()
        _, errors = server.communicate(timeout=30)
    assert (answer, server.returncode, errors) == ({"plan": plan, "hits": [1]}, 0, "")


@pytest.mark.parametrize("name", ["textract", "claude"])
def test_server_with_a_plan_that_cannot_be_followed_says_why_and_does_not_start(
    name: str, tmp_path: Path
) -> None:
    (tmp_path / "plan.json").write_text('{"rules": [{"service": "textract", "fault": "fire"}]}')
    ended = subprocess.run(
        command(name, tmp_path, 1), capture_output=True, text=True, timeout=PATIENCE_SECONDS
    )
    assert ended.returncode == 2
    assert "rule 1: unknown fault 'fire'; there are error, slow" in ended.stderr
    assert "Traceback" not in ended.stderr
