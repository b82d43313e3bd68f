"""Pixels to a page of words, by RapidOCR (PP-OCR models, inside its wheel).

Text is found on a smaller copy of the picture and read from the full one, so small print keeps its
resolution. Whether the page stands upright is told by the shape of the lines found and by how well
a few of them read.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from statistics import mean, median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mailroom_desk.cloud.textract.geometry import Box, Page, Point, Word, rotate

type Pixels = NDArray[np.uint8]
type Quad = NDArray[np.float32]

# Text is looked for on at most so many pixels: a letter page at 150 dots an inch.
DETECTION_PIXELS = 2_100_000
# A picture with a shorter side than this is enlarged first; the detector misses smaller print.
SHORTEST_SIDE = 736
LONGEST_SIDE = 4000
# So many of the longest lines decide whether the page stands on its head, and this mean confidence
# is that of text read the right way up (upside-down lines score below 0.8).
PROBED_LINES = 8
UPRIGHT_CONFIDENCE = 0.93
# Lines with less confidence are noise: RapidOCR's own default.
LEAST_CONFIDENCE = 0.5
# A line taller than wide by this factor is written sideways.
SIDEWAYS = 1.5
# A blank of so many steps of the recogniser divides words; a step is a sixth of the line's height.
BLANK_STEPS = 5
BLANK_STEPS_CJK = 9
# The detector's boxes stand above and below the letters by about this share of their height.
PADDING = 0.12


@dataclass(frozen=True, slots=True)
class _ReadLine:
    """A line as the recogniser read it: its characters with their places from 0 to 1."""

    text: str
    confidences: tuple[float, ...]
    places: tuple[float | None, ...]
    step: float


def read_pixels(picture: Pixels) -> Page:
    """Read one picture (blue, green, red). A picture without text is a page without words."""
    scaled, turns, quads = _upright(_enlarged(picture))
    height, width = scaled.shape[:2]
    skew = _skew(quads)
    lines = _recognise([_crop(scaled, quad) for quad in quads])
    words = [
        word
        for quad, line in zip(quads, lines, strict=True)
        for word in _words(quad, line, skew, (width / 2, height / 2))
    ]
    return Page(width, height, tuple(words), turns, skew)


def _upright(picture: Pixels) -> tuple[Pixels, int, list[Quad]]:
    """Turn the picture until its lines read from left to right; return turns and lines as well."""
    quads = _detect(picture)
    if not quads:
        return picture, 0, []
    turns = 0
    sideways = sum(_size(quad)[1] > SIDEWAYS * _size(quad)[0] for quad in quads)
    if sideways * 2 > len(quads):
        picture, turns = np.ascontiguousarray(np.rot90(picture)), 3
        quads = _detect(picture)
    longest = sorted(quads, key=lambda quad: -_size(quad)[0])[:PROBED_LINES]
    crops = [_crop(picture, quad) for quad in longest]
    standing = _mean_confidence(crops)
    if standing < UPRIGHT_CONFIDENCE:
        on_its_head = _mean_confidence([np.ascontiguousarray(np.rot90(crop, 2)) for crop in crops])
        if on_its_head > standing:
            picture, turns = np.ascontiguousarray(np.rot90(picture, 2)), (turns + 2) % 4
            quads = _detect(picture)
    return picture, turns, quads


def _mean_confidence(crops: Sequence[Pixels]) -> float:
    scores = [score for line in _recognise(crops) for score in line.confidences]
    return mean(scores) if scores else 0.0


def _enlarged(picture: Pixels) -> Pixels:
    height, width = picture.shape[:2]
    factor = min(SHORTEST_SIDE / min(height, width), LONGEST_SIDE / max(height, width))
    return _resized(picture, factor) if factor > 1 else picture


def _resized(picture: Pixels, factor: float) -> Pixels:
    import cv2

    height, width = picture.shape[:2]
    size = (max(1, round(width * factor)), max(1, round(height * factor)))
    smooth = cv2.INTER_AREA if factor < 1 else cv2.INTER_CUBIC
    return np.asarray(cv2.resize(picture, size, interpolation=smooth), dtype=np.uint8)


def _detect(picture: Pixels) -> list[Quad]:
    """Return the four corners of each line of text, clockwise from the top left."""
    height, width = picture.shape[:2]
    factor = min(1.0, (DETECTION_PIXELS / (height * width)) ** 0.5)
    found = _engine().text_detector(_resized(picture, factor) if factor < 1 else picture)
    if found.boxes is None:
        return []
    return [np.asarray(box, dtype=np.float32) / factor for box in found.boxes]


def _size(quad: Quad) -> tuple[float, float]:
    sides = [float(np.linalg.norm(quad[i] - quad[(i + 1) % 4])) for i in range(4)]
    return max(sides[0], sides[2]), max(sides[1], sides[3])


def _crop(picture: Pixels, quad: Quad) -> Pixels:
    """Cut a line out and straighten it; a sideways one is laid down, a tall letter is not."""
    import cv2

    width, height = (max(1, round(side)) for side in _size(quad))
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], dtype=np.float32)
    warped = cv2.warpPerspective(
        picture,
        cv2.getPerspectiveTransform(quad, corners),
        (width, height),
        flags=cv2.INTER_CUBIC,
        borderMode=cv2.BORDER_REPLICATE,
    )
    crop = np.asarray(warped, dtype=np.uint8)
    return np.ascontiguousarray(np.rot90(crop)) if height > 2 * SIDEWAYS * width else crop


def _recognise(crops: Sequence[Pixels]) -> list[_ReadLine]:
    if not crops:
        return []
    from rapidocr.ch_ppocr_rec import TextRecInput

    read = _engine().text_recogniser(TextRecInput(img=list(crops), return_word_box=True))
    return [
        _read_line(text, found) for text, found in zip(read.txts, read.word_results, strict=True)
    ]


def _read_line(text: str, found: Any) -> _ReadLine:
    columns = iter([column for word in found.word_cols for column in word])
    length = float(found.line_txt_len) or 1.0
    places = tuple(
        None if character.isspace() else (next(columns) + 0.5) / length for character in text
    )
    confidences = tuple(float(score) for score in found.confs[: len(text)])
    return _ReadLine(text, confidences, places, 1 / length)


def _words(quad: Quad, line: _ReadLine, skew: float, centre: Point) -> Iterator[Word]:
    if not line.text or mean(line.confidences) < LEAST_CONFIDENCE:
        return
    pieces = list(_pieces(line))
    for index, piece in enumerate(pieces):
        start, end = line.places[piece[0]] or 0.0, line.places[piece[-1]] or 1.0
        # A character's place is its middle: half a character more on each side, none past the line.
        half = (end - start) / (2 * max(1, len(piece) - 1)) if len(piece) > 1 else 2 * line.step
        left = 0.0 if index == 0 else max(0.0, start - half)
        right = 1.0 if index == len(pieces) - 1 else min(1.0, end + half)
        yield Word(
            "".join(line.text[place] for place in piece),
            100 * mean(line.confidences[place] for place in piece),
            _part(quad, left, right, skew, centre),
        )


def _pieces(line: _ReadLine) -> Iterator[list[int]]:
    """Divide a line into words, as lists of character positions, at spaces and at wide blanks."""
    piece: list[int] = []
    for position, place in enumerate(line.places):
        if piece and place is not None and _is_glued(line.text, position):
            yield piece
            piece = []
        elif piece and place is not None:
            before = line.places[piece[-1]]
            limit = BLANK_STEPS_CJK if _is_wide(line.text[position]) else BLANK_STEPS
            if before is not None and place - before > (limit + 0.5) * line.step:
                yield piece
                piece = []
        if place is not None:
            piece.append(position)
        elif piece:
            yield piece
            piece = []
    if piece:
        yield piece


def _is_glued(text: str, position: int) -> bool:
    """Tell a value straight after its label's colon: narrow spaces are often missed."""
    before, character = text[max(0, position - 2) : position], text[position]
    return (
        before[-1:] == ":" and before[:1].isalpha() and (character.isdigit() or character in "$€£")
    )


def _is_wide(character: str) -> bool:
    """Tell Chinese, Japanese and Korean characters, which are as wide as they are high."""
    return character >= "\u2e80"


def _part(quad: Quad, left: float, right: float, skew: float, centre: Point) -> Box:
    """Return the box, in the straightened frame, of a stretch of a line."""
    corners = [
        (quad[0] + (quad[1] - quad[0]) * left),
        (quad[0] + (quad[1] - quad[0]) * right),
        (quad[3] + (quad[2] - quad[3]) * right),
        (quad[3] + (quad[2] - quad[3]) * left),
    ]
    points = [rotate((float(x), float(y)), -skew, centre) for x, y in corners]
    top, bottom = (points[0][1] + points[1][1]) / 2, (points[2][1] + points[3][1]) / 2
    padding = PADDING * (bottom - top)
    return Box(
        min(points[0][0], points[3][0]),
        top + padding,
        max(points[1][0], points[2][0]),
        bottom - padding,
    )


def _skew(quads: Sequence[Quad]) -> float:
    """Return the angle of the page's lines: the median over those long enough to tell."""
    angles = [
        float(np.arctan2(quad[1][1] - quad[0][1], quad[1][0] - quad[0][0]))
        for quad in quads
        if _size(quad)[0] > 4 * _size(quad)[1]
    ]
    return median(angles) if len(angles) > 2 else 0.0


@dataclass(frozen=True, slots=True)
class _Engine:
    text_detector: Any
    text_recogniser: Any


@cache
def _engine() -> _Engine:
    """Load both models, once, at the first picture (about a second)."""
    from rapidocr import RapidOCR

    ocr = RapidOCR(
        params={
            "Global.log_level": "error",
            # The sizes are decided here, not by the detector.
            "Det.limit_type": "max",
            "Det.limit_side_len": 100_000,
        }
    )
    return _Engine(ocr._load_det_model(), ocr._load_rec_model())
