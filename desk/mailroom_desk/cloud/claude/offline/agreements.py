"""Parties and term of an agreement.

`parties(sheet)` and `term(sheet)` return two values each, None for what was not found. Parties
stand after "between", after "of the one part" or before the role in brackets, else at the label of
a role; the term in the clause that says when the agreement begins and when it ends.
"""

import re

from mailroom_desk.cloud.claude.offline.dates import find_dates
from mailroom_desk.cloud.claude.offline.labels import FIELDS, Field
from mailroom_desk.cloud.claude.offline.letterhead import TITLE_OF_PERSON
from mailroom_desk.cloud.claude.offline.sheet import Sheet
from mailroom_desk.cloud.claude.offline.values import clean
from mailroom_desk.cloud.claude.offline.words import phrases, plain

# An agreement names its parties in so many characters from the beginning.
PREAMBLE = 6000
LEGAL = r"(?:Inc|LLC|L\.L\.C|Ltd|Limited|LLP|LP|Corp|GmbH|S\.A|S\.L|B\.V|S\.p\.A|S\.r\.l)"
# A full stop that ends a name, not a title or a legal form.
STOP = r"(?<!\bDr)(?<!\bMr)(?<!\bMrs)(?<!\bMs)(?<!\bSt)(?<!\b[A-Z])\.\s"
BETWEEN = re.compile(
    r"\b(?:[Bb]etween|[Zz]wischen|[Ee]ntre|[Tt]ra|[Tt]ussen|BETWEEN)\b[\s:]*(?P<one>.{2,120}?)\s*"
    rf"(?:,(?!\s*{LEGAL}\b)|\(|\bwith\b|\band\b|\bund\b|\bet\b|\by\b|\be\b|\ben\b)"
    r"(?P<middle>.{0,600}?)(?:\band\b|\bund\b|\bet\b|\bwith\b|,\s+e\b|\ben\b(?=\s+[A-Z]))\s+"
    r"(?:(?:der|die|dem|den|la|le|il|lo)\s+)?"
    rf"(?P<two>[A-Z].{{1,80}}?)\s*(?:,(?!\s*{LEGAL}\b)|\(|{STOP}|\bis\b|\bwith\b|;|\n|$)",
    re.DOTALL,
)
# Parties that are set out one after the other, each with its role behind it.
NAMED = r"\s*[:,]?\s*(?:\d[.)]\s*)?(?P<name>[^\s,;(].{1,90}?)\s*[,;(]"
SET_OUT = tuple(
    (re.compile(f"(?:{one}){NAMED}"), re.compile(f"(?:{two}){NAMED}"))
    for one, two in (
        (r"\bles soussigne\w*", r"\bet\s*:|d'une part,?\s+et\b"),
        (r"\bde una parte\b", r"\b(?:y )?de (?:la )?otra(?: parte)?\b"),
        (r"\b(?:da|d'|di) una parte\b|\bi sottoscritti\b", r"\b(?:dall|d)'altra(?: parte)?\b"),
        (r"\bondergetekenden\b", r"[;,]\s*(?:en\s+)?2[.)]"),
    )
)
# Before the name of a company: what it is.
KIND = re.compile(
    r"^(?:(?:la|le|el|il|de|der|die|dem|den|the)\s+)?(?:societe|sociedad|societa|firma)\s+"
    r"|^(?:la|le|il|lo|der|die|dem|den)\s+"
)
# Before the name of a person, where a comma does not stand between.
HONORIFIC = re.compile(r"^(?:d\.|don|dona|dna\.?|d\.a|sig(?:\.ra)?\.?|mevrouw|de heer)\s+")
IN_ROLE = re.compile(
    r"(?:,|\bof|\bbetween|\band|\bfrom|\bby|\bto)\s+(?:the\s+undersigned,?\s+)?"
    rf"(?P<name>[A-Z][^,(\"“”;:]{{2,60}}?(?:,\s{LEGAL}\.?)?)\s*\((?:the\s+|hereinafter\s+)?[\"“”]"
)
NO_PARTY = re.compile(r"\b(?:the|this|each|both|it|of|hereto|parties)\b", re.IGNORECASE)
# A role at the foot names who signs: what is to count must stand beside its label.
SUREST_LABELS = 1.0
INSURED = Field(
    "party",
    tuple(
        (label, 0)
        for label in phrases(
            """
            policyholder | policy holder | insured | named insured | versicherungsnehmer
            | souscripteur | assure | tomador | asegurado | contraente | verzekeringnemer
            """
        )
    ),
)
BEGINS = re.compile(
    r"\b(?:commenc(?:e|es|ing)|begins?|starts?|beginnt|prend effet|debute|a compter du|comienza|"
    r"se inicia|(?:plazo|duracion|vigencia|vigor)\b.{0,60}?\bdesde el|decorr\w+|gaat in|ingaande|"
    r"period of insurance|mietbeginn|vertragsbeginn|with effect from|effective from)\b"
)
ENDS = re.compile(
    r"\b(?:(?:continues?|remains?|in (?:full )?force|term|valid|runs?)\b.{0,80}?\buntil|expires?|"
    r"ends? on|terminates? on|endet|befristet bis|(?:laufzeit|vom)\b.{0,40}?\bbis(?: zum)?|expire|"
    r"prend fin|(?:duree|court|a compter du)\b.{0,60}?\bjusqu'au|"
    r"desde el\b.{0,40}?\bhasta el|finaliza\w*|scad\w+ il|fino al|eindigt|"
    r"mietende|vertragsende|due and payable (?:in full )?on|"
    r"matures? on|period of insurance)\b"
)
# A date further away than that belongs to another part of the sentence.
REACH = 55


def parties(sheet: Sheet) -> tuple[str | None, str | None]:
    """The parties without their addresses and roles."""
    text = sheet.text[:PREAMBLE].replace("\n", " ")
    return _set_out(text) or _between(text) or _in_roles(text) or _labelled(sheet)


def term(sheet: Sheet) -> tuple[str | None, str | None]:
    """First and last day, each the first that a clause gives."""
    text = sheet.text.replace("\n", " ")
    begins = _dated(text, BEGINS, sheet, before=ENDS)
    ends = _dated(text, ENDS, sheet)
    first = begins[0] if begins else None
    last = ends[-1] if ends and ends[-1] != first else None
    return first, last


def _dated(
    text: str, words: re.Pattern[str], sheet: Sheet, before: re.Pattern[str] | None = None
) -> list[str]:
    """The dates right after the first of some words that has one, and before some other words."""
    for match in words.finditer(plain(text)):
        near = text[match.end() : match.end() + REACH]
        other = before.search(plain(near)) if before else None
        dates = find_dates(near[: other.start()] if other else near, sheet.locale.day_first)
        if dates:
            return dates
    return []


def _between(text: str) -> tuple[str | None, str | None] | None:
    match = BETWEEN.search(text)
    found = (_party(match["one"]), _party(match["two"])) if match else (None, None)
    return found if any(found) else None


def _set_out(text: str) -> tuple[str | None, str | None] | None:
    comparable = plain(text)
    for one, two in SET_OUT:
        first = one.search(comparable)
        second = two.search(comparable, first.end("name")) if first else None
        if first and second:
            return _party(text[slice(*first.span("name"))]), _party(
                text[slice(*second.span("name"))]
            )
    return None


def _in_roles(text: str) -> tuple[str | None, str | None] | None:
    names = list(dict.fromkeys(_party(match["name"]) for match in IN_ROLE.finditer(text)))
    return (names[0], names[1]) if len(names) > 1 else None


def _labelled(sheet: Sheet) -> tuple[str | None, str | None]:
    """Both parties at the labels of their roles; of a policy the one who is insured."""
    first, second, insured = (
        next((c.value for c in sheet.candidates(field) if c.cost <= SUREST_LABELS), None)
        for field in (FIELDS["party_1"], FIELDS["party_2"], INSURED)
    )
    return (first, second) if first and second else (None, insured)


def _party(text: str) -> str | None:
    name = TITLE_OF_PERSON.sub("", clean(text.strip(" \"'“”«»")))
    for before in (KIND, HONORIFIC):
        if match := before.match(plain(name)):
            name = name[match.end() :]
    if NO_PARTY.match(name) or not 2 <= len(name) <= 70:
        return None
    return name
