"""The rules of a classes file, and the file that is in force.

An object `classes/current.json` in the bucket takes the place of the packaged file, without a
deploy. It is read at the start of each run, so it must keep every rule here: one that does not is
refused as a whole (ClassesInvalid), and the document waits among the dead letters for a right one.
"""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, Protocol

from mailroom.classes import Classes, packaged_classes, parse
from mailroom.errors import ClassesInvalid
from mailroom.llm.merge import AGREE, CONCATENATE, RULES
from mailroom.llm.windows import tokens
from mailroom.verification import checks

CURRENT = "classes/current.json"
"""The key of the override in the bucket."""

FORMATS = ("date", "decimal", "currency")
"""Formats of texts: how a value is read, compared, and found again in the document."""

# Sources: Bedrock's API reference, ToolSpecification; Claude's API refuses other property names.
_CLASS_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_FIELD_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_VERSION = re.compile(r"[A-Za-z0-9._-]{1,40}")
_MAX_BYTES = 1_000_000
_MAX_TOKENS = 40_000
"""Of names, descriptions and schemas: they go before each document, in a window of 200,000."""

_REQUIRED: dict[str, type] = {"name": str, "description": str, "schema": dict, "needed": list}
_OPTIONAL: dict[str, type] = {"labels": dict, "signs": list, "checks": list, "merge": dict}
_KEYWORDS = {
    "object": {"type", "description", "properties", "additionalProperties"},
    "array": {"type", "description", "items"},
    "string": {"type", "description", "format", "pattern", "enum"},
    "number": {"type", "description"},
    "integer": {"type", "description"},
    "boolean": {"type", "description"},
}


class Shelf(Protocol):
    """What is needed of the bucket: an object, if it is there."""

    def read_if_there(self, key: str) -> bytes | None: ...


def classes_in_force(shelf: Shelf) -> Classes:
    """The override, or the packaged classes where there is none.

    Raises ClassesInvalid, naming the first rule that the override breaks.
    """
    content = shelf.read_if_there(CURRENT)
    if content is None:
        return packaged_classes()
    broken = problems(content)
    if broken:
        raise ClassesInvalid(f"{CURRENT} breaks {len(broken)} rules. {broken[0]}")
    return parse(content)


def version_key(version: str) -> str:
    """Where a pushed file is kept under the version that rows name."""
    return f"classes/{version}.json"


def problems(content: bytes) -> list[str]:
    """What is wrong with a file, one sentence each, with the place; nothing where it is right."""
    if len(content) > _MAX_BYTES:
        return [f"The file is longer than {_MAX_BYTES} bytes."]
    try:
        file = json.loads(content)
    except UnicodeDecodeError:
        return ["The file is not UTF-8."]
    except json.JSONDecodeError as error:
        return [f"The file is no JSON: {error.msg} in line {error.lineno}, column {error.colno}."]
    except RecursionError:
        return ["The file is no JSON: it is nested too deeply."]
    broken = list(_file(file))
    if not broken and tokens(json.dumps(parse(content).tools())) > _MAX_TOKENS:
        broken = [f"The model would see more than {_MAX_TOKENS} tokens of classes in each call."]
    return broken


def _file(file: Any) -> Iterator[str]:
    if not isinstance(file, dict):
        yield "The file must be an object with version and classes."
        return
    for name in file.keys() - {"version", "classes"}:
        yield f"The file has an unknown part {name!r}."
    if not _VERSION.fullmatch(str(file.get("version", ""))):
        yield "version must be a text of 1 to 40 letters, digits, dots, dashes and underscores."
    classes = file.get("classes")
    if not isinstance(classes, list) or not classes:
        yield "classes must be a list of at least one class."
        return
    seen = set()
    for number, entry in enumerate(classes, start=1):
        name = entry.get("name") if isinstance(entry, dict) else None
        place = name if isinstance(name, str) and _CLASS_NAME.fullmatch(name) else f"Class {number}"
        if place in seen:
            yield f"{place}: the name is given twice."
        seen.add(place)
        yield from (f"{place}: {problem}" for problem in _class(entry))


def _class(entry: Any) -> Iterator[str]:
    if not isinstance(entry, dict):
        yield "a class must be an object."
        return
    known = _REQUIRED | _OPTIONAL
    wrong = [f"{name!r} is no part of a class." for name in sorted(entry.keys() - known.keys())]
    wrong += [f"{name} is missing." for name in _REQUIRED if name not in entry]
    wrong += [
        f"{name} must be {_KINDS[kind]}."
        for name, kind in known.items()
        if name in entry and not isinstance(entry[name], kind)
    ]
    if wrong:
        yield from wrong
        return
    if not _CLASS_NAME.fullmatch(entry["name"]):
        yield "name must be 1 to 64 letters, digits, dashes and underscores."
    if not entry["description"].strip():
        yield "description is empty: the model picks the class by it."
    broken = list(_root(entry["schema"]))
    yield from broken
    if broken:
        return
    fields = entry["schema"]["properties"]
    for part, rule in _RULES_OF_PARTS.items():
        if part in entry:
            yield from rule(entry[part], fields)
    for number, declaration in enumerate(entry.get("checks", ()), start=1):
        for problem in _check(declaration, entry["schema"]):
            yield f"checks, number {number}: {problem}"


def _check(declaration: Any, schema: dict[str, Any]) -> list[str]:
    if not isinstance(declaration, dict) or not isinstance(declaration.get("rule"), str):
        return ["A check must be an object with a rule."]
    return checks.problems(declaration, schema)


_KINDS: dict[type, str] = {str: "a text", dict: "an object", list: "a list"}


def _root(schema: dict[str, Any]) -> Iterator[str]:
    if schema.get("type") != "object" or not schema.get("properties"):
        yield 'schema must have the type "object" and at least one property: Bedrock insists on it.'
        return
    yield from _schema(schema, "schema", is_described=False)


def _schema(schema: Any, place: str, *, is_described: bool = True) -> Iterator[str]:
    if not isinstance(schema, dict) or schema.get("type") not in _KEYWORDS:
        yield f"{place} must have a type, one of {', '.join(_KEYWORDS)}."
        return
    kind = schema["type"]
    for keyword in sorted(schema.keys() - _KEYWORDS[kind]):
        yield f"{place} has the keyword {keyword!r}, which is not supported for the type {kind}."
    description = schema.get("description")
    if is_described and (not isinstance(description, str) or not description.strip()):
        yield f"{place} has no description: the model fills the field by it."
    if "format" in schema and schema["format"] not in FORMATS:
        yield f"{place} has an unknown format; there are {', '.join(FORMATS)}."
    if "pattern" in schema and not _compiles(schema["pattern"]):
        yield f"{place} has a pattern that is no regular expression."
    if "enum" in schema and not _texts(schema["enum"]):
        yield f"{place} has an enum that is no list of texts."
    if kind == "array":
        yield from _schema(schema.get("items"), f"{place}.items", is_described=False)
    if kind == "object":
        yield from _properties(schema.get("properties"), place)


def _properties(properties: Any, place: str) -> Iterator[str]:
    if not isinstance(properties, dict) or not properties:
        yield f"{place} must have properties."
        return
    for name, schema in properties.items():
        if not _FIELD_NAME.fullmatch(name):
            yield f"{place} has a property whose name is not 1 to 64 letters, digits, - and _."
        else:
            yield from _schema(schema, name if place == "schema" else f"{place}.{name}")


def _needed(needed: list[Any], fields: dict[str, Any]) -> Iterator[str]:
    for name in needed:
        if name not in fields:
            yield f"needed names {name!r}, which is no property of the schema."


def _labels(labels: dict[str, Any], fields: dict[str, Any]) -> Iterator[str]:
    for name, texts in labels.items():
        if name not in fields:
            yield f"labels names {name!r}, which is no property of the schema."
        if not _texts(texts):
            yield f"labels of {name} must be a list of texts."
        elif any(text != text.casefold() for text in texts):
            yield f"labels of {name} must be in lower case: they are compared so."


def _signs(signs: list[Any], fields: dict[str, Any]) -> Iterator[str]:
    if signs and not _texts(signs):
        yield "signs must be a list of texts."


def _merge(merge: dict[str, Any], fields: dict[str, Any]) -> Iterator[str]:
    for name, rule in merge.items():
        if name not in fields:
            yield f"merge names {name!r}, which is no property of the schema."
            continue
        if rule not in RULES:
            yield f"merge of {name} must be one of {', '.join(RULES)}."
        elif rule == CONCATENATE and fields[name]["type"] != "array":
            yield f"merge of {name} is concatenate, which is for lists alone."
        elif rule == AGREE and fields[name]["type"] == "array":
            yield f"merge of {name} is agree, which is not for lists."


_RULES_OF_PARTS: dict[str, Callable[[Any, dict[str, Any]], Iterator[str]]] = {
    "needed": _needed,
    "labels": _labels,
    "signs": _signs,
    "merge": _merge,
}


def _texts(value: Any) -> bool:
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(text, str) and text.strip() for text in value)
    )


def _compiles(pattern: Any) -> bool:
    try:
        re.compile(pattern)
    except (re.error, TypeError):
        return False
    return True
