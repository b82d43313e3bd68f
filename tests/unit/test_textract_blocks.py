"""From words to Textract's blocks: lines, tables, forms, and the shapes of the service model."""

from typing import Any

import botocore.session
import pytest
from botocore.validate import ParamValidator
from hypothesis import given
from hypothesis import strategies as st

from mailroom_desk.cloud.textract.blocks import blocks_of
from mailroom_desk.cloud.textract.forms import pairs_of
from mailroom_desk.cloud.textract.geometry import Box, Page, Word, polygon_as_given
from mailroom_desk.cloud.textract.layout import lines_of, rows_of
from mailroom_desk.cloud.textract.tables import tables_of
from mailroom_desk.cloud.textract.touching import divided

# One character of the test pages is this wide and this high.
WIDE, HIGH = 5.0, 10.0


def page(*placed: tuple[float, float, str]) -> Page:
    """Make a page of texts at (left, top); their words are one space apart."""
    words = []
    for left, top, text in placed:
        for word in text.split():
            right = left + WIDE * len(word)
            words.append(Word(word, 99.0, Box(left, top, right, top + HIGH)))
            left = right + 0.4 * WIDE
    return Page(600, 800, tuple(words))


def texts(of: Page) -> list[str]:
    return [line.text for line in lines_of(of)]


def pairs(of: Page) -> dict[str, str]:
    lines = lines_of(of)
    return {
        " ".join(word.text for word in pair.key): " ".join(word.text for word in pair.value)
        for pair in pairs_of(lines, tables_of(lines), of.width)
    }


def grid(of: Page) -> list[list[list[str]]]:
    return [
        [[cell.text for cell in row] for row in table.rows] for table in tables_of(lines_of(of))
    ]


def test_lines_far_apart_at_one_height_stay_apart() -> None:
    assert texts(page((10, 10, "Invoice Number"), (300, 10, "INV 42"))) == [
        "Invoice Number",
        "INV 42",
    ]


def test_lines_of_two_columns_of_prose_are_read_one_column_after_the_other() -> None:
    left = [(20.0, 50.0 + 14 * n, f"left column of words, line {n}") for n in range(8)]
    right = [(320.0, 50.0 + 14 * n, f"right column of words, line {n}") for n in range(8)]
    title = (
        20.0,
        20.0,
        "a title that goes over both of the columns, and that is all there is to it",
    )
    read = texts(page(title, *left, *right))
    assert read == [title[2], *(each[2] for each in left), *(each[2] for each in right)]


def test_lines_of_a_table_are_read_row_by_row() -> None:
    of = page((20, 50, "Web design"), (320, 50, "85.00"), (20, 70, "Hosting"), (320, 70, "9.00"))
    assert texts(of) == ["Web design", "85.00", "Hosting", "9.00"]


def test_table_with_a_wrapped_cell_keeps_the_row_together() -> None:
    of = page(
        *((left, 100, text) for left, text in ((20, "Qty"), (100, "Item"), (400, "Price"))),
        *((left, 120, text) for left, text in ((20, "1"), (100, "Web design"), (400, "85.00"))),
        (100, 132, "with a logo"),
        *((left, 160, text) for left, text in ((20, "2"), (100, "Hosting"), (400, "9.00"))),
    )
    assert grid(of) == [
        [
            ["Qty", "Item", "Price"],
            ["1", "Web design with a logo", "85.00"],
            ["2", "Hosting", "9.00"],
        ]
    ]


def test_table_row_with_a_cell_that_starts_higher_takes_it() -> None:
    of = page(
        *((left, 100, text) for left, text in ((20, "Qty"), (100, "Item"), (400, "Price"))),
        (100, 120, "Web design"),
        *((left, 126, text) for left, text in ((20, "1"), (400, "85.00"))),
        (100, 133, "with a logo"),
    )
    assert grid(of)[0][1] == ["1", "Web design with a logo", "85.00"]


def test_prose_in_two_columns_is_no_table() -> None:
    sentence = "a column of prose goes on and on"
    of = page(*((left, 50 + 14 * n, sentence) for n in range(8) for left in (20, 320)))
    assert grid(of) == []


@pytest.mark.parametrize(
    ("of", "expected"),
    [
        (page((20, 50, "Invoice Number: INV-42")), {"Invoice Number:": "INV-42"}),
        (page((20, 50, "Due Date:"), (150, 50, "Jan 1, 2026")), {"Due Date:": "Jan 1, 2026"}),
        (page((20, 50, "Bill To:"), (20, 64, "Ada Smith"), (20, 78, "1 Main St")),
         {"Bill To:": "Ada Smith 1 Main St"}),
        (page((20, 50, "Total Due"), (150, 50, "$93.50")), {"Total Due": "$93.50"}),
        (page((20, 50, "Account Number"), (20, 64, "0035 2580")), {"Account Number": "0035 2580"}),
        (page((20, 50, "Due Date Jun 08, 2026")), {"Due Date": "Jun 08, 2026"}),
        (page((20, 50, "Signature:")), {"Signature:": ""}),
        (page((20, 50, "We meet at 10:30 in the hall")), {}),
        (page((20, 50, "Payment is due within 30 days")), {}),
        (page((20, 50, "See https://example.com/a")), {}),
    ],
)  # fmt: skip
def test_forms_find_a_label_and_its_value(of: Page, expected: dict[str, str]) -> None:
    assert pairs(of) == expected


def sample_page(turns: int = 0, skew: float = 0.0) -> Page:
    words = page(
        (20, 50, "Invoice Number: INV-42"),
        (20, 80, "Signature:"),
        *((left, 200, text) for left, text in ((20, "Qty"), (100, "Item"), (400, "Price"))),
        *((left, 220, text) for left, text in ((20, "1"), (100, "Web"), (400, "85.00"))),
        *((left, 240, text) for left, text in ((20, "2"), (400, "9.00"))),
    ).words
    return Page(600, 800, words, turns, skew)


@pytest.mark.parametrize("turns", [0, 1, 2, 3])
def test_blocks_fit_the_service_model_and_refer_to_each_other(turns: int) -> None:
    blocks = [
        block
        for page_blocks in blocks_of(
            [sample_page(turns, 0.02), Page(10, 10, ())], "job", ["FORMS", "TABLES"]
        )
        for block in page_blocks
    ]
    model: Any = botocore.session.get_session().get_service_model("textract")
    shape = model.shape_for("GetDocumentAnalysisResponse")
    report = ParamValidator().validate({"Blocks": blocks}, shape)
    assert not report.has_errors(), report.generate_report()
    kinds = model.shape_for("BlockType").enum
    by_id = {block["Id"]: block for block in blocks}
    assert len(by_id) == len(blocks)
    for block in blocks:
        assert block["BlockType"] in kinds
        assert set(block.get("EntityTypes", [])) <= set(model.shape_for("EntityType").enum)
        for relation in block.get("Relationships", []):
            assert all(by_id[each]["Page"] == block["Page"] for each in relation["Ids"])
    assert [block["Page"] for block in blocks if block["BlockType"] == "PAGE"] == [1, 2]


def test_blocks_without_features_are_lines_and_words_only() -> None:
    (blocks,) = blocks_of([sample_page()], "job", [])
    assert {block["BlockType"] for block in blocks} == {"PAGE", "LINE", "WORD"}


def test_blocks_of_a_table_have_every_cell_and_name_the_heading() -> None:
    (blocks,) = blocks_of([sample_page()], "job", ["TABLES"])
    cells = [block for block in blocks if block["BlockType"] == "CELL"]
    places = [(cell["RowIndex"], cell["ColumnIndex"]) for cell in cells]
    assert places == [(row, column) for row in (1, 2, 3) for column in (1, 2, 3)]
    assert [cell.get("EntityTypes") for cell in cells] == [["COLUMN_HEADER"]] * 3 + [None] * 6
    assert "Relationships" not in cells[7]
    assert "KEY_VALUE_SET" not in {block["BlockType"] for block in blocks}


def test_blocks_of_a_repeated_reading_have_the_same_ids() -> None:
    def ids(job: str) -> list[Any]:
        return [
            block["Id"]
            for page_blocks in blocks_of([sample_page()], job, [])
            for block in page_blocks
        ]

    assert ids("a") == ids("a")
    assert not set(ids("a")) & set(ids("b"))


def test_polygon_of_a_page_that_was_turned_lies_on_the_page_as_given() -> None:
    top_left = Box(0, 0, 60, 80)
    page_turned = Page(600, 800, (), turns=1)  # one clockwise turn made it upright
    assert polygon_as_given(top_left, page_turned)[0] == (0.0, 1.0)
    assert polygon_as_given(top_left, Page(600, 800, (), turns=2))[0] == (1.0, 1.0)
    assert polygon_as_given(top_left, Page(600, 800, (), turns=3))[0] == (1.0, 0.0)


numbers = st.floats(0, 500, allow_nan=False)
boxes = st.builds(
    lambda left, top, width, height: Box(left, top, left + width, top + height),
    numbers,
    numbers,
    st.floats(0.1, 200),
    st.floats(0.1, 100),
)
words = st.builds(
    Word, st.text(st.characters(exclude_categories=["Z", "C"]), min_size=1), numbers, boxes
)


@given(st.lists(words, max_size=25))
def test_blocks_of_any_words_hold_each_word_once(found: list[Word]) -> None:
    (blocks,) = blocks_of([Page(600, 800, tuple(found))], "job", ["FORMS", "TABLES"])
    assert sorted(block["Text"] for block in blocks if block["BlockType"] == "WORD") == sorted(
        word.text for word in found
    )
    for block in blocks:
        box = block["Geometry"]["BoundingBox"]
        assert 0 <= box["Left"] <= box["Left"] + box["Width"] <= 1.0000001
        assert 0 <= box["Top"] <= box["Top"] + box["Height"] <= 1.0000001


def test_cells_that_nearly_touch_are_divided_by_the_row_below() -> None:
    words = [
        *page((20, 20, "Description"), (200, 20, "Qty"), (300, 20, "Amount")).words,
        *page((20, 40, "Oak door with a very long name"), (200, 40, "2"), (300, 40, "10.00")).words,
        # "set" ends 4 units before its number: more than a space, less than a column's gap.
        *page((20, 60, "Pine shelf and a rather longer se")).words,
        Word("3", 99.0, Box(200, 60, 205, 70)),
        *page((300, 60, "20.00")).words,
    ]
    last = max(word.box.right for word in words if word.box.top == 60 and word.box.left < 195)
    shifted = [
        Word(w.text, w.confidence, Box(w.box.left + 196 - last, 60, w.box.right + 196 - last, 70))
        if w.box.top == 60 and w.box.left < 195
        else w
        for w in words
    ]
    assert grid(Page(600, 800, tuple(shifted)))[0][2] == [
        "Pine shelf and a rather longer se",
        "3",
        "20.00",
    ]


def test_ordinary_spaces_are_never_divided() -> None:
    of = page(
        (20, 20, "one two three four five six seven eight nine ten eleven"),
        (20, 40, "Rope"),
        (200, 40, "2"),
        (300, 40, "9.00"),
    )
    rows = rows_of(lines_of(of))
    assert divided(rows) == rows


def test_a_row_divided_by_its_heading_divides_the_next() -> None:
    rows = [
        *((20, 20, "Pos"), (53, 20, "Number"), (200, 20, "Qty")),
        *((20, 40, "000010"), (55, 40, "DR-40"), (200, 40, "120")),
        *((20, 60, "000020"), (55, 60, "KH-25M"), (200, 60, "15")),
    ]
    found = divided(rows_of(lines_of(page(*rows))))
    assert [len(row) for row in found] == [3, 3, 3]


def test_numbers_right_aligned_before_words_are_a_column_of_their_own() -> None:
    of = page(
        *((20, 20, "Qty"), (37, 20, "Description"), (300, 20, "Amount")),
        *((20, 40, "600"), (37, 40, "Carton, double wall"), (300, 40, "672.00")),
        *((25, 60, "18"), (37, 60, "Kraft paper roll"), (300, 60, "421.20")),
        (37, 74, "50 cm, brown"),
        *((20, 100, "144"), (37, 100, "Packing tape"), (300, 100, "295.20")),
    )
    assert grid(of) == [
        [
            ["Qty", "Description", "Amount"],
            ["600", "Carton, double wall", "672.00"],
            ["18", "Kraft paper roll 50 cm, brown", "421.20"],
            ["144", "Packing tape", "295.20"],
        ]
    ]


def test_numbers_at_the_beginning_of_names_stay_with_them() -> None:
    of = page(
        *((20, 20, "Product name"), (300, 20, "Qty"), (400, 20, "Amount")),
        *((20, 40, "12 Volt battery"), (300, 40, "1"), (400, 40, "672.00")),
        *((20, 60, "1000 Islands sauce"), (300, 60, "2"), (400, 60, "421.20")),
        *((20, 80, "7 Seas map"), (300, 80, "4"), (400, 80, "295.20")),
    )
    assert [row[0] for row in grid(of)[0]] == [
        "Product name",
        "12 Volt battery",
        "1000 Islands sauce",
        "7 Seas map",
    ]
