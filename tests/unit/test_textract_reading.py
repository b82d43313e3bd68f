"""Reading documents: PDF text layers, pictures, damaged files, and the process that reads."""

import json
import sys
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from mailroom_desk.cloud.textract.documents import UnreadableDocumentError, pages_of
from mailroom_desk.cloud.textract.geometry import Box, Page, Word
from mailroom_desk.cloud.textract.kinds import kind_of
from mailroom_desk.cloud.textract.layout import lines_of
from mailroom_desk.cloud.textract.ocr import Pixels, read_pixels
from mailroom_desk.cloud.textract.parts import read_blocks, write_part
from mailroom_desk.cloud.textract.reading import CRASHED, TOO_LONG, Reader

DAMAGED = "The document is damaged and cannot be read"


def no_ocr(_: Pixels) -> Page:
    raise AssertionError("OCR is not called for")


def pdf(
    text: str = "Invoice Number: INV-42", pages: int = 1, turn: int = 0, lock: str = ""
) -> bytes:
    buffer = BytesIO()
    encrypt = StandardEncryption(lock) if lock else None
    canvas = Canvas(buffer, pagesize=(612, 792), encrypt=encrypt)
    for _ in range(pages):
        canvas.setPageRotation(turn)
        canvas.drawString(72, 500, text)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def picture(text: str = "Invoice Number 4711", kind: str = "PNG", mode: str = "RGB") -> bytes:
    image = Image.new("RGB", (900, 300), "white")
    font = ImageFont.load_default(40)
    ImageDraw.Draw(image).text((60, 110), text, fill="black", font=font)
    buffer = BytesIO()
    image.convert(mode).save(buffer, kind)
    return buffer.getvalue()


def pages(tmp_path: Path, content: bytes, ocr: object = no_ocr) -> list[Page]:
    path = tmp_path / "document"
    path.write_bytes(content)
    return list(pages_of(path, ocr))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("first", "kind"),
    [
        (b"%PDF-1.7", "PDF"),
        (b"\r\n\r\n%PDF-1.4", "PDF"),
        (b"\x89PNG\r\n\x1a\n", "PNG"),
        (b"\xff\xd8\xff\xe0", "JPEG"),
        (b"II*\x00", "TIFF"),
        (b"MM\x00*", "TIFF"),
        (b"PK\x03\x04", None),
        (b"", None),
    ],
)
def test_kind_is_told_by_the_first_bytes(first: bytes, kind: str | None) -> None:
    assert kind_of(first) == kind


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
def test_pdf_text_layer_is_read_upright_whatever_the_page_rotation(
    tmp_path: Path, turn: int
) -> None:
    (page,) = pages(tmp_path, pdf(turn=turn))
    assert [line.text for line in lines_of(page)] == ["Invoice Number: INV-42"]
    assert page.words[0].box.left == pytest.approx(72, abs=2)
    assert page.height - page.words[0].box.bottom == pytest.approx(500, abs=4)


def test_pdf_text_outside_the_page_is_not_read(tmp_path: Path) -> None:
    buffer = BytesIO()
    canvas = Canvas(buffer, pagesize=(612, 792))
    canvas.drawString(72, 500, "shown")
    canvas.drawString(72, 900, "outside")
    canvas.save()
    (page,) = pages(tmp_path, buffer.getvalue())
    assert [word.text for word in page.words] == ["shown"]


def test_pdf_with_bytes_after_its_end_is_read(tmp_path: Path) -> None:
    assert len(pages(tmp_path, pdf() + b"\n\x00garbage" * 50)) == 1


def test_pdf_with_a_wrong_cross_reference_is_read(tmp_path: Path) -> None:
    content = pdf()
    place = content.rindex(b"startxref")
    assert len(pages(tmp_path, content[:place] + b"startxref\n7\n%%EOF\n")) == 1


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (pdf()[:500], DAMAGED),
        (b"%PDF-1.7\nnothing", DAMAGED),
        (pdf(lock="secret"), "The document is password protected"),
        (pdf(pages=3001), "The document has 3001 pages; the limit is 3000"),
        (picture(kind="JPEG")[:3000], DAMAGED),
        (picture(kind="PNG")[:400], DAMAGED),
        (picture(kind="TIFF")[:200], DAMAGED),
    ],
    ids=["cut pdf", "no pdf", "locked", "3001 pages", "cut jpeg", "cut png", "cut tiff"],
)
def test_document_that_cannot_be_read_says_why(
    tmp_path: Path, content: bytes, sentence: str
) -> None:
    with pytest.raises(UnreadableDocumentError, match=f"^{sentence}$"):
        pages(tmp_path, content)


def test_picture_on_a_page_with_text_is_read_too(tmp_path: Path) -> None:
    buffer = BytesIO()
    canvas = Canvas(buffer, pagesize=(612, 792))
    canvas.drawString(72, 700, "Invoice")
    canvas.drawImage(ImageReader(BytesIO(picture())), 72, 300, 300, 100)
    canvas.save()

    def ocr(pixels: Pixels) -> Page:
        height, width = pixels.shape[:2]
        return Page(width, height, (Word("Letterhead", 90.0, Box(0, 0, width / 2, height / 4)),))

    (page,) = pages(tmp_path, buffer.getvalue(), ocr)
    assert [word.text for word in page.words] == ["Invoice", "Letterhead"]
    assert page.words[1].box.left == pytest.approx(72, abs=1)
    assert page.words[1].box.top == pytest.approx(392, abs=1)


@pytest.mark.parametrize(("kind", "mode"), [("TIFF", "1"), ("JPEG", "CMYK"), ("PNG", "L")])
def test_image_of_any_mode_becomes_coloured_pixels(tmp_path: Path, kind: str, mode: str) -> None:
    seen: list[tuple[int, ...]] = []

    def ocr(pixels: Pixels) -> Page:
        seen.append(pixels.shape)
        assert pixels[0, 0].min() > 200  # the white corner stays white
        return Page(1, 1, ())

    pages(tmp_path, picture(kind=kind, mode=mode), ocr)
    assert seen == [(300, 900, 3)]


def test_transparent_image_is_laid_on_white(tmp_path: Path) -> None:
    buffer = BytesIO()
    Image.new("RGBA", (50, 50), (0, 0, 0, 0)).save(buffer, "PNG")
    corners: list[int] = []

    def ocr(pixels: Pixels) -> Page:
        corners.append(int(pixels.min()))
        return Page(1, 1, ())

    pages(tmp_path, buffer.getvalue(), ocr)
    assert corners == [255]


def test_tiff_of_several_pages_gives_each(tmp_path: Path) -> None:
    frames = [Image.new("1", (60 + n, 40), 1) for n in range(3)]
    buffer = BytesIO()
    frames[0].save(buffer, "TIFF", save_all=True, append_images=frames[1:], compression="group4")
    widths: list[int] = []

    def ocr(pixels: Pixels) -> Page:
        widths.append(pixels.shape[1])
        return Page(1, 1, ())

    assert len(pages(tmp_path, buffer.getvalue(), ocr)) == 3
    assert widths == [60, 61, 62]


@pytest.mark.parametrize("turns", [0, 1, 2, 3])
def test_ocr_reads_a_picture_that_stands_or_lies(turns: int) -> None:
    image = Image.open(BytesIO(picture("Total amount 4711 EUR"))).convert("RGB")
    draw = ImageDraw.Draw(image)
    draw.text(
        (60, 200), "Payment due in thirty days", fill="black", font=ImageFont.load_default(40)
    )
    pixels = np.ascontiguousarray(np.rot90(np.asarray(image), turns))
    page = read_pixels(pixels)
    assert page.turns == turns
    assert [line.text for line in lines_of(page)] == [
        "Total amount 4711 EUR",
        "Payment due in thirty days",
    ]
    assert page.words[0].confidence > 80


def test_ocr_of_a_blank_picture_is_a_page_without_words() -> None:
    assert read_pixels(np.full((400, 300, 3), 255, dtype=np.uint8)).words == ()


def test_parts_give_any_stretch_and_say_whether_more_follows(tmp_path: Path) -> None:
    blocks = [{"Id": str(n)} for n in range(2500)]
    for number in range(3):
        write_part(tmp_path, number + 1, blocks[number * 1000 : (number + 1) * 1000])
    assert read_blocks(tmp_path, 0, 1000) == (blocks[:1000], True)
    assert read_blocks(tmp_path, 990, 20) == (blocks[990:1010], True)
    assert read_blocks(tmp_path, 2000, 500) == (blocks[2000:], False)
    assert read_blocks(tmp_path, 2499, 1000) == (blocks[2499:], False)
    assert read_blocks(tmp_path, 2500, 10) == ([], False)


CRASHING = "import os, sys; sys.stdin.readline(); os.abort()"
ENDLESS = "import sys, time; sys.stdin.readline(); time.sleep(600)"
ECHO = "import sys, json\nfor line in sys.stdin: print(json.dumps({'pages': 1}), flush=True)"


def test_reader_that_crashes_fails_the_document_and_starts_again() -> None:
    reader = Reader(60, [sys.executable, "-c", CRASHING])
    assert reader.read({}) == {"failed": CRASHED}
    assert reader.read({}) == {"failed": CRASHED}
    reader.close()


def test_reader_that_never_ends_is_stopped() -> None:
    reader = Reader(0.5, [sys.executable, "-c", ENDLESS])
    assert reader.read({}) == {"failed": TOO_LONG}
    reader.close()


def test_reader_answers_one_document_after_the_other() -> None:
    reader = Reader(60, [sys.executable, "-c", ECHO])
    assert [reader.read({}) for _ in range(3)] == [{"pages": 1}] * 3
    reader.close()


def test_reading_process_reads_and_reports(tmp_path: Path) -> None:
    (tmp_path / "good").write_bytes(pdf(pages=2))
    (tmp_path / "bad").write_bytes(b"%PDF-nothing")
    reader = Reader()

    def request(name: str) -> dict[str, object]:
        return {
            "document": str(tmp_path / name),
            "output": str(tmp_path / f"out-{name}"),
            "job_id": "job",
            "features": ["FORMS"],
            "lock": str(tmp_path / "lock"),
        }

    assert reader.read(request("bad")) == {"failed": DAMAGED}
    assert reader.read(request("good")) == {"pages": 2}
    reader.close()
    blocks = json.loads((tmp_path / "out-good" / "1.json").read_text())
    assert sum(block["BlockType"] == "PAGE" for block in blocks) == 2
