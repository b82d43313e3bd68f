"""Claude on Bedrock answers: `--claude bedrock`, with the user's own AWS profile.

The request goes on as it is, without `requestMetadata`. The addresses of the local cloud that may
stand in the environment are not used. Source: Bedrock's API reference, "Converse", Errors.
"""

from typing import Any

import boto3
from botocore import exceptions as aws
from botocore.config import Config

from mailroom_desk.cloud.claude import errors
from mailroom_desk.cloud.claude.backends import Answer, Json
from mailroom_desk.cloud.claude.backends.upstream import (
    ANSWER_SECONDS,
    CHECK_SECONDS,
    CONNECT_SECONDS,
    Refusal,
    priced,
    said,
    too_slow,
    translated,
    unreachable,
)
from mailroom_desk.cloud.claude.choice import ClaudeChoice, ClaudeUnusable
from mailroom_desk.cloud.claude.protocol.usage import Usage

# Codes of Converse, and what every service of AWS answers to wrong credentials.
_CODES: dict[str, type[errors.BedrockError]] = {
    **{error.__name__: error for error in errors.BedrockError.__subclasses__()},
    "UnrecognizedClientException": errors.AccessDeniedException,
    "InvalidSignatureException": errors.AccessDeniedException,
    "InvalidClientTokenId": errors.AccessDeniedException,
    "SignatureDoesNotMatch": errors.AccessDeniedException,
    "ExpiredTokenException": errors.AccessDeniedException,
    "ExpiredToken": errors.AccessDeniedException,
    "ServiceQuotaExceededException": errors.ThrottlingException,
}
# In a request of JSON these hold base64, which botocore would encode again.
_BINARY = ("image", "document", "video", "audio")


class BedrockBackend:
    """The backend behind `--claude bedrock`."""

    def __init__(
        self,
        choice: ClaudeChoice,
        *,
        endpoint_url: str | None = None,
        seconds: float = ANSWER_SECONDS,
    ) -> None:
        """Raises ClaudeUnusable where there is no such profile, or no region."""
        self.name = choice.name
        self._model = choice.model or ""
        self._endpoint_url = endpoint_url
        try:
            self._session = boto3.Session(profile_name=choice.profile, region_name=choice.region)
        except aws.ProfileNotFound as error:
            raise ClaudeUnusable(
                f"{error}. See which there are with: aws configure list-profiles"
            ) from None
        if self._session.region_name is None:
            raise ClaudeUnusable("There is no AWS region. Name one with --claude-region.")
        self._bedrock = self._client("bedrock-runtime", seconds)

    def check(self) -> None:
        """Ask AWS whose credentials these are, which needs no right. Raises a BedrockError."""
        try:
            self._client("sts", CHECK_SECONDS).get_caller_identity()
        except (aws.ClientError, aws.BotoCoreError) as error:
            raise self._translated(error, None) from None

    def answer(self, request: Json) -> Answer:
        """Send the request to Bedrock. Raises a BedrockError."""
        _refuse_binaries(request)
        asked = {name: part for name, part in request.items() if name != "requestMetadata"}
        try:
            reply = self._bedrock.converse(modelId=self._model, **asked)
        except (aws.ClientError, aws.BotoCoreError) as error:
            raise self._translated(error, request) from None
        counted = reply.get("usage") or {}
        usage = Usage(
            input=counted.get("inputTokens", 0),
            output=counted.get("outputTokens", 0),
            cache_read=counted.get("cacheReadInputTokens", 0),
            cache_write=counted.get("cacheWriteInputTokens", 0),
        )
        content = reply.get("output", {}).get("message", {}).get("content", [])
        return Answer(content, reply["stopReason"], priced(self._model, usage))

    def _client(self, service: str, seconds: float) -> Any:
        config = Config(
            ignore_configured_endpoint_urls=True,  # type: ignore[call-arg]  # not in the stubs
            retries={"total_max_attempts": 1},
            connect_timeout=CONNECT_SECONDS,
            read_timeout=seconds,
        )
        client: Any = self._session.client
        return client(service, config=config, endpoint_url=self._endpoint_url)

    def _translated(self, error: Exception, request: Json | None) -> errors.BedrockError:
        match error:
            case aws.ClientError():
                return self._refused(error, request)
            case aws.ReadTimeoutError():
                return too_slow(self._bedrock.meta.endpoint_url)
            case aws.HTTPClientError() | aws.ConnectionError():
                return unreachable(self._bedrock.meta.endpoint_url)
            case aws.ParamValidationError():
                return errors.ValidationException("boto3 does not know a part of this request.")
        # No credentials, or some that have to be renewed: the class says which.
        return errors.AccessDeniedException(
            f"There are no usable AWS credentials ({type(error).__name__}). {self._log_in()}"
        )

    def _refused(self, error: aws.ClientError, request: Json | None) -> errors.BedrockError:
        told = error.response.get("Error", {})
        code, message = told.get("Code", ""), told.get("Message", "")
        known = _CODES.get(code)
        if known is None:
            status = error.response["ResponseMetadata"]["HTTPStatusCode"]
            return translated(Refusal(status, message), "AWS", "the AWS credentials", request)
        text = said("AWS", code, message, request)
        return known(f"{text} {self._log_in()}" if known is errors.AccessDeniedException else text)

    def _log_in(self) -> str:
        source = getattr(self._session.get_credentials(), "method", None)
        told = f"They come from {source}. " if source else ""
        return f"{told}Log in again, or name a profile with --claude-profile."


def _refuse_binaries(request: Json) -> None:
    for message in request["messages"]:
        for block in message["content"]:
            if any(name in block for name in _BINARY):
                raise errors.ValidationException(
                    f"This server cannot pass on content of type {', '.join(block)}."
                )
