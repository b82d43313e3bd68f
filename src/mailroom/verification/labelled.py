"""What the document itself calls a total, a due date, an invoice number.

Comes in: the labels that a class declares for its fields, and the pages one after the other.
Goes out: for each value of an answer whether a label contradicts it.

A label counts only where it stands alone: as a form's key, as a cell, or as the beginning of a line
that holds nothing else but the value. "Subtotal", "Total tax" and "Total page 2" are other labels.
What stands behind a label counts only where all of it reads as the field's format.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from decimal import Decimal
from functools import lru_cache
from itertools import pairwise, takewhile
from typing import Any, NamedTuple

from mailroom.classes import Schema
from mailroom.pages import Line, Page
from mailroom.verification.day_order import date_groups
from mailroom.verification.injection import Orders
from mailroom.verification.passages import union
from mailroom.verification.spelling import is_identifier, skeleton, spaced, squeezed
from mailroom.verification.values import CODES, read_amounts

_KEPT = 100  # of one field: a document of thousands of pages can repeat its labels
_MAX_LABEL_WORDS = 6
_CURRENCY = re.compile(rf"(?<![^\W\d_])(?:{CODES}|US|R|Rs\.?)(?![^\W\d_])|[$€£¥￥₹₩]|[円元]")
_LABEL_ENDS = ":：.#-–= \t"


class Labelled(NamedTuple):
    """A value that stands behind a label, in all its readings.

    What stands under a label, in a table, can agree with a value and contradicts none: "Total" is
    the name of a column as well.
    """

    label: str
    readings: frozenset[Any]
    page: int
    under: bool = False


class Labels:
    """Reads what is labelled, for the fields that an answer holds."""

    def __init__(
        self, labels: Mapping[str, Iterable[str]], schema: Schema, fields: dict[str, Any]
    ) -> None:
        self._fields = fields
        self._schema = schema["properties"]
        self._by_label: dict[str, list[str]] = {}
        for name, texts in labels.items():
            if name in fields:
                for text in texts:
                    self._by_label.setdefault(_label(text), []).append(name)
        self._first_words = {word for label in self._by_label for word in label.split()[:1]}
        self._found: dict[str, list[Labelled]] = {}

    def look(self, page: Page, orders: Orders) -> None:
        """Take down what the page labels; text that gives orders labels nothing."""
        if not self._by_label:
            return
        for label, value in self._pairs(page, orders):
            self._note(label, value, page.number)
        for table in page.tables:
            for heads, values in pairwise(table.texts()):
                for head, value in zip(heads, values, strict=True):
                    if head and value:
                        self._note(head, value, page.number, under=True)

    def _note(self, label: str, value: str, page: int, under: bool = False) -> None:
        label = _label(label)
        for name in self._by_label.get(label, ()):
            readings = _readings(value, self._schema[name])
            kept = self._found.setdefault(name, [])
            known = any(each.label == label and each.readings == readings for each in kept)
            if readings and len(kept) < _KEPT and not known:
                kept.append(Labelled(label, readings, page, under))

    def contradictions(self) -> Iterator[str]:
        """A reason for each value that labels contradict."""
        others = {
            name: _readings(str(value), self._schema[name])
            for name, value in self._fields.items()
            if isinstance(value, str)
        }
        for name, found in self._found.items():
            own = _given(self._fields[name], self._schema[name])
            agreeing = {each.label for each in found if _agrees(own, each.readings)}
            known = [readings for other, readings in others.items() if other != name]
            against = [
                each
                for each in found
                if not each.under
                and not _agrees(own, each.readings)
                and not _is_explained(each.readings, known)
            ]
            if against and not agreeing:
                yield f"{name} is contradicted by a labelled value on page {against[0].page}."
                continue
            if not isinstance(own, Decimal):  # a document bears other numbers and dates as well
                against = [each for each in against if each.label in agreeing]
            if against and not _is_their_sum(own, against):
                yield f"Page {against[0].page} labels another value as {name}."

    def _pairs(self, page: Page, orders: Orders) -> Iterator[tuple[str, str]]:
        for pair in page.forms:
            if not orders(-1, f"{pair.key} {pair.value}") and not orders(-1, pair.value):
                yield pair.key, pair.value
        for table in page.tables:
            for row in table.texts():
                cells = [cell for cell in row if cell.strip()]
                for at, cell in enumerate(cells[:-1]):
                    if _label(cell) in self._by_label:
                        yield from ((cell, value) for value in _until_a_label(cells[at + 1 :]))
        for at, line in enumerate(page.lines):
            if not orders(at, line.text):
                yield from self._in_line(line, page)

    def _in_line(self, line: Line, page: Page) -> Iterator[tuple[str, str]]:
        words = [word.text for word in line.words]
        first = spaced(words[0]) if words else ""
        if first and not first[0].isdigit() and first.split()[0] not in self._first_words:
            return
        for count in range(min(len(words), _MAX_LABEL_WORDS), 0, -1):
            label = " ".join(words[:count])
            if _label(label) in self._by_label:
                value = " ".join(words[count:]) or _right_of(line, page)
                yield label, value.lstrip(_LABEL_ENDS)
                return
        label, colon, value = line.text.partition(":")
        if colon:
            yield label, value


@lru_cache(maxsize=16_384)
def _label(text: str) -> str:
    """A label's words, without the currency that its values are in."""
    return spaced(_CURRENCY.sub(" ", text.replace("#", " no ")))


def _until_a_label(cells: list[str]) -> Iterator[str]:
    """The cells behind a label: the next label of the row has values of its own."""
    return takewhile(lambda cell: not cell.rstrip().endswith((":", "：")), cells)


def _right_of(line: Line, page: Page) -> str:
    """The text that stands alone to the right of a line, at its height."""
    if not line.words:
        return ""
    left, top, width, height = union([word.box for word in line.words])
    if not height:
        return ""
    beside = []
    for other in page.lines:
        if other is line or not other.words:
            continue
        box = union([word.box for word in other.words])
        shared = min(top + height, box[1] + box[3]) - max(top, box[1])
        if box[0] >= left + width and shared > 0.5 * min(height, box[3]):
            beside.append((box[0], other.text))
    return min(beside)[1] if beside else ""


def _readings(text: str, schema: Schema) -> frozenset[Any]:
    """All that a text can mean in a field's format; nothing where it holds anything else."""
    match schema:
        case {"format": "decimal"}:
            bare = _CURRENCY.sub(" ", text).strip(" \t+-()*:=")
            return frozenset(
                found.value for found in read_amounts(bare) if found.end - found.start == len(bare)
            )
        case {"format": "date"}:
            bare = text.strip(" .,;:()")
            groups = date_groups(bare)
            if len(groups) == 1 and groups[0][0].end - groups[0][0].start >= len(bare) - 1:
                return frozenset(reading.value for reading in groups[0])
        case {"type": "string"} if "format" not in schema:
            if is_identifier(text):
                return frozenset([squeezed(text)])
    return frozenset()


def _given(value: Any, schema: Schema) -> Any:
    """The model's value as `_readings` gives values."""
    match schema:
        case {"format": "decimal"}:
            return abs(Decimal(value))
        case {"format": "date"}:
            return date.fromisoformat(value)
    return squeezed(str(value))


def _agrees(own: Any, readings: frozenset[Any]) -> bool:
    """Equal; of identifiers one may hold the other: "No. 17" and "17". OCR confuses both alike."""
    if isinstance(own, str):
        alike = skeleton(own).letters
        return any(
            alike in other or other in alike
            for other in (skeleton(reading).letters for reading in readings)
        )
    return own in readings


def _is_their_sum(own: Any, parts: list[Labelled]) -> bool:
    """The subtotals of a document's parts bear the name of their sum."""
    if not isinstance(own, Decimal) or any(len(part.readings) != 1 for part in parts):
        return False
    return own == sum((next(iter(part.readings)) for part in parts), Decimal())


def _is_explained(readings: frozenset[Any], others: list[frozenset[Any]]) -> bool:
    """Nothing is left to pay, or it is another field's value that bears the same name."""
    return Decimal(0) in readings or any(readings & other for other in others)
