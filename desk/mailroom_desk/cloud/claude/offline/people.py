"""Fields of resumes and identity documents that need more than a label."""

import re

from mailroom_desk.cloud.claude.offline.keywords import TITLES, WORDS
from mailroom_desk.cloud.claude.offline.labels import FIELDS, Field
from mailroom_desk.cloud.claude.offline.sheet import Sheet
from mailroom_desk.cloud.claude.offline.values import EMAIL, PHONE, WEBSITE, clean, person_name
from mailroom_desk.cloud.claude.offline.words import contains, phrases, plain, squeeze

PLACE = re.compile(
    r"\b([A-Z][\w.'-]+(?: [A-Z][\w.'-]+){0,2}, (?:[A-Z]{2}\b|[A-Z][a-z]+(?: [A-Z][a-z]+)?))"
)
SCHOOL = re.compile(
    r"\b(?:universi[td]\w*|college|school|institute of technology|hochschule|ecole|escuela|"
    r"polit\w+|akademie|academy)\b"
)
PERIOD = re.compile(
    r"\b(?:19|20)\d\d\b\s*(?:-|–|—|to|bis|a)\s*(?:\w+\.?\s+)?"
    r"(?:(?:19|20)\d\d|present|now|today|current|heute|actual|oggi|heden)",
    re.IGNORECASE,
)
EXPERIENCE = re.compile(
    r"\b(?:experience|employment|work history|berufserfahrung|experiencia|esperienza|werkervaring)"
)
JOB = re.compile(
    r"\b(?:engineer|manager|director|developer|analyst|officer|ceo|cto|cfo|founder|assistant|"
    r"consultant|designer|scientist|researcher|intern|lead|head|president|teacher|professor|nurse|"
    r"accountant|architect|specialist|coordinator|administrator|technician|representative|"
    r"supervisor|editor|writer|lawyer|attorney|ingenieur|leiter)\b"
)

# The last name's box stands beside or under the first name's.
BOX_LINES = 6
DOCUMENT_TYPES = TITLES["id_document"]
ISSUERS = phrases(
    """
    united states of america | usa | republique francaise | canada | united kingdom
    | bundesrepublik deutschland | deutschland | germany | france | espana | italia
    | repubblica italiana | nederland | portugal | government of india | india | japan
    | australia | ireland | alabama | alaska | arizona | arkansas | california | colorado
    | connecticut | delaware | florida | georgia | hawaii | idaho | illinois | indiana
    | iowa | kansas | kentucky | louisiana | maine | maryland | massachusetts | michigan
    | minnesota | mississippi | missouri | montana | nebraska | nevada | new hampshire
    | new jersey | new mexico | new york | north carolina | north dakota | ohio | oklahoma
    | oregon | pennsylvania | rhode island | south carolina | south dakota | tennessee
    | texas | utah | vermont | virginia | washington | west virginia | wisconsin | wyoming
    | china | brasil | mexico | schweiz | suisse | osterreich | belgique | sverige
    | norge | polska
    """
)
ISSUER = re.compile(rf"\b(?:{'|'.join(ISSUERS)})\b")
# Of a card's or a passport's text: more is a document with other pages.
FIRST_LINES = 200
# Where a line goes on with the document's number.
NUMBERED = re.compile(r"\s+(?:N[º°o]\b|No\.|Nr\.|#|\d)")


def resume_name(sheet: Sheet) -> str | None:
    """The first line near the top that looks like a person's name."""
    for line in sheet.lines[:12]:
        name = person_name(re.split(r"\s[|•·]\s|,", line)[0], sheet.locale)
        if name and 2 <= len(name.split()) <= 4 and _is_no_heading(name) and name[0].isupper():
            return name
    return None


def website(sheet: Sheet) -> str | None:
    """The first web address that is no e-mail address."""
    text = EMAIL.sub(" ", sheet.text)
    match = WEBSITE.search(text)
    return match.group().rstrip(".") if match else None


def email(sheet: Sheet) -> str | None:
    """The first e-mail address."""
    match = EMAIL.search(sheet.text)
    return match.group() if match else None


def phone(sheet: Sheet) -> str | None:
    """The first telephone number."""
    for match in PHONE.finditer(sheet.text):
        if not PERIOD.search(match.group()):
            return match.group().strip()
    return None


def location(sheet: Sheet) -> str | None:
    """The first "City, Region" near the top."""
    for line in sheet.lines[:15]:
        match = PLACE.search(line)
        if match:
            return match.group(1)
    return None


def education(sheet: Sheet) -> str | None:
    """The first line that names a school, without the dates on it."""
    found = [line for line in sheet.lines if SCHOOL.search(plain(line)) and len(line) < 120]
    return clean(_before_period(found[0])) if found else None


def current_position(sheet: Sheet) -> tuple[str | None, str | None]:
    """Title and employer of the first entry under the experience heading."""
    lines = sheet.lines
    start = next(
        (n for n, line in enumerate(lines) if EXPERIENCE.search(plain(line)) and len(line) < 40),
        None,
    )
    if start is None:
        return None, None
    entry = [_before_period(line) for line in lines[start + 1 : start + 6]]
    entry = [line for line in entry if line]
    title_at = next(
        (n for n, line in enumerate(entry) if JOB.search(plain(line)) and len(line) < 90), None
    )
    if title_at is None:
        return None, None
    parts = [
        clean(p) for p in re.split(r",\s| at | bei | – | — | \| ", entry[title_at]) if clean(p)
    ]
    title = next((p for p in parts if JOB.search(plain(p))), parts[0])
    others = [p for p in parts if p != title]
    around = [
        line
        for n, line in enumerate(entry[: title_at + 3])
        if n != title_at and not PLACE.fullmatch(line)
    ]
    employer = next(iter(others), None) or next(iter(around), None)
    return title, clean(re.split(r",| – | - ", employer)[0]) if employer else None


def document_type(sheet: Sheet) -> str | None:
    """The first known name of an identity document, as printed."""
    for line in sheet.lines[:FIRST_LINES]:
        for name in DOCUMENT_TYPES:
            if contains(plain(line), squeeze(line), name):
                return clean(NUMBERED.split(line)[0]) if len(line) < 50 else None
    return None


def issuer(sheet: Sheet) -> str | None:
    """The first country or state that is printed on its own or in a short line."""
    for line in sheet.lines[:FIRST_LINES]:
        match = ISSUER.search(plain(line)) if len(line) < 60 else None
        if match:
            return line[match.start() : match.end()]
    return None


def name_of_two_boxes(sheet: Sheet, label: str) -> str | None:
    """First name and initial, with the last name of the box beside it."""
    firsts = sheet.candidates(Field("person", ((label, 0),)))
    if not firsts:
        return None
    lasts = sheet.candidates(Field("person", (("last name", 0),)))
    near = [last for last in lasts if abs(last.order - firsts[0].order) <= BOX_LINES]
    beside = min(near, key=lambda last: (last.cost, last.order), default=None)
    return f"{firsts[0].value} {beside.value}" if beside else None


def licence_name(sheet: Sheet, number: int) -> str | None:
    """The name at field 1 or 2 of a driving licence, of which only the number is printed."""
    for line in sheet.lines:
        match = re.match(rf"{number}[.\s]\s*(?P<name>[^\W\d_][^\d_]*)$", line)
        if match:
            return person_name(match["name"], sheet.locale)
    return None


def _before_period(line: str) -> str:
    return clean(re.split(r"\b(?:\w{3,9}\.?\s+)?(?:19|20)\d\d\b", line)[0])


def _is_no_heading(name: str) -> bool:
    squeezed = squeeze(name)
    headings = (*TITLES["resume"], *WORDS["resume"], *(label for label, _ in FIELDS["name"].labels))
    return not any(contains(plain(name), squeezed, heading) for heading in headings)
