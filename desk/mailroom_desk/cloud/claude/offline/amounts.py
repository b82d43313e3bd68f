"""Amounts: printed text → plain decimal text such as "-1234.50".

`find_amounts(text, decimal_comma)` returns every amount in a text, in order. `decimal_comma` says
what the document as a whole uses; it decides only what one amount alone leaves open ("1.234").
`uses_decimal_comma(lines)` finds that out.
"""

import re
import unicodedata
from dataclasses import dataclass

from mailroom_desk.cloud.claude.offline.words import word_set

CODES = word_set(
    """
    USD EUR GBP JPY CNY INR CHF CAD AUD NZD SEK NOK DKK PLN CZK HUF BRL MXN SGD HKD ZAR KRW TRY AED
    SAR ILS THB PHP MYR IDR RON BGN RUB UAH
    """
)
SYMBOLS = "$€£¥￥₹₽₩₺₫฿"
# Digits in groups, then perhaps decimals. Groups: 1,234 1.234 1 234 1'234 and India's 7,08,000.
NUMBER = re.compile(
    rf"""
    (?P<open>\()? \s* (?P<sign>[-−–+])? \s*
    (?P<money>[{SYMBOLS}] | \b(?:{"|".join(sorted(CODES))}|Rs\.?|kr|zł)(?=[\s\d]))?
    \s? (?P<sign2>[-−–])? \s?
    (?P<digits>(?:\d{{1,3}}(?:[\ \u00a0\u202f]\d{{3}})+ | \d+(?:[.,'’]\d+)*)(?:[.,]\d{{1,4}})?)
    (?P<close>\))?
    (?P<after>\s?(?:[{SYMBOLS}](?!\d) | % | -(?!\d) | EUR\b | USD\b | EURO\b | 円 | 元))?
    """,
    re.VERBOSE,
)
INNER_WORD = re.compile(r"[^\W\d_]")


@dataclass(frozen=True)
class Amount:
    """One amount: its plain decimal text, and whether it looks like money."""

    value: str
    money: bool
    decimals: int
    start: int


def find_amounts(text: str, decimal_comma: bool = False) -> list[Amount]:
    """Return the amounts in a text. Percentages and parts of words and dates are none."""
    ascii_text = to_ascii_digits(text)
    found: list[Amount] = []
    for match in NUMBER.finditer(ascii_text):
        after = (match["after"] or "").strip()
        if after == "%" or _is_part_of_word(ascii_text, match):
            continue
        value = parse_digits(match["digits"], decimal_comma)
        if value is None:
            continue
        negative = bool((match["sign"] and match["sign"] != "+") or match["sign2"])
        negative = negative or bool(match["open"] and match["close"]) or after == "-"
        decimals = len(value.partition(".")[2])
        money = bool(match["money"]) or after not in ("", "-") or decimals == 2
        sign = "-" if negative and value.strip("0.") else ""
        found.append(Amount(f"{sign}{value}", money, decimals, match.start("digits")))
    return found


def parse_digits(digits: str, decimal_comma: bool = False) -> str | None:
    """Return "1234.50" for "1.234,50", "1,234.50", "1 234,50"; None where it is no amount."""
    compact = re.sub(r"[\s\u00a0\u202f'’]", "", digits)
    marks = [c for c in compact if c in ".,"]
    if not marks:
        return compact.lstrip("0") or "0" if compact.isdigit() else None
    last = compact.rfind(marks[-1])
    tail = len(compact) - last - 1
    if len(set(marks)) == 2:
        has_decimals = marks.count(marks[-1]) == 1
    elif len(marks) > 1:
        has_decimals = False
    else:
        alone_means_decimal = (marks[0] == ",") == decimal_comma
        starts_with_zero = compact.startswith("0")
        has_decimals = tail != 3 or starts_with_zero or (alone_means_decimal and last > 3)
    groups = re.split("[.,]", compact[:last] if has_decimals else compact)
    if any(len(group) not in (2, 3) for group in groups[1:]) or not all(groups[:1]):
        return None
    whole = "".join(groups).lstrip("0") or "0"
    return f"{whole}.{compact[last + 1 :]}" if has_decimals else whole


def uses_decimal_comma(lines: list[str]) -> bool:
    """Whether more amounts of a document end in ",dd" than in ".dd"."""
    text = to_ascii_digits("\n".join(lines))
    commas = len(re.findall(r"\d,\d\d(?![\d.,])", text))
    return commas > len(re.findall(r"\d\.\d\d(?![\d.,])", text))


def to_ascii_digits(text: str) -> str:
    """Replace Arabic, Persian and full-width digits by ASCII ones, one for one."""
    if text.isascii():
        return text
    return "".join(
        str(unicodedata.digit(c)) if c.isdecimal() else {"，": ",", "．": "."}.get(c, c)
        for c in text
    )


def _is_part_of_word(text: str, match: re.Match[str]) -> bool:
    """Whether the digits are glued to letters, dates or longer numbers: "INV-3", "1/2", "a@3"."""
    start, end = match.start("digits"), match.end("digits")
    before = text[start - 1 : start]
    glued_after = text[end : end + 1]
    if match["money"] is None and (INNER_WORD.match(before) or before in ("/", "_", "@", "#", ":")):
        return True
    if match["sign"] == "-" and match.start() > 0 and text[match.start("sign") - 1].isalnum():
        return True
    if glued_after in ("/", "_", "@", ":") or (glued_after and INNER_WORD.match(glued_after)):
        return not match["after"] and match["money"] is None and glued_after not in "円元"
    return glued_after == "-" and text[end + 1 : end + 2].isalnum()
