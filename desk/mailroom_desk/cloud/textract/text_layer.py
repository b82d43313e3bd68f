"""The text layer of a PDF page: its characters to words in an upright frame.

Invisible text (the OCR layer of a scanner, or text hidden on purpose) is not on the page, and is
left out.
"""

import ctypes
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import pypdfium2.raw as pdfium

from mailroom_desk.cloud.textract.geometry import Box, Page, Word

# Confidence of a word that is read from the text layer, not recognised.
CONFIDENCE = 99.9
# A page is garbage if more than this share of its characters has no meaning.
GARBAGE = 0.2
# A layer is nonsense if more than this share of its long words are endless or without a vowel, of
# at least so many. In English and German prose 1 of 100 is; abbreviations and codes make it a few.
NONSENSE = 0.5
LONG_WORD, ENDLESS_WORD, WORDS_JUDGED = 4, 30, 20
VOWELS = frozenset("aeiouy")
# A gap of this share of the character's height divides words that no space divides.
WORD_GAP = 0.3
INVISIBLE = 3  # the text rendering mode of PDF 32000-1, 9.3.6: neither fill nor stroke
DEVICE_SCALE = 100  # PageToDevice answers whole numbers: hundredths of a point are fine enough


def read_text_layer(page: Any) -> Page | None:
    """Return the page as its text layer tells it, or None where there is none, or only garbage."""
    with closing(page.get_textpage()) as text_page:
        characters = _characters(text_page)
    shown = [character for character in characters if not character.text.isspace()]
    garbage = sum(character.is_garbage for character in shown)
    if not shown or garbage > GARBAGE * len(shown):
        return None
    read = _from_text_layer(page, characters)
    return None if _is_nonsense([word.text for word in read.words]) else read


def _is_nonsense(words: Sequence[str]) -> bool:
    """Tell a layer that is not what the page shows: lost spaces, or letters without a vowel.

    Fonts with a wrong table of characters give such words; only Latin letters are judged.
    """
    long = [word for word in words if len(word) >= LONG_WORD and word.isascii() and word.isalpha()]
    if len(long) < WORDS_JUDGED:
        return False
    endless = sum(len(word) > ENDLESS_WORD for word in long)
    mute = sum(VOWELS.isdisjoint(word.casefold()) for word in long)
    return max(endless, mute) > NONSENSE * len(long)


@dataclass(frozen=True, slots=True)
class _Character:
    text: str
    left: float
    bottom: float
    right: float
    top: float
    turns: int

    @property
    def is_garbage(self) -> bool:
        """Tell characters that no reader knows: unmapped, private, or control characters."""
        code = ord(self.text)
        return code == 0xFFFD or 0xE000 <= code <= 0xF8FF or code < 0x20


def _characters(text_page: Any) -> list[_Character]:
    raw = text_page.raw
    rectangle = pdfium.FS_RECTF()
    hidden: dict[int, bool] = {}
    found = []
    for index in range(pdfium.FPDFText_CountChars(raw)):
        code = pdfium.FPDFText_GetUnicode(raw, index)
        if 0xD800 <= code <= 0xDFFF:  # half of a pair: no character of its own
            code = 0xFFFD
        text = chr(code) if code else "\ufffd"
        if not text.isspace():
            if _is_hidden(raw, index, hidden):
                continue
            if code == 0xFFFE or code == 0x02:  # how PDFium marks a hyphen at a line's end
                text = "-"
        pdfium.FPDFText_GetLooseCharBox(raw, index, rectangle)
        angle = pdfium.FPDFText_GetCharAngle(raw, index)
        found.append(
            _Character(
                text,
                rectangle.left,
                rectangle.bottom,
                rectangle.right,
                rectangle.top,
                round(angle / (math.pi / 2)) % 4,
            )
        )
    return found


def _is_hidden(raw: Any, index: int, known: dict[int, bool]) -> bool:
    text_object = pdfium.FPDFText_GetTextObject(raw, index)
    address = ctypes.cast(text_object, ctypes.c_void_p).value or 0
    if address not in known:
        known[address] = bool(address) and (
            pdfium.FPDFTextObj_GetTextRenderMode(text_object) == INVISIBLE
        )
    return known[address]


def _from_text_layer(page: Any, characters: Sequence[_Character]) -> Page:
    """Build the page from its characters, turned so that most of them stand upright."""
    width, height = page.get_size()
    page_turns = page.get_rotation() // 90
    counts = Counter((character.turns + page_turns) % 4 for character in characters)
    turns = -counts.most_common(1)[0][0] % 4
    upright = (width, height) if turns % 2 == 0 else (height, width)
    words = (
        Word("".join(each.text for each in word), CONFIDENCE, _box(page, word, turns))
        for word in _words(characters)
    )
    shown = tuple(word for word in words if _is_on_page(word.box, *upright))
    return Page(*upright, shown, turns)


def _is_on_page(box: Box, width: float, height: float) -> bool:
    """Tell words that a reader sees from those outside the page's crop."""
    return box.right > 0 and box.left < width and box.bottom > 0 and box.top < height


def _words(characters: Sequence[_Character]) -> Iterator[list[_Character]]:
    word: list[_Character] = []
    for character in characters:
        if word and (character.text.isspace() or _apart(word[-1], character)):
            yield word
            word = []
        if not character.text.isspace():
            word.append(character)
    if word:
        yield word


def _apart(one: _Character, other: _Character) -> bool:
    """Tell whether two characters in a row are not neighbours on the page."""
    size = max(1.0, min(one.top - one.bottom, other.top - other.bottom))
    if one.turns % 2:
        size = max(1.0, min(one.right - one.left, other.right - other.left))
        along = max(other.bottom - one.top, one.bottom - other.top)
        across = abs((one.left + one.right) - (other.left + other.right)) / 2
    else:
        along = max(other.left - one.right, one.left - other.right)
        across = abs((one.bottom + one.top) - (other.bottom + other.top)) / 2
    return along > WORD_GAP * size or across > 0.5 * size


def _box(page: Any, word: list[_Character], turns: int) -> Box:
    """Return the word's box in the upright frame; PDFium knows the page's own rotation and crop."""
    left, right = min(c.left for c in word), max(c.right for c in word)
    bottom, top = min(c.bottom for c in word), max(c.top for c in word)
    corners = [_on_device(page, x, y) for x, y in ((left, bottom), (right, top))]
    width, height = page.get_size()
    for _ in range(turns):  # a quarter turn clockwise
        corners = [(height - y, x) for x, y in corners]
        width, height = height, width
    xs, ys = zip(*corners, strict=True)
    return Box(min(xs), min(ys), max(xs), max(ys))


def _on_device(page: Any, x: float, y: float) -> tuple[float, float]:
    width, height = page.get_size()
    device_x, device_y = ctypes.c_int(), ctypes.c_int()
    pdfium.FPDF_PageToDevice(
        page.raw,
        0,
        0,
        round(width * DEVICE_SCALE),
        round(height * DEVICE_SCALE),
        0,
        x,
        y,
        device_x,
        device_y,
    )
    return device_x.value / DEVICE_SCALE, device_y.value / DEVICE_SCALE
