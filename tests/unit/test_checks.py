"""What a class declares of its fields is checked; what is declared wrongly is named."""

from typing import Any

import pytest

from mailroom.classes import packaged_classes
from mailroom.verification.checks import broken, problems

INVOICE = packaged_classes().by_name["invoice"]
SUM = {"rule": "sum", "total": "total", "parts": ["subtotal", "tax"], "tolerance": "0.02"}
ITEMS = {"rule": "sum", "total": ["subtotal", "total"], "items": "line_items.amount"}
PRODUCT = {
    "rule": "product",
    "items": "line_items",
    "factors": ["quantity", "unit_price"],
    "product": "amount",
}
ORDER = {"rule": "order", "fields": ["invoice_date", "due_date"]}
IBAN = {"rule": "checksum", "kind": "iban", "field": "iban"}
VAT = {"rule": "checksum", "kind": "eu_vat", "field": "vendor_vat"}
PRESENT = {"rule": "present", "field": "currency", "with": "total"}


def amounts(*values: str) -> dict[str, Any]:
    return {"line_items": [{"amount": value} for value in values]}


def line(quantity: str, price: str, amount: str) -> dict[str, Any]:
    return {"line_items": [{"quantity": quantity, "unit_price": price, "amount": amount}]}


@pytest.mark.parametrize(
    ("rule", "fields"),
    [
        (SUM, {"subtotal": "85.00", "tax": "8.50", "total": "93.50"}),
        (SUM, {"subtotal": "85.00", "tax": "8.51", "total": "93.50"}),
        (SUM, {"subtotal": "85.00", "total": "99.00"}),
        (SUM, {"subtotal": "85.00", "tax": "8.50"}),
        (SUM | {"plus": ["tip"]}, {"subtotal": "8", "tax": "1", "tip": "2", "total": "11"}),
        (SUM | {"plus": ["tip"]}, {"subtotal": "8", "tax": "1", "total": "9"}),
        (SUM | {"minus": ["off"]}, {"subtotal": "8", "tax": "1", "off": "2", "total": "7"}),
        (SUM | {"minus": ["off"]}, {"subtotal": "8", "tax": "1", "off": "-2", "total": "7"}),
        (ITEMS, {**amounts("3", "4"), "subtotal": "7", "total": "8"}),
        (ITEMS, {**amounts("3", "4"), "subtotal": "6", "total": "7"}),
        (ITEMS, amounts("3", "4")),
        (ITEMS, {"subtotal": "7"}),
        (ITEMS, {"line_items": [{"amount": "3"}, {"description": "a note"}], "total": "7"}),
        (PRODUCT, line("3", "1.50", "4.50")),
        (PRODUCT, line("-3", "1.50", "-4.50")),
        (PRODUCT, line("1000", "0.33", "333.33")),  # the price is a third, printed rounded
        (PRODUCT, {"line_items": [{"quantity": "3", "amount": "5"}]}),
        (ORDER, {"invoice_date": "2026-03-04", "due_date": "2026-03-04"}),
        (ORDER, {"due_date": "2026-03-04"}),
        (IBAN, {"iban": "DE89 3704 0044 0532 0130 00"}),
        (IBAN, {}),
        (VAT, {"vendor_vat": "DE136695976"}),
        (VAT, {"vendor_vat": "12-3456789"}),
        (PRESENT, {"total": "1", "currency": "EUR"}),
        (PRESENT, {}),
    ],
)
def test_checks_pass_where_the_fields_agree_or_say_nothing(
    rule: dict[str, Any], fields: dict[str, Any]
) -> None:
    assert broken([rule], fields) == []


@pytest.mark.parametrize(
    ("rule", "fields", "reason"),
    [
        (
            SUM,
            {"subtotal": "85.00", "tax": "8.50", "total": "94.50"},
            "The sum of subtotal and tax is not total.",
        ),
        (
            ITEMS,
            {**amounts("3", "4"), "subtotal": "8", "total": "9"},
            "The sum of line_items.amount is not subtotal or total.",
        ),
        (
            PRODUCT,
            line("3", "1.50", "5.50"),
            "In line_items quantity times unit_price is not amount: number 1.",
        ),
        (
            ORDER,
            {"invoice_date": "2026-03-04", "due_date": "2026-03-03"},
            "due_date lies before invoice_date.",
        ),
        (IBAN, {"iban": "DE89370400440532013001"}, "The checksum (iban) of iban is wrong."),
        (VAT, {"vendor_vat": "DE136695977"}, "The checksum (eu_vat) of vendor_vat is wrong."),
        (PRESENT, {"total": "1"}, "No currency was found for total."),
    ],
)
def test_checks_broken_rule_is_named_with_its_fields(
    rule: dict[str, Any], fields: dict[str, Any], reason: str
) -> None:
    assert broken([rule], fields) == [reason]


def test_checks_name_the_first_of_many_wrong_lines() -> None:
    fields = {"line_items": line("2", "2", "5")["line_items"] * 9}

    assert broken([PRODUCT], fields) == [
        "In line_items quantity times unit_price is not amount: number 1, 2, 3, …."
    ]


@pytest.mark.parametrize(
    "declaration",
    [
        {},
        {"rule": "guess"},
        {"rule": "sum", "total": "total"},
        SUM | {"parts": ["subtotal", "levy"]},
        SUM | {"parts": "subtotal"},
        SUM | {"parts": []},
        SUM | {"tolerance": "little"},
        SUM | {"tolerance": 0.02},
        SUM | {"amount": "total"},
        ITEMS | {"items": "line_items.price"},
        PRODUCT | {"factors": ["quantity", "price"]},
        ORDER | {"fields": [1, 2]},
        IBAN | {"kind": "no_such_kind"},
        IBAN | {"kind": "../iban"},
        IBAN | {"kind": 5},
        {"rule": "present", "field": "currency"},
    ],
)
def test_checks_problems_name_what_cannot_be_used(declaration: dict[str, Any]) -> None:
    assert problems(declaration, INVOICE.schema)


@pytest.mark.parametrize("declaration", [SUM, ITEMS, PRODUCT, ORDER, IBAN, VAT, PRESENT])
def test_checks_problems_has_nothing_to_say_of_good_ones(declaration: dict[str, Any]) -> None:
    assert problems(declaration, INVOICE.schema) == []


def test_checks_of_the_packaged_classes_can_be_used() -> None:
    for each in packaged_classes().by_name.values():
        for declaration in each.checks:
            assert problems(dict(declaration), each.schema) == [], each.name
        assert each.labels.keys() <= each.schema["properties"].keys(), each.name


def test_checks_of_the_packaged_invoice_know_its_arithmetic() -> None:
    fields = {"subtotal": "85.00", "tax": "8.50", "total": "93.50", "currency": "EUR"}

    assert broken(list(INVOICE.checks), fields) == []
    assert len(broken(list(INVOICE.checks), {**fields, "total": "1.00"})) == 1
