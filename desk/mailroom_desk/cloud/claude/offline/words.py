"""Make text comparable: `plain` drops case and accents, `squeeze` spaces and signs as well.

OCR loses spaces between words, so phrases are matched with optional gaps: `phrase_pattern`.
"""

import re
import unicodedata
from functools import cache

GAP = r"[\s.:#'\-_/]*"


def plain(text: str) -> str:
    """Lower case without accents, one character for one: positions stay the same."""
    return "".join(_plain_character(c) for c in unicodedata.normalize("NFC", text))


@cache
def _plain_character(character: str) -> str:
    if character in "°º№’`":
        return "'"
    base = unicodedata.normalize("NFKD", character)[:1].lower()[:1]
    return base or character


def squeeze(text: str) -> str:
    """Only letters and digits, in `plain` form."""
    return "".join(c for c in plain(text) if c.isalnum())


@cache
def phrase_pattern(phrase: str) -> str:
    """A regular expression for a phrase in `plain` text: gaps between its words may be lost."""
    words = GAP.join(re.escape(word) for word in plain(phrase).split())
    start = r"(?<![^\W\d_])" if words[:1].isascii() else ""
    end = r"(?![^\W\d_]|'s\b)" if words[-1:].isascii() else ""
    return f"{start}{words}{end}"


def word_set(text: str) -> frozenset[str]:
    """The words of a text, for tables of small words."""
    return frozenset(text.split())


def phrases(text: str) -> tuple[str, ...]:
    """The phrases of a text that bars divide, for tables of labels and names."""
    return tuple(" ".join(phrase.split()) for phrase in text.split("|"))


def contains(text: str, squeezed: str, phrase: str) -> bool:
    """Whether `plain` text holds a phrase. Long phrases are looked for without their spaces."""
    key = squeeze(phrase)
    if len(key) >= 9:
        return key in squeezed
    return re.search(phrase_pattern(phrase), text) is not None
