"""The server as a process, and its jobs over a restart."""

import json
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from mailroom_desk.cloud.ledger import Ledger
from mailroom_desk.cloud.textract.aws import surroundings_at
from mailroom_desk.cloud.textract.errors import (
    InternalServerError,
    InvalidJobIdException,
    InvalidS3ObjectException,
    LimitExceededException,
)
from mailroom_desk.cloud.textract.jobs import KEPT_SECONDS, JobStore
from mailroom_desk.cloud.textract.work import GONE, Workers

TOPIC = "arn:aws:sns:us-east-1:000000000000:done"
REQUEST: dict[str, Any] = {
    "DocumentLocation": {"S3Object": {"Bucket": "documents", "Name": "a.pdf"}},
    "FeatureTypes": ["FORMS"],
    "NotificationChannel": {"SNSTopicArn": TOPIC, "RoleArn": "arn:aws:iam::000000000000:role/t"},
}


class FakeSurroundings:
    """S3 without the document, silent at first, and an SNS that refuses the first calls."""

    def __init__(self, refusals: int = 0, silences: int = 0) -> None:
        self.notices: list[dict[str, Any]] = []
        self.silences = silences
        self._refusals = refusals

    def check_document(self, s3_object: dict[str, str]) -> None: ...

    def fetch(self, s3_object: dict[str, str], path: Path) -> None:
        if self.silences:
            self.silences -= 1
            raise InternalServerError
        raise InvalidS3ObjectException

    def write(self, bucket: str, key: str, body: bytes) -> None: ...

    def publish(self, topic_arn: str, message: dict[str, Any]) -> None:
        if self._refusals:
            self._refusals -= 1
            raise ConnectionError
        self.notices.append(message)


def workers_over(tmp_path: Path, surroundings: FakeSurroundings, waits: list[float]) -> Workers:
    return Workers(
        JobStore(tmp_path / "jobs.db"),
        Ledger(tmp_path / "ledger.db"),
        lambda: surroundings,
        tmp_path / "results",
        count=1,
        taken_up_after=0.01,
        clock=lambda: 1000.0,
        pause=waits.append,
    )


def until(condition: Any) -> None:
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline, "it did not come in time"
        time.sleep(0.02)


def test_jobs_left_unfinished_are_taken_up_by_the_next_server(tmp_path: Path) -> None:
    JobStore(tmp_path / "jobs.db").add("job", REQUEST, 999.0, 10)
    surroundings, waits = FakeSurroundings(refusals=2), list[float]()
    workers = workers_over(tmp_path, surroundings, waits)
    workers.start()
    until(lambda: not workers.store.unannounced())
    workers.stop()
    job = JobStore(tmp_path / "jobs.db").get("job", 1000.0)
    assert (job.status, job.message) == ("FAILED", GONE)
    assert [notice["Status"] for notice in surroundings.notices] == ["FAILED"]
    assert waits == [1, 2]


def test_job_whose_bucket_does_not_answer_is_taken_up_again(tmp_path: Path) -> None:
    JobStore(tmp_path / "jobs.db").add("job", REQUEST, 999.0, 10)
    surroundings = FakeSurroundings(silences=2)
    workers = workers_over(tmp_path, surroundings, [])
    workers.start()
    until(lambda: not workers.store.unannounced())
    workers.stop()
    assert surroundings.silences == 0
    assert [notice["Status"] for notice in surroundings.notices] == ["FAILED"]


def test_bucket_that_cannot_be_reached_has_lost_no_document(tmp_path: Path) -> None:
    nobody = surroundings_at("http://127.0.0.1:1")
    there = REQUEST["DocumentLocation"]["S3Object"]
    with pytest.raises(InternalServerError):
        nobody.check_document(there)
    with pytest.raises(InternalServerError):
        nobody.fetch(there, tmp_path / "document")
    with pytest.raises(InternalServerError):
        nobody.write("documents", "textract/1", b"")


def test_jobs_already_announced_are_left_alone_by_the_next_server(tmp_path: Path) -> None:
    store = JobStore(tmp_path / "jobs.db")
    store.add("old", REQUEST, 999.0, 10)
    store.finish("old", "SUCCEEDED", None, 2)
    store.mark_announced("old")
    assert store.unannounced() == []
    assert JobStore(tmp_path / "jobs.db").get("old", 1000.0).pages == 2


def test_job_older_than_seven_days_is_unknown_and_frees_its_token(tmp_path: Path) -> None:
    store = JobStore(tmp_path / "jobs.db")
    request = REQUEST | {"ClientRequestToken": "token"}
    assert store.add("first", request, 0.0, 10)
    later = KEPT_SECONDS + 1.0
    with pytest.raises(InvalidJobIdException):
        store.get("first", later)
    assert store.started(request, later) is None
    assert store.add("second", request, later, 10)


def test_start_over_the_quota_of_open_jobs_is_refused(tmp_path: Path) -> None:
    store = JobStore(tmp_path / "jobs.db")
    store.add("one", REQUEST, 1.0, 2)
    store.add("two", REQUEST, 1.0, 2)
    with pytest.raises(LimitExceededException):
        store.add("three", REQUEST, 1.0, 2)
    store.finish("one", "FAILED", "", 0)
    assert store.add("three", REQUEST, 1.0, 2)


@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGINT])
def test_server_answers_health_and_stops_cleanly(tmp_path: Path, stop: signal.Signals) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "mailroom_desk.cloud.textract", "--port", str(port)]
    command += ["--state", str(tmp_path / "state"), "--ledger", str(tmp_path / "ledger.db")]
    command += ["--endpoint-url", "http://127.0.0.1:1"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        until(lambda: health(port) == {"status": "ok"})
        server.send_signal(stop)
        _, errors = server.communicate(timeout=30)
    assert (server.returncode, errors) == (0, "")


def health(port: int) -> Any:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/health") as answer:
            return json.load(answer)
    except OSError:
        return None
