"""The offline stand-in on invoices, receipts and orders, by what their layouts tempt it to."""

import json
from pathlib import Path
from typing import Any

import pytest

from mailroom_desk.cloud.claude.offline.prompt import Document, Page
from mailroom_desk.cloud.claude.offline.reader import Tool, fill
from mailroom_desk.cloud.claude.offline.sheet import Sheet
from mailroom_desk.cloud.claude.offline.table_headers import header_columns
from mailroom_desk.cloud.claude.offline.tax_tables import shares

CLASSES = Path(__file__).parents[2] / "src/mailroom/classes.json"
TOOLS = {
    each["name"]: Tool(each["name"], each["description"], each["schema"])
    for each in json.loads(CLASSES.read_text())["classes"]
}
HEADING = "Bezeichnung|Menge|Preis EUR|Wert EUR"


def table(*rows: str) -> list[list[str]]:
    return [row.split("|") for row in rows]


def paper(text: str, *tables: list[list[str]]) -> Document:
    return Document([Page(lines=text.splitlines(), tables=list(tables))])


def read(kind: str, text: str, *tables: list[list[str]]) -> dict[str, Any]:
    return fill(paper(text, *tables), TOOLS[kind])


TILL = """Gemüse Ortlieb
SUMME
EUR
23,66
A= 7,0%
19,83
1,39
21,22
B=19,0%
2,05
0,39
2,44
"""


def test_tax_of_a_till_is_the_sum_over_its_rates() -> None:
    found = read("receipt", f"{TILL}Gesamtbetrag 21,88\n1,78\n23,66")
    assert (found["subtotal"], found["tax"], found["total"]) == ("21.88", "1.78", "23.66")


def test_one_rates_part_is_not_given_as_the_tax() -> None:
    found = read("receipt", f"{TILL}TVA\n1,39")
    assert found["total"] == "23.66"
    assert not found.keys() & {"subtotal", "tax"}


def test_rates_are_known_by_their_arithmetic_and_discounts_are_none() -> None:
    document = paper(
        "", table("Taux|Base|TVA", "20,00 %|360,00|72,00", "10%|1 355,00|135,50"),
        table("Remise 5 %|100,00|5,00"),
    )  # fmt: skip
    assert [(str(each.net), str(each.tax)) for each in shares(Sheet(document))] == [
        ("360.00", "72.00"),
        ("1355.00", "135.50"),
    ]


def test_a_rates_column_holds_no_tax() -> None:
    row = table("Base imp.|% IVA|Cuota IVA|Total factura", "747,00|21,00|156,87|903,87")
    assert read("invoice", "Factura", row)["tax"] == "156.87"


@pytest.mark.parametrize("label", ["di cui IVA", "dont TVA 10 %", "waarvan 10% btw"])
def test_tax_that_is_included_is_found(label: str) -> None:
    assert read("receipt", f"Totale 54,00\n{label}\n4,91")["tax"] == "4.91"


def test_a_currency_behind_a_label_is_no_value() -> None:
    assert read("invoice", "Summe Positionen\n520,50\nEndbetrag EUR\n634,75")["total"] == "634.75"


def test_discount_is_found_in_a_line_of_more_words() -> None:
    text = "Subtotal $99.00\nSpring discount (10% off)\n-$9.90\nTax $17.82\nTotal $106.92"
    assert read("invoice", text)["discount"] == "9.90"


def test_columns_are_known_with_their_currency() -> None:
    assert header_columns(HEADING.split("|")) == {
        "description": 0,
        "quantity": 1,
        "unit_price": 2,
        "amount": 3,
    }


def test_the_description_is_preferred_to_the_items_number() -> None:
    assert header_columns(["Item", "Description", "Qty"]) == {"description": 1, "quantity": 2}


def test_rows_below_the_totals_are_no_items() -> None:
    rows = (
        "Ventil|2|10,00|20,00",
        "Summe||| 20,00".replace(" ", ""),
        "Anzahlung|||5,00",
        "Feder|1|3,00|3,00",
    )
    found = read("invoice", "Rechnung", table(HEADING, *rows))["line_items"]
    assert [item["description"] for item in found] == ["Ventil", "Feder"]


def test_a_table_as_wide_as_the_items_is_not_their_second_half() -> None:
    taxes = table("Netto|Satz|Steuer|Brutto", "20,00|19 %|3,80|23,80")
    found = read("invoice", "Rechnung", table(HEADING, "Ventil|2|10,00|20,00"), taxes)
    assert len(found["line_items"]) == 1


def test_a_tills_date_is_found_at_its_foot() -> None:
    text = "\n".join(["Osteria Mele", *["Caffe 1,20"] * 40, "28-02-2025 21:47"])
    assert read("receipt", text)["transaction_date"] == "2025-02-28"


@pytest.mark.parametrize(
    ("head", "name"),
    [
        ("Chez Odette\nBrasserie - Restaurant\n4 place du Port\n67000 Strasbourg", "Chez Odette"),
        ("Barley Lane Market\nStore #0412\n18 Prairie Ave\nBoise, ID 83702", "Barley Lane Market"),
        ("Nora Keel\nPEARS 2.1 LB\n1.66", "Nora Keel"),
    ],
)
def test_the_merchant_is_neither_a_kind_of_house_nor_a_town_nor_an_item(
    head: str, name: str
) -> None:
    assert read("receipt", f"{head}\nTotal 12.00")["merchant_name"] == name


def test_the_seller_is_named_in_full_and_is_not_the_buyer() -> None:
    text = "HOTEL EIBSEE\nHotel Eibsee Grainau GmbH\nUferweg 1\n82491 Grainau\nRechnung"
    found = read("invoice", text)
    assert found["vendor_name"] == "Hotel Eibsee Grainau GmbH"
    assert "customer_name" not in found


def test_the_buyer_is_found_where_another_column_stands_between() -> None:
    text = "Ferro Lario S.r.l.\nSpett.le\nP.IVA 00743110157\nEdil Brenta S.n.c.\nCap. Soc. 10.000"
    assert read("invoice", text)["customer_name"] == "Edil Brenta S.n.c."


def test_the_sellers_vat_number_stands_beside_the_buyers_address() -> None:
    rows = ("Ferry Labs Ltd|Bill to", "7 Quay|Nord Studio", "Leeds|Hull", "VAT GB980780684|UK")
    text = "\n".join(cell for row in rows for cell in row.split("|"))
    assert read("invoice", text, table(*rows))["vendor_vat"] == "GB980780684"


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("BON DE COMMANDE\n2 quai de la Fosse\nN° BC2025-0117", "BC2025-0117"),
        ("Purchase Order\nOrder Number: 4500071123\nInvoice to\nPO Box 90", "4500071123"),
    ],
)
def test_an_orders_number_is_no_part_of_an_address(text: str, number: str) -> None:
    assert read("purchase_order", text)["po_number"] == number


def test_who_orders_on_its_own_paper_is_a_company() -> None:
    text = "Cabinet Lorcy\nBon de commande\nAdresse de livraison\nCabinet Lorcy\n44000 Nantes"
    found = read("purchase_order", text)
    assert (found["ship_to_company"], found.get("ship_to_name")) == ("Cabinet Lorcy", None)


def test_an_order_sent_as_a_letter_names_its_supplier_in_the_address() -> None:
    text = (
        "Seifen Lilienhof GmbH\nMühlweg 5\n88212 Ravensburg\nKarton Petzold KG\nHofstraße 19\n"
        "89231 Neu-Ulm\nBestellung"
    )
    assert read("purchase_order", text)["ship_from_company"] == "Karton Petzold KG"


def test_the_day_to_pay_without_a_deduction_is_the_due_date() -> None:
    text = "Rechnung\nInnerhalb 14 Tagen 2 % Skonto, bis 13.03.2025 ohne Abzug."
    assert read("invoice", text)["due_date"] == "2025-03-13"


def test_a_column_of_an_unknown_heading_is_known_by_what_it_multiplies_to() -> None:
    rows = ("Nr|Omschrijving|Aantal|Per st.|Regel", "7|Bout M10|500|0,48|240,00")
    assert read("purchase_order", "Inkooporder", table(*rows))["line_items"] == [
        {"description": "Bout M10", "quantity": "500", "unit_price": "0.48", "amount": "240.00"}
    ]


def test_a_column_of_labels_holds_no_names() -> None:
    rows = (
        "Brauerei Kessel AG|Rechnungsnummer|RG-7",
        "Hopfenweg 1|Rechnungsdatum|28.02.2025",
        "96047 Bamberg|Reisezeitraum|Februar 2025",
        "|Kundennummer|7 Stück a",
    )
    text = "Petra Wendt Beratung\nRechnung"
    assert read("invoice", text, table(*rows))["customer_name"] == "Brauerei Kessel AG"


def test_a_tax_that_no_rate_makes_of_the_total_is_left_out() -> None:
    assert "tax" not in read("receipt", "Totaal 17,23\nBTW\n4,58")


def test_rates_are_known_where_the_amounts_hold_their_tax() -> None:
    rows = table("BTW|Over|EUR", "9%|10,90|0,90", "21%|24,20|4,20")
    assert [(str(each.net), str(each.tax)) for each in shares(Sheet(paper("", rows)))] == [
        ("10.00", "0.90"),
        ("20.00", "4.20"),
    ]


def test_parties_of_an_order_stand_under_their_headings() -> None:
    rows = ("Fornitore|Luogo di consegna", "Molino Adda S.p.A.|Panificio Alba S.r.l.")
    text = "Ordine\nFornitore\nLuogo di consegna\nMolino Adda S.p.A.\nPanificio Alba S.r.l."
    found = read("purchase_order", text, table(*rows))
    assert found["ship_from_company"] == "Molino Adda S.p.A."
    assert found["ship_to_company"] == "Panificio Alba S.r.l."


def test_the_first_line_is_the_merchant_even_over_the_sum() -> None:
    text = "Juniper Roastery\n$18.35\nOat Latte\n$10.00\nLarge, extra shot\nTotal\n$18.35"
    assert read("receipt", text)["merchant_name"] == "Juniper Roastery"


@pytest.mark.parametrize("between", ["", "Reisezeitraum\nFebruar 2025\n"])
def test_the_buyer_stands_under_the_senders_line(between: str) -> None:
    text = (
        "Petra Wendt · Schillerstr. 9 · 99423 Weimar\n"
        f"Weimar, 27.02.2025\n{between}Brauerei Kessel AG\nRechnungsnummer\nRG-7\nBuchhaltung\n"
        "Rechnung"
    )
    found = read("invoice", text)
    assert (found["vendor_name"], found["customer_name"]) == ("Petra Wendt", "Brauerei Kessel AG")


def test_the_date_of_an_item_is_not_the_invoices() -> None:
    rows = ("Datum|Leistung|Anzahl|Betrag", "20.02.2025|Zahnreinigung|1|95,00")
    text = "Flensburg, 27.02.2025\nRechnung\nDatum\nLeistung\nAnzahl\nBetrag\n20.02.2025\n95,00"
    document = Document(
        [
            Page(
                lines=text.splitlines(),
                tables=[table(*rows)],
                forms=[("Datum", "20.02.2025")],
            )
        ]
    )
    assert fill(document, TOOLS["invoice"])["invoice_date"] == "2025-02-27"


def test_a_form_of_address_is_nobodys_name() -> None:
    text = "Praxis Hartwig · Marktplatz 8 · 24937 Flensburg\nHerrn\nOskar Petersen\nNorderstr. 77"
    assert read("invoice", text)["customer_name"] == "Oskar Petersen"


def test_headings_side_by_side_share_the_lines_under_them() -> None:
    found = read(
        "purchase_order",
        "Larkhill College\nPURCHASE ORDER\nOrder number: LX-1\nSupplier\nDeliver to\n"
        "Pellworth Furniture Ltd\nLarkhill College Ltd\n4 Tannery Yard\nGoods Entrance\n",
    )
    assert found["ship_from_company"] == "Pellworth Furniture Ltd"
    assert found["ship_to_company"] == "Larkhill College Ltd"
