"""Stage 1, first half. Take documents in: identify, look, register.

Comes in: an event that names objects, see `incoming`; or a person's `{"bucket", "key"}`.
Goes out: a row each. RECEIVED, and what the start makes of it; REJECTED, unpaid, with a reason
where the object is no document; DUPLICATE where copies are linked. What ends here is announced
here.
Raises: a transient error when any of the objects must be tried again. What was taken in before is
then known, and costs nothing the second time.
Next: `starting`, in the same function.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from mailroom import sniff
from mailroom.aws.bucket import Bucket, ObjectHead
from mailroom.aws.bus import Bus
from mailroom.aws.queue import Queue
from mailroom.aws.table import ContentKnown, DocumentTable, Row, RowHeld
from mailroom.aws.textract import Textract
from mailroom.document import INCOMING, SourceObject, Status, document_id, timestamp
from mailroom.errors import SourceMissing, Superseded, UnknownEvent
from mailroom.incoming import source_objects
from mailroom.observability import about, count, logger, observed
from mailroom.settings import IntakeSettings
from mailroom.settling import DELETED, settled, turn_down
from mailroom.starting import JobStart, Ocr

LEASE_SECONDS = 45
"""Longer than the function's time-out, shorter than Lambda's first wait of a minute."""

_NO_VERSION = "null"  # what S3 calls the version of an object in a bucket that keeps none
_REPROCESSABLE = (
    Status.STORED,
    Status.IN_REVIEW,
    Status.DEAD_LETTERED,
    Status.REJECTED,
    Status.DUPLICATE,
)
_OF_ONE_ATTEMPT = ("job_id", "ocr_attempt", "lease_until", "error", "reasons")
_LINK = "link"  # of DuplicatePolicy


@dataclass(frozen=True)
class Intake:
    """Takes one object in. Ports: the bucket, the rows, the bus, and the start of a job."""

    settings: IntakeSettings
    bucket: Bucket
    table: DocumentTable
    bus: Bus
    start: Callable[[Row], Status]

    @classmethod
    def of(
        cls, settings: IntakeSettings, bucket: Bucket, table: DocumentTable, ocr: Ocr,
        dead_letters: Queue, bus: Bus,
    ) -> "Intake":  # fmt: skip
        """With the start of jobs on the same ports."""
        jobs = JobStart(settings, bucket, table, ocr, dead_letters, bus, LEASE_SECONDS)
        return cls(settings, bucket, table, bus, jobs.start)

    def take(self, source: SourceObject) -> dict[str, str]:
        """Identify, look, register and start; a known document is left alone.

        Returns document id, key and status. Raises a TransientError for another try,
        and UnknownEvent for an object that is none of ours.
        """
        if source.bucket != self.settings.bucket or not source.key.startswith(INCOMING):
            raise UnknownEvent(
                f"Mailroom takes in objects under s3://{self.settings.bucket}/{INCOMING} only."
            )
        try:
            head = self.bucket.head(source.key, source.version_id)
        except SourceMissing:
            return self._missing(source)
        # The version's own identity: its id, or its ETag where the bucket keeps no versions.
        version_id = head.version_id if head.version_id != _NO_VERSION else None
        identity = document_id(source.bucket, source.key, version_id or head.etag)
        with about(identity):
            try:
                status = self._take(identity, source, head, version_id)
            except Exception as error:
                logger().warning("Not taken in", error=type(error).__name__)
                raise
            logger().info("Taken in", status=status)
        return {"document_id": identity, "key": source.key, "status": status}

    def _missing(self, source: SourceObject) -> dict[str, str]:
        """An object that is gone before it is read ends as a row, not as a poisoned message."""
        identity = document_id(source.bucket, source.key, source.version_id or "")
        row: Row = {
            "document_id": identity,
            "bucket": source.bucket,
            "key": source.key,
            "version_id": source.version_id or "",
            "attempt": 1,
        }
        with about(identity):
            status = self._reject(row, DELETED)
        return {"document_id": identity, "key": source.key, "status": status}

    def _take(
        self, identity: str, source: SourceObject, head: ObjectHead, version_id: str | None
    ) -> Status:
        row: Row = {
            "document_id": identity,
            "bucket": source.bucket,
            "key": source.key,
            "version_id": version_id or "",
            "etag": head.etag,
            # Events arrive in any order: this says which version of a key is the newer one.
            "landed_at": timestamp(head.landed_at),
            "size": head.size,
            "attempt": 1,
        }
        try:
            row["media_type"] = self._look(source.key, version_id, head.size)
        except sniff.NotADocument as reason:
            return self._reject(row, str(reason))
        try:
            self.table.register({**row, "status": Status.RECEIVED}, self._claim(row))
        except ContentKnown as known_content:
            return self._link(row, known_content.original)
        except RowHeld as held:
            known = held.row or {}
            if source.reprocess:
                known = self._next_attempt(known)
            if known.get("status") != Status.RECEIVED:
                count("RepeatedEvents")
                return Status(known["status"])
            row = known
        return self.start(row)

    def _look(self, key: str, version_id: str | None, size: int) -> str:
        head = b""
        if size:
            head = self.bucket.first_bytes(key, version_id, min(size, sniff.HEAD_LENGTH))
        return sniff.media_type(size, head)

    def _reject(self, row: Row, reason: str) -> Status:
        try:
            self.table.register({**row, "status": Status.REJECTED, "reasons": [reason]})
        except RowHeld as held:
            known = held.row or row
            if known.get("status") == Status.RECEIVED:  # it was taken in, and is gone since
                return turn_down(self.table, self.bus, known, reason)
            count("RepeatedEvents")
            return Status.REJECTED
        return settled(self.table, self.bus, row, Status.REJECTED)

    def _claim(self, row: Row) -> str | None:
        """What says whose this content is, where the stack's owner wants copies linked."""
        if self.settings.duplicate_policy != _LINK:
            return None
        return f"content#{self.bucket.sha256(row['key'], row['version_id'] or None)}"

    def _link(self, row: Row, original: str) -> Status:
        """The same content under another key or version: it shares its original's fate, unpaid."""
        try:
            self.table.register({**row, "status": Status.DUPLICATE, "original": original})
        except RowHeld:
            count("RepeatedEvents")
            return Status.DUPLICATE
        return settled(self.table, self.bus, row, Status.DUPLICATE)

    def _next_attempt(self, known: Row) -> Row:
        try:
            self.table.move(
                known["document_id"],
                int(known["attempt"]),
                to=Status.RECEIVED,
                allowed=_REPROCESSABLE,
                next_attempt=True,
                clear=_OF_ONE_ATTEMPT,
            )
        except RowHeld as held:
            raise Superseded("The document is being worked on; ask again when it rests.") from held
        return self.table.get(known["document_id"]) or known


@observed
def handler(event: Any, context: LambdaContext) -> dict[str, Any]:
    """Take every object of the event in, each on its own; raise at the end what must come again."""
    settings = IntakeSettings.from_env()
    intake = Intake.of(
        settings,
        Bucket(settings.bucket),
        DocumentTable(settings.table),
        Textract(),
        Queue(settings.dead_letter_queue_url),
        Bus(settings.bus),
    )
    return take_all(intake, event)


def take_all(intake: Intake, event: Any) -> dict[str, Any]:
    """Take every object of the event in; one that fails does not hold up the others."""
    documents: list[dict[str, str]] = []
    failures: list[Exception] = []
    for source in source_objects(event):
        try:
            if isinstance(source, UnknownEvent):
                raise source
            documents.append(intake.take(source))
        # Broad on purpose: whatever is wrong with one object, the others go on.
        except Exception as error:
            failures.append(error)
    if failures:
        raise failures[0]
    return {"documents": documents}
