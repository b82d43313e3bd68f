"""The local Textract under a fault plan: calls, jobs, notices, output files and capacity."""

import json
import shutil
import socket
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ConnectionClosedError
from reportlab.pdfgen.canvas import Canvas

from mailroom_desk.cloud.fault_choice import Faults
from mailroom_desk.cloud.faults import TEXTRACT, Plan, error_statuses, parse_plan
from mailroom_desk.cloud.ledger import Ledger
from mailroom_desk.cloud.serving import LocalServer, Stopping
from mailroom_desk.cloud.textract.capacity import StartRate
from mailroom_desk.cloud.textract.jobs import JobStore
from mailroom_desk.cloud.textract.reader import read
from mailroom_desk.cloud.textract.readings import Readings
from mailroom_desk.cloud.textract.sabotage import files_of
from mailroom_desk.cloud.textract.server import make_app
from mailroom_desk.cloud.textract.service import Service
from mailroom_desk.cloud.textract.work import Workers

TOPIC = "arn:aws:sns:us-east-1:000000000000:done"
ROLE = "arn:aws:iam::000000000000:role/textract"
PAGES = 3
PATIENCE_SECONDS = 60


def pdf() -> bytes:
    buffer = BytesIO()
    canvas = Canvas(buffer, pagesize=(612, 792))
    for page in range(PAGES):
        canvas.drawString(50, 740, f"Page {page + 1}")
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


@dataclass
class Surroundings:
    """S3 with one document under every key, and an SNS that keeps what it is sent."""

    document: bytes
    notices: list[Any] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=dict)

    def check_document(self, s3_object: dict[str, str]) -> None: ...

    def fetch(self, s3_object: dict[str, str], path: Path) -> None:
        path.write_bytes(self.document)

    def write(self, bucket: str, key: str, body: bytes) -> None:
        self.files[key] = body

    def publish(self, topic_arn: str, message: Any) -> None:
        self.notices.append(message)


@dataclass
class Cloud:
    """The server with its surroundings and a client."""

    client: Any
    faults: Faults
    ledger: Ledger
    store: JobStore
    surroundings: Surroundings
    names: Iterator[int] = field(default_factory=lambda: iter(range(1000)))
    former: int = 0

    def plan(self, *rules: dict[str, Any], **plan: Any) -> None:
        named = [{"service": TEXTRACT} | rule for rule in rules]
        self.faults.replace(parse_plan(json.dumps(plan | {"rules": named})))

    def start(self, document: str | None = None) -> str:
        document = document or f"d{next(self.names)}"
        answer = self.client.start_document_analysis(
            DocumentLocation={"S3Object": {"Bucket": "documents", "Name": f"incoming/{document}"}},
            FeatureTypes=["FORMS", "TABLES"],
            JobTag=f"{document}.1",
            NotificationChannel={"SNSTopicArn": TOPIC, "RoleArn": ROLE},
            OutputConfig={"S3Bucket": "documents", "S3Prefix": f"textract/{document}/1"},
        )
        return str(answer["JobId"])

    def get(self, job_id: str) -> dict[str, Any]:
        answer: dict[str, Any] = self.client.get_document_analysis(JobId=job_id)
        return answer

    def ended(self, job_id: str) -> dict[str, Any]:
        """The answer of a job whose notice has been sent, or whatever stands for it."""
        until(lambda: self.store.is_announced(job_id))
        return self.get(job_id)

    def files(self, job_id: str) -> dict[str, bytes]:
        found = {k: v for k, v in self.surroundings.files.items() if f"/{job_id}/" in k}
        return {k.rpartition("/")[2]: v for k, v in found.items() if v}

    def outcomes(self, operation: str) -> list[tuple[str, str]]:
        """This test's calls of an operation with their prices, in cents."""
        found = [
            entry for entry in self.ledger.entries()[self.former :] if entry.operation == operation
        ]
        return [(entry.outcome, f"{entry.cost_usd * 100:.1f}") for entry in found]


def until(condition: Callable[[], Any]) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < deadline, "it did not come in time"
        time.sleep(0.01)


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cloud]:
    folder = tmp_path_factory.mktemp("faults")
    store, ledger = JobStore(folder / "jobs.db"), Ledger(folder / "ledger.db")
    surroundings, faults, stopping = Surroundings(pdf()), Faults(TEXTRACT), Stopping()
    workers = Workers(
        store,
        ledger,
        lambda: surroundings,
        folder / "results",
        count=1,
        faults=faults,
        readings=Readings(10_000_000),
    )
    service = Service(
        store,
        ledger,
        lambda: surroundings,
        folder / "results",
        workers.enqueue,
        100,
        faults=faults,
    )
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    server = LocalServer(make_app(service, stopping), port, stopping)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    workers.start()
    thread.start()
    client = boto3.client(
        "textract",
        endpoint_url=f"http://127.0.0.1:{port}",
        region_name="us-east-1",
        aws_access_key_id="test",
        aws_secret_access_key="test",
        config=Config(retries={"total_max_attempts": 1}),
    )
    yield Cloud(client, faults, ledger, store, surroundings)
    client.close()
    server.should_exit = True
    thread.join()
    workers.stop()
    listener.close()


@pytest.fixture
def cloud(running: Cloud) -> Cloud:
    running.faults.replace(Plan())
    running.surroundings.notices.clear()
    running.former = len(running.ledger.entries())
    return running


@pytest.mark.parametrize("code", error_statuses(TEXTRACT, "StartDocumentAnalysis"))
def test_documented_error_of_the_plan_reaches_boto3_and_starts_nothing(
    cloud: Cloud, code: str
) -> None:
    cloud.plan({"operation": "StartDocumentAnalysis", "fault": "error", "code": code})
    with pytest.raises(getattr(cloud.client.exceptions, code)) as caught:
        cloud.start("erring")
    status = caught.value.response["ResponseMetadata"]["HTTPStatusCode"]
    assert status == (500 if code == "InternalServerError" else 400)
    assert cloud.outcomes("StartDocumentAnalysis") == [(code, "0.0")]


def test_get_is_throttled_by_the_document_of_its_job(cloud: Cloud) -> None:
    cloud.plan(
        {"fault": "never_ends"},
        {
            "operation": "GetDocumentAnalysis",
            "fault": "error",
            "code": "ThrottlingException",
            "documents": ["throttled"],
            "first": 1,
        },
    )
    job_ids = [cloud.start("throttled"), cloud.start("free")]
    with pytest.raises(cloud.client.exceptions.ThrottlingException):
        cloud.get(job_ids[0])
    assert [cloud.get(job_id)["JobStatus"] for job_id in job_ids] == ["IN_PROGRESS"] * 2


def test_start_whose_answer_was_lost_gives_the_same_job_to_the_retry(cloud: Cloud) -> None:
    cloud.plan(
        {"operation": "StartDocumentAnalysis", "fault": "dropped", "after": True, "first": 1}
    )
    token = {"ClientRequestToken": "token"}
    request: dict[str, Any] = {
        "DocumentLocation": {"S3Object": {"Bucket": "documents", "Name": "a"}},
        "FeatureTypes": ["FORMS"],
    }
    with pytest.raises(ConnectionClosedError):
        cloud.client.start_document_analysis(**request, **token)
    job_id = cloud.client.start_document_analysis(**request, **token)["JobId"]
    assert cloud.ended(job_id)["JobStatus"] == "SUCCEEDED"
    assert [outcome for outcome, _ in cloud.outcomes("AnalyzedPages")] == ["ok"]


def test_failed_job_has_its_message_a_notice_and_no_price(cloud: Cloud) -> None:
    cloud.plan({"fault": "failed", "message": "Not today"})
    answer = cloud.ended(cloud.start())
    assert (answer["JobStatus"], answer["StatusMessage"]) == ("FAILED", "Not today")
    assert [notice["Status"] for notice in cloud.surroundings.notices] == ["FAILED"]
    assert cloud.outcomes("AnalyzedPages") == []


def test_partial_job_warns_of_pages_and_has_no_blocks_of_them(cloud: Cloud) -> None:
    cloud.plan({"fault": "partial", "pages": [2, 9]})
    job_id = cloud.start()
    answer = cloud.ended(job_id)
    assert answer["JobStatus"] == "PARTIAL_SUCCESS"
    assert answer["Warnings"] == [{"ErrorCode": "InternalServerError", "Pages": [2]}]
    assert {block["Page"] for block in answer["Blocks"]} == {1, 3}
    assert answer["DocumentMetadata"] == {"Pages": PAGES}
    assert json.loads(cloud.files(job_id)["1"])["Warnings"][0]["Pages"] == [2]
    assert cloud.outcomes("AnalyzedPages") == [("ok", "13.0")]


def test_partial_job_without_pages_misses_the_last(cloud: Cloud) -> None:
    cloud.plan({"fault": "partial"})
    assert cloud.ended(cloud.start())["Warnings"][0]["Pages"] == [PAGES]


def test_job_that_never_ends_has_no_notice_and_the_others_go_on(cloud: Cloud) -> None:
    cloud.plan({"fault": "never_ends", "documents": ["endless"]})
    endless, other = cloud.start("endless"), cloud.start()
    assert cloud.ended(other)["JobStatus"] == "SUCCEEDED"
    assert cloud.get(endless)["JobStatus"] == "IN_PROGRESS"
    assert [notice["JobId"] for notice in cloud.surroundings.notices] == [other]


@pytest.mark.parametrize(
    "plan",
    [
        {"job_seconds": [0.4, 0.5]},
        {"rules": [{"service": TEXTRACT, "fault": "slow_job", "seconds": 0.4}]},
    ],
)
def test_job_takes_its_time_without_holding_the_reader(cloud: Cloud, plan: Any) -> None:
    cloud.faults.replace(parse_plan(json.dumps(plan)))
    job_ids = [cloud.start() for _ in range(4)]
    starts = [cloud.store.get(job_id, time.time()).created_at for job_id in job_ids]
    assert [cloud.ended(job_id)["JobStatus"] for job_id in job_ids] == ["SUCCEEDED"] * 4
    times = [notice["Timestamp"] / 1000 for notice in cloud.surroundings.notices]
    assert min(times) >= min(starts) + 0.39
    assert cloud.outcomes("AnalyzedPages") == [("ok", "19.5")] * 4


def test_early_notice_is_there_before_start_answers(cloud: Cloud) -> None:
    cloud.plan({"fault": "early", "seconds": 30}, job_seconds=[20, 20])
    job_id = cloud.start()
    assert [notice["JobId"] for notice in cloud.surroundings.notices] == [job_id]


def test_late_notice_comes_after_the_job_has_ended(cloud: Cloud) -> None:
    cloud.plan({"fault": "late", "seconds": 0.5})
    job_id = cloud.start()
    until(lambda: cloud.get(job_id)["JobStatus"] == "SUCCEEDED")
    assert not cloud.store.is_announced(job_id)
    cloud.ended(job_id)
    assert len(cloud.surroundings.notices) == 1


def notices_under(cloud: Cloud, **rule: Any) -> tuple[str, list[Any]]:
    cloud.plan(rule)
    job_id = cloud.start("noticed")
    assert cloud.ended(job_id)["JobStatus"] == "SUCCEEDED"
    return job_id, cloud.surroundings.notices


def test_doubled_notice_comes_as_often_as_the_plan_says(cloud: Cloud) -> None:
    job_id, notices = notices_under(cloud, fault="doubled", copies=3)
    assert [notice["JobId"] for notice in notices] == [job_id] * 3


def test_lost_notice_never_comes(cloud: Cloud) -> None:
    assert notices_under(cloud, fault="lost")[1] == []


def test_foreign_notice_is_of_another_job_and_tag_before_the_true_one(cloud: Cloud) -> None:
    job_id, [foreign, true] = notices_under(cloud, fault="foreign")
    assert (true["JobId"], true["JobTag"]) == (job_id, "noticed.1")
    assert foreign["JobId"] != job_id
    assert foreign["JobTag"] != "noticed.1"


def test_malformed_notice_is_a_text_or_has_no_tag(cloud: Cloud) -> None:
    _, notices = notices_under(cloud, fault="malformed", instead=True)
    assert [type(notice) for notice in notices] == [str]
    notices.clear()
    _, [untagged, true] = notices_under(cloud, fault="malformed", form="untagged")
    assert true == untagged | {"JobTag": "noticed.1"}


def test_missing_output_file_is_the_only_thing_missing(cloud: Cloud) -> None:
    cloud.plan({"fault": "missing_file"})
    job_id = cloud.start()
    assert cloud.ended(job_id)["Blocks"]
    assert cloud.files(job_id) == {}


def test_cut_output_file_is_no_json(cloud: Cloud) -> None:
    cloud.plan({"fault": "cut_file"})
    job_id = cloud.start()
    cloud.ended(job_id)
    with pytest.raises(ValueError, match=r"."):
        json.loads(cloud.files(job_id)["1"])


def test_open_ended_output_file_says_that_more_follows(cloud: Cloud) -> None:
    cloud.plan({"fault": "open_ended"})
    job_id = cloud.start()
    whole = cloud.ended(job_id)["Blocks"]
    answer = json.loads(cloud.files(job_id)["1"])
    assert answer["NextToken"]
    assert answer["Blocks"] == whole[: len(whole) // 2]


@pytest.mark.parametrize(("part", "left"), [(2, [1, 3]), (9, [1, 2])])
def test_missing_file_of_many_is_the_one_that_is_named(part: int, left: list[int]) -> None:
    rule = {"service": TEXTRACT, "fault": "missing_file", "part": part}
    [fault] = parse_plan(json.dumps({"rules": [rule]})).rules
    answers: Any = ({"Blocks": []} for _ in range(3))
    assert [number for number, _ in files_of(answers, 3, fault, "job")] == left


def test_open_jobs_of_the_plan_limit_the_starts(cloud: Cloud) -> None:
    opened = len(cloud.store.unannounced())
    cloud.plan({"fault": "never_ends"}, open_jobs=opened + 2)
    for _ in range(2):
        cloud.start()
    with pytest.raises(cloud.client.exceptions.LimitExceededException):
        cloud.start()


def test_starts_per_second_of_the_plan_limit_the_starts(cloud: Cloud) -> None:
    cloud.plan(starts_per_second=0.001)
    cloud.start()
    with pytest.raises(cloud.client.exceptions.ProvisionedThroughputExceededException):
        cloud.start()


def test_start_rate_fills_again_with_time_up_to_a_second() -> None:
    rate = StartRate()
    assert [rate.allows(2, 0.0) for _ in range(3)] == [True, True, False]
    assert [rate.allows(2, 0.5) for _ in range(2)] == [True, False]
    assert [rate.allows(2, 99.0) for _ in range(3)] == [True, True, False]
    assert rate.allows(None, 99.0)


def test_second_job_of_a_document_is_counted_over_a_restart(tmp_path: Path) -> None:
    request = {"JobTag": "a.1"}
    for name, tag in [("j1", "a.1"), ("j2", "b.1"), ("j3", "a.2"), ("j4", "ab.1"), ("j5", "a.3")]:
        JobStore(tmp_path / "jobs.db").add(name, request | {"JobTag": tag}, 1.0, 9)
    store = JobStore(tmp_path / "jobs.db")
    numbers = [store.number_of(store.get(name, 2.0)) for name in ("j1", "j2", "j3", "j4", "j5")]
    assert numbers == [0, 0, 1, 0, 2]


def test_kept_reading_gives_the_very_blocks_that_a_reading_would_give(
    cloud: Cloud, tmp_path: Path
) -> None:
    document = tmp_path / "a.pdf"
    document.write_bytes(cloud.surroundings.document)
    readings, features = Readings(10_000_000), ["FORMS", "TABLES"]
    for job_id in ("one", "two"):
        read(document, tmp_path / job_id, job_id, features, lambda _: pytest.fail("no picture"))
    key = readings.key(document, features)
    assert readings.restore(key, tmp_path / "kept", "two") is None
    readings.keep(key, tmp_path / "one", PAGES)
    assert readings.restore(key, tmp_path / "kept", "two") == PAGES
    kept, read_again = (json.loads((tmp_path / d / "1.json").read_text()) for d in ("kept", "two"))
    assert kept == read_again


def test_readings_are_bounded_and_the_longest_unused_goes_first(tmp_path: Path) -> None:
    folder = tmp_path / "job"
    folder.mkdir()
    (folder / "1.json").write_text("[]" + " " * 38)
    readings = Readings(100)
    for key in ("a", "b"):
        readings.keep(key, folder, 1)
    readings.restore("a", folder, "job")
    (folder / "1.json").write_text("[]" + " " * 38)
    readings.keep("c", folder, 1)
    kept = [key for key in "abc" if readings.restore(key, tmp_path / "out", "x") is not None]
    assert kept == ["a", "c"]


def test_readings_of_size_0_keep_nothing(tmp_path: Path) -> None:
    shutil.copyfile(__file__, tmp_path / "1.json")
    readings = Readings(0)
    readings.keep("", tmp_path, 1)
    assert readings.restore("", tmp_path, "job") is None
