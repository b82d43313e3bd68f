"""The offline stand-in's parsers: amounts and dates as they are printed in many countries."""

import datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mailroom_desk.cloud.claude.offline.amounts import find_amounts, uses_decimal_comma
from mailroom_desk.cloud.claude.offline.dates import MONTHS, find_dates, uses_day_first
from mailroom_desk.cloud.claude.offline.prompt import parse_prompt

DAYS = st.dates(datetime.date(1936, 1, 1), datetime.date(2035, 12, 31))
CENTS = st.integers(min_value=0, max_value=10**11).map(lambda cents: Decimal(cents) / 100)


def values(text: str, decimal_comma: bool = False) -> list[str]:
    return [amount.value for amount in find_amounts(text, decimal_comma)]


@pytest.mark.parametrize(
    ("printed", "value"),
    [
        ("1.234,00", "1234.00"),
        ("1 234,00 €", "1234.00"),
        ("1\u202f234,50", "1234.50"),
        ("$1,234.00", "1234.00"),
        ("USD 1,234", "1234"),
        ("(12.00)", "-12.00"),
        ("-12.00", "-12.00"),
        ("12,00-", "-12.00"),
        ("−€5.10", "-5.10"),
        ("CHF 1'234.50", "1234.50"),
        ("₹ 7,08,000.00", "708000.00"),
        ("¥4,500", "4500"),
        ("€0,99", "0.99"),
        ("R$ 10.000,00", "10000.00"),
        ("1,234,567", "1234567"),
        ("０１２.５０", "12.50"),
        ("310,00 EURO", "310.00"),
    ],
)
def test_find_amounts_printed_amount_is_a_plain_decimal(printed: str, value: str) -> None:
    assert values(printed) == [value]


@pytest.mark.parametrize(
    "text", ["19%", "INV-3337", "03/04/2020", "12:30", "a@b3.com", "no digits"]
)
def test_find_amounts_of_what_is_none_finds_nothing(text: str) -> None:
    assert values(text) == []


@pytest.mark.parametrize(("decimal_comma", "value"), [(False, "1234"), (True, "1234")])
def test_find_amounts_three_digits_after_a_dot_are_thousands(
    decimal_comma: bool, value: str
) -> None:
    assert values("1.234", decimal_comma) == [value]


def test_find_amounts_month_before_a_year_is_no_currency() -> None:
    amounts = find_amounts("as at 1 MAY 2021 $50,000.00")
    assert [amount.value for amount in amounts if amount.money] == ["50000.00"]


@given(CENTS)
def test_find_amounts_reads_back_every_locales_format(amount: Decimal) -> None:
    english = f"{amount:,.2f}"
    swapped = english.translate(str.maketrans(",.", ".,"))
    spaced = english.replace(",", " ").replace(".", ",")
    assert values(english) == values(swapped) == values(spaced) == [f"{amount:.2f}"]


@given(st.text())
def test_find_amounts_of_any_text_gives_decimals(text: str) -> None:
    assert all(Decimal(value).is_finite() for value in values(text))


def test_uses_decimal_comma_counts_the_documents_amounts() -> None:
    assert uses_decimal_comma(["1.000,00", "12,50", "3.14"])
    assert not uses_decimal_comma(["1,000.00", "12.50"])


@pytest.mark.parametrize(
    ("printed", "date"),
    [
        ("2020-01-15", "2020-01-15"),
        ("15.01.2020", "2020-01-15"),
        ("January 15, 2020", "2020-01-15"),
        ("Jan 15 2020", "2020-01-15"),
        ("15th January, 2020", "2020-01-15"),
        ("15 day of January, 2020", "2020-01-15"),
        ("15 janvier 2020", "2020-01-15"),
        ("1er août 2020", "2020-08-01"),
        ("15 de enero de 2020", "2020-01-15"),
        ("15. März 2020", "2020-03-15"),
        ("15 mrt 2020", "2020-03-15"),
        ("15-Jan-20", "2020-01-15"),
        ("2020年1月15日", "2020-01-15"),
        ("31-10-21", "2021-10-31"),
        ("01 JAN /JAN 85", "1985-01-01"),
    ],
)
def test_find_dates_printed_date_is_iso(printed: str, date: str) -> None:
    assert find_dates(printed) == [date]


@pytest.mark.parametrize("text", ["31/02/2020", "1.2.3.4", "555-348-6512", "99/99/99", "version 3"])
def test_find_dates_of_what_is_none_finds_nothing(text: str) -> None:
    assert find_dates(text) == []


@given(DAYS)
def test_find_dates_reads_back_every_format(day: datetime.date) -> None:
    iso = day.isoformat()
    assert find_dates(f"{day:%d/%m/%Y}", day_first=True) == [iso]
    assert find_dates(f"{day:%m/%d/%Y}", day_first=False) == [iso]
    assert find_dates(f"{day:%d.%m.%Y}") == find_dates(f"{day:%Y/%m/%d}") == [iso]
    for name in MONTHS.split("\n")[day.month - 1].split():
        assert find_dates(f"{day.day} {name} {day.year}") == [iso]


@given(st.text())
def test_find_dates_of_any_text_gives_dates(text: str) -> None:
    assert all(datetime.date.fromisoformat(date) for date in find_dates(text))


def test_uses_day_first_is_settled_by_another_date_on_the_page() -> None:
    assert uses_day_first(["11/02/2019", "26/02/2019"], fallback=False)
    assert not uses_day_first(["01/02/2019", "02/26/2019"], fallback=True)
    assert uses_day_first(["01/02/2019"], fallback=True)


def test_parse_prompt_reads_pages_forms_tables_and_escaped_bars() -> None:
    document = parse_prompt(
        'Before.\n<document-0a1b2c3d4e5f6071 pages="2">\n'
        '<page number="1">\n<text>\nOne\nTwo\n</text>\n'
        "<forms>\nInvoice Number: A: 1\nPaid: [X]\n</forms>\n"
        "<table>\n| Qty | Item |\n| 1 | a \\| b |\n</table>\n</page>\n"
        '<page number="2">\n<text>\nThree\n</text>\n</page>\n</document-0a1b2c3d4e5f6071>\nAfter.'
    )
    assert document.lines == ["One", "Two", "Three"]
    assert document.forms == [("Invoice Number", "A: 1"), ("Paid", "[X]")]
    assert document.tables == [[["Qty", "Item"], ["1", "a | b"]]]


@given(st.text())
def test_parse_prompt_takes_any_text(text: str) -> None:
    assert parse_prompt(text).pages
