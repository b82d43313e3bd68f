"""The documents of these tests: lines as Textract reads them, and what Claude finds in them."""

from typing import Any

INVOICE: dict[str, Any] = {
    "vendor_name": "Northwind Paper Ltd",
    "invoice_number": "INV-3337",
    "invoice_date": "2026-11-02",
    "subtotal": "85.00",
    "tax": "8.50",
    "total": "93.50",
    "currency": "EUR",
    "line_items": [{"description": "Web design", "quantity": "1", "amount": "85.00"}],
}
INVOICE_PAGES = [
    [
        "Northwind Paper Ltd",
        "Invoice INV-3337",
        "Date 2 November 2026",
        "1 Web design 85.00",
        "Tax 8.50",
        "Total EUR 93.50",
    ]
]
# The same without its total: what Claude says of it stands nowhere.
DOUBTFUL_PAGES = [INVOICE_PAGES[0][:-1]]
BLANK_PAGES: list[list[str]] = [[]]
