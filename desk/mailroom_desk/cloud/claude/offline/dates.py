"""Dates: printed text → ISO date.

`find_dates(text, day_first)` returns the dates of a text, in order. `day_first` settles
"03/04/2020"; `uses_day_first` finds it from the document's other dates, else from a fallback.
"""

import datetime
import re
from collections.abc import Iterator

from mailroom_desk.cloud.claude.offline.amounts import to_ascii_digits
from mailroom_desk.cloud.claude.offline.words import plain

# Month names as `plain` text, one line a month.
MONTHS = """\
january januar janner janvier enero gennaio januari janeiro jan ene gen
february februar fevrier febrero febbraio februari fevereiro feb fev fevr
march marz mars marzo maart marco mar mrt maerz
april avril abril aprile apr avr abr
may mai mayo maggio mei maio mag
june juni juin junio giugno junho jun giu
july juli juillet julio luglio julho jul juil lug
august aout agosto augustus aug ago
september septembre septiembre settembre setembro sep sept set
october oktober octobre octubre ottobre outubro oct okt ott out
november novembre noviembre novembro nov
december dezember decembre diciembre dicembre dezembro dec dez dic"""
MONTH_NUMBERS = {
    name: number for number, line in enumerate(MONTHS.split("\n"), 1) for name in line.split()
}
MONTH = "(?P<name>" + "|".join(sorted(MONTH_NUMBERS, key=len, reverse=True)) + r")(?![a-z])"
YEAR = r"(?P<y>(?:1[89]|20)\d\d|\d\d)(?!\d)"
YEAR4 = r"(?P<y>(?:1[89]|20)\d\d)(?!\d)"
PATTERNS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"(?<![\d./-]){YEAR4}\s?[-/.]\s?(?P<m>\d{{1,2}})\s?[-/.]\s?(?P<d>\d{{1,2}})(?!\d)",
        rf"(?<!\d){YEAR4}\s?[年년]\s?(?P<m>\d{{1,2}})\s?[月월]\s?(?P<d>\d{{1,2}})\s?[日일]?",
        rf"(?<![\d./-])(?P<a>\d{{1,2}})\s?(?P<mark>[-/.])\s?(?P<b>\d{{1,2}})\s?(?P=mark)\s?{YEAR}(?![/-])",
        rf"(?<!\d)(?P<d>\d{{1,2}})(?:st|nd|rd|th|\.|'|er)?[\s\-/.,]*(?:day\s)?(?:of\s|de\s|di\s)?[\s\-/]*"
        rf"{MONTH}\.?(?:\s*/\s*[a-z]{{3,9}})?[\s\-/.,']*(?:de\s|del\s|do\s)?{YEAR}",
        rf"(?<![a-z]){MONTH}[\s\-/.,]*(?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?:\s*,\s*|[\s\-/.]+){YEAR4}",
        rf"(?<!\d){YEAR4}[\s\-/.]+{MONTH}[\s\-/.]+(?P<d>\d{{1,2}})(?!\d)",
        rf"(?<!\d)(?P<a>\d{{2}})(?P<mark>\s)(?P<b>\d{{2}})\s{YEAR4}",
    )
)
# Two digits: up to ten years ahead of 2025 belong to this century.
PIVOT = 35


def find_dates(text: str, day_first: bool = False) -> list[str]:
    """Return the dates of a text as ISO dates, in the order in which they stand."""
    return [date for _, _, date in sorted(_found(text, day_first))]


def without_dates(text: str, day_first: bool = False) -> str:
    """The text with its dates blanked out."""
    for start, end, _ in _found(text, day_first):
        text = text[:start] + " " * (end - start) + text[end:]
    return text


def _found(text: str, day_first: bool) -> list[tuple[int, int, str]]:
    """Where each date begins and ends. Of two that overlap, the earlier pattern's counts."""
    found: list[tuple[int, int, str]] = []
    for match in _matches(text):
        date = _date(match, day_first)
        if date and all(match.start() >= end or match.end() <= start for start, end, _ in found):
            found.append((match.start(), match.end(), date))
    return found


def uses_day_first(lines: list[str], fallback: bool) -> bool:
    """Whether a document writes the day first; `fallback` where its dates do not tell."""
    votes = 0
    for match in _matches("\n".join(lines)):
        if "a" in match.re.groupindex:
            first, second = int(match["a"]), int(match["b"])
            votes += (first > 12 >= second) - (second > 12 >= first)
    return fallback if votes == 0 else votes > 0


def _matches(text: str) -> Iterator[re.Match[str]]:
    comparable = plain(to_ascii_digits(text))
    for pattern in PATTERNS:
        yield from pattern.finditer(comparable)


def _date(match: re.Match[str], day_first: bool) -> str | None:
    parts = match.groupdict()
    year = int(parts["y"])
    if year < 100:
        year += 2000 if year <= PIVOT else 1900
    if "a" in parts:
        first, second = int(parts["a"]), int(parts["b"])
        day_leads = first > 12 or (second <= 12 and (day_first or parts["mark"] == "."))
        day, month = (first, second) if day_leads else (second, first)
    else:
        day = int(parts["d"])
        month = MONTH_NUMBERS[parts["name"]] if "name" in parts else int(parts["m"])
    try:
        return datetime.date(year, month, day).isoformat()
    except ValueError:
        return None
