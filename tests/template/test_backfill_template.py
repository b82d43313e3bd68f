"""The backfill's definition and its role: three maps that do the same, and what they may do."""

import json
import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import Any

import pytest
from stack import ACCOUNT, REGION, ROOT, known_names, resolve, resources, states
from test_state_machine import lint, targets

from mailroom.document import INCOMING
from mailroom_desk.backfill import MANIFESTS, RESULTS

TEXT = (ROOT / "statemachine" / "backfill.asl.json").read_text("utf-8")
MACHINE = json.loads(TEXT)
OUTER: dict[str, Any] = MACHINE["States"]
MAPS = {name: state for name, state in OUTER.items() if state["Type"] == "Map"}
BACKFILL = resources("AWS::Serverless::StateMachine")["BackfillStateMachine"]
BUCKET = "the-bucket"
NAMES = known_names(**{"Documents.Arn": f"arn:aws:s3:::{BUCKET}"})


def every_scope() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """The states of the machine and those inside of each map, with the first of them."""
    yield "the machine", MACHINE["StartAt"], OUTER
    for name, state in MAPS.items():
        yield name, state["ItemProcessor"]["StartAt"], state["ItemProcessor"]["States"]


SCOPES = pytest.mark.parametrize(
    ("start", "scope"), [pytest.param(start, each, id=name) for name, start, each in every_scope()]
)
TASKS = [
    pytest.param(task, id=name)
    for _, _, scope in every_scope()
    for name, task in scope.items()
    if task["Type"] == "Task"
]


def may(action: str, resource: str, **context: str) -> bool:
    """Whether the role's statements allow a call: Allow, `*` within an ARN, StringLike."""
    (policy,) = BACKFILL["Policies"]
    for raw in policy["Statement"]:
        statement = resolve(raw, NAMES)
        conditions = statement.get("Condition", {}).get("StringLike", {})
        actions, wanted = statement["Action"], statement["Resource"]
        if (
            action in (actions if isinstance(actions, list) else [actions])
            and any(
                fnmatchcase(resource, each)
                for each in (wanted if isinstance(wanted, list) else [wanted])
            )
            and all(
                fnmatchcase(context.get(key.partition(":")[2], ""), pattern)
                for key, pattern in conditions.items()
            )
        ):
            return True
    return False


def arn(kind: str, name: str, service: str = "states") -> str:
    return f"arn:aws:{service}:{REGION}:{ACCOUNT}:{kind}:{name}"


# -- the definition -------------------------------------------------------------------------------


def test_definition_passes_the_schema_of_step_functions() -> None:
    text = TEXT
    for name, value in {
        "Partition": "aws",
        "BucketName": BUCKET,
        "TableName": "mailroom-documents",
        "IntakeFunctionArn": arn("function", "mailroom-intake", "lambda"),
    }.items():
        text = text.replace(f"${{{name}}}", value)
    assert lint(text) == []


def test_placeholders_are_the_substitutions_of_the_template() -> None:
    assert set(re.findall(r"\$\{([^}]+)\}", TEXT)) == set(BACKFILL["DefinitionSubstitutions"])


def test_no_two_states_have_the_same_name() -> None:
    """A name is unique in a whole machine, its maps included."""
    named = [name for _, _, scope in every_scope() for name in scope]
    assert len(named) == len(set(named))


def test_three_maps_do_the_same_with_each_item() -> None:
    def without_label(state: dict[str, Any]) -> str:
        return json.dumps(state["ItemProcessor"]).replace(f"({state['Label']})", "(…)")

    assert len(MAPS) == 3
    assert len({without_label(state) for state in MAPS.values()}) == 1
    assert len({json.dumps(state["ResultWriter"]) for state in MAPS.values()}) == 1
    assert len({state["Label"] for state in MAPS.values()}) == 3


@SCOPES
def test_every_target_is_a_state_and_every_state_is_reached(
    start: str, scope: dict[str, Any]
) -> None:
    reached, ahead = set(), [start]
    while ahead:
        name = ahead.pop()
        if name not in reached:
            reached.add(name)
            ahead += targets(scope[name])
    assert reached == set(scope)


@pytest.mark.parametrize("task", TASKS)
def test_task_has_a_time_limit_a_ladder_and_catches_everything_last(task: dict[str, Any]) -> None:
    assert 0 < task["TimeoutSeconds"] <= 90
    for rule in task["Retry"]:
        assert rule["JitterStrategy"] == "FULL"
        assert rule["IntervalSeconds"] < rule["MaxDelaySeconds"] <= 300
        assert not {"States.ALL", "States.TaskFailed"} & set(rule["ErrorEquals"])
    *named, last = task["Catch"]
    assert last["ErrorEquals"] == ["States.ALL"]
    assert all("States.ALL" not in each["ErrorEquals"] for each in named)
    assert all(each["ResultPath"].startswith("$.") for each in task["Catch"])


def test_intake_is_tried_as_often_as_on_the_road() -> None:
    for state in MAPS.values():
        inner = state["ItemProcessor"]["States"]
        assert inner[f"TakeIn ({state['Label']})"]["Retry"] == states()["Intake"]["Retry"]


def test_concurrency_and_tolerance_are_the_runs_own_with_defaults() -> None:
    defaults = OUTER["Defaults"]["Result"]
    assert defaults == {"reprocess": False, "concurrency": 20, "tolerated_percent": 5}
    for state in MAPS.values():
        assert state["MaxConcurrencyPath"] == "$.concurrency"
        assert state["ToleratedFailurePercentagePath"] == "$.tolerated_percent"
        assert state["ItemProcessor"]["ProcessorConfig"] == {
            "Mode": "DISTRIBUTED", "ExecutionType": "STANDARD",
        }  # fmt: skip


def test_prefixes_are_those_of_the_code() -> None:
    patterns = [
        part["StringMatches"]
        for choice in OUTER["Source?"]["Choices"]
        for part in choice["And"]
        if "StringMatches" in part
    ]
    assert patterns == [f"{INCOMING}*", f"{MANIFESTS}*.csv", f"{MANIFESTS}*.jsonl"]
    writer = MAPS["OverPrefix"]["ResultWriter"]["Parameters"]
    assert writer["Prefix.$"] == f"States.Format('{RESULTS}{{}}', $$.Execution.Name)"


# -- the role -------------------------------------------------------------------------------------


def test_role_starts_its_own_machine_by_name_and_no_other() -> None:
    assert may("states:StartExecution", arn("stateMachine", "mailroom-backfill"))
    assert not may("states:StartExecution", arn("stateMachine", "mailroom-document"))
    assert "BackfillStateMachine" not in json.dumps(BACKFILL["Policies"])


@pytest.mark.parametrize("action", ["states:DescribeExecution", "states:StopExecution"])
def test_items_are_reached_by_the_arns_of_executions(action: str) -> None:
    assert may(action, arn("execution", "mailroom-backfill/prefix:5a1c"))
    assert may(action, arn("execution", "mailroom-backfill:5a1c"))
    assert not may(action, arn("stateMachine", "mailroom-backfill"))
    assert not may(action, arn("execution", "mailroom-document:5a1c"))


def test_failed_run_can_be_redriven_and_counted() -> None:
    assert may("states:RedriveExecution", arn("execution", "mailroom-backfill/csv:5a1c"))
    assert may("states:ListMapRuns", arn("execution", "mailroom-backfill:first"))
    assert may("states:DescribeMapRun", arn("mapRun", "mailroom-backfill/csv:5a1c"))
    assert not may("states:DescribeMapRun", arn("mapRun", "other/csv:5a1c"))


def test_role_lists_where_documents_arrive_and_writes_elsewhere() -> None:
    bucket = f"arn:aws:s3:::{BUCKET}"
    assert may("s3:ListBucket", bucket, prefix="incoming/2019/")
    assert not may("s3:ListBucket", bucket, prefix="results/")
    assert may("s3:GetObject", f"{bucket}/{MANIFESTS}list.csv")
    assert not may("s3:GetObject", f"{bucket}/{INCOMING}a.pdf")
    for action in (
        "s3:PutObject", "s3:GetObject", "s3:ListMultipartUploadParts", "s3:AbortMultipartUpload",
    ):  # fmt: skip
        assert may(action, f"{bucket}/{RESULTS}run/5a1c/manifest.json")
    assert not may("s3:PutObject", f"{bucket}/{MANIFESTS}list.csv")
    assert not may("s3:PutObject", f"{bucket}/{INCOMING}a.pdf")
    assert not RESULTS.startswith(INCOMING)


def test_role_reads_rows_and_changes_none() -> None:
    table = "<DocumentsTable.Arn>"
    assert may("dynamodb:GetItem", table)
    assert not may("dynamodb:UpdateItem", table)
    assert not may("dynamodb:PutItem", table)
