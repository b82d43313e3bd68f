"""Key-value pairs: labels and what stands beside or under them.

Four shapes, tried in this order, each line used once as a key:
1. `Label: value` on one line;  2. `Label:` with the value to the right, else under it;
3. a label with a value to its right, without a colon;  4. a label with a value under it.
Shapes 3 and 4 have no colon to go by, so they are conservative: the label must look like one.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from mailroom_desk.cloud.textract.geometry import Word
from mailroom_desk.cloud.textract.layout import Line, rows_of
from mailroom_desk.cloud.textract.tables import Table

# A label has so many words and characters at most.
LABEL_WORDS = 6
LABEL_CHARACTERS = 45
# And one that only its noun tells, without colon or distance.
LABEL_WORDS_BARE = 3
# A value to the right begins within this share of the page's width, further if the two are alone.
REACH_RIGHT = 0.4
REACH_RIGHT_ALONE = 0.8
# A value under its label begins within this many line heights; a block of lines goes on so closely.
REACH_DOWN = 1.3
BLOCK_GAP = 0.7
BLOCK_LINES = 5
# Nouns that labels of business documents are made of, in the languages the corpus of such documents
# mostly has: needed only where no colon says that something is a label.
LABEL_NOUNS = re.compile(
    r"\b(no|nr|num(ber|éro|ero|mer)?|n[º°]|id|ref(erence)?|date|datum|data|fecha|due|terms|"
    r"sub ?-?total|total|totale|amount|balance|tax|vat|tva|iva|mwst|gst|discount|shipping|freight|"
    r"invoice|facture|rechnung|fattura|factura|order|po|p\.o\.|account|acct|customer|client|vendor|"
    r"supplier|bill|ship|sold|pay(able)?|paid|from|to|name|address|phone|tel|fax|e-?mail|iban|bic|"
    r"swift|currency|period|page|qty|price|rate|subject|attention|attn|dob|sex|expir(y|es|ation)|"
    r"issued?|salesperson|via|code|class|type|status|signature|employer|employee|wages|ssn|ein|tin|"
    r"compensation|withheld|tips)\b|#",
    re.IGNORECASE,
)
# The box of an official form: its number or letter, then what it is for, without a colon.
BOX_LABEL = re.compile(r"(?:\d{1,2}[a-z]?|[a-h]) [A-Z][^:\d]*(?:\([^)]*\))?")
NAME_BOX = re.compile(r"\bname\b", re.IGNORECASE)
BOX_LABEL_WORDS, BOX_LABEL_CHARACTERS = 9, 70
NUMBER_START = re.compile(
    r"[(#*]?[-+]?[$€£¥₹]?\s?\d|[$€£¥₹]$|(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?$",
    re.IGNORECASE,
)
VALUE = re.compile(r"\d|@")
TIME_OR_ADDRESS = re.compile(r"^\d{1,2}:$|^https?:$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Pair:
    """A key and its value; the value has no words where the form's field is empty."""

    key: tuple[Word, ...]
    value: tuple[Word, ...]


def pairs_of(lines: Sequence[Line], tables: Sequence[Table], width: float) -> list[Pair]:
    """Return the page's pairs, in the order of their keys' lines."""
    rows = rows_of(lines)
    right = {
        id(left): other
        for row in rows
        for left, other in pairwise(row)
        if _reaches(left, other, width, alone=len(row) == 2)
    }
    in_grid = {
        id(line)
        for table in tables
        if table.has_header and table.columns > 2 and len(table.rows) > 2
        for row in table.rows
        for cell in row
        for line in cell.lines
    }
    values: set[int] = set()  # lines that are some key's value are nobody's key
    pairs: list[Pair] = []
    for line in (line for row in rows for line in row):
        pair = _on_one_line(line)
        if pair is None and id(line) not in values:
            found = _value_of(line, lines, right.get(id(line)), id(line) in in_grid)
            if found is not None:
                values.update(id(each) for each in found)
                pair = Pair(_label(line.words), tuple(w for each in found for w in each.words))
        if pair is not None and pair.key:
            pairs.append(pair)
    keys = {id(pair.key[0]) for pair in pairs}
    headed = [pair for table in tables for pair in _under_headings(table)]
    return pairs + [pair for pair in headed if id(pair.key[0]) not in keys]


def _reaches(left: Line, right: Line, width: float, *, alone: bool) -> bool:
    reach = REACH_RIGHT_ALONE if alone else REACH_RIGHT
    return right.box.left - left.box.right <= reach * width


def _on_one_line(line: Line) -> Pair | None:
    for place, word in enumerate(line.words[:-1]):
        if word.text.endswith(":") and not TIME_OR_ADDRESS.match(word.text):
            label = line.words[: place + 1]
            return Pair(_label(label), line.words[place + 1 :]) if _is_short(label) else None
        if word.text == ":" and place:
            return Pair(line.words[:place], line.words[place + 1 :])
    return _label_then_number(line)


def _label_then_number(line: Line) -> Pair | None:
    """Read `Due Date Jun 08, 2020` or `Subtotal $ 112.00`: a known noun, then straight a number."""
    if len(line.words) > LABEL_WORDS:
        return None
    for place, word in enumerate(line.words):
        if place and NUMBER_START.match(word.text):
            label = line.words[:place]
            named = LABEL_NOUNS.fullmatch(label[-1].text.strip(".")) and place <= LABEL_WORDS_BARE
            return Pair(label, line.words[place:]) if named else None
        if VALUE.search(word.text):
            return None
    return None


def _value_of(
    line: Line, lines: Sequence[Line], near: Line | None, in_grid: bool
) -> list[Line] | None:
    """Return the lines of a label's value, or None if the line is no label or has no value."""
    if _is_box_label(line):
        return _in_box(line, lines)
    if not _is_short(line.words):
        return None
    if line.text.endswith(":"):
        if near and not near.text.endswith(":"):
            return [near]
        return _block_under(line, lines)
    if in_grid or not _names_something(line):
        return None
    if near and VALUE.search(near.text) and not _on_one_line(near) and not _is_box_label(near):
        return [near]
    if near and _is_box_label(near):
        near = None
    under = _block_under(line, lines)[:1]
    return under if under and VALUE.search(under[0].text) and near is None else None


def _is_box_label(line: Line) -> bool:
    return (
        len(line.words) <= BOX_LABEL_WORDS
        and len(line.text) <= BOX_LABEL_CHARACTERS
        and BOX_LABEL.fullmatch(line.text) is not None
        and LABEL_NOUNS.search(line.text) is not None
    )


def _in_box(line: Line, lines: Sequence[Line]) -> list[Line] | None:
    """What stands in a form's box under its label: a number, or a name with its address."""
    block = _block_under(line, lines)
    if NAME_BOX.search(line.text):
        return block or None
    return block[:1] if block and VALUE.search(block[0].text) else None


def _names_something(line: Line) -> bool:
    """Tell a label without a colon: a known noun, and no digits."""
    digits = any(character.isdigit() for character in line.text)
    return not digits and LABEL_NOUNS.search(line.text) is not None


def _block_under(line: Line, lines: Sequence[Line]) -> list[Line]:
    """Return the lines straight under a label: the first within reach, and those close after it."""
    block: list[Line] = []
    last = line
    for other in sorted(lines, key=lambda each: each.box.top):
        gap = other.box.top - last.box.bottom
        reach = BLOCK_GAP if block else REACH_DOWN
        if gap < -0.3 * last.box.height or other is line or not _is_under(line, other):
            continue
        if gap > reach * line.box.height or len(block) == BLOCK_LINES:
            break
        if other.text.endswith(":") or _is_box_label(other) or _on_one_line(other):
            break
        block.append(other)
        last = other
    return block


def _is_under(line: Line, other: Line) -> bool:
    """Tell whether a line begins, or is centred, or ends where the label above does."""
    slack = 1.2 * line.box.height
    centres = (line.box.left + line.box.right) / 2, (other.box.left + other.box.right) / 2
    return (
        abs(other.box.left - line.box.left) <= slack
        or abs(other.box.right - line.box.right) <= slack
        or abs(centres[0] - centres[1]) <= slack
    ) and other.box.shares_column_with(line.box)


def _under_headings(table: Table) -> list[Pair]:
    """A table of a heading and one row is a form: each heading is the key of the cell under it."""
    if len(table.rows) != 2 or not table.has_header:
        return []
    pairs = []
    for heading, cell in zip(*table.rows, strict=True):
        key = tuple(word for line in heading.lines for word in line.words)
        value = tuple(word for line in cell.lines for word in line.words)
        if key and value:
            pairs.append(Pair(_label(key), value))
    return pairs


def _is_short(words: Sequence[Word]) -> bool:
    length = sum(len(word.text) + 1 for word in words)
    return len(words) <= LABEL_WORDS and length <= LABEL_CHARACTERS


def _label(words: Sequence[Word]) -> tuple[Word, ...]:
    """Textract keeps a label's colon; a lone colon is dropped."""
    return tuple(word for word in words if word.text != ":")
