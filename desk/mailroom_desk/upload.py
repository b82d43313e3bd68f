"""Send files: put each under `incoming/`, or texts under `raw/`, and name what it becomes.

Comes in: files and folders. Goes out: a `Sent` each, with the id that the row will have.
Raises: UnusableFile; what S3 answers passes through.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mailroom.document import INCOMING, document_id
from mailroom_desk.errors import UnusableFile
from mailroom_desk.stack import Stack
from mailroom_desk.summaries import is_raw

_KEY_BYTES = 1024  # Amazon S3 User Guide, "Naming Amazon S3 objects"


@dataclass(frozen=True)
class Source:
    """A file, and the name that it gets behind the prefix."""

    path: Path
    name: str


@dataclass(frozen=True)
class Sent:
    """A document on its way."""

    document_id: str
    key: str
    version_id: str = ""


def sources(paths: list[Path]) -> list[Source]:
    """The files to send: those named, and all in the folders named, hidden ones left out.

    Raises UnusableFile for one that cannot be sent, before anything is sent.
    """
    found = [source for path in paths for source in _files(path)]
    for source in found:
        try:
            source.name.encode()
        except UnicodeEncodeError:
            raise UnusableFile(
                f"The name of {str(source.path)!a} is not UTF-8, and S3 takes no other. "
                "Rename the file."
            ) from None
        if not os.access(source.path, os.R_OK):
            raise UnusableFile(f"{source.path} cannot be read. Check its permissions.")
    return found


def key_of(source: Source, prefix: str) -> str:
    """The object's key: `incoming/<prefix>/<name>`, and `<prefix>/<name>` under `raw/`.

    Raises UnusableFile where S3 refuses it.
    """
    name = "/".join(part for part in (prefix.strip("/"), source.name) if part)
    key = name if is_raw(prefix) else f"{INCOMING}{name}"
    if len(key.encode()) > _KEY_BYTES:
        raise UnusableFile(f"The key of {source.path} is too long: S3 allows {_KEY_BYTES} bytes.")
    return key


class Uploader:
    """Uploads files one after the other, large ones in parts."""

    def __init__(self, stack: Stack) -> None:
        self._bucket = stack.bucket
        self._s3 = stack.client("s3")
        self._answer: dict[str, Any] = {}
        # upload_file chooses the operation by size and does not return its answer, whose
        # version id is the document's identity. Asking for it later could give a newer one.
        for operation in ("PutObject", "CompleteMultipartUpload"):
            self._s3.meta.events.register(f"after-call.s3.{operation}", self._note)

    def send(self, source: Source, key: str) -> Sent:
        """Upload one file."""
        self._s3.upload_file(str(source.path), self._bucket, key)
        # A bucket without versions knows the object by its ETag.
        version = self._answer.get("VersionId") or str(self._answer["ETag"]).strip('"')
        return Sent(document_id(self._bucket, key, version), key, version)

    def _note(self, parsed: dict[str, Any], **_: Any) -> None:
        self._answer = parsed


def _files(path: Path) -> Iterator[Source]:
    if not path.is_dir():
        yield Source(path, path.name)
        return
    inside = [(file, file.relative_to(path)) for file in sorted(path.rglob("*")) if file.is_file()]
    visible = [
        Source(file, name.as_posix())
        for file, name in inside
        if not any(part.startswith(".") for part in name.parts)
    ]
    if not visible:
        raise UnusableFile(f"There are no files in {path}.")
    yield from visible
