"""The pages as people read them; what the document says stays text."""

import pytest
from textract_made import Paper, children, page_of

from mailroom.ocr.markdown import gap, heading, render
from mailroom.pages import Line, Page, Pair, Query, Table


def test_page_has_a_heading_and_its_lines_one_below_the_other() -> None:
    page = Page(3, [Line("Dear Sir", []), Line("Thank you", [])])

    assert render(page) == "\n## Page 3\n\nDear Sir  \nThank you\n"


def test_layout_shows_in_the_markup() -> None:
    kinds = ("title", "section_header", "text", "list", "page_number")
    page = Page(1, [Line(kind, [], kind) for kind in kinds])

    assert render(page).split("\n\n")[1:] == [
        "### title",
        "#### section\\_header",
        "text",
        "- list",
        "*page\\_number*\n",
    ]


def test_table_stands_once_in_the_place_of_its_lines() -> None:
    paper = Paper()
    paper.line("Before", 0.1, 0.1)
    paper.line("After", 0.1, 0.9)
    title = paper.add("TABLE_TITLE", **children(paper.line("Balance sheet", 0.1, 0.27)))
    relations = [{"Type": "TABLE_TITLE", "Ids": [title]}]
    paper.table([["Item", "Price"], ["Tea | milk", "4.00"]], relations=relations)

    assert render(page_of(paper)).split("\n\n")[1:] == [
        "Before",
        "**Balance sheet**",
        "| Item | Price |\n| --- | --- |\n| Tea \\| milk | 4.00 |",
        "After\n",
    ]


def test_table_that_goes_on_says_so_and_has_its_header_or_an_empty_one() -> None:
    rows = [[*page_of(_one_table()).tables[0].rows[0]]]

    fresh, again = (
        render(Page(2, tables=[Table(rows, continued=True, repeats_header=repeats)]))
        for repeats in (False, True)
    )

    assert "goes on from the page before" in fresh and "|  |  |\n| --- | --- |\n| a | b |" in fresh
    assert "|  |  |" not in again and "| a | b |\n| --- | --- |" in again


def _one_table() -> Paper:
    paper = Paper()
    paper.table([["a", "b"]])
    return paper


def test_forms_questions_and_signatures_are_listed() -> None:
    page = Page(
        1,
        forms=[Pair("Paid", "[X]"), Pair("Date", ""), Pair("", "alone")],
        queries=[Query("Total?", "12.00"), Query("Due?", "")],
        signatures=[(0.1, 0.1, 0.1, 0.1), (0.5, 0.1, 0.1, 0.1)],
    )

    assert render(page).split("\n\n")[1:] == [
        "**Form**",
        "- **Paid** [X]\n- **Date**\n- alone",
        "**Questions**",
        "- Total? — 12.00\n- Due? — *no answer*",
        "*2 signatures on this page.*\n",
    ]


def test_page_without_anything_says_so() -> None:
    assert render(Page(1)) == "\n## Page 1\n\n*No text.*\n"


@pytest.mark.parametrize(
    "before, after, named",
    [(0, 1, ""), (3, 4, ""), (3, 5, "Page 4 is missing"), (0, 4, "Pages 1 to 3 are missing")],
)
def test_missing_pages_are_named(before: int, after: int, named: str) -> None:
    assert (named in gap(before, after)) if named else gap(before, after) == ""


@pytest.mark.parametrize(
    "text, shown",
    [
        ("[pay](http://x.test)", "[pay\\](http://x.test)"),
        ("![x](http://x.test/t.png)", "\\![x\\](http://x.test/t.png)"),
        ("[a]: http://x.test", "[a\\]: http://x.test"),
        ("<img src=x>", "\\<img src=x>"),
        ("a*b_c`d", "a\\*b\\_c\\`d"),
        ("# Big", "\\# Big"),
        ("1. First", "1\\. First"),
        ("2026-01-25", "2026-01-25"),
        ("- 5.00", "\\- 5.00"),
        ("-5.00", "-5.00"),
        ("---", "\\---"),
        ("[X] Yes", "[X] Yes"),
        ("12.50", "12.50"),
    ],
)
def test_document_starts_no_markup(text: str, shown: str) -> None:
    assert render(Page(1, [Line(text, [])])) == f"\n## Page 1\n\n{shown}\n"


def test_heading_is_the_key_as_text() -> None:
    assert heading("incoming/a_b #1.pdf") == "# incoming/a\\_b #1.pdf\n"
