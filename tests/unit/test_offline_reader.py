"""The offline stand-in chooses among the tools it is offered and fills the chosen one."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mailroom_desk.cloud.claude.offline.prompt import Document, Page, parse_prompt
from mailroom_desk.cloud.claude.offline.reader import Tool, choose_tool, fill
from mailroom_desk.cloud.claude.offline.summary import summarise

CLASSES = Path(__file__).parents[2] / "src/mailroom/classes.json"
TOOLS = [
    Tool(c["name"], c["description"], c["schema"])
    for c in json.loads(CLASSES.read_text())["classes"]
]
BY_NAME = {tool.name: tool for tool in TOOLS}

INVOICE_DE = """\
Nordwind Werkzeuge GmbH
Hafenstraße 9
20457 Hamburg
Rechnung
Rechnungsnummer: NW-2024-118
Rechnungsdatum: 04.03.2024
Zahlbar bis: 18.03.2024
Rechnung an
Blumen Kessler
Marktplatz 2
35037 Marburg
Nettobetrag
1.050,00 €
MwSt 19%
199,50 €
Gesamtbetrag
1.249,50 €"""
INVOICE_FR = """\
Atelier Morel SARL
12 rue des Lilas
69003 Lyon
FACTURE N° : F-881
Date de facture : 05/02/2024
Date d'échéance : 06/03/2024
Facturé à :
Librairie du Pont
Total HT 200,00 €
TVA 20% 40,00 €
Total TTC 240,00 €"""
INVOICE_COLUMNS = """\
INVOICE
Blue Fern Studio LLC
Invoice #
Date
Due Date
P.O. #
BF-77
03/04/2024
03/25/2024
4410
Bill To
Ship To
Ann Lee
Bob Ray
SUBTOTAL
TAX
TOTAL
$90.00
$9.00
$99.00"""
RECEIPT = """\
Corner Bakery
8 Mill Road
Tel: 555-0147
06/10/2023 13:59
2 Rolls $3.00
1 Coffee $2.50
Subtotal $5.50
Tax $0.44
Total $5.94
VISA **** 1111
Thank you"""
ORDER = """\
PURCHASE ORDER
Hill Farm Co
PO Number: 5512
Date: 09/02/2023
Ship To
Name: Mary West
Company Name: West Garden
Vendor
Name: Carl Young
Company Name: Young Seeds
Subtotal: $40.00
Tax: $4.00
Total: $44.00"""
STATEMENT = """\
River Bank
Account Statement
Account Holder: Jo Field
Account Number: 0012 3456 78
Statement Period: 1 May 2023 to 31 May 2023
Opening Balance $100.00
Total deposits $50.00
Total withdrawals $30.00
Closing Balance $120.00"""
CONTRACT = """\
SERVICE AGREEMENT
This Agreement is made as of March 4, 2022 between Lakeside Corp., a Delaware corporation,
and Pine Partners LLC, a company with its seat in Ohio (the "Contractor").
WHEREAS the parties wish to work together, they hereby agree that each party shall keep the
confidential information of the other party and shall not give it to anyone else at any time.
This Agreement shall be governed by the laws of the State of Delaware and no other law.
IN WITNESS WHEREOF the parties have signed this agreement on the day that is written above.
Neither party may assign this Agreement without the consent of the other party in writing.
The termination of this Agreement does not touch the obligations under the clauses above."""
RESUME = """\
Nina Berg
Portland, OR | nina@example.org | 503-555-0188 | www.example.org
Experience
Data Analyst, Cloud Nine
2019 - present
Education
Oregon State University, BSc
Skills
Python, SQL"""
LETTER = """\
Green Valley School
4 May 2023
Mr. Tom Hart
Hart Builders Ltd.
22 High Street
Dear Mr. Hart,
Thank you for your visit last week. We would like to meet you again in June.
Yours sincerely,
Eva Stone"""
PASSPORT = """\
PASSPORT
Surname
STONE
Given names
EVA
Passport No.
X1234567
Date of birth
04 MAY 1990
Sex
F
Date of expiry
03 MAY 2030
P<GBRSTONE<<EVA<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<
X1234567<1GBR9005041F3005035<<<<<<<<<<<<<<<04"""
TAX_FORM = """\
Form W-2 Wage and Tax Statement 2023
OMB No. 1545-0008
b Employer identification number (EIN)
12-3456789
1 Wages, tips, other compensation
40,000.00
Department of the Treasury - Internal Revenue Service"""
REPORT = """\
Annual Report
Table of contents
1 Introduction
2 Results
3 Conclusion
The figures in this report show the harvest of the year and compare it with the years before."""
DOCUMENTS = {
    "invoice": INVOICE_DE,
    "receipt": RECEIPT,
    "purchase_order": ORDER,
    "bank_statement": STATEMENT,
    "contract": CONTRACT,
    "resume": RESUME,
    "letter": LETTER,
    "id_document": PASSPORT,
    "tax_form": TAX_FORM,
    "other": REPORT,
}


def read(text: str, tool: str) -> dict[str, Any]:
    return fill(parse_prompt(text), BY_NAME[tool])


@pytest.mark.parametrize(("name", "text"), DOCUMENTS.items())
def test_choose_tool_picks_the_documents_class(name: str, text: str) -> None:
    assert choose_tool(parse_prompt(text), TOOLS).name == name


@pytest.mark.parametrize("text", [INVOICE_FR, INVOICE_COLUMNS])
def test_choose_tool_knows_invoices_of_other_layouts(text: str) -> None:
    assert choose_tool(parse_prompt(text), TOOLS).name == "invoice"


@pytest.mark.parametrize(("name", "text"), DOCUMENTS.items())
def test_choose_tool_without_the_right_one_picks_another_offered_one(name: str, text: str) -> None:
    offered = [tool for tool in TOOLS if tool.name != name]
    assert choose_tool(parse_prompt(text), offered) in offered


def test_choose_tool_with_an_unknown_name_is_scored_by_its_own_words() -> None:
    menu = Tool("lunch_menu", "The dishes a canteen offers.", {"type": "object", "properties": {}})
    text = "Lunch menu\nMonday\nThe canteen offers two dishes: soup, pasta"
    assert choose_tool(parse_prompt(text), [*TOOLS, menu]) is menu


def test_fill_unknown_property_is_found_by_its_name_and_typed_by_its_schema() -> None:
    properties = {
        "tracking_number": {"type": "string"},
        "parcel_weight": {"type": "number"},
        "pickup_date": {"type": "string", "format": "date"},
        "colour": {"type": "string", "enum": ["red", "green"]},
        "captain": {"type": "string"},
    }
    tool = Tool("parcel", "", {"type": "object", "properties": properties})
    text = "Tracking number: TN-8\nParcel weight: 2.5\nPickup date: 3 May 2024\nA green box"
    assert fill(parse_prompt(text), tool) == {
        "tracking_number": "TN-8",
        "parcel_weight": 2.5,
        "pickup_date": "2024-05-03",
        "colour": "green",
    }


def test_fill_german_invoice() -> None:
    assert read(INVOICE_DE, "invoice") == {
        "vendor_name": "Nordwind Werkzeuge GmbH",
        "customer_name": "Blumen Kessler",
        "invoice_number": "NW-2024-118",
        "invoice_date": "2024-03-04",
        "due_date": "2024-03-18",
        "subtotal": "1050.00",
        "tax": "199.50",
        "total": "1249.50",
        "currency": "EUR",
    }


def test_fill_french_invoice_reads_the_day_first() -> None:
    found = read(INVOICE_FR, "invoice")
    assert (found["invoice_number"], found["invoice_date"], found["due_date"]) == (
        "F-881",
        "2024-02-05",
        "2024-03-06",
    )
    assert (found["subtotal"], found["tax"], found["total"]) == ("200.00", "40.00", "240.00")


def test_fill_labels_in_a_row_take_the_values_in_the_same_order() -> None:
    assert read(INVOICE_COLUMNS, "invoice") == {
        "vendor_name": "Blue Fern Studio LLC",
        "customer_name": "Ann Lee",
        "invoice_number": "BF-77",
        "invoice_date": "2024-03-04",
        "due_date": "2024-03-25",
        "po_number": "4410",
        "subtotal": "90.00",
        "tax": "9.00",
        "total": "99.00",
        "currency": "USD",
    }


def test_fill_receipt() -> None:
    assert read(RECEIPT, "receipt") == {
        "merchant_name": "Corner Bakery",
        "transaction_date": "2023-06-10",
        "subtotal": "5.50",
        "tax": "0.44",
        "total": "5.94",
        "currency": "USD",
    }


def test_fill_purchase_order_blocks() -> None:
    found = read(ORDER, "purchase_order")
    names = ("ship_to_name", "ship_to_company", "ship_from_name", "ship_from_company")
    assert [found[name] for name in names] == [
        "Mary West",
        "West Garden",
        "Carl Young",
        "Young Seeds",
    ]
    assert (found["po_number"], found["po_date"], found["total"]) == ("5512", "2023-09-02", "44.00")


def test_fill_bank_statement() -> None:
    assert read(STATEMENT, "bank_statement") == {
        "bank_name": "River Bank",
        "account_holder": "Jo Field",
        "account_number": "0012 3456 78",
        "period_start": "2023-05-01",
        "period_end": "2023-05-31",
        "opening_balance": "100.00",
        "closing_balance": "120.00",
        "total_deposits": "50.00",
        "total_withdrawals": "30.00",
        "currency": "USD",
    }


def test_fill_contract() -> None:
    found = read(CONTRACT, "contract")
    assert found["title"] == "SERVICE AGREEMENT"
    assert (found["party_1"], found["party_2"]) == ("Lakeside Corp.", "Pine Partners LLC")
    assert (found["effective_date"], found["governing_law"]) == ("2022-03-04", "Delaware")


def test_fill_resume() -> None:
    found = read(RESUME, "resume")
    assert (found["name"], found["email"], found["location"]) == (
        "Nina Berg",
        "nina@example.org",
        "Portland, OR",
    )
    assert (found["current_title"], found["current_employer"]) == ("Data Analyst", "Cloud Nine")


def test_fill_letter() -> None:
    found = read(LETTER, "letter")
    assert (found["date"], found["sender"], found["recipient"]) == (
        "2023-05-04",
        "Eva Stone",
        "Mr. Tom Hart",
    )
    assert found["recipient_organisation"] == "Hart Builders Ltd."


def test_fill_passport() -> None:
    found = read(PASSPORT, "id_document")
    assert (found["surname"], found["given_name"], found["document_number"]) == (
        "STONE",
        "EVA",
        "X1234567",
    )
    assert (found["date_of_birth"], found["expiry_date"]) == ("1990-05-04", "2030-05-03")


def test_fill_tax_form() -> None:
    found = read(TAX_FORM, "tax_form")
    assert (found["form"], found["tax_year"], found["employer_ein"], found["wages"]) == (
        "W-2",
        "2023",
        "12-3456789",
        "40000.00",
    )


def test_fill_forms_come_before_lines() -> None:
    page = Page(lines=["Invoice No: 111"], forms=[("Invoice No", "222")])
    assert fill(Document([page]), BY_NAME["invoice"])["invoice_number"] == "222"


def test_fill_line_items_of_a_table_over_two_pages() -> None:
    header = ["Qty", "Description", "Unit price", "Amount"]
    first = [header, ["1", "Oak | desk", "80.00", "80.00"]]
    second = [header, ["2", "Lamp", "10.00", "20.00"], ["", "", "Total", "100.00"]]
    document = Document([Page(lines=["x"], tables=[first]), Page(tables=[second])])
    assert fill(document, BY_NAME["invoice"])["line_items"] == [
        {"description": "Oak | desk", "quantity": "1", "unit_price": "80.00", "amount": "80.00"},
        {"description": "Lamp", "quantity": "2", "unit_price": "10.00", "amount": "20.00"},
    ]


def test_fill_total_that_adds_up_wins_over_another_label() -> None:
    text = "Subtotal $10.00\nTax $1.00\nTotal $11.00\nPrevious balance $500.00\nTotal due $511.00"
    assert read(text, "invoice")["total"] == "11.00"


def test_fill_missing_tax_is_worked_out_only_if_it_is_printed() -> None:
    printed = "Subtotal $10.00\nLocal levy $1.00\nTotal $11.00"
    assert read(printed, "invoice")["tax"] == "1.00"
    assert "tax" not in read("Subtotal $10.00\nTotal $11.00", "invoice")


def test_fill_leaves_out_what_is_not_there() -> None:
    assert read("Nothing to see here.", "invoice") == {}


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
@settings(max_examples=20)
@given(st.text(max_size=200))
def test_fill_any_text_gives_only_properties_of_the_schema(tool: Tool, text: str) -> None:
    assert fill(parse_prompt(text), tool).keys() <= tool.schema["properties"].keys()


def test_summarise_answers_with_sentences_of_the_text() -> None:
    text = "Owls hunt at night. Owls eat mice. It rained. Owls sleep by day. The end came."
    summary = summarise(parse_prompt(text))
    assert summary and all(sentence in text for sentence in summary.split(". "))


def test_summarise_text_without_words_is_not_empty() -> None:
    assert summarise(Document([Page()]))


WINDOW = (
    '<document-0a1b2c3d4e5f6071 pages="900" shown="1-2,700">\n<missing pages="3, 7"/>\n'
    '<page number="1">\n<text>\nNordwind GmbH\nInvoice number: A-7\n</text>\n'
    '<table title="Goods &amp; services">\n| Description | Qty | Amount |\n| Rope | 2 | 9.00 |\n'
    '</table>\n</page>\n<page number="700">\n<table title="a &gt; b">\n'
    "| Description | Qty | Amount |\n| Sail | 1 | 80.00 |\n</table>\n</page>\n"
    "</document-0a1b2c3d4e5f6071>"
)


def test_parse_prompt_knows_what_is_shown_missing_and_titled() -> None:
    document = parse_prompt(WINDOW)
    assert len(document.pages) == 2
    assert document.lines == ["Nordwind GmbH", "Invoice number: A-7"]
    assert [table[1][0] for table in document.tables] == ["Rope", "Sail"]


def test_fill_of_a_window_holds_only_what_the_window_shows() -> None:
    assert fill(parse_prompt(WINDOW), BY_NAME["invoice"]) == {
        "vendor_name": "Nordwind GmbH",
        "invoice_number": "A-7",
        "line_items": [
            {"description": "Rope", "quantity": "2", "amount": "9.00"},
            {"description": "Sail", "quantity": "1", "amount": "80.00"},
        ],
    }
    later = WINDOW[: WINDOW.index("<page number=")] + WINDOW[WINDOW.index('<page number="700"') :]
    assert fill(parse_prompt(later), BY_NAME["invoice"]).keys() == {"line_items"}


@pytest.mark.parametrize(
    ("between", "expected"),
    [
        ("Freight 5.00\nSales Tax 9.50\nTotal 114.50", {"shipping": "5.00"}),
        ("Discount -10.00\nSales Tax 9.00\nTotal 99.00", {"discount": "10.00"}),
        ("Discount 10.00\nShipping 5.00\nSales Tax 9.00\nTotal 104.00",
         {"shipping": "5.00", "discount": "10.00"}),
        ("Freight prepaid 5.00\nSales Tax 9.50\nTotal 109.50", {}),
    ],
)  # fmt: skip
def test_fill_gives_what_stands_between_subtotal_and_total_where_it_adds_up(
    between: str, expected: dict[str, str]
) -> None:
    lines = f"INVOICE\nInvoice No: A-1\nSubtotal 100.00\n{between}".splitlines()

    found = fill(Document([Page(lines=lines)]), BY_NAME["invoice"])

    assert {name: found[name] for name in ("shipping", "discount") if name in found} == expected
    assert found["total"] == between.split()[-1]


@pytest.mark.parametrize(
    ("first", "title"),
    [
        ("Annual Otter Survey", "Annual Otter Survey"),
        ("operations and to process, maintain and report vital facts", None),
        ("AUTHENTICATED", None),
        ("Blue Fern Studio LLC", None),
    ],
)
def test_fill_gives_no_title_rather_than_a_piece_of_text(first: str, title: str | None) -> None:
    lines = [first, "Otters were counted in the fen, by day and by night."]

    assert fill(Document([Page(lines=lines)]), BY_NAME["other"]).get("title") == title


def test_fill_gives_the_type_of_an_identity_document_without_its_number() -> None:
    lines = ["CARTE NATIONALE D'IDENTITÉ Nº: 123456789012", "Nom: VOSS"]

    found = fill(Document([Page(lines=lines)]), BY_NAME["id_document"])

    assert found["document_type"] == "CARTE NATIONALE D'IDENTITÉ"
