"""Data: what the columns of tables of items are called, and how such a heading row is known."""

import re

from mailroom_desk.cloud.claude.offline.amounts import CODES, SYMBOLS
from mailroom_desk.cloud.claude.offline.words import squeeze, word_set

type Columns = dict[str, int]

HEADERS: dict[str, tuple[str, ...]] = {
    name: tuple(header.strip() for header in text.split("|"))
    for name, text in {
        "description": """
            description | item description | description of goods | description of services
            | goods and services | activity | item | items | product | product name | service
            | services | details | particulars | article | goods | name | beschreibung
            | bezeichnung | artikel | leistung | position | designation | libelle | descripcion
            | concepto | articulo | producto | descrizione | prodotto | articolo | omschrijving
            | descricao | produto | material | 品名 | 品目 | 項目 | 摘要 | 商品 | الوصف
        """,
        "quantity": """
            quantity | qty | hrs/qty | hrs | hours | stunden | heures
            | ore | horas | uren | units | no of units | qnty | count | menge
            | anzahl | stuck | quantite | qte | cantidad | cant | quantita | qta | aantal
            | hoeveelheid | uds | unidades | std | stk | quantidade | qtd | 数量 | الكمية
        """,
        "unit_price": """
            unit price | price | rate | unit cost | price per unit | rate/price | cost
            | price each | each | einzelpreis | preis | prix unitaire | p.u. | pu ht | prix
            | prix unitaire ht | prix unit | prix u ht | prix ht | e-preis | stuckpreis | ansatz
            | einzel | stuksprijs | prijs per stuk | stundensatz | tarif | tarief
            | prezzo unit | precio unit | precio ud
            | precio unitario | precio | p. unitario | prezzo unitario | prezzo | stukprijs
            | prijs | eenheidsprijs | preco unitario | preco | 単価 | 单价 | السعر
        """,
        "amount": """
            amount | net | amount net | total | line total | sub total | subtotal
            | total price | price total
            | extended price | net amount | net price | betrag | gesamt | gesamtpreis | summe
            | net value | line value | line amount | value | wert | gesamtwert | g-preis
            | regeltotaal
            | prix total | prix total ht | total ttc | montant ttc | totaalprijs | prezzo totale
            | precio total
            | montant | total ht | montant ht | importe | total linea | importo | totale
            | bedrag | totaal | valor | valor total | 金額 | 金额 | المبلغ
        """,
    }.items()
}
# Such a column holds the number of what is sold where another one describes it.
OFTEN_NUMBERS = word_set(
    "item items article artikel articulo articolo product producto prodotto produto material "
    "position service"
)
# What a heading says beside its name: "(EUR)", "Total CHF".
ASIDE = re.compile(rf"\(.*?\)|\b(?:{'|'.join(sorted(CODES))})\b|[{SYMBOLS}]")
NAMES_OF_HEADERS = {
    key: tuple(name for name, headers in HEADERS.items() if key in map(squeeze, headers))
    for key in {squeeze(header) for headers in HEADERS.values() for header in headers}
}


def header_columns(row: list[str]) -> Columns:
    """Which of our columns the cells of a row name, and where."""
    columns: Columns = {}
    for number, cell in enumerate(row):
        key = _header_key(cell)
        names = NAMES_OF_HEADERS.get(key, ())
        name = next((n for n in names if n not in columns), None)
        if name:
            columns[name] = number
        elif "description" in names and key not in OFTEN_NUMBERS:
            described = columns["description"]
            if _header_key(row[described]) in OFTEN_NUMBERS:
                columns["description"] = number
    return columns


def _header_key(cell: str) -> str:
    return squeeze(ASIDE.sub(" ", cell))


def names_items(row: list[str]) -> bool:
    """Whether a row is the heading of items: it names a description or amount and one more."""
    columns = header_columns(row)
    return len(columns) >= 2 and ("description" in columns or "amount" in columns)
