"""Stage 1, second half. Start the Textract job of a document that `intake` has registered.

Comes in: a row that is RECEIVED; who holds its lease is the only one to start it.
Goes out: the row READING, with its job; HELD where Textract has no room, or the stack's owner
leaves none; REJECTED where Textract refuses the document, or it is gone; DEAD_LETTERED where the
stack is wrong.
Raises: a transient error for another try. The row stays RECEIVED, and its lease is given back or
runs out; the next start has the same token, so it pays for no second job.
Next: Textract tells `ocr_done`.
"""

from dataclasses import dataclass
from itertools import islice
from typing import Protocol

from mailroom.aws.bucket import Bucket
from mailroom.aws.bus import Bus
from mailroom.aws.queue import Queue
from mailroom.aws.table import DocumentTable, Row, RowHeld
from mailroom.dead_letters import dead_letter
from mailroom.document import Status
from mailroom.errors import (
    OcrRefused,
    OcrThrottled,
    PermanentError,
    ServiceMisconfigured,
    SourceMissing,
    SourceUnreadable,
    TransientError,
)
from mailroom.observability import count, logger
from mailroom.settings import IntakeSettings
from mailroom.settling import DELETED, settle, turn_down

_IN_FLIGHT = (Status.READING, Status.WORKING)


class Ocr(Protocol):
    """What the start needs of Textract."""

    def start(
        self, document_id: str, attempt: int, *, bucket: str, key: str, version_id: str | None,
        features: str, topic_arn: str, role_arn: str,
    ) -> str: ...  # fmt: skip


@dataclass(frozen=True)
class JobStart:
    """Starts one job. Ports: the bucket, the rows, Textract, the dead letters and the bus.

    `lease_seconds` is how long others leave a row alone whose start is under way.
    """

    settings: IntakeSettings
    bucket: Bucket
    table: DocumentTable
    ocr: Ocr
    dead_letters: Queue
    bus: Bus
    lease_seconds: int

    def start(self, row: Row) -> Status:
        """Lease the row, look whether there is room, and ask; returns what became of the row."""
        identity, attempt = row["document_id"], int(row["attempt"])
        try:
            self.table.lease(identity, attempt, self.lease_seconds)
        except RowHeld as held:
            # Another delivery of the same event is at it, or has done it.
            return Status((held.row or row)["status"])
        if self._is_full():
            return self._hold(row)
        try:
            job_id = self._ask(row)
        except OcrThrottled:
            return self._hold(row)
        except OcrRefused as refusal:
            return turn_down(self.table, self.bus, row, str(refusal))
        except PermanentError as error:
            cause = self._probed(row, error)
            if isinstance(cause, SourceMissing):
                return turn_down(self.table, self.bus, row, DELETED)
            return self._dead_letter(row, cause)
        except BaseException:
            self.table.release(identity, attempt)
            raise
        return self._started(row, job_id)

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
        return settle(
            self.table,
            self.bus,
            row,
            Status.HELD,
            clear=("lease_until",),
            on_record=not held_before,
        )

    def _ask(self, row: Row) -> str:
        """The job that Textract has made of the document, or made of it before."""
        return self.ocr.start(
            row["document_id"],
            int(row["attempt"]),
            bucket=row["bucket"],
            key=row["key"],
            version_id=row.get("version_id"),
            features=self.settings.ocr_features,
            topic_arn=self.settings.ocr_topic_arn,
            role_arn=self.settings.ocr_role_arn,
        )

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

    def _started(self, row: Row, job_id: str) -> Status:
        """Write the job down."""
        count("JobsStarted")
        try:
            self.table.move(
                row["document_id"],
                int(row["attempt"]),
                to=Status.READING,
                allowed=(Status.RECEIVED,),
                values={"job_id": job_id},
            )
        except RowHeld:
            # A fast job's notice was here first, and has recorded the job itself.
            logger().info("The job's notice came before its start was written down")
        return Status.READING
