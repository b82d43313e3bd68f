"""Find what stands at a label: in forms, in tables, on the label's line, on the lines after it.

`Evidence(document, extra).at(field)` returns Hits, the most certain first. A Hit is raw text;
parsing it is the caller's work, so that the first hit of the right kind wins.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from mailroom_desk.cloud.claude.offline.label_finder import (
    FoundLabel,
    LabelFinder,
    label_key,
    label_kinds,
    title_keys,
)
from mailroom_desk.cloud.claude.offline.labels import Field
from mailroom_desk.cloud.claude.offline.prompt import Document
from mailroom_desk.cloud.claude.offline.table_headers import names_items
from mailroom_desk.cloud.claude.offline.words import squeeze

# How much less certain a place is than a key-value pair; a weaker label adds to it.
FORM, TABLE, INLINE, RUN, NEXT, MIDDLE, BEFORE = 0.0, 0.5, 1.0, 2.0, 2.5, 3.0, 4.5
PART_OF_KEY = 2.0
STEP, TIER = 0.5, 1.5
LINES_LOOKED_AT = 5
VALUES_LOOKED_AT = 16
LONGEST_RUN = 8
# A bullet, a number or a small word may stand before a label.
LATEST_START = 7
# On a photo taken at an angle an amount may come before its label.
PRICE = re.compile(r"[$€£¥]\s?\d[\d.,]*\W?$|\d[\d.,]*[.,]\d\d\W*$")
LONG_LABEL = 20
LONG_VALUE, MOST_NAME_WORDS = 40, 8
# "% IVA" is the name of a rate; "IVA 21 %" is the name of an amount.
RATE = re.compile(r"^\W*%|[^\d\s]\s*%")
LONGEST_LABEL_LINE = 60
# "Invoice" in "Invoice copy sent: …": the label is longer than what is known of it.
LONGER_LABEL = re.compile(r"[^\W\d]+(?:\s[^\W\d]+){0,3}\s?:\s")


@dataclass(frozen=True)
class Hit:
    """Text at a label. `cost` is lower for what is more certain; `order` counts from the top.

    With `others`, the value is number `place` among those of `text` and `others` that parse.
    """

    text: str
    cost: float
    order: int
    others: tuple[str, ...] = ()
    place: int = 0


class Evidence:
    """The labelled texts of one document. `extra` are labels beside the known ones."""

    def __init__(self, document: Document, extra: Iterable[str] = ()) -> None:
        self._find_labels = LabelFinder(extra)
        self._lines = document.lines
        self._places: dict[str, list[int]] = defaultdict(list)
        for number, line in enumerate(self._lines):
            self._places[squeeze(line)].append(number)
        self._hits: dict[str, list[Hit]] = defaultdict(list)
        self._labels = [self._find_labels(line) for line in self._lines]
        self._headings = _headings_of_items(document)
        self._alone = [self._is_alone(number) for number in range(len(self._lines))]
        for collected in (self._forms(document), self._tables(document), self._all_lines()):
            for key, hit in collected:
                self._hits[key].append(hit)

    def at(self, field: Field) -> list[Hit]:
        """All hits at a field's labels, the most certain first."""
        found = [
            replace(hit, cost=hit.cost + tier * TIER)
            for label, tier in field.labels
            for hit in self._hits.get(label_key(label), ())
        ]
        return sorted(found, key=lambda hit: (hit.cost, hit.order))

    def _forms(self, document: Document) -> Iterator[tuple[str, Hit]]:
        for key, printed in document.forms:
            value = self._without_label(printed)
            labels = self._find_labels(key)
            is_label = labels and labels[0].start < 4 and not RATE.search(key)
            if value and is_label and squeeze(printed) not in self._headings.get(squeeze(key), ()):
                whole = len(key) - labels[0].end < 4
                cost = FORM if whole else PART_OF_KEY
                line = self._line_of_pair(key, printed)
                yield labels[0].key, Hit(self._without_address(value), cost, line)

    def _without_label(self, value: str) -> str:
        """A value without the second line of its label, which official forms print in two."""
        labels = self._find_labels(value)
        if labels and labels[0].start == 0 and len(labels[0].key) >= LONG_LABEL:
            return value[labels[0].end :].strip() or value
        return value

    def _without_address(self, value: str) -> str:
        """The first line of a value that holds a whole address, as the document divides it."""
        if len(value) > LONG_VALUE and any(map(str.isdigit, value)):
            words = value.split()
            for count in range(MOST_NAME_WORDS, 1, -1):
                if self._places.get(squeeze(" ".join(words[:count]))):
                    return " ".join(words[:count])
        return value

    def _line_of_pair(self, key: str, value: str) -> int:
        """The pair's own line, each once for pairs that come again; else the line of its value."""
        places = self._places.get(squeeze(key + value))
        if not places:
            return self._line_of(value)
        return places.pop(0) if len(places) > 1 else places[0]

    def _line_of(self, text: str) -> int:
        """The last line that is this text; 0 where none is."""
        places = self._places.get(squeeze(text))
        return places[-1] if places else 0

    def _tables(self, document: Document) -> Iterator[tuple[str, Hit]]:
        """The cell to the right of a label cell, else the cell below it."""
        for table in document.tables:
            for number, row in enumerate(table):
                of_items = names_items(row)
                for column, cell in enumerate(row):
                    labels = self._find_labels(cell)
                    if (
                        not labels
                        or labels[0].start > 3
                        or _beside(cell, labels[0]) > LONGEST_LABEL_LINE
                    ):
                        continue
                    if RATE.search(cell):
                        continue
                    key, rest = labels[0].key, cell[labels[0].end :].strip()
                    if rest:
                        yield key, Hit(rest, TABLE + STEP, self._line_of(cell))
                    right = [c for c in row[column + 1 :] if c]
                    if right and not self._find_labels(right[0]):
                        yield key, Hit(right[0], TABLE, self._line_of(right[0]))
                        yield key, Hit(right[-1], TABLE + STEP, self._line_of(right[-1]))
                    below = (
                        table[number + 1][column : column + 1] if number + 1 < len(table) else []
                    )
                    if below and below[0] and not rest and not of_items:
                        yield key, Hit(below[0], TABLE + 2 * STEP, self._line_of(below[0]))

    def _all_lines(self) -> Iterator[tuple[str, Hit]]:
        for number, labels in enumerate(self._labels):
            if RATE.search(self._lines[number]):
                continue
            for place, label in enumerate(labels):
                stop = labels[place + 1].start if place + 1 < len(labels) else None
                rest = self._lines[number][label.end : stop].strip()
                at_start = place == 0 and label.start < LATEST_START
                if not rest and stop is not None:
                    rest = self._lines[number][label.end :].strip()
                doubt = 3.0 if LONGER_LABEL.match(rest) else 0.0
                if rest:
                    yield label.key, Hit(rest, (INLINE if at_start else MIDDLE) + doubt, number)
                if label_kinds().get(label.key) == frozenset(["party"]) and rest.isdigit():
                    continue  # "Store #0412" numbers a house; its name stands elsewhere
                if (
                    at_start
                    and stop is None
                    and _beside(self._lines[number], label) < LONGEST_LABEL_LINE
                ):
                    doubt += 1.0 if len(rest) > 2 else 0.0
                    for hit in () if self._heads_items(number) else self._after(number):
                        yield label.key, replace(hit, cost=hit.cost + doubt)

    def _heads_items(self, number: int) -> bool:
        """Whether a line is the heading of a column of items: so is one of its neighbours."""
        near = self._lines[max(0, number - 1) : number + 2]
        return sum(squeeze(line) in self._headings for line in near) > 1 and (
            squeeze(self._lines[number]) in self._headings
        )

    def _after(self, number: int) -> Iterator[Hit]:
        """The lines after a label: its place in a row of labels first, then the next few."""
        first, last = number, number
        while first > 0 and self._alone[first - 1] and number - first < LONGEST_RUN:
            first -= 1
        while last + 1 < len(self._lines) and self._alone[last + 1] and last - number < LONGEST_RUN:
            last += 1
        if first < number and label_key(self._lines[first]) in title_keys():
            first += 1
        place = last + 1 + number - first
        if last > first and place < len(self._lines):
            yield Hit(self._lines[place], RUN, number)
            yield self._by_kind(number, first, last)
        if number and self._alone[number] and PRICE.match(self._lines[number - 1]):
            yield Hit(self._lines[number - 1], BEFORE, number)
        cost = NEXT
        for after in range(number + 1, min(len(self._lines), number + 1 + LINES_LOOKED_AT)):
            if not self._alone[after]:
                labels = self._labels[after]
                if labels and labels[0].start < LATEST_START and self._has_value(after):
                    return
                if not LONGER_LABEL.match(self._lines[after]):
                    yield Hit(self._lines[after], cost, number)
            cost += STEP

    def _by_kind(self, number: int, first: int, last: int) -> Hit:
        """The value whose place among those of its kind is the label's among labels of its kind."""
        kinds = label_kinds()
        own = kinds.get(self._labels[number][0].key, frozenset())
        before = [self._labels[n][0].key for n in range(first, number) if self._labels[n]]
        place = sum(bool(own & kinds.get(key, frozenset())) for key in before)
        below = self._lines[last + 1 : last + 1 + VALUES_LOOKED_AT]
        values = tuple(line for line in below if not LONGER_LABEL.match(line))
        return Hit(values[0] if values else "", RUN + STEP / 2, number, values[1:], place)

    def _is_alone(self, number: int) -> bool:
        """Whether a line is nothing but a label."""
        line, labels = self._lines[number], self._labels[number]
        if len(line) > LONGEST_LABEL_LINE:
            return False
        starts = bool(labels) and labels[0].start < LATEST_START
        return line.endswith(":") or (starts and not self._has_value(number))

    def _has_value(self, number: int) -> bool:
        """Whether something stands behind a line's first label."""
        return bool(self._lines[number][self._labels[number][0].end :].strip())


def _beside(text: str, label: FoundLabel) -> int:
    """How long a line is, apart from a label that forms print as a whole sentence."""
    rest = len(text) - (label.end - label.start)
    return rest if len(label.key) >= LONG_LABEL else len(text)


def _headings_of_items(document: Document) -> dict[str, set[str]]:
    """The headings of the tables of items, each with the first cell under it."""
    found: dict[str, set[str]] = defaultdict(set)
    for table in document.tables:
        for row, below in pairwise(table):
            if names_items(row):
                for head, cell in zip(row, below, strict=False):
                    found[squeeze(head)].add(squeeze(cell))
    return dict(found)
