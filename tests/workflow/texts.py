"""The text road in one process: the real state machine on moto, the real S3 event as its input.

moto lacks two integrations, both added here as AWS has them: `aws-sdk:s3:getObject`, whose body
arrives as text, and `bedrock:invokeModel`, whose answer is JSON under `Body`. Their calls are built
and parsed by the real clients; a fake Claude answers behind them.
"""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from types import SimpleNamespace
from typing import Any

import boto3
import pytest
from boto3.dynamodb.types import TypeDeserializer
from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.exceptions import BotoCoreError, ClientError
from moto import mock_aws
from moto.stepfunctions.parser.api import HistoryEventType
from moto.stepfunctions.parser.asl.component.common.error_name import (
    custom_error_name,
    failure_event,
)
from moto.stepfunctions.parser.asl.component.common.retry import retrier_decl
from moto.stepfunctions.parser.asl.component.state.exec.state_task.service import (
    state_task_service_aws_sdk as aws_sdk,
)
from moto.stepfunctions.parser.asl.component.state.exec.state_task.service import (
    state_task_service_unsupported as unsupported,
)
from moto.stepfunctions.parser.asl.eval.event.event_detail import EventDetails
from moto.stepfunctions.parser.asl.utils.boto_client import boto_client_for
from road import _HOOKS, PATIENCE_SECONDS, Execution, shared_session
from services import response
from stack import ACCOUNT, REGION, ROOT, known_names, resolve, resources

from mailroom.aws.clients import client

KEY = "raw/notes.txt"
TABLE = "mailroom-summaries"
USAGE = {"input_tokens": 120, "output_tokens": 30}
# S3's errors that its model has; any other is S3.S3Exception.
_MODELLED = {"NoSuchKey", "InvalidObjectState"}


def says(text: str, *, stop_reason: str = "end_turn") -> dict[str, Any]:
    """Claude's answer in the shape of its Messages API."""
    content = [{"type": "text", "text": text}] if text else []
    return {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-haiku-4-5",
        "content": content, "stop_reason": stop_reason, "stop_sequence": None, "usage": USAGE,
    }  # fmt: skip


def s3_refusal(code: str, status: int = 503) -> AWSResponse:
    """An error as S3 writes it."""
    answer = response(status, {}, {"content-type": "application/xml"})
    body = f"<Error><Code>{code}</Code><Message>{code}, says the fake</Message></Error>".encode()
    answer.raw.seek(0)
    answer.raw.truncate()
    answer.raw.write(body)
    answer.raw.seek(0)
    return answer


@dataclass
class TextRoad:
    """Drops texts, delivers their events, and looks at what came of them."""

    s3: Any
    dynamodb: Any
    states: Any
    bucket: str
    machine: str
    claude: list[AWSResponse | dict[str, Any]] = field(default_factory=list)
    requests: list[dict[str, Any]] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)
    # By "<service>.<operation>": what the next calls are refused with.
    refusals: dict[str, list[AWSResponse]] = field(default_factory=dict)
    runs: int = 0

    def drop(self, body: str | bytes, key: str = KEY, **more: Any) -> dict[str, Any]:
        """Put an object; returns the event that EventBridge gets of it."""
        data = body.encode() if isinstance(body, str) else body
        put = self.s3.put_object(Bucket=self.bucket, Key=key, Body=data, **more)
        return object_created(self.bucket, key, put["VersionId"], len(data))

    def run(self, event: dict[str, Any]) -> Execution:
        """Deliver an event: EventBridge starts an execution with it, under a name of its own."""
        self.runs += 1
        started = self.states.start_execution(
            stateMachineArn=self.machine, name=f"run-{self.runs}", input=json.dumps(event)
        )
        return self.finished(started["executionArn"])

    def summarise(self, body: str | bytes, key: str = KEY, **more: Any) -> Execution:
        """Drop a text and follow it to its end."""
        return self.run(self.drop(body, key, **more))

    def finished(self, arn: str) -> Execution:
        """Wait for an execution's end."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while (found := self.states.describe_execution(executionArn=arn))["status"] == "RUNNING":
            assert time.monotonic() < deadline, f"{arn} still runs"
            time.sleep(0.01)
        history = self.states.get_execution_history(executionArn=arn, maxResults=1000)
        return Execution(
            arn,
            found["status"],
            found.get("error", ""),
            found.get("cause", ""),
            None,
            history["events"],
        )

    def rows(self) -> list[dict[str, Any]]:
        """All rows, numbers as Decimals."""
        items = self.dynamodb.scan(TableName=TABLE, ConsistentRead=True)["Items"]
        plain = TypeDeserializer().deserialize
        return [{name: plain(value) for name, value in item.items()} for item in items]

    def row(self) -> dict[str, Any]:
        """The only row."""
        (row,) = self.rows()
        return row

    def answer(self, request: AWSPreparedRequest, **_: Any) -> AWSResponse:
        """What Claude says: the prepared answers in turn, the last of them for ever."""
        self.requests.append(json.loads(request.body))  # type: ignore[arg-type]
        prepared = self.claude.pop(0) if len(self.claude) > 1 else self.claude[0]
        return prepared if isinstance(prepared, AWSResponse) else response(200, prepared)

    def refuse(self, event_name: str, **_: Any) -> AWSResponse | None:
        refusals = self.refusals.get(event_name.removeprefix("before-send."))
        return refusals.pop(0) if refusals else None


def object_created(bucket: str, key: str, version_id: str, size: int) -> dict[str, Any]:
    """EventBridge's event of a new object, from the sample: its key is as it is, not encoded."""
    (path,) = (ROOT / "events").glob("*-raw-text-created.json")
    event: dict[str, Any] = json.loads(path.read_text("utf-8"))
    event["detail"]["bucket"]["name"] = bucket
    event["detail"]["object"] |= {"key": key, "version-id": version_id, "size": size}
    return event


def text_definition(names: dict[str, Any]) -> str:
    """The state machine's definition, placeholders filled in as the template says."""
    machine = resources("AWS::Serverless::StateMachine")["SummaryStateMachine"]
    text = (ROOT / machine["DefinitionUri"]).read_text("utf-8")
    for placeholder, value in resolve(machine["DefinitionSubstitutions"], names).items():
        text = text.replace(f"${{{placeholder}}}", value)
    return text


@contextmanager
def open_text_road(monkeypatch: pytest.MonkeyPatch) -> Iterator[TextRoad]:
    """The road's part of the stack on moto, and everything put back afterwards."""
    config: Any = {"stepfunctions": {"execute_state_machine": True}}
    client.cache_clear()
    with mock_aws(config=config):
        monkeypatch.setattr(boto3, "DEFAULT_SESSION", shared_session())
        road = _deploy()
        road.claude = [says("A short text.")]
        _HOOKS.update(
            {
                "bedrock-runtime": road.answer,
                "dynamodb.PutItem": road.refuse,
                "s3.GetObject": road.refuse,
            }
        )
        monkeypatch.setattr(aws_sdk.StateTaskServiceAwsSdk, "_eval_service_task", _get_object)
        monkeypatch.setattr(
            unsupported.StateTaskServiceUnsupported, "_eval_service_task", _invoke_model
        )
        monkeypatch.setattr(retrier_decl, "time", SimpleNamespace(sleep=road.waits.append))
        yield road
        _HOOKS.clear()
    client.cache_clear()


def _deploy() -> TextRoad:
    s3, dynamodb, states = (boto3.client(n) for n in ("s3", "dynamodb", "stepfunctions"))
    names = known_names()
    bucket = resolve(resources("AWS::S3::Bucket")["Documents"]["BucketName"], names)
    s3.create_bucket(Bucket=bucket)
    s3.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Enabled"})
    table = resolve(resources("AWS::DynamoDB::Table")["SummariesTable"], names)
    kept = ("TableName", "BillingMode", "KeySchema", "AttributeDefinitions")
    dynamodb.create_table(
        **{name: table[name] for name in kept},
        GlobalSecondaryIndexes=table["GlobalSecondaryIndexes"],
    )
    names["SummariesTable"] = table["TableName"]
    machine = states.create_state_machine(
        name="mailroom-summary",
        definition=text_definition(names),
        roleArn=f"arn:aws:iam::{ACCOUNT}:role/states",
    )["stateMachineArn"]
    return TextRoad(s3, dynamodb, states, bucket, machine)


def _get_object(
    self: Any, env: Any, resource_runtime_part: Any, normalised_parameters: Any, **_: Any
) -> None:
    assert self.resource.resource_arn.endswith(":aws-sdk:s3:getObject")
    call = boto_client_for(service="s3", region=REGION).get_object
    answer = _called(self, env, "S3", partial(call, **normalised_parameters))
    # What is no UTF-8 becomes the replacement character; the rest are names in Pascal case.
    body = answer["Body"].read().decode("utf-8", "replace")
    kept = {"Body": body, "ContentType": answer["ContentType"], "VersionId": answer["VersionId"]}
    env.stack.append(kept)


def _invoke_model(
    self: Any, env: Any, resource_runtime_part: Any, normalised_parameters: Any, **_: Any
) -> None:
    assert self.resource.resource_arn.endswith(":bedrock:invokeModel")
    given = {name[0].lower() + name[1:]: value for name, value in normalised_parameters.items()}
    given["body"] = json.dumps(given["body"], ensure_ascii=False).encode()
    call = boto_client_for(service="bedrock-runtime", region=REGION).invoke_model
    answer = _called(self, env, "Bedrock", partial(call, **given))
    env.stack.append({"Body": json.loads(answer["body"].read()), "ContentType": "application/json"})


def _called(self: Any, env: Any, service: str, call: Any) -> Any:
    """The answer, or the error under the name that Step Functions gives it."""
    try:
        return call()
    except ClientError as error:
        code = error.response["Error"]["Code"]
        if service == "S3" and code not in _MODELLED:
            code = "S3"
        cause = error.response["Error"].get("Message", "")
    except BotoCoreError as error:
        code, cause = "SdkClient", str(error)
    name = f"{service}.{code.removesuffix('Exception')}Exception"
    raise failure_event.FailureEventException(
        failure_event.FailureEvent(
            env=env,
            error_name=custom_error_name.CustomErrorName(name),
            event_type=HistoryEventType.TaskFailed,
            event_details=EventDetails(
                taskFailedEventDetails={"error": name, "cause": cause}  # type: ignore[typeddict-item]
            ),
        )
    )
