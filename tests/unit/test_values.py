"""Dates and amounts in every reading the print allows."""

from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mailroom.verification.day_order import DAY_FIRST, MONTH_FIRST, DayOrder, date_groups
from mailroom.verification.values import (
    amount_readings,
    amounts_in,
    dates_in,
    is_negative,
    is_percent,
    read_amounts,
)

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


def test_dates_in_reads_spaces_between_figures_with_the_day_first() -> None:
    assert {found for found, _ in dates_in("05 04 1985")} == {date(1985, 4, 5)}


def test_dates_in_gives_the_only_reading_of_a_clear_date() -> None:
    assert {found for found, _ in dates_in("25/12/2026")} == {date(2026, 12, 25)}


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("EUR93.50", "93.50"),
        ("93.50EUR", "93.50"),
        ("¥4,500円", "4500"),
        ("Rs.500", "500"),
        ("R$ 1.234,50", "1234.50"),
        ("1.200,-", "1200"),
        ("٩٣٫٥٠", "93.50"),
        ("９３．５０", "93.50"),
    ],
)
def test_amounts_in_reads_currencies_and_other_figures_beside_the_number(
    text: str, amount: str
) -> None:
    assert Decimal(amount) in {found for found, _ in amounts_in(text)}


@pytest.mark.parametrize(
    ("text", "negative"),
    [
        ("-93.50", True),
        ("- 93.50", True),
        ("−93,50 €", True),
        ("-$93.50", True),
        ("$-93.50", True),
        ("(93.50)", True),
        ("93.50-", True),
        ("93.50 CR", True),
        ("93.50", False),
        ("INV-93", False),
        ("93.50 - 5", False),
    ],
)
def test_is_negative_knows_the_forms_of_a_minus(text: str, negative: bool) -> None:
    assert is_negative(text, next(read_amounts(text))) is negative


def test_is_percent_tells_rates_from_amounts() -> None:
    rate, amount = "19,00 %", "19,00 €"

    assert is_percent(rate, next(read_amounts(rate)))
    assert not is_percent(amount, next(read_amounts(amount)))


@pytest.mark.parametrize("text", ["令和6年3月4日", "令和 6 年 3 月 4 日"])
def test_dates_in_reads_years_of_an_era(text: str) -> None:
    assert {found for found, _ in dates_in(text)} == {date(2024, 3, 4)}


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("03/04/2026 and 25/12/2026", DAY_FIRST),
        ("03/04/2026 and 12/25/2026", MONTH_FIRST),
        ("25/12/2026 and 12/25/2026", None),
        ("25/12/2026 and 12/25/2026, London, United Kingdom", DAY_FIRST),
        ("03/04/2026", None),
        ("03/04/2026 USD 5.00", MONTH_FIRST),
        ("03/04/2026 $5.00", MONTH_FIRST),
        ("03/04/2026 $5.00 AUD", DAY_FIRST),
        ("03/04/2026 5,00 €", DAY_FIRST),
        ("03/04/2026 5.00 EUR, Austin, TX 78701", None),
        ("Facture le 03/04/2026, montant", DAY_FIRST),
    ],
)
def test_day_order_is_decided_by_clear_dates_country_and_language(
    text: str, order: str | None
) -> None:
    day_order = DayOrder()
    day_order.look(text, date_groups(text))

    assert day_order.decided() == order


@given(st.text(max_size=200))
def test_values_in_any_text_never_raise(text: str) -> None:
    list(amounts_in(text))
    list(dates_in(text))
