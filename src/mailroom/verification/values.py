"""Dates and amounts as documents print them, in every reading that the text allows.

"03/04/2026" is two dates and "1.234" two numbers until something else decides. Both readings are
given: `answer` takes a value over only where there is one, `grounding` asks whether the model's
value is among them, and `day_order` decides between two dates.
"""

import re
from collections.abc import Iterator
from datetime import date
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import NamedTuple

_SPACE = r"[ \u00a0\u202f]"
CODES = (
    "AED|ARS|AUD|BRL|CAD|CHF|CLP|CNY|COP|CZK|DKK|EUR|GBP|HKD|HUF|IDR|ILS|INR|JPY|KRW|MXN|MYR|NOK"
    "|NZD|PEN|PHP|PLN|RON|RUB|SAR|SEK|SGD|THB|TRY|TWD|UAH|USD|VND|ZAR"
)
"""The currency codes (ISO 4217) that may stand right beside an amount: "EUR93.50"."""

_AMOUNT = re.compile(
    rf"(?:(?<![\w.,])|(?<=(?<!\w)(?:{CODES}))|(?<=(?<!\w)(?:Rs|rs|RS|kr|Kr)\.)|(?<=[円元圓]))"
    rf"[-+(]?(?P<digits>\d{{1,3}}(?:(?:[.,'’]|{_SPACE})\d{{2,3}})*(?:[.,]\d{{1,4}})?"
    rf"|\d+(?:[.,]\d{{1,4}})?)(?=\W|_|$|(?:{CODES})(?!\w)|[円元圓원]|(?:kr|zł|Kč|Ft)(?!\w))"
)
# A minus or an opening bracket before the number, a currency between them at most; or a mark of a
# debit or a minus behind it. A hyphen behind a letter or a digit joins, it does not subtract.
_MINUS_BEFORE = re.compile(rf"(?:(?<![^\W_])-|\()\s?(?:{CODES}|R?\$|[€£¥￥₹₩])?\s?$")
_MINUS_BEHIND = re.compile(rf"\s?(?:{CODES}|[€£¥￥₹₩])?\s?(?:-(?!\s*[\w.])|\)|(?:CR|DR|DB)\b)")
# One character for one, so that what is found keeps its place in the text.
_PLAIN = str.maketrans(
    "٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹０１２３４５６７８９٫٬．，／－−–‐‑：\u2007\u2009",
    "012345678901234567890123456789.,.,/-----:  ",
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
# With spaces the day comes first: so cards of identity print it.
_SPACED = re.compile(r"(?<![\d./-])(\d{2}) (\d{2}) (\d{4})(?!\d)")
_YEAR_FIRST_CJK = re.compile(r"(\d{4})\s?[年년]\s?(\d{1,2})\s?[月월]\s?(\d{1,2})\s?[日일]")
# Years count from the era's first: the first year of Reiwa is 2019.
_ERAS = {"令和": 2018, "平成": 1988, "昭和": 1925}
_ERA_DATE = re.compile(r"(令和|平成|昭和)\s?(\d{1,2}|元)\s?年\s?(\d{1,2})\s?月\s?(\d{1,2})\s?日")
_COMPACT = re.compile(r"(?<!\d)(\d{4})(\d{2})(\d{2})(?!\d)")
_DAY_MONTH = re.compile(
    r"(\d{1,2})(?:st|nd|rd|th|er|º|°)?[\s.,/-]*(?:day\s+)?(?:de\s+|of\s+)?([^\W\d_]{3,12})\.?,?[\s/-]*(?:de\s+)?'?(\d{4}|\d{2})(?!\d)"
)
# Whole words of bounded length: a long run of letters must not be tried from each of its letters.
_MONTH_DAY = re.compile(
    r"(?<![^\W\d_])([^\W\d_]{3,12})\.?[\s/-]*(\d{1,2})(?:st|nd|rd|th)?[\s,./-]+'?(\d{4}|\d{2})(?!\d)"
)


class AmountAt(NamedTuple):
    """One reading of an amount without its sign, and where it stands in the text."""

    value: Decimal
    start: int
    end: int


class DateAt(NamedTuple):
    """One reading of a date, where it stands, and the order that it was read in.

    `order` is "dmy", "mdy" or "ymd" for figures, and empty where the print leaves no choice.
    """

    value: date
    start: int
    end: int
    order: str = ""


def plain_digits(text: str) -> str:
    """Digits, separators and dashes of other scripts as ASCII, each in its place."""
    return text if text.isascii() else text.translate(_PLAIN)


def read_amounts(text: str) -> Iterator[AmountAt]:
    """Every amount in a text, in every reading."""
    text = plain_digits(text)
    for match in _AMOUNT.finditer(text):
        digits, (start, end) = match["digits"], match.span("digits")
        for reading in amount_readings(digits):
            yield AmountAt(reading, start, end)
        # "2 150.00" can be a quantity beside a price: the parts are amounts as well.
        if " " in digits or "\u00a0" in digits or "\u202f" in digits:
            for part in re.finditer(r"[^ \u00a0\u202f]+", digits):
                for reading in amount_readings(part[0]):
                    yield AmountAt(reading, start + part.start(), start + part.end())


def is_negative(text: str, found: AmountAt) -> bool:
    """Does the text print the amount with a minus, in brackets, or as a debit or a credit?"""
    text = plain_digits(text)
    before = _MINUS_BEFORE.search(text, max(0, found.start - 8), found.start)
    return bool(before or _MINUS_BEHIND.match(text, found.end))


def is_percent(text: str, found: AmountAt) -> bool:
    """Is the number a rate and no amount?"""
    return text[found.end : found.end + 2].lstrip()[:1] == "%"


def amounts_in(text: str) -> Iterator[tuple[Decimal, str]]:
    """Every amount in a text, without its sign, in every reading, with the text it stands for."""
    for found in read_amounts(text):
        yield found.value, text[found.start : found.end]


@lru_cache(maxsize=16_384)
def amount_readings(digits: str) -> frozenset[Decimal]:
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
    return frozenset(readings)


def dates_in(text: str) -> Iterator[tuple[date, str]]:
    """Every date in a text, in every reading, with the text it stands for."""
    for found in read_dates(text):
        yield found.value, text[found.start : found.end]


def read_dates(text: str) -> Iterator[DateAt]:
    """Every date in a text, in every reading."""
    text = plain_digits(text)
    for match in _NUMERIC.finditer(text):
        _, first, second, third = match.groups()
        orders = {"dmy": (third, second, first), "mdy": (third, first, second)}
        if len(first) == 4:
            orders = {"": (first, second, third)}
        elif len(first) == 2 and len(third) == 2:
            orders["ymd"] = (first, second, third)
        for order, parts in orders.items():
            yield from _date(*parts, match.span(1), order)
    for match in _SPACED.finditer(text):
        yield from _date(match[3], match[2], match[1], match.span())
    for pattern in (_YEAR_FIRST_CJK, _COMPACT):
        for match in pattern.finditer(text):
            yield from _date(match[1], match[2], match[3], match.span())
    for match in _ERA_DATE.finditer(text):
        year = _ERAS[match[1]] + (1 if match[2] == "元" else int(match[2]))
        yield from _date(str(year), match[3], match[4], match.span())
    for match in _DAY_MONTH.finditer(text):
        yield from _named(match[3], match[2], match[1], match.span())
    for match in _MONTH_DAY.finditer(text):
        yield from _named(match[3], match[1], match[2], match.span())


def _grouped(plain: str, mark: str) -> bool:
    """Thousands, or India's lakhs: groups of two or three digits, the last of three."""
    head, *groups = plain.split(mark)
    return head.isdigit() and len(groups[-1]) == 3 and all(len(group) in (2, 3) for group in groups)


def _named(year: str, month: str, day: str, span: tuple[int, int]) -> Iterator[DateAt]:
    name = month.casefold()
    number = _MONTHS.get(name) or _MONTHS.get(name[:3])
    if number:
        yield from _date(year, str(number), day, span)


def _date(
    year: str, month: str, day: str, span: tuple[int, int], order: str = ""
) -> Iterator[DateAt]:
    if len(year) in (2, 4):
        full = int(year) if len(year) == 4 else _century(int(year))
        try:
            yield DateAt(date(full, int(month), int(day)), *span, order)
        except ValueError:
            return


def _century(year: int) -> int:
    """Two digits: the POSIX rule, 69 to 99 lie in the 1900s."""
    return year + (1900 if year >= 69 else 2000)
