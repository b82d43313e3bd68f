"""What only a look at a PDF page tells: scans, and pictures beside the text."""

import hashlib
import math
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from typing import Any

import numpy as np
import pypdfium2.raw as pdfium

from mailroom_desk.cloud.textract.documents import Ocr
from mailroom_desk.cloud.textract.geometry import Box, Page, Word
from mailroom_desk.cloud.textract.ocr import Pixels

# Pages are drawn at this resolution, with so many pixels at most: a poster is affordable.
DOTS_PER_INCH = 200
POINTS_PER_INCH = 72
MAX_PIXELS = 12_000_000
# A picture over this share of the page makes it a scan: what text there is was put there by OCR.
SCAN_SHARE = 0.7
# A picture under this share of the page, or this low (in points), holds nothing to read.
PICTURE_SHARE = 0.01
PICTURE_HEIGHT = 10


class PageOcr:
    """OCR of the pages of one document. A letterhead that comes again is read once."""

    def __init__(self, ocr: Ocr) -> None:
        self._ocr = ocr
        self._seen: dict[bytes, Page] = {}

    def is_scan(self, page: Any) -> bool:
        """Tell whether one picture covers the page."""
        width, height = page.get_size()
        return any(box.width * box.height >= SCAN_SHARE * width * height for box in _pictures(page))

    def read_whole(self, page: Any) -> Page:
        """Read the whole page by OCR."""
        return self._ocr(_drawn(page)[0])

    def add_pictures(self, page: Any, text: Page) -> Page:
        """Return the page with the words of its pictures added, where no text stands already."""
        if text.turns:  # a page with its text on the side: rare, and its pictures rarer
            return text
        least = PICTURE_SHARE * text.width * text.height
        boxes = [
            box
            for box in _pictures(page)
            if box.width * box.height >= least and box.height >= PICTURE_HEIGHT
        ]
        if not boxes:
            return text
        pixels, scale = _drawn(page)
        found = [word for box in boxes for word in self._words_in(pixels, scale, box)]
        fresh = [word for word in found if not _stands_on(word.box, text.words)]
        return replace(text, words=(*text.words, *fresh))

    def _words_in(self, pixels: Pixels, scale: float, box: Box) -> Iterator[Word]:
        left, top = max(0, int(box.left * scale)), max(0, int(box.top * scale))
        cut = np.ascontiguousarray(
            pixels[top : math.ceil(box.bottom * scale), left : math.ceil(box.right * scale)]
        )
        if not cut.size:
            return
        digest = hashlib.sha256(cut.tobytes()).digest()
        if digest not in self._seen:
            self._seen[digest] = self._ocr(cut)
        read = self._seen[digest]
        if read.turns:
            return
        across, down = cut.shape[1] / read.width, cut.shape[0] / read.height
        for word in read.words:
            place = word.box
            yield replace(
                word,
                box=Box(
                    (left + place.left * across) / scale,
                    (top + place.top * down) / scale,
                    (left + place.right * across) / scale,
                    (top + place.bottom * down) / scale,
                ),
            )


def _pictures(page: Any) -> Iterator[Box]:
    """Yield the places of the page's own pictures, from the page's top left."""
    if page.get_rotation():
        return
    left, bottom, right, top = page.get_bbox()
    for picture in page.get_objects(filter=[pdfium.FPDF_PAGEOBJ_IMAGE], max_depth=1):
        x0, y0, x1, y1 = picture.get_bounds()
        x0, y0, x1, y1 = max(x0, left), max(y0, bottom), min(x1, right), min(y1, top)
        if x0 < x1 and y0 < y1:
            yield Box(x0 - left, top - y1, x1 - left, top - y0)


def _drawn(page: Any) -> tuple[Pixels, float]:
    """Draw the page; return its pixels (blue, green, red) and how many there are to a point."""
    width, height = page.get_size()
    scale = min(DOTS_PER_INCH / POINTS_PER_INCH, math.sqrt(MAX_PIXELS / max(1.0, width * height)))
    with closing(page.render(scale=scale, rev_byteorder=False)) as bitmap:
        return np.array(bitmap.to_numpy()[:, :, :3], dtype=np.uint8), scale


def _stands_on(box: Box, words: Sequence[Word]) -> bool:
    return any(box.shares_column_with(each.box) and box.shares_row_with(each.box) for each in words)
