"""Scanner and camera: what paper looks like after it went through a machine.

In: the bytes of a PDF, or a picture. Out: greyscale pictures, and the files they are kept in.
All noise comes from a seed, so a scan is the same on every run.
"""

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from time import gmtime

import numpy as np
import reportlab
from numpy.typing import NDArray
from PIL import Image, ImageFilter, ImageFont
from pypdfium2 import PdfDocument

type Picture = Image.Image
type Point = tuple[float, float]

TABLE_COLOR = (124, 88, 58)


def rasterise(pdf: bytes, dpi: int) -> list[Picture]:
    """The pages of a PDF as greyscale pictures."""
    document = PdfDocument(pdf)
    try:
        return [page.render(scale=dpi / 72).to_pil().convert("L") for page in document]
    finally:
        document.close()


def scan(picture: Picture, *, degrees: float, noise: float, seed: int) -> Picture:
    """Lay the paper slightly askew, then add the grain of a sensor."""
    turned = picture.rotate(degrees, Image.Resampling.BICUBIC, fillcolor=255)
    soft = turned.filter(ImageFilter.GaussianBlur(0.6))
    return Image.fromarray(_grain(np.asarray(soft, np.float64) * 0.96, noise, seed))


def photograph(
    paper: Picture, size: tuple[int, int], corners: Sequence[Point], *, seed: int
) -> Picture:
    """Put paper on a wooden table, its corners (clockwise from top left) where they are said to be.

    A soft shadow lies beside the paper, and the light falls off towards one side.
    """
    mask = _warp(Image.new("L", paper.size, 255), size, corners)
    table = _wood(size, seed)
    shadow = np.asarray(mask.filter(ImageFilter.GaussianBlur(14)), np.float64) / 255
    shadow = np.roll(shadow, (14, 18), axis=(0, 1))[..., None]
    scene = table * (1 - 0.55 * shadow)
    cover = np.asarray(mask, np.float64)[..., None] / 255
    sheet = np.asarray(_warp(paper, size, corners), np.float64)[..., None] * (0.97, 0.95, 0.90)
    lit = (scene * (1 - cover) + sheet * cover) * _light(size)[..., None]
    soft = Image.fromarray(np.clip(lit, 0, 255).astype(np.uint8)).filter(
        ImageFilter.GaussianBlur(0.7)
    )
    return Image.fromarray(_grain(np.asarray(soft, np.float64), 3, seed))


def typewriter(size: int) -> ImageFont.FreeTypeFont:
    """The bold Courier that comes with reportlab, for printing straight onto a picture."""
    return ImageFont.truetype(Path(reportlab.__file__).parent / "fonts" / "cob_____.pfb", size)


def as_jpeg(picture: Picture, quality: int) -> bytes:
    """A JPEG file."""
    return _saved(picture, "JPEG", quality=quality)


def as_png(picture: Picture, levels: int) -> bytes:
    """A PNG file with few levels of grey, which keeps it small."""
    step = 255 / (levels - 1)
    few = picture.point([round(round(level / step) * step) for level in range(256)])
    return _saved(few.quantize(levels, dither=Image.Dither.NONE), "PNG", optimize=True)


def as_fax_tiff(pictures: Sequence[Picture], dpi: int) -> bytes:
    """A black and white TIFF file of many pages, compressed as faxes are (CCITT group 4)."""
    first, *others = [picture.point(lambda level: 255 * (level > 150), "1") for picture in pictures]
    return _saved(
        first, "TIFF", save_all=True, append_images=others, compression="group4", dpi=(dpi, dpi)
    )


def as_scanned_pdf(pictures: Sequence[Picture], dpi: int, quality: int) -> bytes:
    """A PDF file that holds nothing but pictures, with a fixed date."""
    first, *others = pictures
    epoch = gmtime(0)
    return _saved(
        first,
        "PDF",
        save_all=True,
        append_images=others,
        resolution=dpi,
        quality=quality,
        creationDate=epoch,
        modDate=epoch,
    )


def _saved(picture: Picture, kind: str, **options: object) -> bytes:
    buffer = BytesIO()
    picture.save(buffer, kind, **options)
    return buffer.getvalue()


def _grain(values: NDArray[np.float64], noise: float, seed: int) -> NDArray[np.uint8]:
    grain = np.random.default_rng(seed).normal(0, noise, values.shape)
    return np.clip(values + grain, 0, 255).astype(np.uint8)


def _warp(picture: Picture, size: tuple[int, int], corners: Sequence[Point]) -> Picture:
    """Move a picture's corners to four points: the eight numbers of a projective transform."""
    width, height = picture.size
    sources = [(0, 0), (width, 0), (width, height), (0, height)]
    equations: list[list[float]] = []
    for (x, y), (u, v) in zip(corners, sources, strict=True):
        equations.append([x, y, 1, 0, 0, 0, -u * x, -u * y])
        equations.append([0, 0, 0, x, y, 1, -v * x, -v * y])
    numbers = np.linalg.solve(np.array(equations), np.array(sources, np.float64).ravel())
    transform = Image.Transform.PERSPECTIVE
    return picture.transform(size, transform, numbers.tolist(), Image.Resampling.BICUBIC)


def _wood(size: tuple[int, int], seed: int) -> NDArray[np.float64]:
    """A brown surface with long, soft grain."""
    width, height = size
    random = np.random.default_rng(seed)
    grain = Image.fromarray(random.integers(0, 256, (height // 3, width // 60), np.uint8))
    smooth = np.asarray(grain.resize(size, Image.Resampling.BICUBIC), np.float64)[..., None]
    return np.array(TABLE_COLOR) + (smooth - 128) * 0.16


def _light(size: tuple[int, int]) -> NDArray[np.float64]:
    """Brighter at the top left, darker at the bottom right."""
    width, height = size
    across, down = np.meshgrid(np.linspace(0, 1, width), np.linspace(0, 1, height))
    return 1.04 - 0.17 * across - 0.13 * down
