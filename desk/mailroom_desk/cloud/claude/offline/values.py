"""Parsers of one kind of value each: `parse(kind, text, locale)` returns the value or None."""

import re

from mailroom_desk.cloud.claude.offline.amounts import find_amounts
from mailroom_desk.cloud.claude.offline.dates import find_dates
from mailroom_desk.cloud.claude.offline.labels import Kind
from mailroom_desk.cloud.claude.offline.locale import Locale
from mailroom_desk.cloud.claude.offline.words import plain

EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
PHONE = re.compile(r"(?<![\w/])\+?\(?\d[\d\s().\-]{6,17}\d(?![\w/])")
WEBSITE = re.compile(
    r"(?:https?://|www\.)[^\s,;|]+|(?<![@\w.])[\w-]+\.(?:com|org|net|io|dev|eu|de|me)\b(?:/\S*)?"
)
TOKEN = re.compile(r"[^\s,;|()\[\]]+")
# "1234 5678 9000", "MA 999 200000000325".
GROUPED_ID = re.compile(r"(?:[A-Z]{1,4} )?\d{3,}(?: \d{3,})+")
ACCOUNT = re.compile(r"(?:[A-Z]{2}\d{2}(?:\s?[A-Z0-9]{2,4}){3,8}|[\dXx*•][\dXx*•\- ]*[\dXx*•])")
# "15% on $ 112.90": the base of a tax, not the tax.
PERCENT_OF = re.compile(r"%\)?\s*(?:on|of|von|auf|sur|de|di|van|su|sobre)\b\s*\S{0,4}\s*[\d.,]+")
# What stands where a name could, and is none.
NOT_A_NAME = re.compile(
    r"^\W*(?:net \d+|\d+ days|page\b|tel\b|fax\b|phone|e-?mail|www\.|http|p\.?o\.? box|total|"
    r"date\b|amount|due\b|invoice\b|street|address|n/a$|account\b|name$|no\.?$|number$|vat\b|tax\b|id\b|"
    r"website|checking\b|savings\b|details\b|balance\b)"
)
ADDRESS = re.compile(
    r"\b(?:street|avenue|road|suite|boulevard|blvd|lane|drive|p\.?o\.? box|strasse|stra(?:ss|s)e|"
    r"rue|calle|via|straat|rua|\w+(?:strasse|strase|straat|weg|gasse))\b|\b(?:st|ave|rd|dr|ln)\.?$|\b[a-z]{2}\s+\d{5}\b"
)
NAME_LENGTH = 70
# A form's value holds the whole address in one line.
LONGEST_PLAIN_NAME = 28
STREET_AFTER_NAME = re.compile(r"\s(?=\d{1,5}[a-z]?,?\s+[A-Z])")
PERSON_WORDS = range(1, 6)


def parse(kind: Kind, text: str, locale: Locale) -> str | None:
    """Read the first value of a kind in a text, or None where there is none."""
    match kind:
        case "date":
            return next(iter(find_dates(text, locale.day_first)), None)
        case "amount":
            return first_amount(text, locale)
        case "id":
            return identifier(text, locale)
        case "account":
            return account_number(text)
        case "party":
            return party_name(text, locale)
        case "person":
            return person_name(text, locale)
        case "email":
            return _search(EMAIL, text)
        case "phone":
            return _search(PHONE, text)
        case "text":
            return clean(text) if 1 < len(text) <= 200 else None


def first_amount(text: str, locale: Locale) -> str | None:
    """The first amount that looks like money, else the last number, unless a date is there."""
    amounts = find_amounts(PERCENT_OF.sub("%", text), locale.decimal_comma)
    money = [amount for amount in amounts if amount.money]
    if money:
        return money[0].value
    if not amounts or locale.prints_cents or len(text) > 40 or find_dates(text, locale.day_first):
        return None
    return amounts[-1].value


def identifier(text: str, locale: Locale) -> str | None:
    """A token with a digit among the first three words, which is no date, price or percentage."""
    if GROUPED_ID.fullmatch(text.strip()):
        return text.strip()
    if find_dates(text, locale.day_first) and len(text) < 30:
        text = "" if not re.match(r"\S*[A-Za-z]\S*\d", text) else text
    for token in TOKEN.findall(text)[:3]:
        word = str(token).strip(".:#'\"“”*")
        if EMAIL.search(word) or word[-1:] == "%" or re.search("[$€£¥₹]", word):
            return None
        if re.fullmatch(r"\d+[.,]\d\d", word):
            return None
        if any(c.isdigit() for c in word):
            return word
    return None


def account_number(text: str) -> str | None:
    """A number of four digits or more, spaces and dashes kept, or an IBAN."""
    for match in ACCOUNT.finditer(text):
        value = match.group().strip(" -")
        if sum(c.isdigit() for c in value) >= 4 and not find_dates(value):
            return value
    return None


def party_name(text: str, locale: Locale) -> str | None:
    """A person or company: mostly letters, no address, no date, no amount."""
    name = clean(re.split(r"\s{3,}|\s\|\s|;|\t", text)[0])
    name = clean(re.sub(r"\s*(?:\b(?:t/a|c/o|a/c)\b|<|\(?[\w.]+@).*", "", name))
    if len(name) > LONGEST_PLAIN_NAME:
        name = clean(STREET_AFTER_NAME.split(name)[0])
    comparable = plain(name)
    letters = sum(c.isalpha() for c in name)
    if not 2 <= len(name) <= NAME_LENGTH or letters < max(2, len(name) * 0.55):
        return None
    if (
        name.islower()
        or NOT_A_NAME.search(comparable)
        or ADDRESS.search(comparable)
        or EMAIL.search(name)
    ):
        return None
    if name[0].isdigit() and not re.match(r"\d\w*[A-Z]", name):
        return None
    return None if find_dates(name, locale.day_first) else name


def is_address(line: str) -> bool:
    """Whether a line is a street, or a town with its postal code."""
    comparable = plain(line)
    street = re.match(r"\d+[a-z]?[,\s]+[a-z]", comparable) or re.search(
        r"[a-z.]\s\d{1,4}[a-z]?(?:,|$)", comparable
    )
    return bool(ADDRESS.search(comparable) or street) and not EMAIL.search(line) and ":" not in line


def person_name(text: str, locale: Locale) -> str | None:
    """Like a party, but without digits and at most five words."""
    name = party_name(text, locale)
    if name is None or any(c.isdigit() for c in name) or len(name.split()) not in PERSON_WORDS:
        return None
    return name


def clean(text: str) -> str:
    """Without the signs that stand around a value."""
    return re.sub(r"\s+", " ", text).strip(' :;,|-–—*_#•·="')


def _search(pattern: re.Pattern[str], text: str) -> str | None:
    match = pattern.search(text)
    return str(match.group()).strip(" .") if match else None
