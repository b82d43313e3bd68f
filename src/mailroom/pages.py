"""The pages of a document as they travel from `extract` to `classify`: one JSON line each.

Boxes are (left, top, width, height) as fractions of the page; confidences run from 0 to 100, both
as Textract gives them. Words are arrays in the file, since they are most of it.
"""

from msgspec import Struct, json

type Box = tuple[float, float, float, float]


class Word(Struct, array_like=True):
    """One word, how sure OCR is of it, and where it stands."""

    text: str
    confidence: float
    box: Box


class Line(Struct, omit_defaults=True):
    """One line in reading order. `kind` is what layout says of it: title, header, footer, …"""

    text: str
    words: list[Word]
    kind: str = ""


class Pair(Struct, omit_defaults=True):
    """A key and its value as a form prints them, with the value's confidence and place."""

    key: str
    value: str
    confidence: float = 0
    box: Box | None = None


class Cell(Struct, array_like=True):
    """One cell. A merged cell stands where it begins; the cells that it covers are empty."""

    text: str
    confidence: float = 0
    box: Box | None = None
    rows: int = 1
    columns: int = 1


class Table(Struct, omit_defaults=True):
    """Rows of cells, all of one length. `continued` where it goes on from the page before.

    `repeats_header` where its first row is then the header of that page again.
    """

    rows: list[list[Cell]]
    title: str = ""
    footers: list[str] = []
    continued: bool = False
    repeats_header: bool = False
    box: Box | None = None

    def texts(self) -> list[list[str]]:
        """The cells' texts alone."""
        return [[cell.text for cell in row] for row in self.rows]


class Query(Struct, omit_defaults=True):
    """What Textract was asked about the page, and what it answered."""

    question: str
    answer: str
    confidence: float = 0
    box: Box | None = None


class Page(Struct, omit_defaults=True):
    """One page: its lines in reading order, and what forms, tables and signatures hold."""

    number: int
    lines: list[Line] = []
    forms: list[Pair] = []
    tables: list[Table] = []
    queries: list[Query] = []
    signatures: list[Box] = []

    @property
    def text(self) -> str:
        """The lines, one below the other."""
        return "\n".join(line.text for line in self.lines)

    def words(self) -> list[Word]:
        """All words in reading order."""
        return [word for line in self.lines for word in line.words]


def encode(page: Page) -> bytes:
    """One line of the text file in the bucket, without the line break."""
    return json.encode(page)


def decode(line: bytes) -> Page:
    """Read one line of the text file back."""
    return json.decode(line, type=Page)
