"""Run documents through a stack and judge them.

Each lies under `incoming/eval/<digest of its content>/<its name>`. So the same key holds the same
content, and a document that is there already is followed, not sent and paid for again.

Raises: what S3 and DynamoDB answer. An interruption ends the waiting, and is told in the result:
what has ended until then is judged.
"""

import hashlib
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

from botocore.exceptions import ClientError

from mailroom.classes import Classes
from mailroom.document import INCOMING, Status, document_id, timestamp
from mailroom_desk.documents import Row, status
from mailroom_desk.evaluate.judge import judge
from mailroom_desk.evaluate.manifest import Case
from mailroom_desk.evaluate.results import Document, Run
from mailroom_desk.follow import Followed, RowSource, follow
from mailroom_desk.stack import Stack
from mailroom_desk.upload import Sent, Source, Uploader
from mailroom_desk.whole import whole_result

PREFIX = f"{INCOMING}eval/"
_DIGEST_SHOWN = 16
_THREADS = 8  # stays within the ten connections that a boto3 client keeps

Progress = Callable[[str], None]


class Documents(Protocol):
    """What an evaluation needs of a stack."""

    rows: RowSource

    def known(self, key: str) -> Sent | None:
        """The newest version under a key, or None where there is none."""

    def send(self, source: Source, key: str) -> Sent: ...

    def result(self, row: Mapping[str, Any]) -> Mapping[str, Any]:
        """The row's result in full; empty where it has none."""


class StackDocuments:
    """The documents of a deployed stack."""

    def __init__(self, stack: Stack, rows: RowSource) -> None:
        self.rows = rows
        self._stack = stack
        self._uploader = Uploader(stack)

    def known(self, key: str) -> Sent | None:
        try:
            head = self._stack.client("s3").head_object(Bucket=self._stack.bucket, Key=key)
        except ClientError as error:
            if error.response["Error"]["Code"] not in {"404", "NoSuchKey", "NotFound"}:
                raise
            return None
        version = head.get("VersionId") or str(head["ETag"]).strip('"')
        return Sent(document_id(self._stack.bucket, key, version), key)

    def send(self, source: Source, key: str) -> Sent:
        return self._uploader.send(source, key)

    def result(self, row: Mapping[str, Any]) -> Mapping[str, Any]:
        # Without a result file, what stands on the row is all there is.
        return whole_result(self._stack, row) or {"fields": row.get("fields") or {}}


@dataclass
class _Journey:
    """What has been sent, and how far it got. It is filled as the run goes on."""

    followed: dict[str, Followed] = field(default_factory=dict)
    """By the case's name."""
    reused: int = 0
    interrupted: bool = False


def evaluate(
    documents: Documents,
    cases: Sequence[Case],
    classes: Classes,
    *,
    manifest: str,
    timeout: float,
    again: bool = False,
    progress: Progress = lambda line: None,
    clock: Callable[[], float] = time.monotonic,
    pause: Callable[[float], None] = time.sleep,
) -> Run:
    """Send what is not there yet, wait for all, judge what has ended.

    `again` sends everything anew. `timeout` is in seconds and counts from the last upload.
    """
    began, start = timestamp(datetime.now(UTC)), clock()
    journey = _Journey()
    try:
        _send(documents, cases, journey, clock, progress, again=again)
        _wait(documents, journey, timeout, clock, pause, progress)
    except KeyboardInterrupt:
        journey.interrupted = True
        progress("Interrupted: what has ended until now is reported.")
    rows = _own_rows(documents, journey)
    return Run(
        manifest=manifest,
        began=began,
        took_s=round(clock() - start, 1),
        documents=_judged(documents, cases, journey, rows, classes),
        reused=journey.reused,
        interrupted=journey.interrupted,
        answered_by=_named(rows, "answered_by"),
        versions=[
            f"{what} {version}"
            for what, name in (("classes", "classes_version"), ("prompt", "prompt_version"))
            for version in _named(rows, name)
        ],
    )


def key_of(path: Path) -> str:
    """Where a file lies in the bucket. The digest of its content is part of the key."""
    with path.open("rb") as content:
        digest = hashlib.file_digest(content, "sha256").hexdigest()
    return f"{PREFIX}{digest[:_DIGEST_SHOWN]}/{path.name}"


def _send(
    documents: Documents,
    cases: Sequence[Case],
    journey: _Journey,
    clock: Callable[[], float],
    progress: Progress,
    *,
    again: bool,
) -> None:
    by_key: dict[str, Sent] = {}  # a file that is named twice is one document
    for number, case in enumerate(cases, start=1):
        key = key_of(case.file)
        sent = by_key.get(key)
        if sent is None:
            sent = None if again else documents.known(key)
            journey.reused += sent is not None
            sent = sent or documents.send(Source(case.file, case.file.name), key)
            by_key[key] = sent
        journey.followed[case.name] = Followed(sent.document_id, sent.key, clock())
        progress(f"{number} of {len(cases)} sent, {journey.reused} of them were there already")


def _wait(
    documents: Documents,
    journey: _Journey,
    timeout: float,
    clock: Callable[[], float],
    pause: Callable[[float], None],
    progress: Progress,
) -> None:
    followed = list(journey.followed.values())
    for changed in follow(followed, documents.rows, timeout, clock=clock, pause=pause):
        if changed:
            counts = Counter(status(each.row) for each in followed)
            told = ", ".join(f"{number} {name}" for name, number in sorted(counts.items()))
            ended = sum(each.ended is not None for each in followed)
            progress(f"{ended} of {len(followed)} ended: {told}")


def _own_rows(documents: Documents, journey: _Journey) -> dict[str, Row]:
    """The rows by case. One of a duplicate says nothing itself: its original's row stands in."""
    ids = {name: each.document_id for name, each in journey.followed.items()}
    found = documents.rows.get_many(set(ids.values()))
    rows = {name: found[identity] for name, identity in ids.items() if identity in found}
    copies = {
        name: str(row["original"]) for name, row in rows.items() if status(row) == Status.DUPLICATE
    }
    originals = documents.rows.get_many(set(copies.values())) if copies else {}
    return {name: originals.get(copies.get(name, ""), row) for name, row in rows.items()}


def _judged(
    documents: Documents,
    cases: Sequence[Case],
    journey: _Journey,
    rows: Mapping[str, Row],
    classes: Classes,
) -> list[Document]:
    def judged(case: Case) -> Document:
        row = rows.get(case.name)
        followed = journey.followed.get(case.name)
        result = documents.result(row) if row else {}
        return judge(case, followed.document_id if followed else "", row, result, classes)

    with ThreadPoolExecutor(_THREADS) as threads:
        return list(threads.map(judged, cases))


def _named(rows: Mapping[str, Row], name: str) -> list[str]:
    return sorted({str(row[name]) for row in rows.values() if row.get(name)})
