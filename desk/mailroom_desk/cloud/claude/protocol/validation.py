"""Refuse what Bedrock refuses, with its own words where they are known.

`check_converse(body, model_id)` raises ValidationException or returns None. First botocore's
service model (unknown members, types, lengths, enums, patterns), then the rules that only the
service knows. Sources: the Converse API reference, and messages Bedrock really sends.
"""

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from typing import Any

import botocore.session
from botocore.model import ServiceModel, Shape
from botocore.validate import ParamValidator

from mailroom_desk.cloud.claude.backends import Json
from mailroom_desk.cloud.claude.errors import ValidationException
from mailroom_desk.cloud.claude.protocol.usage import estimate_tokens

# Claude Haiku 4.5's context window (Anthropic's model overview).
MAX_INPUT_TOKENS = 200_000


def check_converse(body: Any, model_id: str) -> None:
    """Raise ValidationException for a Converse body that Bedrock would refuse."""
    if not isinstance(body, dict):
        raise ValidationException("The request body is not a JSON object.")
    shape = service_model().operation_model("Converse").input_shape
    assert shape is not None
    params = {**body, "modelId": model_id}
    report = ParamValidator().validate(params, shape)
    if report.has_errors():
        raise ValidationException(report.generate_report())
    for fault in _constraint_faults(params, shape, ""):
        raise ValidationException(f"1 validation error detected: {fault}")
    for rule in (_check_messages, _check_tools, _check_length):
        rule(body)


@cache
def service_model() -> ServiceModel:
    """Botocore's description of the bedrock-runtime service."""
    return botocore.session.get_session().get_service_model("bedrock-runtime")


def _constraint_faults(value: Any, shape: Shape, path: str) -> Iterator[str]:
    """Yield the enum, pattern and maximum faults, which botocore's validator does not look at."""
    members = getattr(shape, "members", None)
    if members and isinstance(value, dict):
        for name, part in value.items():
            yield from _constraint_faults(part, members[name], f"{path}.{name}".lstrip("."))
    elif shape.type_name == "list":
        item_shape: Shape = shape.member  # type: ignore[attr-defined]
        for number, part in enumerate(value, 1):
            yield from _constraint_faults(part, item_shape, f"{path}.{number}.member")
    elif shape.type_name == "map":
        for key, part in value.items():
            yield from _constraint_faults(key, shape.key, f"{path}.key")  # type: ignore[attr-defined]
            yield from _constraint_faults(part, shape.value, f"{path}.{key}")  # type: ignore[attr-defined]
    rules = shape.metadata
    size = value if isinstance(value, int | float) else len(value) if value is not None else 0
    if "max" in rules and shape.type_name != "blob" and size > rules["max"]:
        yield f"Value at '{path}' failed to satisfy constraint: at most {rules['max']}"
    if isinstance(value, str) and shape.type_name == "string":
        allowed = rules.get("enum")
        if allowed and value not in allowed:
            yield (
                f"Value '{value}' at '{path}' failed to satisfy constraint: "
                f"Member must satisfy enum value set: [{', '.join(allowed)}]"
            )
        if "pattern" in rules and not re.fullmatch(rules["pattern"], value):
            yield (
                f"Value '{value}' at '{path}' failed to satisfy constraint: "
                f"Member must satisfy regular expression pattern: {rules['pattern']}"
            )


def _check_messages(body: Json) -> None:
    messages = body.get("messages") or []
    if not messages:
        raise ValidationException("The messages field is required: give at least one message.")
    if messages[0]["role"] != "user":
        raise ValidationException(
            "A conversation must start with a user message. Try again with a conversation "
            "that starts with a user message."
        )
    roles = [message["role"] for message in messages]
    if any(one == two for one, two in pairwise(roles)):
        raise ValidationException("messages: roles must alternate between user and assistant.")
    for number, message in enumerate(messages):
        if not message["content"]:
            raise ValidationException(
                f"The content field in the Message object at messages.{number} is empty. "
                "Add a ContentBlock object to the content field and try again."
            )
        _check_texts(message["content"], f"messages.{number}.content")
    _check_texts(body.get("system") or [], "system")


def _check_texts(blocks: list[Json], path: str) -> None:
    for number, block in enumerate(blocks):
        if "text" in block and not block["text"].strip():
            raise ValidationException(
                f"The text field in the ContentBlock object at {path}.{number} is blank. "
                "Add text to the text field, and try again."
            )


def _check_tools(body: Json) -> None:
    config = body.get("toolConfig") or {}
    specs = [tool["toolSpec"] for tool in config.get("tools", []) if "toolSpec" in tool]
    names = [spec["name"] for spec in specs]
    if "toolConfig" in body and not names:
        raise ValidationException("toolConfig: give at least one tool.")
    if len(set(names)) != len(names):
        raise ValidationException("tools: Tool names must be unique.")
    for number, spec in enumerate(specs):
        schema = spec["inputSchema"].get("json")
        if not isinstance(schema, dict) or schema.get("type") != "object":
            raise ValidationException(
                f"The value at toolConfig.tools.{number}.toolSpec.inputSchema.json.type must be "
                "one of the following: object."
            )
    chosen = (config.get("toolChoice") or {}).get("tool", {}).get("name")
    if chosen is not None and chosen not in names:
        raise ValidationException(f"Tool '{chosen}' not found in provided tools")
    uses_tools = any(
        "toolUse" in block or "toolResult" in block
        for message in body["messages"]
        for block in message["content"]
    )
    if uses_tools and not names:
        raise ValidationException(
            "The toolConfig field must be defined when using toolUse and toolResult content blocks."
        )


def _check_length(body: Json) -> None:
    if estimate_tokens([body.get("toolConfig"), body.get("system"), body["messages"]]) > (
        MAX_INPUT_TOKENS
    ):
        raise ValidationException("Input is too long for requested model.")
