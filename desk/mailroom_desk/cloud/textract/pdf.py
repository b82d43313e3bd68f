"""PDF pages: the text layer where it is what the page shows, OCR for the rest.

Pictures on a page with text are read by OCR as well, since a letterhead is often a picture.
"""

import re
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pypdfium2
import pypdfium2.raw as pdfium

from mailroom_desk.cloud.textract.documents import (
    MAX_PAGES,
    DamagedDocumentError,
    LockedDocumentError,
    Ocr,
    TooManyPagesError,
)
from mailroom_desk.cloud.textract.form_fields import marks, upright_rules
from mailroom_desk.cloud.textract.geometry import Mark, Page
from mailroom_desk.cloud.textract.pictures import PageOcr
from mailroom_desk.cloud.textract.text_layer import read_text_layer


def pdf_pages(path: Path, ocr: Ocr) -> Iterator[Page]:
    """Read a PDF page by page. Raises UnreadableDocumentError."""
    _refuse_truncated(path)
    try:
        document = pypdfium2.PdfDocument(path)
    except pypdfium2.PdfiumError as error:
        if getattr(error, "err_code", None) == pdfium.FPDF_ERR_PASSWORD:
            raise LockedDocumentError from error
        raise DamagedDocumentError from error
    with closing(document):
        document.init_forms()
        count = len(document)
        if count == 0:
            raise DamagedDocumentError
        if count > MAX_PAGES:
            raise TooManyPagesError(count)
        reader = PageOcr(ocr)
        for index in range(count):
            try:
                page, ticked = _flattened(document, index)
            except pypdfium2.PdfiumError as error:
                raise DamagedDocumentError from error
            with closing(page):
                yield _page(page, reader, ticked)


def _refuse_truncated(path: Path) -> None:
    """Refuse a file without its end: PDFium would repair it, and silently read half a document."""
    content = path.read_bytes()
    linearized = re.search(rb"/Linearized.{0,200}?/L\s+(\d+)", content[:2048], re.DOTALL)
    if linearized and int(linearized[1]) > len(content):
        raise DamagedDocumentError
    if b"%%EOF" not in content and b"startxref" not in content:
        raise DamagedDocumentError


def _flattened(document: Any, index: int) -> tuple[Any, tuple[Mark, ...]]:
    """Open a page with its form fields and notes drawn into it, as a reader sees them.

    Its boxes to tick are given as well: once drawn, they are only lines.
    """
    page = document[index]
    if pdfium.FPDFPage_GetAnnotCount(page.raw) <= 0:
        return page, ()
    ticked = marks(document, page)
    if pdfium.FPDFPage_Flatten(page.raw, pdfium.FLAT_NORMALDISPLAY) != pdfium.FLATTEN_SUCCESS:
        return page, ticked
    page.close()
    return document[index], ticked


def _page(page: Any, reader: PageOcr, ticked: tuple[Mark, ...]) -> Page:
    text = read_text_layer(page)
    if text is None or reader.is_scan(page):
        return reader.read_whole(page)
    return reader.add_pictures(page, replace(text, rules=upright_rules(page), marks=ticked))
