"""The local Textract and the offline reader on papers of many layouts and languages.

The papers are drawn by the tests: every field that one has is expected, and no field that it lacks.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from drawn_late_papers import LATE_PAPERS
from drawn_other_papers import ASIAN_PAPERS, OTHER_PAPERS
from drawn_papers import draw
from drawn_trade_papers import TRADE_PAPERS, Paper

from mailroom.llm.prompt import render
from mailroom.ocr.assembly import Assembly
from mailroom_desk.cloud.claude.offline.prompt import Document, parse_prompt
from mailroom_desk.cloud.claude.offline.reader import Tool, choose_tool, fill
from mailroom_desk.cloud.textract.blocks import blocks_of
from mailroom_desk.cloud.textract.documents import pages_of
from mailroom_desk.cloud.textract.geometry import Page
from mailroom_desk.cloud.textract.ocr import Pixels

CLASSES = Path(__file__).parents[2] / "src/mailroom/classes.json"
TOOLS = {
    each["name"]: Tool(each["name"], each["description"], each["schema"])
    for each in json.loads(CLASSES.read_text())["classes"]
}
PAPERS: dict[str, tuple[str | None, Paper]] = {
    **{name: (None, paper) for name, paper in (TRADE_PAPERS | OTHER_PAPERS | LATE_PAPERS).items()},
    **ASIAN_PAPERS,
}
# Found with the address block beside it only where the two stand apart.
NOT_FOUND = {("american bank statement", "account_holder")}


def no_ocr(_: Pixels) -> Page:
    raise AssertionError("a paper with a text layer needs no OCR")


def as_shown(path: Path) -> Document:
    """The document as the model is shown it."""
    pages = blocks_of(pages_of(path, no_ocr), "job", ["FORMS", "TABLES"])
    blocks = [block for page in pages for block in page]
    file = json.dumps({"DocumentMetadata": {"Pages": 1}, "Blocks": blocks}).encode()
    shown = "".join(render(page) for page in Assembly(1, lambda _: file).pages())
    return parse_prompt(
        f'<document-0123456789abcdef pages="1">\n{shown}</document-0123456789abcdef>'
    )


def comparable(value: Any) -> str:
    return "".join(c for c in str(value).casefold() if c.isalnum())


@pytest.mark.parametrize("name", PAPERS)
def test_paper_has_its_class_and_its_fields_and_no_others(name: str, tmp_path: Path) -> None:
    font, (kind, expected, parts) = PAPERS[name]
    document = as_shown(draw(tmp_path / "paper.pdf", parts, font))
    found = fill(document, TOOLS[kind])
    found.pop("line_items", None)
    wanted = {field: value for field, value in expected.items() if (name, field) not in NOT_FOUND}
    assert choose_tool(document, list(TOOLS.values())).name == kind
    assert {k: comparable(v) for k, v in found.items()} == {
        k: comparable(v) for k, v in wanted.items()
    }


def test_line_items_of_a_heading_in_several_words(
    tmp_path: Path,
) -> None:
    kind, _, parts = TRADE_PAPERS["british invoice with net amounts"]
    found = fill(as_shown(draw(tmp_path / "paper.pdf", parts)), TOOLS[kind])
    assert found["line_items"] == [
        {
            "description": "Oak kitchen doors, hand finished and oiled",
            "quantity": "6",
            "unit_price": "180.00",
            "amount": "1080.00",
        },
        {
            "description": "Fitting, two joiners, one day on the site",
            "quantity": "1",
            "unit_price": "240.00",
            "amount": "240.00",
        },
    ]
