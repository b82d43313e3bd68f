"""Line items from tables whose header cells are known.

`read_items(sheet, names)` returns the rows as objects with those of `names` that have a column. A
table without a header goes on with the columns of the one before if it has as many and begins with
an item (a table over two pages); a repeated header is skipped, and so are rows of totals. Below
such a row only a whole item is one: deposits and rests to pay stand there as well. A column whose
heading is unknown is known by its numbers: quantity times price is the amount in every row.
"""

import re
from decimal import Decimal
from itertools import permutations

from mailroom_desk.cloud.claude.offline.amounts import find_amounts
from mailroom_desk.cloud.claude.offline.labels import FIELDS
from mailroom_desk.cloud.claude.offline.sheet import Sheet
from mailroom_desk.cloud.claude.offline.table_headers import Columns, header_columns, names_items
from mailroom_desk.cloud.claude.offline.values import clean
from mailroom_desk.cloud.claude.offline.words import plain, squeeze

FACTORS = ("quantity", "unit_price", "amount")
ROUNDING = Decimal("0.02")
TOTAL_LABELS = frozenset(
    squeeze(label)
    for name in ("subtotal", "tax", "total")
    for label, _ in FIELDS[name].labels
    if len(label) > 2
)


def read_items(sheet: Sheet, names: list[str]) -> list[dict[str, str]]:
    """Return the line items of a document, in order."""
    items: list[dict[str, str]] = []
    columns: Columns = {}
    width = 0
    for table in sheet.document.tables:
        header_at, found = _find_header(table)
        if found:
            columns, width = found, len(table[header_at])
            columns |= _by_product(sheet, table[header_at + 1 :], columns)
        elif not columns or len(table[0]) != width or not _is_whole(sheet, table[0], columns):
            continue
        summed = False
        for row in table[header_at + 1 :]:
            if header_columns(row).items() >= found.items() > set():
                continue
            if _names_total(row):
                summed = True
            elif not summed or _is_whole(sheet, row, columns):
                item = _read_row(sheet, row, columns)
                items.append({name: value for name, value in item.items() if name in names})
    return [item for item in items if item]


def _find_header(table: list[list[str]]) -> tuple[int, Columns]:
    """The first row that names a description or amount column and one more."""
    for number, row in enumerate(table[:4]):
        if names_items(row):
            return number, header_columns(row)
    return -1, {}


def _by_product(sheet: Sheet, rows: list[list[str]], columns: Columns) -> Columns:
    """The columns of quantity, price and amount that no heading names, by what they multiply to."""
    missing = [name for name in FACTORS if name not in columns]
    free = [n for n in range(len(rows[0]) if rows else 0) if n not in columns.values()]
    if not missing or len(missing) == len(FACTORS):
        return {}
    for places in permutations(free, len(missing)):
        fresh = dict(zip(missing, places, strict=True))
        items = [_read_row(sheet, row, columns | fresh) for row in rows if not _names_total(row)]
        whole = [item for item in items if item.keys() >= set(FACTORS)]
        if whole and all(map(_multiplies, whole)):
            return fresh
    return {}


def _multiplies(item: dict[str, str]) -> bool:
    quantity, price, amount = (Decimal(item[name]) for name in FACTORS)
    return amount != 0 and abs(quantity * price - amount) <= ROUNDING


def _names_total(row: list[str]) -> bool:
    """Whether a row holds a sum: one of its cells is a total's label."""
    return any(
        squeeze(re.sub(r"\(.*?\)|[\d.,]+\s?%?", "", cell)) in TOTAL_LABELS for cell in row if cell
    )


def _is_whole(sheet: Sheet, row: list[str], columns: Columns) -> bool:
    """Whether a row has a value in each known column but one."""
    return not _names_total(row) and len(_read_row(sheet, row, columns)) >= max(2, len(columns) - 1)


def _read_row(sheet: Sheet, row: list[str], columns: Columns) -> dict[str, str]:
    """One item, or nothing for a heading or a remark."""
    item: dict[str, str] = {}
    for name, number in columns.items():
        cell = row[number] if number < len(row) else ""
        if name == "description":
            value = clean(cell) if any(c.isalpha() for c in plain(cell)) else None
        else:
            amounts = find_amounts(cell, sheet.locale.decimal_comma)
            value = amounts[0].value if amounts else None
        if value:
            item[name] = value
    return item if item.keys() - {"description"} else {}
