"""Lines come in the order in which a person reads them, however the page lies."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from textract_made import Paper, children, page_of

from mailroom.ocr.reading_order import in_order
from mailroom.ocr.upright import Spot, Turn, turn_of

PROSE = "words that fill a column well"


def lines(paper: Paper) -> list[str]:
    return page_of(paper).text.splitlines()


def two_columns(paper: Paper) -> list[str]:
    """Title, two columns level with each other, a line across, two columns again, page number."""
    paper.line("a title that stands right across the two columns of the page", 0.1, 0.05)
    expected = ["a title that stands right across the two columns of the page"]
    for part, top in (("first", 0.1), ("second", 0.4)):
        for side, left in (("left", 0.1), ("right", 0.55)):
            for at in range(4):
                text = f"{part} {side} {at} {PROSE}"
                paper.line(text, left, top + at * 0.02)
                expected.append(text)
        across = f"after {part} comes one more line that stands across both of them"
        paper.line(across, 0.1, top + 0.2)
        expected.append(across)
    return expected


@pytest.mark.parametrize("turned", [0, 90, 180, 270])
def test_columns_are_read_one_after_the_other_on_a_page_turned_by_quarters(turned: int) -> None:
    paper = Paper(turned=turned)
    expected = two_columns(paper)

    assert lines(paper) == expected


def test_three_columns_are_read_from_the_left() -> None:
    paper = Paper()
    expected = []
    for column in range(3):
        for at in range(5):
            text = f"column {column} line {at} words"
            paper.line(text, 0.05 + 0.32 * column, 0.1 + at * 0.02)
            expected.append(text)

    assert lines(paper) == expected


def test_columns_with_lines_that_are_not_level_are_columns() -> None:
    paper = Paper()
    for at in range(4):
        paper.line(f"Sender {at}", 0.1, 0.1 + at * 0.02)
        paper.line(f"Addressee {at}", 0.6, 0.11 + at * 0.02)

    assert lines(paper) == [f"{who} {at}" for who in ("Sender", "Addressee") for at in range(4)]


def test_form_without_lines_is_read_row_by_row() -> None:
    paper = Paper()
    rows = [("Invoice number", "INV-3337"), ("Invoice date", "2026-01-25"), ("Total", "93.50")]
    for at, (label, value) in enumerate(rows):
        paper.line(value, 0.5, 0.1 + at * 0.02)
        paper.line(label, 0.1, 0.1005 + at * 0.02)

    assert lines(paper) == [text for row in rows for text in row]


def test_descriptions_and_amounts_side_by_side_are_rows() -> None:
    paper = Paper()
    for at in range(4):
        paper.line(f"a long description of item {at} on the bill", 0.1, 0.1 + at * 0.02)
        paper.line(f"{at}.00", 0.8, 0.1 + at * 0.02)

    assert lines(paper)[:2] == ["a long description of item 0 on the bill", "0.00"]


def test_high_handwriting_is_level_with_its_label() -> None:
    paper = Paper()
    paper.line("Name:", 0.1, 0.1)
    word = paper.add("WORD", (0.3, 0.08, 0.2, 0.04), Text="ALEJANDRO")
    line = paper.add("LINE", (0.3, 0.08, 0.2, 0.04), Text="ALEJANDRO", **children([word]))
    paper.top.append(line)
    paper.line("Date:", 0.6, 0.1)

    assert lines(paper) == ["Name:", "ALEJANDRO", "Date:"]


def test_table_in_one_column_does_not_cut_the_other() -> None:
    paper = Paper()
    for at in range(8):
        paper.line(f"right {at} {PROSE}", 0.6, 0.1 + at * 0.02)
    for at in range(3):
        paper.line(f"left {at} {PROSE}", 0.1, 0.1 + at * 0.02)
    paper.table([["a", "b"], ["c", "d"]], top=0.17)

    assert [text.split()[0] for text in lines(paper)] == [
        *(["left"] * 3),
        *"abcd",
        *(["right"] * 8),
    ]


@pytest.mark.parametrize("slope", [-0.12, 0.12])
def test_rows_of_a_page_that_lies_askew_stay_rows(slope: float) -> None:
    paper = Paper()
    for row in range(12):
        for column, name in enumerate("abcd"):
            left = 0.1 + 0.2 * column
            ids = []
            for word, at in (("item", left), (f"{name}{row}", left + 0.06)):
                top = 0.2 + 0.03 * row + slope * at
                ids.append(paper.add("WORD", (at, top, 0.05, 0.012), Text=word))
            tops = [paper.get(i)["Geometry"]["BoundingBox"]["Top"] for i in ids]
            box = (left, min(tops), 0.11, abs(tops[1] - tops[0]) + 0.012)
            text = f"item {name}{row}"
            paper.top.append(paper.add("LINE", box, Text=text, **children(ids)))

    assert lines(paper) == [f"item {name}{row}" for row in range(12) for name in "abcd"]


def test_lines_of_a_script_from_right_to_left_are_not_upside_down() -> None:
    paper = Paper()
    for top, text in ((0.1, "שלום עולם"), (0.2, "סך הכל")):
        first, second = text.split()
        ids = [
            paper.add("WORD", (0.5, top, 0.1, 0.01), Text=first),
            paper.add("WORD", (0.3, top, 0.1, 0.01), Text=second),
        ]
        paper.top.append(paper.add("LINE", (0.3, top, 0.3, 0.01), Text=text, **children(ids)))

    assert lines(paper) == ["שלום עולם", "סך הכל"]


def test_layout_blocks_decide_order_and_kind() -> None:
    paper = Paper()
    for text, top in (("Title", 0.5), ("Body", 0.1), ("3", 0.2), ("Point", 0.3), ("Stray", 0.9)):
        paper.line(text, 0.1, top)
    title, body, number, point, _ = list(paper.top)
    held = [
        paper.add("LAYOUT_TITLE", (0.1, 0.5, 0.1, 0.01), **children([title])),
        paper.add("LAYOUT_TEXT", (0.1, 0.1, 0.1, 0.01), **children([body])),
    ]
    item = paper.add("LAYOUT_TEXT", (0.1, 0.3, 0.1, 0.01), **children([point]))
    held += [paper.add("LAYOUT_LIST", (0.1, 0.3, 0.1, 0.01), **children([item])), item]
    held.append(paper.add("LAYOUT_PAGE_NUMBER", (0.1, 0.2, 0.1, 0.01), **children([number])))
    paper.top += held

    assert [(line.text, line.kind) for line in page_of(paper).lines] == [
        ("Title", "title"),
        ("Body", "text"),
        ("Point", "list"),
        ("3", "page_number"),
        ("Stray", ""),
    ]


def test_line_that_layout_left_out_stands_above_what_follows_it() -> None:
    paper = Paper()
    for text, top in (("One", 0.1), ("Two", 0.3), ("Stray", 0.2)):
        paper.line(text, 0.1, top)
    paper.top += [
        paper.add("LAYOUT_TEXT", (0.1, top, 0.1, 0.01), **children([line]))
        for line, top in zip(paper.top[:2], (0.1, 0.3), strict=True)
    ]

    assert lines(paper) == ["One", "Stray", "Two"]


def test_lines_without_places_keep_the_order_of_the_page() -> None:
    paper = Paper()
    for text in ("one", "two", "three"):
        paper.line(text)
    for block in paper.blocks:
        block.pop("Geometry", None)

    assert lines(paper) == ["one", "two", "three"]


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 40), st.integers(0, 10**6))
def test_every_line_is_read_once(count: int, seed: int) -> None:
    chance = random.Random(seed)
    spots = []
    for _ in range(count):
        left, top = chance.random(), chance.random()
        spots.append(Spot(left, top, left + chance.random() / 2, top + 0.01, chance.randrange(60)))
    together = [chance.sample(range(count), count // 4) for _ in range(2)]

    assert sorted(in_order(spots, together)) == list(range(count))


@pytest.mark.parametrize(
    "ways, turn",
    [
        ([(0.3, 0.0), (0.2, 0.0)], Turn(0, 0.0)),
        ([(0.0, 0.3)], Turn(1, 0.0)),
        ([(-0.3, 0.0), (0.1, 0.0)], Turn(2, 0.0)),
        ([(0.0, -0.3)], Turn(3, 0.0)),
        ([(0.3, 0.03), (0.2, 0.02), (0.1, 0.0)], Turn(0, 0.1)),
        ([], Turn()),
        ([(0.0, 0.0)], Turn()),
    ],
)
def test_turn_is_that_of_most_of_the_text(ways: list[tuple[float, float]], turn: Turn) -> None:
    assert turn_of(ways) == turn
