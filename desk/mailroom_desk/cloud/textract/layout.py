"""Words to lines, and lines to rows: what is read together and in which order.

A line is a run of words with ordinary gaps. As in Textract, two cells or columns far apart are two
lines even where they stand at the same height. Input and output are in the page's upright frame.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from mailroom_desk.cloud.textract.geometry import Box, Page, Word, around

# A gap wider than this share of the words' height ends a line: about three ordinary spaces.
WIDEST_GAP = 0.8
# Words may overlap by this share of their height (kerning, generous boxes of the detector).
DEEPEST_OVERLAP = 0.6
# Two words of one line differ in height by this factor at most: a title does not join small print.
TALLEST_NEIGHBOUR = 2.0
# And two lines of one row by this factor.
TALLEST_ROW = 4.0
# A word's box may reach over a line that is drawn beside it, by so many points.
RULE_SLACK = 1.5
# Prose columns: each side of the gutter has this many lines, of this many characters in the median,
# and is this share of the page wide. Tables and address blocks have shorter lines.
COLUMN_LINES = 5
COLUMN_CHARACTERS = 22
COLUMN_WIDTH = 0.2


@dataclass(frozen=True, slots=True)
class Line:
    """Words that are read together, from left to right."""

    words: tuple[Word, ...]
    box: Box

    @property
    def text(self) -> str:
        return " ".join(word.text for word in self.words)


def lines_of(page: Page) -> list[Line]:
    """Return the page's lines in reading order."""
    lines = [_line(words) for words in _runs(page.words, page.rules)]
    return _in_reading_order(lines, page.width)


def rows_of(lines: Sequence[Line], share: float = 0.5) -> list[list[Line]]:
    """Group lines at the same height; rows from top to bottom, lines from left to right."""
    rows: list[list[Line]] = []
    for line in sorted(lines, key=lambda each: each.box.middle):
        row = rows[-1] if rows else None
        if row and all(_level(line.box, other.box, share) for other in row):
            row.append(line)
        else:
            rows.append([line])
    for row in rows:
        row.sort(key=lambda each: each.box.left)
    return rows


def _level(one: Box, other: Box, share: float) -> bool:
    """Tell whether two lines stand at the same height; a slanting stamp stands at none."""
    low, high = sorted((one.height, other.height))
    return high <= TALLEST_ROW * max(low, 0.1) and one.shares_row_with(other, share)


def _runs(words: Sequence[Word], rules: Sequence[Box]) -> list[list[Word]]:
    runs: list[list[Word]] = []
    for word in sorted(words, key=lambda each: (each.box.left, each.box.top)):
        best, best_gap = None, 0.0
        for run in runs:
            gap = _gap(run[-1], word)
            if (
                gap is not None
                and (best is None or gap < best_gap)
                and not _ruled_apart(run[-1].box, word.box, rules)
            ):
                best, best_gap = run, gap
        if best is None:
            runs.append([word])
        else:
            best.append(word)
    return runs


def _gap(left: Word, right: Word) -> float | None:
    """Return the gap between two neighbours of one line, or None where they are not that."""
    one, other = left.box, right.box
    low, high = sorted((one.height, other.height))
    gap = other.left - one.right
    if not -DEEPEST_OVERLAP * low <= gap <= WIDEST_GAP * low:
        return None
    if high > TALLEST_NEIGHBOUR * max(low, 0.1) or not one.shares_row_with(other, 0.6):
        return None
    return abs(gap)


def _ruled_apart(left: Box, right: Box, rules: Sequence[Box]) -> bool:
    """Tell whether an upright line is drawn between two words: they are two boxes or cells."""
    low, high = left.right - RULE_SLACK, right.left + RULE_SLACK
    return any(
        low <= rule.left and rule.right <= high and rule.top <= left.middle <= rule.bottom
        for rule in rules
    )


def _line(words: Sequence[Word]) -> Line:
    return Line(tuple(words), around(word.box for word in words))


def _in_reading_order(lines: Sequence[Line], width: float) -> list[Line]:
    """Go through columns of prose one after the other, through everything else row by row."""
    gutter = _gutter(lines, width)
    if gutter is None:
        return [line for row in rows_of(lines) for line in row]
    top, bottom = gutter.top, gutter.bottom
    above = [line for line in lines if line.box.middle < top]
    below = [line for line in lines if line.box.middle > bottom]
    between = [line for line in lines if top <= line.box.middle <= bottom]
    left = [line for line in between if line.box.left < gutter.left]
    right = [line for line in between if line.box.left >= gutter.left]
    parts = (above, left, right, below)
    return [line for part in parts for line in _in_reading_order(part, width)]


def _gutter(lines: Sequence[Line], width: float) -> Box | None:
    """Find the white strip between two columns of prose, or None where there is no such thing.

    A line that crosses a strip ends it: each candidate is tried between the crossing lines, and the
    longest stretch with prose on both sides wins.
    """
    if len(lines) < 2 * COLUMN_LINES:
        return None
    best: Box | None = None
    for x in sorted({round(line.box.left, 1) for line in lines}):
        if not COLUMN_WIDTH * width <= x <= (1 - COLUMN_WIDTH) * width:
            continue
        crossing = sorted(
            line.box.middle for line in lines if line.box.left < x - 1 and line.box.right > x
        )
        edges = [float("-inf"), *crossing, float("inf")]
        for start, end in pairwise(edges):
            inside = [line for line in lines if start < line.box.middle < end]
            if not _two_columns(inside, x, width):
                continue
            box = around(line.box for line in inside)
            if best is None or box.height > best.height:
                best = Box(x - 1, box.top, x, box.bottom)
    return best


def _two_columns(lines: Sequence[Line], x: float, width: float) -> bool:
    left = [line for line in lines if line.box.right <= x]
    right = [line for line in lines if line.box.left >= x - 1]
    return all(
        len(side) >= COLUMN_LINES
        and median(len(line.text) for line in side) >= COLUMN_CHARACTERS
        and median(line.box.width for line in side) >= COLUMN_WIDTH * width
        for side in (left, right)
    )
