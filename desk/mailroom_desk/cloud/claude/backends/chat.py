"""Converse in the words of OpenAI's chat completions, and back.

`to_completion_request` gives the body to send, `from_completion` reads the answer. Both raise
BedrockErrors: ValidationException for what cannot be said, ModelErrorException for what is none.
"""

import json
import re
import uuid
from decimal import Decimal
from typing import Any

from mailroom_desk.cloud.claude.backends import DEFAULT_MAX_TOKENS, Answer, Json
from mailroom_desk.cloud.claude.errors import ModelErrorException, ValidationException
from mailroom_desk.cloud.claude.protocol.usage import Usage

_STOP_REASONS = {
    "stop": "end_turn",
    "length": "max_tokens",
    "content_filter": "content_filtered",
    "tool_calls": "tool_use",
    "function_call": "tool_use",
}
# What Converse lets an id and a name of a tool be.
_ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_OUTSIDE_NAMES = re.compile(r"[^a-zA-Z0-9_-]")


def to_completion_request(request: Json, model: str, limit: str = "max_tokens") -> Json:
    """The body that says the same as a Converse request. `limit` names the limit of the answer."""
    limits = request.get("inferenceConfig") or {}
    body: Json = {
        "model": model,
        "messages": [
            *_system(request.get("system") or []),
            *(made for message in request["messages"] for made in _messages(message)),
        ],
        limit: limits.get("maxTokens", DEFAULT_MAX_TOKENS),
        "stream": False,
    }
    for name, own in (("temperature", "temperature"), ("topP", "top_p"), ("stopSequences", "stop")):
        if name in limits:
            body[own] = limits[name]
    if config := request.get("toolConfig"):
        body["tools"] = [_function(t["toolSpec"]) for t in config["tools"] if "toolSpec" in t]
        body["tool_choice"] = _choice(config.get("toolChoice") or {"auto": {}})
    return body


def from_completion(completion: Any) -> Answer:
    """The Converse answer that says the same as a chat completion. Its price is not known here."""
    try:
        choice = completion["choices"][0]
        message = choice["message"]
        words = message.get("content") or message.get("refusal") or ""
        calls = [_use(call["function"], call.get("id")) for call in message.get("tool_calls") or []]
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise ModelErrorException("The server's answer is not a chat completion.") from error
    content = [{"text": words}] if isinstance(words, str) and words.strip() else []
    reason = _stop_reason(choice.get("finish_reason"), calls, bool(message.get("refusal")))
    return Answer([*content, *calls], reason, _usage(completion.get("usage")))


def _system(blocks: list[Json]) -> list[Json]:
    text = "\n\n".join(block["text"] for block in blocks if "text" in block)
    return [{"role": "system", "content": text}] if text else []


def _messages(message: Json) -> list[Json]:
    """One message may become several: every result of a tool is one of its own."""
    words: list[str] = []
    calls: list[Json] = []
    results: list[Json] = []
    for block in message["content"]:
        match block:
            case {"text": text}:
                words.append(text)
            case {"toolUse": use}:
                calls.append(_call(use))
            case {"toolResult": result}:
                results.append(_result(result))
            case {"cachePoint": _}:
                pass
            case _:
                raise ValidationException(
                    f"This server cannot pass on content of type {', '.join(block)}."
                )
    own: Json = {"role": message["role"], "content": "\n\n".join(words) or None}
    if calls:
        own["tool_calls"] = calls
    return [*results, own] if words or calls else results


def _call(use: Json) -> Json:
    given = use["input"]
    # Arguments that were no JSON go back as they came.
    text = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
    function = {"name": use["name"], "arguments": text}
    return {"id": use["toolUseId"], "type": "function", "function": function}


def _result(result: Json) -> Json:
    parts = [p["text"] if "text" in p else json.dumps(p.get("json")) for p in result["content"]]
    # The API has no mark for a failed call.
    failed = ["Error:"] if result.get("status") == "error" else []
    content = "\n".join([*failed, *parts])
    return {"role": "tool", "tool_call_id": result["toolUseId"], "content": content}


def _function(spec: Json) -> Json:
    function = {"name": spec["name"], "parameters": spec["inputSchema"]["json"]}
    if "description" in spec:
        function["description"] = spec["description"]
    return {"type": "function", "function": function}


def _choice(choice: Json) -> str | Json:
    if "tool" in choice:
        return {"type": "function", "function": {"name": choice["tool"]["name"]}}
    return "required" if "any" in choice else "auto"


def _use(function: Json, call_id: Any) -> Json:
    known = isinstance(call_id, str) and _ID.fullmatch(call_id)
    return {
        "toolUse": {
            "toolUseId": call_id if known else f"tooluse_{uuid.uuid4().hex}",
            "name": _OUTSIDE_NAMES.sub("_", str(function["name"]))[:64] or "_",
            "input": _arguments(function.get("arguments")),
        }
    }


def _arguments(given: Any) -> Any:
    if not isinstance(given, str):
        return {} if given is None else given
    try:
        return json.loads(given) if given.strip() else {}
    except ValueError:
        return given


def _stop_reason(reason: Any, calls: list[Json], is_refusal: bool) -> str:
    """Converse's word. A reason that nobody knows stays as it is, and Mailroom trusts none such."""
    if is_refusal and not calls:
        return "content_filtered"
    told = _STOP_REASONS.get(reason, str(reason))
    # Some servers, OpenAI's own for a named function, say "stop" beside a call.
    if told == "end_turn" and calls:
        return "tool_use"
    return "malformed_tool_use" if told == "tool_use" and not calls else told


def _usage(counted: Any) -> Usage | None:
    """The server's own count; None where it has none, so that it is estimated."""
    if not isinstance(counted, dict) or not isinstance(counted.get("prompt_tokens"), int):
        return None
    cached = (counted.get("prompt_tokens_details") or {}).get("cached_tokens") or 0
    return Usage(
        input=counted["prompt_tokens"] - cached,
        output=counted.get("completion_tokens") or 0,
        cache_read=cached,
        charged_usd=Decimal(0),
    )
