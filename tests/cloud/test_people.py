"""People are told: the deployed pipe, pipes from a queue, and what a rule cannot deliver."""

import json
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from mailroom_desk.cloud.state import Cloud

from .machines import ROLE, machine, wait_for


@contextmanager
def queue(cloud: Cloud, **attributes: str) -> Iterator[tuple[str, str]]:
    """A queue of its own, removed at the end: its address and its ARN."""
    client = cloud.client("sqs")
    name = f"test-{uuid.uuid4().hex[:12]}"
    url = client.create_queue(QueueName=name, Attributes=attributes)["QueueUrl"]
    try:
        answer = client.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])
        yield url, answer["Attributes"]["QueueArn"]
    finally:
        client.delete_queue(QueueUrl=url)


def messages(cloud: Cloud, url: str, seconds: int = 0) -> list[dict[str, Any]]:
    answer = cloud.client("sqs").receive_message(
        QueueUrl=url,
        MaxNumberOfMessages=10,
        WaitTimeSeconds=seconds,
        MessageAttributeNames=["All"],
    )
    return list(answer.get("Messages", ()))


@pytest.fixture
def heard(cloud: Cloud) -> Iterator[Callable[[], list[str]]]:
    """What people have been told since the last look."""
    sns = cloud.client("sns")
    with queue(cloud) as (url, arn):
        subscription = sns.subscribe(
            TopicArn=cloud.outputs["PeopleTopicArn"],
            Protocol="sqs",
            Endpoint=arn,
            Attributes={"RawMessageDelivery": "true"},
        )["SubscriptionArn"]

        def told() -> list[str]:
            received = messages(cloud, url)
            for message in received:
                cloud.client("sqs").delete_message(
                    QueueUrl=url, ReceiptHandle=message["ReceiptHandle"]
                )
            return [message["Body"] for message in received]

        yield told
        sns.unsubscribe(SubscriptionArn=subscription)


@pytest.fixture
def row(cloud: Cloud) -> Iterator[dict[str, Any]]:
    """A row of no document, at work; gone at the end."""
    table = cloud.client("dynamodb")
    item = {
        "document_id": {"S": uuid.uuid4().hex},
        "key": {"S": 'incoming/a "b" {}.pdf'},
        "status": {"S": "WORKING"},
        "updated_at": {"S": "2026-11-30T10:00:00.000Z"},
    }
    table.put_item(TableName=cloud.table, Item=item)
    yield item
    table.delete_item(TableName=cloud.table, Key={"document_id": item["document_id"]})


def test_change_into_review_is_told_once_in_a_sentence_and_other_writes_are_not(
    cloud: Cloud, heard: Callable[[], list[str]], row: dict[str, Any]
) -> None:
    table = cloud.client("dynamodb")
    key = row["document_id"]["S"]

    def about_it() -> list[str]:
        return [each for each in heard() if key in each]

    for status in ("IN_REVIEW", "IN_REVIEW", "STORED", "DEAD_LETTERED"):
        mark = {"announced_at": {"S": uuid.uuid4().hex}}
        table.put_item(TableName=cloud.table, Item=row | {"status": {"S": status}} | mark)
    told: list[str] = []
    wait_for(lambda: len(told.extend(about_it()) or told) == 2)
    assert told[0] == (
        'The document incoming/a "b" {}.pdf needs a person: it is IN_REVIEW since '
        f"2026-11-30T10:00:00.000Z. To see why, and what was read: mailroom show {key}"
    )
    assert "it is DEAD_LETTERED since" in told[1]
    time.sleep(1.5)  # the poller comes once a second
    assert about_it() == []


def test_document_that_fails_is_told_with_the_command_that_shows_it(
    cloud: Cloud, heard: Callable[[], list[str]]
) -> None:
    key = f"incoming/{uuid.uuid4().hex} cut short.pdf"
    cut = (Path(__file__).parents[2] / "samples" / "truncated.pdf").read_bytes()
    cloud.client("s3").put_object(Bucket=cloud.bucket, Key=key, Body=cut)
    (said,) = wait_for(lambda: [each for each in heard() if key in each and "{" not in each])
    assert said.startswith(f"The document {key} needs a person: it is DEAD_LETTERED since 2")
    document_id = said.rpartition(" ")[2]
    row = cloud.client("dynamodb").get_item(
        TableName=cloud.table, Key={"document_id": {"S": document_id}}
    )["Item"]
    assert row["key"]["S"] == key


def test_pipe_from_a_queue_filters_transforms_and_starts_the_machine(cloud: Cloud) -> None:
    pipes, sqs, states = (cloud.client(name) for name in ("pipes", "sqs", "stepfunctions"))
    name = f"test-{uuid.uuid4().hex[:12]}"
    pattern = {"body": {"total": [{"numeric": [">", 0]}]}}
    with (
        queue(cloud) as (url, arn),
        machine(cloud, {"Take": {"Type": "Pass", "End": True}}) as machine_arn,
    ):
        bodies = ['{"total": 5, "name": "a\\"b\\n"}', '{"total": -5}', "no JSON"]
        for body in bodies:
            sqs.send_message(QueueUrl=url, MessageBody=body)
        pipes.create_pipe(
            Name=name,
            RoleArn=ROLE,
            Source=arn,
            SourceParameters={
                "SqsQueueParameters": {"BatchSize": 10},
                "FilterCriteria": {"Filters": [{"Pattern": json.dumps(pattern)}]},
            },
            Target=machine_arn,
            TargetParameters={
                "StepFunctionStateMachineParameters": {"InvocationType": "FIRE_AND_FORGET"},
                "InputTemplate": '{"order": <$.body.name>, "total": <$.body.total>}',
            },
        )
        try:
            (started,) = wait_for(
                lambda: states.list_executions(stateMachineArn=machine_arn)["executions"]
            )
            execution = states.describe_execution(executionArn=started["executionArn"])
            assert json.loads(execution["input"]) == [{"order": 'a"b\n', "total": 5}]
            reason = wait_for(lambda: pipes.describe_pipe(Name=name)["StateReason"])
            assert reason == "1 delivered, 2 filtered out, 0 dead-lettered"
            left = sqs.get_queue_attributes(
                QueueUrl=url,
                AttributeNames=[
                    "ApproximateNumberOfMessages",
                    "ApproximateNumberOfMessagesNotVisible",
                ],
            )
            assert set(left["Attributes"].values()) == {"0"}
        finally:
            pipes.delete_pipe(Name=name)


@contextmanager
def rule(cloud: Cloud, target: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """A rule on the bus for one detail type, which is its name: name and ARN."""
    events = cloud.client("events")
    name = f"mailroom-test-{uuid.uuid4().hex[:12]}"
    arn = events.put_rule(
        Name=name,
        EventBusName=cloud.bus,
        EventPattern=json.dumps({"source": ["test"], "detail-type": [name]}),
    )["RuleArn"]
    events.put_targets(Rule=name, EventBusName=cloud.bus, Targets=[{"Id": "t"} | target])
    try:
        yield name, arn
    finally:
        events.remove_targets(Rule=name, EventBusName=cloud.bus, Ids=["t"])
        events.delete_rule(Name=name, EventBusName=cloud.bus)


def put(cloud: Cloud, name: str) -> None:
    entry = {"Source": "test", "DetailType": name, "EventBusName": cloud.bus}
    cloud.client("events").put_events(Entries=[entry | {"Detail": '{"a": 1}'}])


def test_event_whose_target_is_gone_becomes_a_dead_letter_that_says_why(cloud: Cloud) -> None:
    gone = "arn:aws:states:us-east-1:000000000000:stateMachine:gone"
    with queue(cloud) as (url, arn):
        target = {"Arn": gone, "RoleArn": ROLE, "DeadLetterConfig": {"Arn": arn}}
        with rule(cloud, target) as (name, rule_arn):
            put(cloud, name)
            time.sleep(1)
            assert messages(cloud, url) == [], "EventBridge may not send to this queue yet"
            allowed = {
                "Effect": "Allow",
                "Principal": {"Service": "events.amazonaws.com"},
                "Action": "sqs:SendMessage",
                "Resource": arn,
                "Condition": {"ArnEquals": {"aws:SourceArn": rule_arn}},
            }
            policy = json.dumps({"Version": "2012-10-17", "Statement": [allowed]})
            cloud.client("sqs").set_queue_attributes(QueueUrl=url, Attributes={"Policy": policy})
            put(cloud, name)
            (letter,) = wait_for(lambda: messages(cloud, url))
    assert json.loads(letter["Body"])["detail"] == {"a": 1}
    said = {key: each["StringValue"] for key, each in letter["MessageAttributes"].items()}
    assert (said["RULE_ARN"], said["TARGET_ARN"]) == (rule_arn, gone)
    assert (said["ERROR_CODE"], said["RETRY_ATTEMPTS"]) == ("NO_RESOURCE", "0")


def test_budget_of_the_stack_is_there(cloud: Cloud) -> None:
    budget = cloud.client("budgets").describe_budget(
        AccountId="000000000000", BudgetName=cloud.bus
    )["Budget"]
    assert float(budget["BudgetLimit"]["Amount"]) == 100
    assert budget["CostFilters"] == {"TagKeyValue": ["user:application$mailroom"]}


def test_execution_that_is_stopped_rings_the_alarm_of_its_machine_and_no_other(
    cloud: Cloud, heard: Callable[[], list[str]]
) -> None:
    watch, states = cloud.client("cloudwatch"), cloud.client("stepfunctions")
    deployed = watch.describe_alarms(AlarmNames=[f"{cloud.bus}-document-aborted"])["MetricAlarms"]
    kept = ("MetricName", "Namespace", "Statistic", "Period", "EvaluationPeriods", "Threshold")
    kept += ("ComparisonOperator", "AlarmActions")
    like_it = {key: deployed[0][key] for key in kept}
    names = [f"test-{uuid.uuid4().hex[:12]}" for _ in range(2)]
    wait = {"Type": "Wait", "Seconds": 600, "End": True}
    with machine(cloud, {"A": wait}) as stopped, machine(cloud, {"A": wait}) as other:
        for name, arn in zip(names, (stopped, other), strict=True):
            dimensions = [{"Name": "StateMachineArn", "Value": arn}]
            watch.put_metric_alarm(AlarmName=name, Dimensions=dimensions, **like_it)
        try:
            started = states.start_execution(stateMachineArn=stopped)["executionArn"]
            states.stop_execution(executionArn=started)
            said: list[str] = []
            wait_for(lambda: said.extend(heard()) or any(names[0] in each for each in said))
            assert not any(names[1] in each for each in said)
        finally:
            watch.delete_alarms(AlarmNames=names)


def test_what_can_carry_tags_carries_those_of_the_stack(cloud: Cloud) -> None:
    """The budget counts by them. ministack finds no tags of buckets and state machines."""
    tagging = cloud.client("resourcegroupstaggingapi")
    wanted = [{"Key": "application", "Values": ["mailroom"]}]
    tagged = {
        arn["ResourceARN"].split(":")[2]
        for page in tagging.get_paginator("get_resources").paginate(TagFilters=wanted)
        for arn in page["ResourceTagMappingList"]
    }
    assert tagged >= {"dynamodb", "lambda", "sns", "sqs"}
