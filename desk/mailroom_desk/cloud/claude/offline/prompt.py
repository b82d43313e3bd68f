"""Parse the user message: what Mailroom shows Claude of a document, and nothing else.

`parse_prompt(text)` returns a Document. A message without document marks becomes one page of
lines, so that any plain prompt can be read as well. Which pages are shown or missing and what a
table is called (it is among the lines) makes no difference to what is read.
"""

import re
import unicodedata
from dataclasses import dataclass, field

DOCUMENT = re.compile(r"<document-([0-9a-f]+)[^>\n]*>\n?(.*?)\n?</document-\1>", re.DOTALL)
PAGE = re.compile(r"^<page\b[^>\n]*>\n(.*?)^</page>", re.DOTALL | re.MULTILINE)
PART = re.compile(r"^<(text|forms|table)\b[^>\n]*>\n(.*?)^</\1>", re.DOTALL | re.MULTILINE)
CELL_BORDER = re.compile(r"(?<!\\)\|")


@dataclass(frozen=True)
class Page:
    """One page: lines in reading order, key-value pairs, tables as rows of cells."""

    lines: list[str] = field(default_factory=list)
    forms: list[tuple[str, str]] = field(default_factory=list)
    tables: list[list[list[str]]] = field(default_factory=list)


@dataclass(frozen=True)
class Document:
    """The pages of one document."""

    pages: list[Page]

    @property
    def lines(self) -> list[str]:
        """The lines of all pages."""
        return [line for page in self.pages for line in page.lines]

    @property
    def forms(self) -> list[tuple[str, str]]:
        """The key-value pairs of all pages."""
        return [pair for page in self.pages for pair in page.forms]

    @property
    def tables(self) -> list[list[list[str]]]:
        """The tables of all pages."""
        return [table for page in self.pages for table in page.tables]


def parse_prompt(text: str) -> Document:
    """Return the document in a user message."""
    marked = DOCUMENT.search(text)
    if not marked:
        return Document([Page(lines=_lines(text))])
    pages = [_parse_page(page.group(1)) for page in PAGE.finditer(marked.group(2) + "\n")]
    return Document(pages or [Page(lines=_lines(marked.group(2)))])


def _parse_page(text: str) -> Page:
    page = Page()
    for part in PART.finditer(text):
        kind, body = part.groups()
        if kind == "text":
            page.lines.extend(_lines(body))
        elif kind == "forms":
            pairs = (line.partition(": ") for line in _lines(body))
            page.forms.extend((key.strip(), value.strip()) for key, _, value in pairs)
        else:
            page.tables.append([_cells(line) for line in _lines(body)])
    return page


def _lines(text: str) -> list[str]:
    composed = unicodedata.normalize("NFC", text)
    return [line.strip() for line in composed.splitlines() if line.strip()]


def _cells(line: str) -> list[str]:
    inner = line.strip().removeprefix("|").removesuffix("|")
    return [cell.replace("\\|", "|").strip() for cell in CELL_BORDER.split(inner)]
