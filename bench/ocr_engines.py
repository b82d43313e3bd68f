"""The engines that the OCR bench compares, each from pixels to words on the picture as given."""

import csv
import io
import os
import shutil
import subprocess
from collections.abc import Callable
from functools import cache

import cv2

from mailroom_desk.cloud.textract.geometry import Box, Page, Word, polygon_as_given
from mailroom_desk.cloud.textract.ocr import Pixels, read_pixels

type Engine = Callable[[Pixels, str], Page]
"""Reads pixels (blue, green, red); the document's language is told, as in the manifest."""

# Tesseract's names for the manifest's languages.
_LANGUAGES = {
    "de": "deu", "en": "eng", "es": "spa", "fa": "fas", "fr": "fra", "it": "ita", "ja": "jpn",
    "mr": "hin", "nl": "nld", "pt": "por",
}  # fmt: skip
_LONGEST_SECONDS = 300


def rapidocr(pixels: Pixels, language: str) -> Page:
    """As the desk reads scans. It needs no language."""
    page = read_pixels(pixels)
    height, width = pixels.shape[:2]
    words = []
    for word in page.words:
        xs, ys = zip(*polygon_as_given(word.box, page), strict=True)
        box = Box(min(xs) * width, min(ys) * height, max(xs) * width, max(ys) * height)
        words.append(Word(word.text, word.confidence, box))
    return Page(width, height, tuple(words))


def tesseract(pixels: Pixels, language: str) -> Page:
    """The tesseract program, told the language; it finds the page's orientation itself."""
    _, png = cv2.imencode(".png", pixels)
    ran = subprocess.run(
        ["tesseract", "-", "-", "--psm", "1", "-l", _tesseract_language(language), "tsv"],
        input=png.tobytes(),
        capture_output=True,
        timeout=_LONGEST_SECONDS,
        # Its threads wait for each other busily, which would count as its work.
        env=os.environ | {"OMP_THREAD_LIMIT": "1"},
        check=False,
    )
    height, width = pixels.shape[:2]
    if ran.returncode:  # a page without anything that looks like text
        return Page(width, height, ())
    lines = csv.DictReader(
        io.StringIO(ran.stdout.decode("utf-8")), delimiter="\t", quoting=csv.QUOTE_NONE
    )
    return Page(width, height, tuple(_word(line) for line in lines if (line["text"] or "").strip()))


def engines() -> tuple[dict[str, Engine], list[str]]:
    """Those on this machine, and why others are left out."""
    found: dict[str, Engine] = {"RapidOCR": rapidocr}
    if shutil.which("tesseract") is None:
        return found, ["Tesseract is left out: there is no program tesseract on this machine."]
    return {**found, "Tesseract": tesseract}, []


def _word(line: dict[str, str]) -> Word:
    left, top, width, height = (float(line[name]) for name in ("left", "top", "width", "height"))
    box = Box(left, top, left + width, top + height)
    return Word(line["text"].strip(), float(line["conf"]), box)


def _tesseract_language(language: str) -> str:
    codes = [_LANGUAGES.get(part.split("-")[0], "eng") for part in (language or "en").split("+")]
    return "+".join(code for code in codes if code in _installed()) or "eng"


@cache
def _installed() -> frozenset[str]:
    listed = subprocess.run(
        ["tesseract", "--list-langs"], capture_output=True, text=True, check=True
    )
    return frozenset(listed.stdout.split())
