"""Beside the road. Look after every row that has waited longer than its status allows.

Comes in: a schedule's event, or nothing; it can be invoked by hand at any time.
Goes out: counts of what was done. Two sweeps at once do each thing once: a row is claimed first.
Raises: nothing for one row; the others go on, and the next sweep comes back to it.
"""

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol

from aws_lambda_powertools.utilities.typing import LambdaContext

from mailroom.announce import announce, is_due
from mailroom.aws.bus import Bus
from mailroom.aws.functions import Function
from mailroom.aws.queue import Queue
from mailroom.aws.table import DocumentTable, Row, RowHeld
from mailroom.aws.textract import Textract
from mailroom.aws.workflow import Workflow
from mailroom.closer import STAGE
from mailroom.dead_letters import dead_letter
from mailroom.document import Status, execution_name, job_tag
from mailroom.errors import OcrFailed, OcrThrottled
from mailroom.observability import about, count, logger, observed
from mailroom.ocr_done import API
from mailroom.release import release, source_event
from mailroom.settings import SweeperSettings

_SPARE_SECONDS = 20  # of the function's time, left for the last row

Event = dict[str, Any]


class Jobs(Protocol):
    """What the sweeper needs of Textract."""

    def status(self, job_id: str) -> tuple[str, str]: ...


@dataclass(frozen=True)
class Limits:
    """How long a row may wait before the sweeper looks at it.

    `give_up` ends what Textract never ended; `held` is how many held documents one sweep lets go.
    """

    received: timedelta
    reading: timedelta
    working: timedelta
    announced: timedelta
    give_up: timedelta
    held: int

    @classmethod
    def of(cls, settings: SweeperSettings) -> "Limits":
        """From the environment's minutes."""

        def minutes(text: str) -> timedelta:
            return timedelta(minutes=float(text))

        return cls(
            received=minutes(settings.received_limit_minutes),
            reading=minutes(settings.reading_limit_minutes),
            working=minutes(settings.working_limit_minutes),
            announced=minutes(settings.announce_limit_minutes),
            give_up=minutes(settings.give_up_minutes),
            held=int(settings.held_per_sweep),
        )


@dataclass(frozen=True)
class Sweeper:
    """Ports: rows, Textract, executions, the bus, the dead letters, and the two functions."""

    table: DocumentTable
    jobs: Jobs
    workflow: Workflow
    bus: Bus
    dead_letters: Queue
    take_in: Callable[[Event], None]
    job_done: Callable[[Event], None]
    limits: Limits

    def sweep(self, now: datetime, has_time: Callable[[], bool] = lambda: True) -> dict[str, int]:
        """Look after every open row; returns what was done, by name, with how often."""
        done: Counter[str] = Counter()
        for row in self.table.open_rows():
            if not has_time():
                done["left for the next sweep"] += 1
                break
            with about(row["document_id"], attempt=int(row["attempt"])):
                try:
                    what = self._look_after(row, now)
                except RowHeld:
                    what = "changed meanwhile"
                except OcrThrottled:
                    what = "Textract has no time"
                # Broad on purpose: one row that cannot be mended must not hide the others.
                except Exception as error:
                    what = "failed"
                    logger().warning("Not looked after", error=type(error).__name__)
                if what:
                    done[what] += 1
                    logger().info("Looked after", what=what, status=row["status"])
        if released := release(self.limits.held, self.table, self.take_in):
            done["released"] += released
        count("RowsSwept", sum(done.values()))
        return dict(done)

    def _look_after(self, row: Row, now: datetime) -> str | None:
        age = now - datetime.fromisoformat(row["updated_at"])
        status_age = now - datetime.fromisoformat(row["status_since"])
        hopeless = status_age > self.limits.give_up
        match Status(row["status"]):
            case Status.RECEIVED if age > self.limits.received:
                return self._start_again(row, hopeless)
            case Status.READING if age > self.limits.reading:
                return self._ask_for_the_job(row, hopeless)
            case Status.WORKING if age > self.limits.working:
                return self._ask_for_the_execution(row)
            case _ if is_due(row) and age > self.limits.announced:
                return self._announce(row)
        return None

    def _start_again(self, row: Row, hopeless: bool) -> str:
        """Intake died or failed before the job was written down. Same token: no job twice."""
        if hopeless:
            return self._end(row, "Intake", "NeverStarted", "Its Textract job never started.")
        self.table.touch(row)
        self.take_in(source_event(row))
        return "started again"

    def _ask_for_the_job(self, row: Row, hopeless: bool) -> str | None:
        """The notice is late or lost: ask Textract itself."""
        try:
            status, _ = self.jobs.status(row["job_id"])
        except OcrFailed as error:
            return self._end(row, "Textract", "OcrFailed", str(error))
        if status == "IN_PROGRESS":
            if not hopeless:
                return None
            return self._end(row, "Textract", "OcrNeverEnded", "Textract never ended its job.")
        self.table.touch(row)
        self.job_done(_notice(row, status))
        return "job found"

    def _announce(self, row: Row) -> str | None:
        """Whoever ended the row did not come to announce it. An execution that runs still may."""
        found = self.workflow.status(execution_name(row["document_id"], int(row["attempt"])))
        if found is not None and found[0] == "RUNNING":
            return None
        self.table.touch(row)
        announce(row, self.bus, self.table)
        return "announced"

    def _ask_for_the_execution(self, row: Row) -> str | None:
        """The execution died unheard, or was never started."""
        name = execution_name(row["document_id"], int(row["attempt"]))
        found = self.workflow.status(name)
        if found is None:
            status, _ = self.jobs.status(row["job_id"])
            self.table.touch(row)
            self.job_done(_notice(row, status))
            return "execution started"
        status, error, cause = found
        if status == "RUNNING":
            return None
        cause = cause or f"The execution ended as {status}."
        return self._end(row, STAGE, error or status, cause)

    def _end(self, row: Row, stage: str, error: str, cause: str) -> str:
        ended = dead_letter(
            self.table,
            self.dead_letters,
            self.bus,
            row["document_id"],
            int(row["attempt"]),
            stage=stage,
            error=error,
            cause=cause,
            allowed=(Status(row["status"]),),
            execution=str(row.get("execution_arn", "")),
        )
        return "dead-lettered" if ended else "changed meanwhile"


def _notice(row: Row, status: str) -> Event:
    """The notice that Textract's topic did not bring, as it would have brought it."""
    message = {
        "JobId": row["job_id"],
        "JobTag": job_tag(row["document_id"], int(row["attempt"])),
        "Status": status,
        "API": API,
    }
    return {"Records": [{"EventSource": "aws:sns", "Sns": {"Message": json.dumps(message)}}]}


@observed
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Sweep once."""
    settings = SweeperSettings.from_env()
    sweeper = Sweeper(
        DocumentTable(settings.table),
        Textract(),
        Workflow(settings.state_machine_arn),
        Bus(settings.bus),
        Queue(settings.dead_letter_queue_url),
        Function(settings.intake_function),
        Function(settings.ocr_done_function),
        Limits.of(settings),
    )

    def has_time() -> bool:
        return context.get_remaining_time_in_millis() > _SPARE_SECONDS * 1000

    return sweeper.sweep(datetime.now(UTC), has_time)
