"""The offline stand-in's readers of numbers that prove themselves: MRZ, IBAN, VAT, tax numbers."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mailroom_desk.cloud.claude.offline.mrz import check_digit, read_mrz
from mailroom_desk.cloud.claude.offline.prompt import parse_prompt
from mailroom_desk.cloud.claude.offline.reader import Tool, fill

CLASSES = Path(__file__).parents[2] / "src/mailroom/classes.json"
INVOICE = next(
    Tool(each["name"], each["description"], each["schema"])
    for each in json.loads(CLASSES.read_text())["classes"]
    if each["name"] == "invoice"
)
NAMES = "P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<"
NUMBERS = "L898902C36UTO7408122F1204159ZE184226B<<<<<10"


def invoice(text: str) -> dict[str, Any]:
    return fill(parse_prompt(text), INVOICE)


def test_check_digits_of_the_standards_example() -> None:
    assert [check_digit(part) for part in ("L898902C3", "740812", "120415")] == [6, 2, 9]


@given(st.integers(0, 8), st.sampled_from("0123456789"))
def test_a_misread_digit_leaves_the_number_out(place: int, digit: str) -> None:
    misread = NUMBERS[:place] + digit + NUMBERS[place + 1 :]
    found = read_mrz([NAMES, misread])
    assert found.get("document_number") in (None, misread[:9])
    if misread != NUMBERS and check_digit(misread[:9]) != 6:
        assert "document_number" not in found
    assert (found["surname"], found["given_name"]) == ("ERIKSSON", "ANNA MARIA")


def test_a_misread_date_leaves_only_that_date_out() -> None:
    found = read_mrz([NAMES, NUMBERS.replace("740812", "740813")])
    assert "date_of_birth" not in found
    assert found["expiry_date"] == "2012-04-15"


@given(st.lists(st.text()))
def test_any_lines_are_no_zone_or_one(lines: list[str]) -> None:
    assert read_mrz(lines).keys() <= {
        "surname",
        "given_name",
        "document_number",
        "date_of_birth",
        "expiry_date",
    }


@pytest.mark.parametrize(
    ("line", "iban"),
    [
        ("IBAN: DE89 3704 0044 0532 0130 00 BIC COLSDE33", "DE89370400440532013000"),
        ("Please pay to GB29NWBK60161331926819.", "GB29NWBK60161331926819"),
        ("IBAN DE00 1234 5678 9012 3456 78", "DE00123456789012345678"),  # as printed
        ("Our reference DE00 1234 5678 9012 3456 78", None),
        ("Der Betrag wird von DE89370400440532013000 abgebucht", None),
    ],
)
def test_iban_is_the_one_to_pay_to(line: str, iban: str | None) -> None:
    assert invoice(f"Nordwind GmbH\nInvoice 1\n{line}").get("iban") == iban


@pytest.mark.parametrize(
    ("lines", "vat"),
    [
        ("USt-IdNr.: DE136695976", "DE136695976"),
        ("VAT Reg No GB 980 7806 84", "GB980780684"),
        ("P.IVA 00743110157", "00743110157"),
        ("MwSt-Nr. CHE-107.787.577 MWST", "CHE107787577MWST"),
        ("Your VAT number: DE136695976", None),
        ("Bill to\nBlue Ltd\n1 High Street\nVAT: DE136695976", None),
        ("Order DE123456789", None),
    ],
)
def test_vendor_vat_is_the_sellers(lines: str, vat: str | None) -> None:
    assert invoice(f"Nordwind GmbH\nInvoice 1\n{lines}").get("vendor_vat") == vat
