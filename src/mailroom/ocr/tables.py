"""Tables: from cells to rows, and over the end of a page.

Merged cells: their text stands where they begin, the other cells that they cover are empty.
Block types: Amazon Textract Developer Guide, "Tables".
"""

from collections.abc import Callable, Iterable, Iterator

from mailroom.ocr.textract_json import Block
from mailroom.pages import Box, Cell, Page, Table

_DIGITS = 4  # of a fraction of the page: a tenth of a millimetre
# How far the edges of one column may differ on two pages, as a fraction of the width.
_SAME_EDGE = 0.02
# Lines that may stand between a table's end and the page's: a footer, a page number.
_MARGIN_LINES = 3


def box_of(block: Block) -> Box | None:
    """Where a block stands, rounded; None where the file does not say."""
    box = block.geometry and block.geometry.bounding_box
    if not box:
        return None
    return (
        round(box.left or 0.0, _DIGITS),
        round(box.top or 0.0, _DIGITS),
        round(box.width or 0.0, _DIGITS),
        round(box.height or 0.0, _DIGITS),
    )


def around(boxes: Iterable[Box | None]) -> Box | None:
    """The box around all that are known."""
    known = [box for box in boxes if box]
    if len(known) < 2:
        return known[0] if known else None
    left, top = min(box[0] for box in known), min(box[1] for box in known)
    right, bottom = max(b[0] + b[2] for b in known), max(b[1] + b[3] for b in known)
    return (left, top, round(right - left, _DIGITS), round(bottom - top, _DIGITS))


def read_table(table: Block, blocks: dict[str, Block], text: Callable[[Block], str]) -> Table:
    """A TABLE block's rows, title and footers; `text` gives a block's words."""

    def related(kind: str) -> list[Block]:
        return [blocks[i] for i in table.ids(kind) if i in blocks]

    children = related("CHILD")
    cells = [child for child in children if child.block_type == "CELL"]
    merged = {block.id: block for block in [*children, *related("MERGED_CELL")]}
    merges = [block for block in merged.values() if block.block_type == "MERGED_CELL"]
    return Table(
        rows=_rows(cells, merges, text),
        title=" ".join(filter(None, map(text, related("TABLE_TITLE")))),
        footers=[found for found in map(text, related("TABLE_FOOTER")) if found],
        box=box_of(table),
    )


def _rows(
    cells: list[Block], merges: list[Block], text: Callable[[Block], str]
) -> list[list[Cell]]:
    spans = [*cells, *merges]
    height = max(((b.row_index or 1) + (b.row_span or 1) - 1 for b in spans), default=0)
    width = max(((b.column_index or 1) + (b.column_span or 1) - 1 for b in spans), default=0)
    grid = [[Cell("") for _ in range(width)] for _ in range(height)]
    by_id = {cell.id: cell for cell in cells}
    covered: set[str] = set()
    for merge in merges:
        parts = [by_id[i] for i in merge.ids("CHILD") if i in by_id and i not in covered]
        covered.update(part.id for part in parts)
        _put(grid, merge, " ".join(filter(None, map(text, parts))))
    for cell in cells:
        if cell.id not in covered:
            _put(grid, cell, text(cell))
    return grid


def _put(grid: list[list[Cell]], block: Block, text: str) -> None:
    row, column = (block.row_index or 1) - 1, (block.column_index or 1) - 1
    there = grid[row][column]
    if there.text:  # two cells of one place: neither is lost
        text = f"{there.text} {text}".strip()
    confidence = round(block.confidence or 0, 2)
    size = (block.row_span or 1, block.column_span or 1)
    grid[row][column] = Cell(text, confidence, box_of(block), *size)


def join_tables(before: Page, page: Page) -> None:
    """Mark the first table of a page that goes on from the last one of the page before."""
    if page.number != before.number + 1 or not (before.tables and page.tables):
        return
    last, first = before.tables[-1], page.tables[0]
    if not (last.rows and first.rows) or len(last.rows[0]) != len(first.rows[0]):
        return
    if first.title and not (last.title and first.title.startswith(last.title)):
        return  # "Balance sheet (continued)" goes on, another title does not
    if _lines_beside(before, last, below=True) > _MARGIN_LINES:
        return
    if _lines_beside(page, first, below=False) > _MARGIN_LINES:
        return
    repeats = _is_header(last, first)
    if repeats or _same_edges(last, first):
        first.continued = True
        first.repeats_header = repeats


def _is_header(last: Table, first: Table) -> bool:
    """Whether the first row stands on both pages, word for word."""
    header = [cell.text.casefold() for cell in last.rows[0]]
    return any(header) and header == [cell.text.casefold() for cell in first.rows[0]]


def _lines_beside(page: Page, table: Table, *, below: bool) -> int:
    """How many lines stand wholly below, or above, a table. Without a box, none are known to."""
    if not table.box:
        return 0
    top, bottom = table.box[1], table.box[1] + table.box[3]
    heights = (word.box[1] + word.box[3] / 2 for line in page.lines for word in line.words[:1])
    return sum(height > bottom if below else height < top for height in heights)


def _same_edges(last: Table, first: Table) -> bool:
    pairs = list(zip(_edges(last), _edges(first), strict=True))
    known = [(one, other) for one, other in pairs if one is not None and other is not None]
    return bool(known) and all(abs(one - other) <= _SAME_EDGE for one, other in known)


def _edges(table: Table) -> Iterator[float | None]:
    """The left edge of each column, by its cells that are not merged."""
    for column in zip(*table.rows, strict=True):
        lefts = [cell.box[0] for cell in column if cell.box and cell.columns == 1]
        yield min(lefts, default=None)
