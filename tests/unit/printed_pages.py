"""Pages as OCR gives them, drawn from lines of text."""

from mailroom.pages import Cell, Line, Page, Pair, Table, Word

_HEIGHT = 0.012
_STEP = 0.02
_LETTER = 0.01


def printed_line(text: str, row: int, confidence: float = 99.0, left: float = 0.05) -> Line:
    """A line of words at the height of a row."""
    words, at = [], left
    for word in text.split():
        width = round(len(word) * _LETTER, 4)
        words.append(Word(word, confidence, (round(at, 4), round(row * _STEP, 4), width, _HEIGHT)))
        at += width + _LETTER
    return Line(text, words)


def printed_page(
    text: str,
    number: int = 1,
    confidence: float = 99.0,
    forms: dict[str, str] | None = None,
    table: list[list[str]] | None = None,
) -> Page:
    """A page with one line of words a line of text, a form's pairs and one table."""
    lines = [printed_line(line, row, confidence) for row, line in enumerate(text.splitlines())]
    pairs = [Pair(key, value, confidence) for key, value in (forms or {}).items()]
    tables = [Table([[Cell(text) for text in row] for row in table])] if table else []
    return Page(number, lines, pairs, tables)
