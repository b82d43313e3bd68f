"""Service integrations that moto lacks, as AWS has them.

Their calls are built and parsed by the real clients; what is replaced answers behind them.
"""

import json
from functools import partial
from typing import Any

import pytest
from botocore.exceptions import BotoCoreError, ClientError
from moto.stepfunctions.parser.api import HistoryEventType
from moto.stepfunctions.parser.asl.component.common.error_name import (
    custom_error_name,
    failure_event,
)
from moto.stepfunctions.parser.asl.component.state.exec.state_task.service import (
    state_task_service_aws_sdk as aws_sdk,
)
from moto.stepfunctions.parser.asl.component.state.exec.state_task.service import (
    state_task_service_unsupported as unsupported,
)
from moto.stepfunctions.parser.asl.eval.event.event_detail import EventDetails
from moto.stepfunctions.parser.asl.utils.boto_client import boto_client_for
from stack import REGION

# S3's errors that its model has; any other is S3.S3Exception.
_MODELLED = {"NoSuchKey", "InvalidObjectState"}


def add_invoke_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """`bedrock:invokeModel`, whose answer is JSON under `Body`."""
    service = unsupported.StateTaskServiceUnsupported
    monkeypatch.setattr(service, "_eval_service_task", _invoke_model)


def add_get_object(monkeypatch: pytest.MonkeyPatch) -> None:
    """`aws-sdk:s3:getObject`, whose body arrives as text."""
    monkeypatch.setattr(aws_sdk.StateTaskServiceAwsSdk, "_eval_service_task", _get_object)


def mend_put_object(monkeypatch: pytest.MonkeyPatch) -> None:
    """`aws-sdk:s3:putObject` as AWS has it: the body is JSON, and errors begin with `S3`."""
    monkeypatch.setattr(aws_sdk.StateTaskServiceAwsSdk, "_normalise_parameters", _body_as_json)
    monkeypatch.setitem(aws_sdk._SERVICE_ERROR_NAMES, "s3", "S3")


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
            event_details=EventDetails(taskFailedEventDetails={"error": name, "cause": cause}),
        )
    )


def _body_as_json(self: Any, parameters: dict[str, Any], *_: Any, **__: Any) -> None:
    if isinstance(parameters.get("Body"), dict):
        parameters["Body"] = json.dumps(parameters["Body"]).encode()
