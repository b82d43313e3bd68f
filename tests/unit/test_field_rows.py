"""Rows under pressure: numbers, emptiness, rivals, leases, repeats after a lost answer."""

import json
import time
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError
from intake_desk import Desk, FakeWorkflow, desk, event

from mailroom.aws.queue import Queue
from mailroom.aws.table import DocumentTable, RowHeld
from mailroom.aws.workflow import Workflow
from mailroom.closer import close
from mailroom.document import Status, Work
from mailroom.errors import (
    StorageUnavailable,
    Superseded,
)
from mailroom.intake import take_all
from mailroom.ocr_done import job_done
from mailroom.store import store

__all__ = ["desk"]  # the fixture

KEY = "incoming/a.pdf"


def taken(desk: Desk, key: str = KEY) -> dict[str, Any]:
    version = desk.put(key)
    take_all(desk.intake, event((key, version)))
    return desk.row(key, version)


def working(desk: Desk, key: str = KEY) -> dict[str, Any]:
    row = taken(desk, key)
    tag = f"{row['document_id']}.1"
    notice = {"JobId": row["job_id"], "JobTag": tag, "Status": "SUCCEEDED"}
    job_done(notice, desk.intake.table, FakeWorkflow())
    return desk.row(key, row["version_id"])


def finish(desk: Desk, row: dict[str, Any], **values: Any) -> None:
    desk.intake.table.move(
        row["document_id"], 1, to=Status.STORED, allowed=(Status.WORKING,), values=values
    )


def set_lease(row: dict[str, Any], seconds_from_now: int) -> None:
    boto3.resource("dynamodb").Table("documents").update_item(
        Key={"document_id": row["document_id"]},
        UpdateExpression="SET lease_until = :at",
        ExpressionAttributeValues={":at": int(time.time()) + seconds_from_now},
    )


# -- what a row can hold --------------------------------------------------------------------------


def test_numbers_go_into_a_row_and_come_back_equal(desk: Desk) -> None:
    numbers = {"sure": 99.97345, "small": 1e-7, "deep": [{"list": [0.1, 3, {"x": 1e-7}]}]}
    row = working(desk)
    new = {"document_id": "0" * 40, "status": Status.REJECTED, "numbers": numbers}
    desk.intake.table.register(new)

    finish(desk, row, numbers=numbers)

    for kept in (desk.intake.table.get("0" * 40), desk.row(KEY, row["version_id"])):
        assert kept is not None
        assert kept["numbers"] == {
            "sure": Decimal("99.97345"),
            "small": Decimal("1e-7"),
            "deep": [{"list": [Decimal("0.1"), 3, {"x": Decimal("1e-7")}]}],
        }


@pytest.mark.parametrize("number", [float("nan"), float("inf"), Decimal("NaN")])
def test_number_that_is_not_finite_is_refused_by_its_name(desk: Desk, number: Any) -> None:
    row = working(desk)
    fields = {"line_items": [{"amount": 1.5}, {"amount": number}]}

    with pytest.raises(ValueError, match=r"fields\.line_items\[1\]\.amount is not a finite"):
        finish(desk, row, fields=fields)
    with pytest.raises(ValueError, match=r"fields\.line_items\[1\]\.amount is not a finite"):
        desk.intake.table.register({"document_id": "f" * 40, "status": "X", "fields": fields})

    assert desk.row(KEY, row["version_id"]) == row


def test_empty_values_are_left_out_of_a_row(desk: Desk) -> None:
    row = working(desk)

    finish(desk, row, fields={"vendor_name": "", "total": None, "currency": "EUR", "lines": []})

    assert desk.row(KEY, row["version_id"])["fields"] == {"currency": "EUR"}


# -- a condition that did not hold ----------------------------------------------------------------


class Wire:
    """A DynamoDB client whose answers can be changed on the way."""

    def __init__(self) -> None:
        self._real = boto3.client("dynamodb")
        self.loses_answers, self.refuses_status = 0, ""
        self.leaves_out_the_item = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def put_item(self, **request: Any) -> Any:
        return self._write(self._real.put_item, request)

    def update_item(self, **request: Any) -> Any:
        return self._write(self._real.update_item, request)

    def _write(self, operation: Any, request: dict[str, Any]) -> Any:
        throttled: Any = {"Error": {"Code": "ThrottlingException", "Message": "slow down"}}
        values = request.get("ExpressionAttributeValues", {}).values()
        if self.refuses_status and {"S": self.refuses_status} in list(values)[:1]:
            raise ClientError(throttled, "UpdateItem")
        try:
            answer = operation(**request)
        except ClientError as error:
            if self.leaves_out_the_item:
                error.response.pop("Item", None)
            raise
        if self.loses_answers:
            self.loses_answers -= 1
            raise ClientError(throttled, "UpdateItem")
        return answer


@pytest.fixture
def wire(desk: Desk) -> Iterator[Wire]:
    """The desk's rows behind a wire that can be disturbed."""
    wire = Wire()
    desk.intake = replace(desk.intake, table=DocumentTable("documents", api=wire))
    yield wire


def result_of(row: dict[str, Any]) -> Any:
    """A bucket that holds one result."""

    class Results:
        def read(self, key: str) -> bytes:
            return json.dumps({"document_class": "invoice", "fields": {"total": "1.00"}}).encode()

    return Results()


def work_of(row: dict[str, Any], attempt: int = 1) -> Work:
    return Work(row["document_id"], attempt, row["bucket"], row["key"], row["job_id"], "SUCCEEDED")


@pytest.mark.parametrize("leaves_out", [False, True])
def test_store_after_a_lost_answer_knows_its_own_write(
    desk: Desk, wire: Wire, leaves_out: bool
) -> None:
    row = working(desk)
    wire.loses_answers, wire.leaves_out_the_item = 1, leaves_out

    with pytest.raises(StorageUnavailable):
        store(work_of(row), Status.STORED, result_of(row), desk.intake.table)
    again = store(work_of(row), Status.STORED, result_of(row), desk.intake.table)

    assert again == {"status": "skipped_duplicate"}
    timeline = desk.row(KEY, row["version_id"])["timeline"]
    assert [each["status"] for each in timeline].count("STORED") == 1


@pytest.mark.parametrize("leaves_out", [False, True])
def test_registration_after_a_lost_answer_goes_on(desk: Desk, wire: Wire, leaves_out: bool) -> None:
    version = desk.put(KEY)
    wire.loses_answers, wire.leaves_out_the_item = 1, leaves_out

    with pytest.raises(StorageUnavailable):
        take_all(desk.intake, event((KEY, version)))
    take_all(desk.intake, event((KEY, version)))

    assert desk.row(KEY, version)["status"] == "READING"
    assert len(desk.ocr.started) == desk.rows() == 1


@pytest.mark.parametrize("leaves_out", [False, True])
def test_rival_at_work_is_left_alone_and_a_dead_one_is_followed(
    desk: Desk, wire: Wire, leaves_out: bool
) -> None:
    wire.leaves_out_the_item = leaves_out
    desk.ocr.errors = [RuntimeError("the sandbox is killed")]
    version = desk.put(KEY)
    with pytest.raises(RuntimeError):
        take_all(desk.intake, event((KEY, version)))
    row = desk.row(KEY, version)

    set_lease(row, +30)
    alive = take_all(desk.intake, event((KEY, version)))
    set_lease(row, -1)
    dead = take_all(desk.intake, event((KEY, version)))

    assert [each["documents"][0]["status"] for each in (alive, dead)] == ["RECEIVED", "READING"]
    assert len(desk.ocr.started) == 2


def test_held_condition_gives_the_row_that_stands_in_the_way(desk: Desk, wire: Wire) -> None:
    row = working(desk)

    for wire.leaves_out_the_item in (False, True):
        with pytest.raises(RowHeld) as held:
            desk.intake.table.lease(row["document_id"], 1, 45)
        assert held.value.row == row


def test_lease_ends_within_a_minute_in_whole_seconds(desk: Desk) -> None:
    before = int(time.time())
    row = taken(desk)

    assert row["lease_until"] == int(row["lease_until"])
    assert before < row["lease_until"] <= time.time() + 60


# -- repeats --------------------------------------------------------------------------------------


def test_failure_after_the_side_effect_asks_for_the_same_job_again(desk: Desk, wire: Wire) -> None:
    version = desk.put(KEY)
    wire.refuses_status = "READING"
    for _ in range(3):
        with pytest.raises(StorageUnavailable):
            take_all(desk.intake, event((KEY, version)))
        set_lease(desk.row(KEY, version), -1)  # Lambda waits a minute, the lease is over then
    wire.refuses_status = ""
    take_all(desk.intake, event((KEY, version)))

    # Equal requests have equal tokens: Textract gives the job that it has.
    assert len(desk.ocr.started) == 4
    assert all(each == desk.ocr.started[0] for each in desk.ocr.started)
    assert desk.row(KEY, version)["status"] == "READING"


def ended(row: dict[str, Any], status: str = "ABORTED", **more: Any) -> dict[str, Any]:
    name = f"{row['document_id']}-1"
    return {"name": name, "status": status, "executionArn": row["execution_arn"], **more}


def test_number_in_flight_is_right_after_repeated_and_lost_ends(desk: Desk) -> None:
    settings = replace(desk.intake.settings, max_in_flight="1")
    first = working(desk, "incoming/1.pdf")
    desk.intake = replace(desk.intake, settings=settings)
    queue = Queue(desk.queue_url)

    assert taken(desk, "incoming/2.pdf")["status"] == "HELD"
    for _ in range(3):
        close(ended(first), desk.intake.table, queue, desk.intake.bus)
    second = working(desk, "incoming/3.pdf")
    assert second["status"] == "WORKING"
    assert taken(desk, "incoming/4.pdf")["status"] == "HELD"
    # Its end is lost: whoever writes the row's end is enough.
    finish(desk, second)

    assert taken(desk, "incoming/5.pdf")["status"] == "READING"
    assert taken(desk, "incoming/6.pdf")["status"] == "HELD"


def test_worker_that_outlives_its_run_cannot_change_the_decided_row(desk: Desk) -> None:
    row = working(desk)
    queue = Queue(desk.queue_url)
    close(ended(row, "TIMED_OUT"), desk.intake.table, queue, desk.intake.bus)
    decided = desk.row(KEY, row["version_id"])

    with pytest.raises(Superseded):
        store(work_of(row), Status.STORED, result_of(row), desk.intake.table)

    assert desk.row(KEY, row["version_id"]) == decided
    assert len(desk.dead_letters()) == 1


def test_cause_of_any_length_ends_the_row(desk: Desk) -> None:
    row = working(desk)
    cause = "請" * 60_000

    queue = Queue(desk.queue_url)
    detail = ended(row, "FAILED", error="Bug", cause=cause)
    close(detail, desk.intake.table, queue, desk.intake.bus)

    after = desk.row(KEY, row["version_id"])
    assert after["status"] == "DEAD_LETTERED"
    assert 0 < len(after["error"]["cause"]) <= 32_768
    (letter,) = desk.dead_letters()
    assert letter["cause"] == after["error"]["cause"]


# -- executions -----------------------------------------------------------------------------------


def machine() -> tuple[Workflow, Any]:
    """A machine on moto, whose executions run until they are stopped, and its client."""
    states = boto3.client("stepfunctions")
    arn = states.create_state_machine(
        name="document",
        definition=json.dumps({"StartAt": "A", "States": {"A": {"Type": "Pass", "End": True}}}),
        roleArn="arn:aws:iam::123456789012:role/states",
    )["stateMachineArn"]
    return Workflow(arn), states


def test_execution_is_started_once_whether_it_runs_or_has_ended(desk: Desk) -> None:
    workflow, states = machine()

    def runs() -> list[str]:
        arn = workflow.execution_arn("").rstrip(":").replace(":execution:", ":stateMachine:")
        return [run["name"] for run in states.list_executions(stateMachineArn=arn)["executions"]]

    workflow.start("d-1", {"a": 1, "b": {"c": 2, "d": 3}})
    workflow.start("d-1", {"b": {"d": 3, "c": 2}, "a": 1})
    assert runs() == ["d-1"]
    states.stop_execution(executionArn=workflow.execution_arn("d-1"))
    workflow.start("d-1", {"a": 1, "b": {"c": 2, "d": 3}})
    assert runs() == ["d-1"]
    workflow.start("d-2", {"a": 1, "b": {"c": 2, "d": 3}})
    assert sorted(runs()) == ["d-1", "d-2"]
