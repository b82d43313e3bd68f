"""The digest's machine on moto, beside the main road."""

import json
from dataclasses import dataclass
from typing import Any

import boto3
import pytest
from integrations import add_invoke_model, mend_put_object
from machines_on_moto import Execution, create_machine, hooks, run_execution, take_messages
from road import Road
from stack import ACCOUNT, REGION, resources

REFUSABLE = ("s3.PutObject", "sns.Publish")


@dataclass
class Night:
    """Starts digests, and hears what people are told."""

    road: Road
    arn: str
    mailbox: str

    def start(self, name: str, state: dict[str, Any] | None = None) -> Execution:
        """A digest to its end."""
        return run_execution(self.arn, name, state or {})

    def told(self) -> list[dict[str, Any]]:
        """What the topic delivered, taken out."""
        return take_messages(self.mailbox)

    def kept(self, date: str) -> dict[str, Any]:
        """The digest of a day in the bucket."""
        kept: dict[str, Any] = json.loads(self.road.object(f"digests/{date}.json"))
        return kept


def night_on(road: Road, monkeypatch: pytest.MonkeyPatch) -> Night:
    """The machine, the topic of people, and a mailbox that hears it."""
    sns = boto3.client("sns")
    road.names["PeopleTopic"] = sns.create_topic(Name="mailroom-people")["TopicArn"]
    mailbox = road.sqs.create_queue(QueueName="mailbox")["QueueUrl"]
    sns.subscribe(
        TopicArn=road.names["PeopleTopic"],
        Protocol="sqs",
        Endpoint=f"arn:aws:sqs:{REGION}:{ACCOUNT}:mailbox",
    )
    add_invoke_model(monkeypatch)
    mend_put_object(monkeypatch)
    hooks.update(dict.fromkeys(REFUSABLE, road.refuse))
    machine = resources("AWS::Serverless::StateMachine")["DigestStateMachine"]
    return Night(road, create_machine(machine, road.names), mailbox)
