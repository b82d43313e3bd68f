"""Which files are sent, under which keys, and as which documents."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
import pytest
from moto import mock_aws

from mailroom.document import document_id
from mailroom_desk.errors import UnusableFile
from mailroom_desk.stack import Stack
from mailroom_desk.upload import Source, Uploader, key_of, sources


@pytest.fixture
def s3() -> Iterator[Any]:
    with mock_aws():
        client = boto3.client("s3")
        client.create_bucket(Bucket="documents")
        yield client


@pytest.fixture
def stack(s3: Any) -> Stack:
    return Stack("mailroom", "us-east-1", "documents", "table", "arn", False, lambda _: s3)


def _versioned(s3: Any) -> None:
    s3.put_bucket_versioning(Bucket="documents", VersioningConfiguration={"Status": "Enabled"})


def _file(folder: Path, name: str, content: bytes = b"%PDF-") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def test_sources_of_a_folder_are_its_files_without_hidden_ones(tmp_path: Path) -> None:
    for name in ("b.pdf", "a.pdf", "sub/c.pdf", ".hidden", ".git/config"):
        _file(tmp_path, name)

    assert [source.name for source in sources([tmp_path])] == ["a.pdf", "b.pdf", "sub/c.pdf"]


def test_sources_of_an_empty_folder_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(UnusableFile, match="no files"):
        sources([tmp_path])


def test_sources_with_a_name_that_is_not_utf8_are_an_error(tmp_path: Path) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.pdf"))
    path.touch()

    with pytest.raises(UnusableFile, match="not UTF-8"):
        sources([path])


@pytest.mark.parametrize(
    ("prefix", "key"),
    [
        ("", "incoming/a +%.pdf"),
        ("november", "incoming/november/a +%.pdf"),
        ("/2026/11/", "incoming/2026/11/a +%.pdf"),
    ],
)
def test_key_of_a_file_stands_under_incoming_as_it_is(prefix: str, key: str) -> None:
    assert key_of(Source(Path("x"), "a +%.pdf"), prefix) == key


def test_key_that_s3_would_refuse_is_an_error() -> None:
    with pytest.raises(UnusableFile, match="too long"):
        key_of(Source(Path("x"), "é" * 600), "")


@pytest.mark.parametrize("size", [5, 9 * 1024 * 1024], ids=["at once", "in parts"])
def test_send_names_the_document_by_the_version_that_was_uploaded(
    s3: Any, stack: Stack, tmp_path: Path, size: int
) -> None:
    _versioned(s3)
    source = Source(_file(tmp_path, "a.pdf", b"x" * size), "a.pdf")
    uploader = Uploader(stack)

    sent = [uploader.send(source, "incoming/a.pdf") for _ in range(2)]

    versions = s3.list_object_versions(Bucket="documents")["Versions"]
    ids = {document_id("documents", "incoming/a.pdf", v["VersionId"]) for v in versions}
    assert {document.document_id for document in sent} == ids
    assert len(ids) == 2


def test_send_names_the_document_by_its_etag_where_the_bucket_keeps_no_versions(
    s3: Any, stack: Stack, tmp_path: Path
) -> None:
    sent = Uploader(stack).send(Source(_file(tmp_path, "a.pdf"), "a.pdf"), "incoming/a.pdf")

    etag = s3.head_object(Bucket="documents", Key="incoming/a.pdf")["ETag"].strip('"')
    assert sent.document_id == document_id("documents", "incoming/a.pdf", etag)
