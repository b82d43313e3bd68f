"""The digest's machine on moto, beside the main road.

Two integrations are mended, as AWS documents them: moto sends `bedrock:invokeModel` to a client
that has no such call, gives S3 the body of `aws-sdk:s3:putObject` as an object, not as JSON, and
writes the service's name in its errors as `s3`.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import boto3
import pytest
from botocore.awsrequest import AWSResponse
from botocore.exceptions import ClientError
from moto.stepfunctions.parser.api import HistoryEventType, TaskFailedEventDetails
from moto.stepfunctions.parser.asl.component.common.error_name.custom_error_name import (
    CustomErrorName,
)
from moto.stepfunctions.parser.asl.component.common.error_name.failure_event import FailureEvent
from moto.stepfunctions.parser.asl.component.state.exec.state_task.service import (
    state_task_service_aws_sdk as aws_sdk,
)
from moto.stepfunctions.parser.asl.component.state.exec.state_task.service import (
    state_task_service_unsupported as unsupported,
)
from moto.stepfunctions.parser.asl.eval.event.event_detail import EventDetails
from road import _HOOKS, Execution, Road
from services import _Body
from stack import ACCOUNT, ROOT, resolve, resources

MACHINE = "DigestStateMachine"
REFUSABLE = ("s3.PutObject", "sns.Publish")
S3_CODES = ("AccessDenied", "SlowDown")


@dataclass
class Night:
    """Starts digests, and hears what people are told."""

    road: Road
    arn: str
    mailbox: str

    def start(self, name: str, state: dict[str, Any] | None = None) -> Execution:
        """A digest to its end."""
        document_machine = self.road.names["StateMachine"]
        self.road.names["StateMachine"] = self.arn
        try:
            return self.road.start(name, state or {})
        finally:
            self.road.names["StateMachine"] = document_machine

    def told(self) -> list[dict[str, Any]]:
        """What the topic delivered, taken out."""
        return self.road._messages(self.mailbox)

    def kept(self, date: str) -> dict[str, Any]:
        """The digest of a day in the bucket."""
        kept: dict[str, Any] = json.loads(self.road.object(f"digests/{date}.json"))
        return kept


def definition(names: dict[str, Any]) -> str:
    """The definition, placeholders filled in as the template says."""
    machine = resources("AWS::Serverless::StateMachine")[MACHINE]
    text = (ROOT / str(machine["DefinitionUri"])).read_text("utf-8")
    for placeholder, value in resolve(machine["DefinitionSubstitutions"], names).items():
        text = text.replace(f"${{{placeholder}}}", value)
    return text


@contextmanager
def open_night(road: Road, monkeypatch: pytest.MonkeyPatch) -> Iterator[Night]:
    """The machine, the topic of people, and a mailbox that hears it."""
    sns = boto3.client("sns")
    road.names["PeopleTopic"] = sns.create_topic(Name="mailroom-people")["TopicArn"]
    road.names["mailbox"] = road.sqs.create_queue(QueueName="mailbox")["QueueUrl"]
    sns.subscribe(
        TopicArn=road.names["PeopleTopic"],
        Protocol="sqs",
        Endpoint=f"arn:aws:sqs:us-east-1:{ACCOUNT}:mailbox",
    )
    monkeypatch.setattr(unsupported.StateTaskServiceUnsupported, "_eval_service_task", _invoke)
    monkeypatch.setattr(unsupported.StateTaskServiceUnsupported, "_from_error", _named)
    monkeypatch.setattr(aws_sdk.StateTaskServiceAwsSdk, "_normalise_parameters", _body_as_json)
    monkeypatch.setitem(aws_sdk._SERVICE_ERROR_NAMES, "s3", "S3")
    for operation in REFUSABLE:
        monkeypatch.setitem(_HOOKS, operation, road.refuse)
    machine = resources("AWS::Serverless::StateMachine")[MACHINE]
    arn = road.states.create_state_machine(
        name=resolve(machine["Name"], road.names),
        definition=definition(road.names),
        roleArn=f"arn:aws:iam::{ACCOUNT}:role/digest",
    )["stateMachineArn"]
    yield Night(road, arn, "mailbox")


def says(text: str, stop_reason: str = "end_turn") -> dict[str, Any]:
    """An answer of InvokeModel, in Anthropic's shape."""
    return {
        "type": "message",
        "role": "assistant",
        "content": [{"type": "text", "text": text}],
        "stop_reason": stop_reason,
        "usage": {"input_tokens": 300, "output_tokens": 90},
    }


def xml_refusal(code: str, status: int) -> AWSResponse:
    """An error in the shape of S3's and SNS's protocols."""
    error = f"<Error><Code>{code}</Code><Message>says the test</Message></Error>"
    raw: Any = _Body(f"<ErrorResponse>{error}<RequestId>r</RequestId></ErrorResponse>".encode())
    if code in S3_CODES:
        raw = _Body(error.encode())
    return AWSResponse("https://fake.invalid/", status, {"x-amzn-requestid": "r"}, raw)


def _invoke(_: Any, env: Any, normalised_parameters: Any, **__: Any) -> None:
    asked = normalised_parameters
    answer = boto3.client("bedrock-runtime").invoke_model(
        modelId=asked["ModelId"],
        body=json.dumps(asked["Body"]),
        contentType="application/json",
        accept="application/json",
    )
    body = json.loads(answer["body"].read())
    env.stack.append({"Body": body, "ContentType": "application/json"})


def _named(self: Any, env: Any, ex: Exception) -> FailureEvent:
    assert isinstance(ex, ClientError), ex
    error = f"Bedrock.{ex.response['Error']['Code']}"
    details = TaskFailedEventDetails(
        error=error,
        cause=ex.response["Error"]["Message"],
        resource=self._get_sfn_resource(),
        resourceType=self._get_sfn_resource_type(),
    )
    return FailureEvent(
        env=env,
        error_name=CustomErrorName(error_name=error),
        event_type=HistoryEventType.TaskFailed,
        event_details=EventDetails(taskFailedEventDetails=details),
    )


def _body_as_json(self: Any, parameters: dict[str, Any], *_: Any, **__: Any) -> None:
    if isinstance(parameters.get("Body"), dict):
        parameters["Body"] = json.dumps(parameters["Body"]).encode()
