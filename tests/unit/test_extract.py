"""Result files in the bucket become a text, a Markdown file and counts."""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import boto3
import pytest
from moto import mock_aws
from textract_made import Paper, result

from mailroom.aws.bucket import Bucket
from mailroom.aws.clients import client
from mailroom.document import Work
from mailroom.errors import OcrFailed, OcrResultsIncomplete, SourceMissing
from mailroom.extract import extract
from mailroom.pages import decode

WORK = Work("d" * 40, 1, "documents", "incoming/a.pdf", "job", "SUCCEEDED")


class Why:
    """Why a job failed."""

    def why_failed(self, work: Work) -> str:
        return "The document is encrypted."


@pytest.fixture
def bucket() -> Iterator[Bucket]:
    with mock_aws():
        client.cache_clear()
        boto3.client("s3").create_bucket(Bucket=WORK.bucket)
        yield Bucket(WORK.bucket)
    client.cache_clear()


def put(bucket: Bucket, *files: dict[str, Any]) -> None:
    for number, file in enumerate(files, start=1):
        body = json.dumps(file).encode()
        bucket.write(f"{WORK.ocr_files}{number}", body, "application/json")


def sheet(number: int, pages: int, **more: Any) -> dict[str, Any]:
    paper = Paper(number)
    paper.line(f"Page {number} of the letter")
    return result(paper.done(), pages, **more)


def test_text_and_markdown_are_written_and_counted(bucket: Bucket) -> None:
    put(bucket, sheet(1, 2), sheet(2, 2))

    extracted = extract(WORK, bucket, Why())

    assert extracted == {
        "text_key": WORK.text_key,
        "markdown_key": WORK.markdown_key,
        "pages_reported": 2,
        "pages_read": 2,
        "missing_pages": [],
        "missing": 0,
        "words": 10,
        "characters_found": 32,
        "characters_kept": 32,
        "dangling": 0,
        "warnings": [],
    }
    texts = [decode(line).text for line in bucket.lines(WORK.text_key)]
    assert texts == ["Page 1 of the letter", "Page 2 of the letter"]
    readable = bucket.read(WORK.markdown_key).decode()
    assert readable.startswith("# incoming/a.pdf\n\n## Page 1\n\nPage 1 of the letter\n")


def test_missing_and_warned_pages_are_named(bucket: Bucket) -> None:
    warnings = [{"ErrorCode": "INTERNAL_ERROR", "Pages": [1, 3]}]
    put(bucket, sheet(2, 5, Warnings=warnings), sheet(4, 5))

    extracted = extract(replace(WORK, ocr_status="PARTIAL_SUCCESS"), bucket, Why())

    assert (extracted["missing_pages"], extracted["missing"]) == ([1, 3, 5], 3)
    assert extracted["warnings"] == ["INTERNAL_ERROR on page 1, 3"]
    readable = bucket.read(WORK.markdown_key).decode()
    named = [line for line in readable.splitlines() if line.startswith(("##", ">"))]
    assert [line.split(" missing")[0] for line in named] == [
        "> **Page 1 is",
        "## Page 2",
        "> **Page 3 is",
        "## Page 4",
        "> **Page 5 is",
    ]


def test_state_stays_small_whatever_is_missing(bucket: Bucket) -> None:
    warnings = [
        {"ErrorCode": "文" * 500 + str(n), "Pages": list(range(1, 3000, 2))} for n in range(99)
    ]
    put(bucket, result([], 3000, Warnings=warnings))

    extracted = extract(WORK, bucket, Why())

    assert extracted["missing"] == 3000
    assert len(extracted["missing_pages"]) == 20
    assert len(json.dumps(extracted)) < 32 * 1024


def test_document_of_one_file_is_fetched_once(bucket: Bucket) -> None:
    put(bucket, sheet(1, 1))
    fetched: list[str] = []
    events = client("s3", read_seconds=20).meta.events
    events.register("before-call.s3.GetObject", lambda params, **_: fetched.append("file"))

    extract(WORK, bucket, Why())

    assert len(fetched) == 1


def test_long_text_goes_to_the_bucket_whole(bucket: Bucket) -> None:
    pages = 45
    files = []
    for number in range(1, pages + 1):
        paper = Paper(number)
        for at in range(40):
            paper.line(" ".join(["word"] * 60), 0.1, at * 0.02)
        files.append(result(paper.done(), pages))
    put(bucket, *files)

    extracted = extract(WORK, bucket, Why())

    assert extracted["words"] == pages * 40 * 60
    lines = list(bucket.lines(WORK.text_key))
    assert sum(map(len, lines)) > 4 * 1024 * 1024
    assert [decode(line).number for line in lines] == list(range(1, pages + 1))


def test_failed_job_gives_its_reason(bucket: Bucket) -> None:
    with pytest.raises(
        OcrFailed, match=r"could not read the document: The document is encrypted\.$"
    ):
        extract(replace(WORK, ocr_status="FAILED"), bucket, Why())


@pytest.mark.parametrize("gone", [1, 2, 3])
def test_gap_in_the_files_is_incomplete(bucket: Bucket, gone: int) -> None:
    files = [sheet(number, 3, NextToken="more") for number in (1, 2)] + [sheet(3, 3)]
    put(bucket, *files)
    boto3.client("s3").delete_object(Bucket=WORK.bucket, Key=f"{WORK.ocr_files}{gone}")

    with pytest.raises(OcrResultsIncomplete):
        extract(WORK, bucket, Why())
    assert bucket.read_if_there(WORK.text_key) is None


def test_job_without_files_is_incomplete(bucket: Bucket) -> None:
    with pytest.raises(OcrResultsIncomplete):
        extract(WORK, bucket, Why())


def test_lines_of_an_object_that_is_not_there(bucket: Bucket) -> None:
    with pytest.raises(SourceMissing):
        list(bucket.lines("text/none.jsonl"))


def test_lines_do_not_depend_on_the_parts_in_which_they_come(bucket: Bucket) -> None:
    body = b"\n".join([b"a" * 3_000_000, b"", "\u2028é\r".encode(), b"last"])
    bucket.write("text/x", body, "text/plain")

    assert list(bucket.lines("text/x")) == body.split(b"\n")
