"""A redrive is a new attempt that does not pay again for what was paid for."""

from collections.abc import Collection, Mapping
from typing import Any

import pytest
from botocore.exceptions import ClientError

from mailroom.aws.table import RowHeld
from mailroom.document import Status
from mailroom.errors import StorageUnavailable
from mailroom_desk.redrive import Action, Outcome, Redriver

ID = "d" * 40
MACHINE = "arn:aws:states:us-east-1:1:execution:document"


class Table:
    """One row, with the conditions of the real table."""

    def __init__(self, row: dict[str, Any]) -> None:
        self.row = row

    def get(self, document_id: str) -> dict[str, Any] | None:
        return dict(self.row)

    def move(
        self,
        document_id: str,
        attempt: int,
        *,
        to: Status,
        allowed: Collection[Status],
        values: Mapping[str, Any],
        clear: Collection[str],
        next_attempt: bool,
    ) -> None:
        if self.row["attempt"] != attempt or self.row["status"] not in allowed:
            raise RowHeld(self.row)
        self.row |= {"status": to, "attempt": attempt + next_attempt, **values}
        for name in clear:
            self.row.pop(name, None)


class Objects:
    def __init__(self, files: Mapping[str, str] | None = None, *, is_there: bool = True) -> None:
        self.files = files or {}
        self.there = is_there
        self.thorough: list[bool] = []

    def job_status(self, files: str, *, thorough: bool) -> str | None:
        self.thorough.append(thorough)
        return self.files.get(files)

    def is_there(self, row: dict[str, Any]) -> bool:
        return self.there


class Runs:
    """Executions by name: their status and their input."""

    def __init__(self) -> None:
        self.started: dict[str, tuple[str, dict[str, Any]]] = {}
        self.stopped: list[str] = []
        self.refuses: Exception | None = None

    def stop(self, execution_arn: str) -> None:
        self.stopped.append(execution_arn)

    def status(self, name: str) -> tuple[str, str, str] | None:
        return (self.started[name][0], "", "") if name in self.started else None

    def start(self, name: str, state: dict[str, Any]) -> None:
        if self.refuses:
            raise self.refuses
        assert name not in self.started
        assert len(name) <= 80
        self.started[name] = ("RUNNING", state)

    def end(self, name: str, status: str) -> None:
        self.started[name] = (status, self.started[name][1])

    def execution_arn(self, name: str) -> str:
        return f"{MACHINE}:{name}"


def _row(stage: str, error: str = "ModelUnavailable", **values: Any) -> dict[str, Any]:
    return {
        "document_id": ID,
        "bucket": "bucket",
        "key": "incoming/a.pdf",
        "version_id": "v1",
        "status": Status.DEAD_LETTERED,
        "attempt": 1,
        "job_id": "job",
        "execution_arn": f"{MACHINE}:{ID}-1",
        "error": {"stage": stage, "error": error, "cause": "It failed."},
        "reasons": ["Old doubt."],
        **values,
    }


FILES = {f"textract/{ID}/1/job/": "SUCCEEDED"}


@pytest.mark.parametrize("stage", ["Extract", "Classify", "Store", "Review", "Execution"])
def test_redrive_goes_on_from_the_ocr_result_where_it_is_there(stage: str) -> None:
    table, runs = Table(_row(stage)), Runs()

    done = Redriver(table, Objects(FILES), runs).redrive(table.row)

    assert (done.action, done.outcome) == (Action.RESUME, Outcome.STARTED)
    assert runs.stopped == [f"{MACHINE}:{ID}-1"]
    assert table.row["status"] == "WORKING"
    assert (table.row["attempt"], table.row["ocr_attempt"], table.row["job_id"]) == (2, 1, "job")
    assert table.row["execution_arn"] == done.execution_arn == f"{MACHINE}:{ID}-2"
    assert not {"error", "reasons", "announced_at"} & set(table.row)
    assert runs.started[f"{ID}-2"][1] == {
        "document_id": ID,
        "attempt": 2,
        "bucket": "bucket",
        "key": "incoming/a.pdf",
        "version_id": "v1",
        "job_id": "job",
        "ocr_status": "SUCCEEDED",
        "ocr_attempt": 1,
    }


def test_redrive_of_a_redrive_reads_the_attempt_that_was_paid_for() -> None:
    table, runs = Table(_row("Classify", attempt=3, ocr_attempt=1)), Runs()

    Redriver(table, Objects({f"textract/{ID}/1/job/": "PARTIAL_SUCCESS"}), runs).redrive(table.row)

    state = runs.started[f"{ID}-4"][1]
    assert (state["ocr_attempt"], state["ocr_status"]) == (1, "PARTIAL_SUCCESS")


@pytest.mark.parametrize(
    ("row", "files"),
    [
        (_row("Extract", "OcrFailed"), FILES),
        (_row("Textract", "OcrFailed"), FILES),
        (_row("Classify"), {}),
        (_row("Execution", job_id=None), FILES),
    ],
    ids=["ocr failed", "found so by the sweeper", "files expired", "no job"],
)
def test_redrive_begins_with_the_object_where_there_is_nothing_to_go_on_from(
    row: dict[str, Any], files: dict[str, str]
) -> None:
    table, runs = Table(row), Runs()

    done = Redriver(table, Objects(files), runs).redrive(row)

    assert (done.action, done.outcome) == (Action.FROM_OBJECT, Outcome.STARTED)
    assert runs.started == {
        f"redrive-{ID}-1": (
            "RUNNING",
            {"bucket": "bucket", "key": "incoming/a.pdf", "version_id": "v1", "reprocess": True},
        )
    }
    assert table.row["status"] == "DEAD_LETTERED"  # intake moves it


@pytest.mark.parametrize(
    ("stage", "thorough"), [("Extract", True), ("Execution", True), ("Store", False)]
)
def test_redrive_looks_into_files_that_were_not_read_before(stage: str, thorough: bool) -> None:
    objects = Objects(FILES)

    Redriver(Table(_row(stage)), objects, Runs()).plan(_row(stage))

    assert objects.thorough == [thorough]


def test_redrive_without_object_and_result_says_so_and_does_nothing() -> None:
    table, runs = Table(_row("Intake")), Runs()

    done = Redriver(table, Objects(is_there=False), runs).redrive(table.row)

    assert (done.action, done.outcome) == (Action.NONE, Outcome.GONE)
    assert (runs.started, runs.stopped) == ({}, [])


def test_redriving_twice_from_the_result_starts_one_attempt() -> None:
    table, runs = Table(_row("Classify")), Runs()
    listed = dict(table.row)
    redriver = Redriver(table, Objects(FILES), runs)

    first, second = redriver.redrive(listed), redriver.redrive(listed)

    assert (first.outcome, second.outcome) == (Outcome.STARTED, Outcome.ON_ITS_WAY)
    assert second.sentence == "Already on its way: it is WORKING, in attempt 2."
    assert table.row["attempt"] == 2
    assert len(runs.started) == len(runs.stopped) == 1


def test_two_redrives_at_once_start_one_attempt() -> None:
    """Both have read the row before either has moved it."""
    table, runs = Table(_row("Classify")), Runs()
    stale = dict(table.row)

    class Late(Table):
        def get(self, document_id: str) -> dict[str, Any]:
            return stale

        def move(self, *arguments: Any, **more: Any) -> None:
            table.move(*arguments, **more)

    outcomes = [
        Redriver(Late(stale), Objects(FILES), runs).redrive(stale).outcome for _ in range(2)
    ]

    assert outcomes == [Outcome.STARTED, Outcome.ON_ITS_WAY]
    assert list(runs.started) == [f"{ID}-2"]


@pytest.mark.parametrize("moved", [False, True])
def test_redriving_twice_from_the_object_starts_one_run(moved: bool) -> None:
    table, runs = Table(_row("Intake")), Runs()
    listed = dict(table.row)
    redriver = Redriver(table, Objects(), runs)
    redriver.redrive(listed)
    if moved:
        table.row |= {"status": Status.STORED, "attempt": 2}
        runs.end(f"redrive-{ID}-1", "SUCCEEDED")

    second = redriver.redrive(listed)

    assert second.outcome is Outcome.ON_ITS_WAY
    assert len(runs.started) == 1


def test_redrive_whose_run_took_nothing_in_can_be_repeated() -> None:
    table, runs = Table(_row("Intake")), Runs()
    redriver = Redriver(table, Objects(), runs)
    redriver.redrive(table.row)
    runs.end(f"redrive-{ID}-1", "FAILED")

    again = redriver.redrive(table.row)

    assert again.outcome is Outcome.STARTED
    assert list(runs.started) == [f"redrive-{ID}-1", f"redrive-{ID}-1-2"]


def test_redrive_whose_start_fails_leaves_the_row_to_the_sweeper_and_says_so() -> None:
    table, runs = Table(_row("Classify")), Runs()
    runs.refuses = StorageUnavailable("Step Functions: slow down.")

    done = Redriver(table, Objects(FILES), runs).redrive(table.row)

    assert done.outcome is Outcome.FAILED
    assert "sweep" in done.sentence
    assert (table.row["status"], table.row["attempt"]) == ("WORKING", 2)


def test_redrive_that_aws_refuses_does_not_hold_up_the_others() -> None:
    table, runs = Table(_row("Intake")), Runs()
    denied = {"Error": {"Code": "AccessDeniedException", "Message": "No."}}
    runs.refuses = ClientError(denied, "StartExecution")

    outcomes = [one.outcome for one in Redriver(table, Objects(), runs).all([table.row] * 2, 1e9)]

    assert outcomes == [Outcome.FAILED, Outcome.FAILED]


def test_plan_changes_nothing() -> None:
    table, runs = Table(_row("Classify")), Runs()
    before = dict(table.row)

    planned = Redriver(table, Objects(FILES), runs).plan(table.row)

    assert (planned.action, planned.outcome) == (Action.RESUME, Outcome.PLANNED)
    assert (table.row, runs.started, runs.stopped) == (before, {}, [])


def test_rate_is_kept_between_documents() -> None:
    table, pauses = Table(_row("Classify")), list[float]()

    rows = [dict(table.row)] * 3
    list(Redriver(table, Objects(FILES), Runs()).all(rows, 4, pause=pauses.append))

    assert pauses == [0.25, 0.25]
