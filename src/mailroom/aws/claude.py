"""Claude on Bedrock: one Converse call."""

from collections.abc import Mapping
from typing import Any

from mailroom.aws.clients import client, faults
from mailroom.errors import (
    MailroomError,
    ModelAccessDenied,
    ModelFailed,
    ModelInputTooLong,
    ModelThrottled,
    ModelUnavailable,
    ServiceMisconfigured,
)

READ_SECONDS = 120
"""How long one answer may take. The function's time-out is above it, see the template."""

# Errors of Converse in Bedrock's API reference, and of what stands before it.
_ERRORS: dict[str, type[MailroomError]] = {
    "ThrottlingException": ModelThrottled,
    "ServiceQuotaExceededException": ModelThrottled,
    "ModelTimeoutException": ModelUnavailable,
    "ModelNotReadyException": ModelUnavailable,
    "ServiceUnavailableException": ModelUnavailable,
    "InternalServerException": ModelUnavailable,
    "ModelErrorException": ModelFailed,
    "AccessDeniedException": ModelAccessDenied,
    "ResourceNotFoundException": ServiceMisconfigured,
    "ValidationException": ServiceMisconfigured,
    "RequestEntityTooLargeException": ModelInputTooLong,
}

# The code alone does not say what is wrong. These words do, in lower case and without apostrophes,
# which Bedrock writes in two ways. One cause has several wordings, and several codes.
_TOO_LONG = (
    "too long",
    "context limit",
    "maximum context",
    "too many input tokens",
    "less than or equal to 25000000",  # the body's limit in the API reference of InvokeModel
)
_NOT_GRANTED = ("use case details", "aws-marketplace", "aws marketplace")
_NO_RIGHT = "not authorized to perform: bedrock:"
_WRONG_MODEL = (
    "resourcenotfoundexception",
    "on-demand throughput",
    "end of its life",
    "end of life",
    "as legacy",
    "model identifier",
)
_ACTS = {"BLOCKED", "ANONYMIZED", "GUARDRAIL_INTERVENED"}


class Claude:
    """A model behind an inference profile."""

    def __init__(self, model_id: str) -> None:
        self.model_id = model_id
        self._bedrock = client("bedrock-runtime", read_seconds=READ_SECONDS)

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """Send a Converse request and return what is worth keeping of the answer, as plain JSON.

        `answered_by` is the model, or what a stand-in says that it is. `guardrail` says whether a
        guardrail changed or held back anything, which the stop reason alone need not tell. What an
        answer lacks is empty here: `answer.read` names it.

        Raises ModelThrottled, ModelUnavailable, ModelFailed, ModelAccessDenied, ModelInputTooLong,
        ServiceMisconfigured.
        """
        try:
            with faults("Bedrock", _ERRORS, ModelUnavailable):
                answer = self._bedrock.converse(modelId=self.model_id, **request)
        except (ModelAccessDenied, ServiceMisconfigured) as error:
            raise self._told_apart(error) from error
        if "stopReason" not in answer:
            # What botocore cannot read as JSON, it gives as an answer with nothing in it.
            raise ModelUnavailable("Bedrock's answer is none of Converse.")
        headers = answer["ResponseMetadata"].get("HTTPHeaders", {})
        content = answer.get("output", {}).get("message", {}).get("content") or []
        return {
            # Blocks of other kinds are neither read nor could they be sent back.
            "content": [block for block in content if "toolUse" in block or "text" in block],
            "stop_reason": answer["stopReason"],
            "usage": answer.get("usage", {}),
            "latency_ms": answer.get("metrics", {}).get("latencyMs", 0),
            "guardrail": _acted(answer.get("trace", {}).get("guardrail", {})),
            "answered_by": headers.get("x-mailroom-answered-by", self.model_id),
        }

    def _told_apart(self, error: MailroomError) -> MailroomError:
        """The error by its words, with the next step."""
        words = str(error.__cause__).lower()  # uncut, the code in it
        if any(each in words for each in _TOO_LONG):
            return ModelInputTooLong(str(error))
        if any(each in words for each in _NOT_GRANTED):
            return self._no_access(error)
        if _NO_RIGHT in words:
            return ServiceMisconfigured(
                f"The role of the classify function, or a policy above it, does not let it use "
                f"{self.model_id} in every region of its profile. {error}"
            )
        if any(each in words for each in _WRONG_MODEL):
            return ServiceMisconfigured(
                f"The model configuration is wrong: set the parameter ModelId to the inference "
                f"profile of a current model instead of {self.model_id}. {error}"
            )
        return self._no_access(error) if isinstance(error, ModelAccessDenied) else error

    def _no_access(self, error: MailroomError) -> ModelAccessDenied:
        return ModelAccessDenied(
            f"The account may not use {self.model_id}, or not yet: grant it access in Bedrock's "
            f"console, wait 15 minutes, then redrive. {error}"
        )


def _acted(assessment: Any) -> bool:
    """Whether any part of a guardrail's trace, however deep, says that it acted."""
    if isinstance(assessment, Mapping):
        parts = assessment.values()
        return assessment.get("action") in _ACTS or any(map(_acted, parts))
    return isinstance(assessment, list) and any(map(_acted, assessment))
