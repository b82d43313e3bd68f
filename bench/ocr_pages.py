"""Pages for the OCR bench: drawn from a text layer, spoiled as scanners and cameras do.

Each way of spoiling gives the picture and the homography that leads from the clean page to it, so
that a word can be found again where it stood. What is random follows from the seed.
"""

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from statistics import median
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from mailroom_desk.cloud.textract.geometry import Page
from mailroom_desk.cloud.textract.ocr import Pixels

POINTS_PER_INCH = 72
SMALL_PRINT_POINTS = 6.0
_LOOSE = 1.2  # a text layer's boxes are this much higher than the type's size, about

type Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class Picture:
    """Pixels, and the homography from the text layer's points to them."""

    pixels: Pixels
    matrix: Matrix


type Spoil = Callable[[Any, Page, np.random.Generator], Picture]


def draw(page: Any, dots_per_inch: float) -> Picture:
    """The page as it is, grey where a scanner would be."""
    scale = dots_per_inch / POINTS_PER_INCH
    with closing(page.render(scale=scale, rev_byteorder=False)) as bitmap:
        pixels = np.array(bitmap.to_numpy()[:, :, :3], dtype=np.uint8)
    return Picture(pixels, np.diag([scale, scale, 1.0]))


def clean(page: Any, text: Page, rng: np.random.Generator) -> Picture:
    """200 dots an inch."""
    return draw(page, 200)


def low(page: Any, text: Page, rng: np.random.Generator) -> Picture:
    """100 dots an inch, as a screen shot or a fax in its coarse mode."""
    return draw(page, 100)


def small_print(page: Any, text: Page, rng: np.random.Generator) -> Picture:
    """Type of six points at 150 dots an inch: the page is drawn smaller."""
    size = median(word.box.height for word in text.words) / _LOOSE
    return draw(page, 150 * min(1.0, SMALL_PRINT_POINTS / size))


def noise(page: Any, text: Page, rng: np.random.Generator) -> Picture:
    """150 dots an inch, faded, grainy and speckled: an old copy on the scanner."""
    drawn = draw(page, 150)
    faded = 70 + drawn.pixels.astype(np.float32) * (160 / 255)
    grain = rng.normal(0, 22, faded.shape[:2])[:, :, None]
    spoiled = faded + grain
    specks = rng.random(faded.shape[:2])
    spoiled[specks < 0.003] = 0
    spoiled[specks > 0.997] = 255
    return Picture(np.clip(spoiled, 0, 255).astype(np.uint8), drawn.matrix)


def photo(page: Any, text: Page, rng: np.random.Generator) -> Picture:
    """A telephone's photo: in perspective, unevenly lit, out of focus, in JPEG."""
    drawn = draw(page, 170)
    height, width = drawn.pixels.shape[:2]
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], dtype=np.float32)
    moved = corners + rng.uniform(0, 0.05, (4, 2)) * [width, height] * [
        [1, 1], [-1, 1], [-1, -1], [1, -1]
    ]  # fmt: skip
    warped = _warped(drawn, cv2.getPerspectiveTransform(corners, moved.astype(np.float32)))
    light = np.linspace(0.55, 1.0, width)[None, :] * np.linspace(0.9, 1.0, height)[:, None]
    blurred = cv2.GaussianBlur(warped.pixels, (0, 0), 1.1).astype(np.float32)
    lit = blurred * light[:, :, None] + rng.normal(0, 6, (height, width))[:, :, None]
    pixels = np.clip(lit, 0, 255).astype(np.uint8)
    _, packed = cv2.imencode(".jpg", pixels, [cv2.IMWRITE_JPEG_QUALITY, 40])
    return Picture(np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR), np.uint8), warped.matrix)


def skewed(page: Any, text: Page, rng: np.random.Generator) -> Picture:
    """Laid on the glass by up to five degrees askew."""
    return _turned(draw(page, 200), float(rng.choice([-1, 1]) * rng.uniform(2, 5)))


def sideways(page: Any, text: Page, rng: np.random.Generator) -> Picture:
    """A quarter turn."""
    return _turned(draw(page, 200), 90)


def upside_down(page: Any, text: Page, rng: np.random.Generator) -> Picture:
    """Half a turn."""
    return _turned(draw(page, 200), 180)


CASES: dict[str, Spoil] = {
    "clean, 200 dpi": clean,
    "low, 100 dpi": low,
    "small print, 6 pt": small_print,
    "noise, 150 dpi": noise,
    "photo": photo,
    "askew, 2-5 degrees": skewed,
    "sideways": sideways,
    "upside down": upside_down,
}


def _turned(drawn: Picture, degrees: float) -> Picture:
    height, width = drawn.pixels.shape[:2]
    turn = np.vstack([cv2.getRotationMatrix2D((0, 0), degrees, 1.0), [0, 0, 1]])
    corners = np.array([[0, 0, 1], [width, 0, 1], [width, height, 1], [0, height, 1]]) @ turn.T
    left, top = corners[:, :2].min(axis=0)
    right, bottom = corners[:, :2].max(axis=0)
    size = (round(right - left), round(bottom - top))
    return _warped(drawn, np.array([[1, 0, -left], [0, 1, -top], [0, 0, 1]]) @ turn, size)


def _warped(drawn: Picture, matrix: Matrix, size: tuple[int, int] | None = None) -> Picture:
    height, width = drawn.pixels.shape[:2]
    pixels = cv2.warpPerspective(
        drawn.pixels,
        matrix,
        size or (width, height),
        flags=cv2.INTER_CUBIC,
        borderValue=(255, 255, 255),
    )
    return Picture(np.asarray(pixels, dtype=np.uint8), matrix @ drawn.matrix)
