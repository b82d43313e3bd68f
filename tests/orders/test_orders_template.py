"""The application's template and definitions: rules, rights, and that nothing leads nowhere."""

import json
import re
from collections.abc import Iterator
from typing import Any

import cfnlint.api
import pytest
from cfnlint.config import ManualArgs
from orders_road import APPLICATION, definition, known_names, order, resources, template
from stack import ACCOUNT, resolve

MACHINES = ("FulfilOrder", "OrderBatch")
RULES = resources("AWS::Events::Rule")
NAMES = known_names() | {"FulfilOrder": f"arn:aws:states:us-east-1:{ACCOUNT}:stateMachine:orders"}


def states_of(machine: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    """Every state with its name and the states beside it, those inside maps and branches too."""
    for name, state in machine["States"].items():
        yield name, state, machine
        inner = [state["ItemProcessor"]] if "ItemProcessor" in state else state.get("Branches", [])
        for each in inner:
            yield from states_of(each)


STATES = [
    pytest.param(state, beside, id=f"{machine}-{name}-{number}")
    for machine in MACHINES
    for number, (name, state, beside) in enumerate(states_of(definition(machine)))
]
TASKS = [each for each in STATES if each.values[0]["Type"] == "Task"]


# -- definitions ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", MACHINES)
def test_definition_passes_the_schema_of_step_functions(name: str) -> None:
    text = json.dumps(definition(name))
    machine = resources("AWS::Serverless::StateMachine")[name]
    used = set(re.findall(r"\$\{([^}]+)\}", text))
    assert used == set(machine["DefinitionSubstitutions"])
    special = {"Partition": "aws", "FraudHoldAbove": "1", "ManualReviewAbove": "2"}
    for each in used:
        arn = f"arn:aws:lambda:us-east-1:{ACCOUNT}:function:name"
        text = text.replace(f"${{{each}}}", special.get(each, arn))
    properties = {"RoleArn": f"arn:aws:iam::{ACCOUNT}:role/r", "DefinitionString": text}
    kind = "AWS::StepFunctions::StateMachine"
    resource = {"Resources": {"Machine": {"Type": kind, "Properties": properties}}}
    found = cfnlint.api.lint(json.dumps(resource), config=ManualArgs(regions=["us-east-1"]))
    assert [str(match) for match in found] == []


def targets(state: dict[str, Any]) -> Iterator[str]:
    yield from (state[part] for part in ("Next", "Default") if part in state)
    yield from (each["Next"] for each in (*state.get("Choices", ()), *state.get("Catch", ())))


@pytest.mark.parametrize("name", MACHINES)
def test_every_target_is_a_state_and_every_state_is_reached(name: str) -> None:
    machines = {id(beside): beside for _, _, beside in states_of(definition(name))}
    for machine in machines.values():
        reached, ahead = set(), [machine["StartAt"]]
        while ahead:
            state = ahead.pop()
            if state not in reached:
                reached.add(state)
                ahead += targets(machine["States"][state])
        assert reached == set(machine["States"])


@pytest.mark.parametrize(("task", "beside"), TASKS)
def test_task_has_a_time_limit_ladders_and_a_last_catch_that_keeps_its_input(
    task: dict[str, Any], beside: dict[str, Any]
) -> None:
    assert 0 < task["TimeoutSeconds"] <= 900
    for rule in task["Retry"]:
        assert rule["JitterStrategy"] == "FULL"
        assert rule["IntervalSeconds"] < rule["MaxDelaySeconds"] <= 300
        assert not {"States.ALL", "States.TaskFailed"} & set(rule["ErrorEquals"])
    named = [error for rule in task["Retry"] for error in rule["ErrorEquals"]]
    assert len(named) == len(set(named)) and "States.Timeout" in named
    *_, last = task["Catch"]
    assert last["ErrorEquals"] == ["States.ALL"]
    assert all(each["ResultPath"].startswith("$.") for each in task["Catch"])
    if "FunctionArn" in task["Resource"]:
        assert {"Lambda.TooManyRequestsException", "Sandbox.Timedout"} <= set(named)


def test_ladders_and_the_longest_hold_fit_into_the_machines_time() -> None:
    machine = definition("FulfilOrder")
    hold = template()["Parameters"]["FraudHoldSeconds"]["MaxValue"]
    waits = sum(
        rule["MaxAttempts"] * (rule["MaxDelaySeconds"] + task.values[0]["TimeoutSeconds"])
        for task in TASKS
        for rule in task.values[0]["Retry"]
    )
    assert hold + waits < machine["TimeoutSeconds"]


# -- rules ----------------------------------------------------------------------------------------


def matches(pattern: Any, value: Any) -> bool:
    """EventBridge's matching, as far as these patterns go: exact values."""
    if isinstance(pattern, dict):
        return isinstance(value, dict) and all(
            name in value and matches(inner, value[name]) for name, inner in pattern.items()
        )
    return value in pattern


def ended(machine: str, status: str) -> dict[str, Any]:
    return {
        "source": "aws.states",
        "detail-type": "Step Functions Execution Status Change",
        "detail": {"stateMachineArn": machine, "status": status},
    }


INVOICE = json.loads((APPLICATION / "events" / "invoice-stored.json").read_text("utf-8"))
EVENTS = {
    "purchase order": (order(), {"PurchaseOrderRule"}),
    "invoice": (INVOICE, {"InvoiceRule"}),
    "receipt": (order(document_class="receipt"), set()),
    "another version": (order(version="2"), set()),
    "another type": (order() | {"detail-type": "DocumentInReview"}, set()),
    "another source": (order() | {"source": "someone"}, set()),
    "aborted": (ended(NAMES["FulfilOrder"], "ABORTED"), {"EndedFromOutsideRule"}),
    "timed out": (ended(NAMES["FulfilOrder"], "TIMED_OUT"), {"EndedFromOutsideRule"}),
    "failed by itself": (ended(NAMES["FulfilOrder"], "FAILED"), set()),
    "another machine": (ended("arn:of:another", "ABORTED"), set()),
}


@pytest.mark.parametrize(("event", "expected"), EVENTS.values(), ids=EVENTS)
def test_each_event_reaches_exactly_its_rules(event: dict[str, Any], expected: set[str]) -> None:
    patterns = {name: resolve(rule["EventPattern"], NAMES) for name, rule in RULES.items()}
    assert {name for name, pattern in patterns.items() if matches(pattern, event)} == expected


def test_every_rule_matches_a_sample() -> None:
    assert set().union(*(rules for _, rules in EVENTS.values())) == set(RULES)


def policies(queue: str) -> list[dict[str, Any]]:
    return [
        statement
        for policy in resources("AWS::SQS::QueuePolicy").values()
        if {"Ref": queue} in policy["Queues"]
        for statement in policy["PolicyDocument"]["Statement"]
    ]


def sources(queue: str) -> list[str]:
    """The rules that may send to a queue."""
    found = []
    for statement in policies(queue):
        assert statement["Principal"] == {"Service": "events.amazonaws.com"}
        assert statement["Resource"] == {"Fn::GetAtt": [queue, "Arn"]}
        arns = statement["Condition"]["ArnEquals"]["aws:SourceArn"]
        found += [arn["Fn::GetAtt"][0] for arn in (arns if isinstance(arns, list) else [arns])]
    return found


@pytest.mark.parametrize("name", RULES)
def test_rule_has_retries_dead_letters_and_the_right_to_its_targets(name: str) -> None:
    for target in RULES[name]["Targets"]:
        assert target["RetryPolicy"]["MaximumRetryAttempts"] > 0
        assert target["DeadLetterConfig"]["Arn"] == {"Fn::GetAtt": ["Undelivered", "Arn"]}
        assert name in sources("Undelivered")
        if "RoleArn" in target:
            role = resources("AWS::IAM::Role")[target["RoleArn"]["Fn::GetAtt"][0]]
            ((statement,),) = [each["PolicyDocument"]["Statement"] for each in role["Policies"]]
            assert statement["Action"] == "states:StartExecution"
            assert statement["Resource"] == target["Arn"]
        else:
            assert name in sources(target["Arn"]["Fn::GetAtt"][0])


def test_the_same_rule_has_the_state_machine_and_a_queue() -> None:
    targets = [target["Arn"] for target in RULES["PurchaseOrderRule"]["Targets"]]
    assert targets == [{"Ref": "FulfilOrder"}, {"Fn::GetAtt": ["PurchaseOrders", "Arn"]}]


# -- the pipe -------------------------------------------------------------------------------------


def test_pipe_may_take_from_its_queue_and_start_its_target_and_nothing_else() -> None:
    (pipe,) = resources("AWS::Pipes::Pipe").values()
    role = resources("AWS::IAM::Role")[pipe["RoleArn"]["Fn::GetAtt"][0]]
    (trust,) = role["AssumeRolePolicyDocument"]["Statement"]
    assert trust["Principal"] == {"Service": "pipes.amazonaws.com"}
    source, target = role["Policies"][0]["PolicyDocument"]["Statement"]
    assert source["Resource"] == pipe["Source"]
    assert (target["Action"], target["Resource"]) == ("states:StartExecution", pipe["Target"])


def test_messages_that_the_pipe_cannot_hand_over_are_kept() -> None:
    queues = resources("AWS::SQS::Queue")
    redrive = queues["IncomingOrders"]["RedrivePolicy"]
    assert redrive["deadLetterTargetArn"] == {"Fn::GetAtt": ["IncomingDead", "Arn"]}


def test_template_of_the_pipe_becomes_json_for_any_values() -> None:
    """Placeholders stand alone, for whole values: inside quotes they would be raw text."""
    (pipe,) = resources("AWS::Pipes::Pipe").values()
    text = pipe["TargetParameters"]["InputTemplate"]
    assert len(re.findall(r": <[^>]+>[,}]", text)) == text.count("<") == 2
    hostile = """a"b\\\n{}"""
    made = json.loads(re.sub(r"<[^>]+>", lambda _: json.dumps(hostile), text))
    assert made["detail"]["document_id"] == made["detail"]["fields"] == hostile
    (filters,) = pipe["SourceParameters"]["FilterCriteria"]["Filters"]
    assert json.loads(filters["Pattern"])["body"]["kind"] == ["order"]


# -- rights, logs, alarms -------------------------------------------------------------------------


def statements() -> Iterator[tuple[str, dict[str, Any]]]:
    for kind in ("AWS::Serverless::Function", "AWS::Serverless::StateMachine"):
        for name, properties in resources(kind).items():
            for policy in properties.get("Policies", ()):
                yield from ((name, each) for each in policy["Statement"])


def test_no_right_has_a_wildcard_where_there_is_something_to_name() -> None:
    for owner, statement in statements():
        actions = statement["Action"]
        for action in actions if isinstance(actions, list) else [actions]:
            assert "*" not in action, owner
        if statement["Resource"] == "*":
            assert statement["Sid"] in {"DeliverLogs", "Trace"}, owner


def test_every_function_and_machine_logs_to_a_group_with_an_end() -> None:
    groups = resources("AWS::Logs::LogGroup")
    assert all("RetentionInDays" in group for group in groups.values())
    for function in resources("AWS::Serverless::Function").values():
        assert function["LoggingConfig"]["LogGroup"]["Ref"] in groups
    for machine in resources("AWS::Serverless::StateMachine").values():
        assert machine["Logging"]["IncludeExecutionData"] is False


def test_every_queue_that_needs_a_person_has_an_alarm() -> None:
    watched = {
        alarm["Dimensions"][0]["Value"]["Fn::GetAtt"][0]
        for alarm in resources("AWS::CloudWatch::Alarm").values()
        if alarm["Namespace"] == "AWS/SQS"
    }
    assert watched == {"Stuck", "Undelivered", "IncomingDead"}


def test_every_machine_has_an_alarm_for_each_way_of_ending_badly_and_people_hear_all() -> None:
    alarms = resources("AWS::CloudWatch::Alarm").values()
    watched = {
        (dimension["Value"]["Ref"], alarm["MetricName"])
        for alarm in alarms
        for dimension in alarm["Dimensions"]
        if dimension["Name"] == "StateMachineArn"
    }
    ends = ("ExecutionsFailed", "ExecutionsTimedOut", "ExecutionsAborted")
    assert watched == {(machine, end) for machine in MACHINES for end in ends}
    assert all(alarm["AlarmActions"] == [{"Ref": "PeopleTopic"}] for alarm in alarms)
    (policy,) = resources("AWS::SNS::TopicPolicy").values()
    (statement,) = policy["PolicyDocument"]["Statement"]
    assert statement["Principal"] == {"Service": "cloudwatch.amazonaws.com"}
    assert resolve(statement["Condition"], NAMES)["ArnLike"]["aws:SourceArn"] == (
        f"arn:aws:cloudwatch:us-east-1:{ACCOUNT}:alarm:orders-*"
    )


def test_template_passes_the_linter() -> None:
    text = (APPLICATION / "template.yaml").read_text("utf-8")
    found = cfnlint.api.lint(text, config=ManualArgs(regions=["us-east-1"]))
    assert [str(match) for match in found] == []


def test_application_knows_nothing_of_mailroom_but_its_event() -> None:
    for path in (APPLICATION / "src").rglob("*.py"):
        text = path.read_text("utf-8")
        assert not re.search(r"^\s*(from|import) mailroom", text, re.M), path


def test_pinned_powertools_are_mailrooms() -> None:
    pins = [
        re.findall(r"^aws-lambda-powertools==\S+", (folder / "requirements.txt").read_text(), re.M)
        for folder in (APPLICATION / "src", APPLICATION.parents[1] / "src")
    ]
    assert pins[0] == pins[1] and pins[0]


README = (APPLICATION / "README.md").read_text("utf-8")


def test_readme_has_a_row_for_every_parameter_with_its_default() -> None:
    rows = dict(re.findall(r"^\| `([A-Za-z]+)` \| (?:`([^`]+)`|none) \|", README, re.M))
    defaults = {name: str(each["Default"]) for name, each in template()["Parameters"].items()}

    assert rows == defaults


def test_readme_has_every_status_that_an_order_can_have() -> None:
    text = json.dumps(definition("FulfilOrder"))
    written = set(re.findall(r'"(?:S|status)": "([A-Z_]+)"', text)) - {"RESERVED", "RELEASED"}
    rows = re.findall(r"^\| (`[A-Z_]+`(?:, `[A-Z_]+`)*) \|", README, re.M)
    assert {name for row in rows for name in re.findall(r"[A-Z_]+", row)} == written


def test_links_of_the_readme_lead_to_files_that_exist() -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        assert (APPLICATION / target).exists(), target


def test_the_envelope_in_the_readme_has_the_parts_of_a_real_one() -> None:
    block = re.findall(r"```json\n(.*?)```", README, re.S)[0]
    assert json.loads(block).keys() == order().keys()
