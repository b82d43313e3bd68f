"""Cells so close that they read as one line, divided where the rows around them say so.

Either a neighbouring row has its gutter there, or all rows have: numbers that end where their
heading ends, followed by words that begin where theirs begins.
"""

import re
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import pairwise, takewhile

from mailroom_desk.cloud.textract.geometry import Word, around
from mailroom_desk.cloud.textract.layout import Line

# A gap between cells is wider than an ordinary space, which is about a quarter of the height.
LEAST_GAP = 0.35
# The part after the gap begins or ends where the neighbour's cell does, within this share.
SLACK = 0.6
# The neighbouring row is at most so many heights away.
NEAR = 2.5
# Edges of a common column differ by this share of the height: printing, and the reader's boxes.
EDGE_SLACK = 0.3
LEAST_NUMBERS = 2
_NUMBER = re.compile(r"\d+([.,]\d+)*")


def divided(rows: Sequence[list[Line]]) -> list[list[Line]]:
    """Return the rows with such lines divided, by neighbours that have more cells.

    The row above counts as it was divided itself: a heading speaks for all rows under it.
    """
    found: list[list[Line]] = []
    rows = _numbered(rows)
    for place, row in enumerate(rows):
        around_it = [*found[-1:], *rows[place + 1 : place + 2]]
        guides = [other for other in around_it if len(other) > len(row) and _is_near(row, other)]
        found.append([part for line in row for part in _parts(line, guides)])
    return found


def _numbered(rows: Sequence[list[Line]]) -> list[list[Line]]:
    """Divide the first cells that are a number and words in every row under their heading."""
    found = list(rows)
    for place, row in enumerate(rows):
        under = _numbers_under(row, rows[place + 1 :])
        if sum(len(each) > 1 for each in under) < LEAST_NUMBERS:
            continue
        for number, (first, *rest) in enumerate((row, *under), start=place):
            # A row of one line is words that go on, without a number.
            if rest:
                found[number] = [_line(first.words[:1]), _line(first.words[1:]), *rest]
    return found


def _numbers_under(row: Sequence[Line], below: Sequence[list[Line]]) -> list[list[Line]]:
    heading = row[0]
    if len(row) < 2 or len(heading.words) < 2 or any(map(str.isdigit, heading.text)):
        return []
    return list(takewhile(partial(_goes_on, heading), below))


def _goes_on(heading: Line, row: Sequence[Line]) -> bool:
    """Tell a row with a number before its words, or one in which only the words go on."""
    first = row[0]
    if len(row) == 1:
        return _near(heading, first.box.left, heading.words[1].box.left)
    return (
        len(first.words) > 1
        and _NUMBER.fullmatch(first.words[0].text) is not None
        and _near(heading, first.words[0].box.right, heading.words[0].box.right)
        and _near(heading, first.words[1].box.left, heading.words[1].box.left)
    )


def _near(heading: Line, one: float, other: float) -> bool:
    return abs(one - other) <= EDGE_SLACK * heading.box.height


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
