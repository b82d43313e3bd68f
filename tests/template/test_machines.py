"""What every state machine of the template keeps to, whatever it is for.

The documents' machine has more rules of its own: `test_state_machine.py`.
"""

import json
import re
from typing import Any

import pytest
from stack import ROOT, resources
from test_state_machine import lint, targets

from mailroom_desk.retries.definitions import all_states, read_stack

PROPERTIES = {
    each["DefinitionUri"].rpartition("/")[2].removesuffix(".asl.json"): each
    for each in resources("AWS::Serverless::StateMachine").values()
}
MACHINES = read_stack().machines
EVERY = pytest.mark.parametrize("name", MACHINES)


def tasks(name: str) -> dict[str, dict[str, Any]]:
    return {n: s for n, s, _ in all_states(MACHINES[name]) if s["Type"] == "Task"}


def text_of(name: str) -> str:
    return (ROOT / PROPERTIES[name]["DefinitionUri"]).read_text("utf-8")


def parts(machine: dict[str, Any]) -> list[dict[str, Any]]:
    """The machine, and those inside of its maps and branches."""
    found = [machine]
    for state in machine["States"].values():
        for part in (state.get("ItemProcessor"), state.get("Iterator"), *state.get("Branches", ())):
            found += parts(part) if part else []
    return found


def test_every_definition_belongs_to_a_machine_of_the_template() -> None:
    files = {f.name.removesuffix(".asl.json") for f in (ROOT / "statemachine").glob("*.json")}
    assert files == set(MACHINES) == set(PROPERTIES)


@EVERY
def test_definition_passes_the_schema_of_step_functions(name: str) -> None:
    definition = text_of(name)
    for placeholder in PROPERTIES[name]["DefinitionSubstitutions"]:
        arn = "arn:aws:lambda:us-east-1:123456789012:function:name"
        value = {"Partition": "aws"}.get(placeholder, arn)
        definition = definition.replace(f"${{{placeholder}}}", value)
    machine = json.loads(definition)
    for _, state, _ in all_states(machine):
        if state["Type"] == "Succeed":
            state.pop("OutputPath", None)  # the language has it there, and the schema does not
    assert lint(json.dumps(machine)) == []


@EVERY
def test_placeholders_are_the_substitutions_of_the_template(name: str) -> None:
    used = set(re.findall(r"\$\{([^}]+)\}", text_of(name)))
    assert used == set(PROPERTIES[name]["DefinitionSubstitutions"])


@EVERY
def test_every_target_is_a_state_and_every_state_is_reached(name: str) -> None:
    for part in parts(MACHINES[name]):
        reached, ahead = set(), [part["StartAt"]]
        while ahead:
            state = ahead.pop()
            assert state in part["States"], f"{state} is no state"
            if state not in reached:
                reached.add(state)
                ahead += targets(part["States"][state])
        assert reached == set(part["States"])


@EVERY
def test_every_task_has_a_time_limit_and_tries_again_by_names(name: str) -> None:
    assert MACHINES[name]["TimeoutSeconds"] > 0
    assert "QueryLanguage" not in json.dumps(MACHINES[name])
    for state, task in tasks(name).items():
        assert 0 < task["TimeoutSeconds"] <= 900, state
        named = [error for rule in task["Retry"] for error in rule["ErrorEquals"]]
        assert named and len(named) == len(set(named)), state
        assert not {"States.ALL", "States.TaskFailed"} & set(named), state
        for rule in task["Retry"]:
            assert rule["JitterStrategy"] == "FULL", state
            assert rule["MaxDelaySeconds"] <= 300, state


@EVERY
def test_every_task_catches_everything_last_and_keeps_its_input(name: str) -> None:
    for state, task in tasks(name).items():
        *named, last = task["Catch"]
        assert last["ErrorEquals"] == ["States.ALL"], state
        assert all("States.ALL" not in each["ErrorEquals"] for each in named), state
        assert all(each["ResultPath"].startswith("$.") for each in task["Catch"]), state


@EVERY
def test_every_machine_logs_errors_without_content_and_can_be_traced(name: str) -> None:
    logging = PROPERTIES[name]["Logging"]
    assert (logging["Level"], logging["IncludeExecutionData"]) == ("ERROR", False)
    assert PROPERTIES[name]["Tracing"] == {"Enabled": True}
