"""Line items from tables whose header cells are known.

`read_items(sheet, names)` returns the rows as objects with those of `names` that have a column. A
table without a header goes on with the columns of the one before if it has as many (a table over
two pages); a repeated header is skipped, and so are rows of totals.
"""

import re

from mailroom_desk.cloud.claude.offline.amounts import find_amounts
from mailroom_desk.cloud.claude.offline.labels import FIELDS
from mailroom_desk.cloud.claude.offline.sheet import Sheet
from mailroom_desk.cloud.claude.offline.values import clean
from mailroom_desk.cloud.claude.offline.words import plain, squeeze

type Columns = dict[str, int]

HEADERS: dict[str, tuple[str, ...]] = {
    name: tuple(header.strip() for header in text.split("|"))
    for name, text in {
        "description": """
            description | item description | item | items | product | product name | service
            | services | details | particulars | article | goods | name | beschreibung
            | bezeichnung | artikel | leistung | position | designation | libelle | descripcion
            | concepto | articulo | producto | descrizione | prodotto | articolo | omschrijving
            | descricao | produto | 品名 | 品目 | 項目 | 摘要 | 商品 | الوصف
        """,
        "quantity": """
            quantity | qty | hrs/qty | hours | units | no of units | qnty | count | menge
            | anzahl | stuck | quantite | qte | cantidad | cant | quantita | qta | aantal
            | hoeveelheid | quantidade | qtd | 数量 | الكمية
        """,
        "unit_price": """
            unit price | price | rate | unit cost | price per unit | rate/price | cost
            | price each | each | einzelpreis | preis | prix unitaire | p.u. | pu ht | prix
            | precio unitario | precio | p. unitario | prezzo unitario | prezzo | stukprijs
            | prijs | eenheidsprijs | preco unitario | preco | 単価 | 单价 | السعر
        """,
        "amount": """
            amount | total | line total | sub total | subtotal | total price | price total
            | extended price | net amount | net price | betrag | gesamt | gesamtpreis | summe
            | montant | total ht | montant ht | importe | total linea | importo | totale
            | bedrag | totaal | valor | valor total | 金額 | 金额 | المبلغ
        """,
    }.items()
}
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
            if item and _header_columns(row) != columns:
                items.append({name: value for name, value in item.items() if name in names})
    return [item for item in items if item]


def _find_header(table: list[list[str]]) -> tuple[int, Columns]:
    """The first row that names a description or amount column and one more."""
    for number, row in enumerate(table[:4]):
        columns = _header_columns(row)
        if len(columns) >= 2 and ("description" in columns or "amount" in columns):
            return number, columns
    return -1, {}


def _header_columns(row: list[str]) -> Columns:
    columns: Columns = {}
    for number, cell in enumerate(row):
        key = squeeze(re.sub(r"\(.*?\)", "", cell))
        for name, headers in HEADERS.items():
            if name not in columns and key and key in map(squeeze, headers):
                columns[name] = number
                break
    return columns


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
