"""Dates and amounts as documents print them, in every reading that the text allows.

"03/04/2026" is two dates and "1.234" two numbers until something else decides. Both readings are
given: `answer` takes a value over only where there is one, `grounding` asks whether the model's
value is among them.
"""

import re
from collections.abc import Iterator
from datetime import date
from decimal import Decimal, InvalidOperation

_SPACE = r"[ \u00a0\u202f]"
_AMOUNT = re.compile(
    rf"(?<![\w.,])[-+(]?(?P<digits>\d{{1,3}}(?:(?:[.,'’]|{_SPACE})\d{{2,3}})*(?:[.,]\d{{1,4}})?"
    r"|\d+(?:[.,]\d{1,4})?)(?![\w])"
)
# The first three letters tell the months apart in the languages below; what does not follow the
# rule is written out.
_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "jan gen ene januari januar janvier gennaio enero janeiro january",
            "feb fev fév february februar février febbraio febrero fevereiro februari",
            "mar mär mrt maa march märz mars marzo março maart",
            "apr avr abr april avril aprile abril",
            "may mai mag mei maggio mayo maio",
            "jun juin giu june juni giugno junio junho",
            "jul juil lug july juli juillet luglio julio julho",
            "aug aoû aou ago august août agosto augustus",
            "sep set sept september septembre settembre septiembre setembro",
            "oct okt ott out october oktober octobre ottobre octubre outubro",
            "nov november novembre noviembre novembro",
            "dec dez déc dic december dezember décembre dicembre diciembre dezembro",
        ),
        start=1,
    )
    for name in names.split()
}
# A lookahead, since a list's "1." may stand right before a date.
_NUMERIC = re.compile(r"(?<!\d)(?=((\d{1,4})\s?[./-]\s?(\d{1,2})\s?[./-]\s?(\d{1,4})(?!\d)))")
_YEAR_FIRST_CJK = re.compile(r"(\d{4})\s?[年년]\s?(\d{1,2})\s?[月월]\s?(\d{1,2})\s?[日일]")
_COMPACT = re.compile(r"(?<!\d)(\d{4})(\d{2})(\d{2})(?!\d)")
_DAY_MONTH = re.compile(
    r"(\d{1,2})(?:st|nd|rd|th|er|º|°)?[\s.,/-]*(?:day\s+)?(?:de\s+|of\s+)?([^\W\d_]{3,})\.?,?[\s/-]*(?:de\s+)?'?(\d{4}|\d{2})(?!\d)"
)
# Whole words of bounded length: a long run of letters must not be tried from each of its letters.
_MONTH_DAY = re.compile(
    r"(?<![^\W\d_])([^\W\d_]{3,12})\.?[\s/-]*(\d{1,2})(?:st|nd|rd|th)?[\s,./-]+'?(\d{4}|\d{2})(?!\d)"
)


def amounts_in(text: str) -> Iterator[tuple[Decimal, str]]:
    """Every amount in a text, without its sign, in every reading, with the text it stands for."""
    for match in _AMOUNT.finditer(text):
        digits = match["digits"]
        for reading in amount_readings(digits):
            yield reading, digits
        # "2 150.00" can be a quantity beside a price: the parts are amounts as well.
        parts = re.split(_SPACE, digits)
        if len(parts) > 1:
            for part in parts:
                for reading in amount_readings(part):
                    yield reading, part


def amount_readings(digits: str) -> set[Decimal]:
    """What digits with separators can mean: "1.234" is 1.234 or 1234, "1.234,50" only 1234.50."""
    plain = re.sub(rf"{_SPACE}|['’]", "", digits)
    marks = [mark for mark in plain if mark in ".,"]
    last = marks[-1] if marks else None
    texts = []
    if last is None or (len(set(marks)) == 1 and _grouped(plain, last)):
        texts.append(re.sub(r"[.,]", "", plain))  # all marks group thousands
    if last and marks.count(last) == 1:
        whole, _, cents = plain.rpartition(last)
        texts.append(f"{re.sub(r'[.,]', '', whole)}.{cents}")
    readings = set()
    for candidate in texts:
        try:
            readings.add(Decimal(candidate))
        except InvalidOperation:
            continue
    return readings


def dates_in(text: str) -> Iterator[tuple[date, str]]:
    """Every date in a text, in every reading, with the text it stands for."""
    for match in _NUMERIC.finditer(text):
        source, first, second, third = match.groups()
        orders = [(third, second, first), (third, first, second)]
        if len(first) == 4:
            orders = [(first, second, third)]
        elif len(first) == 2 and len(third) == 2:
            orders.append((first, second, third))  # YY/MM/DD
        yield from _dates(orders, source)
    for pattern in (_YEAR_FIRST_CJK, _COMPACT):
        for match in pattern.finditer(text):
            yield from _dates([(match[1], match[2], match[3])], match[0])
    for match in _DAY_MONTH.finditer(text):
        yield from _named(match[3], match[2], match[1], match[0])
    for match in _MONTH_DAY.finditer(text):
        yield from _named(match[3], match[1], match[2], match[0])


def _grouped(plain: str, mark: str) -> bool:
    """Thousands, or India's lakhs: groups of two or three digits, the last of three."""
    head, *groups = plain.split(mark)
    return head.isdigit() and len(groups[-1]) == 3 and all(len(group) in (2, 3) for group in groups)


def _named(year: str, month: str, day: str, source: str) -> Iterator[tuple[date, str]]:
    name = month.casefold()
    number = _MONTHS.get(name) or _MONTHS.get(name[:3])
    if number:
        yield from _dates([(year, str(number), day)], source)


def _dates(orders: list[tuple[str, str, str]], source: str) -> Iterator[tuple[date, str]]:
    for year, month, day in orders:
        if len(year) not in (2, 4):
            continue
        full = int(year) if len(year) == 4 else _century(int(year))
        try:
            yield date(full, int(month), int(day)), source
        except ValueError:
            continue


def _century(year: int) -> int:
    """Two digits: the POSIX rule, 69 to 99 lie in the 1900s."""
    return year + (1900 if year >= 69 else 2000)
