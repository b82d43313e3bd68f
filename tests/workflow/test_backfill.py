"""The backfill's state machine on moto: what each item does, what is counted, what is skipped.

moto has no `InputType` JSONL, writes no results but their manifest, and never finds the tolerated
share exceeded; `tests/cloud/test_backfill.py` covers these on the other engine.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import boto3
import pytest
from machines_on_moto import (
    Execution,
    answer_waits,
    create_machine,
    definition,
    failure,
    hooks,
    run_execution,
)
from moto.stepfunctions.parser.asl.component.state.exec.state_task.service import (
    state_task_service_aws_sdk,
)
from papers import INVOICE_PAGES
from road import PDF, Road
from services import refusal
from stack import resources

from mailroom.document import document_id, execution_name

MACHINE = resources("AWS::Serverless::StateMachine")["BackfillStateMachine"]


@dataclass
class Backfill:
    """Starts backfills on a road. While an item waits, `meanwhile` happens."""

    road: Road
    machine: str
    waits: list[float] = field(default_factory=list)
    meanwhile: Callable[[], None] = lambda: None

    def run(self, name: str = "first", **given: Any) -> Execution:
        """Start a backfill and follow it to its end; one item at a time, since the fakes are."""
        state = {"concurrency": 1, "tolerated_percent": 100, **given}
        return run_execution(self.machine, name, state)

    def put(self, key: str, body: bytes = PDF) -> str:
        """Lay an object in the bucket as if it had come before Mailroom; the document's id."""
        bucket = self.road.bucket
        put = self.road.s3.put_object(Bucket=bucket, Key=key, Body=body)
        return document_id(bucket, key, put["VersionId"])

    def read_all(self) -> None:
        """Textract and the document's machine do their work on all that is being read."""
        for identity in self.road.rows():
            if self.road.row(identity)["status"] == "READING":
                self.road.read(identity, INVOICE_PAGES)

    def store_all(self) -> None:
        """The same, without the work: the rows alone come to their end."""
        for identity in self.road.rows():
            if self.road.row(identity)["status"] == "READING":
                self.road.dynamodb.update_item(
                    TableName=self.road.names["DocumentsTable"],
                    Key={"document_id": {"S": identity}},
                    UpdateExpression="SET #status = :stored",
                    ExpressionAttributeNames={"#status": "status"},
                    ExpressionAttributeValues={":stored": {"S": "STORED"}},
                )

    def statuses(self) -> dict[str, str]:
        """The status of every document by its key."""
        rows = [self.road.row(identity) for identity in self.road.rows()]
        return {str(row["key"]): str(row["status"]) for row in rows}


def create_backfill(road: Road, *, writes_results: bool = False) -> str:
    """The machine as moto takes it. Without its writer, the Map hands its results on."""
    found = json.loads(definition(MACHINE, road.names).replace('"JSONL"', '"JSON"'))
    if not writes_results:
        for state in found["States"].values():
            state.pop("ResultWriter", None)
    name = "writes-results" if writes_results else MACHINE["Name"]
    return create_machine({**MACHINE, "Name": name}, road.names, json.dumps(found))


@pytest.fixture
def backfill(road: Road, monkeypatch: pytest.MonkeyPatch) -> Backfill:
    """The backfill's machine beside the road's."""
    backfill = Backfill(road, create_backfill(road))

    def wait(wait_seconds: int) -> None:
        backfill.waits.append(wait_seconds)
        backfill.meanwhile()

    answer_waits(monkeypatch, wait)
    sdk = state_task_service_aws_sdk.StateTaskServiceAwsSdk
    monkeypatch.setattr(sdk, "_normalise_parameters", _as_boto3_names)
    monkeypatch.setattr(sdk, "_normalise_response", _as_states_names)
    backfill.meanwhile = backfill.store_all
    return backfill


def _as_boto3_names(task: Any, parameters: dict[str, Any], *_: Any) -> None:
    """moto hands an SDK integration's parameters on in the case of Step Functions."""
    task._to_boto_request(parameters, _operation(task).input_shape)


def _as_states_names(task: Any, result: Any, *_: Any) -> None:
    """The same on the way back."""
    task._from_boto_response(result, _operation(task).output_shape)


def _operation(task: Any) -> Any:
    action = task.resource.api_action
    model = boto3.client("stepfunctions").meta.service_model
    return model.operation_model(action[0].upper() + action[1:])


def results(execution: Execution, source: str = "OverPrefix") -> list[Any]:
    """What the items of a Map said; None where one failed."""
    (output,) = (text for name, text in execution.payloads() if name == f"{source} output")
    return list(json.loads(output)["results"])


def counted(execution: Execution) -> tuple[int, int]:
    """How many items succeeded and failed."""
    return execution.output["succeeded"], execution.output["failed"]


def test_every_object_under_the_prefix_is_brought_to_its_end(backfill: Backfill) -> None:
    keys = ["incoming/old/a.pdf", "incoming/old/b.pdf", "incoming/old/deep/c.pdf"]
    for key in keys:
        backfill.put(key)
    backfill.put("incoming/new.pdf")
    backfill.meanwhile = backfill.read_all

    execution = backfill.run(prefix="incoming/old/")

    assert execution.status == "SUCCEEDED", execution.cause
    assert backfill.statuses() == dict.fromkeys(keys, "STORED")
    assert counted(execution) == (3, 0)
    assert [(item["key"], item["status"], item["followed"]) for item in results(execution)] == [
        (key, "STORED", True) for key in keys
    ]


def test_second_run_starts_nothing_and_counts_the_same(backfill: Backfill) -> None:
    for number in range(2):
        backfill.put(f"incoming/old/{number}.pdf")
    backfill.meanwhile = backfill.read_all
    first = backfill.run(prefix="incoming/old/")
    started, asked, waits = (
        len(backfill.road.textract.started), len(backfill.road.claude.requests), len(backfill.waits)
    )  # fmt: skip

    second = backfill.run("second", prefix="incoming/old/")

    assert counted(second) == counted(first) == (2, 0)
    assert len(backfill.road.textract.started) == started == 2
    assert len(backfill.road.claude.requests) == asked
    assert len(backfill.waits) == waits
    assert {item["followed"] for item in results(second)} == {False}


def test_reprocess_starts_one_new_attempt_each(backfill: Backfill) -> None:
    identity = backfill.put("incoming/old/a.pdf")
    backfill.run(prefix="incoming/old/")

    execution = backfill.run("again", prefix="incoming/old/", reprocess=True)

    assert counted(execution) == (1, 0)
    row = backfill.road.row(identity)
    assert (int(row["attempt"]), row["status"]) == (2, "STORED")


def test_new_attempt_whose_answer_was_lost_is_followed_and_not_doubled(
    backfill: Backfill,
) -> None:
    identity = backfill.put("incoming/old/a.pdf")
    backfill.run(prefix="incoming/old/")
    # Intake did its work, and the sandbox was lost before it could say so.
    invoke = backfill.road.invoke

    def invoke_and_lose(logical_id: str, event: Any) -> Any:
        answer = invoke(logical_id, event)
        if logical_id == "IntakeFunction" and event.get("reprocess") and not lost:
            lost.append(answer)
            raise failure("Sandbox.Timedout", "the sandbox was lost")
        return answer

    lost: list[Any] = []
    backfill.road.invoke = invoke_and_lose  # type: ignore[method-assign]
    execution = backfill.run("again", prefix="incoming/old/", reprocess=True)

    assert lost
    assert counted(execution) == (1, 0)
    assert results(execution)[0]["status"] == "STORED"
    assert int(backfill.road.row(identity)["attempt"]) == 2


@pytest.mark.parametrize("poisoned", [1, 19])
def test_poisoned_items_throw_none_of_the_others_away(backfill: Backfill, poisoned: int) -> None:
    for number in range(20):
        backfill.put(f"incoming/old/{number:02}.pdf", b"" if number < poisoned else PDF)

    execution = backfill.run(prefix="incoming/old/")

    assert counted(execution) == (20 - poisoned, poisoned)
    ends = list(backfill.statuses().values())
    assert (ends.count("REJECTED"), ends.count("STORED")) == (poisoned, 20 - poisoned)


def test_dead_letter_fails_its_item_and_has_its_row(backfill: Backfill) -> None:
    identity = backfill.put("incoming/old/torn.pdf")
    backfill.put("incoming/old/whole.pdf")

    def read_but_one() -> None:
        if backfill.road.row(identity)["status"] == "READING":
            job = backfill.road.write_results(identity, [])
            backfill.road.notify(job, "FAILED")
            backfill.road.finished(execution_name(identity, 1))
        backfill.read_all()

    backfill.meanwhile = read_but_one
    execution = backfill.run(prefix="incoming/old/")

    assert counted(execution) == (1, 1)
    assert results(execution)[0] is None
    assert backfill.statuses() == {
        "incoming/old/torn.pdf": "DEAD_LETTERED",
        "incoming/old/whole.pdf": "STORED",
    }
    again = backfill.run("again", prefix="incoming/old/")
    assert counted(again) == (1, 1)
    assert len(backfill.road.textract.started) == 2


def test_intake_that_fails_for_one_item_leaves_the_others_alone(backfill: Backfill) -> None:
    backfill.put("incoming/old/a.pdf")
    backfill.put("incoming/old/b.pdf")
    backfill.road.failures["IntakeFunction"] = [failure("ServiceMisconfigured")]

    execution = backfill.run(prefix="incoming/old/")

    assert counted(execution) == (1, 1)
    assert backfill.statuses() == {"incoming/old/b.pdf": "STORED"}


def test_throttled_intake_is_asked_again(backfill: Backfill) -> None:
    backfill.put("incoming/old/a.pdf")
    busy = failure("Lambda.TooManyRequestsException")
    backfill.road.failures["IntakeFunction"] = [busy, busy]

    execution = backfill.run(prefix="incoming/old/")

    assert counted(execution) == (1, 0)
    assert len(backfill.road.waits) == 2


def test_pauses_grow_and_end_after_a_day(backfill: Backfill) -> None:
    backfill.put("incoming/old/a.pdf")
    backfill.meanwhile = lambda: None

    execution = backfill.run(prefix="incoming/old/")

    assert counted(execution) == (0, 1)
    assert backfill.waits[:3] == [10, 20, 30]
    assert 24 * 3600 < sum(backfill.waits) < 30 * 3600
    assert backfill.statuses() == {"incoming/old/a.pdf": "READING"}


def test_folders_of_a_console_are_no_documents(backfill: Backfill) -> None:
    backfill.put("incoming/old/", b"")
    backfill.put("incoming/old/a.pdf")

    execution = backfill.run(prefix="incoming/old/")

    assert counted(execution) == (2, 0)
    assert [item["status"] for item in results(execution)] == ["FOLDER", "STORED"]
    assert list(backfill.statuses()) == ["incoming/old/a.pdf"]


HOSTILE = "incoming/old/a\"b{}\\c' +%41 é\n.pdf"


@pytest.mark.parametrize("source", ["OverCsv", "OverJsonl"])
def test_manifest_names_its_objects_and_strange_names_arrive_unchanged(
    backfill: Backfill, source: str
) -> None:
    backfill.put(HOSTILE)
    backfill.put("incoming/old/b, c.pdf")
    backfill.put("incoming/old/not listed.pdf")
    body, manifest = {
        "OverCsv": (
            'key,why\n"' + HOSTILE.replace('"', '""') + '",x\n"incoming/old/b, c.pdf",\n',
            "backfill/manifests/old.csv",
        ),
        # A line each; for moto, which does not know JSONL, one array.
        "OverJsonl": (
            json.dumps([{"key": HOSTILE}, {"key": "incoming/old/b, c.pdf", "why": "x"}]),
            "backfill/manifests/old.jsonl",
        ),
    }[source]
    backfill.road.s3.put_object(Bucket=backfill.road.bucket, Key=manifest, Body=body.encode())

    execution = backfill.run(manifest=manifest)

    assert execution.status == "SUCCEEDED", execution.cause
    assert counted(execution) == (2, 0)
    assert [item["key"] for item in results(execution, source)] == [
        HOSTILE, "incoming/old/b, c.pdf",
    ]  # fmt: skip
    assert set(backfill.statuses()) == {HOSTILE, "incoming/old/b, c.pdf"}


def test_results_have_a_place_of_their_own_for_each_run(backfill: Backfill) -> None:
    writer = create_backfill(backfill.road, writes_results=True)
    backfill.put("incoming/old/a.pdf")

    execution = run_execution(writer, "run-7", {"prefix": "incoming/old/", "concurrency": 1})

    assert execution.status == "SUCCEEDED", execution.cause
    (manifest,) = backfill.road.keys("backfill/results/run-7/")
    assert manifest.endswith("/manifest.json")
    assert execution.output["map_run_arn"].rpartition(":")[2] in manifest


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"prefix": "text/"},
        {"prefix": "in"},
        {"manifest": "backfill/manifests/list.xlsx"},
        {"manifest": "incoming/list.csv"},
    ],
    ids=str,
)
def test_run_without_a_source_of_ours_says_what_it_takes(
    backfill: Backfill, given: dict[str, Any]
) -> None:
    execution = backfill.run(**given)

    assert (execution.status, execution.error) == ("FAILED", "NothingNamed")
    assert "manifest" in execution.cause


def test_manifest_that_is_not_there_fails_the_run(backfill: Backfill) -> None:
    execution = backfill.run(manifest="backfill/manifests/none.csv")

    assert execution.status == "FAILED"
    assert execution.states[-1] == "NotRun"
    assert backfill.road.invoked == []


def test_refused_look_at_a_row_is_repeated(backfill: Backfill) -> None:
    backfill.put("incoming/old/a.pdf")
    refusals = [refusal("ThrottlingException"), refusal("ProvisionedThroughputExceededException")]
    hooks["dynamodb.GetItem"] = lambda **_: (
        refusals.pop() if refusals and not backfill.road.in_handler else None
    )

    execution = backfill.run(prefix="incoming/old/")

    assert counted(execution) == (1, 0)
    assert refusals == []
