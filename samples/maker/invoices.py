"""Two digital invoices of one page: one from the US, one from Germany."""

from decimal import Decimal

from maker.money import Item, german, percent, subtotal, us
from maker.sheet import GREY, MARGIN, Column, Sheet

DESK_ITEMS = [
    Item("Height-adjustable desk frame, black", 6, "389.00"),
    Item("Desk top 63 x 31 in, white oak", 6, "164.50"),
    Item("Task chair Aria, mesh back", 8, "229.00"),
    Item("Monitor arm, single, clamp mount", 12, "58.75"),
    Item("Delivery and assembly, per floor", 2, "145.00"),
]

PRINT_ITEMS = [
    Item("Broschüre A5, 16 Seiten, Rückenheftung", 250, "2.36"),
    Item("Visitenkarten 350 g/m², beidseitig", 500, "0.18"),
    Item("Roll-up-Banner 85 x 200 cm", 4, "75.00"),
    Item("Gestaltung und Druckvorlage (pauschal)", 1, "45.00"),
    Item("Versand per Spedition", 1, "15.00"),
]


def us_invoice() -> bytes:
    """One page, five items, a due date and a purchase order number."""
    sheet = Sheet("Invoice BW-20931")
    sheet.box(0, 0, sheet.width, 92, fill="#1f4e5f")
    sheet.text(MARGIN, 46, "Brightwater Office Supply", size=19, bold=True, color="#ffffff")
    contact = "2210 Harbor Street, Suite 4, Port Ellis, OR 97499   |   (503) 555-0142"
    sheet.text(MARGIN, 66, contact, size=8.5, color="#d5e4e8")
    sheet.text(sheet.right, 54, "INVOICE", size=24, bold=True, align="right", color="#ffffff")

    sheet.text(MARGIN, 130, "BILL TO", size=8, bold=True, color=GREY)
    customer = ["Calder & Finch Architects LLP", "Accounts Payable", "48 Linden Avenue, Floor 3"]
    sheet.lines(MARGIN, 146, [*customer, "Marlow, WA 98499"], bold_first=True)
    facts = [
        ("Invoice Number:", "BW-20931"),
        ("Invoice Date:", "September 14, 2026"),
        ("Due Date:", "October 14, 2026"),
        ("PO Number:", "CF-4417"),
        ("Terms:", "Net 30"),
    ]
    sheet.pairs(350, 130, facts)

    columns = [
        Column("Description", 264),
        Column("Qty", 50, "right"),
        Column("Unit Price", 90, "right"),
        Column("Amount", 100, "right"),
    ]
    rows = [[i.name, str(i.quantity), us(Decimal(i.price)), us(i.amount)] for i in DESK_ITEMS]
    y = sheet.table(MARGIN, 230, columns, rows, shade="#1f4e5f", ink="#ffffff", row_height=21)
    net = subtotal(DESK_ITEMS)
    tax = percent(net, "8.25")
    sums = [
        ("Subtotal", us(net)),
        ("Sales Tax (8.25%)", us(tax)),
        ("Total Due", f"${us(net + tax)}"),
    ]
    sheet.totals(y + 28, sums)

    sheet.text(MARGIN, 490, "Payment", bold=True)
    terms = (
        "Please pay by check to Brightwater Office Supply or by transfer, quoting the invoice "
        "number. A service charge of 1.5% a month applies to balances past due."
    )
    sheet.paragraph(MARGIN, 506, 330, terms, size=9, leading=12.5)
    sheet.rule(MARGIN, 736, sheet.right, color="#1f4e5f")
    footer = "Thank you for your business.   billing@brightwater.example.com"
    sheet.text(sheet.width / 2, 752, footer, size=8.5, align="center", color=GREY)
    return sheet.pdf()


def german_invoice() -> bytes:
    """A Rechnung on A4: decimal commas, MwSt, dates with dots."""
    sheet = Sheet("Rechnung RE-2026-0388", paper="a4")
    sheet.text(MARGIN, 62, "März & Söhne", size=22, bold=True, color="#7a1f2b")
    sheet.text(MARGIN, 79, "Buch- und Offsetdruckerei seit 1952", size=9, color=GREY)
    sender = ["März & Söhne GmbH", "Mühlgasse 17", "99999 Altenbrück", "Tel. (030) 23125-017"]
    sheet.lines(
        sheet.right,
        58,
        [*sender, "info@maerz-druck.example"],
        size=8.5,
        leading=11.5,
        align="right",
        color=GREY,
    )

    sheet.text(
        MARGIN, 142, "März & Söhne GmbH · Mühlgasse 17 · 99999 Altenbrück", size=7, color=GREY
    )
    sheet.rule(MARGIN, 146, 244, weight=0.3, color=GREY)
    address = ["Weinhandlung Grünfeld KG", "Frau J. Köster", "Lindenstraße 8", "99998 Oberwald"]
    sheet.lines(MARGIN, 162, address, size=10)
    facts = [
        ("Rechnungsnummer:", "RE-2026-0388"),
        ("Rechnungsdatum:", "18.08.2026"),
        ("Lieferdatum:", "14.08.2026"),
        ("Kundennummer:", "K-10752"),
        ("Fällig am:", "01.09.2026"),
    ]
    sheet.pairs(350, 160, facts, gap=108)

    sheet.text(MARGIN, 268, "Rechnung", size=16, bold=True)
    greeting = (
        "Sehr geehrte Frau Köster, für die Ausführung Ihres Auftrags vom 27.07.2026 berechnen wir "
        "Ihnen wie folgt:"
    )
    y = sheet.paragraph(MARGIN, 288, sheet.right - MARGIN, greeting)
    columns = [
        Column("Pos.", 34),
        Column("Bezeichnung", 233),
        Column("Menge", 60, "right"),
        Column("Einzelpreis", 80, "right"),
        Column("Gesamt", 80, "right"),
    ]
    rows = [
        [str(n), i.name, str(i.quantity), f"{german(Decimal(i.price))} €", f"{german(i.amount)} €"]
        for n, i in enumerate(PRINT_ITEMS, 1)
    ]
    y = sheet.table(MARGIN, y + 8, columns, rows, shade="#f0e4e4", row_height=20)
    net = subtotal(PRINT_ITEMS)
    tax = percent(net, "19")
    sums = [
        ("Zwischensumme (netto)", f"{german(net)} €"),
        ("zzgl. 19 % MwSt.", f"{german(tax)} €"),
        ("Gesamtbetrag", f"{german(net + tax)} €"),
    ]
    y = sheet.totals(y + 26, sums, gap=210)

    closing = (
        "Bitte überweisen Sie den Gesamtbetrag ohne Abzug bis zum 01.09.2026 unter Angabe der "
        "Rechnungsnummer auf das unten genannte Konto. Vielen Dank für Ihren Auftrag!"
    )
    y = sheet.paragraph(MARGIN, y + 24, sheet.right - MARGIN, closing)
    sheet.text(MARGIN, y + 22, "Mit freundlichen Grüßen", size=10)
    sheet.text(MARGIN, y + 40, "März & Söhne GmbH", size=10)
    sheet.rule(MARGIN, 770, sheet.right, weight=0.4, color=GREY)
    company = [
        "Geschäftsführer: P. März",
        "Amtsgericht Altenbrück, HRB 00000",
        "USt-IdNr. DE123456788",
    ]
    sheet.lines(MARGIN, 784, company, size=7.5, leading=10.5, color=GREY)
    # The bank code 12345678 is not in use; only the check digits are real.
    bank = [
        "Musterbank Altenbrück",
        f"IBAN: {_german_iban('123456780000388752')}",
        "BIC: MUSTDE00XXX",
    ]
    sheet.lines(sheet.right, 784, bank, size=7.5, leading=10.5, align="right", color=GREY)
    return sheet.pdf()


def _german_iban(account: str) -> str:
    """The IBAN (ISO 13616) of a bank code and account, in groups of four."""
    # "DE00" moved to the end, its letters as numbers: D = 13, E = 14.
    check = 98 - int(f"{account}131400") % 97
    iban = f"DE{check:02d}{account}"
    return " ".join(iban[start : start + 4] for start in range(0, len(iban), 4))
