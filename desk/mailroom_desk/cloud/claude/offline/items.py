"""Line items from tables whose header cells are known.

`read_items(sheet, names)` returns the rows as objects with those of `names` that have a column. A
table without a header goes on with the columns of the one before if it has as many (a table over
two pages); a repeated header is skipped, and so are rows of totals.
"""

import re

from mailroom_desk.cloud.claude.offline.amounts import find_amounts
from mailroom_desk.cloud.claude.offline.labels import FIELDS
from mailroom_desk.cloud.claude.offline.sheet import Sheet
from mailroom_desk.cloud.claude.offline.table_headers import Columns, header_columns, names_items
from mailroom_desk.cloud.claude.offline.values import clean
from mailroom_desk.cloud.claude.offline.words import plain, squeeze

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
        elif not columns or len(table[0]) != width:
            continue
        for row in table[header_at + 1 :]:
            item = _read_row(sheet, row, columns)
            if item and header_columns(row) != columns:
                items.append({name: value for name, value in item.items() if name in names})
    return [item for item in items if item]


def _find_header(table: list[list[str]]) -> tuple[int, Columns]:
    """The first row that names a description or amount column and one more."""
    for number, row in enumerate(table[:4]):
        if names_items(row):
            return number, header_columns(row)
    return -1, {}


def _read_row(sheet: Sheet, row: list[str], columns: Columns) -> dict[str, str]:
    """One item, or nothing for a row of totals, a heading or a remark."""
    if any(
        squeeze(re.sub(r"\(.*?\)|[\d.,]+\s?%?", "", cell)) in TOTAL_LABELS for cell in row if cell
    ):
        return {}
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
