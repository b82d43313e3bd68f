"""The nouns: what identifies a document, what it can be, and where its parts lie in the bucket."""

import hashlib
import json
import re
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Self

INCOMING = "incoming/"
"""The only prefix whose objects are taken in. Nothing that Mailroom writes lies under it."""

HELD_SHARDS = "held"
"""What stands before the shard of a held row in the index of open rows."""

_ID_LENGTH = 40
_TAG = re.compile(r"([0-9a-f]{40})\.([0-9]{1,6})")
_EXECUTION = re.compile(r"([0-9a-f]{40})-([0-9]{1,6})")
_SHARDS = 8


class Status(StrEnum):
    """What a document can be. The owner of each status moves it on; see `docs/operations.md`."""

    RECEIVED = "RECEIVED"
    READING = "READING"
    WORKING = "WORKING"
    IN_REVIEW = "IN_REVIEW"
    STORED = "STORED"
    HELD = "HELD"
    DUPLICATE = "DUPLICATE"
    DEAD_LETTERED = "DEAD_LETTERED"
    REJECTED = "REJECTED"


AT_WORK = (Status.RECEIVED, Status.READING, Status.WORKING)
"""Statuses of a document that is on its way."""

AT_REST = (Status.STORED, Status.REJECTED, Status.DUPLICATE)
"""Ends that ask nothing of anybody: once announced, the row leaves the index of open rows."""

ENDS = (*AT_REST, Status.IN_REVIEW, Status.DEAD_LETTERED)
"""Statuses in which an attempt ends. Each is announced; see `docs/events.md`."""


@dataclass(frozen=True)
class SourceObject:
    """One version of one object, as an event names it. The key is literal: decoded exactly once.

    `version_id` is None where the event names none: the current version is meant.
    """

    bucket: str
    key: str
    version_id: str | None = None
    reprocess: bool = False


@dataclass(frozen=True)
class Work:
    """What travels through the state machine about a document: identity and pointers, no content.

    `ocr_status` is the status that Textract's notice gave, in capitals. `ocr_attempt` is the
    attempt whose job is read: an earlier one where a redrive goes on from what was paid for.
    """

    document_id: str
    attempt: int
    bucket: str
    key: str
    job_id: str
    ocr_status: str
    version_id: str | None = None
    ocr_attempt: int | None = None

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Self:
        """Read the execution's state; what later states added is ignored."""
        return cls(**{f.name: state[f.name] for f in fields(cls) if f.name in state})

    def to_state(self) -> dict[str, Any]:
        """The execution's input. A repeated notice gives the same input, byte for byte."""
        return asdict(self)

    @property
    def text_key(self) -> str:
        """Where `extract` puts what was read: one JSON object a page."""
        return f"text/{self.document_id}/{self.attempt}.jsonl"

    @property
    def markdown_key(self) -> str:
        """Where `extract` puts the same for people."""
        return f"text/{self.document_id}/{self.attempt}.md"

    @property
    def results_key(self) -> str:
        """Where `classify` puts class, fields and reasons in full."""
        return f"results/{self.document_id}/{self.attempt}.json"

    @property
    def ocr_files(self) -> str:
        """The prefix of the job's result files: Textract appends the job id to the given one."""
        return f"{ocr_prefix(self.document_id, self.ocr_attempt or self.attempt)}/{self.job_id}/"


def document_id(bucket: str, key: str, version: str) -> str:
    """Name a document: 40 hex characters of a SHA-256 over bucket, key and version.

    `version` is the version id, or the ETag where the bucket keeps no versions. Each part is
    prefixed with its length in bytes, so that no two triples give the same text. Names are never
    cut, cleaned or normalised: two byte forms of one visible name are two documents.
    """
    digest = hashlib.sha256()
    for part in (bucket, key, version):
        raw = part.encode()
        digest.update(b"%d:%b" % (len(raw), raw))
    return digest.hexdigest()[:_ID_LENGTH]


def job_tag(document_id: str, attempt: int) -> str:
    """Textract's JobTag: at most 64 of `[a-zA-Z0-9_.\\-:]`."""
    return f"{document_id}.{attempt}"


def parse_job_tag(tag: str) -> tuple[str, int] | None:
    """The document id and the attempt of a JobTag, or None where it is not one of ours."""
    match = _TAG.fullmatch(tag)
    return (match[1], int(match[2])) if match else None


def execution_name(document_id: str, attempt: int) -> str:
    """The execution's name: at most 80 characters, held for 90 days by Step Functions."""
    return f"{document_id}-{attempt}"


def parse_execution_name(name: str) -> tuple[str, int] | None:
    """The document id and the attempt of an execution, or None where a person started it."""
    match = _EXECUTION.fullmatch(name)
    return (match[1], int(match[2])) if match else None


def ocr_prefix(document_id: str, attempt: int) -> str:
    """The S3 prefix given to Textract for its result files."""
    return f"textract/{document_id}/{attempt}"


def shard(document_id: str) -> str:
    """Spread index keys: one partition takes about 1,000 writes a second, not more."""
    return f"#{int(document_id[:8], 16) % _SHARDS}"


def all_shards() -> list[str]:
    """Every value that `shard` can give."""
    return [f"#{number}" for number in range(_SHARDS)]


def open_shard(document_id: str, status: Status) -> str:
    """The key in the index of open rows. Held rows have shards of their own, oldest first."""
    return f"{HELD_SHARDS if status == Status.HELD else ''}{shard(document_id)}"


def timestamp(moment: datetime | None = None) -> str:
    """ISO 8601 in UTC with milliseconds, as Step Functions writes its own times."""
    moment = moment or datetime.now(UTC)
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


INLINE_BYTES = 16 * 1024
"""Fields up to this size travel in the state and in the event; longer lists only in S3."""


def bounded(fields: dict[str, Any], limit: int) -> dict[str, Any]:
    """The fields; without the longest ones where all together exceed `limit` bytes of JSON."""
    sizes = {
        name: len(json.dumps({name: value}, ensure_ascii=False).encode())
        for name, value in fields.items()
    }
    kept = dict(fields)
    while sum(sizes[name] for name in kept) > limit:
        del kept[max(kept, key=sizes.__getitem__)]
    return kept
