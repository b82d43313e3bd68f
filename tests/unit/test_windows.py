"""A document is cut into windows so that every word of it is shown once, and none is too long."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mailroom.llm.windows import Piece, Window, filled, packed, ranges, survey, tokens, view
from mailroom.pages import Cell, Line, Page, Pair, Table

LIMIT = 2000


def page(number: int, text: str = "Total 93.50") -> Page:
    return Page(number, [Line(line, []) for line in text.split("\n")])


def pieces_of(*sizes: int) -> list[Piece]:
    return [Piece(number, size) for number, size in enumerate(sizes, start=1)]


def words_of(pages: list[Page], limit: int, windows_of: int) -> list[str]:
    """Every word that the windows show, tags left out, in order."""
    windows = packed(survey(pages, limit), windows_of)
    text = " ".join(text for _, text in filled(windows, pages, limit))
    return [word for word in text.split() if not word.startswith("<") and word.isalnum()]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", 0),
        ("1234567890", 4),
        ("Gebühr", 3),  # 5 ASCII letters: 2, ü: 1
        ("Сумма", 5),
        ("合計金額", 6),
        ("합계", 3),
        ("कुल", 5),
        ("🧾", 2),
    ],
)
def test_tokens_are_counted_by_script(text: str, expected: int) -> None:
    assert tokens(text) == expected


def test_chinese_and_japanese_count_more_tokens_a_character_than_latin() -> None:
    assert tokens("請求書" * 100) > 3 * tokens("abc" * 100)


def test_pages_are_packed_into_as_few_windows_as_there_can_be_and_evenly() -> None:
    windows = packed(pieces_of(*[100] * 25), 1000)

    assert [window.tokens for window in windows] == [900, 900, 700]
    assert [page for window in windows for page in window.pages] == list(range(1, 26))


@given(st.lists(st.integers(1, 1000), max_size=60))
def test_windows_hold_every_piece_once_in_order_and_none_is_too_long(sizes: list[int]) -> None:
    pieces = pieces_of(*sizes)

    windows = packed(pieces, 1000)

    assert [piece for window in windows for piece in window.pieces] == pieces
    assert all(window.tokens <= 1000 for window in windows)
    assert len(windows) <= 2 * sum(sizes) // 1000 + 1


def test_page_longer_than_a_window_is_cut_into_parts_that_hold_all_of_it() -> None:
    lines = [f"line{number}" for number in range(3000)]
    pages = [page(1), page(2, "\n".join(lines)), page(3)]

    pieces = survey(pages, LIMIT)

    parts = [piece for piece in pieces if piece.page == 2]
    assert len(parts) > 4
    assert [(piece.part, piece.parts) for piece in parts] == [
        (number, len(parts)) for number in range(1, len(parts) + 1)
    ]
    assert all(piece.tokens <= LIMIT for piece in pieces)
    assert [w for w in words_of(pages, LIMIT, LIMIT) if w.startswith("line")] == lines


def test_parts_of_a_page_say_which_they_are_and_keep_lines_beside_rows() -> None:
    rows = [[Cell(f"item{n}"), Cell(f"{n}.00")] for n in range(400)]
    lines = [Line(f"item{n} {n}.00", []) for n in range(400)]
    long = Page(7, lines, [Pair("Due", "May 3")], [Table(rows, title='Goods "A" & B')])
    (windows, texts) = zip(
        *filled(packed(survey([long], LIMIT), LIMIT), [long], LIMIT), strict=True
    )

    assert all(window.pages == [7] for window in windows)
    count = len(texts)
    assert count > 2
    assert texts[0].startswith(f'<page number="7" part="1/{count}">\n<text>\nitem0 0.00\n')
    assert all('<table title="Goods &quot;A&quot; &amp; B">' in text for text in texts)
    assert "| item0 | 0.00 |" in texts[0] and "| item399 | 399.00 |" in texts[-1]
    for number in range(400):
        as_line = [f"\nitem{number} {number}.00\n" in text for text in texts]
        as_row = [f"| item{number} | {number}.00 |\n" in text for text in texts]
        assert as_line == as_row and sum(as_row) == 1
    assert sum("Due: May 3" in text for text in texts) == 1


@pytest.mark.parametrize(
    "giant",
    [
        Page(1, [Line("z" * 50_000, [])]),
        Page(1, [Line("請" * 20_000, [])]),
        Page(1, forms=[Pair("Note", "z" * 50_000)]),
        Page(1, tables=[Table([[Cell("z" * 50_000)]])]),
    ],
    ids=["line", "line of three bytes a character", "value", "cell"],
)
def test_one_line_value_or_cell_longer_than_a_window_is_cut_not_dropped(giant: Page) -> None:
    pieces = survey([giant], LIMIT)
    texts = [text for _, text in filled([Window((piece,)) for piece in pieces], [giant], LIMIT)]

    assert all(piece.tokens <= LIMIT for piece in pieces)
    whole = "".join(texts)
    assert whole.count("z") == 50_000 or whole.count("請") == 20_000


@given(
    st.lists(st.text(st.sampled_from("ab合 \n"), max_size=400), min_size=1, max_size=12),
    st.integers(150, 400),
)
def test_any_text_is_shown_whole_whatever_the_limits(texts: list[str], limit: int) -> None:
    pages = [page(number, text) for number, text in enumerate(texts, start=1)]
    words = "".join("".join(text.split()) for text in texts)

    shown = "".join(words_of(pages, limit, limit))

    assert sorted(shown) == sorted(words)


def test_windows_are_halved_near_their_middle_and_single_pages_are_not() -> None:
    window = Window(tuple(pieces_of(10, 10, 100, 10, 10)))

    first, second = window.halves() or ()

    assert [piece.page for piece in first.pieces] == [1, 2]
    assert [piece.page for piece in second.pieces] == [3, 4, 5]
    assert Window(tuple(pieces_of(10))).halves() is None


def test_view_has_the_first_pages_the_last_ones_and_a_sample_between() -> None:
    chosen = view(pieces_of(*[100] * 3000), 3000).pages

    assert len(chosen) == 30
    assert chosen[:10] == list(range(1, 11))
    assert chosen[-5:] == list(range(2996, 3001))
    sampled = chosen[10:-5]
    assert len(sampled) == 15
    gaps = [after - before for before, after in pairwise(sampled)]
    assert max(gaps) <= 2 * min(gaps)


def test_view_of_a_short_document_is_all_of_it() -> None:
    assert view(pieces_of(100, 200, 300), 3000).pages == [1, 2, 3]


def test_view_leaves_out_a_page_that_does_not_fit_but_never_the_first() -> None:
    assert view(pieces_of(5000, 10, 10), 1000).pages == [1]
    assert view(pieces_of(10, 5000, 10), 1000).pages == [1, 3]


def test_window_that_begins_within_a_table_shows_the_tables_head_again() -> None:
    head, row = [Cell("What"), Cell("Amount")], [Cell("A"), Cell("1.00")]
    pages = [
        Page(1, tables=[Table([head, row])]),
        Page(2, tables=[Table([row], continued=True)]),
        Page(3, tables=[Table([row], continued=True), Table([row])]),
        Page(4, tables=[Table([head, row], continued=True, repeats_header=True)]),
        Page(5, tables=[Table([row])]),
    ]
    windows = [Window((Piece(n, 1), Piece(n + 1, 1))) for n in (1, 3)] + [Window((Piece(5, 1),))]

    texts = [text for _, text in filled(windows, pages, LIMIT)]

    assert [text.count("| What | Amount |") for text in texts] == [1, 2, 0]
    assert texts[1].startswith('<page number="3">\n<table>\n| What | Amount |\n| A | 1.00 |\n')


def test_windows_with_gaps_between_them_are_filled_in_one_pass() -> None:
    pages = [page(number, f"text{number}") for number in range(1, 8)]
    windows = [Window((Piece(2, 5),)), Window((Piece(5, 5), Piece(7, 5)))]

    assert [text.count("<page") for _, text in filled(windows, iter(pages), LIMIT)] == [1, 2]
    (_, first), (_, second) = filled(windows, iter(pages), LIMIT)
    assert "text2" in first and "text5" in second and "text7" in second


@pytest.mark.parametrize(
    ("numbers", "separator", "expected"),
    [
        ([1, 2, 3, 4, 200, 399, 400], ",", "1-4,200,399-400"),
        ([7, 3], ", ", "3, 7"),
        ([5, 5, 6], ",", "5-6"),
        ([], ",", ""),
    ],
)
def test_ranges_of_pages(numbers: list[int], separator: str, expected: str) -> None:
    assert ranges(numbers, separator) == expected
