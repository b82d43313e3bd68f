"""Papers that were first read when the reader was done: what it got wrong then stays right."""

from drawn_papers import grid, text
from drawn_trade_papers import Paper

LATE_PAPERS: dict[str, Paper] = {
    "late belgian": (
        "invoice",
        {
            "vendor_name": "Brouwerij Lambic BVBA",
            "customer_name": "Café Central",
            "invoice_number": "2024-0077",
            "invoice_date": "2024-09-02",
            "due_date": "2024-10-02",
            "subtotal": "500.00",
            "tax": "105.00",
            "total": "605.00",
            "currency": "EUR",
            "iban": "BE71096123456769",
            "vendor_vat": "BE0403019261",
        },
        [
            text(15, 15, "Brouwerij Lambic BVBA", 14),
            text(
                15,
                22,
                "Dorpsstraat 1, 1500 Halle/ BTW BE 0403.019.261/ IBAN BE71 0961 2345 6769",
                9,
            ),
            text(120, 40, "Café Central/ Grote Markt 4/ 1000 Brussel"),
            text(15, 60, "FACTUUR", 16),
            grid(
                70,
                (15, 55, 95, 135),
                "Factuurnr.|Datum|Vervaldag|Klantnr.",
                "2024-0077|02/09/2024|02/10/2024|K-12",
            ),
            grid(
                90,
                (15, -120, -155, -195),
                "Omschrijving|Aantal|Eenheidsprijs|Bedrag",
                "Vat bier 50 L|5|100,00|500,00",
            ),
            grid(
                110,
                (125, -195),
                "Maatstaf van heffing|500,00 EUR",
                "BTW 21%|105,00 EUR",
                "Totaal te betalen|605,00 EUR",
            ),
        ],
    ),
    "late us services": (
        "invoice",
        {
            "vendor_name": "Redwood Plumbing Services",
            "customer_name": "Summit Dental Group",
            "invoice_number": "INV-20931",
            "invoice_date": "2024-01-30",
            "due_date": "2024-02-29",
            "po_number": "SDG-118",
            "subtotal": "890.00",
            "tax": "73.43",
            "total": "963.43",
            "currency": "USD",
        },
        [
            text(
                15,
                15,
                "Redwood Plumbing Services/ 1200 Oak Street/ Eugene, OR 97401/ "
                "www.redwoodplumbing.example",
            ),
            text(
                130,
                15,
                "Invoice #: INV-20931/ Date: Jan 30, 2024/ PO #: SDG-118/ Due: Feb 29, 2024",
            ),
            text(
                15,
                45,
                "Billed To:/ Summit Dental Group/ Attn: Accounts Payable/ 9 Clinic Way/ "
                "Eugene, OR 97402",
            ),
            grid(
                80,
                (15, -130, -160, -195),
                "Item|Hours|Rate|Line Total",
                "Replace water heater|6|$120.00|$720.00",
                "Parts|1|$170.00|$170.00",
            ),
            grid(
                105,
                (135, -195),
                "Subtotal|$890.00",
                "Sales tax (8.25%)|$73.43",
                "Total Due|$963.43",
            ),
            text(15, 140, "Thank you"),
        ],
    ),
    "late receipt es": (
        "receipt",
        {
            "merchant_name": "Panadería San Miguel",
            "transaction_date": "2024-04-09",
            "total": "7.35",
            "currency": "EUR",
            "tax": "0.28",
            "subtotal": "7.07",
        },
        [
            text(70, 15, "Panadería San Miguel/ Calle Real 14, Segovia/ NIF 12345678Z"),
            text(60, 36, "Ticket 00921 09/04/2024 09:12"),
            grid(
                44,
                (60, -130),
                "2 Barra de pan|2,20",
                "1 Empanada|5,15",
                "Base imponible|7,07",
                "IVA 4%|0,28",
                "TOTAL|7,35 €",
                "Efectivo|10,00",
                "Cambio|2,65",
            ),
            text(60, 96, "Gracias por su visita"),
        ],
    ),
    "late french services": (
        "invoice",
        {
            "vendor_name": "Claire Fontaine Traductions",
            "customer_name": "Éditions du Lac SAS",
            "invoice_number": "2024-31",
            "invoice_date": "2024-10-12",
            "due_date": "2024-11-11",
            "subtotal": "600.00",
            "tax": "0.00",
            "total": "600.00",
            "currency": "EUR",
            "iban": "FR1420041010050500013M02606",
        },
        [
            text(
                15,
                15,
                "Claire Fontaine Traductions/ 5 rue des Écoles/ 74000 Annecy/ "
                "claire@fontaine-traductions.example",
            ),
            text(120, 40, "Éditions du Lac SAS/ 18 quai Perrière/ 38000 Grenoble"),
            text(15, 65, "Facture N° 2024-31", 14),
            text(15, 73, "Date : 12 octobre 2024/ Date d'échéance : 11 novembre 2024"),
            grid(
                90,
                (15, -120, -155, -195),
                "Description|Quantité|Prix unitaire|Total",
                "Traduction EN-FR (mots)|6000|0,10 €|600,00 €",
            ),
            grid(
                110,
                (120, -195),
                "Total HT|600,00 €",
                "TVA non applicable, art. 293 B du CGI|0,00 €",
                "Total à payer|600,00 €",
            ),
            text(15, 140, "IBAN FR14 2004 1010 0505 0001 3M02 606"),
        ],
    ),
}
