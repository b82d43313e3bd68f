"""People are told: the pipe, the topic, the alarms and the budget of the template."""

import json
import tomllib
from typing import Any

import pytest
from stack import PSEUDO, ROOT, known_names, referenced, resolve, resources, template

from mailroom.document import Status
from mailroom_desk.events.patterns import check

NAMES = known_names()
ENDS = {"ExecutionsFailed", "ExecutionsTimedOut", "ExecutionsAborted"}


def only(kind: str) -> dict[str, Any]:
    (found,) = resources(kind).values()
    return found


def role_of(pipe: dict[str, Any]) -> dict[str, Any]:
    return resources("AWS::IAM::Role")[pipe["RoleArn"]["Fn::GetAtt"][0]]


PIPES = pytest.mark.parametrize("name", resources("AWS::Pipes::Pipe"))


@PIPES
def test_pipe_has_a_role_that_this_pipe_alone_may_take(name: str) -> None:
    pipe = resources("AWS::Pipes::Pipe")[name]
    (trust,) = role_of(pipe)["AssumeRolePolicyDocument"]["Statement"]
    assert trust["Principal"] == {"Service": "pipes.amazonaws.com"}
    condition = resolve(trust["Condition"], NAMES)["StringEquals"]
    account = PSEUDO["AWS::AccountId"]
    pipe_name = resolve(pipe["Name"], NAMES)
    assert condition == {
        "aws:SourceAccount": account,
        "aws:SourceArn": f"arn:aws:pipes:us-east-1:{account}:pipe/{pipe_name}",
    }


@PIPES
def test_pipe_may_read_its_source_write_its_target_and_leave_dead_letters(name: str) -> None:
    pipe = resources("AWS::Pipes::Pipe")[name]
    (policy,) = role_of(pipe)["Policies"]
    allowed = {
        json.dumps(statement["Resource"]): statement["Action"]
        for statement in policy["PolicyDocument"]["Statement"]
    }
    stream = pipe["SourceParameters"]["DynamoDBStreamParameters"]
    assert allowed == {
        json.dumps(pipe["Source"]): [
            f"dynamodb:{action}"
            for action in ("DescribeStream", "GetRecords", "GetShardIterator", "ListStreams")
        ],
        json.dumps(pipe["Target"]): "sns:Publish",
        json.dumps(stream["DeadLetterConfig"]["Arn"]): "sqs:SendMessage",
    }


@PIPES
def test_pipe_says_how_often_and_how_long_it_tries_and_what_it_takes(name: str) -> None:
    parameters = resources("AWS::Pipes::Pipe")[name]["SourceParameters"]
    stream = parameters["DynamoDBStreamParameters"]
    assert 0 < stream["MaximumRetryAttempts"] <= 185
    assert 60 <= stream["MaximumRecordAgeInSeconds"] <= 86_400
    assert stream["StartingPosition"] == "TRIM_HORIZON"
    for each in parameters["FilterCriteria"]["Filters"]:
        check(json.loads(each["Pattern"]))


def test_filter_is_of_the_statuses_that_wait_for_a_person() -> None:
    filters = only("AWS::Pipes::Pipe")["SourceParameters"]["FilterCriteria"]["Filters"]
    images = [json.loads(each["Pattern"])["dynamodb"] for each in filters]
    now = [image["NewImage"]["status"]["S"] for image in images]
    before = [image["OldImage"]["status"]["S"] for image in images]
    assert now == [[Status.IN_REVIEW], [Status.DEAD_LETTERED]]
    assert before == [[{"anything-but": status}] for (status,) in now]


def test_stream_has_both_images() -> None:
    table = resources("AWS::DynamoDB::Table")["DocumentsTable"]
    assert table["StreamSpecification"] == {"StreamViewType": "NEW_AND_OLD_IMAGES"}


def test_only_alarms_and_budgets_of_this_account_may_publish_without_a_role() -> None:
    policy = only("AWS::SNS::TopicPolicy")
    assert policy["Topics"] == [{"Ref": "PeopleTopic"}]
    account = PSEUDO["AWS::AccountId"]
    allowed = {
        statement["Principal"]["Service"]: resolve(statement["Condition"], NAMES)
        for statement in policy["PolicyDocument"]["Statement"]
    }
    assert {service: each["StringEquals"] for service, each in allowed.items()} == {
        "cloudwatch.amazonaws.com": {"aws:SourceAccount": account},
        "budgets.amazonaws.com": {"aws:SourceAccount": account},
    }
    arns = {service: each["ArnLike"]["aws:SourceArn"] for service, each in allowed.items()}
    assert arns == {
        "cloudwatch.amazonaws.com": f"arn:aws:cloudwatch:us-east-1:{account}:alarm:mailroom-*",
        "budgets.amazonaws.com": f"arn:aws:budgets::{account}:*",
    }


def test_every_machine_raises_an_alarm_for_each_way_of_ending_badly() -> None:
    watched = {
        (dimension["Value"]["Ref"], alarm["MetricName"])
        for alarm in resources("AWS::CloudWatch::Alarm").values()
        for dimension in alarm["Dimensions"]
        if dimension["Name"] == "StateMachineArn" and alarm["Namespace"] == "AWS/States"
    }
    machines = resources("AWS::Serverless::StateMachine")
    assert watched == {(machine, metric) for machine in machines for metric in ENDS}


def test_every_alarm_reaches_people_once_and_at_once() -> None:
    alarms = resources("AWS::CloudWatch::Alarm")
    names = [resolve(alarm["AlarmName"], NAMES) for alarm in alarms.values()]
    assert len(set(names)) == len(names)
    for name, alarm in alarms.items():
        assert alarm["AlarmActions"] == [{"Ref": "PeopleTopic"}], name
        assert alarm["TreatMissingData"] == "notBreaching", name
        assert (alarm["Threshold"], alarm["EvaluationPeriods"]) == (0, 1), name
        assert resolve(alarm["AlarmName"], NAMES).startswith("mailroom-"), name


def test_nobody_is_written_to_without_an_address_and_no_budget_is_0() -> None:
    source = template()
    subscription = source["Resources"]["PeopleSubscription"]
    assert subscription["Condition"] == "SomebodyIsTold"
    assert subscription["Properties"]["Protocol"] == "email"
    assert source["Resources"]["Budget"]["Condition"] == "BudgetIsSet"
    assert {name: list(referenced(each)) for name, each in source["Conditions"].items()} == {
        "SomebodyIsTold": ["NotifyEmail"],
        "BudgetIsSet": ["MonthlyBudgetUsd"],
    }


def test_budget_counts_what_carries_the_tag_that_every_deployment_sets() -> None:
    (counted,) = only("AWS::Budgets::Budget")["Budget"]["CostFilters"]["TagKeyValue"]
    key, _, value = counted.removeprefix("user:").partition("$")
    settings = tomllib.loads((ROOT / "samconfig.toml").read_text("utf-8"))
    for environment, commands in settings.items():
        if environment != "version":
            tags = commands["deploy"]["parameters"]["tags"].split()
            assert f"{key}={value}" in tags, environment


def test_budget_and_alarms_tell_the_same_topic() -> None:
    notifications = only("AWS::Budgets::Budget")["NotificationsWithSubscribers"]
    assert len(notifications) == 2
    for each in notifications:
        assert each["Subscribers"] == [
            {"SubscriptionType": "SNS", "Address": {"Ref": "PeopleTopic"}}
        ]


def test_no_resource_takes_the_stacks_tags_away() -> None:
    """CloudFormation puts the stack's tags on all that can carry tags; SAM adds its own."""
    for name, resource in template()["Resources"].items():
        properties = resource.get("Properties", {})
        assert not {"Tags", "ResourceTags"} & set(properties), name
        assert properties.get("PropagateTags") is not False, name
