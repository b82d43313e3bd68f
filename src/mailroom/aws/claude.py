"""Claude on Bedrock: one Converse call."""

from typing import Any

from mailroom.aws.clients import client, faults
from mailroom.errors import (
    MailroomError,
    ModelInputTooLong,
    ModelThrottled,
    ModelUnavailable,
    ServiceMisconfigured,
)

READ_SECONDS = 120
"""How long one answer may take. The function's time-out is above it, see the template."""

# Errors of Converse in Bedrock's API reference.
_ERRORS: dict[str, type[MailroomError]] = {
    "ThrottlingException": ModelThrottled,
    "ServiceQuotaExceededException": ModelThrottled,
    "ModelTimeoutException": ModelUnavailable,
    "ModelNotReadyException": ModelUnavailable,
    "ModelErrorException": ModelUnavailable,
    "ServiceUnavailableException": ModelUnavailable,
    "InternalServerException": ModelUnavailable,
    "AccessDeniedException": ServiceMisconfigured,
    "ResourceNotFoundException": ServiceMisconfigured,
    "ValidationException": ServiceMisconfigured,
}
# Bedrock words one cause in several ways, always as a ValidationException.
_TOO_LONG = ("too long", "context limit", "maximum context", "too many input tokens")


class Claude:
    """A model behind an inference profile."""

    def __init__(self, model_id: str) -> None:
        self.model_id = model_id
        self._bedrock = client("bedrock-runtime", read_seconds=READ_SECONDS)

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """Send a Converse request and return what is worth keeping of the answer, as plain JSON.

        `answered_by` is the model, or what a stand-in says that it is.

        Raises ModelThrottled, ModelUnavailable, ModelInputTooLong, ServiceMisconfigured.
        """
        try:
            with faults("Bedrock", _ERRORS, ModelUnavailable):
                answer = self._bedrock.converse(modelId=self.model_id, **request)
        except ServiceMisconfigured as error:
            if any(words in str(error).lower() for words in _TOO_LONG):
                raise ModelInputTooLong(str(error)) from error
            raise
        headers = answer["ResponseMetadata"].get("HTTPHeaders", {})
        return {
            "content": answer["output"]["message"]["content"] if "output" in answer else [],
            "stop_reason": answer["stopReason"],
            "usage": answer["usage"],
            "latency_ms": answer["metrics"]["latencyMs"],
            "answered_by": headers.get("x-mailroom-answered-by", self.model_id),
        }
