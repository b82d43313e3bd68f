"""Does the document call itself something else than what the model took it for?

A class has signs: words that its documents bear. The class that was picked is doubted where none of
its signs stands anywhere, and the document's first lines are headed by a sign of another class.
"""

import re
from collections.abc import Iterable, Iterator

from mailroom.classes import DocumentClass
from mailroom.pages import Page
from mailroom.verification.spelling import spaced

_FIRST_LINES = 8
_HEADING_WORDS = 4  # a line of more words speaks of an invoice, it does not call itself one
_WIDE = re.compile("[\u2e80-\u9fff\uac00-\ud7af]")
_TITLES = ("title", "section_header")


class Signs:
    """Reads the pages for signs of the class that was picked, and of the others."""

    def __init__(self, found: DocumentClass, others: Iterable[DocumentClass]) -> None:
        self._own = _pattern(found.signs)
        self._seen = False
        self._others = {
            other.name: _pattern(other.signs)
            for other in others
            if other.signs and other.name != found.name
        }
        self._headed: str | None = None

    def look(self, page: Page) -> None:
        """Take a page into account. Headings count on the first page that has lines."""
        if not self._seen and self._own:
            self._seen = bool(self._own.search(f" {spaced(page.text)} "))
        if self._others:
            for at, line in enumerate(page.lines):
                if at < _FIRST_LINES or line.kind in _TITLES:
                    self._head(f" {spaced(line.text)} ")
            if page.lines:
                self._others = {}

    def reasons(self) -> Iterator[str]:
        """Why the class is doubted, if it is."""
        if self._headed and not self._seen:
            yield f"The document is headed like a document of the class {self._headed}."

    def _head(self, line: str) -> None:
        words = line.split()
        if self._headed is None and 0 < len(words) <= _HEADING_WORDS:
            for name, pattern in self._others.items():
                if pattern and pattern.match(line):
                    self._headed = name
                    return


def _pattern(signs: Iterable[str]) -> re.Pattern[str] | None:
    """Whole words; Chinese and Japanese have no spaces between them."""
    texts = [spaced(sign) for sign in signs]
    parts = [f" ?{text}" if _WIDE.match(text) else f" {text} " for text in texts]
    return re.compile("|".join(parts)) if parts else None
