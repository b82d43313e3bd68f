"""Taxes by rate, as tills and invoices list them: a rate, what it is taken of, the tax.

`shares(sheet)` returns one Share a rate. Columns differ from paper to paper and may have no
headings; what tells a row is that its rate makes one of its amounts out of another.
"""

import re
from collections.abc import Iterator
from decimal import Decimal
from itertools import permutations
from typing import NamedTuple

from mailroom_desk.cloud.claude.offline.amounts import find_amounts
from mailroom_desk.cloud.claude.offline.sheet import Sheet
from mailroom_desk.cloud.claude.offline.words import plain

RATE = re.compile(r"(?<![\d.,])(\d{1,2}(?:[.,]\d{1,3})?)\s*%")
# Percentages that are taken off, not added.
TAKEN_OFF = re.compile(
    r"discount|off\b|rabatt|skonto|nachlass|remise|escompte|sconto|descuento|dto\b|korting"
)
ROW_LINES = 4
ROUNDING = Decimal("0.02")


class Share(NamedTuple):
    """What is taxed at one rate, and its tax."""

    rate: Decimal
    net: Decimal
    tax: Decimal


def shares(sheet: Sheet) -> list[Share]:
    """One share a rate, the first of each; both amounts stand in the rate's own row."""
    found: dict[Decimal, Share] = {}
    for text in _rows(sheet):
        match = RATE.search(text)
        if not match or TAKEN_OFF.search(plain(text)):
            continue
        rate = Decimal(match[1].replace(",", "."))
        beside = f"{text[: match.start()]} {text[match.end() :]}"
        amounts = find_amounts(beside, sheet.locale.decimal_comma)
        share = _share(rate, [Decimal(a.value) for a in amounts if a.money])
        if share:
            found.setdefault(rate, share)
    return list(found.values())


def _rows(sheet: Sheet) -> Iterator[str]:
    """The rows of the tables, and each line with a rate together with the amounts below it."""
    for table in sheet.document.tables:
        yield from (" | ".join(row) for row in table)
    for number, line in enumerate(sheet.lines):
        if RATE.search(line):
            below = sheet.lines[number + 1 : number + ROW_LINES]
            end = next((n for n, text in enumerate(below) if any(map(str.isalpha, text))), None)
            yield " | ".join([line, *below[:end]])


def _share(rate: Decimal, amounts: list[Decimal]) -> Share | None:
    """The pair that the rate connects; what is taxed may be printed with its tax alone."""
    pairs = [(one, tax) for one, tax in permutations(amounts[:ROW_LINES], 2) if one > tax > 0]
    for taxed, tax in pairs:
        if abs(taxed * rate / 100 - tax) <= ROUNDING:
            return Share(rate, taxed, tax)
    for taxed, tax in pairs:
        if abs((taxed - tax) * rate / 100 - tax) <= ROUNDING:
            return Share(rate, taxed - tax, tax)
    return None
