"""Boxes, words and pages, the plain data that all parts of the reader share.

Layout works in an upright frame: the page is turned and straightened first, so that a line of text
is level. `Page.turns` and `Page.skew` lead back to the page as it was given, in which Textract's
geometry is told.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

type Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle in page units (points or pixels), the origin at the top left."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def width(self) -> float:
        return self.right - self.left

    @property
    def height(self) -> float:
        return self.bottom - self.top

    @property
    def middle(self) -> float:
        """The height on the page of the box's horizontal middle line."""
        return (self.top + self.bottom) / 2

    def shares_row_with(self, other: Self, share: float = 0.5) -> bool:
        """Tell whether the two overlap vertically by a share of the lower one's height."""
        overlap = min(self.bottom, other.bottom) - max(self.top, other.top)
        return overlap >= share * min(self.height, other.height)

    def shares_column_with(self, other: Self) -> bool:
        """Tell whether the two overlap horizontally."""
        return min(self.right, other.right) > max(self.left, other.left)


@dataclass(frozen=True, slots=True)
class Word:
    """One word with its confidence (0 to 100) and its box in the upright frame."""

    text: str
    confidence: float
    box: Box


@dataclass(frozen=True, slots=True)
class Mark:
    """A box or a button to tick, and whether it is."""

    box: Box
    selected: bool


@dataclass(frozen=True, slots=True)
class Page:
    """One page: its size and words in the upright frame.

    `turns` is how many quarter turns clockwise made the page upright; `skew` is the angle in
    radians by which its lines fall to the right, taken out of the words' boxes. `rules` are the
    upright lines that are drawn on it, and `marks` the boxes that can be ticked; only a PDF's own
    drawing and form tell them.
    """

    width: float
    height: float
    words: tuple[Word, ...]
    turns: int = 0
    skew: float = 0.0
    rules: tuple[Box, ...] = ()
    marks: tuple[Mark, ...] = ()


def around(boxes: Iterable[Box]) -> Box:
    """Return the smallest box around the given ones (at least one)."""
    every = list(boxes)
    return Box(
        min(box.left for box in every),
        min(box.top for box in every),
        max(box.right for box in every),
        max(box.bottom for box in every),
    )


def rotate(point: Point, angle: float, centre: Point) -> Point:
    """Rotate a point around a centre; a positive angle turns clockwise, since y grows downwards."""
    x, y = point[0] - centre[0], point[1] - centre[1]
    cosine, sine = math.cos(angle), math.sin(angle)
    return centre[0] + x * cosine - y * sine, centre[1] + x * sine + y * cosine


def polygon_as_given(box: Box, page: Page) -> list[Point]:
    """Return the box's corners on the page as it was given, as shares of its width and height."""
    corners = [
        (box.left, box.top),
        (box.right, box.top),
        (box.right, box.bottom),
        (box.left, box.bottom),
    ]
    centre = (page.width / 2, page.height / 2)
    polygon = []
    for corner in corners:
        x, y = rotate(corner, page.skew, centre) if page.skew else corner
        x, y = _share(x, page.width), _share(y, page.height)
        for _ in range(page.turns % 4):  # one quarter turn back for each one made
            x, y = y, 1 - x
        polygon.append((x, y))
    return polygon


def _share(value: float, whole: float) -> float:
    return min(1.0, max(0.0, value / whole))
