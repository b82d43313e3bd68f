"""What a pipe makes of an event: does its filter let it through, and what does its target get.

As EventBridge Pipes documents it. A source's field that holds JSON as text (the body of a message)
is looked into by filters and templates, and handed on as the text that it is where there is no
template. In a template, `<$.path>` as a whole value becomes JSON, and inside a text it becomes the
bare text, so that quotes in it break the text. What AWS does with a path that leads nowhere is not
documented: here it is null as a value, and nothing inside a text.
"""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from mailroom_desk.events.patterns import matches

_BODY = "body"
_PLACEHOLDER = re.compile(r"<(\$[^<>]*|aws\.pipes\.[a-z.-]+)>")
_TEXT_OR_PLACEHOLDER = re.compile(r'"(?:\\.|[^"\\])*"|' + _PLACEHOLDER.pattern)
_STEP = re.compile(r"\.([^.\[\]*]+)|\[(\d+)\]|\.?\[?(\*)\]?")
_JSON_BEGINS = ("{", "[", '"')


class InvalidInputError(ValueError):
    """The template and this event make no JSON, though the template is meant to."""


def of_message(message: Mapping[str, Any], queue_arn: str) -> dict[str, Any]:
    """A message, as ReceiveMessage answers it, in the shape of a pipe's event."""
    return {
        "messageId": message["MessageId"],
        "receiptHandle": message["ReceiptHandle"],
        "body": message["Body"],
        "attributes": message.get("Attributes", {}),
        "messageAttributes": {
            name: {
                "stringValue": value.get("StringValue"),
                "dataType": value["DataType"],
                "stringListValues": [],
                "binaryListValues": [],
            }
            for name, value in message.get("MessageAttributes", {}).items()
        },
        "md5OfBody": message["MD5OfBody"],
        "eventSource": "aws:sqs",
        "eventSourceARN": queue_arn,
        "awsRegion": queue_arn.split(":")[3],
    }


def passes(patterns: Iterable[str], event: Mapping[str, Any]) -> bool:
    """Whether one of the patterns matches; without patterns, everything passes."""
    loaded = [json.loads(pattern) for pattern in patterns]
    return not loaded or any(_passes(pattern, event) for pattern in loaded)


def _passes(pattern: dict[str, Any], event: Mapping[str, Any]) -> bool:
    body = _json_of(event.get(_BODY))
    if _BODY in pattern and isinstance(pattern[_BODY], dict) != isinstance(body, dict | list):
        # A text where the pattern looks into JSON, or the other way round, is dropped.
        return False
    return matches(pattern, _looked_into(event))


def render(template: str, event: Mapping[str, Any], variables: Mapping[str, str]) -> str:
    """The target's input: the template with everything filled in. Raises InvalidInputError."""
    looked_into = _looked_into(event)

    def value_of(name: str) -> Any:
        if name.startswith("$"):
            return _at(name, looked_into)
        if name == "aws.pipes.event.json":
            return dict(event)
        return variables.get(name)

    def in_text(match: re.Match[str]) -> str:
        value = value_of(match[1])
        if value is None:
            return ""
        return value if isinstance(value, str) else json.dumps(value).replace('"', "")

    def in_json(match: re.Match[str]) -> str:
        if match[0].startswith('"'):
            return _PLACEHOLDER.sub(in_text, match[0])
        return json.dumps(value_of(match[1]), ensure_ascii=False)

    bare = template.strip()
    if bare.startswith(_JSON_BEGINS):
        rendered = _TEXT_OR_PLACEHOLDER.sub(in_json, bare)
        if _json_of(rendered) is None:
            raise InvalidInputError("The template's result is no JSON.")
        return rendered
    if whole := _PLACEHOLDER.fullmatch(bare):
        value = value_of(whole[1])
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return _PLACEHOLDER.sub(in_text, template)


def as_json(text: str) -> Any:
    """An input among others in a batch: what is no JSON is a text."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def _looked_into(event: Mapping[str, Any]) -> Mapping[str, Any]:
    body = _json_of(event.get(_BODY))
    return event if body is None else {**event, _BODY: body}


def _json_of(text: Any) -> Any:
    """What a text holds as JSON; None where it is none."""
    if not isinstance(text, str):
        return None
    try:
        return json.loads(text)
    except ValueError:
        return None


def _at(path: str, event: Any) -> Any:
    found = event
    end = 1
    for step in _STEP.finditer(path, 1):
        if step.start() != end:
            return None
        end = step.end()
        name, index, every = step.groups()
        if every:
            rest = f"${path[end:]}"
            elements = list(found.values()) if isinstance(found, dict) else found
            if not isinstance(elements, list):
                return None
            return [_at(rest, element) for element in elements]
        try:
            found = found[int(index)] if index else found[name]
        except (KeyError, IndexError, TypeError):
            return None
    return found if end == len(path) else None
