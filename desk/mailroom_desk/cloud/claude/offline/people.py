"""Fields of resumes and identity documents that need more than a label."""

import re
from itertools import pairwise, takewhile

from mailroom_desk.cloud.claude.offline.dates import MONTH_NUMBERS
from mailroom_desk.cloud.claude.offline.keywords import TITLES, WORDS
from mailroom_desk.cloud.claude.offline.label_finder import is_label_line
from mailroom_desk.cloud.claude.offline.labels import FIELDS, Field
from mailroom_desk.cloud.claude.offline.letterhead import ADDRESSED_LINES, TITLE_OF_PERSON, columns
from mailroom_desk.cloud.claude.offline.sheet import Sheet
from mailroom_desk.cloud.claude.offline.values import (
    COMPANY,
    EMAIL,
    PHONE,
    WEBSITE,
    clean,
    person_name,
)
from mailroom_desk.cloud.claude.offline.words import contains, phrases, plain, squeeze

PLACE = re.compile(
    r"\b([A-Z][\w.'-]+(?: [A-Z][\w.'-]+){0,2}, (?:[A-Z]{2}\b|[A-Z][a-z]+(?: [A-Z][a-z]+)?))"
)
# "86150 Augsburg", "1141 AB Monnickendam".
TOWN = re.compile(
    r"(?:^|[,\s])((?:[A-Z]{1,2}-)?(?:\d{5}|\d{4}(?: [A-Z]{2})?) [A-Z][^\W\d_][^\d,|•·]*?)"
    r"\s*(?=$|[,|•·])"
)
SCHOOL = re.compile(
    r"\b(?:universi[td]\w*|college|school|institute of technology|\w*hochschule|ecole|escuela|"
    r"polit\w+|akademie|academy|berufsschule|gymnasium|lycee|liceo|instituto|istituto|hogeschool)\b"
)
# "2019 - Present", "seit 03/2016": a period that goes on.
OPEN = (
    r"(?:present|now|today|current|heute|aujourd['’]hui|ce jour|(?:la )?actualidad|actual|oggi|"
    r"presente|heden)"
)
YEAR = r"(?:\d{1,2}[/.])?(?:19|20)\d\d"
TO = r"\s*(?:-|–|—|to|bis|à|a|ad|al)\s*(?:\w+\.?\s+)?"
SINCE = rf"(?:since|seit|depuis|desde|dal|sinds)\s+(?:\w+\.?\s+)?{YEAR}"
PERIOD = re.compile(rf"\b{YEAR}\b{TO}(?:{YEAR}|{OPEN})|\b{SINCE}", re.IGNORECASE)
OPEN_PERIOD = re.compile(rf"\b{YEAR}\b{TO}{OPEN}\b|\b{SINCE}\b", re.IGNORECASE)
LEADING_PERIOD = re.compile(
    rf"^\W*(?:{SINCE}|(?:(?:da|dal|from|von|de|van)\s+)?(?:(?:{'|'.join(MONTH_NUMBERS)})\.?\s+)?{YEAR}(?:{TO}(?:{YEAR}|{OPEN}))?)\b[\s:|,–-]*",
    re.IGNORECASE,
)
EXPERIENCE = re.compile(
    r"\b(?:experience|employment|work history|berufserfahrung|experiencia|esperienza|werkervaring)"
)
JOB = re.compile(
    r"\b(?:engineer|manager|director|developer|analyst|officer|ceo|cto|cfo|founder|assistant|"
    r"consultant|designer|scientist|researcher|intern|lead|head|president|teacher|professor|nurse|"
    r"accountant|architect|specialist|coordinator|administrator|technician|representative|"
    r"supervisor|editor|writer|lawyer|attorney|chef|cook|baker|driver|clerk|electrician|mechanic|"
    r"\w*ingenieur\w*|\w*leiter(?:in)?|\w*mechaniker(?:in)?|\w*techniker(?:in)?|"
    r"\w*kauf(?:frau|mann)|sachbearbeiter(?:in)?|\w*meister(?:in)?|\w*berater(?:in)?|"
    r"\w*lehrer(?:in)?|krankenpfleger(?:in)?|responsable|charge\w* de|directeur|directrice|"
    r"comptable|assistante|infirmi\w+|vendeu\w+|gerente|directora?|ingenier[oa]|contable|"
    r"administrativ[oa]|enfermer[oa]|tecnic[oa]|profesora?|responsabile|impiegat[oa]|ingegnere|"
    r"insegnante|direttore|direttrice|\w*medewerker|adviseur|verpleegkundige|docent|leraar)\b"
)

SHORTEST_IN_BOX = 4
# The last name's box stands beside or under the first name's.
BOX_LINES = 6
DOCUMENT_TYPES = TITLES["id_document"]
ISSUERS = phrases(
    """
    united states of america | usa | republique francaise | canada | united kingdom
    | bundesrepublik deutschland | deutschland | germany | france | espana | italia
    | repubblica italiana | koninkrijk der nederlanden | nederland | portugal
    | government of india | india | japan
    | australia | ireland | alabama | alaska | arizona | arkansas | california | colorado
    | connecticut | delaware | florida | georgia | hawaii | idaho | illinois | indiana
    | iowa | kansas | kentucky | louisiana | maine | maryland | massachusetts | michigan
    | minnesota | mississippi | missouri | montana | nebraska | nevada | new hampshire
    | new jersey | new mexico | new york | north carolina | north dakota | ohio | oklahoma
    | oregon | pennsylvania | rhode island | south carolina | south dakota | tennessee
    | texas | utah | vermont | virginia | washington | west virginia | wisconsin | wyoming
    | china | brasil | mexico | schweiz | suisse | osterreich | belgique | sverige
    | norge | polska | reino de espana
    """
)
ISSUER = re.compile(rf"\b(?:{'|'.join(ISSUERS)})\b")
# Between the title and the employer.
BETWEEN_PARTS = re.compile(r",\s| at | bei | chez | presso | bij | – | — | \| ")
BULLETS = "•-*·–"
STATION_LINES, LONGEST_STATION = 3, 90
LONGEST_TYPE, SHORTEST_TYPE = 50, 7
# Letters and digits, as on cards: figures alone are a code or a date.
BARE_NUMBER = re.compile(r"(?=\D*\d\D*\d)(?=[^A-Z]*[A-Z])[A-Z0-9]{8,12}")
# Of a card's or a passport's text: more is a document with other pages.
FIRST_LINES = 200
# Where a line goes on with the document's number.
NUMBERED = re.compile(r"\s+(?:N[º°o]\b|No\.|Nr\.|#|\d)")


def resume_name(sheet: Sheet) -> str | None:
    """The first line near the top that looks like a person's name."""
    names = [
        name
        for line in sheet.lines[:12]
        if (name := person_name(re.split(r"\s[|•·]\s|,", line)[0], sheet.locale))
        and name[0].isupper()
        and _is_no_heading(name)
        and not JOB.search(plain(name))
    ]
    two_lines = _name_of_two_lines(sheet, names)
    return two_lines or next((name for name in names if 2 <= len(name.split()) <= 4), None)


def _name_of_two_lines(sheet: Sheet, names: list[str]) -> str | None:
    """First name over last name, one of which the e-mail address is made of."""
    box = squeeze((email(sheet) or "").partition("@")[0])
    single = [name for name in names if " " not in name]
    for place, last in enumerate(single):
        # A heading in capitals can stand between the two, from the column beside them.
        alike = [name for name in single[:place] if name.isupper() == last.isupper()]
        if alike and len(last) >= SHORTEST_IN_BOX and squeeze(last) in box:
            return f"{alike[-1]} {last}"
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
    """The first "City, Region" or town with its postal code near the top, of no station."""
    for above, line in pairwise(["", *sheet.lines[:15]]):
        comparable = plain(line)
        if JOB.search(comparable) or PERIOD.search(f"{above} / {line}"):
            continue
        match = TOWN.search(line) or (None if COMPANY.search(comparable) else PLACE.search(line))
        if match:
            return match.group(1)
    return None


def education(sheet: Sheet) -> str | None:
    """The first line that names a school, without the dates on it."""
    found = [line for line in sheet.lines if SCHOOL.search(plain(line)) and len(line) < 120]
    return clean(_without_period(found[0])) if found else None


def current_position(sheet: Sheet) -> tuple[str | None, str | None]:
    """Title and employer of the station that goes on, else of the first one under its heading."""
    title, employer = _open_station(sheet)
    return (title, employer) if title and employer else _first_station(sheet)


def _open_station(sheet: Sheet) -> tuple[str | None, str | None]:
    """What stands on the line of the first period without an end, or on the lines beside it."""
    at = next((n for n, line in enumerate(sheet.lines) if OPEN_PERIOD.search(line)), None)
    if at is None:
        return None, None
    own = _without_period(sheet.lines[at])
    above = [*reversed(sheet.lines[max(0, at - STATION_LINES) : at])]
    below = [_without_period(line) for line in sheet.lines[at + 1 : at + 2]]
    if own and not JOB.search(plain(own)):  # the employer's line; the title stands over or under it
        title = next((line for line in (*above, *below) if _is_job(line)), None)
        return title and clean(title), next(iter(_parts(own)), None)
    lines = (own,) if own else (*above[:1], *below)
    parts = _parts(next((line for line in lines if _is_job(line)), ""))
    title = next((part for part in parts if JOB.search(plain(part))), None)
    if len(parts) == 1 and lines[:1] == tuple(above[:1]):  # the employer has a line of its own
        parts += _parts(next((line for line in below if line and line[0] not in BULLETS), ""))
    return title, next((part for part in parts if part != title), None)


def _is_job(line: str) -> bool:
    return bool(JOB.search(plain(line))) and len(line) < LONGEST_STATION and line[0] not in BULLETS


def _parts(text: str) -> list[str]:
    return [part for each in BETWEEN_PARTS.split(text) if (part := clean(each))]


def _without_period(line: str) -> str:
    """A line without the years that stand before or behind its text."""
    return _before_period(LEADING_PERIOD.sub("", line))


def _first_station(sheet: Sheet) -> tuple[str | None, str | None]:
    """Title and employer of the first entry under the experience heading."""
    lines = sheet.lines
    start = next(
        (n for n, line in enumerate(lines) if EXPERIENCE.search(plain(line)) and len(line) < 40),
        None,
    )
    if start is None:
        return None, None
    entry = [_without_period(line) for line in lines[start + 1 : start + 6]]
    entry = [line for line in entry if line]
    title_at = next(
        (n for n, line in enumerate(entry) if JOB.search(plain(line)) and len(line) < 90), None
    )
    if title_at is None:
        return None, None
    parts = _parts(entry[title_at])
    title = next((p for p in parts if JOB.search(plain(p))), parts[0])
    others = [p for p in parts if p != title]
    around = [
        line
        for n, line in enumerate(entry[: title_at + 3])
        if n != title_at and line[0] not in BULLETS and not PLACE.fullmatch(line)
    ]
    employer = next(iter(others), None) or next(iter(around), None)
    return title, clean(re.split(r",| – | - ", employer)[0]) if employer else None


def document_type(sheet: Sheet) -> str | None:
    """The first known name of an identity document, as printed."""
    for line in sheet.lines[:FIRST_LINES]:
        for part in (*line.split("/"), line):
            if any(contains(plain(part), squeeze(part), name) for name in DOCUMENT_TYPES):
                printed = clean(NUMBERED.split(_without_issuer(part))[0])
                return printed if len(printed) < LONGEST_TYPE else None
    return None


def _without_issuer(line: str) -> str:
    """The line up to the name of the country, where it begins with something else."""
    match = ISSUER.search(plain(line))
    return line[: match.start()] if match and match.start() > SHORTEST_TYPE else line


def document_number(sheet: Sheet) -> str | None:
    """The number of a card that is printed on a line of its own, with no label."""
    alone = (line for line in sheet.lines[:FIRST_LINES] if BARE_NUMBER.fullmatch(line))
    return next(alone, None)


def issuer(sheet: Sheet) -> str | None:
    """The first country or state that is printed on its own or in a short line."""
    for line in sheet.lines[:FIRST_LINES]:
        match = ISSUER.search(plain(line)) if len(line) < 60 else None
        if match:
            return line[match.start() : match.end()]
    return None


def name_of_two_boxes(sheet: Sheet, firsts: str, lasts: str = "last name") -> str | None:
    """First name and initial, with the last name of the box beside it."""
    first = next(iter(sheet.candidates(Field("person", ((firsts, 0),)))), None)
    if first is None:
        return None
    others = sheet.candidates(Field("person", ((lasts, 0),)))
    near = [last for last in others if abs(last.order - first.order) <= BOX_LINES]
    beside = min(near, key=lambda last: (last.cost, last.order), default=None)
    return f"{first.value} {beside.value}" if beside else None


def employee_name(sheet: Sheet) -> str | None:
    """Of the two boxes of an American or a British form."""
    return name_of_two_boxes(sheet, "employee's first name and initial") or name_of_two_boxes(
        sheet, "forenames", "surname"
    )


def addressee(sheet: Sheet) -> str | None:
    """The person that stands behind or under "Mr", "Frau" or the like near the top."""
    for lines in (*columns(sheet), sheet.lines[:ADDRESSED_LINES]):
        for line, below in pairwise([*lines, ""]):
            title = TITLE_OF_PERSON.match(f"{line} ")
            rest = line[title.end() :] if title else ""
            name = person_name(line if rest else below, sheet.locale) if title else None
            if name and len((rest or name).split()) > 1 and _is_no_heading(name):
                return name
    return None


def surnames(sheet: Sheet) -> str | None:
    """Two family names under their label in the plural, as Spain prints them, one on each line."""
    at = next((n for n, line in enumerate(sheet.lines) if plain(line) == "apellidos"), None)
    if at is None:
        return None
    below = takewhile(lambda line: not is_label_line(plain(line)), sheet.lines[at + 1 : at + 3])
    names = [name for line in below if (name := person_name(line, sheet.locale))]
    return " ".join(names) or None


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
