"""Names of companies and of whom they write to: the seller, the buyer, the bank, the holder."""

import re
from dataclasses import replace

from mailroom_desk.cloud.claude.offline.label_finder import label_key
from mailroom_desk.cloud.claude.offline.labels import FIELDS, Field
from mailroom_desk.cloud.claude.offline.letterhead import (
    ADDRESSED_LINES,
    BETWEEN_PARTS,
    HONORED,
    LETTERHEAD_LINES,
    SHIP_TO,
    TITLE_OF_PERSON,
    address_blocks,
    columns,
    core,
    is_same_party,
    letterhead,
    name_in,
)
from mailroom_desk.cloud.claude.offline.sheet import Sheet
from mailroom_desk.cloud.claude.offline.values import COMPANY, is_address, party_name
from mailroom_desk.cloud.claude.offline.words import plain

BLOCK_LINES = 7
# A label in the third tier ("remit to") says less than the letterhead.
WEAK_TIER = 2
HONOURED_LINES = 20
SHIP_FROM = (
    "ship from",
    "shipped from",
    "vendor",
    "supplier",
    "lieferant",
    "fournisseur",
    "proveedor",
    "fornitore",
    "leverancier",
    "fornecedor",
)
PARTY_HEADINGS = frozenset(map(label_key, (*SHIP_TO, *SHIP_FROM, "bill to")))
BLOCK_HEADINGS = PARTY_HEADINGS | {"details", "description", "item", "quantity"}
BANK = re.compile(
    r"\b(?:bank|banking|banque|banco|banca|sparkasse|volksbank|credit union|caisse|trust|savings)\b"
    r"|銀行|银行"
)


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
        blocks = (block[0] for block in address_blocks(sheet) if _is_other(block, seller))
        found = _company_after_label(sheet, seller) or next(blocks, None)
        found = found or _under_return_address(sheet, seller)
    return TITLE_OF_PERSON.sub("", found) if found else None


def _labelled_customer(sheet: Sheet) -> str | None:
    honoured = (line for line in sheet.lines[:HONOURED_LINES] if HONORED.search(line))
    before = (party_name(HONORED.sub("", line), sheet.locale) for line in honoured)
    return (
        next(filter(None, before), None)
        or sheet.first(_tiers("customer_name", 0, WEAK_TIER))
        or sheet.first_on_first_page(_tiers("customer_name", WEAK_TIER))
    )


def _company_after_label(sheet: Sheet, seller: str | None) -> str | None:
    """The first company shortly after a label, where lines of another column stand between."""
    labels = {label_key(label) for label, _ in FIELDS["customer_name"].labels}
    for number, line in enumerate(sheet.lines[:ADDRESSED_LINES]):
        if label_key(line) in labels:
            after = sheet.lines[number + 1 : number + 1 + BLOCK_LINES]
            names = filter(None, (name_in(sheet, each) for each in after))
            for name in names:
                if COMPANY.search(plain(name)) and _is_other([name], seller):
                    return name
    return None


def _under_return_address(sheet: Sheet, seller: str | None) -> str | None:
    """The first name under the sender's own address in one line, as window envelopes show it."""
    for number, line in enumerate(sheet.lines[:ADDRESSED_LINES]):
        name, *rest = BETWEEN_PARTS.split(line)
        if len(rest) > 1 and name_in(sheet, name) and any(map(is_address, rest)):
            under = sheet.lines[number + 1 : number + 1 + BLOCK_LINES]
            names = filter(None, (name_in(sheet, each) for each in under))
            return next((each for each in names if _is_other([each], seller)), None)
    return None


def _is_other(block: list[str], seller: str | None) -> bool:
    return seller is None or not any(is_same_party(name, seller) for name in block)


def supplier(sheet: Sheet) -> str | None:
    """The company that an order is addressed to, as a letter is."""
    ordering = core(letterhead(sheet) or "")
    names = (block[0] for block in address_blocks(sheet))
    companies = [name for name in names if COMPANY.search(plain(name)) and core(name) != ordering]
    return companies[0] if len(set(companies)) == 1 else None


def _tiers(name: str, start: int, stop: int = 99) -> Field:
    """A field with the labels of some tiers alone."""
    field = FIELDS[name]
    kept = tuple(label for label in field.labels if start <= label[1] < stop)
    return replace(field, labels=kept)


def account_holder(sheet: Sheet) -> str | None:
    """Whom a statement is addressed to, where no label says so."""
    own_bank = bank(sheet)
    for block in address_blocks(sheet):
        for name in block:
            is_person = not COMPANY.search(plain(name)) and not BANK.search(plain(name))
            if is_person and name != own_bank and not TITLE_OF_PERSON.fullmatch(f"{name} "):
                return name
    return None


def party_block(sheet: Sheet, starts: tuple[str, ...]) -> tuple[str | None, str | None]:
    """Person and company in the lines under a heading such as "Ship to"."""
    keys = {label_key(start) for start in starts}
    for lines in (*columns(sheet), sheet.lines):
        start = next((n for n, line in enumerate(lines) if label_key(line) in keys), None)
        if start is not None and lines[start + 1 :]:
            block = _lines_under(lines, start)
            person, company = _person_and_company(sheet, block)
            if person and person == letterhead(sheet):  # whose paper it is, without a legal form
                person, company = None, company or person
            if starts == SHIP_FROM and not company:  # goods come from companies
                return None, person
            return person, company
    return None, None


def _lines_under(lines: list[str], start: int) -> list[str]:
    """The lines under a heading; under headings side by side, every second, third … is its own."""
    first, last = start, start
    while first and label_key(lines[first - 1]) in PARTY_HEADINGS:
        first -= 1
    while last + 1 < len(lines) and label_key(lines[last + 1]) in PARTY_HEADINGS:
        last += 1
    beside = last - first + 1
    return lines[last + 1 + start - first :: beside][:BLOCK_LINES]


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
