"""Boxes to tick with the words that say what each is for, as key-value pairs."""

from collections.abc import Sequence
from dataclasses import dataclass

from mailroom_desk.cloud.textract.geometry import Mark, Word
from mailroom_desk.cloud.textract.layout import Line

# The label begins or ends within so many heights of its box.
REACH = 2.5
LABEL_WORDS = 12


@dataclass(frozen=True, slots=True)
class TickBox:
    """A box and its label, which may be empty."""

    key: tuple[Word, ...]
    mark: Mark


def tick_boxes(marks: Sequence[Mark], lines: Sequence[Line]) -> list[TickBox]:
    """Give each box the words to its right up to the next box, else those to its left."""
    return [
        TickBox(_right(mark, marks, lines) or _left(mark, marks, lines), mark) for mark in marks
    ]


def _right(mark: Mark, marks: Sequence[Mark], lines: Sequence[Line]) -> tuple[Word, ...]:
    end = min(
        (
            other.box.left
            for other in marks
            if other.box.left > mark.box.right and _level(mark, other)
        ),
        default=float("inf"),
    )
    for line in lines:
        words = [
            word
            for word in line.words
            if mark.box.right - 1 <= word.box.left < end and word.box.shares_row_with(mark.box)
        ]
        if words and words[0].box.left - mark.box.right <= REACH * mark.box.height:
            return tuple(words[:LABEL_WORDS])
    return ()


def _left(mark: Mark, marks: Sequence[Mark], lines: Sequence[Line]) -> tuple[Word, ...]:
    start = max(
        (
            other.box.right
            for other in marks
            if other.box.right < mark.box.left and _level(mark, other)
        ),
        default=float("-inf"),
    )
    for line in lines:
        words = [
            word
            for word in line.words
            if start < word.box.left
            and word.box.right <= mark.box.left + 1
            and word.box.shares_row_with(mark.box)
        ]
        if words and mark.box.left - words[-1].box.right <= REACH * mark.box.height:
            return tuple(words[-LABEL_WORDS:])
    return ()


def _level(mark: Mark, other: Mark) -> bool:
    return other.box.shares_row_with(mark.box)
