"""Anthropic's own API answers: `--claude anthropic`, with the key in ANTHROPIC_API_KEY.

A Converse request becomes a Messages request of Anthropic's SDK and its answer comes back as
Converse. Not sent: `requestMetadata`. Source: Anthropic's API reference, "Messages", "Errors",
"Handling stop reasons", "Versions".
"""

import json
from collections.abc import Callable
from typing import Any

import anthropic

from mailroom_desk.cloud.claude.backends import DEFAULT_MAX_TOKENS, Answer, Json
from mailroom_desk.cloud.claude.backends.upstream import (
    ANSWER_SECONDS,
    CHECK_SECONDS,
    CONNECT_SECONDS,
    Refusal,
    priced,
    too_slow,
    translated,
    unreachable,
)
from mailroom_desk.cloud.claude.choice import ANTHROPIC, KEYS, ClaudeChoice
from mailroom_desk.cloud.claude.errors import (
    BedrockError,
    ModelErrorException,
    ValidationException,
)
from mailroom_desk.cloud.claude.protocol.usage import Usage

# The SDK's own version, 2026-10-21, refuses temperature 0 for every model. In this one the models
# before Opus 4.7 take it, as they do on Bedrock; see `temperature` for the others.
_API_VERSION = "2023-06-01"
# The others have the same name in both, or are passed on as they are.
_STOP_REASONS = {"refusal": "content_filtered"}


class AnthropicBackend:
    """The backend behind `--claude anthropic`."""

    def __init__(self, choice: ClaudeChoice, key: str, *, seconds: float = ANSWER_SECONDS) -> None:
        self.name = choice.name
        self._model = choice.model or ""
        self._url = choice.url or ""
        self._host = choice.host
        self._client = anthropic.Anthropic(
            api_key=key,
            base_url=self._url,
            max_retries=0,
            timeout=anthropic.Timeout(seconds, connect=CONNECT_SECONDS),
            default_headers={"anthropic-version": _API_VERSION},
        )

    def check(self) -> None:
        """Ask for the model's description, which costs nothing. Raises a BedrockError."""
        try:
            self._client.models.retrieve(self._model, timeout=CHECK_SECONDS)
        except anthropic.APIError as error:
            raise self._translated(error, None) from None

    def answer(self, request: Json) -> Answer:
        """Send the request as Messages. Raises a BedrockError."""
        create: Any = self._client.messages.create
        try:
            message = create(**to_messages_request(request, self._model)).to_dict()
        except anthropic.APIError as error:
            # The cause would hold the request, and the key in its headers.
            raise self._translated(error, request) from None
        return from_message(message, self._model)

    def _translated(self, error: anthropic.APIError, request: Json | None) -> BedrockError:
        match error:
            case anthropic.APITimeoutError():
                return too_slow(self._url)
            case anthropic.APIConnectionError():
                return unreachable(self._url)
            case anthropic.APIStatusError():
                body: Any = error.body
                said: Any = body.get("error") if isinstance(body, dict) else None
                said = said if isinstance(said, dict) else {}
                refusal = Refusal(
                    error.status_code,
                    str(said.get("message", "")),
                    str(said.get("type", "")),
                    error.response.headers.get("retry-after", ""),
                )
                return translated(refusal, self._host, KEYS[ANTHROPIC], request)
        return ModelErrorException(f"The answer of {self._host} is not one of the Messages API.")


def to_messages_request(request: Json, model: str) -> Json:
    """The arguments of the SDK's `messages.create` that say the same as a Converse request."""
    limits = request.get("inferenceConfig") or {}
    asked: Json = {
        "model": model,
        "max_tokens": limits.get("maxTokens", DEFAULT_MAX_TOKENS),
        "messages": [
            {"role": message["role"], "content": _marked(message["content"], _block)}
            for message in request["messages"]
        ],
    }
    if request.get("system"):
        asked["system"] = _marked(request["system"], _block)
    if config := request.get("toolConfig"):
        asked["tools"] = _marked(config["tools"], _tool)
        if choice := config.get("toolChoice"):
            asked["tool_choice"] = _choice(choice)
    if "stopSequences" in limits:
        asked["stop_sequences"] = limits["stopSequences"]
    # The SDK no longer names the sampling parameters.
    sampling = {"temperature": limits.get("temperature"), "top_p": limits.get("topP")}
    asked["extra_body"] = {name: value for name, value in sampling.items() if value is not None} | (
        request.get("additionalModelRequestFields") or {}
    )
    return asked


def from_message(message: Json, model: str) -> Answer:
    """The Converse answer that says the same as a message of the API."""
    content: list[Json] = []
    for block in message.get("content") or []:
        if block.get("type") == "text" and block["text"].strip():
            content.append({"text": block["text"]})
        elif block.get("type") == "tool_use":
            use = {"toolUseId": block["id"], "name": block["name"], "input": block["input"]}
            content.append({"toolUse": use})
    reason = str(message.get("stop_reason"))
    counted = message.get("usage") or {}
    usage = Usage(
        input=counted.get("input_tokens") or 0,
        output=counted.get("output_tokens") or 0,
        cache_read=counted.get("cache_read_input_tokens") or 0,
        cache_write=counted.get("cache_creation_input_tokens") or 0,
    )
    return Answer(content, _STOP_REASONS.get(reason, reason), priced(model, usage))


def _marked(blocks: list[Json], translate: Callable[[Json], Json]) -> list[Json]:
    """The blocks; a cache point becomes a mark on the block before it."""
    made: list[Json] = []
    for block in blocks:
        if "cachePoint" not in block:
            made.append(translate(block))
        elif made:
            mark = {"type": "ephemeral"}
            if ttl := block["cachePoint"].get("ttl"):
                mark["ttl"] = ttl
            made[-1]["cache_control"] = mark
    return made


def _block(block: Json) -> Json:
    match block:
        case {"text": text}:
            return {"type": "text", "text": text}
        case {"toolUse": use}:
            # The API takes objects only; an answer that was none can still be sent back.
            given = use["input"] if isinstance(use["input"], dict) else {"input": use["input"]}
            return {
                "type": "tool_use",
                "id": use["toolUseId"],
                "name": use["name"],
                "input": given,
            }
        case {"toolResult": result}:
            made = {
                "type": "tool_result",
                "tool_use_id": result["toolUseId"],
                "content": [_result(part) for part in result["content"]],
            }
            return made | ({"is_error": True} if result.get("status") == "error" else {})
    raise ValidationException(f"This server cannot pass on content of type {', '.join(block)}.")


def _result(part: Json) -> Json:
    return _block({"text": json.dumps(part["json"])} if "json" in part else part)


def _tool(tool: Json) -> Json:
    spec = tool["toolSpec"]
    made = {"name": spec["name"], "input_schema": spec["inputSchema"]["json"]}
    return made | ({"description": spec["description"]} if "description" in spec else {})


def _choice(choice: Json) -> Json:
    if "tool" in choice:
        return {"type": "tool", "name": choice["tool"]["name"]}
    return {"type": "any" if "any" in choice else "auto"}
