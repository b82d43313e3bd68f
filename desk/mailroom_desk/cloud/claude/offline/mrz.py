"""Machine-readable zones of passports, visas and identity cards.

`read_mrz(lines)` returns what the zone says, by our field names, or nothing. A number or a date is
given only where its check digit holds, so that a misread character leaves a field out instead of
giving a wrong one. Names have no check digit. Shapes, weights and checks: ICAO Doc 9303, parts 3
(check digits) to 7 (TD1 to TD3).
"""

import re
import string
from collections.abc import Iterable
from datetime import date

type Found = dict[str, str]

WEIGHTS = (7, 3, 1)
VALUES = {c: n for n, c in enumerate(string.digits + string.ascii_uppercase)} | {"<": 0}
ZONE = re.compile(r"[A-Z0-9<]{28,46}")
# What OCR makes of the filler: « for <<, K and L in a run of it at the end of a line.
FILLERS = str.maketrans({"«": "<<", "‹": "<", "〈": "<", "＜": "<"})
NUMBER_LINE = re.compile(
    r"(?P<number>[A-Z0-9<]{9})(?P<c1>[0-9<])[A-Z<]{3}(?P<birth>\d{6})(?P<c2>\d)[MFX<]"
    r"(?P<expiry>\d{6})(?P<c3>\d)"
)
CARD_LINE = re.compile(r"[ACI][A-Z0-9<][A-Z<]{3}(?P<number>[A-Z0-9<]{9})(?P<c1>[0-9<])")
CARD_DATES = re.compile(r"(?P<birth>\d{6})(?P<c2>\d)[MFX<](?P<expiry>\d{6})(?P<c3>\d)[A-Z<]{3}")
NAMES = r"(?P<surname>[A-Z]+(?:<[A-Z]+)*)<<(?P<given>[A-Z]+(?:<[A-Z]+)*)<"
PASSPORT_NAMES = re.compile(rf"[PVACI][A-Z<][A-Z<]{{3}}{NAMES}")
CARD_NAMES = re.compile(NAMES)
# France's card from 1988 to 2021: two lines of 36 of its own kind.
FRENCH_NAME = re.compile(r"IDFRA(?P<surname>[A-Z<]{25})[A-Z0-9<]{6}")
FRENCH_LINE = re.compile(
    r"(?P<number>[A-Z0-9]{12})(?P<c1>\d)(?P<given>[A-Z<]{14})(?P<birth>\d{6})(?P<c2>\d)[MF]"
)
# From these two-digit years on, a date lies in the last century. Fixed, so that a paper is read the
# same in any year.
BORN_LAST_CENTURY_FROM, EXPIRED_LAST_CENTURY_FROM = 30, 70


def read_mrz(lines: Iterable[str]) -> Found:
    """Surname, given names, number, dates of birth and expiry of the first zone in the lines."""
    zone = [line for each in lines if (line := _zone_line(each))]
    found: Found = {}
    for line in zone:
        for read in (_names, _number_and_dates, _card_number, _card_dates, _french):
            found = read(line) | found
    return found


def check_digit(text: str) -> int:
    """The check digit of a part of a zone: the weighted sum of its characters, modulo 10."""
    return sum(VALUES[c] * WEIGHTS[n % 3] for n, c in enumerate(text)) % 10


def _zone_line(line: str) -> str | None:
    compact = line.replace(" ", "").translate(FILLERS)
    return compact if "<" in compact and ZONE.fullmatch(compact) else None


def _french(line: str) -> Found:
    if match := FRENCH_NAME.fullmatch(line):
        return {"surname": match["surname"].strip("<").replace("<", " ")}
    match = FRENCH_LINE.match(line)
    if not match:
        return {}
    birth = _date(match["birth"], match["c2"], BORN_LAST_CENTURY_FROM)
    given = match["given"].strip("<").replace("<<", " ").replace("<", " ")
    found = {"given_name": given} | ({"date_of_birth": birth} if birth else {})
    return found | _checked_number(match)


def _names(line: str) -> Found:
    if line.startswith("IDFRA"):
        return {}
    match = PASSPORT_NAMES.match(line) or CARD_NAMES.match(line)
    if not match:
        return {}
    return {
        "surname": match["surname"].replace("<", " "),
        "given_name": match["given"].replace("<", " "),
    }


def _number_and_dates(line: str) -> Found:
    match = NUMBER_LINE.match(line)
    return _checked_number(match) | _dates(match) if match else {}


def _card_number(line: str) -> Found:
    match = CARD_LINE.match(line)
    return _checked_number(match) if match else {}


def _card_dates(line: str) -> Found:
    match = CARD_DATES.match(line)
    return _dates(match) if match else {}


def _checked_number(match: re.Match[str]) -> Found:
    holds = match["c1"].isdigit() and check_digit(match["number"]) == int(match["c1"])
    return {"document_number": match["number"].strip("<")} if holds else {}


def _dates(match: re.Match[str]) -> Found:
    birth = _date(match["birth"], match["c2"], BORN_LAST_CENTURY_FROM)
    expiry = _date(match["expiry"], match["c3"], EXPIRED_LAST_CENTURY_FROM)
    found = {"date_of_birth": birth, "expiry_date": expiry}
    return {name: value for name, value in found.items() if value}


def _date(digits: str, check: str, last_century_from: int) -> str | None:
    if check_digit(digits) != int(check):
        return None
    year = int(digits[:2]) + (1900 if int(digits[:2]) >= last_century_from else 2000)
    try:
        return date(year, int(digits[2:4]), int(digits[4:])).isoformat()
    except ValueError:
        return None
