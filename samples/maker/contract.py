"""A contract of two pages."""

from maker.sheet import MARGIN, Sheet

# A heading and its words, then an empty line.
CLAUSES = """\
1. Services
The Provider shall maintain the refrigeration plant at the Client's premises at 5 Icehouse Quay,
Seabrook, Maine, as described in Schedule A. The Provider shall inspect the plant once a month and
shall answer a fault call within eight hours.

2. Term
This Agreement begins on the Effective Date and continues until June 30, 2028, unless it is ended
earlier under Section 7. It may be renewed for one year at a time by written consent of both
parties.

3. Fees
The Client shall pay a fixed fee of $2,450.00 a month, and $118.00 an hour for work outside
Schedule A. Invoices are payable within thirty days of receipt.

4. Parts and Materials
Parts are charged at cost plus ten percent. The Provider shall ask for consent before ordering any
part that costs more than $500.00. Replaced parts remain the property of the Client.

5. Access and Safety
The Client shall give the Provider access to the plant at all reasonable hours. The Provider's
staff shall follow the Client's safety rules while on the premises.

6. Insurance and Liability
The Provider shall carry general liability insurance of at least $1,000,000 for each occurrence.
Neither party is liable for loss of profit or for indirect damage, save where the law does not
allow this limit.

7. Termination
Either party may end this Agreement by ninety days' written notice, or at once if the other party
commits a material breach and does not remedy it within twenty days of being told of it in
writing.

8. Confidentiality
Each party shall keep confidential what it learns of the other's business, during the term and for
three years after it.

9. Governing Law
This Agreement is governed by the laws of the State of Maine, without regard to its rules on
conflict of laws.

10. Entire Agreement
This Agreement and its Schedule A are the whole agreement of the parties on its subject. It may be
changed only in writing, signed by both parties.
"""
CLAUSES_ON_PAGE_1 = 7


def agreement() -> bytes:
    """A services agreement of two pages, with a place for both signatures."""
    sheet = Sheet("Maintenance Services Agreement", face="Times")
    width = sheet.right - MARGIN
    sheet.text(
        sheet.width / 2, 84, "MAINTENANCE SERVICES AGREEMENT", size=15, bold=True, align="center"
    )
    sheet.text(sheet.width / 2, 102, "Agreement No. MSA-2026-031", size=10.5, align="center")
    opening = (
        'This Maintenance Services Agreement (the "Agreement") is made effective as of July 1, '
        '2026 (the "Effective Date") between Polar Bight Refrigeration LLC, a Maine limited '
        "liability company with its office at 88 Tollgate Road, Seabrook, Maine 04999 (the "
        '"Provider"), and Gannet Seafood Cooperative, a cooperative with its office at 5 Icehouse '
        'Quay, Seabrook, Maine 04999 (the "Client"). The parties agree as follows:'
    )
    y = sheet.paragraph(MARGIN, 136, width, opening, size=11, leading=15.5) + 12
    for number, clause in enumerate(CLAUSES.split("\n\n")):
        heading, words = clause.split("\n", 1)
        if number == CLAUSES_ON_PAGE_1:
            sheet.text(sheet.width / 2, 752, "Page 1 of 2", size=9, align="center")
            sheet.next_page()
            y = 72
        sheet.text(MARGIN, y, heading, size=11, bold=True)
        y = sheet.paragraph(MARGIN, y + 16, width, words, size=11, leading=15.5) + 12

    witness = "The parties have signed this Agreement by their authorized representatives."
    y = sheet.paragraph(MARGIN, y + 8, width, witness, size=11)
    for x, party, name, role in (
        (MARGIN, "Polar Bight Refrigeration LLC", "Wilhelmina Oake", "Managing Member"),
        (324, "Gannet Seafood Cooperative", "Desmond Farr", "President"),
    ):
        sheet.text(x, y + 30, party, size=11, bold=True)
        sheet.rule(x, y + 82, x + 210)
        lines = [f"Name: {name}", f"Title: {role}", "Date: ____________________"]
        sheet.lines(x, y + 97, lines, size=10.5, leading=16)
    sheet.text(sheet.width / 2, 752, "Page 2 of 2", size=9, align="center")
    return sheet.pdf()
