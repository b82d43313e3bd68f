"""Stage 1. Take documents in.

Comes in: an event that names objects, see `incoming`; or a person's `{"bucket", "key"}`.
Goes out: a row each, RECEIVED and then READING once Textract has the job; HELD where Textract has
no room; REJECTED, unpaid, with a reason where the object is no document. What ends here is
announced here.
Raises: a transient error when any of the objects must be tried again. What was taken in before is
then known, and costs nothing the second time.
Next: Textract tells `ocr_done`.
"""

from dataclasses import dataclass
from itertools import islice
from typing import Any, Protocol

from aws_lambda_powertools.utilities.typing import LambdaContext

from mailroom import sniff
from mailroom.announce import announce_end
from mailroom.aws.bucket import Bucket, ObjectHead
from mailroom.aws.bus import Bus
from mailroom.aws.queue import Queue
from mailroom.aws.table import ContentKnown, DocumentTable, Row, RowHeld
from mailroom.aws.textract import Textract
from mailroom.dead_letters import dead_letter
from mailroom.document import ENDS, INCOMING, SourceObject, Status, document_id, timestamp
from mailroom.errors import (
    OcrRefused,
    OcrThrottled,
    PermanentError,
    ServiceMisconfigured,
    SourceMissing,
    SourceUnreadable,
    Superseded,
    TransientError,
    UnknownEvent,
)
from mailroom.incoming import source_objects
from mailroom.observability import about, count, logger, observed
from mailroom.settings import IntakeSettings

LEASE_SECONDS = 45
"""Longer than the function's time-out, shorter than Lambda's first wait of a minute."""

_NO_VERSION = "null"  # what S3 calls the version of an object in a bucket that keeps none
_DELETED = "The file was deleted before it could be read."
_IN_FLIGHT = (Status.READING, Status.WORKING)
_REPROCESSABLE = (
    Status.STORED,
    Status.IN_REVIEW,
    Status.DEAD_LETTERED,
    Status.REJECTED,
    Status.DUPLICATE,
)
_OF_ONE_ATTEMPT = ("job_id", "ocr_attempt", "lease_until", "error", "reasons")
_LINK = "link"  # of DuplicatePolicy


class Ocr(Protocol):
    """What intake needs of Textract."""

    def start(
        self, document_id: str, attempt: int, *, bucket: str, key: str, version_id: str | None,
        features: str, topic_arn: str, role_arn: str,
    ) -> str: ...  # fmt: skip


@dataclass(frozen=True)
class Intake:
    """Takes one object in. Ports: the bucket, the rows, Textract, the dead letters and the bus."""

    settings: IntakeSettings
    bucket: Bucket
    table: DocumentTable
    ocr: Ocr
    dead_letters: Queue
    bus: Bus

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
        return self._start(row)

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
        count("DuplicatesLinked")
        self._announce(row)
        return Status.DUPLICATE

    def _look(self, key: str, version_id: str | None, size: int) -> str:
        head = b""
        if size:
            head = self.bucket.first_bytes(key, version_id, min(size, sniff.HEAD_LENGTH))
        return sniff.media_type(size, head)

    def _start(self, row: Row) -> Status:
        identity, attempt = row["document_id"], int(row["attempt"])
        try:
            self.table.lease(identity, attempt, LEASE_SECONDS)
        except RowHeld as held:
            # Another delivery of the same event is at it, or has done it.
            return Status((held.row or row)["status"])
        if self._is_full():
            return self._hold(row)
        try:
            job_id = self.ocr.start(
                identity,
                attempt,
                bucket=row["bucket"],
                key=row["key"],
                version_id=row.get("version_id"),
                features=self.settings.ocr_features,
                topic_arn=self.settings.ocr_topic_arn,
                role_arn=self.settings.ocr_role_arn,
            )
        except OcrThrottled:
            return self._hold(row)
        except OcrRefused as refusal:
            return self._turn_down(row, str(refusal))
        except PermanentError as error:
            cause = self._probed(row, error)
            if isinstance(cause, SourceMissing):
                return self._turn_down(row, _DELETED)
            return self._dead_letter(row, cause)
        except BaseException:
            self.table.release(identity, attempt)
            raise
        count("JobsStarted")
        try:
            self.table.move(
                identity,
                attempt,
                to=Status.READING,
                allowed=(Status.RECEIVED,),
                values={"job_id": job_id},
            )
        except RowHeld:
            # A fast job's notice was here first, and has recorded the job itself.
            logger().info("The job's notice came before its start was written down")
        return Status.READING

    def _is_full(self) -> bool:
        """The soft limit: as many documents in flight as the stack's owner wants, if any."""
        limit = int(self.settings.max_in_flight)
        if not limit:
            return False
        at_work = (row for row in self.table.open_rows() if row["status"] in _IN_FLIGHT)
        return len(list(islice(at_work, limit))) == limit

    def _hold(self, row: Row) -> Status:
        """Waiting is not failing: no try and no dead letter is spent on a service that is full."""
        held_before = any(entry["status"] == Status.HELD for entry in row.get("timeline", ()))
        return self._settle(
            row, Status.HELD, "DocumentsHeld", clear=("lease_until",), on_record=not held_before
        )

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

    def _turn_down(self, row: Row, reason: str) -> Status:
        """Reject a document that has a row already."""
        values = {"reasons": [reason]}
        return self._settle(row, Status.REJECTED, "DocumentsRejected", values=values)

    def _settle(self, row: Row, status: Status, metric: str, **move: Any) -> Status:
        """Move a RECEIVED row on; where somebody else was faster, what they made of it stands."""
        try:
            self.table.move(
                row["document_id"],
                int(row["attempt"]),
                to=status,
                allowed=(Status.RECEIVED,),
                **move,
            )
        except RowHeld as held:
            return Status((held.row or row)["status"])
        count(metric)
        if status in ENDS:
            self._announce(row)
        return status

    def _reject(self, row: Row, reason: str) -> Status:
        try:
            self.table.register({**row, "status": Status.REJECTED, "reasons": [reason]})
        except RowHeld as held:
            known = held.row or row
            if known.get("status") == Status.RECEIVED:  # it was taken in, and is gone since
                return self._turn_down(known, reason)
            count("RepeatedEvents")
            return Status.REJECTED
        count("DocumentsRejected")
        self._announce(row)
        return Status.REJECTED

    def _announce(self, row: Row) -> None:
        announce_end(row["document_id"], int(row["attempt"]), self.bus, self.table)

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
            status = self._reject(row, _DELETED)
        return {"document_id": identity, "key": source.key, "status": status}

    def _probed(self, row: Row, error: PermanentError) -> PermanentError:
        """Textract gives one answer to four causes: look once more, to say which."""
        if not isinstance(error, SourceUnreadable):
            return error
        try:
            self.bucket.head(row["key"], row.get("version_id"))
        except SourceMissing as missing:
            return missing
        except ServiceMisconfigured as cause:
            return ServiceMisconfigured(f"{error} Mailroom cannot read it either: {cause}")
        except TransientError as cause:
            return SourceUnreadable(f"{error} Mailroom could not find out why: {cause}")
        return SourceUnreadable(
            f"{error} Mailroom can read it, so look at the rights of the intake role "
            "(s3:GetObjectVersion, kms:Decrypt) and at the bucket's region."
        )

    def _dead_letter(self, row: Row, error: PermanentError) -> Status:
        dead_letter(
            self.table,
            self.dead_letters,
            self.bus,
            row["document_id"],
            int(row["attempt"]),
            stage="Intake",
            error=type(error).__name__,
            cause=str(error),
            allowed=(Status.RECEIVED,),
        )
        return Status.DEAD_LETTERED


@observed
def handler(event: Any, context: LambdaContext) -> dict[str, Any]:
    """Take every object of the event in, each on its own; raise at the end what must come again."""
    settings = IntakeSettings.from_env()
    intake = Intake(
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
