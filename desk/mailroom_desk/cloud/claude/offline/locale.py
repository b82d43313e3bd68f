"""What one document uses: language, day-first dates, decimal comma, currency.

`read_locale(document)` returns a Locale. Language is a count of small words; the rest follows from
the document itself first and from the language where it does not tell.
"""

import re
from collections import Counter
from dataclasses import dataclass

from mailroom_desk.cloud.claude.offline.amounts import CODES, uses_decimal_comma
from mailroom_desk.cloud.claude.offline.dates import uses_day_first
from mailroom_desk.cloud.claude.offline.prompt import Document
from mailroom_desk.cloud.claude.offline.words import plain, word_set

SMALL_WORDS = {
    language: word_set(words)
    for language, words in {
        "en": "the of and to for is in your from by with on due date amount",
        "de": "der die das und fur mit von auf ist sie wir rechnung datum "
        "nr bitte republik ausweis vornamen",
        "fr": "le la les des du et pour votre vous est sur facture montant "
        "prix nom republique carte nationale prenoms",
        "es": "el los las del y por su factura fecha importe una con "
        "cantidad documento nacional apellidos nombre nacimiento",
        "it": "il della di che per gli fattura importo quantita prezzo dal "
        "al con patente guida repubblica italiana",
        "nl": "het een van voor op met uw factuur datum "
        "aantal bedrag omschrijving prijs rijbewijs koninkrijk",
        "pt": "os dos da do para fatura valor descricao quantidade preco endereco emissao",
    }.items()
}
# Longest first: a sign inside another ("C$", "R$") must not win.
SIGNS = tuple(
    pair.split("=")
    for pair in (
        *("US$=USD", "CA$=CAD", "HK$=HKD", "C$=CAD", "A$=AUD", "R$=BRL", "€=EUR", "£=GBP", "₹=INR"),
        *("円=JPY", "¥=JPY", "￥=JPY", "元=CNY", "₩=KRW", "₺=TRY", "₽=RUB", "฿=THB", "$=USD"),
    )
)
DAY_FIRST_CURRENCIES = CODES - {"USD", "JPY", "CNY", "KRW", "CAD", "PHP"}
# Characters of Japan's own that its papers print where kana happen to be missing.
KANJI_OF_JAPAN = re.compile("[円様価税込領収消費]{2}|請求書|領収書|単価|合計金額")
COUNTED_WORDS = 3000
# Names and addresses bring a few foreign words into an English document.
FOREIGN_LEAD = 2


@dataclass(frozen=True)
class Locale:
    """How one document writes dates and amounts. `currency` is None where none is printed."""

    language: str
    day_first: bool
    decimal_comma: bool
    currency: str | None
    prints_cents: bool


def read_locale(document: Document) -> Locale:
    """Find out what a document uses."""
    lines = [*document.lines, *(f"{key} {value}" for key, value in document.forms)]
    text = "\n".join(lines)
    language = _language(text)
    currency = _currency(text)
    likely_day_first = language != "en" or currency in DAY_FIRST_CURRENCIES
    return Locale(
        language=language,
        day_first=uses_day_first(lines, likely_day_first),
        decimal_comma=uses_decimal_comma(lines),
        currency=currency,
        prints_cents=len(re.findall(r"\d[.,]\d\d(?![\d.,])", text)) >= 3,
    )


def _language(text: str) -> str:
    words = Counter(re.findall(r"[^\W\d_]+", plain(text))[:COUNTED_WORDS])
    scores = {
        language: sum(words[word] for word in small) for language, small in SMALL_WORDS.items()
    }
    best = max(scores, key=lambda language: (scores[language], language == "en"))
    return best if scores[best] >= scores["en"] + FOREIGN_LEAD else "en"


def _currency(text: str) -> str | None:
    votes: Counter[str] = Counter()
    for code in re.findall(r"(?<![A-Z])[A-Z]{3}(?![A-Z])", text):
        if code in CODES:
            votes[code] += 1
    rest = text
    for sign, code in SIGNS:
        votes[code] += rest.count(sign)
        rest = rest.replace(sign, " ")
    votes["EUR"] += len(re.findall(r"\bEUROS?\b", text, re.IGNORECASE))
    if votes["JPY"] and not votes["CNY"] and _is_chinese(text):
        votes["CNY"] = votes.pop("JPY")
    best = votes.most_common(1)
    return best[0][0] if best and best[0][1] else None


def _is_chinese(text: str) -> bool:
    """Whether a text has Chinese characters, and no kana, without which no Japanese is written."""
    has_kana = re.search("[\u3041-\u30ff]", text) is not None
    return (
        not has_kana
        and len(re.findall("[\u4e00-\u9fff]", text)) > 5
        and not KANJI_OF_JAPAN.search(text)
    )
