"""Names of companies: the letterhead, the seller, the bank, the parties of an agreement."""

import re
from dataclasses import replace

from mailroom_desk.cloud.claude.offline.label_finder import label_key
from mailroom_desk.cloud.claude.offline.labels import FIELDS, Field
from mailroom_desk.cloud.claude.offline.letterhead import (
    HONORED,
    LETTERHEAD_LINES,
    SHIP_TO,
    address_blocks,
    columns,
    letterhead,
    name_in,
)
from mailroom_desk.cloud.claude.offline.sheet import Sheet
from mailroom_desk.cloud.claude.offline.values import COMPANY, clean, party_name
from mailroom_desk.cloud.claude.offline.words import plain

BLOCK_LINES = 7
# An agreement names its parties in so many characters from the beginning.
PREAMBLE = 6000
# A label in the third tier ("remit to") says less than the letterhead.
WEAK_TIER = 2
HONOURED_LINES = 20
# Before a name in an address; it is no part of the name.
TITLE_OF_PERSON = re.compile(
    r"^(?:mrs?|ms|herrn?|frau|monsieur|madame|mme|sra?|dhr|mevr|sig(?:\.ra)?)\b\.?\s+(?=\w)",
    re.IGNORECASE,
)
SHIP_FROM = (
    "ship from",
    "shipped from",
    "vendor",
    "supplier",
    "lieferant",
    "fournisseur",
    "proveedor",
)
BLOCK_HEADINGS = frozenset(
    "".join(label.split())
    for label in (*SHIP_TO, *SHIP_FROM, "bill to", "details", "description", "item", "quantity")
)
BANK = re.compile(
    r"\b(?:bank|banking|banque|banco|banca|sparkasse|volksbank|credit union|caisse|trust|savings)\b"
    r"|銀行|银行"
)
BETWEEN = re.compile(
    r"(?:\bbetween|\bby and between|\bzwischen|\bentre|\btra|\btussen)\b[\s:]*(?P<one>.{2,120}?)\s*"
    r"(?:,|\(|\bwith\b|\band\b|\bund\b|\bet\b|\by\b|\be\b|\ben\b)(?P<middle>.{0,600}?)(?:\band\b|\bund\b|\bet\b|\bwith\b)\s+"
    r"(?P<two>[A-Z].{1,80}?)\s*(?:,(?!\s*(?:Inc|LLC|Ltd))|\(|\.\s|\bis\b|\bwith\b|;|\n|$)",
    re.DOTALL,
)
CONTRACT_PARTY = re.compile(r"\b(?:the|this|each|both|it|of|hereto|parties)\b", re.IGNORECASE)


def vendor(sheet: Sheet) -> str | None:
    """The seller: at its label, else the letterhead."""
    buyer = _labelled_customer(sheet)
    labelled = sheet.first(_tiers("vendor_name", 0, 1))
    labelled = labelled or sheet.first_on_first_page(_tiers("vendor_name", 1, WEAK_TIER))
    weak = _tiers("vendor_name", WEAK_TIER)
    if labelled == buyer:  # "From" over one column and "To" over the other, read in one row
        labelled = None
    return labelled or letterhead(sheet, buyer) or sheet.first(weak)


def customer(sheet: Sheet) -> str | None:
    """The buyer: at its label or before an honorific, else an address that is not the seller's."""
    found = _labelled_customer(sheet)
    if found is None:
        seller = vendor(sheet)
        found = next((block[0] for block in address_blocks(sheet) if seller not in block), None)
    return TITLE_OF_PERSON.sub("", found) if found else None


def _labelled_customer(sheet: Sheet) -> str | None:
    honoured = (line for line in sheet.lines[:HONOURED_LINES] if HONORED.search(line))
    before = (party_name(HONORED.sub("", line), sheet.locale) for line in honoured)
    return (
        next(filter(None, before), None)
        or sheet.first(_tiers("customer_name", 0, WEAK_TIER))
        or sheet.first_on_first_page(_tiers("customer_name", WEAK_TIER))
    )


def _tiers(name: str, start: int, stop: int = 99) -> Field:
    """A field with the labels of some tiers alone."""
    field = FIELDS[name]
    kept = tuple(label for label in field.labels if start <= label[1] < stop)
    return replace(field, labels=kept)


def account_holder(sheet: Sheet) -> str | None:
    """Whom a statement is addressed to, where no label says so."""
    names = (block[0] for block in address_blocks(sheet))
    return next((name for name in names if not COMPANY.search(plain(name))), None)


def party_block(sheet: Sheet, starts: tuple[str, ...]) -> tuple[str | None, str | None]:
    """Person and company in the lines under a heading such as "Ship to"."""
    keys = {label_key(start) for start in starts}
    for lines in (*columns(sheet), sheet.lines):
        start = next((n for n, line in enumerate(lines) if label_key(line) in keys), None)
        if start is not None and lines[start + 1 :]:
            block = lines[start + 1 : start + 1 + BLOCK_LINES]
            person, company = _person_and_company(sheet, block)
            if starts == SHIP_FROM and not company:  # goods come from companies
                return None, person
            return person, company
    return None, None


def _person_and_company(sheet: Sheet, block: list[str]) -> tuple[str | None, str | None]:
    person: str | None = None
    company: str | None = None
    for line in block:
        if label_key(line) in BLOCK_HEADINGS:
            break
        label, colon, rest = line.partition(":")
        name = party_name(rest if colon else line, sheet.locale)
        if colon and "company" in plain(label):
            company = company or name
        elif colon and "name" in plain(label):
            person = person or name
        elif not colon and name and not person and not company:
            is_company = COMPANY.search(plain(name)) is not None
            person, company = (None, name) if is_company else (name, None)
    return person, company


def bank(sheet: Sheet) -> str | None:
    """The first short line with a bank's name in it, else the letterhead."""
    for line in sheet.lines[:LETTERHEAD_LINES]:
        name = party_name(line, sheet.locale)
        if name and BANK.search(plain(name)) and len(name.split()) <= 6 and name_in(sheet, name):
            return name
    return letterhead(sheet)


def contract_parties(sheet: Sheet) -> tuple[str | None, str | None]:
    """The parties after "between", without their addresses and roles."""
    match = BETWEEN.search(sheet.text[:PREAMBLE].replace("\n", " "))
    if not match:
        return None, None
    return _party(match["one"]), _party(match["two"])


def _party(text: str) -> str | None:
    name = TITLE_OF_PERSON.sub("", clean(text.strip(" \"'“”")))
    if CONTRACT_PARTY.match(name) or not 2 <= len(name) <= 70:
        return None
    return name
