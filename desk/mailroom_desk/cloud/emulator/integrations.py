"""The service integrations of Step Functions that ministack 1.5.33 lacks or gets wrong.

* `events:putEvents` succeeds when the bus refused an entry; on AWS the task fails with
  `EventBridge.FailedEntry`. A detail that is given as JSON is passed on as such, not as text.
* `bedrock:invokeModel`, `aws-sdk:bedrockruntime:*`, `aws-sdk:s3:getObject` and `putObject` are not
  there; they are called through botocore, at the endpoints of this process's environment.

An error is named as AWS names it: the service, then the modelled error with `Exception` at its
end (`S3.NoSuchKeyException`); what the service's model does not know is `S3.S3Exception`.
"""

import json
from typing import Any

from ministack.services import stepfunctions

_ARN = "arn:aws:states:::"


def install() -> None:
    """Register the handlers in ministack's dispatch table."""
    clients = _Clients()

    def through_botocore(service: str, prefix: str) -> Any:
        def call(resource: str, parameters: dict[str, Any]) -> Any:
            action = resource.removesuffix(".waitForTaskToken").rsplit(":", 1)[-1]
            return clients.call(service, prefix, action, parameters)

        return call

    def invoke_model(resource: str, parameters: dict[str, Any]) -> Any:
        result = clients.call("bedrock-runtime", "Bedrock", "invokeModel", parameters)
        # The optimised integration hands the model's answer on as JSON, not as text.
        return result | {"Body": json.loads(result["Body"])}

    stepfunctions._SERVICE_DISPATCH |= {
        f"{_ARN}events:putEvents": _put_events,
        f"{_ARN}bedrock:invokeModel": invoke_model,
        f"{_ARN}aws-sdk:bedrockruntime:": through_botocore("bedrock-runtime", "BedrockRuntime"),
        f"{_ARN}aws-sdk:s3:getObject": through_botocore("s3", "S3"),
        f"{_ARN}aws-sdk:s3:putObject": through_botocore("s3", "S3"),
    }


def _put_events(resource: str, parameters: dict[str, Any]) -> Any:
    entries = [_with_detail_as_text(entry) for entry in parameters.get("Entries", [])]
    result = stepfunctions._invoke_events_put_events(resource, parameters | {"Entries": entries})
    if result.get("FailedEntryCount"):
        raise stepfunctions._ExecutionError("EventBridge.FailedEntry", json.dumps(result))
    return result


def _with_detail_as_text(entry: dict[str, Any]) -> dict[str, Any]:
    """A state may give the detail as JSON; EventBridge takes it as text."""
    detail = entry.get("Detail")
    return entry | {"Detail": json.dumps(detail)} if isinstance(detail, dict | list) else entry


class _Clients:
    """botocore's clients, made when they are first needed: botocore is slow to import."""

    def __init__(self) -> None:
        self._made: dict[str, Any] = {}

    def call(self, service: str, prefix: str, action: str, parameters: dict[str, Any]) -> Any:
        from botocore.exceptions import BotoCoreError, ClientError

        client = self._client(service)
        operation = action[0].upper() + action[1:]
        model = client.meta.service_model.operation_model(operation)
        try:
            result = client._make_api_call(operation, to_request(parameters, model.input_shape))
        except ClientError as error:
            name = error_name(prefix, error.response["Error"]["Code"], model.error_shapes)
            message = error.response["Error"].get("Message", "")
            raise stepfunctions._ExecutionError(name, message) from error
        except BotoCoreError as error:
            name = f"{prefix}.SdkClientException"
            raise stepfunctions._ExecutionError(name, str(error)) from error
        return to_result(result, model.output_shape)

    def _client(self, service: str) -> Any:
        if service not in self._made:
            import botocore.session
            from botocore.config import Config

            # Exactly one layer retries: the state machine's Retry.
            config = Config(
                retries={"total_max_attempts": 1},
                inject_host_prefix=False,
                s3={"addressing_style": "path"},
            )
            session = botocore.session.get_session()
            self._made[service] = session.create_client(service, config=config)
        return self._made[service]


def error_name(prefix: str, code: str, modelled: list[Any]) -> str:
    """Step Functions' name for a service's error code."""
    if code not in {shape.error_code for shape in modelled} | {shape.name for shape in modelled}:
        return f"{prefix}.{prefix}Exception"
    return f"{prefix}.{code.removesuffix('Exception')}Exception"


def to_request(value: Any, shape: Any) -> Any:
    """The state's parameters as botocore wants them: member names in the model's own case."""
    if shape is None or _is_document(shape):
        return value
    if shape.type_name == "structure" and isinstance(value, dict):
        names = {name.lower(): name for name in shape.members}
        wire = {names.get(key.lower(), key): item for key, item in value.items()}
        return {key: to_request(item, shape.members.get(key)) for key, item in wire.items()}
    if shape.type_name == "list" and isinstance(value, list):
        return [to_request(item, shape.member) for item in value]
    if shape.type_name == "map" and isinstance(value, dict):
        return {key: to_request(item, shape.value) for key, item in value.items()}
    if shape.type_name == "blob" and not isinstance(value, str | bytes):
        return json.dumps(value).encode()
    return value


def to_result(value: Any, shape: Any) -> Any:
    """A service's answer as a state sees it: member names in Pascal case, bodies as text."""
    if shape is None or _is_document(shape):
        return value
    if shape.type_name == "structure" and isinstance(value, dict):
        return {
            key[0].upper() + key[1:]: to_result(item, shape.members[key])
            for key, item in value.items()
            if key in shape.members
        }
    if shape.type_name == "list" and isinstance(value, list):
        return [to_result(item, shape.member) for item in value]
    if shape.type_name == "map" and isinstance(value, dict):
        return {key: to_result(item, shape.value) for key, item in value.items()}
    if shape.type_name == "blob":
        data = value.read() if hasattr(value, "read") else value
        return data.decode("utf-8", "replace")
    return value if isinstance(value, str | int | float | bool) else str(value)


def _is_document(shape: Any) -> bool:
    return bool(getattr(shape, "is_document_type", False))
