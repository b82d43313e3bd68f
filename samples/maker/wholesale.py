"""An invoice whose table goes on over the page, as long orders do."""

from decimal import Decimal

from maker.money import Item, percent, subtotal, us
from maker.sheet import GREY, MARGIN, Column, Sheet

ITEMS = [
    Item("Wire THHN 12 AWG black, 500 ft", 4, "84.20"),
    Item("Wire THHN 12 AWG white, 500 ft", 4, "84.20"),
    Item("Wire THHN 12 AWG green, 500 ft", 2, "84.20"),
    Item("Wire THHN 10 AWG red, 500 ft", 2, "131.60"),
    Item("Cable MC 12/2, 250 ft coil", 6, "142.35"),
    Item("Cable MC 12/3, 250 ft coil", 3, "197.10"),
    Item("Conduit EMT 1/2 in, 10 ft", 120, "4.18"),
    Item("Conduit EMT 3/4 in, 10 ft", 80, "7.06"),
    Item("Conduit EMT 1 in, 10 ft", 40, "11.92"),
    Item("Coupling EMT 1/2 in, set screw", 150, "0.47"),
    Item("Coupling EMT 3/4 in, set screw", 100, "0.68"),
    Item("Connector EMT 1/2 in, set screw", 200, "0.41"),
    Item("Connector EMT 3/4 in, set screw", 120, "0.66"),
    Item("Strap EMT 1/2 in, one hole", 300, "0.22"),
    Item("Box 4 in square, 1-1/2 deep", 140, "1.94"),
    Item("Box 4 in square, 2-1/8 deep", 60, "2.71"),
    Item("Cover 4 in square, blank", 90, "0.78"),
    Item("Mud ring, single gang, 5/8 in", 110, "1.36"),
    Item("Mud ring, two gang, 5/8 in", 40, "2.05"),
    Item("Receptacle 20 A, spec grade, white", 160, "3.84"),
    Item("Receptacle GFCI 20 A, white", 24, "21.45"),
    Item("Switch 20 A single pole, white", 70, "4.12"),
    Item("Switch 20 A three way, white", 30, "6.38"),
    Item("Occupancy sensor, wall, 120/277 V", 18, "46.90"),
    Item("Wall plate single gang, white", 190, "0.62"),
    Item("Wall plate two gang, white", 35, "1.15"),
    Item("Breaker 20 A single pole, bolt-on", 42, "17.25"),
    Item("Breaker 30 A two pole, bolt-on", 8, "41.70"),
    Item("Panelboard 42 circuit, 225 A main", 1, "1286.00"),
    Item("LED troffer 2x4, 4000 K, dimmable", 64, "78.40"),
    Item("LED downlight 6 in, 3500 K", 36, "24.65"),
    Item("Exit sign, LED, green, battery", 9, "33.80"),
    Item("Emergency light, two heads", 12, "29.95"),
    Item("Wire nut, yellow, box of 100", 15, "9.40"),
    Item("Electrical tape, black, 66 ft", 40, "3.15"),
]
ROWS_ON_PAGE_1 = 28

COLUMNS = [
    Column("Line", 38, "center"),
    Column("Description", 246),
    Column("Qty", 50, "right"),
    Column("Unit Price", 80, "right"),
    Column("Amount", 90, "right"),
]


def two_page_invoice() -> bytes:
    """Thirty-five items: the table goes on, and the totals stand, on the second page."""
    sheet = Sheet("Invoice 558204")
    _header(sheet, 1)
    customer = ["Rowan Ridge Contracting Inc.", "915 Foundry Road", "Kettle Falls, OH 43999"]
    sheet.text(MARGIN, 128, "SOLD TO", size=8, bold=True, color=GREY)
    sheet.lines(MARGIN, 143, customer, bold_first=True)
    sheet.text(230, 128, "SHIP TO", size=8, bold=True, color=GREY)
    site = [
        "Rowan Ridge c/o Eastgate Clinic",
        "Building B, 12 Eastgate Loop",
        "Kettle Falls, OH 43999",
    ]
    sheet.lines(230, 143, site, bold_first=True)
    facts = [
        ("Invoice No.", "558204"),
        ("Invoice Date", "07/21/2026"),
        ("Due Date", "08/20/2026"),
        ("P.O. No.", "RR-26-118"),
    ]
    sheet.pairs(424, 128, facts, gap=78)

    rows = [
        [str(n), i.name, str(i.quantity), us(Decimal(i.price)), us(i.amount)]
        for n, i in enumerate(ITEMS, 1)
    ]
    y = sheet.table(MARGIN, 205, COLUMNS, rows[:ROWS_ON_PAGE_1])
    sheet.text(sheet.right, y + 18, "Continued on page 2", align="right", color=GREY)
    sheet.next_page()

    _header(sheet, 2)
    sheet.text(MARGIN, 128, "Invoice No. 558204, continued", bold=True)
    y = sheet.table(MARGIN, 142, COLUMNS, rows[ROWS_ON_PAGE_1:])
    net = subtotal(ITEMS)
    freight = Decimal("185.00")
    tax = percent(net, "6.75")
    sums = [
        ("Subtotal", us(net)),
        ("Freight", us(freight)),
        ("Sales Tax (6.75%)", us(tax)),
        ("Invoice Total", f"${us(net + freight + tax)}"),
    ]
    y = sheet.totals(y + 28, sums)
    notes = (
        "Claims for shortage must be made within five days of delivery. Returned goods need an "
        "authorization number and are subject to a 15% restocking charge."
    )
    sheet.paragraph(MARGIN, y + 30, 300, notes, size=8.5, leading=12)
    return sheet.pdf()


def _header(sheet: Sheet, page: int) -> None:
    sheet.text(MARGIN, 60, "NORTHGATE ELECTRICAL WHOLESALE", size=15, bold=True, color="#24408e")
    sheet.text(MARGIN, 76, "4800 Depot Parkway, Kettle Falls, OH 43998", size=8.5, color=GREY)
    sheet.text(MARGIN, 88, "Phone (740) 555-0163", size=8.5, color=GREY)
    sheet.text(sheet.right, 62, "INVOICE", size=20, bold=True, align="right")
    sheet.text(sheet.right, 80, f"Page {page} of 2", size=9, align="right", color=GREY)
    sheet.rule(MARGIN, 102, sheet.right, weight=1.5, color="#24408e")
