"""Parsers of one kind of value each: `parse(kind, text, locale)` returns the value or None."""

import re

from mailroom_desk.cloud.claude.offline.amounts import find_amounts
from mailroom_desk.cloud.claude.offline.dates import find_dates, without_dates
from mailroom_desk.cloud.claude.offline.label_finder import known_labels, label_key
from mailroom_desk.cloud.claude.offline.labels import Kind
from mailroom_desk.cloud.claude.offline.locale import Locale
from mailroom_desk.cloud.claude.offline.words import plain

EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
PHONE = re.compile(r"(?<![\w/.])\+?\(?\d[\d\s().\-]{6,17}\d(?![\w/])")
WEBSITE = re.compile(
    r"(?:https?://|www\.)[^\s,;|]+|(?<![@\w.])[\w-]+\.(?:com|org|net|io|dev|eu|de|me)\b(?:/\S*)?"
)
TOKEN = re.compile(r"[^\s,;|()\[\]]+")
# "1234 5678 9000", "MA 999 200000000325".
GROUPED_ID = re.compile(r"(?:[A-Z]{1,4} )?\d{3,}(?: \d{3,})+")
# "FT A/1024": the kind of paper and its series stand before the number, as in Portugal.
SERIES = re.compile(r"[A-Z]{2,3} [A-Z0-9]{1,6}/\d+\b")
# "2 quai de la Fosse": the number of a house, not of a paper.
HOUSE = re.compile(r"\s*\d{1,4}[a-z]?,?\s+[^\W\d_]+\s+[^\W\d_]+")
# An IBAN in groups of four, of which those behind the bank's have digits: "BIC" is none of them.
ACCOUNT = re.compile(
    r"(?:[A-Z]{2}\d{2} ?[A-Z0-9]{4}(?: ?(?=[A-Z]{0,3}\d)[A-Z0-9]{4}){1,6}"
    r"(?: ?(?=[A-Z]{0,2}\d)[A-Z0-9]{1,3})?(?![A-Z0-9])|[A-Z]{2}\d{2}(?:\s?[A-Z0-9]{2,4}){3,8}|"
    r"[\dXx*•][\dXx*•\- ]*[\dXx*•])"
)
# Tax numbers of the United States: of employers, of persons, masked ones.
TIN = re.compile(r"(?<![\w-])(?:[\dX*]{2}-\d{7}|[\dX*]{3}-[\dX*]{2}-\d{4}|\d{9})(?![\w-])")
# "15% on $ 112.90": the base of a tax, not the tax.
PERCENT_OF = re.compile(r"%\)?\s*(?:on|of|von|auf|sur|de|di|van|su|sobre)\b\s*\S{0,4}\s*[\d.,]+")
# Endings and words of company names.
COMPANY = re.compile(
    r"\b(?:llc|l\.l\.c|inc|ltd|limited|gmbh|ag|kg|ug|ohg|e\.?k|e\.?v|eg|s\.?a\.?r\.?l|sas|sasu|eurl|sci|s\.?a|"
    r"s\.?l\.?u?|s\.?r\.?l\.?s?|s\.?p\.?a|s\.?n\.?c|b\.?v|bvba|hb|kb|n\.?v|v\.?o\.?f|lda|ltda|plc|llp|lp|corp|corporation|"
    r"company|co|cie|group|holdings?|services|solutions|technologies|bank|credit union|supply|"
    r"supplies|"
    r"restaurant|cafe|hotel|foundation|committee|association|university|institute|department|pvt|pty|"
    r"a\.?b|a/s|aps|a\.?s|oy|s\.?r\.?o|sp\. ?z ?o\. ?o)\b\.?|株式会社|有限公司|有限会社|合同会社"
)
# A bare number with more letters beside it is part of a sentence or an address.
UNIT_LETTERS = 8
ZIP = re.compile(r"\d{5}-\d{4}")  # of an address, which stands among the labels of a licence
# Shorter ones are the numbers of the fields of a licence.
SHORTEST_DOCUMENT = 5
# What stands where a name could, and is none.
NOT_A_NAME = re.compile(
    r"^\W*(?:net \d+|\d+ days|page\b|tel\b|fax\b|phone|e-?mail|www\.|http|p\.?o\.? box|total|"
    r"date\b|numero (?:de|da|do|della)\b|amount|due\b|invoice\b|street|address|n/a$|account\b|"
    r"name$|no\.?$|[^\d,]*(?:number|nummer|datum|zeitraum)$|vat\b|tax\b|id\b|"
    r"website|checking\b|savings\b|details\b|balance\b|(?:help|menu|home|back|search|share|settings)$|"
    r"(?:herrn?|frau|firma|familie|eheleute|monsieur|madame|mr|mrs|ms|dhr|mevr)\.?$|"
    r"thanks?\b|thank you|(?:deutschland|germany|"
    r"france|italia|italy|espana|spain|nederland|netherlands|portugal|osterreich|austria|schweiz|"
    r"switzerland|suisse|belgie|belgique|belgium|united kingdom|united states(?: of america)?|usa|"
    r"canada|india|japan|china|brasil|brazil|mexico)$)"
)
ADDRESS = re.compile(
    r"\b(?:street|avenue|road|boulevard|blvd|lane|drive)\b(?!\s+[a-z]{3})|"
    r"^unit\s\w+\b|\b(?:suite|p\.?o\.? box|strasse|stra(?:ss|s)e|"
    r"rue|calle|via|straat|rua|avenida|av|corso|piazza|place|platz|impasse|\w+(?:strasse|strase|straat|weg|"
    r"gasse|platz|allee))\b|\w+str\.\s?\d|\b(?:st|ave|rd|dr|ln)\.?$|\b[a-z]{2}\s+\d{5}\b|"
    r"^c[./]\s?\w|\b[a-z]{1,2}\d[a-z\d]?\s\d[a-z]{2}\b|\b\d{4}\s[a-z]{2}\b|^(?:[a-z]{1,2}-)?\d{4,5}\s[a-z]|\b\d{4}-\d{3}\s"
)
# "Lincoln, NE 68502": the part before the comma is no name.
PAGE_OF = re.compile(r"\d+ (?:of|von|de|di|sur|van|/) \d+")
TOWN = re.compile(r"[^\d,]{2,30},\s*[a-z]{2}\s+\d{5}")
NAME_LENGTH = 70
# A form's value holds the whole address in one line.
LONGEST_PLAIN_NAME = 28
STREET_AFTER_NAME = re.compile(
    r"\s(?=(?:Suite|Ste|Unit|Apt|Floor|P\.?O\.? Box|Postfach)\b|\d{1,5}[a-z]?,?\s+[A-Z])"
)
# A line of that many Latin letters with a smaller share of vowels is a misread one.
NOISE_LETTERS, NOISE = 8, 0.15
VOWELS = frozenset("aeiouy")
# A word with more digits is a number of something, not a name.
MOST_DIGITS = 2
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
        case "document":
            number = identifier(text, locale)
            is_one = number and len(number) >= SHORTEST_DOCUMENT and not ZIP.fullmatch(number)
            return number if is_one else None
        case "account":
            return account_number(text)
        case "tin":
            return _search(TIN, text)
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
    letters = sum(c.isalpha() for c in text)
    if not amounts or locale.prints_cents or letters > UNIT_LETTERS:
        return None
    if find_dates(text, locale.day_first):
        return None
    return amounts[-1].value


def identifier(text: str, locale: Locale) -> str | None:
    """A token with a digit among the first three words, which is no date, price or percentage."""
    if GROUPED_ID.fullmatch(text.strip()):
        return text.strip()
    if HOUSE.match(text):
        return None
    series = SERIES.match(text.strip())
    if series:
        return series.group()
    if not re.match(r"\S*[A-Za-z]\S*\d", text):
        text = without_dates(text, locale.day_first)
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
    name = clean(re.split(r"\s{3,}|\s[|·•]\s|;|\t", text)[0])
    name = _before_address(name)
    name = clean(re.sub(r"\s*(?:\b(?:t/a|c/o|a/c)\b|<|\(?[\w.]+@).*", "", name))
    if len(name) > LONGEST_PLAIN_NAME:
        name = clean(STREET_AFTER_NAME.split(name)[0])
    comparable = plain(name)
    letters = sum(c.isalpha() for c in name)
    if TOWN.match(plain(text)):
        return None
    if not 2 <= len(name) <= NAME_LENGTH or letters < max(2, len(name) * 0.55):
        return None
    if (
        name.islower()
        or NOT_A_NAME.search(comparable)
        or ADDRESS.search(comparable)
        or EMAIL.search(name)
    ):
        return None
    latin = sum(c.isascii() and c.isalpha() for c in comparable)
    if label_key(name) in known_labels():
        return None
    if latin >= NOISE_LETTERS and sum(c in VOWELS for c in comparable) < NOISE * latin:
        return None
    if " " not in name and sum(c.isdigit() for c in name) > MOST_DIGITS:
        return None
    if name[0].isdigit() and not re.match(r"\d\w*[A-Z]", name):
        return None
    return None if find_dates(name, locale.day_first) else name


def _before_address(name: str) -> str:
    """The part of "Kranbau GmbH, Werftstraße 2, 24143 Kiel" before its street."""
    first, *others = name.split(",")
    for place, part in enumerate(others):
        if is_address(part.strip()) or part.strip()[:1].isdigit():
            between = others[:place]
            if COMPANY.search(plain(first)) and not COMPANY.search(plain(",".join(between))):
                return clean(first)  # what follows the legal form is a department
            return clean(",".join([first, *between]))
    return name


def is_address(line: str) -> bool:
    """Whether a line is a street, or a town with its postal code."""
    comparable = plain(line)
    if PAGE_OF.fullmatch(comparable):
        return False
    street = re.match(r"\d+[a-z]?[,\s]+[a-z]", comparable) or re.search(
        r"[a-z.]\s\d{1,4}[a-z]?(?:,|$)", comparable
    )
    return (
        bool(ADDRESS.search(comparable) or street or TOWN.match(comparable))
        and not EMAIL.search(line)
        and ":" not in line
    )


def person_name(text: str, locale: Locale) -> str | None:
    """Like a party, but without digits and at most five words."""
    name = party_name(text, locale)
    first, comma, _ = (name or "").partition(", ")
    if comma and " " in first:  # "Anna Berg, Site Manager", but not "Berg, Anna"
        name = first
    if name is None or any(c.isdigit() for c in name) or len(name.split()) not in PERSON_WORDS:
        return None
    return name


def clean(text: str) -> str:
    """Without the signs that stand around a value."""
    return re.sub(r"\s+", " ", text).strip(' :;,|-–—*_#•·="')


def _search(pattern: re.Pattern[str], text: str) -> str | None:
    match = pattern.search(text)
    return str(match.group()).strip(" .") if match else None
