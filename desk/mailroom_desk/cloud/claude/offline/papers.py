"""Fields of letters, contracts, forms and other papers that need more than a label."""

import re
from itertools import pairwise

from mailroom_desk.cloud.claude.offline.dates import find_dates
from mailroom_desk.cloud.claude.offline.keywords import TITLES
from mailroom_desk.cloud.claude.offline.label_finder import is_label_line
from mailroom_desk.cloud.claude.offline.labels import FIELDS
from mailroom_desk.cloud.claude.offline.letterhead import (
    BETWEEN_PARTS,
    TITLE_OF_PERSON,
    address_blocks,
    core,
    letterhead,
    name_in,
)
from mailroom_desk.cloud.claude.offline.people import addressee
from mailroom_desk.cloud.claude.offline.sheet import Sheet
from mailroom_desk.cloud.claude.offline.values import (
    COMPANY,
    clean,
    is_address,
    party_name,
    person_name,
)
from mailroom_desk.cloud.claude.offline.words import contains, plain, squeeze, word_set

FORM = re.compile(
    r"(?<![\d-])\b(?:Form\s*)?((?:W-?[249]|1040|1098|1099|10-[QK]|1005|94[01]|1065|1120)(?:-[A-Z]{1,4})?|P(?:45|60))\b"
)
# Forms that have a name and no number.
NAMED_FORM = re.compile(
    r"\b(?:lohnsteuerbescheinigung|einkommensteuererklarung|einkommensteuerbescheid|avis d'impot|"
    r"certificazione unica|jaaropgaaf|modelo \d{3})\b"
)
YEAR = re.compile(r"(?<![\d/\-.])(20\d\d|19\d\d)(?![\d/\-.])")
REVISED = re.compile(r"\brev(?:\.|ised|ision)|\bexpires\b|\(c\)|©")
FORM_LINES = 10
DEAR = re.compile(
    r"^\W*(?:dear|sehr geehrte[rs]?(?: herr| frau)?|cher|chere|estimad[oa]|egregio|gentile|geachte|"
    r"beste|prezad[oa])\s+([^,:]{2,50})"
)
HELLO = re.compile(r"^\W*(?:hi|hello|hallo|bonjour|hola|ciao|good (?:morning|afternoon))\b")
# A greeting that names nobody.
GREETING = re.compile(
    r"^\W*(?:(?:sehr geehrte |dear |geachte )?"
    r"(?:damen und herren|sirs?(?: or madam)?|madam|heer,? mevrouw|"
    r"heer of mevrouw|customer|resident|madame|monsieur|mesdames|messieurs|signori|senores)"
    r"(?:,\s*(?:madame|monsieur|messieurs))?)\W*$"
)
CLOSING = re.compile(
    r"^\W*(?:sincerely|yours|kind regards|best regards|regards|best|respectfully|very truly|"
    r"cordially|many thanks|thanks|mit freundlichen|freundliche gru|viele gru|beste gru|"
    r"hochachtungsvoll|cordialement|bien a vous|atentamente|un (?:cordial )?saludo|saludos|"
    r"distinti saluti|cordiali saluti|in fede|met vriendelijke|hoogachtend|atenciosamente)"
)
# A closing that is a whole sentence.
COURTESY = re.compile(
    r"^\W*(?:je vous prie|nous vous prions|veuillez (?:agreer|recevoir)|la saluto|le saluda)\b"
)
# Headings of parts that are printed where a title could stand.
SECTIONS = word_set("abstract summary introduction conclusion references tableofcontents contents")
# The label of a number bears the name of the paper, and is not its title.
NUMBER_LABEL = re.compile(r"^(?:numero|numer|n') |\b(?:number|no|nr|\w*nummer)\W*$")
BALANCE = re.compile(r"\b(?:balance|saldo|solde|kontostand)\b")
ZIP_AT_END = re.compile(r"\b\d{5}(?:-\d{4})?$")
# A day of birth is never the day of the paper; nor is what stands right behind the word.
BORN = re.compile(
    r"(?:\bdate of birth|\bborn\b|\bdob\b|\bgeburtsdatum|\bgeboren|\bnaissance|\bnee? le\b|"
    r"\bnacimiento|\bnacid[oa]\b|\bnascita|\bnat[oa] (?:a|il)\b|\bgeboortedatum).{0,40}"
)
SORT_CODE = re.compile(r"(?<![\d-])\d\d-\d\d-\d\d(?![\d-])")
# A subject without a label stands alone beside the greeting, in so many words.
SUBJECT_WORDS = range(3, 13)
FOOT_LINES = 8
LAW = re.compile(
    r"laws?\s+of\s+(?:the\s+)?(?:(?:State|Commonwealth|Province|Republic)\s+of\s+)?((?:[A-Z][a-z]+)(?:\s+[A-Z][a-z]+)?)"
)
PERIOD_WORD = re.compile(r"\b(?:to|through|thru|until|bis|au|al|hasta|tot)\b|\s[-–—]\s")
PAY_UNTIL = re.compile(
    r"(?:\bzahlbar|\bfallig|\buberweisen\b.{0,40}|\bdue\b|\bpayable|\bpayment\b.{0,30}|\bpay\b.{0,30}|"
    r"\ba payer|\breglement\b.{0,20}|"
    r"\bpago\b.{0,20}|\bpagar|\bpagare|\bpagamento\b.{0,20}|\bbetalen\b.{0,20}|\bvoldoen)"
    r".{0,25}?\b(?:bis|by|before|on|until|am|avant|le|antes|entro|voor|ate)\b"
    r"|\bbis\b(?=.{6,24}\b(?:ohne abzug|netto)\b)"
)
CLOCK = re.compile(r"(?<!\d)\d{1,2}[:h]\d\d(?!\d)")
SIGNATURE_LINES = 5
ADDRESS_LINES = 8
NAME_WORDS = 6


def title(sheet: Sheet) -> str | None:
    """The first line that names a kind of paper, else the first prominent line."""
    top = sheet.lines[:25]
    for line in top:
        squeezed = squeeze(line)
        if squeezed in SECTIONS or NUMBER_LABEL.search(plain(line)):
            continue
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
        and squeeze(line) not in SECTIONS
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
    has_sort_codes = "sort code" in plain(sheet.text)
    for above, line in pairwise(["", *sheet.lines[:30]]):
        if BORN.search(plain(f"{above} {line}")):
            continue
        text = SORT_CODE.sub(" ", line) if has_sort_codes else line
        dates = find_dates(text, sheet.locale.day_first)
        if len(dates) == 1 and not BALANCE.search(plain(line)):  # two are a period
            return dates[0]
    return None


def till_date(sheet: Sheet) -> str | None:
    """As `first_date`, else the date with a time beside it, which tills print at the foot."""
    timed = (line for line in sheet.lines if CLOCK.search(line))
    dates = (find_dates(line, sheet.locale.day_first) for line in timed)
    return first_date(sheet) or next((found[0] for found in dates if len(found) == 1), None)


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
    text = sheet.text[:6000].replace("\n", " ")
    for born in reversed(list(BORN.finditer(plain(text)))):
        text = text[: born.start()] + text[born.end() :]
    dates = find_dates(text, sheet.locale.day_first)
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
    if found:
        return str(max(found, key=lambda form: (found.count(form), -found.index(form))))
    named = NAMED_FORM.search(plain(sheet.text))
    return sheet.text[named.start() : named.end()] if named else None


def tax_year(sheet: Sheet) -> str | None:
    """The year at its label, else the one printed most often, the first of them on a tie."""
    for candidate in sheet.candidates(FIELDS["tax_year"]):
        if labelled := YEAR.search(candidate.value):
            return labelled.group()
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
    """The person above the greeting whom it names, else the first line of the address above it."""
    at, greeted = _greeting(sheet)
    if at is None:
        return greeted
    writer = squeeze(sender(sheet) or "")
    block = [name for name in _address_above(sheet) if squeeze(name) != writer]
    if greeted is None:
        # Where the writer's address stands there as well, it stands first.
        apart = [names for names in address_blocks(sheet) if names[0] in block]
        names = apart[-1] if len(apart) > 1 else block
        return addressee(sheet) or (names[0] if names else None)
    surname = squeeze(greeted.split()[-1])
    above = (party_name(line.rstrip(","), sheet.locale) for line in sheet.lines[:at])
    named = (
        name
        for name in (*block, *filter(None, above))
        if surname in squeeze(name)
        and len(name.split()) <= NAME_WORDS
        and not COMPANY.search(plain(name))
    )
    return next(named, block[0] if block else greeted)


def _greeting(sheet: Sheet) -> tuple[int | None, str | None]:
    """The line of the greeting, and whom it names."""
    for number, line in enumerate(sheet.lines):
        comparable = plain(line)
        if comparable.startswith("to whom it may"):
            return None, clean(line).rstrip(",")
        if GREETING.match(comparable):
            return number, None
        if match := DEAR.match(comparable):
            return number, clean(line[match.start(1) : match.end(1)])
    return None, None


def subject(sheet: Sheet) -> str | None:
    """A line that stands alone under the greeting, or above it where the address has ended."""
    at, _ = _greeting(sheet)
    if at is None:
        return None
    under, after = (*sheet.lines[at + 1 : at + 3], "", "")[:2]
    if after and not after[0].islower() and _is_subject(under, sheet):
        return clean(under)
    before = _subject_above(sheet, at)
    return clean(before) if before else None


def _subject_above(sheet: Sheet, greeting: int) -> str | None:
    """The line above the greeting, where the address or the date has ended before it."""
    before, above = (*reversed(sheet.lines[max(0, greeting - 2) : greeting]), "", "")[:2]
    has_ended = is_address(above) or ":" in above or find_dates(above, sheet.locale.day_first)
    return before if has_ended and _is_subject(before, sheet) else None


def _is_subject(line: str, sheet: Sheet) -> bool:
    return (
        len(line.split()) in SUBJECT_WORDS
        and not line[0].islower()
        and line[-1] not in ".,;:!"
        and ":" not in line
        and not is_address(line)
        and not ZIP_AT_END.search(line)
        and not TITLE_OF_PERSON.match(line)
        and not find_dates(line, sheet.locale.day_first)
    )


def sender_organisation(sheet: Sheet) -> str | None:
    """The name in a foot that holds a whole address, else the letterhead; never the addressee."""
    for line in (*sheet.lines[:FOOT_LINES], *sheet.lines[-FOOT_LINES:]):
        first, *parts = BETWEEN_PARTS.split(line)
        name = name_in(sheet, first) if len(parts) > 1 and any(map(is_address, parts)) else None
        # "Town Hall, High Street | …": before a comma may stand the house.
        is_list = line[len(first) :].startswith(",")
        is_known = name and (
            COMPANY.search(plain(name)) or sheet.squeezed.count(squeeze(name)) > 1 or not is_list
        )
        if is_known:
            return name
    other = recipient(sheet)
    found = letterhead(sheet, other)
    is_addressee = found and other and core(found) in core(other)
    is_courtesy = any(words.match(plain(found or "")) for words in (HELLO, DEAR, CLOSING))
    is_none = is_addressee or is_courtesy or TITLE_OF_PERSON.match(found or "")
    return None if is_none else found


def recipient_organisation(sheet: Sheet) -> str | None:
    """The first line after the recipient's name that names a company."""
    return next((name for name in _address_above(sheet)[1:] if COMPANY.search(plain(name))), None)


def _address_above(sheet: Sheet) -> list[str]:
    """The names in the lines between the date or reference and the greeting."""
    lines = sheet.lines
    greeting = _greeting(sheet)[0] or 0
    block: list[str] = []
    if greeting and lines[greeting - 1] == _subject_above(sheet, greeting):
        greeting -= 1
    for line in reversed(lines[max(0, greeting - ADDRESS_LINES) : greeting]):
        if not find_dates(line, sheet.locale.day_first) and ":" not in line:
            block.insert(0, line)
        elif block:  # the date and the reference may also stand between address and greeting
            break
    if len(block) == 1 and not is_address(block[0]):  # a subject, or the writer's room
        return []
    names = (party_name(line.rstrip(","), sheet.locale) for line in block)
    return [name for name in names if name and len(name) > 2]


def sender(sheet: Sheet) -> str | None:
    """The first name in the lines after the closing words."""
    for number, line in enumerate(sheet.lines):
        closing = CLOSING.match(plain(line)) and len(line) < 50
        if closing or COURTESY.match(plain(line)):
            after = sheet.lines[number + 1 : number + 1 + SIGNATURE_LINES]
            names = [n for line in after if (n := person_name(line.split(",")[0], sheet.locale))]
            full = [name for name in names if len(name.split()) > 1]
            if names:
                return next(iter(full), names[0])
    return None
