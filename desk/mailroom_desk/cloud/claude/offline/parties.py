"""Names of companies: the letterhead, the seller, the bank, the parties of an agreement."""

import re
from dataclasses import replace
from functools import cache
from itertools import takewhile

from mailroom_desk.cloud.claude.offline.keywords import TITLES
from mailroom_desk.cloud.claude.offline.label_finder import is_label_line, label_key
from mailroom_desk.cloud.claude.offline.labels import FIELDS
from mailroom_desk.cloud.claude.offline.sheet import Sheet
from mailroom_desk.cloud.claude.offline.values import clean, is_address, party_name
from mailroom_desk.cloud.claude.offline.words import contains, plain, squeeze

LETTERHEAD_LINES = 12
ADDRESSED_LINES = 30
BLOCK_LINES = 7
# A label in the third tier ("remit to") says less than the letterhead.
WEAK_TIER = 2
SHIP_TO = (
    "ship to",
    "shipped to",
    "deliver to",
    "delivery address",
    "shipping address",
    "lieferadresse",
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
ITEM_HEADERS = frozenset(
    (
        "description",
        "quantity",
        "qty",
        "item",
        "artikel",
        "bezeichnung",
        "designation",
        "omschrijving",
    )
)
BLOCK_HEADINGS = frozenset(
    "".join(label.split())
    for label in (*SHIP_TO, *SHIP_FROM, "bill to", "details", "description", "item", "quantity")
)
# Endings and words of company names; a line with one is a letterhead before any other line.
COMPANY = re.compile(
    r"\b(?:llc|l\.l\.c|inc|ltd|limited|gmbh|ag|kg|ug|e\.?k|s\.?a\.?r\.?l|sas|s\.?a|s\.?l|s\.?r\.?l|s\.?p\.?a|"
    r"b\.?v|n\.?v|lda|ltda|plc|llp|corp|corporation|company|co|group|holdings?|services|solutions|"
    r"technologies|bank|credit union|supply|supplies|restaurant|cafe|hotel|foundation|"
    r"committee|association|university|institute|department|pvt|pty|株式会社|有限公司)\b\.?"
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


def letterhead(sheet: Sheet) -> str | None:
    """The first line near the top that names a company, else the first that could be a name."""
    top = sheet.lines[:LETTERHEAD_LINES]
    end = next(
        (n for n, line in enumerate(top) if label_key(line) in _recipient_labels()), len(top)
    )
    names = [name for line in top[:end] if (name := _letterhead_name(sheet, line))]
    names = [name for name in names if len(squeeze(name)) > 3]
    companies = [name for name in names if COMPANY.search(plain(name))]
    return next(iter(companies or names), None)


@cache
def _recipient_labels() -> frozenset[str]:
    """Labels after which the letterhead is over."""
    names = ("customer_name", "ship_to_name")
    return frozenset(label_key(label) for name in names for label, _ in FIELDS[name].labels)


def vendor(sheet: Sheet) -> str | None:
    """The seller: at its label, else the letterhead."""
    field = FIELDS["vendor_name"]
    strong = replace(field, labels=tuple(label for label in field.labels if label[1] < WEAK_TIER))
    return sheet.first(strong) or letterhead(sheet) or sheet.first(field)


def customer(sheet: Sheet) -> str | None:
    """The buyer: at its label, else the second address block (the first is the letterhead's)."""
    labelled = sheet.first(FIELDS["customer_name"])
    if labelled:
        return labelled
    seller = vendor(sheet)
    blocks = [name for name in address_blocks(sheet) if name != seller]
    return blocks[0] if blocks else None


def account_holder(sheet: Sheet) -> str | None:
    """Whom a statement is addressed to, where no label says so."""
    blocks = [name for name in address_blocks(sheet) if not COMPANY.search(plain(name))]
    return blocks[0] if blocks else None


def address_blocks(sheet: Sheet) -> list[str]:
    """Names with a street or a town in the line below, above the table of items."""
    lines = list(takewhile(_is_above_items, sheet.lines[:ADDRESSED_LINES]))
    found: list[str] = []
    for number, line in enumerate(lines):
        below = lines[number + 1 : number + 2]
        name = _letterhead_name(sheet, line)
        if name and len(name.split()) <= 6 and any(map(is_address, below[:1] or [])):
            found.append(name)
    return found


def _is_above_items(line: str) -> bool:
    return label_key(line) not in ITEM_HEADERS


def party_block(sheet: Sheet, starts: tuple[str, ...]) -> tuple[str | None, str | None]:
    """Person and company in the lines under a heading such as "Ship to"."""
    keys = {label_key(start) for start in starts}
    start = next((n for n, line in enumerate(sheet.lines) if label_key(line) in keys), None)
    if start is None:
        return None, None
    person: str | None = None
    company: str | None = None
    for line in sheet.lines[start + 1 : start + 1 + BLOCK_LINES]:
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
        if (
            name
            and BANK.search(plain(name))
            and len(name.split()) <= 6
            and _letterhead_name(sheet, name)
        ):
            return name
    return letterhead(sheet)


def contract_parties(sheet: Sheet) -> tuple[str | None, str | None]:
    """The parties after "between", without their addresses and roles."""
    match = BETWEEN.search(sheet.text.replace("\n", " "))
    if not match:
        return None, None
    return _party(match["one"]), _party(match["two"])


def _party(text: str) -> str | None:
    name = clean(text.strip(" \"'“”"))
    if CONTRACT_PARTY.match(name) or not 2 <= len(name) <= 70:
        return None
    return name


def _letterhead_name(sheet: Sheet, line: str) -> str | None:
    comparable = plain(line)
    if (
        is_label_line(comparable)
        or ":" in line
        or (line.rstrip().endswith((",", ".")) and len(line) > 60)
    ):
        return None
    is_sentence = line.endswith(".") and not COMPANY.search(comparable) and len(line.split()) > 2
    if is_address(line) or is_sentence:
        return None
    squeezed = squeeze(line)
    if any(squeezed == squeeze(title) for titles in TITLES.values() for title in titles):
        return None
    short_title = any(
        contains(comparable, squeezed, title)
        for name in ("invoice", "receipt")
        for title in TITLES[name]
    )
    if short_title and (any(c.isdigit() for c in line) or len(line.split()) <= 3):
        return None
    return party_name(line, sheet.locale)
