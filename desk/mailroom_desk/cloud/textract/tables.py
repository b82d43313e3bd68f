"""Tables: rows of cells that stand in common columns.

A table is found by its white space alone: consecutive rows whose lines fall into the same columns,
where a column is a set of lines that overlap horizontally. Ruling lines are not looked at.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median

from mailroom_desk.cloud.textract.geometry import Box, around
from mailroom_desk.cloud.textract.layout import Line, rows_of
from mailroom_desk.cloud.textract.touching import divided

# Lines of one table row overlap by this share of their height; stricter than reading order.
ROW_SHARE = 0.6
# Rows further apart than so many line heights are two tables.
WIDEST_ROW_GAP = 3.0
# A gap wider than all before (two at least) by this factor ends the table as well.
WIDER_GAP = 2.0
# A line this close (in line heights) under a cell goes on with its text.
CONTINUATION_GAP = 0.75
# Fewer cells than this, with fewer columns than three, are just two lines side by side.
LEAST_ROWS_OF_TWO_COLUMNS = 3
LEAST_ROWS = 2
# Columns whose cells have so many characters in the median are prose, not cells.
PROSE_CHARACTERS = 28


@dataclass(slots=True)
class Cell:
    """One cell; `lines` is empty where the column has nothing in this row."""

    row: int
    column: int
    box: Box
    lines: list[Line] = field(default_factory=list)

    @property
    def text(self) -> str:
        return " ".join(line.text for line in self.lines)


@dataclass(frozen=True, slots=True)
class Table:
    """A grid of cells, row by row. `has_header` says that the first row names the columns."""

    rows: tuple[tuple[Cell, ...], ...]
    has_header: bool

    @property
    def box(self) -> Box:
        return around(cell.box for row in self.rows for cell in row)

    @property
    def columns(self) -> int:
        return len(self.rows[0])


@dataclass(slots=True)
class _Draft:
    """Rows found so far, each a list of lines, and the columns they span."""

    rows: list[list[Line]] = field(default_factory=list)
    columns: list[tuple[float, float]] = field(default_factory=list)
    gaps: list[float] = field(default_factory=list)
    held: Line | None = None  # a line alone at its height: of the next row, or a row of its own

    @property
    def bottom(self) -> float:
        return max(line.box.bottom for line in self.rows[-1])

    @property
    def line_height(self) -> float:
        return median(line.box.height for line in self.rows[-1])


def tables_of(lines: Sequence[Line]) -> list[Table]:
    """Return the tables among a page's lines, from top to bottom."""
    found: list[Table] = []
    draft = _Draft()
    for row in divided(rows_of(lines, ROW_SHARE)):
        if draft.rows and not _take(draft, row):
            found.extend(_finished(draft))
            draft = _Draft()
        if not draft.rows and len(row) > 1:
            draft.columns = _merged([], row) or []
            draft.rows.append(row)
    found.extend(_finished(draft))
    return found


def _take(draft: _Draft, row: list[Line]) -> bool:
    """Add a row to the table if it fits; False ends the table."""
    gap = min(line.box.top for line in row) - draft.bottom
    if gap > WIDEST_ROW_GAP * draft.line_height:
        return False
    if len(row) == 1:
        return _take_single(draft, row[0], gap)
    if draft.held is None and _is_break(draft, gap):
        return False
    columns = _merged(draft.columns, row)
    if columns is None:
        return False
    if len(columns) > len(draft.columns) and len(draft.rows) > 1 and _names_columns(draft):
        return False  # the heading has named all columns: what adds one is something else
    _settle(draft, row)
    if gap > 0:
        draft.gaps.append(gap)
    draft.columns = columns
    draft.rows.append(row)
    return True


def _is_break(draft: _Draft, gap: float) -> bool:
    """Tell a gap that is wide for this table, whose rows have so far stood closer."""
    return len(draft.gaps) > 1 and gap > max(draft.line_height, WIDER_GAP * max(draft.gaps))


def _take_single(draft: _Draft, line: Line, gap: float) -> bool:
    """Take a lone line: text that goes on, a part of the next row, or something beside."""
    touched = [
        place for place, column in enumerate(draft.columns) if _overlap(column, line.box) > 0
    ]
    if len(touched) != 1:
        return not touched  # across columns: the table ends; beside all of them: not its business
    column = draft.columns[touched[0]]
    above = [each for each in draft.rows[-1] if _overlap(column, each.box) > 0]
    aligned = not above or abs(above[0].box.left - line.box.left) <= draft.line_height
    if gap <= CONTINUATION_GAP * draft.line_height and aligned:
        draft.rows[-1].append(line)
        draft.columns[touched[0]] = _union(column, line.box)
    else:
        _settle(draft, [])
        draft.held = line
    return True


def _settle(draft: _Draft, row: list[Line]) -> None:
    """Give the held line to the row it stands beside, or else a row of its own."""
    if draft.held is None:
        return
    held, draft.held = draft.held, None
    close = row and min(line.box.top for line in row) <= held.box.bottom
    if close:
        row.insert(0, held)
    else:
        draft.rows.append([held])


def _merged(
    columns: list[tuple[float, float]], row: list[Line]
) -> list[tuple[float, float]] | None:
    """Return the columns widened by the row; None if it does not fit into them."""
    if len(row) == len(
        columns
    ):  # a cell for each column, though perhaps not right under its heading
        paired = [_union(column, line.box) for column, line in zip(columns, row, strict=True)]
        if all(left[1] <= right[0] for left, right in pairwise(paired)):
            return paired
    taken: set[int] = set()
    merged = list(columns)
    fresh: list[tuple[float, float]] = []
    for line in row:
        touched = [place for place, column in enumerate(columns) if _overlap(column, line.box) > 0]
        if len(touched) > 1 or (touched and touched[0] in taken):
            return None
        if touched:
            taken.add(touched[0])
            merged[touched[0]] = _union(merged[touched[0]], line.box)
        else:
            fresh.append((line.box.left, line.box.right))
    if columns and not taken:
        return None
    merged = sorted(merged + fresh)
    if any(left[1] > right[0] for left, right in pairwise(merged)):
        return None
    return merged


def _overlap(column: tuple[float, float], box: Box) -> float:
    return min(column[1], box.right) - max(column[0], box.left)


def _union(column: tuple[float, float], box: Box) -> tuple[float, float]:
    return min(column[0], box.left), max(column[1], box.right)


def _finished(draft: _Draft) -> list[Table]:
    """Make the table, if the rows and columns are enough to be one."""
    columns = len(draft.columns)
    least = LEAST_ROWS if columns > 2 else LEAST_ROWS_OF_TWO_COLUMNS
    if columns < 2 or len(draft.rows) < least or _is_prose(draft):
        return []
    edges = [(left[1] + right[0]) / 2 for left, right in pairwise(draft.columns)]
    lefts = [draft.columns[0][0], *edges]
    rights = [*edges, draft.columns[-1][1]]
    rows = []
    for number, lines in enumerate(draft.rows):
        top, bottom = min(e.box.top for e in lines), max(e.box.bottom for e in lines)
        cells = tuple(
            Cell(number + 1, place + 1, Box(lefts[place], top, rights[place], bottom))
            for place in range(columns)
        )
        for line in sorted(lines, key=lambda each: each.box.top):
            cells[_column_of(line, draft)].lines.append(line)
        rows.append(cells)
    return [Table(tuple(rows), _has_header(draft, rows))]


def _column_of(line: Line, draft: _Draft) -> int:
    return max(range(len(draft.columns)), key=lambda p: _overlap(draft.columns[p], line.box))


def _is_prose(draft: _Draft) -> bool:
    by_column: list[list[int]] = [[] for _ in draft.columns]
    for line in (line for row in draft.rows for line in row):
        by_column[_column_of(line, draft)].append(len(line.text))
    return sum(median(lengths) >= PROSE_CHARACTERS for lengths in by_column) > 1


def _has_header(draft: _Draft, rows: Sequence[Sequence[Cell]]) -> bool:
    """Two columns have a heading only if numbers follow under it; else they are pairs."""
    if not _names_columns(draft) or len(draft.columns) > 2:
        return _names_columns(draft)
    numbers = [any(character.isdigit() for character in row[-1].text) for row in rows[1:]]
    labels = any(cell.text.endswith(":") for cell in rows[0])
    return not labels and not any(map(str.isdigit, rows[0][-1].text)) and all(numbers)


def _names_columns(draft: _Draft) -> bool:
    """Tell a heading row: most columns have something in it, and hardly a digit."""
    text = "".join(line.text for line in draft.rows[0])
    digits = sum(character.isdigit() for character in text)
    return len(draft.rows[0]) * 2 > len(draft.columns) and digits * 10 <= len(text)
