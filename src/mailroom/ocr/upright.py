"""How a page lies, and where its parts would stand if it lay straight.

Comes in: boxes on the page as it was scanned, and the ways from the first to the last words of its
lines. Textract's boxes are upright whatever the page; the direction of the text is in the words.
Goes out: `Turn`, and a `Spot` for each box.
"""

import statistics
from collections.abc import Iterable
from dataclasses import dataclass

from mailroom.pages import Box

# A page is higher than wide by 1.4 or less, and its shape is not told.
_SHAPE = 1.2


@dataclass(frozen=True, slots=True)
class Turn:
    """How a page lies: quarter turns clockwise, and the slope of its lines after turning back."""

    quarters: int = 0
    slope: float = 0.0

    def upright(self, box: Box, length: int = 0) -> "Spot":
        """Where a box of `length` bytes of text would stand if the page lay straight."""
        left, top, width, height = box
        if self.quarters == 1:
            left, top, width, height = top, 1 - left - width, height, width
        elif self.quarters == 2:
            left, top = 1 - left - width, 1 - top - height
        elif self.quarters == 3:
            left, top, width, height = 1 - top - height, left, height, width
        if not self.slope:
            return Spot(left, top, left + width, top + height, length)
        x, y = left + width / 2, top + height / 2
        across, down = x + self.slope * _SHAPE * y, y - self.slope * x
        # A box around a line that lies askew is higher than the line.
        half = max(height - abs(self.slope) * width, height / 4) / 2
        return Spot(across - width / 2, down - half, across + width / 2, down + half, length)


@dataclass(slots=True)
class Spot:
    """Where something stands on an upright page, and how many bytes of text it has."""

    left: float
    top: float
    right: float
    bottom: float
    length: int = 0

    @property
    def middle(self) -> float:
        """How far down its middle is."""
        return (self.top + self.bottom) / 2

    @property
    def height(self) -> float:
        """From top to bottom."""
        return self.bottom - self.top


def turn_of(ways: Iterable[tuple[float, float]]) -> Turn:
    """How the page lies, from the ways (right, down) of its lines; longer lines count for more."""
    by_quarter: list[list[tuple[float, float]]] = [[], [], [], []]
    for right, down in ways:
        if abs(right) >= abs(down):
            quarter, along, aside = (0, right, down) if right >= 0 else (2, -right, -down)
        else:
            quarter, along, aside = (1, down, -right) if down > 0 else (3, -down, right)
        if along:
            by_quarter[quarter].append((along, aside / along))
    weights = [sum(along for along, _ in lines) for lines in by_quarter]
    heaviest = max(range(4), key=weights.__getitem__)
    if not weights[heaviest]:
        return Turn()
    slope = statistics.median(slope for _, slope in by_quarter[heaviest])
    return Turn(heaviest, round(slope, 4))
