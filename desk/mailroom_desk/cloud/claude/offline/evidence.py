"""Find what stands at a label: in forms, in tables, on the label's line, on the lines after it.

`Evidence(document).at(labels)` returns Hits, the most certain first. A Hit is raw text; parsing it
is the caller's work, so that the first hit of the right kind wins.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from mailroom_desk.cloud.claude.offline.labels import FIELDS, OTHER_LABELS
from mailroom_desk.cloud.claude.offline.prompt import Document
from mailroom_desk.cloud.claude.offline.words import phrase_pattern, plain, squeeze

# How much less certain a place is than a key-value pair. A label's place in its list adds to it.
FORM, TABLE, INLINE, RUN, NEXT, MIDDLE = 0.0, 1.0, 1.0, 2.0, 3.0, 6.0
RANK_WEIGHT = 0.2
LINES_LOOKED_AT = 4
LONGEST_RUN = 8
LONGEST_LABEL_LINE = 60


@dataclass(frozen=True)
class Hit:
    """Text at a label. `cost` is lower for what is more certain; `order` counts from the top."""

    text: str
    cost: float
    order: int


class Evidence:
    """The labelled texts of one document."""

    def __init__(self, document: Document) -> None:
        self._forms = document.forms
        self._tables = document.tables
        self._lines = document.lines
        self._plain_lines = [plain(line) for line in self._lines]
        self._is_label = [_is_label_line(line) for line in self._plain_lines]

    def at(self, labels: Iterable[str]) -> list[Hit]:
        """All hits at any of the labels, the most certain first."""
        ranked = list(enumerate(labels))
        hits = [hit for found in (self._in_forms, self._in_tables, self._in_lines) for hit in found(ranked)]
        return sorted(hits, key=lambda hit: (hit.cost, hit.order))

    def _in_forms(self, labels: list[tuple[int, str]]) -> Iterator[Hit]:
        for order, (key, value) in enumerate(self._forms):
            if value:
                for rank, label in labels:
                    if squeeze(key) == squeeze(label) or (not squeeze(label) and key.strip(" :.") == label):
                        yield Hit(value, FORM + rank * RANK_WEIGHT, order)
                    elif len(label) > 4 and _starts(key, label):
                        yield Hit(value, FORM + 2 + rank * RANK_WEIGHT, order)

    def _in_tables(self, labels: list[tuple[int, str]]) -> Iterator[Hit]:
        """The cell to the right of a label cell, and the cell below one."""
        by_label = {squeeze(label): rank for rank, label in reversed(labels) if squeeze(label)}
        for order, table in enumerate(self._tables):
            for number, row in enumerate(table):
                for column, cell in enumerate(row):
                    rank = by_label.get(squeeze(re.sub(r"\(.*?\)|\d+([.,]\d+)?\s?%", "", cell)))
                    if rank is None:
                        continue
                    cost = TABLE + rank * RANK_WEIGHT
                    right = [c for c in row[column + 1 :] if c]
                    if right and not _is_label_line(plain(right[0])):
                        yield Hit(right[-1] if len(right) < 3 else right[0], cost, order)
                    below = table[number + 1][column : column + 1] if number + 1 < len(table) else []
                    if below and below[0]:
                        yield Hit(below[0], cost + 1, order)

    def _in_lines(self, labels: list[tuple[int, str]]) -> Iterator[Hit]:
        for number, line in enumerate(self._plain_lines):
            best: Hit | None = None
            for rank, label in labels:
                for hit in self._at_line(number, line, label):
                    cost = hit.cost + rank * RANK_WEIGHT
                    if best is None or (cost < best.cost and hit.order == number):
                        best = Hit(hit.text, cost, number)
                    yield Hit(hit.text, cost, number)

    def _at_line(self, number: int, line: str, label: str) -> Iterator[Hit]:
        match = _label_at_start(label).match(line)
        if match:
            rest = self._lines[number][match.end() :].strip()
            if rest:
                yield Hit(rest, INLINE, number)
            if len(rest) < 4 or not any(c.isalnum() for c in rest):
                yield from self._after(number)
            elif len(line) < LONGEST_LABEL_LINE:
                yield from (Hit(h.text, h.cost + 2, h.order) for h in self._after(number))
        elif len(label) > 3:
            inner = _label_inside(label).search(line)
            if inner:
                yield Hit(self._lines[number][inner.end() :].strip(), MIDDLE, number)

    def _after(self, number: int) -> Iterator[Hit]:
        """The lines after a label: its place in a row of labels first, then the next few."""
        first, last = number, number
        while first > 0 and self._is_label[first - 1] and number - first < LONGEST_RUN:
            first -= 1
        while last + 1 < len(self._lines) and self._is_label[last + 1] and last - number < LONGEST_RUN:
            last += 1
        place = last + 1 + number - first
        if last > first and place < len(self._lines):
            yield Hit(self._lines[place], RUN, number)
        for step in range(1, LINES_LOOKED_AT + 1):
            if number + step < len(self._lines):
                yield Hit(self._lines[number + step], NEXT + step * 0.5, number)


@cache
def _label_at_start(label: str) -> re.Pattern[str]:
    return re.compile(
        rf"[\W_]*(?:[a-z]\s|\d{{1,2}}[a-z]?[.\s]\s?)?{phrase_pattern(label)}(?:\s?\([^)]*\))?(?:\s*[:#.\-–=*»]+)*\s*"
    )


@cache
def _label_inside(label: str) -> re.Pattern[str]:
    return re.compile(rf"(?<=[\s|,;(]){phrase_pattern(label)}\s*[:#.=]+\s*(?=\S)")


@cache
def _all_labels() -> frozenset[str]:
    every = [label for field in FIELDS.values() for label in field.labels]
    return frozenset(squeeze(label) for label in [*every, *OTHER_LABELS] if len(label) > 1)


def _is_label_line(line: str) -> bool:
    """Whether a line is nothing but a label."""
    if len(line) > LONGEST_LABEL_LINE:
        return False
    return line.rstrip().endswith(":") or squeeze(line) in _all_labels()


def _starts(key: str, label: str) -> bool:
    return _label_at_start(label).match(plain(key)) is not None
