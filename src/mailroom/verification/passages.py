"""The texts of a page in which a value can stand, and the way back from a text to its words.

A page's lines are one passage. The values of its forms and the cells of its tables are another,
since lines can tear apart what they hold together.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from functools import cached_property
from itertools import groupby
from typing import NamedTuple

from mailroom.pages import Box, Page, Word
from mailroom.verification.spelling import Spelling

type Row = tuple[int, int]
"""A row of a table: the table's and the row's index on the page."""

_ONE = (0,)


class Place(NamedTuple):
    """Where a value stands: a box per line around its words, and its least sure word (0 to 1).

    `line` is the first line's index on the page, -1 in a form or a table; `row` is the table's row.
    """

    page: int
    boxes: tuple[Box, ...]
    confidence: float
    line: int = -1
    row: Row | None = None


class Stream(NamedTuple):
    """A passage's letters without spaces, where values may begin and end, and each word's start."""

    letters: str
    hard: list[int]
    soft: list[int]
    starts: list[int]


class Unit(NamedTuple):
    """What a passage is made of: a line of the page, the value of a form, a cell of a table."""

    words: list[Word]
    line: int = -1
    row: Row | None = None


class Passage:
    """Words in order. Where units are `apart`, nothing goes over from one to the next.

    Lines go on in the next line; one cell does not go on in the next cell.
    """

    def __init__(self, page: int, units: list[Unit], apart: bool = False) -> None:
        self.page = page
        self.apart = apart
        self.units = units
        self.words = [word for unit in units for word in unit.words]
        self.unit_of = [index for index, unit in enumerate(units) for _ in unit.words]
        self._boxes: list[Box | None] | None = None

    @cached_property
    def text(self) -> str:
        """The words with a space between them, the units one below the other."""
        return self._text[0]

    @cached_property
    def _text(self) -> tuple[str, list[int]]:
        parts: list[str] = []
        starts: list[int] = []
        length = 0
        between = "\n\0\n" if self.apart else "\n"
        for place, word in enumerate(self.words):
            if place:
                same = self.unit_of[place] == self.unit_of[place - 1]
                parts.append(" " if same else between)
                length += len(parts[-1])
            starts.append(length)
            parts.append(word.text)
            length += len(word.text)
        return "".join(parts), starts

    def stream(self, spell: Callable[[str], Spelling]) -> Stream:
        """The words' letters in the form that `spell` gives them."""
        letters: list[str] = []
        hard: list[int] = []
        soft: list[int] = []
        starts: list[int] = []
        length = 0
        for place, word in enumerate(self.words):
            spelt = spell(word.text)
            if place and self.apart and self.unit_of[place] != self.unit_of[place - 1]:
                letters.append("\n")
                hard.append(length)
                length += 1
            starts.append(length)
            if spelt.hard == _ONE:
                hard.append(length)
            else:
                hard.extend([length + at for at in spelt.hard])
            if spelt.soft:
                soft.extend([length + at for at in spelt.soft])
            letters.append(spelt.letters)
            length += len(spelt.letters)
        return Stream("".join(letters), hard, soft, starts)

    def span(self, start: int, end: int) -> range:
        """The words of a piece of `text`."""
        starts = self._text[1]
        return range(bisect_right(starts, start) - 1, bisect_left(starts, end))

    def in_stream(self, stream: Stream, start: int, end: int) -> range:
        """The words of a piece of a stream's letters."""
        return range(bisect_right(stream.starts, start) - 1, bisect_left(stream.starts, end))

    def rest_of_line(self, stream: Stream, start: int) -> str:
        """The letters of a stream from `start` to the end of their line."""
        unit = self.unit_of[bisect_right(stream.starts, start) - 1]
        behind = bisect_right(self.unit_of, unit)
        end = stream.starts[behind] if behind < len(self.words) else len(stream.letters)
        return stream.letters[start:end]

    def goes_on_below(self, stream: Stream, start: int, text: str) -> list[int] | None:
        """The words of a text that begins at `start` and goes on in the line right below.

        Beside it can stand another column, whose lines come in between in reading order.
        """
        words: list[int] = []
        while True:
            first = bisect_right(stream.starts, start) - 1
            unit = self.unit_of[first]
            behind = bisect_right(self.unit_of, unit)
            head = self.rest_of_line(stream, start)
            if text.startswith(head) and len(text) > len(head):
                words += range(first, behind)
                below = self._below(unit)
                if self.apart or not head or below is None:
                    return None
                start, text = stream.starts[bisect_left(self.unit_of, below)], text[len(head) :]
                continue
            if not words or not head.startswith(text):
                return None
            words += self.in_stream(stream, start, start + len(text))
            return words

    def _below(self, unit: int) -> int | None:
        """The line under a line that begins near its left edge, not further than its height."""
        if self._boxes is None:
            self._boxes = [
                union([word.box for word in each.words]) if each.words else None
                for each in self.units
            ]
        box = self._boxes[unit]
        if box is None or not box[3]:
            return None
        left, top, width, height = box
        best: tuple[float, int] | None = None
        for index, other in enumerate(self._boxes):
            if other is None or index == unit:
                continue
            gap = other[1] - (top + height)
            beside = other[0] < left + width and left < other[0] + other[2]
            if beside and -height / 2 < gap < height and (best is None or gap < best[0]):
                best = (gap, index)
        return best[1] if best else None

    def place(self, indexes: range | list[int]) -> Place:
        """The place of some words."""
        boxes = tuple(
            union([self.words[index].box for index in group])
            for _, group in groupby(indexes, key=lambda index: self.unit_of[index])
        )
        sure = min(self.words[index].confidence for index in indexes) / 100
        first = self.units[self.unit_of[indexes[0]]]
        return Place(self.page, boxes, sure, first.line, first.row)


def of_lines(page: Page) -> Passage:
    """The page's lines in reading order."""
    return Passage(page.number, [Unit(line.words, at) for at, line in enumerate(page.lines)])


def of_parts(page: Page) -> Passage:
    """The values of the page's forms and the cells of its tables.

    Their words have the confidence that the page's own words have, and the part's box.
    """
    parts: list[tuple[str, float, Box | None, Row | None]] = [
        (pair.value, pair.confidence, pair.box, None) for pair in page.forms
    ]
    for number, table in enumerate(page.tables):
        for at, cells in enumerate(table.rows):
            parts += [(cell.text, cell.confidence, cell.box, (number, at)) for cell in cells]
    if not parts:
        return Passage(page.number, [], apart=True)
    sure = {word.text: word.confidence for word in page.words()}
    units = []
    for text, known, box, row in parts:
        where = box or (0.0, 0.0, 0.0, 0.0)
        words = [Word(part, sure.get(part, known or 100.0), where) for part in text.split()]
        # A single word is one of the page's own, with a place of its own: seen in its line.
        seen = len(words) == 1 and box is not None and text in sure
        if words and not seen:
            units.append(Unit(words, row=row))
    return Passage(page.number, units, apart=True)


def union(boxes: list[Box]) -> Box:
    """The smallest box around some boxes."""
    if len(boxes) == 1:
        return boxes[0]
    left, top = min(box[0] for box in boxes), min(box[1] for box in boxes)
    right = max(box[0] + box[2] for box in boxes)
    bottom = max(box[1] + box[3] for box in boxes)
    return (left, top, round(right - left, 4), round(bottom - top, 4))
