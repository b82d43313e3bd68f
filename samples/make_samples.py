"""Make the sample documents: the same files, byte for byte, on every run.

    python samples/make_samples.py [FOLDER]

FOLDER is where they are written; without it, the folder of this script.
"""

import sys
from collections.abc import Callable
from pathlib import Path

from maker import (
    bank,
    broken,
    contract,
    identity,
    invoices,
    letters,
    orders,
    people,
    receipts,
    report,
    wholesale,
)

DOCUMENTS: dict[str, Callable[[], bytes]] = {
    "INV-20931.pdf": invoices.us_invoice,
    "Rechnung März & Söhne (2).pdf": invoices.german_invoice,
    "invoice 558204 (two pages).pdf": wholesale.two_page_invoice,
    "receipt 50% off+tip.png": receipts.diner_receipt,
    "bon café.jpg": receipts.bistro_photo,
    "PO-7781.pdf": orders.digital_order,
    "scan0042.pdf": orders.scanned_order,
    "order LX-10394.pdf": orders.large_order,
    "statement-2026-09.tif": bank.scanned_statement,
    "e-statement June.pdf": bank.digital_statement,
    "services agreement MSA-2026-031.pdf": contract.agreement,
    "CV Mirela Voss.pdf": people.resume,
    "w2-2025-sample.png": people.wage_form,
    "id-card-specimen.png": identity.identity_card,
    "letter WPT-2026-114.pdf": letters.letter,
    "FAX 2026-11-05 0914": letters.fax,
    "otter-fen-report.pdf": report.field_report,
    "empty.pdf": broken.empty,
    "truncated.pdf": broken.truncated,
    "locked.pdf": broken.locked,
}


def main(folder: Path) -> None:
    """Write every document into a folder."""
    for name, make in DOCUMENTS.items():
        (folder / name).write_bytes(make())


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
