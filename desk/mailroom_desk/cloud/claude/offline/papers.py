"""Fields of letters, contracts, forms and other papers that need more than a label."""

import re
from itertools import pairwise

from mailroom_desk.cloud.claude.offline.dates import find_dates
from mailroom_desk.cloud.claude.offline.keywords import TITLES
from mailroom_desk.cloud.claude.offline.label_finder import is_label_line
from mailroom_desk.cloud.claude.offline.sheet import Sheet
from mailroom_desk.cloud.claude.offline.values import COMPANY, clean, party_name, person_name
from mailroom_desk.cloud.claude.offline.words import contains, plain, squeeze

FORM = re.compile(
    r"(?<![\d-])\b(?:Form\s*)?((?:W-?[249]|1040|1098|1099|10-[QK]|1005|94[01]|1065|1120)(?:-[A-Z]{1,4})?)\b"
)
YEAR = re.compile(r"(?<![\d/\-.])(20\d\d|19\d\d)(?![\d/\-.])")
REVISED = re.compile(r"\brev(?:\.|ised|ision)|\bexpires\b|\(c\)|©")
FORM_LINES = 10
DEAR = re.compile(
    r"^\W*(?:dear|sehr geehrte[rs]?(?: herr| frau)?|cher|chere|estimad[oa]|egregio|gentile|geachte|"
    r"beste|prezad[oa])\s+([^,:]{2,50})"
)
CLOSING = re.compile(
    r"^\W*(?:sincerely|yours|kind regards|best regards|regards|best|respectfully|very truly|"
    r"cordially|many thanks|thanks|mit freundlichen|cordialement|atentamente|distinti saluti|"
    r"cordiali saluti|met vriendelijke|atenciosamente)\b"
)
LAW = re.compile(
    r"laws?\s+of\s+(?:the\s+)?(?:(?:State|Commonwealth|Province|Republic)\s+of\s+)?((?:[A-Z][a-z]+)(?:\s+[A-Z][a-z]+)?)"
)
PERIOD_WORD = re.compile(r"\b(?:to|through|thru|until|bis|au|al|hasta|tot)\b|\s[-–—]\s")
PAY_UNTIL = re.compile(
    r"(?:\bzahlbar|\bfallig|\buberweisen\b.{0,40}|\bdue\b|\bpayable|\bpayment\b.{0,30}|\bpay\b.{0,30}|"
    r"\ba payer|\breglement\b.{0,20}|"
    r"\bpago\b.{0,20}|\bpagar|\bpagare|\bpagamento\b.{0,20}|\bbetalen\b.{0,20}|\bvoldoen)"
    r".{0,25}?\b(?:bis|by|before|on|until|am|avant|le|antes|entro|voor|ate)\b"
)
SIGNATURE_LINES = 5
ADDRESS_LINES = 8


def title(sheet: Sheet) -> str | None:
    """The first line that names a kind of paper, else the first prominent line."""
    top = sheet.lines[:25]
    for line in top:
        squeezed = squeeze(line)
        if (
            len(line.split()) <= 9
            and not line.endswith(".")
            and not line[0].islower()
            and any(
                contains(plain(line), squeezed, word)
                for name in ("contract", "other", "tax_form")
                for word in TITLES[name]
            )
        ):
            return clean(line)
    prominent = (
        line
        for line in top
        if not is_label_line(plain(line))
        and sum(c.isalpha() for c in line) >= max(5, len(line) * 0.6)
    )
    found = next(prominent, None)
    return clean(found)[:200] if found and _reads_like_a_title(found) else None


def _reads_like_a_title(line: str) -> bool:
    """Neither the middle of a sentence, nor a stamp of one word, nor a company's name."""
    words = line.split()
    return (
        not words[0][0].islower()
        and (len(words) > 1 or not line.isascii())
        and not words[-1].endswith((",", ";", "-"))
        and not COMPANY.search(plain(line))
    )


def first_date(sheet: Sheet) -> str | None:
    """The first date of the first page's upper part."""
    for line in sheet.lines[:30]:
        dates = find_dates(line, sheet.locale.day_first)
        if len(dates) == 1:  # two are a period
            return dates[0]
    return None


def due_date(sheet: Sheet) -> str | None:
    """The date in a sentence that says until when to pay."""
    for line in sheet.lines:
        match = PAY_UNTIL.search(plain(line))
        dates = find_dates(line[match.end() :], sheet.locale.day_first) if match else []
        if dates:
            return dates[0]
    return None


def agreement_date(sheet: Sheet) -> str | None:
    """The first full date of the text: agreements begin with it."""
    dates = find_dates(sheet.text[:6000].replace("\n", " "), sheet.locale.day_first)
    return dates[0] if dates else None


def governing_law(sheet: Sheet) -> str | None:
    """The state or country after "laws of"."""
    text = sheet.text.replace("\n", " ")
    governed = re.search("governed by|governing law|applicable law", text, re.IGNORECASE)
    match = LAW.search(text, governed.start()) if governed else None
    match = match or LAW.search(text)
    return match.group(1) if match else None


def period(sheet: Sheet) -> tuple[str | None, str | None]:
    """First and last day: the first line, or two lines, with two dates and a word between them."""
    lines = [*(f"{key} {value}" for key, value in sheet.document.forms), *sheet.lines]
    for one, two in pairwise([*lines, ""]):
        if not PERIOD_WORD.search(plain(f"{one} {two}")):
            continue
        for text in (one, f"{one} {two}"):
            dates = find_dates(text, sheet.locale.day_first)
            if len(dates) == 2 and dates[0] < dates[1] and PERIOD_WORD.search(plain(text)):
                return dates[0], dates[1]
    return None, None


def form_number(sheet: Sheet) -> str | None:
    """The number of a tax form, as printed: the first near the top, else the most frequent."""
    top = FORM.findall("\n".join(sheet.lines[:FORM_LINES]))
    found = FORM.findall(sheet.text)
    if top:
        return str(top[0])
    return max(found, key=lambda form: (found.count(form), -found.index(form))) if found else None


def tax_year(sheet: Sheet) -> str | None:
    """The year printed most often, the first of them on a tie."""
    lines = (line for line in sheet.lines[:150] if not REVISED.search(plain(line)))
    found = YEAR.findall("\n".join(lines))
    return max(found, key=lambda year: (found.count(year), -found.index(year))) if found else None


def filing_status(sheet: Sheet) -> str | None:
    """The filing status whose box is ticked."""
    for key, value in sheet.document.forms:
        if value.startswith("[X]") and re.search(
            r"single|married|head of household|widow|surviving", plain(key)
        ):
            return clean(key)
    return None


def recipient(sheet: Sheet) -> str | None:
    """The first line of the address above the greeting, else whom the letter greets."""
    for line in sheet.lines:
        if plain(line).startswith("to whom it may"):
            return clean(line).rstrip(",")
        match = DEAR.match(plain(line))
        if match:
            greeted = clean(line[match.start(1) : match.end(1)])
            surname = squeeze(greeted.split()[-1])
            block = _address_above(sheet)
            named = (name for name in block if surname in squeeze(name))
            return next(named, block[0] if block else greeted)
    return None


def recipient_organisation(sheet: Sheet) -> str | None:
    """The first line after the recipient's name that names a company."""
    return next((name for name in _address_above(sheet)[1:] if COMPANY.search(plain(name))), None)


def _address_above(sheet: Sheet) -> list[str]:
    """The names in the lines between the date or reference and the greeting."""
    lines = sheet.lines
    greeting = next((n for n, line in enumerate(lines) if DEAR.match(plain(line))), 0)
    block: list[str] = []
    for line in reversed(lines[max(0, greeting - ADDRESS_LINES) : greeting]):
        if not find_dates(line, sheet.locale.day_first) and ":" not in line:
            block.insert(0, line)
        elif block:  # the date and the reference may also stand between address and greeting
            break
    names = (party_name(line.rstrip(","), sheet.locale) for line in block)
    return [name for name in names if name and len(name) > 2]


def sender(sheet: Sheet) -> str | None:
    """The first name in the lines after the closing words."""
    for number, line in enumerate(sheet.lines):
        if CLOSING.match(plain(line)) and len(line) < 50:
            after = sheet.lines[number + 1 : number + 1 + SIGNATURE_LINES]
            names = [n for line in after if (n := person_name(line.split(",")[0], sheet.locale))]
            full = [name for name in names if len(name.split()) > 1]
            if names:
                return next(iter(full), names[0])
    return None
