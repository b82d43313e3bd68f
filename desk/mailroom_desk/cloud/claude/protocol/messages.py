"""InvokeModel's body: Anthropic's Messages, turned into Converse and back.

`to_converse(body)` raises ValidationException for what Bedrock would refuse or what this server
cannot read (images). Source: Bedrock's "Anthropic Claude Messages API" page.
"""

from typing import Any

from mailroom_desk.cloud.claude.backends import Answer, Json
from mailroom_desk.cloud.claude.errors import ValidationException
from mailroom_desk.cloud.claude.protocol.usage import Usage

VERSION = "bedrock-2023-05-31"
REQUIRED = ("anthropic_version", "max_tokens", "messages")
KNOWN = {*REQUIRED, "system", "tools", "tool_choice", "temperature", "top_p", "top_k"} | {
    "stop_sequences",
    "metadata",
    "anthropic_beta",
}
_INFERENCE = {
    "max_tokens": "maxTokens",
    "temperature": "temperature",
    "top_p": "topP",
    "stop_sequences": "stopSequences",
}
# Converse has words of its own for an answer that was withheld.
_STOP_REASONS = {"content_filtered": "refusal", "guardrail_intervened": "refusal"}


def to_converse(body: Any) -> Json:
    """Return the Converse request that says the same."""
    if not isinstance(body, dict):
        raise ValidationException("Malformed input request, please reformat your input.")
    for name in REQUIRED:
        if name not in body:
            raise ValidationException(f"{name}: Field required")
    for name in body.keys() - KNOWN:
        raise ValidationException(f"{name}: Extra inputs are not permitted")
    if body["anthropic_version"] != VERSION:
        raise ValidationException(f"anthropic_version: use {VERSION}")
    if not isinstance(body["max_tokens"], int) or body["max_tokens"] < 1:
        raise ValidationException("max_tokens: Input should be greater than or equal to 1")
    try:
        request: Json = {
            "messages": [
                {"role": message["role"], "content": _blocks(message["content"])}
                for message in body["messages"]
            ],
            "inferenceConfig": {name: body[own] for own, name in _INFERENCE.items() if own in body},
        }
        if "top_k" in body:
            request["additionalModelRequestFields"] = {"top_k": body["top_k"]}
        if body.get("system"):
            request["system"] = _blocks(body["system"])
        if body.get("tools"):
            request["toolConfig"] = _tool_config(body)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValidationException(f"Malformed input request: {error!r}") from error
    return request


def to_messages(answer: Answer, usage: Usage, model: str, message_id: str) -> Json:
    """Return the Messages answer that says the same."""
    content = [
        {"type": "text", "text": block["text"]}
        if "text" in block
        else {
            "type": "tool_use",
            "id": block["toolUse"]["toolUseId"],
            "name": block["toolUse"]["name"],
            "input": block["toolUse"]["input"],
        }
        for block in answer.content
        if "text" in block or "toolUse" in block
    ]
    return {
        "id": message_id,
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": content,
        "stop_reason": _STOP_REASONS.get(answer.stop_reason, answer.stop_reason),
        "stop_sequence": None,
        "usage": {
            "input_tokens": usage.input,
            "output_tokens": usage.output,
            "cache_read_input_tokens": usage.cache_read,
            "cache_creation_input_tokens": usage.cache_write,
        },
    }


def _blocks(content: str | list[Json]) -> list[Json]:
    if isinstance(content, str):
        return [{"text": content}]
    blocks: list[Json] = []
    for block in content:
        blocks.append(_block(block))
        if block.get("cache_control"):
            blocks.append({"cachePoint": {"type": "default"}})
    return blocks


def _block(block: Json) -> Json:
    match block["type"]:
        case "text":
            return {"text": block["text"]}
        case "tool_use":
            return {
                "toolUse": {
                    "toolUseId": block["id"],
                    "name": block["name"],
                    "input": block["input"],
                }
            }
        case "tool_result":
            result = {"toolUseId": block["tool_use_id"], "content": _blocks(block["content"])}
            if block.get("is_error"):
                result["status"] = "error"
            return {"toolResult": result}
        case other:
            raise ValidationException(f"content type not read by this server: {other}")


def _tool_config(body: Json) -> Json:
    tools: list[Json] = []
    for tool in body["tools"]:
        spec = {"name": tool["name"], "inputSchema": {"json": tool["input_schema"]}}
        if tool.get("description"):
            spec["description"] = tool["description"]
        tools.append({"toolSpec": spec})
        if tool.get("cache_control"):
            tools.append({"cachePoint": {"type": "default"}})
    config: Json = {"tools": tools}
    choice = body.get("tool_choice") or {"type": "auto"}
    if choice["type"] == "tool":
        config["toolChoice"] = {"tool": {"name": choice["name"]}}
    elif choice["type"] in ("auto", "any"):
        config["toolChoice"] = {choice["type"]: {}}
    return config
