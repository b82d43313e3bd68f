"""The bucket: documents come in, text, answers and results go out."""

import hashlib
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from tempfile import SpooledTemporaryFile
from typing import IO, Any

from mailroom.aws.clients import client, faults
from mailroom.errors import (
    MailroomError,
    ServiceMisconfigured,
    SourceMissing,
    StorageUnavailable,
)
from mailroom.reconcile import LandedVersion

# Codes of the S3 API reference, "Error responses". HeadObject has no body: its codes are numbers.
_ERRORS: dict[str, type[MailroomError]] = {
    "404": SourceMissing,
    "NoSuchKey": SourceMissing,
    "NoSuchVersion": SourceMissing,
    "405": SourceMissing,  # the version is a delete marker
    "MethodNotAllowed": SourceMissing,
    "403": ServiceMisconfigured,
    "AccessDenied": ServiceMisconfigured,
    "NoSuchBucket": ServiceMisconfigured,
    "301": ServiceMisconfigured,  # the bucket is in another region
    "PermanentRedirect": ServiceMisconfigured,
    "SlowDown": StorageUnavailable,
    "RequestTimeout": StorageUnavailable,
    "Throttling": StorageUnavailable,
}


_CHUNK = 1024 * 1024
_IN_MEMORY = 4 * _CHUNK


@dataclass(frozen=True)
class ObjectHead:
    """What HeadObject says: size in bytes, ETag without quotes, when it landed, version if kept."""

    size: int
    etag: str
    landed_at: datetime
    version_id: str | None


class Bucket:
    """One bucket. Raises SourceMissing, StorageUnavailable, ServiceMisconfigured."""

    def __init__(self, name: str, api: Any = None) -> None:
        """`api` is a boto3 client of another session; the desk has its own."""
        self.name = name
        self._s3 = api or client("s3", read_seconds=20)

    def head(self, key: str, version_id: str | None) -> ObjectHead:
        """Look at an object without reading it."""
        with self._faults():
            answer = self._s3.head_object(Bucket=self.name, Key=key, **_version(version_id))
        # S3 calls the version of an object that is older than the bucket's versioning "null".
        return ObjectHead(
            size=answer["ContentLength"],
            etag=answer["ETag"].strip('"'),
            landed_at=answer["LastModified"],
            version_id=answer.get("VersionId"),
        )

    def first_bytes(self, key: str, version_id: str | None, length: int) -> bytes:
        """The first `length` bytes of a version of an object that is not empty."""
        with self._faults():
            answer = self._s3.get_object(
                Bucket=self.name, Key=key, Range=f"bytes=0-{length - 1}", **_version(version_id)
            )
            return bytes(answer["Body"].read())

    def sha256(self, key: str, version_id: str | None) -> str:
        """The digest of a version's content, read in parts."""
        digest = hashlib.sha256()
        with self._faults():
            answer = self._s3.get_object(Bucket=self.name, Key=key, **_version(version_id))
            for chunk in answer["Body"].iter_chunks(_CHUNK):
                digest.update(chunk)
        return digest.hexdigest()

    def read(self, key: str) -> bytes:
        """All of an object."""
        with self._faults():
            return bytes(self._s3.get_object(Bucket=self.name, Key=key)["Body"].read())

    def read_if_there(self, key: str) -> bytes | None:
        """All of an object, or None where there is none."""
        try:
            return self.read(key)
        except SourceMissing:
            return None

    def write(self, key: str, body: bytes, content_type: str) -> None:
        """Put an object."""
        with self._faults():
            self._s3.put_object(Bucket=self.name, Key=key, Body=body, ContentType=content_type)

    def write_file(self, key: str, file: IO[bytes], content_type: str) -> None:
        """Put an object from all of a file, without holding it in memory."""
        file.seek(0)
        with self._faults():
            self._s3.put_object(Bucket=self.name, Key=key, Body=file, ContentType=content_type)

    def lines(self, key: str) -> Iterator[bytes]:
        """The lines of an object, however long it is and however slowly they are taken.

        It is fetched to the disk at once: S3 closes a connection that is not read from.
        """
        with SpooledTemporaryFile(max_size=_IN_MEMORY) as file:
            with self._faults():
                answer = self._s3.get_object(Bucket=self.name, Key=key)
                for chunk in answer["Body"].iter_chunks(_CHUNK):
                    file.write(chunk)
            file.seek(0)
            for line in file:
                yield line.rstrip(b"\n")

    def keys(self, prefix: str) -> list[str]:
        """All keys under a prefix, in S3's order: "10" before "2"."""
        with self._faults():
            pages = self._s3.get_paginator("list_objects_v2")
            listing = pages.paginate(Bucket=self.name, Prefix=prefix)
            return [item["Key"] for page in listing for item in page.get("Contents", ())]

    def versions(self, prefix: str) -> Iterator[LandedVersion]:
        """Every version under a prefix; delete markers are none. S3 cannot list by time."""
        with self._faults():
            pages = self._s3.get_paginator("list_object_versions")
            for page in pages.paginate(Bucket=self.name, Prefix=prefix):
                for listed in page.get("Versions", ()):
                    yield LandedVersion(
                        bucket=self.name,
                        key=listed["Key"],
                        version_id=listed["VersionId"],
                        etag=listed["ETag"].strip('"'),
                        landed_at=listed["LastModified"],
                        is_latest=listed["IsLatest"],
                    )

    def _faults(self) -> AbstractContextManager[None]:
        return faults("S3", _ERRORS, StorageUnavailable)


def _version(version_id: str | None) -> dict[str, str]:
    return {"VersionId": version_id} if version_id else {}
