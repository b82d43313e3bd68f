"""Papers drawn for tests of reading: texts at places, pairs, tables; as PDF, with a text layer.

A paper is a list of parts. Places are millimetres from the top left of an A4 page.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from reportlab.lib.pagesizes import A4
from reportlab.lib.units import mm
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfgen.canvas import Canvas

LEADING = 1.25


@dataclass(frozen=True)
class Text:
    """Lines one below the other, or several parts of one line, as a hand would place them."""

    x: float
    y: float
    lines: tuple[str, ...]
    size: float = 10
    right: bool = False
    font: str = "Helvetica"


@dataclass(frozen=True)
class Grid:
    """Rows of cells. A column is given by its left edge, or by its right edge if negative."""

    y: float
    columns: tuple[float, ...]
    rows: tuple[tuple[str, ...], ...]
    size: float = 9
    step: float = 6
    font: str = "Helvetica"


type Part = Text | Grid


def text(x: float, y: float, lines: str, size: float = 10, *, right: bool = False) -> Text:
    """The lines of a text, divided by "/ "."""
    return Text(x, y, tuple(lines.split("/ ")), size, right)


def grid(y: float, columns: Sequence[float], *rows: str, step: float = 6) -> Grid:
    """Rows whose cells are divided by "|"."""
    return Grid(y, tuple(columns), tuple(tuple(row.split("|")) for row in rows), step=step)


def draw(path: Path, parts: Sequence[Part], font: str | None = None) -> Path:
    """Write the paper as a PDF of one page; `font` is one of Adobe's for Asian scripts."""
    canvas = Canvas(str(path), pagesize=A4)
    if font:
        pdfmetrics.registerFont(UnicodeCIDFont(font))
    for part in parts:
        canvas.setFont(font or part.font, part.size)
        if isinstance(part, Text):
            for number, line in enumerate(part.lines):
                y = part.y * mm + number * part.size * LEADING
                _put(canvas, -part.x if part.right else part.x, y, line)
        else:
            for number, row in enumerate(part.rows):
                y = (part.y + number * part.step) * mm
                for x, cell in zip(part.columns, row, strict=True):
                    _put(canvas, x, y, cell)
    canvas.save()
    return path


def _put(canvas: Canvas, x: float, down: float, line: str) -> None:
    place = abs(x) * mm, A4[1] - down
    if x < 0:
        canvas.drawRightString(*place, line)
    else:
        canvas.drawString(*place, line)
