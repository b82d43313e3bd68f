"""Every value is found in each way to print it, and no other value is found for it."""

from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from printed_pages import printed_line, printed_page

from mailroom.pages import Cell, Line, Page, Table
from mailroom.verification.grounding import Grounding
from mailroom.verification.rows import Rows

SCHEMA: dict[str, Any] = {
    "properties": {
        "name": {"type": "string"},
        "amount": {"type": "string", "format": "decimal"},
        "interest_rate": {"type": "string", "format": "decimal"},
        "day": {"type": "string", "format": "date"},
        "currency": {"type": "string", "format": "currency"},
        "items": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "description": {"type": "string"},
                    "amount": {"type": "string", "format": "decimal"},
                },
            },
        },
    }
}
AMOUNTS = st.decimals(min_value=Decimal("0.01"), max_value=Decimal("99999999.99"), places=2)
SEPARATORS = [(",", "."), (".", ","), (" ", ","), ("\u202f", ","), ("'", "."), ("", ",")]
MONTHS = {
    "en": "January February March April May June July August September October November December",
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre"
    " diciembre",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre"
    " dicembre",
    "pt": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro"
    " dezembro",
    "nl": "januari februari maart april mei juni juli augustus september oktober november december",
}
DAYS = st.dates(date(1970, 1, 1), date(2068, 12, 31))


def grounding(fields: dict[str, Any], *pages: Page, ordered: bool = False) -> Grounding:
    found = Grounding(fields, SCHEMA)
    for page in pages:
        found.look(page, lambda line, text: ordered)
    return found


def stands(fields: dict[str, Any], page: Page) -> bool:
    return all(leaf.sought.places for leaf in grounding(fields, page).leaves)


@pytest.mark.parametrize(("group", "point"), SEPARATORS)
@given(amount=AMOUNTS)
def test_grounding_finds_an_amount_in_every_locale(group: str, point: str, amount: Decimal) -> None:
    text = f"{amount:,.2f}".translate(str.maketrans({",": group, ".": point}))

    assert stands({"amount": str(amount)}, printed_page(f"Total: {text} EUR"))


@given(amount=AMOUNTS, data=st.data())
def test_grounding_never_finds_an_amount_with_another_digit(amount: Decimal, data: Any) -> None:
    digits = list(str(amount))
    at = data.draw(st.sampled_from([i for i, char in enumerate(digits) if char.isdigit()]))
    digits[at] = data.draw(st.sampled_from([d for d in "0123456789" if d != digits[at]]))

    assert not stands({"amount": "".join(digits)}, printed_page(f"Total: {amount} EUR"))


@given(day=DAYS, language=st.sampled_from(sorted(MONTHS)))
def test_grounding_finds_a_date_in_every_language(day: date, language: str) -> None:
    month = MONTHS[language].split()[day.month - 1]
    page = printed_page(f"x {day.day}. {month} {day.year} x")

    assert stands({"day": day.isoformat()}, page)


@pytest.mark.parametrize(
    "form", ["%Y-%m-%d", "%d/%m/%Y", "%m/%d/%Y", "%d.%m.%Y", "%d-%m-%y", "%Y年%m月%d日", "%d %b %Y"]
)
@given(day=DAYS)
def test_grounding_finds_a_date_in_every_order_of_figures(form: str, day: date) -> None:
    assert stands({"day": day.isoformat()}, printed_page(f"Date: {day.strftime(form)}"))


@given(day=DAYS, other=DAYS)
def test_grounding_never_finds_another_day(day: date, other: date) -> None:
    page = printed_page(f"Date: {day.isoformat()}")

    assert stands({"day": other.isoformat()}, page) is (day == other)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("Acme Widgets Inc", "ACME WIDGETS, INC."),
        ("Acme Widgets", "Sold by AcmeWidgets today"),
        ("AcmeWidgets", "Sold by Acme Widgets today"),
        ("Microsoft", "sold by Micro-\nsoft here"),
        ("finance office", "\ufb01nance of\ufb01ce"),
        ("Müller", "Mu\u0308ller"),
        ("INV-17", "INVOICE:INV-17"),
        ("INV 17", "No.INV17"),
        ("Long Street 5 Springfield", "Long Street 5\nSpringfield"),
        ("株式会社山田", "請求先:株式会社山田 様"),
        ("X", "size X here"),
        ("1234 5678", "1234-5678"),
    ],
)
def test_grounding_finds_a_text_however_it_is_spelt(value: str, text: str) -> None:
    assert stands({"name": value}, printed_page(text))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("INV-001", "INV-0012"),
        ("NV-0012", "INV-0012"),
        ("12345", "123456"),
        ("00000000", "12345"),
        ("12", "1234 and 512"),
        ("Acme", "Acmeville"),
        ("—", "a — b"),
        ("Widgets Acme", "Acme Widgets"),
    ],
)
def test_grounding_finds_no_part_of_another_text(value: str, text: str) -> None:
    assert not stands({"name": value}, printed_page(text))


def test_grounding_text_goes_on_in_the_line_below_beside_another_column() -> None:
    lines = [
        printed_line("Northwind Paper", 1),
        printed_line("Total due", 1, left=0.6),
        printed_line("and Ink Limited", 2),
        printed_line("93.50", 2, left=0.6),
    ]
    (leaf,) = grounding({"name": "Northwind Paper and Ink Limited"}, Page(1, lines)).leaves

    (place,) = leaf.sought.places
    assert len(place.boxes) == 2
    assert place.boxes[0][1] < place.boxes[1][1]


def test_grounding_value_stands_in_a_form_or_cell_where_lines_tear_it_apart() -> None:
    text = "Acme Total\nWidgets 93.50"
    assert not stands({"name": "Acme Widgets"}, printed_page(text))
    assert stands({"name": "Acme Widgets"}, printed_page(text, forms={"Seller": "Acme Widgets"}))
    assert stands({"name": "Acme Widgets"}, printed_page(text, table=[["Acme Widgets", "x"]]))


def test_grounding_nothing_goes_over_from_one_cell_to_the_next() -> None:
    page = printed_page("x", table=[["Acme", "Widgets"], ["4 March", "2026"]])

    assert not stands({"name": "Acme Widgets"}, page)
    assert not stands({"day": "2026-03-04"}, page)


def test_grounding_confidence_is_that_of_the_least_sure_word_in_the_surest_place() -> None:
    words = printed_line("Acme Widgets", 1).words
    words[1].confidence = 60.0
    pages = [Page(1, [Line("Acme Widgets", words)]), printed_page("Acme Widgets", 2, 90.0)]
    (leaf,) = grounding({"name": "Acme Widgets"}, *pages).leaves

    assert [place.confidence for place in leaf.sought.places] == [0.6, 0.9]
    assert leaf.sought.sure == 0.9


def test_grounding_keeps_words_of_orders_apart() -> None:
    (leaf,) = grounding({"name": "Acme"}, printed_page("Acme"), ordered=True).leaves

    assert leaf.sought.ordered and not leaf.sought.places
    assert leaf.sought.sure == 0


@pytest.mark.parametrize("text", ["1 234 ,50 EUR", "1,234. 50 EUR", "l,234.5O EUR"])
def test_grounding_number_that_ocr_tore_or_misread_is_found_as_confused(text: str) -> None:
    (leaf,) = grounding({"amount": "1234.50"}, printed_page(text)).leaves

    assert leaf.sought.confused and not leaf.sought.places


@pytest.mark.parametrize(
    ("code", "text", "found"),
    [
        ("EUR", "93,50 €", True),
        ("EUR", "EUR93.50", True),
        ("USD", "US$93.50", True),
        ("JPY", "4,500円", True),
        ("CHF", "Fr. 93.50", True),
        ("GBP", "€ 93.50", False),
        ("ZAR", "for 5 days", False),
        ("SEK", "93,50 kr", True),
    ],
)
def test_grounding_currency_by_code_sign_or_name(code: str, text: str, found: bool) -> None:
    assert stands({"currency": code}, printed_page(text)) is found


def test_grounding_rate_may_stand_before_a_percent_sign() -> None:
    assert stands({"interest_rate": "4.15"}, printed_page("at 4.15 % a year"))


def items(*pairs: tuple[str, str]) -> dict[str, Any]:
    return {"items": [{"description": text, "amount": amount} for text, amount in pairs]}


def apart(fields: dict[str, Any], page: Page) -> list[str]:
    return Rows(grounding(fields, page).leaves).apart


ITEM_LINES = "Blue pens 3.00\nBlack ink 4.00\nWhite paper 5.00"


def test_rows_description_with_the_amount_of_another_row_is_torn_apart() -> None:
    page = printed_page(ITEM_LINES)

    assert apart(items(("Blue pens", "3.00"), ("Black ink", "4.00")), page) == []
    assert apart(items(("Blue pens", "4.00"), ("Black ink", "4.00")), page) == ["items.0"]
    assert apart(items(("Blue pens", "3.00"), ("White paper", "4.00")), page) == ["items.1"]


def test_rows_amount_below_its_description_belongs_to_it_up_to_the_next_one() -> None:
    page = printed_page("Blue pens\nboxed 3.00\nBlack ink\nin bottles 4.00")

    assert apart(items(("Blue pens", "3.00"), ("Black ink", "4.00")), page) == []
    assert apart(items(("Blue pens", "4.00"), ("Black ink", "4.00")), page) == ["items.0"]


def test_rows_of_a_table_count_without_boxes() -> None:
    cells = [[Cell("Blue pens"), Cell("3.00")], [Cell("Black ink"), Cell("4.00")]]
    page = Page(1, tables=[Table(cells)])

    assert apart(items(("Blue pens", "3.00"), ("Black ink", "4.00")), page) == []
    assert apart(items(("Blue pens", "4.00"), ("Black ink", "3.00")), page) == [
        "items.0",
        "items.1",
    ]


def test_rows_equal_descriptions_find_their_own_rows() -> None:
    page = printed_page("Blue pens 3.00\nBlue pens 4.00")
    rows = Rows(grounding(items(("Blue pens", "3.00"), ("Blue pens", "4.00")), page).leaves)

    assert rows.apart == []
    assert rows.chosen["items.0.description"].boxes[0][1] == 0.0
    assert rows.chosen["items.1.description"].boxes[0][1] == 0.02


def test_grounding_many_values_cost_no_pass_each() -> None:
    """All values are looked up in one pass: the pages' words are read once, however many."""
    pages = [printed_page(f"Pens {n} 3.00\nInk {n} 4.00", n) for n in range(1, 101)]
    fields = items(*[(f"Pens {n}", "3.00") for n in range(1, 101)])
    found = grounding(fields, *pages)

    assert all(leaf.sought.places for leaf in found.leaves)
    assert len({id(leaf.sought) for leaf in found.leaves}) == 101
    assert Rows(found.leaves).apart == []
