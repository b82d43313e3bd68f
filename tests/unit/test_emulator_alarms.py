"""The launcher's alarms: each rings for its own cause, once, and ends a period later."""

import time
from collections.abc import Iterator
from typing import Any

import pytest
from ministack.services import cloudwatch, sns, sqs

from mailroom_desk.cloud.emulator import alarms

TOPIC = "arn:aws:sns:us-east-1:000000000000:people"
MACHINE = "arn:aws:states:us-east-1:000000000000:stateMachine:document"


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    subjects: list[str] = []
    monkeypatch.setattr(
        sns, "_fanout", lambda arn, message_id, message, subject: subjects.append(subject)
    )
    cloudwatch._alarms.clear()
    yield subjects
    cloudwatch._alarms.clear()


def alarm(name: str, namespace: str, metric: str, **dimensions: str) -> dict[str, Any]:
    made = {
        "AlarmName": name,
        "Namespace": namespace,
        "MetricName": metric,
        "Dimensions": [{"Name": key, "Value": value} for key, value in dimensions.items()],
        "Threshold": 0.0,
        "Period": 300,
        "StateValue": "INSUFFICIENT_DATA",
        "AlarmActions": [TOPIC],
    }
    cloudwatch._alarms[name] = made
    return made


def test_bad_end_rings_the_alarm_of_its_machine_and_kind_once(told: list[str]) -> None:
    alarm("failed", "AWS/States", "ExecutionsFailed", StateMachineArn=MACHINE)
    alarm("aborted", "AWS/States", "ExecutionsAborted", StateMachineArn=MACHINE)
    alarm("other", "AWS/States", "ExecutionsFailed", StateMachineArn=f"{MACHINE}2")
    for _ in range(3):
        alarms.note_end(MACHINE, "FAILED")
    assert told == ['ALARM: "failed" in us-east-1']


def test_alarm_ends_a_period_after_the_last_bad_end_and_rings_again(told: list[str]) -> None:
    made = alarm("failed", "AWS/States", "ExecutionsFailed", StateMachineArn=MACHINE)
    alarms.note_end(MACHINE, "FAILED")
    alarms.look()
    assert made["StateValue"] == "ALARM"
    made["LastCause"] = time.time() - 301
    alarms.look()
    assert made["StateValue"] == "OK"
    alarms.note_end(MACHINE, "FAILED")
    assert len(told) == 2


def test_queue_rings_while_it_holds_something_visible(
    told: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    queue: dict[str, Any] = {"messages": []}
    monkeypatch.setattr(
        sqs, "_queue_by_arn", lambda arn: queue if arn.endswith(":dead-letters") else None
    )
    metric = "ApproximateNumberOfMessagesVisible"
    made = alarm("dead", "AWS/SQS", metric, QueueName="dead-letters")
    alarm("none", "AWS/SQS", metric, QueueName="none")
    alarms.look()
    assert (made["StateValue"], told) == ("OK", [])
    queue["messages"] = [{"visible_at": time.time() + 60}]
    alarms.look()
    assert told == []
    queue["messages"].append({"visible_at": 0})
    alarms.look()
    alarms.look()
    assert told == ['ALARM: "dead" in us-east-1']
    queue["messages"].clear()
    alarms.look()
    assert made["StateValue"] == "OK"
