"""From what a model wrote to what a schema takes, value by value.

Comes in: a tool's arguments and its schema. Goes out: the fields that can be kept, and a problem
for each rule that was broken. Nothing is raised, and no problem quotes a value.

The rules: a list or an object that came as JSON text is parsed, once; an object where a list
belongs is its one item; a number where text belongs is its digits; an amount or a date that is not
written as asked is taken where it has one reading, by the document's habits where those decide;
what says "not there" is left out.
"""

import json
import re
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from functools import lru_cache
from math import isfinite
from typing import Any

import fastjsonschema

from mailroom.classes import Schema
from mailroom.llm.habits import Habits
from mailroom.llm.text_answer import parsed
from mailroom.verification.values import CODES, amount_readings, dates_in

# What models write for "not there". A missing value is left out, never stored as text.
_NOTHING = {"", "-", "n/a", "na", "none", "null", "not available", "not found", "unknown"}
_MOST_DIGITS = 30
"""Of an amount. "1e999999999" is a number to Decimal, and would be written out."""

# An amount with what stands around it on paper: sign, brackets, currency. Other words around it,
# such as a credit mark, can change what it means.
_PRINTED = re.compile(
    rf"(?P<before>[-−+(\s]*(?:{CODES}|[$€£¥₹])?[-−+(\s]*)"
    r"(?P<digits>\d[\d.,'’\s]*)"
    rf"(?P<after>[-−)]?\s*(?:{CODES}|[$€£¥₹])?[-−)\s]*)"
)
_LEFT_OUT = re.compile(r"[\s.…]*(?:\.\.\.|…)[\s.…]*")
_GROUPED = re.compile(r"[1-9]\d{0,2}\.\d{3}")
_Path = tuple[str | int, ...]
_Readings = Callable[[str, Habits], set[str]]


class Reader:
    """Takes over arguments value by value, and remembers what no rule could mend."""

    def __init__(self, habits: Habits) -> None:
        self._habits = habits
        self._places: dict[tuple[str, ...], list[str]] = {}

    def problems(self) -> list[str]:
        """One sentence a rule and field, however many lines of a list break it."""
        return [
            rule.format(places[0]) + (f" And {len(places) - 1} more like it." if places[1:] else "")
            for (rule, *_), places in self._places.items()
        ]

    def fields(self, arguments: Any, schema: Schema) -> dict[str, Any]:
        """What of the arguments can be kept."""
        arguments = parsed(arguments)
        if not isinstance(arguments, dict):
            self._note("The arguments are not an object.", ())
            return {}
        return self._members((), arguments, schema)

    def _members(self, path: _Path, members: dict[Any, Any], schema: Schema) -> dict[str, Any]:
        properties = schema["properties"]
        if members.keys() - properties.keys():
            # Perhaps a field under another name: left out, what is there would look complete.
            self._note("{} holds a field that is not in the schema.", path or ("The answer",))
        kept = {
            name: self._value((*path, name), members[name], properties[name])
            for name in properties
            if name in members
        }
        return {name: value for name, value in kept.items() if value is not None}

    def _value(self, path: _Path, value: Any, schema: Schema) -> Any:
        """The value by the rules; None where it says that there is nothing, or is not kept."""
        match schema:
            case {"type": "array", "items": items}:
                value = parsed(value)
                if isinstance(value, dict):
                    value = [value]
                if isinstance(value, list):
                    kept = [self._value((*path, at), v, items) for at, v in enumerate(value)]
                    value = [item for item in kept if item is not None] or None
            case {"type": "object", "properties": _}:
                value = parsed(value)
                if isinstance(value, dict):
                    value = self._members(path, value, schema) or None
            case {"format": "decimal"}:
                value = self._one(path, _text(value), _amounts)
            case {"format": "date"}:
                value = self._one(path, _text(value), _dates)
            case {"type": "string"}:
                value = _text(value)
        if isinstance(value, str) and _LEFT_OUT.fullmatch(value):
            self._note("{} stands for something that was left out.", path)
            return None
        if _is_nothing(value):
            return None
        try:
            return _validator(json.dumps(schema))(value)
        except fastjsonschema.JsonSchemaValueException as error:
            # The library's own message quotes the value: path and rule are enough.
            self._note(f"{{}} breaks the rule {error.rule!r} of its schema.", path)
            return None

    def _one(self, path: _Path, value: Any, readings: _Readings) -> Any:
        """The one reading of a text; what has none is left to its schema."""
        if not isinstance(value, str):
            return value
        found = readings(value, self._habits)
        if len(found) > 1:
            self._note("{} can be read in two ways: write it as asked.", path)
            return None
        return found.pop() if found else value

    def _note(self, problem: str, path: _Path) -> None:
        """A list's lines are counted under one rule; the first of them is named."""
        key = (problem, *(part for part in path if isinstance(part, str)))
        self._places.setdefault(key, []).append(".".join(map(str, path)))


def _is_date(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


_FORMATS = {"decimal": r"^-?\d+(\.\d+)?$", "currency": r"^[A-Z]{3}$", "date": _is_date}


@lru_cache(maxsize=512)
def _validator(schema: str) -> Callable[[Any], Any]:
    """Compiled once: a list of a thousand lines asks for the same few rules in each."""
    compiled: Callable[[Any], Any] = fastjsonschema.compile(
        {"$schema": "http://json-schema.org/draft-07/schema#", **json.loads(schema)},
        formats=_FORMATS,
    )
    return compiled


def _is_nothing(value: Any) -> bool:
    return value is None or (isinstance(value, str | list | dict) and not value)


def _text(value: Any) -> Any:
    if isinstance(value, float) and not isfinite(value):
        return value
    if value is None or isinstance(value, bool | list | dict):
        return value
    text = str(value).strip()
    return None if text.casefold() in _NOTHING else text


def _amounts(text: str, habits: Habits) -> set[str]:
    """The plain decimals that a text can mean: "1.234,50" is 1234.50 alone."""
    plain = _plain(text)
    if plain:
        # It looks as it was asked for. In a document that writes "93,50" it can still be copied.
        copied = habits.decimal_mark == "," and _GROUPED.fullmatch(plain.lstrip("-"))
        return {plain, plain.replace(".", "")} if copied else {plain}
    printed = _PRINTED.fullmatch(text)
    if not printed or len(text) > _MOST_DIGITS:
        return set()
    digits = printed["digits"].rstrip()
    readings = amount_readings(digits)
    if len(readings) > 1 and habits.decimal_mark:
        mark = habits.decimal_mark
        readings &= {Decimal(re.sub(r"[^\d;]", "", digits.replace(mark, ";")).replace(";", "."))}
    sign = "-" if set("-−(") & {*printed["before"], *printed["after"]} else ""
    return {f"{sign}{reading:f}" for reading in readings}


def _plain(text: str) -> str | None:
    """A number as programs write it, without its exponent; None where the text is none."""
    try:
        number = Decimal(text)
    except ArithmeticError:
        return None
    if not number.is_finite() or abs(number.adjusted()) > _MOST_DIGITS:
        return None
    return f"{number:f}"


def _dates(text: str, habits: Habits) -> set[str]:
    """The dates that a text can mean, as ISO writes them."""
    try:
        return {date.fromisoformat(text).isoformat()}
    except ValueError:
        readings = {found for found, _ in dates_in(text)}
    first = re.match(r"\D*(\d{1,2})\D", text)
    if len(readings) > 1 and habits.day_first is not None and first:
        begins = int(first[1])
        readings = {r for r in readings if begins == (r.day if habits.day_first else r.month)}
    return {reading.isoformat() for reading in readings}
