"""The pages as people read them: headings, paragraphs, tables and forms in Markdown.

What the document says is data here too: it makes no link, loads no picture and starts no markup.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from mailroom.pages import Box, Line, Page, Pair, Table

_HEADINGS = {"title": "### ", "section_header": "#### "}
_SMALL = ("header", "footer", "page_number")
# What starts markup within a line. Brackets alone do not: they are needed for marks.
_MARKUP = re.compile(r"([\\`*_~<&|]|\](?=[(:\[])|!(?=\[))")
# What starts a block at the beginning of a line: a heading, a quotation, a list.
_OPENING = re.compile(r"^(?:(\d+)(?=[.)](?:\s|$))|(?=[#>=])|(?=[-+](?:\s|-|$)))")
_CAPTION = 8  # characters of a line that is looked for in a table's title or footer


class _Contents(NamedTuple):
    """What a table holds: the words of its cells, its title and footers, its place."""

    words: set[str]
    caption: str
    box: Box | None


def heading(title: str) -> str:
    """The beginning of a document."""
    return f"# {_plain(title)}\n"


def gap(before: int, after: int) -> str:
    """Names the pages that are missing between two that are there; empty where none is."""
    first, last = before + 1, after - 1
    if first > last:
        return ""
    pages = f"Page {first} is" if first == last else f"Pages {first} to {last} are"
    return f"\n> **{pages} missing.** OCR gave nothing for this part of the document.\n"


def render(page: Page) -> str:
    """One page."""
    parts = [f"\n## Page {page.number}", *_body(page)]
    if page.forms:
        parts.append("**Form**\n\n" + "\n".join(map(_pair, page.forms)))
    if page.queries:
        rows = [
            f"- {_line(q.question)} — {_plain(q.answer) or '*no answer*'}" for q in page.queries
        ]
        parts.append("**Questions**\n\n" + "\n".join(rows))
    if page.signatures:
        count = len(page.signatures)
        parts.append(f"*{count} signature{'s' if count > 1 else ''} on this page.*")
    if len(parts) == 1:
        parts.append("*No text.*")
    return "\n\n".join(parts) + "\n"


def _pair(pair: Pair) -> str:
    key = f"**{_line(pair.key)}** " if pair.key else ""
    return f"- {key}{_plain(pair.value)}".rstrip()


def _body(page: Page) -> Iterator[str]:
    """Lines in reading order; each table in place of the lines that it holds."""
    tables = [_contents(table) for table in page.tables]
    shown: set[int] = set()
    paragraph: list[str] = []
    kind = ""
    for line in page.lines:
        table = _table_of(line, tables)
        if paragraph and (table is not None or line.kind != kind):
            yield "  \n".join(paragraph)
            paragraph = []
        kind = line.kind
        if table is None:
            paragraph.append(_styled(line))
        elif table not in shown:
            shown.add(table)
            yield _table(page.tables[table])
    if paragraph:
        yield "  \n".join(paragraph)
    yield from (_table(table) for at, table in enumerate(page.tables) if at not in shown)


def _contents(table: Table) -> _Contents:
    words = " ".join(text for row in table.texts() for text in row).split()
    return _Contents(set(words), " ".join([table.title, *table.footers]), table.box)


def _table_of(line: Line, tables: list[_Contents]) -> int | None:
    """The table that holds a line: where it stands, with all of its words; or in its caption."""
    if not line.words:
        return None
    parts = {part for word in line.words for part in word.text.split()}
    for at, table in enumerate(tables):
        if table.box and parts <= table.words and _lies_in(line, table.box):
            return at
        if len(line.text) >= _CAPTION and line.text in table.caption:
            return at
    return None


def _lies_in(line: Line, box: Box) -> bool:
    left, top, width, height = box
    return all(
        left <= word.box[0] + word.box[2] / 2 <= left + width
        and top <= word.box[1] + word.box[3] / 2 <= top + height
        for word in line.words
    )


def _styled(line: Line) -> str:
    if line.kind in _HEADINGS:
        return _HEADINGS[line.kind] + _plain(line.text)
    text = _line(line.text)
    if line.kind in _SMALL:
        return f"*{text}*"
    return f"- {text}" if line.kind == "list" else text


def _table(table: Table) -> str:
    rows = table.texts()
    parts = [f"**{_line(table.title)}**"] if table.title else []
    if table.continued:
        parts.append("*The table goes on from the page before.*")
        rows = rows if table.repeats_header else [[""] * len(rows[0]), *rows]
    if rows:
        head, *body = [f"| {' | '.join(map(_plain, row))} |" for row in rows]
        parts.append("\n".join([head, "|" + " --- |" * len(rows[0]), *body]))
    parts += [f"*{_line(footer)}*" for footer in table.footers]
    return "\n\n".join(parts)


def _line(text: str) -> str:
    """Text that starts a line."""
    return _OPENING.sub(r"\1\\", _plain(text))


def _plain(text: str) -> str:
    return _MARKUP.sub(r"\\\1", " ".join(text.split()))
