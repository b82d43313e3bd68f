"""Lines as they would be without two habits of OCR: letters for figures, and spaces in numbers."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from mailroom.verification.passages import Passage
from mailroom.verification.spelling import as_digits

_TORN = re.compile(r"(?<=\d)(?:\s+([.,])\s*|([.,])\s+)(?=\d)")

_SUSPICIOUS = re.compile(r"\d[OoQlI|SB]|[OoQlI|SB]\d|\d\s+[.,]|\d[.,]\s+\d")


class Mended(NamedTuple):
    """A line's text after mending, and the words that the line holds."""

    text: str
    words: range


def mended_lines(passage: Passage) -> Iterator[Mended]:
    """The lines that mending changes."""
    if not _SUSPICIOUS.search(passage.text):
        return
    first = 0
    for unit in passage.units:
        words = range(first, first + len(unit.words))
        first = words.stop
        text = " ".join(word.text for word in unit.words)
        mended = _TORN.sub(r"\1\2", as_digits(text))
        if mended != text:
            yield Mended(mended, words)
