"""Find what stands at a label: in forms, in tables, on the label's line, on the lines after it.

`Evidence(document, extra).at(field)` returns Hits, the most certain first. A Hit is raw text; parsing
it is the caller's work, so that the first hit of the right kind wins. Where labels overlap ("Total",
"Total tax") only the longest one that is known counts.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from mailroom_desk.cloud.claude.offline.labels import (
    FIELDS,
    FILLERS,
    NEEDS_COLON,
    OTHER_LABELS,
    Field,
)
from mailroom_desk.cloud.claude.offline.prompt import Document
from mailroom_desk.cloud.claude.offline.words import plain

# How much less certain a place is than a key-value pair; a weaker label adds to it.
FORM, TABLE, INLINE, RUN, NEXT, MIDDLE = 0.0, 0.5, 1.0, 2.0, 2.5, 3.0
STEP, TIER = 0.5, 1.5
LINES_LOOKED_AT = 5
LONGEST_RUN = 8
# A bullet, a number or a small word may stand before a label.
LATEST_START = 7
LONGEST_LABEL = 14
LONGEST_LABEL_LINE = 60
TOKEN = re.compile(r"[^\W\d]+|\d+|#")
# What may stand between a label and its value: "(EUR)", ":", "#", dots.
NUMBERED = re.compile(r"\.\s|\.\d*[a-z]")
# "Invoice" in "Invoice copy sent: …": the label is longer than what is known of it.
LONGER_LABEL = re.compile(r"[^\W\d]+(?:\s[^\W\d]+){0,3}\s?:\s")
AFTER_LABEL = re.compile(r"'?\s*(?:\([^)]*\))?(?:\s*[:#.\-–=*»>]+(?!\d))*[\s:#.]*")


@dataclass(frozen=True)
class Hit:
    """Text at a label. `cost` is lower for what is more certain; `order` counts lines from the top."""

    text: str
    cost: float
    order: int


@dataclass(frozen=True)
class _Label:
    """A known label in a line: its key, where it starts and where its value begins."""

    key: str
    start: int
    end: int


class Evidence:
    """The labelled texts of one document. `extra` are labels beside the known ones."""

    def __init__(self, document: Document, extra: Iterable[str] = ()) -> None:
        self._known = known_labels() | {label_key(label) for label in extra}
        self._lines = document.lines
        self._hits: dict[str, list[Hit]] = defaultdict(list)
        self._labels = [self._find_labels(line) for line in self._lines]
        self._alone = [self._is_alone(number) for number in range(len(self._lines))]
        for collected in (self._forms(document), self._tables(document), self._all_lines()):
            for key, hit in collected:
                self._hits[key].append(hit)

    def at(self, field: Field) -> list[Hit]:
        """All hits at a field's labels, the most certain first."""
        found = [
            Hit(hit.text, hit.cost + tier * TIER, hit.order)
            for label, tier in field.labels
            for hit in self._hits.get(label_key(label), ())
        ]
        return sorted(found, key=lambda hit: (hit.cost, hit.order))

    def _forms(self, document: Document) -> Iterator[tuple[str, Hit]]:
        for order, (key, value) in enumerate(document.forms):
            labels = self._find_labels(key)
            if value and labels and labels[0].start < 4:
                whole = len(key) - labels[0].end < 4
                yield labels[0].key, Hit(value, FORM if whole else FORM + STEP, order)

    def _tables(self, document: Document) -> Iterator[tuple[str, Hit]]:
        """The cell to the right of a label cell, else the cell below it."""
        for order, table in enumerate(document.tables):
            for number, row in enumerate(table):
                for column, cell in enumerate(row):
                    labels = self._find_labels(cell)
                    if not labels or labels[0].start > 3 or len(cell) > LONGEST_LABEL_LINE:
                        continue
                    key, rest = labels[0].key, cell[labels[0].end :].strip()
                    if rest:
                        yield key, Hit(rest, TABLE + STEP, order)
                    right = [c for c in row[column + 1 :] if c]
                    if right and not self._find_labels(right[0]):
                        yield key, Hit(right[0], TABLE, order)
                        yield key, Hit(right[-1], TABLE + STEP, order)
                    below = table[number + 1][column : column + 1] if number + 1 < len(table) else []
                    if below and below[0] and not rest:
                        yield key, Hit(below[0], TABLE + 2 * STEP, order)

    def _all_lines(self) -> Iterator[tuple[str, Hit]]:
        for number, labels in enumerate(self._labels):
            for place, label in enumerate(labels):
                stop = labels[place + 1].start if place + 1 < len(labels) else None
                rest = self._lines[number][label.end : stop].strip()
                at_start = place == 0 and label.start < LATEST_START
                if not rest and stop is not None:
                    rest = self._lines[number][label.end :].strip()
                doubt = 3.0 if LONGER_LABEL.match(rest) else 0.0
                if rest:
                    yield label.key, Hit(rest, (INLINE if at_start else MIDDLE) + doubt, number)
                if at_start and stop is None and len(self._lines[number]) < LONGEST_LABEL_LINE:
                    doubt += 1.0 if len(rest) > 2 else 0.0
                    for hit in self._after(number):
                        yield label.key, Hit(hit.text, hit.cost + doubt, number)

    def _after(self, number: int) -> Iterator[Hit]:
        """The lines after a label: its place in a row of labels first, then the next few."""
        first, last = number, number
        while first > 0 and self._alone[first - 1] and number - first < LONGEST_RUN:
            first -= 1
        while last + 1 < len(self._lines) and self._alone[last + 1] and last - number < LONGEST_RUN:
            last += 1
        place = last + 1 + number - first
        if last > first and place < len(self._lines):
            yield Hit(self._lines[place], RUN, number)
        cost = NEXT
        for after in range(number + 1, min(len(self._lines), number + 1 + LINES_LOOKED_AT)):
            if not self._alone[after]:
                labels = self._labels[after]
                if labels and labels[0].start < LATEST_START and self._lines[after][labels[0].end :].strip():
                    return
                yield Hit(self._lines[after], cost, number)
            cost += STEP

    def _is_alone(self, number: int) -> bool:
        """Whether a line is nothing but a label."""
        line, labels = self._lines[number], self._labels[number]
        if len(line) > LONGEST_LABEL_LINE:
            return False
        return line.endswith(":") or bool(
            labels and labels[0].start < LATEST_START and not line[labels[0].end :].strip()
        )

    def _find_labels(self, line: str) -> list[_Label]:
        """The known labels of a line from left to right, the longest at each place.

        One inside the line counts only with a colon or the like after it.
        """
        found: list[_Label] = []
        tokens = list(TOKEN.finditer(plain(line)))
        at = 0
        while at < len(tokens):
            label = self._longest(line, tokens, at)
            first = tokens[0].group()
            inside = at > 1 or (at == 1 and len(first) > 2 and first not in FILLERS)
            needs_colon = inside or (label and label.key in NEEDS_COLON and label.end < len(line))
            if label and (not needs_colon or re.search(r"[:#=]", line[label.start : label.end])):
                found.append(label)
                at += sum(1 for t in tokens[at:] if t.start() < label.end)
            else:
                at += 1
        return found

    def _longest(self, line: str, tokens: list[re.Match[str]], at: int) -> _Label | None:
        key, longest = "", None
        for token in tokens[at : at + LONGEST_LABEL]:
            key += token.group()
            if key in self._known and not _is_glued(token, len(key)):
                end = AFTER_LABEL.match(line, token.end())
                longest = _Label(key, tokens[at].start(), end.end() if end else token.end())
        return longest


def _is_glued(token: re.Match[str], length: int) -> bool:
    """Whether a label ends inside a word: "INV" in "INV-3337". OCR may lose a space before digits.

    A number is a label only as in "1. MARTIN" or "5.13AA00001", not in "1.17".
    """
    rest = token.string[token.end() : token.end() + 2]
    if length == 1 and token.group().isdigit():
        return not NUMBERED.match(token.string, token.end())
    if rest[:1].isdigit():
        return length < 4
    return rest.lstrip("'")[:1].isalpha() or (rest[:1] in ("-", "/", "_") and rest[1:].isalnum())


def label_key(label: str) -> str:
    """Letters, digits and "#" of a label: how labels are compared."""
    return "".join(token.group() for token in TOKEN.finditer(plain(label)))


@cache
def known_labels() -> frozenset[str]:
    """The keys of all labels in the tables."""
    every = [label for field in FIELDS.values() for label, _ in field.labels]
    return frozenset(label_key(label) for label in [*every, *OTHER_LABELS])


def is_label_line(line: str) -> bool:
    """Whether a line is nothing but a known label."""
    return line.rstrip().endswith(":") or label_key(line) in known_labels()
