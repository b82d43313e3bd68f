"""A sweeper for tests, with everything around it: intake's desk, Textract and Step Functions."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from intake_desk import Desk, FakeWorkflow, event

from mailroom.aws.queue import Queue
from mailroom.aws.table import DocumentTable
from mailroom.intake import take_all
from mailroom.ocr_done import job_done
from mailroom.sweeper import Limits, Sweeper

HOUR = timedelta(hours=1)
LIMITS = Limits(
    received=HOUR, reading=HOUR, working=HOUR, announced=HOUR, give_up=24 * HOUR, held=2
)


@dataclass
class Jobs:
    """Textract, asked about a job."""

    answer: str = "SUCCEEDED"
    error: Exception | None = None
    asked: list[str] = field(default_factory=list)

    def status(self, job_id: str) -> tuple[str, str]:
        self.asked.append(job_id)
        if self.error:
            raise self.error
        return self.answer, ""


@dataclass
class Executions(FakeWorkflow):
    """Step Functions, asked about an execution."""

    ended: tuple[str, str, str] | None = None

    def status(self, name: str) -> tuple[str, str, str] | None:
        return self.ended


@dataclass
class Beside:
    """A sweeper with everything around it."""

    desk: Desk
    jobs: Jobs = field(default_factory=Jobs)
    executions: Executions = field(default_factory=Executions)
    taken_in: list[dict[str, Any]] = field(default_factory=list)
    notices: list[dict[str, Any]] = field(default_factory=list)
    table: DocumentTable | None = None

    def sweep(self, after: timedelta = 2 * HOUR) -> dict[str, int]:
        sweeper: Any = Sweeper(
            self.table or self.desk.intake.table,
            self.jobs,
            self.executions,  # type: ignore[arg-type]
            self.desk.bus,  # type: ignore[arg-type]
            Queue(self.desk.queue_url),
            self.taken_in.append,
            self.notices.append,
            LIMITS,
        )
        swept: dict[str, int] = sweeper.sweep(datetime.now(UTC) + after)
        return swept

    def put(self, key: str = "incoming/a.pdf") -> str:
        version = self.desk.put(key)
        take_all(self.desk.intake, event((key, version)))
        return version

    def working(self, key: str = "incoming/a.pdf") -> dict[str, Any]:
        row = self.desk.row(key, self.put(key))
        job_done(notice_of(row), self.desk.intake.table, self.executions)
        return self.desk.row(key, row["version_id"])


@pytest.fixture
def beside(desk: Desk) -> Beside:
    return Beside(desk)


def notice_of(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "JobId": row["job_id"],
        "JobTag": f"{row['document_id']}.{row['attempt']}",
        "Status": "SUCCEEDED",
    }


class Stale(DocumentTable):
    """The rows as they were read before somebody else acted: what two at once see."""

    def __init__(self, table: DocumentTable) -> None:
        self.__dict__ |= vars(table)
        self._held, self._open = table.oldest_held(100), list(table.open_rows())

    def oldest_held(self, count: int) -> list[dict[str, Any]]:
        return self._held[:count]

    def open_rows(self) -> Iterator[dict[str, Any]]:
        return iter(self._open)
