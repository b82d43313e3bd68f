"""How a document writes amounts and dates, as far as its own text decides it.

"1.234" and "03/04/2026" have two readings each. A document that writes "93,50" elsewhere uses the
comma for decimals. Only what has one reading votes, and only a clear majority counts: a few numbers
of versions must not turn an invoice round. Dates: see `day_order`.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

from mailroom.verification.day_order import DAY_FIRST, DayOrder, date_groups

# Two decimals after groups of three, or after up to three digits: nothing else has one reading.
_COMMA = re.compile(r"(?<![\d.,])\d{1,3}(?:[. \u00a0\u202f'’]\d{3})*,\d{2}(?![\d.,%])")
_POINT = re.compile(r"(?<![\d.,])\d{1,3}(?:[, \u00a0\u202f'’]\d{3})*\.\d{2}(?![\d.,%])")
_ENOUGH = 100
"""Texts that are looked at: habits show early, and thousands of pages would take a minute."""

_MAJORITY = 4
"""How many votes must stand against each one for the other reading."""


@dataclass(frozen=True)
class Habits:
    """`decimal_mark` is "." or ","; `day_first` says how numeric dates begin; None: not decided."""

    decimal_mark: str | None = None
    day_first: bool | None = None


def habits_of(texts: Iterable[str]) -> Habits:
    """What the first pages of a document decide together, or the lines of one."""
    commas = points = 0
    order = DayOrder()
    for text in islice(texts, _ENOUGH):
        commas += len(_COMMA.findall(text))
        points += len(_POINT.findall(text))
        order.look(text, date_groups(text))
    decided = order.decided()
    return Habits(
        decimal_mark=_winner(commas, points),
        day_first=decided == DAY_FIRST if decided else None,
    )


def _winner(commas: int, points: int) -> str | None:
    if max(commas, points) < max(1, _MAJORITY * min(commas, points)):
        return None
    return "," if commas > points else "."
