"""The definition of the state machine, read as a graph and as a set of rules.

cfn-lint does not look into a SAM state machine, and its schema does not follow `Next`.
"""

import importlib
import json
import pkgutil
import re
from collections.abc import Iterator
from math import ceil
from typing import Any

import cfnlint.api
import pytest
from cfnlint.config import ManualArgs
from stack import ASL, functions, resources, states

import mailroom.aws
from mailroom import errors
from mailroom.llm.asking import CALL_SECONDS
from mailroom.llm.reading import CONCURRENT_CALLS
from mailroom_desk.retries.definitions import raised_by

MACHINE = json.loads(ASL.read_text("utf-8"))
TASKS = {name: state for name, state in states().items() if state["Type"] == "Task"}
LADDERS = [
    pytest.param(name, rule, id=f"{name}-{rule['ErrorEquals'][0]}")
    for name, task in TASKS.items()
    for rule in task["Retry"]
]
LONGEST_LADDER_SECONDS = 6 * 3600
SLOW = {"States.Timeout", "ReadingUnfinished"}
ENDS = {"Succeed", "Fail"}
PLATFORM = ("Lambda.", "Runtime.", "Sandbox.", "States.", "EventBridge.", "DynamoDB.", "SQS.")

# What each function can raise: the adapters that its stage uses.
ADAPTERS = {
    "Intake": ("bucket", "table", "textract", "queue", "bus"),
    "Extract": ("bucket", "textract"),
    "Classify": ("bucket", "claude"),
    "Store": ("bucket", "table"),
    "Review": ("bucket", "table"),
}
STAGES = {"Review": "store"}
# What no state's function calls: ocr_done's, the closer's, the sweeper's and the digest's own.
NOT_OF_A_STATE = {"clients", "workflow", "functions", "days"}
# Intake holds the document instead.
HANDLED = {"Intake": {"OcrThrottled"}}


def leaves(family: type[Exception]) -> set[str]:
    """The names of a family's errors that have no family of their own."""
    return {each.__name__ for each in family.__subclasses__()}


def targets(state: dict[str, Any]) -> Iterator[str]:
    """Every state that a state can lead to."""
    for part in ("Next", "Default"):
        if part in state:
            yield state[part]
    for branch in (*state.get("Choices", ()), *state.get("Catch", ())):
        yield branch["Next"]


def longest_waits(rule: dict[str, Any]) -> list[float]:
    """The waits of a rule, each at its longest."""
    return [
        min(rule["IntervalSeconds"] * rule["BackoffRate"] ** i, rule["MaxDelaySeconds"])
        for i in range(rule["MaxAttempts"])
    ]


def test_definition_passes_the_schema_of_step_functions() -> None:
    definition = ASL.read_text("utf-8")
    for name, value in _substitutions().items():
        definition = definition.replace(f"${{{name}}}", value)
    assert lint(definition) == []


def test_lint_finds_a_task_without_a_resource() -> None:
    broken = json.loads(json.dumps(MACHINE))
    del broken["States"]["Store"]["Resource"]
    assert lint(json.dumps(broken))


def lint(definition: str) -> list[str]:
    """What cfn-lint says of a definition inside a plain state machine."""
    machine = {
        "Type": "AWS::StepFunctions::StateMachine",
        "Properties": {
            "RoleArn": "arn:aws:iam::123456789012:role/states",
            "DefinitionString": definition,
        },
    }
    template = json.dumps({"Resources": {"Machine": machine}})
    found = cfnlint.api.lint(template, config=ManualArgs(regions=["us-east-1"]))
    return [str(match) for match in found]


def _substitutions() -> dict[str, str]:
    machine = resources("AWS::Serverless::StateMachine")["DocumentStateMachine"]
    arn = "arn:aws:lambda:us-east-1:123456789012:function:name"
    special = {"Partition": "aws"}
    return {name: special.get(name, arn) for name in machine["DefinitionSubstitutions"]}


def test_placeholders_are_the_substitutions_of_the_template() -> None:
    used = set(re.findall(r"\$\{([^}]+)\}", ASL.read_text("utf-8")))
    assert used == set(_substitutions())


def test_every_target_is_a_state_and_every_state_is_reached() -> None:
    reached, ahead = set(), [MACHINE["StartAt"]]
    while ahead:
        name = ahead.pop()
        assert name in states(), f"{name} is no state"
        if name not in reached:
            reached.add(name)
            ahead += targets(states()[name])
    assert reached == set(states())


@pytest.mark.parametrize("name", states())
def test_state_leads_on_or_ends(name: str) -> None:
    state = states()[name]
    if state["Type"] in ENDS:
        assert not list(targets(state))
    elif state["Type"] == "Choice":
        assert "Default" in state
    else:
        assert ("Next" in state) != state.get("End", False)


def test_machine_and_every_task_have_a_time_limit() -> None:
    assert MACHINE["TimeoutSeconds"] == 24 * 3600
    for name, task in TASKS.items():
        assert 0 < task["TimeoutSeconds"] <= 900, name


@pytest.mark.parametrize("name", TASKS)
def test_task_catches_everything_last_and_keeps_its_input(name: str) -> None:
    *named, last = TASKS[name]["Catch"]
    assert last["ErrorEquals"] == ["States.ALL"]
    assert all("States.ALL" not in each["ErrorEquals"] for each in named)
    for each in TASKS[name]["Catch"]:
        assert each["ResultPath"].startswith("$.")


@pytest.mark.parametrize(("name", "rule"), LADDERS)
def test_ladder_has_jitter_a_cap_and_an_end(name: str, rule: dict[str, Any]) -> None:
    assert rule["JitterStrategy"] == "FULL"
    assert rule["MaxDelaySeconds"] <= 300
    assert rule["IntervalSeconds"] < rule["MaxDelaySeconds"]
    assert not {"States.ALL", "States.TaskFailed"} & set(rule["ErrorEquals"])
    waits = longest_waits(rule)
    total = sum(waits)
    print(f"{name}: {', '.join(rule['ErrorEquals'])}: {len(waits)} waits, {total:.0f} s at most")
    assert total <= LONGEST_LADDER_SECONDS


@pytest.mark.parametrize("name", TASKS)
def test_all_ladders_of_a_state_and_its_tries_fit_into_the_machines_time(name: str) -> None:
    """Each rule counts on its own: the worst road climbs all of them."""
    tries = 1 + sum(rule["MaxAttempts"] for rule in TASKS[name]["Retry"])
    waits = sum(sum(longest_waits(rule)) for rule in TASKS[name]["Retry"])
    # Only a try that times out, or reads until its time is up, takes its whole time.
    slow = sum(r["MaxAttempts"] for r in TASKS[name]["Retry"] if SLOW & set(r["ErrorEquals"]))
    assert tries < 150
    assert waits + (1 + slow) * TASKS[name]["TimeoutSeconds"] < MACHINE["TimeoutSeconds"] / 2


def test_longest_document_is_read_within_the_tries_of_its_rule() -> None:
    """A view, then 40 windows a few at a time, each with an answer, its repair, and both slow."""
    rounds = 1 + ceil(40 / CONCURRENT_CALLS)
    a_try = functions()["ClassifyFunction"]["Timeout"] // CALL_SECONDS
    (rule,) = (r for r in TASKS["Classify"]["Retry"] if r["ErrorEquals"] == ["ReadingUnfinished"])
    assert ceil(2 * rounds / a_try) <= rule["MaxAttempts"]


@pytest.mark.parametrize("name", TASKS)
def test_no_error_is_in_two_rules_of_a_state(name: str) -> None:
    named = [error for rule in TASKS[name]["Retry"] for error in rule["ErrorEquals"]]
    assert len(named) == len(set(named))


def test_every_retried_error_is_a_transient_leaf_or_the_platforms() -> None:
    transient = leaves(errors.TransientError)
    for name, task in TASKS.items():
        for rule in task["Retry"]:
            for error in rule["ErrorEquals"]:
                assert error in transient or error.startswith(PLATFORM), f"{name}: {error}"


def test_every_lambda_state_retries_the_platforms_own_errors() -> None:
    expected = {
        "Lambda.ServiceException",
        "Lambda.AWSLambdaException",
        "Lambda.SdkClientException",
        "Lambda.ClientExecutionTimeoutException",
        "Lambda.TooManyRequestsException",
        "Lambda.Unknown",
        "Runtime.ExitError",
        "Sandbox.Timedout",
        "States.Timeout",
    }
    for name in ADAPTERS:
        assert expected <= _retried(name), name


@pytest.mark.parametrize("name", ADAPTERS)
def test_every_transient_error_of_a_stage_is_retried_in_its_state(name: str) -> None:
    assert _raised(name) - _retried(name) == set()


@pytest.mark.parametrize("name", ADAPTERS)
def test_no_error_is_retried_that_the_stage_cannot_raise(name: str) -> None:
    own = {error for error in _retried(name) if not error.startswith(PLATFORM)}
    assert own - _raised(name) == set()


def test_every_adapter_is_known_here() -> None:
    modules = {module.name for module in pkgutil.iter_modules(mailroom.aws.__path__)}
    used = {adapter for adapters in ADAPTERS.values() for adapter in adapters}
    assert modules - used == NOT_OF_A_STATE


def _retried(name: str) -> set[str]:
    return {error for rule in TASKS[name]["Retry"] for error in rule["ErrorEquals"]}


def _raised(name: str) -> set[str]:
    """The transient leaves in the adapters' tables, and those that the stage's modules name."""
    transient = leaves(errors.TransientError)
    found = raised_by(f"mailroom.{STAGES.get(name, name.lower())}")
    for adapter in ADAPTERS[name]:
        module = importlib.import_module(f"mailroom.aws.{adapter}")
        found |= {error.__name__ for error in module._ERRORS.values()}
    return (found & transient) - HANDLED.get(name, set())
