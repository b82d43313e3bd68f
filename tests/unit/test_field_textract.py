"""Textract as it really behaves: quotas, tokens, errors that hide causes, files in odd order."""

import json
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import IO, Any

import pytest
from botocore.exceptions import ClientError
from botocore.session import get_session
from botocore.stub import Stubber
from hypothesis import given
from hypothesis import strategies as st
from intake_desk import PDF, Desk, FakeOcr, FakeWorkflow, desk, event

from mailroom.aws.bucket import Bucket, ObjectHead
from mailroom.aws.clients import client
from mailroom.aws.textract import Textract
from mailroom.document import SourceObject, Work, document_id
from mailroom.errors import (
    MailroomError,
    OcrFailed,
    OcrRefused,
    OcrResultsIncomplete,
    OcrThrottled,
    ServiceMisconfigured,
    SourceUnreadable,
    UnknownDocument,
    UnknownEvent,
)
from mailroom.extract import extract
from mailroom.intake import take_all
from mailroom.ocr_done import job_done
from mailroom.pages import decode
from mailroom.release import PER_NOTICE, release

__all__ = ["desk"]  # the fixture

ROLE = "arn:aws:iam::000000000000:role/mailroom-ocr"
TOPIC = "arn:aws:sns:us-east-1:000000000000:mailroom-ocr-done"
HOSTILE = "incoming/" + "a b+c é.d/..%20" * 50
REQUEST: dict[str, Any] = {
    "bucket": "mailroom-documents",
    "key": HOSTILE[:850],
    "version_id": "v1",
    "features": "TABLES",
    "topic_arn": TOPIC,
    "role_arn": ROLE,
}


def notice(row: dict[str, Any], **changed: Any) -> dict[str, Any]:
    tag = f"{row['document_id']}.{row['attempt']}"
    return {"JobId": row["job_id"], "JobTag": tag, "Status": "SUCCEEDED", **changed}


# -- capacity -------------------------------------------------------------------------------------


@dataclass
class Slots(FakeOcr):
    """Takes no more than a few jobs at a time."""

    free: int = 5

    def start(self, document_id: str, attempt: int, **request: Any) -> str:
        if not self.free:
            self.errors.append(OcrThrottled("Textract: too many open jobs."))
        job_id = super().start(document_id, attempt, **request)
        self.free -= 1
        return job_id


def test_fifty_documents_pass_through_five_slots_without_a_loss(desk: Desk) -> None:
    ocr, workflow, done = Slots(), FakeWorkflow(), 0
    intake, table = replace(desk.intake, ocr=ocr), desk.intake.table
    for n in range(50):
        key = f"incoming/{n}.pdf"
        take_all(intake, event((key, desk.put(key, PDF + str(n).encode()))))
    assert ocr.free == 0

    while reading := [row for row in table.open_rows() if row["status"] == "READING"]:
        assert len(reading) <= 5
        job_done(notice(reading[0]), table, workflow)
        ocr.free += 1
        release(PER_NOTICE, table, lambda held: take_all(intake, held))
        done += 1

    assert done == len(workflow.started) == 50
    assert len(ocr.started) <= 3 * 50
    assert {row["status"] for row in table.open_rows()} == {"WORKING"}
    assert desk.dead_letters() == []


# -- the request ----------------------------------------------------------------------------------


@pytest.fixture
def textract() -> Iterator[tuple[Textract, Stubber, list[dict[str, Any]]]]:
    """The adapter, what answers it, and the requests that it has sent."""
    client.cache_clear()
    adapter, api = Textract(), client("textract")
    sent: list[dict[str, Any]] = []

    def note(params: dict[str, Any], **_: Any) -> None:
        sent.append(params)

    api.meta.events.register("provide-client-params.textract.*", note)
    with Stubber(api) as stubber:
        yield adapter, stubber, sent
    client.cache_clear()


def breaches(value: Any, shape: Any) -> Iterator[str]:
    """Where a request breaks the service model's lengths and patterns."""
    if shape.type_name == "structure":
        for name, inner in value.items():
            yield from breaches(inner, shape.members[name])
    elif shape.type_name == "string":
        limits = shape.metadata
        fits = limits.get("min", 0) <= len(value) <= limits.get("max", len(value))
        if not fits or not re.fullmatch(limits.get("pattern", "(?s).*"), value):
            yield shape.name


def start(textract: Any, *, attempt: int = 1, **changed: Any) -> dict[str, Any]:
    adapter, stubber, sent = textract
    stubber.add_response("start_document_analysis", {"JobId": "job"})
    asked = {**REQUEST, **changed}
    identity = document_id(asked["bucket"], asked["key"], asked["version_id"])
    assert adapter.start(identity, attempt, **asked) == "job"
    return dict(sent[-1])


def test_request_for_a_hostile_key_is_valid_and_the_same_each_time(textract: Any) -> None:
    first, second = start(textract), start(textract)

    model = get_session().get_service_model("textract")
    shape = model.operation_model("StartDocumentAnalysis").input_shape
    assert list(breaches(first, shape)) == []
    assert list(breaches({"JobTag": "a b"}, shape)) == ["JobTag"]
    assert first == second
    assert first["DocumentLocation"]["S3Object"]["Name"] == REQUEST["key"]


@pytest.mark.parametrize(
    "change",
    [
        {"features": "TABLES,FORMS"},
        {"version_id": "v2"},
        {"topic_arn": TOPIC + "-2"},
        {"role_arn": ROLE + "-2"},
        {"attempt": 2},
    ],
)
def test_token_changes_with_whatever_the_request_changes(
    textract: Any, change: dict[str, Any]
) -> None:
    first, second = start(textract), start(textract, **change)

    assert first["ClientRequestToken"] != second["ClientRequestToken"]


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("IdempotentParameterMismatchException", ServiceMisconfigured),
        ("InvalidS3ObjectException", SourceUnreadable),
        ("DocumentTooLargeException", OcrRefused),
    ],
)
def test_permanent_refusal_is_named_after_one_call(
    textract: Any, code: str, error: type[MailroomError]
) -> None:
    adapter, stubber, sent = textract
    stubber.add_client_error("start_document_analysis", code, "No.")

    with pytest.raises(error, match=re.escape(f"Textract: No. ({code})")):
        adapter.start("d" * 40, 1, **REQUEST)

    assert len(sent) == 1


def test_job_that_has_expired_is_a_clear_end(textract: Any) -> None:
    adapter, stubber, _ = textract
    stubber.add_client_error("get_document_analysis", "InvalidJobIdException", "Unknown job.")

    with pytest.raises(OcrFailed, match="InvalidJobIdException"):
        adapter.status("a" * 64)


# -- errors that hide their cause -----------------------------------------------------------------


class Probed(Bucket):
    """Answers the first look, and refuses the second."""

    code = ""

    def head(self, key: str, version_id: str | None) -> ObjectHead:
        if self.code and self.looked:
            with self._faults():
                answer: Any = {"Error": {"Code": self.code, "Message": f"says {self.code}"}}
                raise ClientError(answer, "HeadObject")
        self.looked = True
        return super().head(key, version_id)

    looked = False


@pytest.mark.parametrize(
    ("code", "status", "error", "says"),
    [
        ("404", "REJECTED", None, "was deleted"),
        ("403", "DEAD_LETTERED", "ServiceMisconfigured", "says 403 (403)"),
        ("301", "DEAD_LETTERED", "ServiceMisconfigured", "says 301 (301)"),
        ("SlowDown", "DEAD_LETTERED", "SourceUnreadable", "could not find out why"),
        ("", "DEAD_LETTERED", "SourceUnreadable", "rights of the intake role"),
    ],
)
def test_unreadable_object_ends_with_what_a_second_look_says(
    desk: Desk, code: str, status: str, error: str | None, says: str
) -> None:
    version = desk.put("incoming/a.pdf")
    bucket = Probed(desk.intake.bucket.name)
    bucket.code = code
    desk.ocr.errors = [SourceUnreadable("Textract: Unable to get object metadata.")]

    take_all(replace(desk.intake, bucket=bucket), event(("incoming/a.pdf", version)))

    row = desk.row("incoming/a.pdf", version)
    assert (row["status"], row.get("error", {}).get("error")) == (status, error)
    assert says in row.get("error", {}).get("cause", "".join(row.get("reasons", [])))
    assert len(desk.ocr.started) == 1


# -- limits ---------------------------------------------------------------------------------------


class Huge(Bucket):
    """Every object has 600 MB."""

    def head(self, key: str, version_id: str | None) -> ObjectHead:
        return replace(super().head(key, version_id), size=600 * 1024 * 1024)


def test_file_over_the_size_limit_is_rejected_unpaid_with_the_limit(desk: Desk) -> None:
    version = desk.put("incoming/a.pdf")

    take_all(
        replace(desk.intake, bucket=Huge(desk.intake.bucket.name)),
        event(("incoming/a.pdf", version)),
    )

    (reason,) = desk.row("incoming/a.pdf", version)["reasons"]
    assert "600 MB" in reason and "limit for PDF is 500 MB" in reason
    assert desk.ocr.started == []


@dataclass
class Files:
    """A bucket in memory, in S3's order."""

    content: dict[str, Any]
    written: dict[str, bytes] = field(default_factory=dict)

    def keys(self, prefix: str) -> list[str]:
        return sorted(key for key in self.content if key.startswith(prefix))

    def read(self, key: str) -> bytes:
        content = self.content[key]
        return content if isinstance(content, bytes) else json.dumps(content).encode()

    def write_file(self, key: str, file: IO[bytes], content_type: str) -> None:
        file.seek(0)
        self.written[key] = file.read()


@dataclass
class Why:
    message: str

    def why_failed(self, work: Work) -> str:
        return self.message


WORK = Work("d" * 40, 1, "b", "incoming/a.pdf", "job", "SUCCEEDED")


def test_failed_job_names_the_limit_that_textract_names() -> None:
    failed = replace(WORK, ocr_status="FAILED")
    bucket: Any = Files({})

    with pytest.raises(OcrFailed, match="more than 3000 pages"):
        extract(failed, bucket, Why("The document has more than 3000 pages"))


def page(number: int, last: int) -> dict[str, Any]:
    line = {"Id": f"l{number}", "BlockType": "LINE", "Page": number, "Text": f"page {number}"}
    more = {"NextToken": "more"} if number < last else {}
    return {"DocumentMetadata": {"Pages": last}, "Blocks": [line], **more}


def result_files(last: int) -> dict[str, Any]:
    files = {f"{WORK.ocr_files}{number}": page(number, last) for number in range(1, last + 1)}
    return {f"{WORK.ocr_files}.s3_access_check": {}, **files}


@given(st.integers(2, 40))
def test_result_files_are_read_by_number_and_without_the_access_check(last: int) -> None:
    bucket: Any = Files(result_files(last))

    extracted = extract(WORK, bucket, Why(""))

    pages = [decode(line) for line in bucket.written[extracted["text_key"]].splitlines()]
    assert [page.text for page in pages] == [f"page {n + 1}" for n in range(last)]


@pytest.mark.parametrize("missing", [1, 7, 12])
def test_missing_result_file_is_waited_for(missing: int) -> None:
    files = result_files(12)
    del files[f"{WORK.ocr_files}{missing}"]
    bucket: Any = Files(files)

    with pytest.raises(OcrResultsIncomplete):
        extract(WORK, bucket, Why(""))

    assert bucket.written == {}


def test_cut_result_file_is_waited_for_and_not_quoted() -> None:
    files = result_files(3)
    whole = json.dumps(files[f"{WORK.ocr_files}2"]).encode()
    files[f"{WORK.ocr_files}2"] = whole[:-40]
    bucket: Any = Files(files)

    with pytest.raises(OcrResultsIncomplete, match="Result file 2 is cut"):
        extract(WORK, bucket, Why(""))

    assert bucket.written == {}


# -- notices --------------------------------------------------------------------------------------


def test_notice_twice_at_once_starts_one_execution(desk: Desk) -> None:
    version = desk.put("incoming/a.pdf")
    take_all(desk.intake, event(("incoming/a.pdf", version)))
    row, workflow = desk.row("incoming/a.pdf", version), FakeWorkflow()

    with ThreadPoolExecutor(2) as pool:
        told = pool.map(lambda _: job_done(notice(row), desk.intake.table, workflow), range(2))

    assert sorted(told) == ["repeated", "started"]
    assert list(workflow.started) == [f"{row['document_id']}-1"]


def test_notice_of_another_stack_starts_nothing(desk: Desk) -> None:
    workflow = FakeWorkflow()
    row = {"document_id": "e" * 40, "attempt": 1, "job_id": "job"}

    with pytest.raises(UnknownDocument):
        job_done(notice(row), desk.intake.table, workflow)

    assert workflow.started == {} and desk.rows() == 0


def test_notice_of_another_kind_of_job_is_not_taken_for_ours(desk: Desk) -> None:
    version = desk.put("incoming/a.pdf")
    desk.intake.take(SourceObject(desk.intake.bucket.name, "incoming/a.pdf", version))
    row, workflow = desk.row("incoming/a.pdf", version), FakeWorkflow()

    with pytest.raises(UnknownEvent):
        job_done(notice(row, API="StartDocumentTextDetection"), desk.intake.table, workflow)

    assert workflow.started == {}
    assert desk.row("incoming/a.pdf", version) == row
