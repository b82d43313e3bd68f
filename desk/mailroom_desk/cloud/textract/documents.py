"""The pages of a document, whatever its kind, and the ways in which it can be unreadable."""

from collections.abc import Callable, Iterator
from pathlib import Path

from mailroom_desk.cloud.textract.geometry import Page
from mailroom_desk.cloud.textract.kinds import SNIFFED_BYTES, kind_of
from mailroom_desk.cloud.textract.ocr import Pixels

# Textract's limit for asynchronous jobs:
# docs.aws.amazon.com/textract/latest/dg/limits-document.html
MAX_PAGES = 3000

type Ocr = Callable[[Pixels], Page]


class UnreadableDocumentError(Exception):
    """The document cannot be read; the message is a sentence for the user."""


class DamagedDocumentError(UnreadableDocumentError):
    """The document does not open, or stops in the middle."""

    def __init__(self) -> None:
        super().__init__("The document is damaged and cannot be read")


class LockedDocumentError(UnreadableDocumentError):
    """The document asks for a password."""

    def __init__(self) -> None:
        super().__init__("The document is password protected")


class TooManyPagesError(UnreadableDocumentError):
    """The document has more pages than Textract takes."""

    def __init__(self, pages: int) -> None:
        super().__init__(f"The document has {pages} pages; the limit is {MAX_PAGES}")


def pages_of(path: Path, ocr: Ocr) -> Iterator[Page]:
    """Read a document page by page; `ocr` reads pictures.

    Raises UnreadableDocumentError with a sentence for the user.
    """
    with path.open("rb") as file:
        kind = kind_of(file.read(SNIFFED_BYTES))
    if kind is None:
        raise DamagedDocumentError
    yield from _opener(kind)(path, ocr)


def _opener(kind: str) -> Callable[[Path, Ocr], Iterator[Page]]:
    if kind == "PDF":
        from mailroom_desk.cloud.textract.pdf import pdf_pages

        return pdf_pages
    from mailroom_desk.cloud.textract.images import image_pages

    return image_pages
