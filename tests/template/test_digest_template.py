"""The digest's machine, its schedule and their rights, as the template gives them."""

import json
import re
from typing import Any

import pytest
from stack import ROOT, known_names, resolve, resources, template
from test_state_machine import lint, longest_waits, targets

from mailroom.digest import PREFIX
from mailroom.document import INCOMING

NAMES = known_names()
MACHINE = resources("AWS::Serverless::StateMachine")["DigestStateMachine"]
TEXT = (ROOT / MACHINE["DefinitionUri"]).read_text("utf-8")
DEFINITION = json.loads(TEXT)
STATES: dict[str, dict[str, Any]] = DEFINITION["States"]
TASKS = {name: state for name, state in STATES.items() if state["Type"] == "Task"}
SCHEDULE = resources("AWS::Scheduler::Schedule")["NightlyDigest"]
ROLE = resources("AWS::IAM::Role")["DigestScheduleRole"]


def statements(properties: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """A role's statements by their names, references left as they are."""
    policies = properties["Policies"]
    documents = [policy.get("PolicyDocument", policy) for policy in policies]
    return {each["Sid"]: each for document in documents for each in document["Statement"]}


def test_definition_passes_the_schema_and_names_what_the_template_gives() -> None:
    used = set(re.findall(r"\$\{([^}]+)\}", TEXT))
    assert used == set(MACHINE["DefinitionSubstitutions"])
    arn = "arn:aws:lambda:us-east-1:123456789012:function:name"
    filled = re.sub(r"\$\{(\w+)\}", lambda m: "aws" if m[1] == "Partition" else arn, TEXT)
    assert lint(filled) == []


def test_every_state_is_reached_and_leads_on_or_ends() -> None:
    reached, ahead = set(), [DEFINITION["StartAt"]]
    while ahead:
        name = ahead.pop()
        if name not in reached:
            reached.add(name)
            ahead += targets(STATES[name])
    assert reached == set(STATES)


@pytest.mark.parametrize("name", TASKS)
def test_task_has_a_time_limit_named_retries_and_a_catch_that_keeps_its_input(name: str) -> None:
    task = TASKS[name]
    assert 0 < task["TimeoutSeconds"] <= 900
    assert task["Catch"][-1]["ErrorEquals"] == ["States.ALL"]
    assert all(each["ResultPath"].startswith("$.") for each in task["Catch"])
    for rule in task["Retry"]:
        assert not {"States.ALL", "States.TaskFailed"} & set(rule["ErrorEquals"])
        assert rule["JitterStrategy"] == "FULL" and rule["MaxDelaySeconds"] <= 300
    waits = sum(sum(longest_waits(rule)) for rule in task["Retry"])
    assert waits + 5 * task["TimeoutSeconds"] < DEFINITION["TimeoutSeconds"] / 2


def test_function_ends_before_its_state() -> None:
    timeout = resources("AWS::Serverless::Function")["DigestFunction"]["Timeout"]
    assert timeout < STATES["Numbers"]["TimeoutSeconds"]


def test_machine_may_do_what_its_states_do_and_nothing_else() -> None:
    own = statements(MACHINE)
    actions = {sid: each["Action"] for sid, each in own.items() if isinstance(each["Action"], str)}
    assert actions == {
        "CountTheDay": "lambda:InvokeFunction",
        "AskThroughTheProfile": "bedrock:InvokeModel",
        "LetTheProfileReachItsModel": "bedrock:InvokeModel",
        "KeepDigests": "s3:PutObject",
        "TellPeople": "sns:Publish",
    }
    assert own["TellPeople"]["Resource"] == {"Ref": "PeopleTopic"}
    assert resolve(own["KeepDigests"]["Resource"], NAMES).endswith(f"/{PREFIX}*")
    assert not PREFIX.startswith(INCOMING) and not INCOMING.startswith(PREFIX)


def test_model_is_reached_with_the_rights_of_classify() -> None:
    classify = statements(resources("AWS::Serverless::Function")["ClassifyFunction"])
    for sid in ("AskThroughTheProfile", "LetTheProfileReachItsModel"):
        assert statements(MACHINE)[sid] == classify[sid]


def test_function_reads_and_writes_nothing() -> None:
    own = statements(resources("AWS::Serverless::Function")["DigestFunction"])
    assert {each["Action"] for each in own.values()} == {
        "s3:ListBucketVersions",
        "dynamodb:BatchGetItem",
        "dynamodb:Query",
    }
    condition = own["ListWhatLanded"]["Condition"]
    assert condition == {"StringEquals": {"s3:prefix": INCOMING}}


def test_schedule_starts_this_machine_in_a_time_zone_that_can_be_chosen() -> None:
    target = SCHEDULE["Target"]
    assert target["Arn"] == {"Ref": "DigestStateMachine"}
    assert json.loads(target["Input"]) == {}
    assert SCHEDULE["ScheduleExpression"] == {"Ref": "DigestSchedule"}
    assert SCHEDULE["ScheduleExpressionTimezone"] == {"Ref": "DigestTimezone"}
    assert SCHEDULE["FlexibleTimeWindow"] == {"Mode": "OFF"}
    assert template()["Parameters"]["DigestTimezone"]["Default"] == "UTC"


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin", "America/Argentina/Ushuaia", "Etc/GMT+1"])
def test_time_zones_are_names_of_the_iana(zone: str) -> None:
    assert re.fullmatch(template()["Parameters"]["DigestTimezone"]["AllowedPattern"], zone)


def test_schedule_tries_again_and_keeps_what_it_could_not_start() -> None:
    target = SCHEDULE["Target"]
    assert 0 < target["RetryPolicy"]["MaximumRetryAttempts"] <= 185
    # A start on another day would be about another day.
    assert 60 <= target["RetryPolicy"]["MaximumEventAgeInSeconds"] <= 3600
    queue = {"Fn::GetAtt": ["Undelivered", "Arn"]}
    assert target["DeadLetterConfig"] == {"Arn": queue}
    assert target["RoleArn"] == {"Fn::GetAtt": ["DigestScheduleRole", "Arn"]}
    own = statements(ROLE)
    assert own["KeepUndeliveredEvents"] == {
        "Sid": "KeepUndeliveredEvents",
        "Effect": "Allow",
        "Action": "sqs:SendMessage",
        "Resource": queue,
    }
    assert own["StartTheDigest"]["Action"] == "states:StartExecution"
    assert own["StartTheDigest"]["Resource"] == {"Ref": "DigestStateMachine"}
    assert set(own) == {"KeepUndeliveredEvents", "StartTheDigest"}


def test_only_schedules_of_this_account_may_take_the_role() -> None:
    (trust,) = ROLE["AssumeRolePolicyDocument"]["Statement"]
    assert trust["Principal"] == {"Service": "scheduler.amazonaws.com"}
    condition = resolve(trust["Condition"]["StringEquals"], NAMES)
    assert condition["aws:SourceAccount"] == "123456789012"
    assert condition["aws:SourceArn"].endswith(":schedule-group/default")
    assert "GroupName" not in SCHEDULE
