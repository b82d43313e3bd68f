"""Find every value again in the document's own words, by the format it has.

Comes in: the fields that a model gave, then the document page by page, each once.
Goes out: for each value where it stands, how sure OCR is of the words that hold it, and whether
they are words that one may believe.

The values are indexed, the pages are read: the time goes with the length of the document, not with
the number of values times the number of pages. What is kept is per value, never a page.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from mailroom.classes import Schema
from mailroom.pages import Page
from mailroom.verification.currencies import Currency
from mailroom.verification.day_order import DayOrder, date_groups
from mailroom.verification.mending import mended_lines
from mailroom.verification.passages import Passage, Place, of_lines, of_parts
from mailroom.verification.sought import Sought
from mailroom.verification.spelling import Spelling, skeleton, spelling, squeezed
from mailroom.verification.values import AmountAt, DateAt, is_negative, is_percent, read_amounts

_KEY = 4  # letters by which texts are looked up; shorter ones must be words of their own
_GOING_ON = 50  # texts with the same beginning that are looked for in the line below
_RATES = ("rate", "percent", "percentage")  # fields whose numbers may stand before a "%"


@dataclass(frozen=True)
class Leaf:
    """One value of the answer, its path, such as "line_items.3.amount", and what is sought."""

    path: str
    value: Any
    schema: Schema
    sought: Sought


class Grounding:
    """The values of one answer. `look` at each page once, then read `leaves`."""

    def __init__(self, fields: dict[str, Any], schema: Schema) -> None:
        self._amounts: dict[Decimal, Sought] = {}
        self._rates: set[Decimal] = set()
        self._dates: dict[date, Sought] = {}
        self._texts: dict[str, Sought] = {}
        self.currencies: dict[str, Currency] = {}
        self._unfound: dict[int, list[Sought]] = {}
        self.leaves = [self._leaf(*each) for each in _leaves(fields, schema)]
        self._exact = _Index(self._texts, spelling)
        self._alike = _Index(self._texts, skeleton)
        self.day_order = DayOrder()

    def look(self, page: Page, ordered: Callable[[int, str], bool]) -> None:
        """Look for everything on one page.

        `ordered` tells of a line's index (-1 for a form's or a table's part) and its text whether
        it gives orders to its reader.
        """
        for passage in (of_lines(page), of_parts(page)):
            if passage.words:
                self._look(passage, ordered)

    def _look(self, passage: Passage, ordered: Callable[[int, str], bool]) -> None:
        told: dict[int, bool] = {}

        def is_ordered(place: Place, word: int) -> bool:
            unit = passage.unit_of[word]
            if unit not in told:
                text = " ".join(each.text for each in passage.units[unit].words)
                told[unit] = ordered(place.line, text)
            return told[unit]

        def add(sought: Sought, indexes: range | list[int], confused: bool = False) -> None:
            place = passage.place(indexes)
            sought.add(place, is_ordered(place, indexes[0]), confused)

        if self._dates:
            self._look_for_dates(passage, add)
        if self._amounts:
            self._look_for_amounts(passage, add)
        if self._texts:
            self._exact.look(passage, add)
            # A part's words stand in lines as well: there they need not be looked for again.
            if not passage.apart and self._some_unfound(self._texts):
                self._alike.look(passage, lambda sought, at: add(sought, at, True))
        for currency in self.currencies.values():
            currency.look(passage, add)

    def _look_for_dates(self, passage: Passage, add: Callable[..., None]) -> None:
        groups = date_groups(passage.text)
        if not passage.apart:
            self.day_order.look(passage.text, groups)
        for readings in groups:
            for reading in readings:
                if sought := self._dates.get(reading.value):
                    sought.orders.add(_order(reading, readings))
                    add(sought, passage.span(reading.start, reading.end))
        if self._some_unfound(self._dates):
            for line in mended_lines(passage):
                for readings in date_groups(line.text):
                    for reading in readings:
                        if sought := self._dates.get(reading.value):
                            sought.orders.add(_order(reading, readings))
                            add(sought, line.words, True)

    def _look_for_amounts(self, passage: Passage, add: Callable[..., None]) -> None:
        for found in read_amounts(passage.text):
            if sought := self._amount(passage.text, found):
                add(sought, passage.span(found.start, found.end))
        if self._some_unfound(self._amounts):
            for line in mended_lines(passage):
                for found in read_amounts(line.text):
                    if sought := self._amount(line.text, found):
                        add(sought, line.words, True)

    def _some_unfound(self, values: Mapping[Any, Sought]) -> bool:
        """Is a value of these still to be found? Those that were are not asked again."""
        left = self._unfound.setdefault(id(values), list(values.values()))
        while left and left[-1].places:
            left.pop()
        return bool(left)

    def _amount(self, text: str, found: AmountAt) -> Sought | None:
        """What is sought of an amount; a rate is none, save for a field that holds rates."""
        sought = self._amounts.get(found.value)
        if sought is None or (is_percent(text, found) and found.value not in self._rates):
            return None
        sought.negative = sought.negative or is_negative(text, found)
        return sought

    def _leaf(self, path: str, value: Any, schema: Schema) -> Leaf:
        every = "." in path
        match schema:
            case {"format": "decimal"} | {"type": "number" | "integer"}:
                amount = abs(Decimal(str(value)))
                sought = self._amounts.setdefault(amount, Sought(amount, every))
                if any(word in path.split("_") for word in _RATES):
                    self._rates.add(amount)
            case {"format": "date"}:
                day = date.fromisoformat(value)
                sought = self._dates.setdefault(day, Sought(day, every))
            case {"format": "currency"}:
                currency = self.currencies.setdefault(value, Currency(value, Sought(value)))
                sought = currency.sought
            case _:
                sought = self._texts.setdefault(squeezed(str(value)), Sought(str(value), every))
        sought.every = sought.every or every
        return Leaf(path, value, schema, sought)


class _Index:
    """Texts by their first letters, in one spelling."""

    def __init__(self, texts: dict[str, Sought], spell: Callable[[str], Spelling]) -> None:
        self._spell = spell
        self._by_start: dict[str, dict[int, dict[str, Sought]]] = {}
        self._short: dict[str, Sought] = {}
        for sought in texts.values():
            letters = "".join(spell(word).letters for word in str(sought.value).split())
            if len(letters) >= _KEY:
                sizes = self._by_start.setdefault(letters[:_KEY], {})
                sizes.setdefault(len(letters), {})[letters] = sought
            elif letters:
                self._short[letters] = sought
        self._sorted = sorted(
            text for sizes in self._by_start.values() for texts in sizes.values() for text in texts
        )

    def look(self, passage: Passage, add: Callable[..., None]) -> None:
        """Find the texts in a passage, from each place where one can begin."""
        stream = passage.stream(self._spell)
        letters, length = stream.letters, len(stream.letters)
        hard = {*stream.hard, length}
        ends = {*hard, *stream.soft}
        for start in (*stream.hard, *stream.soft):
            sizes = self._by_start.get(letters[start : start + _KEY])
            if not sizes:
                continue
            for size, texts in sizes.items():
                end = start + size
                known = texts.get(letters[start:end]) if end in ends else None
                if known:
                    add(known, passage.in_stream(stream, start, end))
            if not passage.apart:
                for text in self._longer(passage.rest_of_line(stream, start)):
                    if words := passage.goes_on_below(stream, start, text):
                        add(sizes[len(text)][text], words)
        if self._short:
            for start in stream.hard:
                for size in range(1, _KEY):
                    sought = self._short.get(letters[start : start + size])
                    if sought and start + size in hard:
                        add(sought, passage.in_stream(stream, start, start + size))

    def _longer(self, head: str) -> Iterator[str]:
        """Texts that begin with what is left of a line, and go on."""
        if len(head) < _KEY:
            return
        at = bisect_right(self._sorted, head)
        for text in self._sorted[at : at + _GOING_ON]:
            if not text.startswith(head):
                return
            yield text


def _order(reading: DateAt, readings: list[DateAt]) -> str:
    """The order that a reading depends on; none where all readings are the same day."""
    return reading.order if len({each.value for each in readings}) > 1 else ""


def _leaves(value: Any, schema: Schema, path: str = "") -> Iterator[tuple[str, Any, Schema]]:
    """The single values of a field, with their paths. Truth values stand nowhere as words."""
    match schema, value:
        case {"items": items}, list():
            for index, item in enumerate(value):
                yield from _leaves(item, items, f"{path}.{index}")
        case {"properties": properties}, dict():
            for name, part in value.items():
                below = f"{path}.{name}" if path else name
                yield from _leaves(part, properties.get(name, {}), below)
        case _, bool():
            return
        case _:
            yield path, value, schema
