"""Paper: a page to draw on, measured in points from the top left corner.

In: text, figures and tables. Out: the bytes of a PDF, the same on every run.
Raises TextDoesNotFitError when a table cell is too wide for its column.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Literal

from reportlab.lib.colors import HexColor
from reportlab.lib.pagesizes import A4, LETTER
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.lib.utils import simpleSplit
from reportlab.pdfbase.pdfmetrics import registerFont, stringWidth
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

Align = Literal["left", "right", "center"]
Paper = Literal["letter", "a4"]
Typeface = Literal["Helvetica", "Times", "Vera"]

SIZES = {"letter": LETTER, "a4": A4}
# Vera comes with reportlab and is embedded, so a scan looks the same on every machine.
FACES = {
    "Helvetica": ("Helvetica", "Helvetica-Bold"),
    "Times": ("Times-Roman", "Times-Bold"),
    "Vera": ("Vera", "VeraBd"),
}
BLACK = "#1a1a1a"
GREY = "#666666"
MARGIN = 54.0


class TextDoesNotFitError(Exception):
    """A table cell is wider than its column."""


@dataclass(frozen=True)
class Column:
    """A table column: its heading, its width in points, its alignment."""

    heading: str
    width: float
    align: Align = "left"


class Sheet:
    """One document under the pen. Every `y` grows downwards."""

    def __init__(
        self, title: str, *, paper: Paper = "letter", face: Typeface = "Helvetica", lock: str = ""
    ) -> None:
        self.width, self.height = SIZES[paper]
        self.right = self.width - MARGIN
        self._regular, self._bold = FACES[face]
        # Thin grey rules do not survive a scan in black and white.
        self._table_rule = BLACK if face == "Vera" else "#b8bec6"
        if face == "Vera":
            registerFont(TTFont("Vera", "Vera.ttf"))
            registerFont(TTFont("VeraBd", "VeraBd.ttf"))
        self._buffer = BytesIO()
        # invariant: reportlab then writes a fixed date and a file id made from the content.
        self._canvas = Canvas(
            self._buffer,
            pagesize=SIZES[paper],
            invariant=1,
            encrypt=StandardEncryption(lock) if lock else None,
        )
        self._canvas.setTitle(title)

    def text(
        self,
        x: float,
        y: float,
        words: str,
        *,
        size: float = 9.5,
        bold: bool = False,
        align: Align = "left",
        color: str = BLACK,
    ) -> None:
        """Write one line whose baseline is at `y`."""
        self._canvas.setFont(self._font(bold), size)
        self._canvas.setFillColor(HexColor(color))
        draw = {
            "left": self._canvas.drawString,
            "right": self._canvas.drawRightString,
            "center": self._canvas.drawCentredString,
        }[align]
        draw(x, self.height - y, words)

    def lines(
        self,
        x: float,
        y: float,
        lines: Sequence[str],
        *,
        size: float = 9.5,
        leading: float = 13,
        bold_first: bool = False,
        align: Align = "left",
        color: str = BLACK,
    ) -> float:
        """Write lines under each other, an address for example. Return the next free `y`."""
        for number, line in enumerate(lines):
            bold = bold_first and number == 0
            self.text(x, y, line, size=size, bold=bold, align=align, color=color)
            y += leading
        return y

    def paragraph(
        self, x: float, y: float, width: float, words: str, *, size: float = 10, leading: float = 14
    ) -> float:
        """Write words broken at `width`. Return the next free `y`."""
        wrapped = simpleSplit(" ".join(words.split()), self._regular, size, width)
        return self.lines(x, y, wrapped, size=size, leading=leading)

    def pairs(
        self,
        x: float,
        y: float,
        pairs: Sequence[tuple[str, str]],
        *,
        gap: float = 100,
        size: float = 9.5,
        leading: float = 14,
    ) -> float:
        """Write labels in bold, each with its value `gap` points to the right."""
        for label, value in pairs:
            self.text(x, y, label, size=size, bold=True)
            self.text(x + gap, y, value, size=size)
            y += leading
        return y

    def totals(
        self, y: float, pairs: Sequence[tuple[str, str]], *, gap: float = 190, size: float = 9.5
    ) -> float:
        """Write sums at the right margin, the last of them larger and under a rule."""
        for label, value in pairs[:-1]:
            self.text(self.right - gap, y, label, size=size)
            self.text(self.right - 6, y, value, size=size, align="right")
            y += 15
        self.rule(self.right - gap, y - 8, self.right, weight=1)
        y += 7
        label, value = pairs[-1]
        self.text(self.right - gap, y, label, size=size + 2, bold=True)
        self.text(self.right - 6, y, value, size=size + 2, bold=True, align="right")
        return y + 20

    def table(
        self,
        x: float,
        y: float,
        columns: Sequence[Column],
        rows: Sequence[Sequence[str]],
        *,
        size: float = 9,
        row_height: float = 17,
        shade: str = "#e8ebef",
        ink: str = BLACK,
    ) -> float:
        """Draw a heading band and the rows, a thin rule under each. Return the next free `y`."""
        width = sum(column.width for column in columns)
        self.box(x, y, width, row_height, fill=shade)
        baseline = row_height / 2 + size * 0.35
        headings = [column.heading for column in columns]
        self._row(x, y + baseline, columns, headings, size, bold=True, color=ink)
        y += row_height
        self.rule(x, y, x + width, weight=0.5, color=self._table_rule)
        for row in rows:
            self._row(x, y + baseline, columns, row, size, bold=False, color=BLACK)
            y += row_height
            self.rule(x, y, x + width, weight=0.5, color=self._table_rule)
        return y

    def rule(
        self, x: float, y: float, to_x: float, *, weight: float = 0.7, color: str = BLACK
    ) -> None:
        """Draw a horizontal line."""
        self._canvas.setStrokeColor(HexColor(color))
        self._canvas.setLineWidth(weight)
        self._canvas.line(x, self.height - y, to_x, self.height - y)

    def box(
        self, x: float, y: float, width: float, height: float, *, fill: str = "", edge: str = ""
    ) -> None:
        """Draw a rectangle whose top left corner is at `x`, `y`."""
        if fill:
            self._canvas.setFillColor(HexColor(fill))
        if edge:
            self._canvas.setStrokeColor(HexColor(edge))
            self._canvas.setLineWidth(0.8)
        bottom = self.height - y - height
        self._canvas.rect(x, bottom, width, height, stroke=bool(edge), fill=bool(fill))

    def next_page(self) -> None:
        """Turn the page."""
        self._canvas.showPage()

    def pdf(self) -> bytes:
        """Finish the document."""
        self._canvas.showPage()
        self._canvas.save()
        return self._buffer.getvalue()

    def _row(
        self,
        x: float,
        y: float,
        columns: Sequence[Column],
        cells: Sequence[str],
        size: float,
        *,
        bold: bool,
        color: str,
    ) -> None:
        for column, cell in zip(columns, cells, strict=True):
            if stringWidth(cell, self._font(bold), size) > column.width - 8:
                raise TextDoesNotFitError(cell)
            at = {"left": 5, "right": column.width - 5, "center": column.width / 2}[column.align]
            self.text(x + at, y, cell, size=size, bold=bold, align=column.align, color=color)
            x += column.width

    def _font(self, bold: bool) -> str:
        return self._bold if bold else self._regular
