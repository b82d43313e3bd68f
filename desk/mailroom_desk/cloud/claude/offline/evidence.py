"""Find what stands at a label: in forms, in tables, on the label's line, on the lines after it.

`Evidence(document, extra).at(field)` returns Hits, the most certain first. A Hit is raw text;
parsing it is the caller's work, so that the first hit of the right kind wins. Where labels overlap
("Total", "Total tax") only the longest one that is known counts.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache

from mailroom_desk.cloud.claude.offline.keywords import TITLES
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
FORM, TABLE, INLINE, RUN, NEXT, MIDDLE, BEFORE = 0.0, 0.5, 1.0, 2.0, 2.5, 3.0, 4.5
STEP, TIER = 0.5, 1.5
LINES_LOOKED_AT = 5
VALUES_LOOKED_AT = 16
LONGEST_RUN = 8
# A bullet, a number or a small word may stand before a label.
LATEST_START = 7
# A label inside a line without a colon: at least this long, and followed by a number.
SHORTEST_INSIDE = 9
# On a photo taken at an angle an amount may come before its label.
PRICE = re.compile(r"[$€£¥]\s?\d[\d.,]*\W?$|\d[\d.,]*[.,]\d\d\W*$")
VALUE_START = re.compile(r"[$€£¥]?\s?-?\d")
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
    """Text at a label. `cost` is lower for what is more certain; `order` counts from the top.

    With `others`, the value is number `place` among those of `text` and `others` that parse.
    """

    text: str
    cost: float
    order: int
    others: tuple[str, ...] = ()
    place: int = 0


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
        self._last_line = {line: number for number, line in enumerate(self._lines)}
        self._hits: dict[str, list[Hit]] = defaultdict(list)
        self._labels = [self._find_labels(line) for line in self._lines]
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
        for key, value in document.forms:
            labels = self._find_labels(key)
            if value and labels and labels[0].start < 4:
                whole = len(key) - labels[0].end < 4
                yield (
                    labels[0].key,
                    Hit(value, FORM if whole else FORM + 4 * STEP, self._line_of(value)),
                )

    def _line_of(self, text: str) -> int:
        """The last line that is this text; 0 where none is."""
        return self._last_line.get(text, 0)

    def _tables(self, document: Document) -> Iterator[tuple[str, Hit]]:
        """The cell to the right of a label cell, else the cell below it."""
        for table in document.tables:
            for number, row in enumerate(table):
                for column, cell in enumerate(row):
                    labels = self._find_labels(cell)
                    if not labels or labels[0].start > 3 or len(cell) > LONGEST_LABEL_LINE:
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
                    if below and below[0] and not rest:
                        yield key, Hit(below[0], TABLE + 2 * STEP, self._line_of(below[0]))

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
                        yield label.key, replace(hit, cost=hit.cost + doubt)

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
                if (
                    labels
                    and labels[0].start < LATEST_START
                    and self._lines[after][labels[0].end :].strip()
                ):
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
        return line.endswith(":") or bool(
            labels and labels[0].start < LATEST_START and not line[labels[0].end :].strip()
        )

    def _find_labels(self, line: str) -> list[_Label]:
        """The known labels of a line from left to right, the longest at each place."""
        found: list[_Label] = []
        tokens = list(TOKEN.finditer(plain(line)))
        at = 0
        while at < len(tokens):
            label = self._longest(line, tokens, at)
            first = tokens[0].group()
            inside = at > 1 or (at == 1 and len(first) > 2 and first not in FILLERS)
            if label and self._counts(line, label, inside):
                found.append(label)
                at += sum(1 for t in tokens[at:] if t.start() < label.end)
            else:
                at += 1
        return found

    def _counts(self, line: str, label: _Label, inside: bool) -> bool:
        """Whether a label is one here.

        Inside a line, and for everyday words, there must be a colon or the like after it, or a
        number after a long one ("Sort code 20-00-00 Account number 12345678").
        """
        doubtful = inside or (label.key in NEEDS_COLON and label.end < len(line))
        if not doubtful or re.search(r"[:#=]", line[label.start : label.end]):
            return True
        return len(label.key) >= SHORTEST_INSIDE and bool(VALUE_START.match(line, label.end))

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
    return frozenset(label_key(label) for label in [*every, *(label for label, _ in OTHER_LABELS)])


@cache
def title_keys() -> frozenset[str]:
    """Titles such as "Invoice", which may stand above a row of labels without being one."""
    return frozenset(label_key(title) for titles in TITLES.values() for title in titles)


@cache
def label_kinds() -> dict[str, frozenset[str]]:
    """What kinds of value each label may stand at. A person is a party."""
    kinds: dict[str, set[str]] = defaultdict(set)
    for field in FIELDS.values():
        kind = "party" if field.kind == "person" else field.kind
        for label, _ in field.labels:
            kinds[label_key(label)].add(kind)
    return {key: frozenset(found) for key, found in kinds.items()}


def is_label_line(line: str) -> bool:
    """Whether a line is nothing but a known label."""
    return line.rstrip().endswith(":") or label_key(line) in known_labels()
