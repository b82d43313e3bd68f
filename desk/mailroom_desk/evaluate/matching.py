"""Compare the values of one document with what is expected, each by what it is.

Amounts are compared as numbers, dates as dates, text without regard to case, spaces and
punctuation, lists item by item whatever their order.
"""

import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import Any

from mailroom.classes import Schema
from mailroom.verification.values import amounts_in, dates_in
from mailroom_desk.evaluate.results import Outcome


@dataclass(frozen=True)
class Match:
    """One expected value. `path` is where the given one stands in the fields: "items.3"."""

    field: str
    outcome: Outcome
    expected: Any
    got: Any = None
    path: str | None = None


def compare(
    expected: Mapping[str, Any],
    printed: Mapping[str, Any],
    given: Mapping[str, Any],
    schemas: Mapping[str, Schema],
) -> Iterator[Match]:
    """A match for each expected value, several for a list. `printed` values are right as well."""
    for name, value in expected.items():
        schema = schemas.get(name, {})
        got = given.get(name)
        if isinstance(value, list):
            yield from _items(name, value, got, schema)
        else:
            wanted = [value, *([printed[name]] if name in printed else ())]
            path = None if got is None else name
            yield Match(name, _outcome(wanted, got, schema), value, got, path)


def same(expected: Any, got: Any, schema: Schema) -> bool:
    """Whether two values say the same, by the format of the field."""
    if isinstance(expected, Mapping):
        properties = schema.get("properties", {})
        return isinstance(got, Mapping) and all(
            same(value, got.get(name), properties.get(name, {})) for name, value in expected.items()
        )
    match schema.get("format"):
        case "decimal" if (number := _number(got)) is not None:
            return number in _readings(expected)
        case "date" if day := _day(got):
            return day in _days(expected)
    return _alike(expected, got)


def _outcome(wanted: list[Any], got: Any, schema: Schema) -> Outcome:
    if wanted[0] is None:
        return Outcome.RIGHT if got is None else Outcome.WRONG
    if got is None:
        return Outcome.MISSING
    if same(wanted[0], got, schema):
        return Outcome.RIGHT
    # A value of another form is right if it stands so on the page. A number is not, whose points
    # say everything, nor a date, since "03/04/2026" must not make two dates right.
    parsed = {"decimal": _number, "date": _day}.get(schema.get("format", ""), lambda _: None)(got)
    as_printed = parsed is None and any(_alike(other, got) for other in wanted[1:])
    return Outcome.RIGHT if as_printed else Outcome.WRONG


def _items(name: str, wanted: list[Any], got: Any, schema: Schema) -> Iterator[Match]:
    """Each expected item with the given one that is the same; the rest in pairs, which are wrong.

    A field of text can hold a whole list: then the items are looked for in it.
    """
    if isinstance(got, str):
        yield from _listed_in_text(name, wanted, got)
        return
    items = schema.get("items", {})
    left = dict(enumerate(got if isinstance(got, list) else []))
    unmatched = []
    for value in wanted:
        place = next((at for at, item in left.items() if same(value, item, items)), None)
        if place is None:
            unmatched.append(value)
        else:
            yield Match(name, Outcome.RIGHT, value, left.pop(place), f"{name}.{place}")
    rest = list(left.items())
    for number in range(max(len(unmatched), len(rest))):
        value = unmatched[number] if number < len(unmatched) else None
        if number < len(rest):
            place, item = rest[number]
            yield Match(name, Outcome.WRONG, value, item, f"{name}.{place}")
        else:
            yield Match(name, Outcome.MISSING, value)


def _listed_in_text(name: str, wanted: list[Any], text: str) -> Iterator[Match]:
    held = [value for value in wanted if _bare(value) in _bare(text)]
    for value in wanted:
        if value in held:
            yield Match(name, Outcome.RIGHT, value, text, name)
        elif held or value != wanted[0]:
            yield Match(name, Outcome.MISSING, value)
        else:
            yield Match(name, Outcome.WRONG, value, text, name)


def _alike(one: Any, other: Any) -> bool:
    return one is not None and other is not None and _bare(one) == _bare(other)


def _bare(value: Any) -> str:
    """Letters and digits alone, in one form and case; signs where there is nothing else."""
    text = unicodedata.normalize("NFKC", str(value)).casefold()
    return "".join(char for char in text if char.isalnum()) or "".join(text.split())


def _number(value: Any) -> Decimal | None:
    try:
        number = Decimal(str(value))
    except InvalidOperation:
        return None
    return number if number.is_finite() else None


def _readings(value: Any) -> set[Decimal]:
    """The number that is expected, or all that its printed form can mean."""
    number = _number(value)
    return {number} if number is not None else {amount for amount, _ in amounts_in(str(value))}


def _day(value: Any) -> date | None:
    try:
        return date.fromisoformat(str(value))
    except ValueError:
        return None


def _days(value: Any) -> set[date]:
    day = _day(value)
    return {day} if day else {found for found, _ in dates_in(str(value))}
