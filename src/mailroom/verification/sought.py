"""A value that is looked for in the document, and what was found of it."""

from dataclasses import dataclass, field
from typing import Any

from mailroom.verification.passages import Place

SURE_ENOUGH = 0.95
"""Below this the words that hold a value are doubted. Measured (docs/evaluation.md): of the values
between 0.80 and 0.95 one in four was wrong, above 0.95 one in forty."""

CONFUSED = 0.9
"""What a match counts in which letters and figures were taken for each other: one such pair in a
value is likely OCR's mistake, yet it can be another value."""

_PLACES = 3  # kept as evidence of one value


@dataclass
class Sought:
    """One value that is looked for, and where it was found, by what the places are worth."""

    value: Any
    every: bool = False
    """All places are kept, to see which of them stand together; else the first few."""
    places: list[Place] = field(default_factory=list)
    confused: list[Place] = field(default_factory=list)
    ordered: list[Place] = field(default_factory=list)
    """Where the words are part of a text that gives orders to its reader."""
    negative: bool = False
    """An amount was found with a sign that makes it negative."""
    orders: set[str] = field(default_factory=set)
    """A date: the orders of day and month that it was found in; "" where there is no choice."""
    sure: float = 0.0
    """Of the surest place."""

    def add(self, place: Place, ordered: bool, confused: bool = False) -> None:
        """Keep a place, in the list that tells what it is worth."""
        kept = self.ordered if ordered else self.confused if confused else self.places
        if self.every or len(kept) < _PLACES:
            kept.append(place)
        if not ordered:
            self.sure = max(self.sure, place.confidence * (CONFUSED if confused else 1))

    @property
    def best(self) -> list[Place]:
        """The places that are worth most."""
        return self.places or self.confused or self.ordered
