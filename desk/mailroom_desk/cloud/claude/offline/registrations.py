"""IBAN and VAT number of the one who sends an invoice.

A number whose check digits hold is sure. One that stands at its label and has the right shape is
given as printed, since papers do print wrong ones. Numbers of the customer are left out: those in
its address block, those whose label says so, and accounts that are debited.
"""

import re
from collections.abc import Iterator
from itertools import islice, pairwise

from stdnum import iban as iban_rules
from stdnum.ch import vat as swiss_vat
from stdnum.eu import vat as european_vat
from stdnum.gb import vat as british_vat
from stdnum.no import mva as norwegian_vat

from mailroom_desk.cloud.claude.offline.label_finder import label_key
from mailroom_desk.cloud.claude.offline.parties import customer
from mailroom_desk.cloud.claude.offline.sheet import Sheet
from mailroom_desk.cloud.claude.offline.words import plain, squeeze

IBAN = re.compile(r"(?<![A-Z0-9])[A-Z]{2}\d{2}(?:[ .-]?[A-Z0-9]){11,30}")
# In groups of four with a shorter one at the end: how an IBAN is printed.
IBAN_SHAPE = re.compile(r"[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?![A-Z0-9])")
SHORTEST_IBAN, LONGEST_IBAN = 15, 34
DEBITED = re.compile(
    r"lastschrift|abgebucht|abbuch|eingezogen|direct debit|debited|charged to|prelev|domicilia|"
    r"addebit|incasso|afgeschreven|debito direto"
)
VAT = re.compile(
    r"(?=((?<![A-Z0-9])(?:(?:AT|BE|BG|CHE|CY|CZ|DE|DK|EE|EL|ES|FI|FR|GB|HR|HU|IE|IT|LT|LU|LV|MT|NL|PL"
    r"|PT|RO|SE|SI|SK|XI|NO(?=.{9,12}MVA))[ -]?)"
    r"[A-Z0-9]{1,2}(?:[ .-]?[A-Z0-9]){6,11}(?:\s?(?:MWST|TVA|IVA|MVA))?))"
)
NATIONAL_VAT = re.compile(
    r"(?<![A-Z0-9])(?:[A-Z]-?\d{7,8}[A-Z]?|\d{8}[A-Z]|\d[\d .]{7,12}\d)(?![\w/])"
)
VAT_LABEL = re.compile(
    r"\bvat\b.{0,6}(?:no|nr|num|reg|id|ident|:)|\bust\W?-?\s?id|umsatzsteuer-?id|\btva\b.{0,16}(?::|n'|fr)|"
    r"(?:n'|no|num\w*)\s*(?:de\s*)?tva|\bp\W{0,2}\s?iva\b|partita iva|"
    r"\bbtw\b.{0,4}(?:nr|nummer|id|:|nl)|"
    r"\b(?:n\.?i\.?f|c\.?i\.?f|nipc|contribuinte)\b|\bmoms\b|momsreg|\buid\b"
)
CUSTOMERS = re.compile(
    r"\b(?:customer|client|buyer|your|ihre|kunde\w*|votre|vos|cliente|acheteur|klant|uw|sua?)\b"
)
BLOCK_LINES = 7
VAT_RULES = (european_vat, british_vat, swiss_vat, norwegian_vat)


def iban(sheet: Sheet) -> str | None:
    """The account that is to be paid to, without spaces; None where two are printed."""
    sure, labelled = [], []
    for before, line in pairwise(["", *_texts(sheet)]):
        for match in IBAN.finditer(line.upper()):
            if DEBITED.search(plain(f"{before} {line}")):
                continue
            number = _valid_iban(match.group())
            if number:
                sure.append(number)
            elif "iban" in plain(f"{before} {line}"):
                shape = IBAN_SHAPE.match(match.group())
                labelled += [_compact(shape.group())] if shape else []
    for found in (sure, labelled):
        if found:
            return found[0]
    return None


def vendor_vat(sheet: Sheet) -> str | None:
    """The seller's VAT number as printed, without spaces, its country first where it is printed."""
    sure, labelled = [], []
    lines = list(_texts(sheet))
    buyers = _customers_lines(sheet, lines)
    for number, (before, line) in enumerate(pairwise(["", *lines])):
        if number in buyers or CUSTOMERS.search(plain(line)):
            continue
        label = VAT_LABEL.search(plain(line)) or (
            VAT_LABEL.search(plain(before)) if len(line) < 25 else None
        )
        for match in VAT.finditer(_without_ibans(line.upper())):
            if valid := _valid_vat(match[1]):
                sure.append(valid)
            elif label:
                labelled.append(_compact(match[1]))
        if label and not VAT.search(line.upper()):
            start = label.end() if label.string == plain(line) else 0
            national = NATIONAL_VAT.search(line.upper(), max(0, start - 1))
            labelled += [_compact(national.group())] if national else []
    return next(iter([*sure, *labelled]), None)


def _texts(sheet: Sheet) -> Iterator[str]:
    """The lines, and the pairs of which a line holds only a half."""
    yield from sheet.lines
    known = set(map(squeeze, sheet.lines))
    for key, value in sheet.document.forms:
        if squeeze(value) not in known and squeeze(key + value) not in known:
            yield f"{key}: {value}"


def _customers_lines(sheet: Sheet, lines: list[str]) -> set[int]:
    """The numbers of the lines after the customer's name, without those of a column beside."""
    name = label_key(customer(sheet) or "")
    starts = [n for n, line in enumerate(lines) if name and label_key(line).startswith(name)]
    beside = _beside(sheet, name)
    following = (
        n
        for start in starts[:1]
        for n in range(start, len(lines))
        if squeeze(lines[n]) not in beside
    )
    return set(islice(following, BLOCK_LINES))


def _beside(sheet: Sheet, name: str) -> set[str]:
    """What stands in other columns of the table that has the name in one of its own."""
    found: set[str] = set()
    for table in sheet.document.tables[:3] if name else ():
        for column in zip(*table, strict=False):
            if any(label_key(cell).startswith(name) for cell in column):
                found |= {squeeze(cell) for row in table for cell in row if cell not in column}
    return found


def _valid_iban(text: str) -> str | None:
    """The longest beginning of a text that is an IBAN: what follows may be another word."""
    compact = _compact(text)
    lengths = range(min(len(compact), LONGEST_IBAN), SHORTEST_IBAN - 1, -1)
    return next((compact[:n] for n in lengths if iban_rules.is_valid(compact[:n])), None)


def _without_ibans(text: str) -> str:
    return IBAN.sub(lambda match: "" if _valid_iban(match.group()) else match.group(), text)


def _valid_vat(text: str) -> str | None:
    compact = _compact(text)
    shortest = len("LU12345678")
    for length in range(len(compact), shortest - 1, -1):
        if any(rules.is_valid(compact[:length]) for rules in VAT_RULES):
            return compact[:length]
    return None


def _compact(text: str) -> str:
    return re.sub(r"[^A-Z0-9]", "", text)
