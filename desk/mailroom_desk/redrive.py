"""Redrive dead letters: a new attempt each, which does not pay again for what was paid for.

Comes in: a dead-lettered row. Goes out: a `Redriven` that says what was done, or would be.
Raises: nothing of one document's own; what AWS refuses is told as FAILED, and the others go on.

Where Textract's result is there, the new attempt goes on from it: the row moves to WORKING, under
the condition that it is still this attempt's dead letter, and an execution starts that reads the
earlier attempt's files. The model's answers are found again under the digest of their request.
Otherwise the object is processed anew, through the state machine, as by hand.
"""

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import count
from typing import Any, Protocol

from botocore.exceptions import BotoCoreError, ClientError

from mailroom.aws.table import RowHeld
from mailroom.document import Status, Work, execution_name
from mailroom.errors import MailroomError, OcrFailed

Row = dict[str, Any]

# After these stages extract has read the files once: they were whole.
_AFTER_EXTRACT = {"Classify", "Store", "Review"}
# Left over from the attempt that failed. An earlier one's fields stay until there are new ones.
_OF_THE_OLD_ATTEMPT = ("error", "reasons", "announced_at", "lease_until")


class Action(StrEnum):
    """What a redrive does: go on from Textract's result, begin with the object, or nothing."""

    RESUME = "resume"
    FROM_OBJECT = "from_object"
    NONE = "none"


class Outcome(StrEnum):
    """How a redrive went."""

    PLANNED = "planned"
    STARTED = "started"
    ON_ITS_WAY = "already_on_its_way"
    GONE = "source_gone"
    FAILED = "failed"


@dataclass(frozen=True)
class Redriven:
    """One document, what is done about it, and a sentence for people."""

    document_id: str
    key: str
    action: Action
    outcome: Outcome
    sentence: str
    execution_arn: str | None = None


class Table(Protocol):
    """What redriving needs of the rows."""

    def get(self, document_id: str) -> Row | None: ...
    def move(
        self, document_id: str, attempt: int, *, to: Status, allowed: Collection[Status],
        values: Mapping[str, Any], clear: Collection[str], next_attempt: bool,
    ) -> None: ...  # fmt: skip


class Objects(Protocol):
    """What redriving needs of the bucket."""

    def job_status(self, files: str, *, thorough: bool) -> str | None:
        """The status of the job whose result files lie under this prefix; None where some lack."""

    def is_there(self, row: Row) -> bool:
        """Whether the very object that the row is about can still be read."""


class Runs(Protocol):
    """What redriving needs of the state machine."""

    def stop(self, execution_arn: str) -> None:
        """End an execution; one that is over or unknown is left alone."""

    def status(self, name: str) -> tuple[str, str, str] | None: ...
    def start(self, name: str, state: dict[str, Any]) -> None: ...
    def execution_arn(self, name: str) -> str: ...


@dataclass(frozen=True)
class Redriver:
    """Redrives documents. Ports: the rows, the bucket and the state machine."""

    table: Table
    objects: Objects
    runs: Runs

    def plan(self, row: Row) -> Redriven:
        """What a redrive would do. Looks, and changes nothing."""
        return self._plan(row)[0]

    def redrive(self, row: Row) -> Redriven:
        """Start a new attempt. Safe to repeat: of two, one starts it and one says so."""
        planned = Redriven(row["document_id"], row["key"], Action.NONE, Outcome.FAILED, "")
        try:
            # The index that listed the row is a little behind.
            row = self.table.get(row["document_id"]) or row
            planned, work = self._plan(row)
            if planned.outcome is not Outcome.PLANNED:
                return planned
            if row.get("execution_arn"):
                self.runs.stop(str(row["execution_arn"]))
            if work:
                return self._resume(row, work, planned)
            return self._from_object(row, planned)
        except (MailroomError, ClientError, BotoCoreError) as error:
            return replace(planned, outcome=Outcome.FAILED, sentence=f"Not redriven: {error}")

    def all(
        self, rows: Iterable[Row], rate: float, *, pause: Callable[[float], None] = time.sleep
    ) -> Iterator[Redriven]:
        """Redrive one after the other, at most `rate` a second."""
        for number, row in enumerate(rows):
            if number:
                pause(1 / rate)
            yield self.redrive(row)

    def _plan(self, row: Row) -> tuple[Redriven, Work | None]:
        def planned(action: Action, outcome: Outcome, sentence: str) -> Redriven:
            return Redriven(row["document_id"], row["key"], action, outcome, sentence)

        if row["status"] != Status.DEAD_LETTERED:
            return planned(Action.NONE, Outcome.ON_ITS_WAY, _on_its_way(row)), None
        if work := self._work(row):
            sentence = f"Goes on from what Textract read in attempt {work.ocr_attempt}."
            return planned(Action.RESUME, Outcome.PLANNED, sentence), work
        if self.objects.is_there(row):
            sentence = "Begins with the object: there is no result of Textract to go on from."
            return planned(Action.FROM_OBJECT, Outcome.PLANNED, sentence), None
        sentence = "The file is no longer in the bucket, and there is no result to go on from."
        return planned(Action.NONE, Outcome.GONE, sentence), None

    def _work(self, row: Row) -> Work | None:
        """The work of the next attempt, where Textract's result is there to go on from."""
        error = row.get("error") or {}
        if not row.get("job_id") or error.get("error") == OcrFailed.__name__:
            return None
        work = Work(
            document_id=row["document_id"],
            attempt=int(row["attempt"]) + 1,
            bucket=row["bucket"],
            key=row["key"],
            version_id=row.get("version_id"),
            job_id=row["job_id"],
            ocr_status="",
            ocr_attempt=int(row.get("ocr_attempt") or row["attempt"]),
        )
        # Files that extract stumbled over are looked at in full, or a redrive would stumble again.
        thorough = error.get("stage") not in _AFTER_EXTRACT
        status = self.objects.job_status(work.ocr_files, thorough=thorough)
        return replace(work, ocr_status=status) if status else None

    def _resume(self, row: Row, work: Work, planned: Redriven) -> Redriven:
        name = execution_name(work.document_id, work.attempt)
        arn = self.runs.execution_arn(name)
        try:
            self.table.move(
                work.document_id,
                int(row["attempt"]),
                to=Status.WORKING,
                allowed=(Status.DEAD_LETTERED,),
                values={"execution_arn": arn, "ocr_attempt": work.ocr_attempt},
                clear=_OF_THE_OLD_ATTEMPT,
                next_attempt=True,
            )
        except RowHeld as held:
            return replace(
                planned, outcome=Outcome.ON_ITS_WAY, sentence=_on_its_way(held.row or row)
            )
        try:
            self.runs.start(name, work.to_state())
        except (MailroomError, ClientError, BotoCoreError) as error:
            sentence = f"The next sweep has to start its execution: {error}"
            return replace(planned, outcome=Outcome.FAILED, sentence=sentence)
        return replace(planned, outcome=Outcome.STARTED, execution_arn=arn)

    def _from_object(self, row: Row, planned: Redriven) -> Redriven:
        """The run's name follows from the attempt that failed, so that two redrives are one run.

        Intake moves the row, and only from its place at rest; a run that did not get that far is
        followed by another under the next name.
        """
        base = f"redrive-{execution_name(row['document_id'], int(row['attempt']))}"
        for number in count(1):
            name = base if number == 1 else f"{base}-{number}"
            found = self.runs.status(name)
            if found is None:
                break
            now = self.table.get(row["document_id"]) or row
            moved_on = now["status"] != row["status"] or now["attempt"] != row["attempt"]
            if found[0] == "RUNNING" or moved_on:
                return replace(planned, outcome=Outcome.ON_ITS_WAY, sentence=_on_its_way(now))
        self.runs.start(
            name,
            {
                "bucket": row["bucket"],
                "key": row["key"],
                "version_id": row.get("version_id") or None,
                "reprocess": True,
            },
        )
        arn = self.runs.execution_arn(name)
        return replace(planned, outcome=Outcome.STARTED, execution_arn=arn)


def _on_its_way(row: Row) -> str:
    if row["status"] == Status.DEAD_LETTERED:
        return "Already on its way: another redrive has started it."
    return f"Already on its way: it is {row['status']}, in attempt {row['attempt']}."
