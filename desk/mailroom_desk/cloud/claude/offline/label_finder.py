"""Find the known labels in a line of text.

`LabelFinder(extra)(line)` returns them from left to right. Where labels overlap ("Total", "Total
tax") only the longest one counts.
"""

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import islice

from mailroom_desk.cloud.claude.offline.amounts import CODES, SYMBOLS
from mailroom_desk.cloud.claude.offline.keywords import TITLES
from mailroom_desk.cloud.claude.offline.labels import FIELDS, FILLERS, NEEDS_COLON, OTHER_LABELS
from mailroom_desk.cloud.claude.offline.words import plain

TOKEN = re.compile(r"[^\W\d]+|\d+|#")
# A rate may stand within a label: "waarvan 9% btw".
RATE = re.compile(r"\d+(?:[.,]\d+)?\s?%")
# The most tokens in one label: those of tax forms are whole sentences.
LONGEST_LABEL = 14
# What may stand between a label and its value: "(EUR)", ":", "#", dots, a currency at the end.
AFTER_LABEL = re.compile(
    r"'?\s*(?:\([^)]*\))?(?:\s*[:#.\-–=*»>]+(?!\d))*[\s:#.]*"
    rf"(?:(?:{'|'.join(sorted(CODES))}|[{SYMBOLS}])\s*$)?"
)
# What follows a number that is a label: "1. MARTIN", "5.13AA00001".
NUMBERED = re.compile(r"\.\s|\.\d*[a-z]")
# A label inside a line without a colon: at least this long, and followed by a number.
SHORTEST_INSIDE = 9
# The days of a licence stand side by side: "4a. 09.08.2021 4b. 08.08.2036".
LICENCE_DATES = frozenset(("4a", "4b"))
SLASH = re.compile(r"\s?/\s?")
VALUE_START = re.compile(r"[$€£¥]?\s?-?\d|[A-Z]{1,5}[-/]?\d")


@dataclass(frozen=True)
class FoundLabel:
    """A known label in a line: its key, where it starts and where its value begins."""

    key: str
    start: int
    end: int


class LabelFinder:
    """Knows the labels of the tables and those of `extra`."""

    def __init__(self, extra: Iterable[str] = ()) -> None:
        self._known = known_labels() | {label_key(label) for label in extra}

    def __call__(self, line: str) -> list[FoundLabel]:
        """The known labels of a line from left to right, the longest at each place."""
        found: list[FoundLabel] = []
        comparable = RATE.sub(lambda rate: " " * len(rate.group()), plain(line))
        tokens = list(TOKEN.finditer(comparable))
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

    def _counts(self, line: str, label: FoundLabel, inside: bool) -> bool:
        """Whether a label is one here.

        Inside a line, and for everyday words, there must be a colon or the like after it, or a
        number after a long one ("Sort code 20-00-00 Account number 12345678").
        """
        doubtful = inside or (label.key in NEEDS_COLON and label.end < len(line))
        if not doubtful or re.search(r"[:#=]", line[label.start : label.end]):
            return True
        is_long = len(label.key) >= SHORTEST_INSIDE or label.key in LICENCE_DATES
        return is_long and bool(VALUE_START.match(line, label.end))

    def _longest(self, line: str, tokens: list[re.Match[str]], at: int) -> FoundLabel | None:
        key, longest = "", None
        for token in tokens[at : at + LONGEST_LABEL]:
            key += token.group()
            if key not in self._known:
                continue
            last = self._translated(line, token.end())
            if last > token.end() or not _is_glued(token, len(key)):
                end = AFTER_LABEL.match(line, last)
                longest = FoundLabel(key, tokens[at].start(), end.end() if end else last)
        return longest

    def _translated(self, line: str, end: int) -> int:
        """Where a label ends that is printed in several languages: "Surname / Nom"."""
        while slash := SLASH.match(line, end):
            key, last = "", end
            for token in islice(TOKEN.finditer(plain(line), slash.end()), LONGEST_LABEL):
                key += token.group()
                if key in self._known:
                    last = token.end()
            if last == end:
                break
            end = last
        return end


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
