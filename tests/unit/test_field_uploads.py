"""What really arrives in buckets: odd names, events and files. Each ends once, with a reason."""

from dataclasses import replace
from typing import Any

import boto3
import pytest
from intake_desk import BUCKET, PDF, Desk, FakeOcr, desk, event
from test_incoming import eventbridge, in_sns, in_sqs, notification, sns_body

from mailroom.errors import SourceUnreadable, UnknownEvent
from mailroom.intake import take_all

__all__ = ["desk"]  # the fixture

TEST_EVENT = {"Service": "Amazon S3", "Event": "s3:TestEvent", "Bucket": BUCKET}
COMPOSED, DECOMPOSED = "incoming/caf\u00e9.pdf", "incoming/cafe\u0301.pdf"


def at(shape: dict[str, Any]) -> dict[str, Any]:
    """An event about the bucket of these tests."""
    for record in shape.get("Records", [shape]):
        record.get("s3", record.get("detail", {}))["bucket"] = {"name": BUCKET}
    return shape


def statuses(taken: dict[str, Any]) -> list[str]:
    return [each["status"] for each in taken["documents"]]


# -- names ----------------------------------------------------------------------------------------


def test_encoded_looking_neighbour_is_never_read_instead(desk: Desk) -> None:
    plain = desk.put("incoming/5:00.pdf", PDF + b" one")
    encoded = desk.put("incoming/5%3A00.pdf", PDF + b" and another")

    take_all(desk.intake, at(notification("incoming/5:00.pdf", versionId=plain)))
    take_all(desk.intake, at(notification("incoming/5%3A00.pdf", versionId=encoded)))

    assert desk.row("incoming/5:00.pdf", plain)["size"] == len(PDF) + 4
    assert desk.row("incoming/5%3A00.pdf", encoded)["size"] == len(PDF) + 12
    assert [each["key"] for each in desk.ocr.started] == [
        "incoming/5:00.pdf", "incoming/5%3A00.pdf",
    ]  # fmt: skip


def test_decomposed_name_is_found_under_its_own_bytes(desk: Desk) -> None:
    version = desk.put(DECOMPOSED)

    take_all(desk.intake, at(notification(DECOMPOSED, versionId=version)))

    assert desk.row(DECOMPOSED, version)["status"] == "READING"
    assert desk.ocr.started[0]["key"].encode() == DECOMPOSED.encode()


def test_two_byte_forms_of_a_name_are_two_rows(desk: Desk) -> None:
    versions = {key: desk.put(key, PDF + key.encode()) for key in (COMPOSED, DECOMPOSED)}

    for key, version in versions.items():
        take_all(desk.intake, at(notification(key, versionId=version)))

    rows = [desk.row(key, version) for key, version in versions.items()]
    assert [row["key"] for row in rows] == [COMPOSED, DECOMPOSED]
    assert rows[0]["size"] + 1 == rows[1]["size"]
    assert desk.rows() == 2


@pytest.mark.parametrize(
    "name", ["A.PDF", "a.Pdf", "a.tiff", "a.TIF", "a.jpeg", "a.txt", "a", "6f1c2d3e", "a."]
)
def test_no_suffix_decides_about_a_document(desk: Desk, name: str) -> None:
    s3 = boto3.client("s3")
    octets = "application/octet-stream"
    s3.put_object(Bucket=BUCKET, Key=f"incoming/{name}", Body=PDF, ContentType=octets)

    taken = take_all(desk.intake, at(notification(f"incoming/{name}")))

    assert statuses(taken) == ["READING"]


# -- events ---------------------------------------------------------------------------------------


def test_messages_of_one_two_and_no_records_are_all_taken_once(desk: Desk) -> None:
    versions = {name: desk.put(f"incoming/{name}") for name in "abc"}
    records = [
        at(notification(f"incoming/{name}", versionId=version))["Records"][0]
        for name, version in versions.items()
    ]
    delivery = in_sqs({"Records": records[:1]}, {"Records": records[1:]}, {"Records": []})

    for _ in range(2):
        assert len(take_all(desk.intake, delivery)["documents"]) == 3

    assert len(desk.ocr.started) == desk.rows() == 3


@pytest.mark.parametrize(
    "shape", [TEST_EVENT, in_sqs(TEST_EVENT), in_sqs(sns_body(TEST_EVENT)), in_sns(TEST_EVENT)]
)
def test_test_event_leaves_no_row_and_no_failure(desk: Desk, shape: dict[str, Any]) -> None:
    assert take_all(desk.intake, shape)["documents"] == []
    assert desk.rows() == 0


def test_garbage_in_a_batch_fails_alone(desk: Desk) -> None:
    version = desk.put("incoming/a.pdf")
    good = at(notification("incoming/a.pdf", versionId=version))

    with pytest.raises(UnknownEvent):
        take_all(desk.intake, in_sqs({"garbage": True}, good))

    assert desk.row("incoming/a.pdf", version)["status"] == "READING"


def test_folder_marker_leaves_no_row_and_a_small_file_is_a_document(desk: Desk) -> None:
    desk.put("incoming/new folder/", b"")
    desk.put("incoming/x", b"%PDF-1.7\n%")

    assert (
        take_all(desk.intake, at(notification("incoming/new folder/", size=0)))["documents"] == []
    )
    assert statuses(take_all(desk.intake, at(notification("incoming/x", size=10)))) == ["READING"]
    assert desk.rows() == 1


def test_event_without_a_size_is_sized_by_the_object_itself(desk: Desk) -> None:
    version = desk.put("incoming/a.pdf")

    take_all(desk.intake, at(eventbridge("incoming/a.pdf")))

    assert desk.row("incoming/a.pdf", version)["size"] == len(PDF)


def test_empty_put_before_the_real_one_ends_in_one_good_document(desk: Desk) -> None:
    empty, real = desk.put("incoming/a.pdf", b""), desk.put("incoming/a.pdf")

    for version in (empty, real):
        take_all(desk.intake, event(("incoming/a.pdf", version)))

    assert desk.row("incoming/a.pdf", empty)["status"] == "REJECTED"
    assert desk.row("incoming/a.pdf", real)["status"] == "READING"
    assert [each["version_id"] for each in desk.ocr.started] == [real]


def test_document_of_a_multipart_upload_is_taken_in(desk: Desk) -> None:
    version = desk.put("incoming/large.pdf")
    how = "ObjectCreated:CompleteMultipartUpload"

    taken = take_all(desk.intake, at(notification("incoming/large.pdf", how, versionId=version)))

    assert statuses(taken) == ["READING"]


# -- files ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "head", "status", "says"),
    [
        ("a.pdf", b"PK\x03\x04 word/document.xml", "REJECTED", "Office"),
        ("a.jpg", b"\x00\x00\x00\x18ftypheic", "REJECTED", "HEIC"),
        ("a.pdf", b"%PDF-1.7\n/Encrypt 5 0 R", "READING", ""),
        ("a.jpg", b"\xff\xd8\xff\xe0 cut off", "READING", ""),
        ("a.tiff", b"II*\x00 two pages", "READING", ""),
    ],
)
def test_file_goes_to_the_asynchronous_job_or_ends_with_its_kind(
    desk: Desk, name: str, head: bytes, status: str, says: str
) -> None:
    version = desk.put(f"incoming/{name}", head)

    take_all(desk.intake, event((f"incoming/{name}", version)))

    row = desk.row(f"incoming/{name}", version)
    assert row["status"] == status
    assert says in "".join(row.get("reasons", []))
    assert len(desk.ocr.started) == (status == "READING")


def test_file_deleted_before_its_job_starts_is_rejected_without_a_dead_letter(desk: Desk) -> None:
    version = desk.put("incoming/a.pdf")

    class TooLate(FakeOcr):
        def start(self, document_id: str, attempt: int, **request: Any) -> str:
            self.started.append(request)
            boto3.client("s3").delete_object(Bucket=BUCKET, Key=request["key"], VersionId=version)
            raise SourceUnreadable("Textract: Unable to get object metadata from S3.")

    ocr = TooLate()
    intake = replace(desk.intake, ocr=ocr)
    for _ in range(2):
        take_all(intake, event(("incoming/a.pdf", version)))

    rows = [desk.row("incoming/a.pdf", version), desk.row("incoming/a.pdf", version)]
    assert rows[0]["status"] == "REJECTED"
    assert rows[0]["reasons"] == ["The file was deleted before it could be read."]
    assert "open_shard" not in rows[0]
    assert len(ocr.started) == 1
    assert desk.dead_letters() == []
