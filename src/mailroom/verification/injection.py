"""Text that gives orders to its reader: found, so that no one takes it for the document's own word.

Comes in: the pages, one after the other. Goes out, for each: the lines and parts that give orders.

A document speaks to people about goods and money. Text that tells a reader to leave his
instructions, what to answer, that no one need look, or that plays the part of a conversation with a
model, has no business in it. What is found here is a reason and no proof; what is not found is no
proof either: that a value stands in the document is checked elsewhere, whoever asked for it.

Disguises are taken off first: invisible characters, letters of other scripts that look alike,
letter-spacing, HTML's and base64's spellings; lines are read on over their ends.
"""

import base64
import binascii
import html
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from functools import cache

from mailroom.pages import Page
from mailroom.verification.injection_marks import ADDRESS, MARKS
from mailroom.verification.injection_phrases import ANSWER, CLASS_WORDS, IGNORE, VALUE
from mailroom.verification.spelling import squeezed

_GAP = r"(?:[ ,:]+[^\s.!?;]+){0,6}?[ ,:]+"
_LOOK_ALIKE = str.maketrans("аеорсхукмтвнідѕјгԁһɡοαειντυρχκ", "aeopcxykmtbhidsjrdhgoaeivtupxk")
_TWO_SCRIPTS = re.compile(
    "\\w*(?:[a-z][\u0370-\u03ff\u0400-\u052f\u0261]|[\u0370-\u03ff\u0400-\u052f\u0261][a-z])\\w*"
)
_LETTER_SPACED = re.compile(r"(?<!\w)\w(?:[ .*_-]{1,2}\w(?!\w)){7,}")
_SQUEEZED_ORDER = re.compile(
    r"(?:ignore|disregard|forget|override)\w{0,40}(?:instruction|prompt|rules|above)"
    r"|(?:report|set|answer)\w{0,20}total\w{0,12}\d"
)
_ENCODED = re.compile(r"[A-Za-z0-9+/_-]{24,}={0,2}")
_MIN_HIDDEN = 16  # characters that an order takes, whatever its disguise
_LETTERS = re.compile(r"[^\W\d_]{2}")
_MIN_READABLE = 0.9  # of what base64 hides, to be taken for text

# Before a verb these make it an order, although the sentence has begun.
_PRELUDE = re.compile(
    r"(?:please|kindly|must|should|shall now|now|then|and|just|simply|always|instead|important|you|"
    r"(?:need|have|want|asked|told|instructed|required|supposed) (?:you )?to|bitte|unbedingt|"
    r"sofort|und|veuillez|merci de|il faut|et|por favor|favor de|debes?|y|per favore|si prega di|"
    r"devi|e|deve|gelieve|en|moet|s'il vous plait)[,:]?$"
)
_NO_ORDER = re.compile(
    r"\b(?:not|never|nor|or|may|will|would|cannot|can|could|shall|nicht|pas|non)$"
)
_SENTENCE_END = ".!?:;,\"'“”„«»()[]{}<>*-–—•|#/=\n"


class Orders:
    """What one page holds of orders. Call it with a line's index, or -1, and its text."""

    def __init__(self, lines: set[int], texts: list[str]) -> None:
        self._lines = lines
        self._letters = "\n".join(squeezed(text) for text in texts)

    def __bool__(self) -> bool:
        return bool(self._letters)

    def __call__(self, line: int, text: str) -> bool:
        """Is this line, or this part of a form or a table, in a text that gives orders?"""
        return line in self._lines if line >= 0 else bool(self) and squeezed(text) in self._letters


class Watch:
    """Reads a document page by page, and over the end of each page."""

    def __init__(self) -> None:
        self._before: list[str] = []

    def look(self, page: Page) -> Orders:
        """The orders on the next page."""
        texts = [line.text for line in page.lines]
        carried = self._before
        self._before = texts[-2:]
        lines = {at - len(carried) for at in ordering_lines([*carried, *texts])}
        found = [texts[at] if at >= 0 else carried[at] for at in sorted(lines)]
        lines = {at for at in lines if at >= 0}
        if not lines:
            found = []  # an order that ends on the page before was told there
        parts = [pair.value for pair in page.forms if _LETTERS.search(pair.value)]
        for table in page.tables:
            parts += [cell.text for row in table.rows for cell in row if _LETTERS.search(cell.text)]
        found += [parts[at] for at in ordering_lines(parts)]
        return Orders(lines, found)


def gives_orders(text: str) -> bool:
    """Does any line of the text give orders?"""
    return bool(ordering_lines(text.splitlines()))


def ordering_lines(lines: list[str]) -> set[int]:
    """The indexes of the lines that give orders, alone or together."""
    plain = [normalised(line) for line in lines]
    starts, length = [], 0
    for line in plain:
        starts.append(length)
        length += len(line) + 1
    found: set[int] = set()
    for start, end in _orders("\n".join(plain)):
        found.update(range(bisect_right(starts, start) - 1, bisect_right(starts, end - 1)))
    for at, line in enumerate(lines):
        if _hides_orders(line):
            found.add(at)
    return found


def normalised(text: str) -> str:
    """The text without its disguises: one case, no accents on Latin letters, one space."""
    if "&" in text:
        text = html.unescape(text)
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
        text = "".join(
            char for char in text if unicodedata.category(char) not in ("Cf", "Mn", "Cc")
        )
        text = "".join(map(_without_accent, text.casefold())).replace("’", "'")
        text = _TWO_SCRIPTS.sub(lambda match: match[0].translate(_LOOK_ALIKE), text)
    return " ".join(text.casefold().split())


def _orders(text: str) -> Iterator[tuple[int, int]]:
    """Where orders stand in a normalised text."""
    for stems, pattern in _compiled(MARKS):
        if any(stem in text for stem in stems):
            yield from (match.span() for match in pattern.finditer(text))
    joined = text.replace("\n", " ")
    for stems, pattern in (*_compiled(IGNORE), *_compiled(ANSWER), *_compiled(ADDRESS)):
        if any(stem in joined for stem in stems):
            for match in pattern.finditer(joined):
                if "imperative" not in pattern.groupindex or _begins(text, match.start()):
                    yield match.span()


def _begins(text: str, start: int) -> bool:
    """Is the verb that begins here an order, and no part of a sentence about something?"""
    before = text[max(0, start - 40) : start].replace("\n", " ").rstrip(" ")
    if _NO_ORDER.search(before):
        return False
    at_line = start == 0 or text[start - 1] == "\n"
    return at_line or not before or before[-1] in _SENTENCE_END or bool(_PRELUDE.search(before))


def _hides_orders(line: str) -> bool:
    """Letter-spaced, or in base64."""
    if len(line) < _MIN_HIDDEN:
        return False
    for match in _LETTER_SPACED.finditer(line):
        if _SQUEEZED_ORDER.search(squeezed(match[0])):
            return True
    return any(gives_orders(text) for text in _decoded(line))


def _decoded(line: str) -> Iterator[str]:
    for match in _ENCODED.finditer(line):
        word = match[0].rstrip("=").translate(str.maketrans("-_", "+/"))
        try:
            text = base64.b64decode(word + "=" * (-len(word) % 4), validate=True).decode()
        except (binascii.Error, UnicodeDecodeError):
            continue
        readable = sum(char.isalnum() or char in " .,:;!?'\"\n-$€" for char in text)
        if readable >= _MIN_READABLE * len(text):
            yield text


def _without_accent(char: str) -> str:
    parts = unicodedata.normalize("NFD", char)
    return parts[0] if parts[0].isascii() else char


def _compiled(phrases: list[tuple[str, str]]) -> list[tuple[tuple[str, ...], re.Pattern[str]]]:
    return [_entry(stems, pattern) for stems, pattern in phrases]


@cache
def _entry(stems: str, pattern: str) -> tuple[tuple[str, ...], re.Pattern[str]]:
    for name, meaning in (("«value»", VALUE), ("«class»", CLASS_WORDS), ("…", _GAP)):
        pattern = pattern.replace(name, meaning)
    pattern = pattern.replace("¶", r"(?P<imperative>\b)")
    return tuple(stems.split()), re.compile(pattern)
