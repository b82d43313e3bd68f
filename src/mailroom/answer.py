"""Read a model's answer: the stop reason first, then the tool, then each field by its schema.

A schema guides a model, it does not bind it. What breaks it is coerced by an explicit rule, or
named as a problem; the caller repairs once, and what is then still wrong is left out and reviewed.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Any

import fastjsonschema

from mailroom.classes import Classes, Schema
from mailroom.values import amount_readings, dates_in

# What models write for "not there". A missing value is left out, never stored as text.
_NOTHING = {"", "-", "n/a", "na", "none", "null", "not available", "not found", "unknown"}
_FORMATS = {"decimal": r"^-?\d+(\.\d+)?$", "currency": r"^[A-Z]{3}$", "date": r"^\d{4}-\d\d-\d\d$"}


@dataclass
class Answer:
    """What an answer holds. `problems` name fields and rules, never values.

    `document_class` is None where the model picked none; `repairable` says whether telling the
    model about the problems can help.
    """

    document_class: str | None = None
    fields: dict[str, Any] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    repairable: bool = False


def read(answer: dict[str, Any], classes: Classes) -> Answer:
    """Read what `Claude.ask` gave. Never raises: whatever came, an answer or a problem."""
    stop_reason = answer.get("stop_reason")
    if stop_reason != "tool_use":
        return Answer(problems=[f"The model stopped with {stop_reason!r} instead of an answer."])
    uses = [block["toolUse"] for block in answer.get("content") or () if "toolUse" in block]
    if len(uses) != 1:
        return Answer(problems=[f"The model picked {len(uses)} classes instead of one."])
    name, arguments = uses[0].get("name"), uses[0].get("input")
    if name not in classes.by_name:
        return Answer(problems=["The model picked a class that does not exist."], repairable=True)
    result = Answer(document_class=name)
    properties = classes.by_name[name].schema["properties"]
    arguments = _parsed(arguments)
    if not isinstance(arguments, dict):
        result.problems.append("The arguments are not an object.")
        arguments = {}
    if arguments.keys() - properties.keys():
        result.problems.append("A field is not in the schema.")  # once, however many there are
    for key, value in arguments.items():
        if key in properties:
            _take(result, key, _coerced(value, properties[key]), properties[key])
    result.repairable = bool(result.problems)
    return result


def _take(result: Answer, key: str, value: Any, schema: Schema) -> None:
    if value is None:
        return
    try:
        result.fields[key] = _validator(schema)(value)
    except fastjsonschema.JsonSchemaValueException as error:
        # The library's own message quotes the value: the rule's name and the path are enough.
        path = ".".join(str(part) for part in (key, *error.path[1:]))
        result.problems.append(f"{path} breaks the rule {error.rule!r} of its schema.")


def _validator(schema: Schema) -> Callable[[Any], Any]:
    compiled: Callable[[Any], Any] = fastjsonschema.compile(
        {"$schema": "http://json-schema.org/draft-07/schema#", **schema}, formats=_FORMATS
    )
    return compiled


def _coerced(value: Any, schema: Schema) -> Any:
    """The value by the rules; None where it says that there is nothing."""
    match schema:
        case {"type": "array", "items": items}:
            value = _parsed(value)
            if isinstance(value, dict):
                value = [value]
            if isinstance(value, list):
                kept = [_coerced(item, items) for item in value]
                return [item for item in kept if item not in (None, {})] or None
        case {"type": "object", "properties": properties}:
            value = _parsed(value)
            if isinstance(value, dict):
                pairs = {k: _coerced(v, properties.get(k, {})) for k, v in value.items()}
                return {k: v for k, v in pairs.items() if v is not None and k in properties}
        case {"format": "decimal"}:
            return _amount(_text(value))
        case {"format": "date"}:
            return _date(_text(value))
        case {"type": "string"}:
            return _text(value)
    return value


def _parsed(value: Any) -> Any:
    """A list or an object that came as JSON text."""
    if isinstance(value, str):
        try:
            return json.loads(value)
        except json.JSONDecodeError:
            return value
    return value


def _text(value: Any) -> Any:
    if value is None or isinstance(value, bool | list | dict):
        return value
    text = str(value).strip()
    return None if text.casefold() in _NOTHING else text


def _amount(value: Any) -> Any:
    """A decimal text where the amount has one reading: "1.234,50" becomes "1234.50"."""
    if not isinstance(value, str):
        return value
    try:
        number = Decimal(value)
        return format(number, "f") if number.is_finite() else value
    except ArithmeticError:
        pass
    bare = value.strip("()-+ $€£¥₹\u00a0")
    readings = amount_readings(bare)
    if len(readings) != 1:
        return value
    sign = "-" if value.startswith(("-", "(")) or value.endswith("-") else ""
    return f"{sign}{readings.pop()}"


def _date(value: Any) -> Any:
    """An ISO date where the date has one reading."""
    if not isinstance(value, str):
        return value
    try:
        return date.fromisoformat(value).isoformat()
    except ValueError:
        readings = {found.isoformat() for found, _ in dates_in(value)}
    return readings.pop() if len(readings) == 1 else value
