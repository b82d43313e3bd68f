"""Cut a document into windows: runs of pages that the model can see in one call.

Comes in: the pages, one at a time. Goes out: `Piece`s, which say how long each page is, and
`Window`s of consecutive pieces, without text; `filled` reads the text of windows in one pass, so
that never more than one window's pages are held at a time.

A page is one piece. One that is longer than a window is cut into parts, each a piece of its own.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from msgspec import structs

from mailroom.llm.prompt import render
from mailroom.pages import Cell, Line, Page, Table

_ASCII_PER_TOKEN = 2.5
_BYTES_PER_TOKEN = 2.0
_MOST_TOKENS_A_CHARACTER = 4 / _BYTES_PER_TOKEN  # UTF-8 has at most four bytes a character
_TAG_TOKENS = 100  # the tags of a page and the number of its part


def tokens(text: str) -> int:
    """How many tokens a text makes at most, by its script.

    ASCII: 2.5 characters a token, which tables of numbers need; prose has 3.5 to 4. All else is
    counted by its UTF-8 bytes, two of them a token: accented Latin, Greek, Cyrillic, Hebrew and
    Arabic letters make one token each, Chinese, Japanese, Korean and Indic ones one and a half.
    """
    ascii_length = len(text.encode("ascii", "ignore"))
    other_bytes = len(text.encode("utf-8", "surrogatepass")) - ascii_length
    return math.ceil(ascii_length / _ASCII_PER_TOKEN + other_bytes / _BYTES_PER_TOKEN)


@dataclass(frozen=True)
class Piece:
    """One page, or one of the `parts` that a long page is cut into, and its size in tokens."""

    page: int
    tokens: int
    part: int = 1
    parts: int = 1


@dataclass(frozen=True)
class Window:
    """Pieces that are shown together, in the order of the document."""

    pieces: tuple[Piece, ...]

    @property
    def tokens(self) -> int:
        return sum(piece.tokens for piece in self.pieces)

    @property
    def pages(self) -> list[int]:
        """The numbers of its pages, each once."""
        return sorted({piece.page for piece in self.pieces})

    def halves(self) -> "tuple[Window, Window] | None":
        """The window cut in two of about the same length; None where it holds one piece."""
        if len(self.pieces) < 2:
            return None
        sums, total = [], 0
        for piece in self.pieces[:-1]:
            total += piece.tokens
            sums.append(abs(self.tokens - 2 * total))
        cut = sums.index(min(sums)) + 1
        return Window(self.pieces[:cut]), Window(self.pieces[cut:])


def survey(pages: Iterable[Page], limit: int) -> list[Piece]:
    """Measure a document: its pieces, none longer than `limit` tokens as it is shown."""
    pieces: list[Piece] = []
    for page in pages:
        texts = _texts(page, limit)
        pieces += [
            Piece(page.number, tokens(text), part, len(texts))
            for part, text in enumerate(texts, start=1)
        ]
    return pieces


def packed(pieces: Sequence[Piece], limit: int) -> list[Window]:
    """As few windows of at most `limit` tokens as there can be, about equally long.

    Equal ones leave room in each, where full ones and a rest would not.
    """
    if not pieces:
        return []
    count = len(_filled_up(pieces, limit))
    even = math.ceil(sum(piece.tokens for piece in pieces) / count)
    largest = max(piece.tokens for piece in pieces)
    windows = _filled_up(pieces, min(limit, even + largest))
    return [Window(tuple(window)) for window in windows]


def _filled_up(pieces: Sequence[Piece], limit: int) -> list[list[Piece]]:
    windows: list[list[Piece]] = []
    used = limit + 1
    for piece in pieces:
        if used + piece.tokens > limit:
            windows.append([])
            used = 0
        windows[-1].append(piece)
        used += piece.tokens
    return windows


def view(pieces: Sequence[Piece], limit: int) -> Window:
    """What a document is known by: its first and last pages and a sample of the others.

    A third of `limit` goes to the first pages and a sixth to the last ones; the rest to pages at
    even distances between them. The first page is always there, however long.
    """
    chosen: set[int] = {0} if pieces else set()
    room = limit - sum(pieces[at].tokens for at in chosen)
    between = range(len(pieces))
    for order, share in ((between, limit / 3), (between[::-1], limit / 6)):
        spent = 0
        for at in order:
            if at in chosen:
                spent += pieces[at].tokens
                continue
            if pieces[at].tokens > min(room, share - spent):
                break
            chosen.add(at)
            spent += pieces[at].tokens
            room -= pieces[at].tokens
    for at in _evenly(len(pieces)):
        if at not in chosen and pieces[at].tokens <= room:
            chosen.add(at)
            room -= pieces[at].tokens
    return Window(tuple(pieces[at] for at in sorted(chosen)))


def _evenly(count: int) -> Iterator[int]:
    """All numbers below `count`; those that come first lie at even distances: halves, quarters …"""
    step, seen = count, set[int]()
    while step:
        for at in range(step // 2, count, step):
            if at not in seen:
                seen.add(at)
                yield at
        step //= 2


def filled(
    windows: Iterable[Window], pages: Iterable[Page], limit: int
) -> Iterator[tuple[Window, str]]:
    """Each window with its text, in one pass. The windows follow each other in the document.

    `limit` is that of `survey`: a long page is cut as it was there. A table that goes on from the
    page before the window is shown with its head, or nobody could tell its columns.
    """
    stream = _with_heads(pages)
    number, texts = None, list[str]()
    for window in windows:
        shown: list[str] = []
        for piece in window.pieces:
            while number != piece.page:
                page, head = next(stream)
                number = page.number
                texts = _texts(page, limit) if number == piece.page else []
                if head and len(texts) == 1 and not shown:
                    texts[0] = render(_headed(page, head))
            shown.append(texts[piece.part - 1])
        yield window, "".join(shown)


def _with_heads(pages: Iterable[Page]) -> Iterator[tuple[Page, list[Cell] | None]]:
    """Each page with the head of its first table, where that stands on an earlier page alone."""
    head: list[Cell] | None = None
    for page in pages:
        goes_on = bool(page.tables) and page.tables[0].continued
        yield page, head if goes_on and not page.tables[0].repeats_header else None
        begun = page.tables[int(goes_on) :]
        if begun and begun[-1].rows:
            head = begun[-1].rows[0]


def _headed(page: Page, head: list[Cell]) -> Page:
    first, *others = page.tables
    return structs.replace(page, tables=[structs.replace(first, rows=[head, *first.rows]), *others])


def _texts(page: Page, limit: int) -> list[str]:
    """The page as it is shown, in one part or several."""
    whole = render(page)
    if tokens(whole) <= limit:
        return [whole]
    parts = _cut(page, limit - _TAG_TOKENS)
    return [render(part, f"{at}/{len(parts)}") for at, part in enumerate(parts, start=1)]


def _cut(page: Page, limit: int) -> list[Page]:
    """The page in parts of at most `limit` tokens as they are shown; itself where that fits.

    Lines, pairs and rows are each cut in halves until they fit: what stands at the top of the page
    is in the first part, whichever way it was read.
    """
    if tokens(render(page)) <= limit:
        return [page]
    rows = [(table, row) for table in page.tables for row in table.rows]
    if max(len(page.lines), len(page.forms), len(rows)) < 2:
        return [Page(page.number, [Line(text, [])]) for text in _cut_text(page, limit)]
    halves = (
        Page(
            number=page.number,
            lines=page.lines[_half(page.lines, back)],
            forms=page.forms[_half(page.forms, back)],
            tables=_tables(rows[_half(rows, back)]),
        )
        for back in (False, True)
    )
    return [part for half in halves for part in _cut(half, limit)]


def _half(items: Sequence[object], back: bool) -> slice:
    middle = (len(items) + 1) // 2
    return slice(middle, None) if back else slice(middle)


def _tables(rows: list[tuple[Table, list[Cell]]]) -> list[Table]:
    tables: list[Table] = []
    last = None
    for table, row in rows:
        if table is not last:
            tables.append(structs.replace(table, rows=[]))
            last = table
        tables[-1].rows.append(row)
    return tables


def _cut_text(page: Page, limit: int) -> list[str]:
    """A line, a value or a cell as long as a window. No document has it, but no text is dropped."""
    pairs = (f"{pair.key} {pair.value}" for pair in page.forms)
    cells = (text for table in page.tables for row in table.texts() for text in row)
    text = " ".join(filter(None, [page.text, *pairs, *cells]))
    size = max(int(limit / _MOST_TOKENS_A_CHARACTER), 1)
    return [text[at : at + size] for at in range(0, len(text), size)]


def ranges(numbers: Iterable[int], separator: str = ",") -> str:
    """Page numbers as people write them: "1-4,200,399-400"."""
    present = set(numbers)
    starts = sorted(number for number in present if number - 1 not in present)
    ends = sorted(number for number in present if number + 1 not in present)
    return separator.join(
        f"{start}" if start == end else f"{start}-{end}"
        for start, end in zip(starts, ends, strict=True)
    )
