"""Pages with a text layer, spoiled and read: errors against the text layer."""

import sys
import unicodedata
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pypdfium2
from ocr_engines import Engine
from ocr_pages import CASES, Picture
from ocr_score import Score, processor_seconds, text_line

from mailroom_desk.cloud.textract.geometry import Page
from mailroom_desk.cloud.textract.text_layer import read_text_layer


def text_cases(
    found: dict[str, Engine], pages: Sequence[tuple[Path, int, str]], cases: Iterable[str]
) -> dict[str, dict[str, Any]]:
    """Each engine's errors on the same spoiled pages, by case. Tells each case as it ends."""
    errors: dict[str, dict[str, Any]] = {}
    for case in cases:
        scores = {name: Score() for name in found}
        for seed, (path, number, language) in enumerate(pages):
            drawn = pypdfium2.PdfDocument(path)[number]
            text = read_text_layer(drawn)
            assert text is not None
            picture = CASES[case](drawn, text, np.random.default_rng(seed))
            for name, engine in found.items():
                _read(scores[name], engine, picture, text, language)
        errors[case] = {name: score.errors() for name, score in scores.items()}
        print(text_line(case, errors[case]), file=sys.stderr)
    return errors


def _read(score: Score, engine: Engine, picture: Picture, text: Page, language: str) -> None:
    began = processor_seconds()
    page = engine(picture.pixels, language)
    score.seconds += processor_seconds() - began
    reference, reading = _in_one_order(text, page, picture)
    score.references.append(reference)
    score.readings.append(reading)


def _in_one_order(text: Page, page: Page, picture: Picture) -> tuple[str, str]:
    """Both texts in the text layer's rows, so that no reading order counts as an error.

    A recognised word belongs to the row of the word of the text layer that it stands nearest to.
    """
    places = np.array([[(w.box.left + w.box.right) / 2, w.box.middle] for w in text.words])
    row_of, row, bottom = {}, -1, -1.0
    for index in sorted(range(len(places)), key=lambda index: places[index][1]):
        if places[index][1] > bottom:
            row += 1
            bottom = places[index][1] + text.words[index].box.height / 2
        row_of[index] = row
    reference = sorted(range(len(places)), key=lambda index: (row_of[index], places[index][0]))
    back = np.linalg.inv(picture.matrix)
    placed = []
    for word in page.words:
        x, y, scale = back @ [(word.box.left + word.box.right) / 2, word.box.middle, 1.0]
        x, y = x / scale, y / scale
        # Rows are told apart by height: sideways, a word may be far from the middle of its line.
        nearest = int(np.argmin(np.hypot((places[:, 0] - x) * 0.2, places[:, 1] - y)))
        placed.append((row_of[nearest], x, word.text))
    return (
        _plain(" ".join(text.words[index].text for index in reference)),
        _plain(" ".join(word for _, _, word in sorted(placed))),
    )


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).split())
