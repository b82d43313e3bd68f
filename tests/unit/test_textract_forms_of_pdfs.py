"""What a PDF's own drawing and form tell the local Textract: rules, boxes to tick, bad layers."""

from pathlib import Path
from typing import Any

import pytest
from reportlab.pdfgen.canvas import Canvas

from mailroom_desk.cloud.textract.blocks import blocks_of
from mailroom_desk.cloud.textract.documents import pages_of
from mailroom_desk.cloud.textract.geometry import Box, Page, Word
from mailroom_desk.cloud.textract.layout import lines_of
from mailroom_desk.cloud.textract.ocr import Pixels

BY_OCR = Page(100, 100, (Word("seen", 90.0, Box(1, 1, 9, 9)),))


def no_ocr(_: Pixels) -> Page:
    raise AssertionError("OCR is not called for")


def canvas(tmp_path: Path) -> Canvas:
    return Canvas(str(tmp_path / "form.pdf"), pagesize=(400, 300))


def read(tmp_path: Path, ocr: Any = no_ocr) -> Page:
    return next(iter(pages_of(tmp_path / "form.pdf", ocr)))


def pairs(page: Page) -> dict[str, str]:
    blocks = {b["Id"]: b for b in next(blocks_of([page], "job", ["FORMS"]))}

    def text(block: Any) -> str:
        children = [
            blocks[i]
            for relation in block.get("Relationships", [])
            if relation["Type"] == "CHILD"
            for i in relation["Ids"]
        ]
        return " ".join(str(c.get("Text", c.get("SelectionStatus"))) for c in children)

    found = {}
    for block in blocks.values():
        if "KEY" in block.get("EntityTypes", []):
            values = next(r["Ids"] for r in block["Relationships"] if r["Type"] == "VALUE")
            found[text(block)] = text(blocks[values[0]])
    return found


@pytest.mark.parametrize(("ruled", "lines"), [(True, ["Qty", "Price"]), (False, ["Qty Price"])])
def test_an_upright_rule_between_words_divides_them(
    tmp_path: Path, ruled: bool, lines: list[str]
) -> None:
    paper = canvas(tmp_path)
    paper.drawString(50, 200, "Qty Price")
    if ruled:
        x = 50 + paper.stringWidth("Qty ") - 1.4
        paper.line(x, 190, x, 215)
    paper.save()
    assert [line.text for line in lines_of(read(tmp_path))] == lines


def test_boxes_to_tick_are_pairs_of_their_label_and_their_state(tmp_path: Path) -> None:
    paper = canvas(tmp_path)
    for x, label, ticked in ((40, "Single", False), (160, "Married filing jointly", True)):
        paper.acroForm.checkbox(name=label, x=x, y=200, size=12, checked=ticked)
        paper.drawString(x + 18, 202, label)
    paper.save()
    found = pairs(read(tmp_path))
    assert found["Single"] == "NOT_SELECTED"
    assert found["Married filing jointly"] == "SELECTED"


def test_a_numbered_box_has_its_value_below_it_not_beside_it(tmp_path: Path) -> None:
    paper = canvas(tmp_path)
    for x, label, value in (
        (20, "1 Wages, tips, other compensation", "58,200.00"),
        (220, "2 Federal income tax withheld", "6,984.00"),
    ):
        paper.drawString(x, 200, label)
        paper.drawString(x, 186, value)
    paper.save()
    found = pairs(read(tmp_path))
    assert found["1 Wages, tips, other compensation"] == "58,200.00"
    assert found["2 Federal income tax withheld"] == "6,984.00"


@pytest.mark.parametrize(
    "line",
    [
        "Xqwrt Bcdfg Hjklm",  # a wrong table of characters
        "Thequickbrownfoxjumpsoverthelazydogagain",  # lost spaces
    ],
)
def test_a_text_layer_of_nonsense_is_read_by_ocr(tmp_path: Path, line: str) -> None:
    paper = canvas(tmp_path)
    for row in range(24):
        paper.drawString(20, 290 - 12 * row, line)
    paper.save()
    assert read(tmp_path, lambda _: BY_OCR) == BY_OCR


def test_a_text_layer_of_codes_and_short_words_is_kept(tmp_path: Path) -> None:
    paper = canvas(tmp_path)
    for row in range(12):
        paper.drawString(20, 280 - 20 * row, f"PCB-44X{row} HDMI qty 4 Strength tested rhythm")
    paper.save()
    assert read(tmp_path).words
