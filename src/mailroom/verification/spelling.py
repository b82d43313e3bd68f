"""One form for what is spelt in many ways, so that print and value can be compared.

Case, accents, ligatures, spacing and punctuation make no difference between two texts. Letters and
figures that OCR takes for each other make a smaller one: the `skeleton` of both is the same.
"""

import re
import unicodedata
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

# What OCR confuses in print: O and 0, l and 1 and I, S and 5, B and 8, rn and m.
_CONFUSED = str.maketrans("0158i", "olsbl")
_AS_DIGITS = str.maketrans("OoQlI|SB", "00011158")
_NEARLY_A_NUMBER = re.compile(r"(?<![^\W\d_])[\dOoQlI|SB.,'’/-]*\d[\dOoQlI|SB.,'’/-]*(?![^\W\d_])")
_FEW_WORDS = 3  # more of them, mostly without figures, are a name or a sentence
_WIDE = re.compile("[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]")


class Spelling(NamedTuple):
    """A word's letters and figures alone, and where in them a value may begin or end.

    `hard` are the places behind punctuation or between signs of Chinese and Japanese, `soft` those
    between a letter and a figure or before a capital: "TotalEUR93" can hold "93".
    """

    letters: str
    hard: tuple[int, ...]
    soft: tuple[int, ...]


@lru_cache(maxsize=16_384)
def spelling(word: str) -> Spelling:
    """The word in its plain form."""
    if word.isascii() and (word.isdigit() or (word.isalpha() and word[1:].islower())):
        return Spelling(word.lower(), (0,), ())
    letters: list[str] = []
    hard: list[int] = []
    soft: list[int] = []
    length, before = 0, ""
    for char in unicodedata.normalize("NFKC", word):
        plain = _plain(char)
        if not plain:
            before = "" if not unicodedata.combining(char) else before
            continue
        if not before or _WIDE.match(char) or _WIDE.match(before):
            hard.append(length)
        elif char.isdigit() != before.isdigit() or (char.isupper() and before.islower()):
            soft.append(length)
        letters.append(plain)
        length += len(plain)
        before = char
    return Spelling("".join(letters), tuple(hard), tuple(soft))


@lru_cache(maxsize=16_384)
def skeleton(word: str) -> Spelling:
    """The word as it looks to OCR: what it confuses is one and the same."""
    plain = spelling(word)
    cuts = [*plain.hard, len(plain.letters)]
    parts = [
        plain.letters[start:end].translate(_CONFUSED).replace("rn", "m")
        for start, end in pairwise(cuts)
    ]
    hard, length = [], 0
    for part in parts:
        hard.append(length)
        length += len(part)
    return Spelling("".join(parts), tuple(hard), ())


def squeezed(text: str) -> str:
    """A text's letters and figures in one form, without spaces."""
    return spelling(text).letters


def spaced(text: str) -> str:
    """A text's words in one form, a space between them."""
    return " ".join(part for word in re.split(r"[\W_]+", text) if (part := spelling(word).letters))


def is_identifier(text: str) -> bool:
    """A number, a code, an IBAN: one character more or less makes it another one."""
    words = text.split()
    numbered = sum(any(char.isdigit() for char in word) for word in words)
    return numbered > 0 and (len(words) <= _FEW_WORDS or 2 * numbered >= len(words))


def as_digits(text: str) -> str:
    """The text with the letters that OCR takes for figures as figures, in words that are numbers.

    One character for one: places in it are places in the text. Words without any figure stay.
    """
    return _NEARLY_A_NUMBER.sub(lambda match: match[0].translate(_AS_DIGITS), text)


@lru_cache(maxsize=4096)
def _plain(char: str) -> str:
    """A character's plain form; empty for what is neither a letter nor a figure."""
    folded = unicodedata.normalize("NFD", char.casefold())
    if len(folded) > 1 and folded[0].isascii():
        folded = "".join(part for part in folded if part.isalnum())
    else:
        folded = unicodedata.normalize("NFC", folded)
    return folded if folded.isalnum() else ""
