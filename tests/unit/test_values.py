"""Dates and amounts in every reading the print allows."""

from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mailroom.values import amount_readings, amounts_in, dates_in

amounts = st.decimals(min_value=0, max_value=Decimal("999999999.99"), places=2)


def printed(amount: Decimal, group: str, point: str) -> str:
    return f"{amount:,.2f}".translate(str.maketrans({",": group, ".": point}))


@pytest.mark.parametrize(
    ("group", "point"), [(",", "."), (".", ","), (" ", ","), ("\u202f", ","), ("'", "."), ("", ",")]
)
@given(amount=amounts)
def test_amounts_in_finds_every_way_to_print_a_number(
    group: str, point: str, amount: Decimal
) -> None:
    text = f"Total: {printed(amount, group, point)} EUR"

    assert amount in {found for found, _ in amounts_in(text)}


@pytest.mark.parametrize(
    ("digits", "readings"),
    [
        ("1.234,50", {"1234.50"}),
        ("1,234.50", {"1234.50"}),
        ("1.234", {"1.234", "1234"}),
        ("1,234,567", {"1234567"}),
        ("12,34,567.00", {"1234567.00"}),
        ("0.50", {"0.50"}),
        ("17", {"17"}),
    ],
)
def test_amount_readings_are_all_and_only_those(digits: str, readings: set[str]) -> None:
    assert amount_readings(digits) == {Decimal(each) for each in readings}


def test_amounts_in_leaves_the_inside_of_other_words_alone() -> None:
    assert {found for found, _ in amounts_in("INV2024A 12.50")} == {Decimal("12.50")}


@pytest.mark.parametrize(
    "text",
    [
        "2026-03-04",
        "04.03.2026",
        "03/04/2026",
        "4 March 2026",
        "March 4, 2026",
        "Mar 4th, 2026",
        "4-Mar-26",
        "4. März 2026",
        "4 mars 2026",
        "4 marzo 2026",
        "4 de março de 2026",
        "4 maart 2026",
        "2026年3月4日",
        "20260304",
        "04/03/26",
        "3. 04.03.2026(City)",
        "the 4th day of March, 2026",
    ],
)
def test_dates_in_reads_the_forms_of_many_languages(text: str) -> None:
    assert date(2026, 3, 4) in {found for found, _ in dates_in(f"Date: {text}.")}


def test_dates_in_gives_both_readings_of_an_ambiguous_date() -> None:
    assert {found for found, _ in dates_in("03/04/2026")} == {date(2026, 3, 4), date(2026, 4, 3)}


def test_dates_in_gives_the_only_reading_of_a_clear_date() -> None:
    assert {found for found, _ in dates_in("25/12/2026")} == {date(2026, 12, 25)}


@given(st.text(max_size=200))
def test_values_in_any_text_never_raise(text: str) -> None:
    list(amounts_in(text))
    list(dates_in(text))
