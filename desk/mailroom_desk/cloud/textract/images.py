"""Images (PNG, JPEG, TIFF) as pages: made upright by their EXIF note, flattened, read by OCR."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from PIL import Image, ImageOps

from mailroom_desk.cloud.textract.documents import (
    MAX_PAGES,
    DamagedDocumentError,
    Ocr,
    TooManyPagesError,
    UnreadableDocumentError,
)
from mailroom_desk.cloud.textract.geometry import Page
from mailroom_desk.cloud.textract.ocr import Pixels

# More pixels than this are refused before they are unpacked (about 1 GB of memory).
MAX_PIXELS = 250_000_000
# Larger pictures are scaled down to this: a page of letter size at 430 dots an inch.
KEPT_PIXELS = 18_000_000


def image_pages(path: Path, ocr: Ocr) -> Iterator[Page]:
    """Read an image, or every page of a TIFF, by OCR. Raises UnreadableDocumentError."""
    for pixels in _frames(path):
        yield ocr(pixels)


def _frames(path: Path) -> Iterator[Pixels]:
    Image.MAX_IMAGE_PIXELS = None  # the limit is our own, below, with a sentence that says it
    try:
        with Image.open(path) as image:
            count: int = getattr(image, "n_frames", 1) if image.format == "TIFF" else 1
            if count > MAX_PAGES:
                raise TooManyPagesError(count)
            for index in range(count):
                image.seek(index)
                yield _pixels(image)
    except UnreadableDocumentError:
        raise
    except Exception as error:
        # Pillow has no error of its own for a broken file: it raises a dozen kinds.
        raise DamagedDocumentError from error


def _pixels(image: Image.Image) -> Pixels:
    if image.width * image.height > MAX_PIXELS:
        raise UnreadableDocumentError(
            f"The document has a page of {image.width} x {image.height} pixels, which is too large"
        )
    upright = ImageOps.exif_transpose(image)
    if upright.mode.startswith("I;16"):  # a plain conversion would cut 16 bits at 255
        upright = upright.point(lambda value: value / 256).convert("L")
    if upright.has_transparency_data:
        upright = upright.convert("RGBA")
        white = Image.new("RGBA", upright.size, "white")
        upright = Image.alpha_composite(white, upright)
    colour = upright.convert("RGB")
    excess = colour.width * colour.height / KEPT_PIXELS
    if excess > 1:
        size = (round(colour.width / excess**0.5), round(colour.height / excess**0.5))
        colour = colour.resize(size, Image.Resampling.LANCZOS)
    return np.ascontiguousarray(np.asarray(colour)[:, :, ::-1])
