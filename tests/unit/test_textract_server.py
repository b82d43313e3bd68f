"""The local Textract over HTTP, called by boto3, with moto's S3, SNS and SQS around it."""

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from io import BytesIO
from pathlib import Path
from typing import Any

import boto3
import pytest
import uvicorn
from botocore.config import Config
from botocore.exceptions import ClientError
from moto import mock_aws
from reportlab.pdfgen.canvas import Canvas

from mailroom_desk.cloud.ledger import Ledger
from mailroom_desk.cloud.textract.aws import AwsSurroundings
from mailroom_desk.cloud.textract.jobs import JobStore
from mailroom_desk.cloud.textract.server import make_app
from mailroom_desk.cloud.textract.service import Service
from mailroom_desk.cloud.textract.work import Workers

BUCKET = "documents"
TAG = "0123456789abcdef0123456789abcdef01234567.1"
ROLE = "arn:aws:iam::000000000000:role/textract"
PATIENCE_SECONDS = 60


@dataclass
class Cloud:
    """Clients of the services, and the parts of the server under test."""

    textract: Any
    s3: Any
    sqs: Any
    topic_arn: str
    queue_url: str
    ledger: Ledger
    store: JobStore
    workers: Workers

    def put(self, key: str, body: bytes) -> None:
        self.s3.put_object(Bucket=BUCKET, Key=key, Body=body)

    def start(self, key: str, **more: Any) -> str:
        answer = self.textract.start_document_analysis(
            DocumentLocation={"S3Object": {"Bucket": BUCKET, "Name": key}},
            FeatureTypes=["FORMS", "TABLES"],
            **more,
        )
        return str(answer["JobId"])

    def result(self, job_id: str) -> dict[str, Any]:
        return wait_for(
            lambda: _ended(self.textract.get_document_analysis(JobId=job_id)), PATIENCE_SECONDS
        )

    def notices(self) -> list[dict[str, Any]]:
        answer = self.sqs.receive_message(QueueUrl=self.queue_url, MaxNumberOfMessages=10)
        bodies = [json.loads(message["Body"]) for message in answer.get("Messages", [])]
        return [json.loads(body["Message"]) for body in bodies]


def _ended(answer: dict[str, Any]) -> dict[str, Any] | None:
    return answer if answer["JobStatus"] != "IN_PROGRESS" else None


def wait_for[T](look: Callable[[], T | None], seconds: float) -> T:
    """Look again and again until there is something."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        found = look()
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError("nothing came in time")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def client(service: str, url: str | None = None) -> Any:
    make: Any = boto3.client  # the stubs know each service by its literal name only
    return make(
        service,
        endpoint_url=url,
        region_name="us-east-1",
        aws_access_key_id="test",
        aws_secret_access_key="test",
        config=Config(retries={"total_max_attempts": 1}),
    )


@pytest.fixture(scope="module")
def cloud(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cloud]:
    with mock_aws():
        yield from running_cloud(tmp_path_factory.mktemp("textract"))


def running_cloud(folder: Path) -> Iterator[Cloud]:
    s3, sns, sqs = (client(name) for name in ("s3", "sns", "sqs"))
    s3.create_bucket(Bucket=BUCKET)
    topic_arn = sns.create_topic(Name="textract-done")["TopicArn"]
    queue_url = sqs.create_queue(QueueName="notices")["QueueUrl"]
    queue_arn = "arn:aws:sqs:us-east-1:123456789012:notices"
    sns.subscribe(TopicArn=topic_arn, Protocol="sqs", Endpoint=queue_arn)

    store, ledger = JobStore(folder / "jobs.db"), Ledger(folder / "ledger.db")
    surroundings = AwsSurroundings(s3, sns)
    workers = Workers(store, ledger, lambda: surroundings, folder / "results", count=1)
    service = Service(store, ledger, lambda: surroundings, folder / "results", workers.enqueue, 5)
    port = free_port()
    server = uvicorn.Server(
        uvicorn.Config(make_app(service), host="127.0.0.1", port=port, log_level="warning")
    )
    thread = threading.Thread(target=server.run, daemon=True)
    workers.start()
    thread.start()
    wait_for(lambda: server.started, PATIENCE_SECONDS)
    textract = client("textract", f"http://127.0.0.1:{port}")
    yield Cloud(textract, s3, sqs, topic_arn, queue_url, ledger, store, workers)
    server.should_exit = True
    thread.join()
    workers.stop()


def pdf(pages: int = 1, rows: int = 3) -> bytes:
    """Make an invoice with a text layer, many rows long if wanted."""
    buffer = BytesIO()
    canvas = Canvas(buffer, pagesize=(612, 792))
    for page in range(pages):
        canvas.setFont("Helvetica", 10)
        canvas.drawString(50, 740, "Invoice Number: INV-42")
        canvas.drawString(50, 720, f"Page {page + 1} of {pages}")
        for row in range(rows):
            y = 690 - 12 * row
            canvas.drawString(50, y, str(row))
            canvas.drawString(150, y, f"Item{row}")
            canvas.drawString(350, y, f"{row}.00")
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def channel(cloud: Cloud) -> dict[str, str]:
    return {"SNSTopicArn": cloud.topic_arn, "RoleArn": ROLE}


def test_job_of_a_digital_pdf_gives_blocks_output_files_and_one_notice(cloud: Cloud) -> None:
    cloud.put("incoming/invoice one.pdf", pdf())
    job_id = cloud.start(
        "incoming/invoice one.pdf",
        JobTag=TAG,
        NotificationChannel=channel(cloud),
        OutputConfig={"S3Bucket": BUCKET, "S3Prefix": "textract/a/1"},
    )
    answer = cloud.result(job_id)
    assert answer["JobStatus"] == "SUCCEEDED"
    assert answer["DocumentMetadata"] == {"Pages": 1}
    lines = [block["Text"] for block in answer["Blocks"] if block["BlockType"] == "LINE"]
    assert lines[0] == "Invoice Number: INV-42"

    notices = wait_for(cloud.notices, PATIENCE_SECONDS)
    assert [notice | {"Timestamp": 0} for notice in notices] == [
        {
            "JobId": job_id,
            "Status": "SUCCEEDED",
            "API": "StartDocumentAnalysis",
            "JobTag": TAG,
            "Timestamp": 0,
            "DocumentLocation": {
                "S3ObjectName": "incoming/invoice one.pdf",
                "S3Bucket": BUCKET,
            },
        }
    ]
    assert isinstance(notices[0]["Timestamp"], int)
    listed = cloud.s3.list_objects_v2(Bucket=BUCKET, Prefix="textract/a/1")["Contents"]
    folder = f"textract/a/1/{job_id}"
    assert [each["Key"] for each in listed] == [f"{folder}/.s3_access_check", f"{folder}/1"]
    stored = json.loads(cloud.s3.get_object(Bucket=BUCKET, Key=f"{folder}/1")["Body"].read())
    del answer["ResponseMetadata"]
    assert stored == answer


def test_pages_of_results_hold_1000_blocks_and_join_to_the_whole(cloud: Cloud) -> None:
    cloud.put("incoming/long.pdf", pdf(pages=8, rows=50))
    job_id = cloud.start(
        "incoming/long.pdf",
        NotificationChannel=channel(cloud),
        OutputConfig={"S3Bucket": BUCKET, "S3Prefix": "textract/long"},
    )
    first = cloud.result(job_id)
    assert len(first["Blocks"]) == 1000
    whole, pages = list(first["Blocks"]), [first]
    while "NextToken" in pages[-1]:
        token = pages[-1]["NextToken"]
        pages.append(cloud.textract.get_document_analysis(JobId=job_id, NextToken=token))
        whole += pages[-1]["Blocks"]
    ids = [block["Id"] for block in whole]
    assert len(ids) == len(set(ids)) > 2000
    related = {i for block in whole for each in block.get("Relationships", []) for i in each["Ids"]}
    assert related <= set(ids)
    assert sum(block["BlockType"] == "PAGE" for block in whole) == 8

    small = cloud.textract.get_document_analysis(JobId=job_id, MaxResults=7)
    assert [block["Id"] for block in small["Blocks"]] == ids[:7]
    following = cloud.textract.get_document_analysis(
        JobId=job_id, MaxResults=1000, NextToken=small["NextToken"]
    )
    assert [block["Id"] for block in following["Blocks"]] == ids[7:1007]

    wait_for(cloud.notices, PATIENCE_SECONDS)
    files = [
        json.loads(
            cloud.s3.get_object(Bucket=BUCKET, Key=f"textract/long/{job_id}/{n + 1}")["Body"].read()
        )
        for n in range(len(pages))
    ]
    assert [block["Id"] for file in files for block in file["Blocks"]] == ids
    assert ["NextToken" in file for file in files] == [True] * (len(pages) - 1) + [False]


def test_start_with_the_same_token_and_request_gives_the_same_job(cloud: Cloud) -> None:
    cloud.put("incoming/twice.pdf", pdf())
    first = cloud.start("incoming/twice.pdf", ClientRequestToken="twice")
    assert cloud.start("incoming/twice.pdf", ClientRequestToken="twice") == first
    with pytest.raises(ClientError) as caught:
        cloud.start("incoming/twice.pdf", ClientRequestToken="twice", JobTag="other")
    assert code_of(caught.value) == "IdempotentParameterMismatchException"
    cloud.result(first)


def code_of(error: ClientError) -> str:
    return str(error.response["Error"]["Code"])


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", "UnsupportedDocumentException"),
        (b"just text, whatever the name says", "UnsupportedDocumentException"),
        (b"\xff\xd8\xff" + bytes(10 * 1024 * 1024), "DocumentTooLargeException"),
        (None, "InvalidS3ObjectException"),
    ],
)
def test_start_refuses_what_cannot_be_a_document(
    cloud: Cloud, body: bytes | None, code: str
) -> None:
    if body is not None:
        cloud.put(f"incoming/{code}", body)
    with pytest.raises(ClientError) as caught:
        cloud.start(f"incoming/{code}")
    assert code_of(caught.value) == code


def test_start_with_an_output_bucket_that_is_not_there_is_refused(cloud: Cloud) -> None:
    cloud.put("incoming/fine.pdf", pdf())
    with pytest.raises(ClientError) as caught:
        cloud.start("incoming/fine.pdf", OutputConfig={"S3Bucket": "nowhere", "S3Prefix": "x"})
    assert code_of(caught.value) == "InvalidS3ObjectException"


@pytest.mark.parametrize(
    "parameters",
    [
        {"JobTag": "with space"},
        {"ClientRequestToken": "a" * 65},
        {"FeatureTypes": ["EVERYTHING"]},
        {"FeatureTypes": ["QUERIES"]},
        {"NotificationChannel": {"SNSTopicArn": "not-an-arn-at-all-really", "RoleArn": ROLE}},
    ],
)
def test_start_with_invalid_parameters_is_refused(cloud: Cloud, parameters: dict[str, Any]) -> None:
    request = {
        "DocumentLocation": {"S3Object": {"Bucket": BUCKET, "Name": "incoming/fine.pdf"}},
        "FeatureTypes": ["FORMS"],
    }
    with pytest.raises(ClientError) as caught:
        cloud.textract.start_document_analysis(**request | parameters)
    assert code_of(caught.value) == "InvalidParameterException"


def test_get_of_an_unknown_job_is_refused(cloud: Cloud) -> None:
    with pytest.raises(ClientError) as caught:
        cloud.textract.get_document_analysis(JobId="0" * 64)
    assert code_of(caught.value) == "InvalidJobIdException"


def test_get_with_a_token_of_its_own_making_is_refused(cloud: Cloud) -> None:
    cloud.put("incoming/token.pdf", pdf())
    job_id = cloud.start("incoming/token.pdf")
    cloud.result(job_id)
    with pytest.raises(ClientError) as caught:
        cloud.textract.get_document_analysis(JobId=job_id, NextToken="mine")
    assert code_of(caught.value) == "InvalidParameterException"


def test_operation_that_is_not_offered_is_refused(cloud: Cloud) -> None:
    with pytest.raises(ClientError) as caught:
        cloud.textract.detect_document_text(Document={"Bytes": b"%PDF-"})
    assert code_of(caught.value) == "UnknownOperationException"


def test_document_that_opens_badly_ends_failed_with_a_sentence_and_a_notice(cloud: Cloud) -> None:
    cloud.put("incoming/half.pdf", pdf()[:400])
    job_id = cloud.start("incoming/half.pdf", NotificationChannel=channel(cloud))
    answer = cloud.result(job_id)
    assert answer["JobStatus"] == "FAILED"
    assert answer["StatusMessage"] == "The document is damaged and cannot be read"
    assert "Blocks" not in answer
    notice = wait_for(cloud.notices, PATIENCE_SECONDS)[0]
    assert (notice["JobId"], notice["Status"]) == (job_id, "FAILED")
    assert "JobTag" not in notice


def test_ledger_charges_the_pages_of_a_job_that_succeeded(cloud: Cloud) -> None:
    cloud.put("incoming/charged.pdf", pdf(pages=3))
    job_id = cloud.start("incoming/charged.pdf", JobTag="charged.1")
    cloud.result(job_id)
    entries = [each for each in cloud.ledger.entries() if each.document_id == "charged"]
    costs = {each.operation: each.cost_usd for each in entries}
    assert costs == {
        "StartDocumentAnalysis": Decimal(0),
        "GetDocumentAnalysis": Decimal(0),
        "AnalyzedPages": Decimal("0.195"),
    }
    assert [each.detail for each in entries if each.detail] == ["3 pages"]


def test_ledger_names_the_error_of_a_refused_call(cloud: Cloud) -> None:
    with pytest.raises(ClientError):
        cloud.start("incoming/not-there", JobTag="refused.1")
    entry = next(each for each in cloud.ledger.entries() if each.document_id == "refused")
    assert (entry.outcome, entry.cost_usd) == ("InvalidS3ObjectException", Decimal(0))
