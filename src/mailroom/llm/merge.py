"""Make one set of fields of those that were found in the windows of a long document.

Comes in: what each window gave, in the order of the document, and the rules of the class. Goes out:
the fields, and a problem for each field that the windows disagree about. Nothing is ever summed up.

The rules, one a field (`merge` in the classes file):

    agree        the first value is kept; another value in a later window is a problem
    first, last  the first or the last value is kept, as for a balance at the start or at the end
    concatenate  lists one after the other; the rule of lists that name no other

Lists are joined with care, see `_joined`; equal rows that the document prints twice are kept twice.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

from mailroom.classes import DocumentClass, Schema
from mailroom.llm.windows import ranges

AGREE, FIRST, LAST, CONCATENATE = "agree", "first", "last", "concatenate"
RULES = (AGREE, FIRST, LAST, CONCATENATE)


@dataclass(frozen=True)
class Found:
    """What one window gave: its pages, and the fields that stand on them."""

    pages: Sequence[int]
    fields: Mapping[str, Any]


def merged(found: Sequence[Found], of: DocumentClass) -> tuple[dict[str, Any], list[str]]:
    """The document's fields, in the order of the schema, and what the windows disagree about."""
    fields: dict[str, Any] = {}
    problems: list[str] = []
    for name, schema in of.schema["properties"].items():
        given = [each for each in found if name in each.fields]
        if not given:
            continue
        match rule_of(name, of):
            case "concatenate":
                fields[name] = _concatenated(name, given, schema)
            case "last":
                fields[name] = given[-1].fields[name]
            case rule:
                fields[name] = given[0].fields[name]
                if rule == AGREE:
                    problems += _disagreement(name, given, schema)
    return fields, problems


def rule_of(name: str, of: DocumentClass) -> str:
    """How a field is merged."""
    is_list = of.schema["properties"][name].get("type") == "array"
    return of.merge.get(name, CONCATENATE if is_list else AGREE)


def _disagreement(name: str, given: Sequence[Found], schema: Schema) -> list[str]:
    first = _comparable(given[0].fields[name], schema)
    others = [each for each in given[1:] if _comparable(each.fields[name], schema) != first]
    if not others:
        return []
    here, there = ranges(given[0].pages, ", "), ranges(others[0].pages, ", ")
    more = f" and {len(others) - 1} more parts" if others[1:] else ""
    return [f"The values of {name} on pages {here} and on pages {there}{more} differ."]


def _concatenated(name: str, given: Sequence[Found], schema: Schema) -> list[Any]:
    items = schema.get("items", {})
    joined: list[Any] = []
    headers: list[Any] = []
    before: Sequence[int] = ()
    for each in given:
        new = list(each.fields[name])
        if new and _is_header(new[0], items):
            seen = _comparable(new[0], items)
            if seen in headers:
                del new[0]
            headers.append(seen)
        joined = _joined(joined, new, items, overlap=not set(before).isdisjoint(each.pages))
        before = each.pages
    return joined


def _joined(kept: list[Any], new: list[Any], schema: Schema, *, overlap: bool) -> list[Any]:
    """The rows of a window behind those of the windows before it.

    Where both windows hold a part of one page, rows that end the one and begin the other are the
    same print. Where not, a row whose values are a part of the other's is one row that the end of
    the page tore; two equal rows are two rows.
    """
    if overlap:
        ends = [_comparable(row, schema) for row in kept]
        begins = [_comparable(row, schema) for row in new]
        for size in range(min(len(ends), len(begins)), 0, -1):
            if ends[-size:] == begins[:size]:
                return kept + new[size:]
    if kept and new and _is_torn(kept[-1], new[0], schema):
        return [*kept[:-1], {**kept[-1], **new[0]}, *new[1:]]
    return kept + new


def _is_torn(before: Any, after: Any, schema: Schema) -> bool:
    """Whether one row's values are some of the other's."""
    if not isinstance(before, dict) or not isinstance(after, dict):
        return False
    one, other = _comparable(before, schema), _comparable(after, schema)
    return bool(one and other) and (one.items() < other.items() or other.items() < one.items())


def _is_header(row: Any, schema: Schema) -> bool:
    """Whether a row of a table with numbers has none: the head of a table that a page repeats."""
    numbers = {
        name
        for name, part in schema.get("properties", {}).items()
        if part.get("format") == "decimal" or part.get("type") in ("number", "integer")
    }
    return bool(numbers) and isinstance(row, dict) and numbers.isdisjoint(row)


def _comparable(value: Any, schema: Schema) -> Any:
    """The value without what does not make it another one: case, spaces, zeros at the end."""
    match value:
        case list():
            return [_comparable(item, schema.get("items", {})) for item in value]
        case dict():
            parts = schema.get("properties", {})
            return {name: _comparable(part, parts.get(name, {})) for name, part in value.items()}
        case str() if schema.get("format") == "decimal":
            return _number(value)
        case str():
            return " ".join(value.split()).casefold()
    return value


def _number(text: str) -> Decimal | str:
    try:
        return Decimal(text)
    except InvalidOperation:
        return text
