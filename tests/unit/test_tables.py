"""Forms, cells and tables, and tables that go on."""

import pytest
from textract_made import Paper, children, page_of, read, result

from mailroom.pages import Table, decode, encode

HEADER = ["Date", "Text", "Amount"]
ROW = ["2026-01-01", "Tea", "4.00"]


def table_of(paper: Paper) -> Table:
    (table,) = page_of(paper).tables
    return table


def test_merged_cell_has_its_text_where_it_begins_and_the_others_are_empty() -> None:
    paper = Paper()
    table = paper.table([["Item", "Price", "net"], ["Tea", "", "4.00"], ["", "", "5.00"]])
    paper.merge(table, 1, 2, 1, 2)
    paper.merge(table, 2, 1, 2, 2)

    found = table_of(paper)

    assert found.texts() == [["Item", "Price net", ""], ["Tea", "", "4.00"], ["", "", "5.00"]]
    assert (found.rows[0][1].rows, found.rows[0][1].columns) == (1, 2)
    assert (found.rows[1][0].rows, found.rows[1][0].columns) == (2, 2)


def test_merged_cell_keeps_a_text_that_stands_in_its_last_cell() -> None:
    paper = Paper()
    paper.merge(paper.table([["", "", "Balance"]]), 1, 1, 1, 3)

    assert table_of(paper).texts() == [["Balance", "", ""]]


def test_cell_that_spans_without_a_merge_makes_room() -> None:
    paper = Paper()
    table = paper.table([["wide"], ["a"]])
    for cell, span in zip(paper.get(table)["Relationships"][0]["Ids"], (3, 1), strict=True):
        paper.get(cell)["ColumnSpan"] = span

    assert table_of(paper).texts() == [["wide", "", ""], ["a", "", ""]]


def test_two_cells_of_one_place_are_both_kept() -> None:
    paper = Paper()
    table = paper.table([["one", "two"]])
    paper.get(paper.get(table)["Relationships"][0]["Ids"][1])["ColumnIndex"] = 1

    assert table_of(paper).texts() == [["one two"]]


def test_marks_stand_where_they_are_on_the_page() -> None:
    paper = Paper()
    table = paper.table([["Fever?", "x"]])
    cell = paper.get(paper.get(table)["Relationships"][0]["Ids"][1])
    yes, no = paper.words("[X] Yes", 0.4, 0.5), paper.words("[ ] No", 0.6, 0.5)
    cell.update(children([no[0], yes[0], yes[1], no[1]]))

    assert table_of(paper).texts() == [["Fever?", "[X] Yes [ ] No"]]


def test_title_and_footers_are_apart_from_the_cells() -> None:
    paper = Paper()
    title = paper.add("TABLE_TITLE", **children(paper.line("Balance sheet", 0.1, 0.27)))
    notes = [
        paper.add("TABLE_FOOTER", **children(paper.line(text, 0.1, 0.4 + at / 50)))
        for at, text in enumerate(("(1) estimated", "(2) audited"))
    ]
    relations = [{"Type": "TABLE_TITLE", "Ids": [title]}, {"Type": "TABLE_FOOTER", "Ids": notes}]
    paper.table([HEADER], relations=relations)

    table = table_of(paper)

    assert (table.title, table.footers) == ("Balance sheet", ["(1) estimated", "(2) audited"])
    assert table.texts() == [HEADER]


def test_tables_come_in_reading_order() -> None:
    paper = Paper()
    paper.table([["below"]], top=0.6)
    paper.table([["above"]], top=0.2)

    assert [table.texts() for table in page_of(paper).tables] == [[["above"]], [["below"]]]


def test_cells_know_their_place_and_confidence() -> None:
    paper = Paper()
    paper.table([HEADER])

    (cells,) = table_of(paper).rows

    assert cells[1].box == (0.3, 0.3, 0.2, 0.02)
    assert cells[1].confidence == 99.0


def test_pair_takes_marks_and_the_confidence_of_its_value() -> None:
    paper = Paper()
    key = paper.line("Member since", 0.1, 0.1)
    paper.pair(key, [*paper.words("[X]", 0.4, 0.1), *paper.line("2019", 0.45, 0.1)], 71.234)
    paper.pair(paper.line("Left", 0.1, 0.2), paper.words("[ ]", 0.4, 0.2))

    member, left = page_of(paper).forms

    assert (member.key, member.value, member.confidence) == ("Member since", "[X] 2019", 71.23)
    assert (left.key, left.value, left.confidence) == ("Left", "[ ]", 90.0)


def test_pairs_come_in_reading_order_and_keep_a_value_without_a_key() -> None:
    paper = Paper()
    paper.pair(paper.line("Second", 0.1, 0.5), [])
    paper.pair(paper.line("First", 0.1, 0.2), paper.line("1", 0.5, 0.2))
    paper.pair([], paper.line("alone", 0.1, 0.1))
    paper.pair([], [])
    for block in paper.blocks:
        block.setdefault("Relationships", [])

    pairs = [(pair.key, pair.value) for pair in page_of(paper).forms]

    assert pairs == [("First", "1"), ("Second", ""), ("", "alone")]


def two_pages(
    first: list[list[str]], second: list[list[str]], *, left: float = 0.1, above: int = 1
) -> Table:
    """The table of a second page, after one at the end of a first page."""
    before, after = Paper(1), Paper(2)
    before.table(first, top=0.8)
    before.line("Page 1", 0.8, 0.95)
    for at in range(above):
        after.line(f"line {at} above", 0.1, 0.01 + at * 0.02)
    after.table(second, top=0.2, left=left)
    _, page = read(result([*before.done(), *after.done()], 2))
    return page.tables[0]


def test_table_with_the_same_columns_goes_on() -> None:
    table = two_pages([HEADER, ROW], [ROW])

    assert (table.continued, table.repeats_header) == (True, False)


def test_repeated_header_is_recognised_even_where_the_columns_moved() -> None:
    table = two_pages([HEADER, ROW], [[text.upper() for text in HEADER], ROW], left=0.2)

    assert (table.continued, table.repeats_header) == (True, True)


@pytest.mark.parametrize(
    "second, how",
    [
        ([ROW[:2]], {}),  # another number of columns
        ([ROW], {"left": 0.2}),  # other columns
        ([ROW], {"above": 6}),  # text between the two
    ],
)
def test_other_table_does_not_go_on(second: list[list[str]], how: dict[str, float]) -> None:
    assert not two_pages([HEADER, ROW], second, **how).continued  # type: ignore[arg-type]


@pytest.mark.parametrize("title, goes_on", [("Sales (continued)", True), ("Costs", False)])
def test_title_says_whether_a_table_goes_on(title: str, goes_on: bool) -> None:
    sheets = []
    for number, text, top in ((1, "Sales", 0.8), (2, title, 0.1)):
        paper = Paper(number)
        ids = paper.line(text, 0.1, top - 0.02)
        named = paper.add("TABLE_TITLE", **children(ids))
        relations = [{"Type": "TABLE_TITLE", "Ids": [named]}]
        paper.table([ROW], top=top, relations=relations)
        sheets += paper.done()

    assert read(result(sheets, 2))[1].tables[0].continued is goes_on


def test_table_does_not_go_on_over_a_missing_page() -> None:
    before, after = Paper(1), Paper(3)
    before.table([ROW], top=0.8)
    after.table([ROW], top=0.1)

    assert not read(result([*before.done(), *after.done()], 3))[1].tables[0].continued


def test_page_goes_into_the_file_and_back() -> None:
    paper = Paper()
    paper.merge(paper.table([HEADER, ROW]), 1, 1, 1, 2)
    paper.pair(paper.line("Naïve", 0.1, 0.1), paper.line("名前", 0.5, 0.1))
    page = page_of(paper)

    line = encode(page)

    assert decode(line) == page
    assert b"\n" not in line
