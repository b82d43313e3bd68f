"""Cells so close that they read as one line, divided by the gutter of the row above or below."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from mailroom_desk.cloud.textract.geometry import Word, around
from mailroom_desk.cloud.textract.layout import Line

# A gap between cells is wider than an ordinary space, which is about a quarter of the height.
LEAST_GAP = 0.35
# The part after the gap begins or ends where the neighbour's cell does, within this share.
SLACK = 0.6
# The neighbouring row is at most so many heights away.
NEAR = 2.5


def divided(rows: Sequence[list[Line]]) -> list[list[Line]]:
    """Return the rows with such lines divided, by neighbours that have more cells."""
    found = []
    for place, row in enumerate(rows):
        around_it = [rows[n] for n in (place - 1, place + 1) if 0 <= n < len(rows)]
        guides = [other for other in around_it if len(other) > len(row) and _is_near(row, other)]
        found.append([part for line in row for part in _parts(line, guides)])
    return found


def _is_near(row: Sequence[Line], other: Sequence[Line]) -> bool:
    height = row[0].box.height
    return abs(row[0].box.middle - other[0].box.middle) <= NEAR * height


def _parts(line: Line, guides: Sequence[list[Line]]) -> Iterator[Line]:
    start = 0
    for place in range(1, len(line.words)):
        if any(_is_border(line, start, place, guide) for guide in guides):
            yield _line(line.words[start:place])
            start = place
    yield line if start == 0 else _line(line.words[start:])


def _is_border(line: Line, start: int, place: int, guide: Sequence[Line]) -> bool:
    before, after = line.words[place - 1].box, line.words[place].box
    height = line.box.height
    if after.left - before.right < LEAST_GAP * height:
        return False
    slack = SLACK * height
    return any(
        left.box.right <= after.left + slack
        and right.box.left >= before.right - slack
        and left.box.right > line.words[start].box.left
        and line.box.right > right.box.left
        and (
            abs(right.box.left - after.left) <= slack
            or any(abs(right.box.right - w.box.right) <= slack for w in line.words[place:])
        )
        for left, right in pairwise(guide)
    )


def _line(words: tuple[Word, ...]) -> Line:
    return Line(words, around(word.box for word in words))
