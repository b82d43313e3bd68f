"""Three purchase orders: two as they left a program, one that was printed and scanned."""

from decimal import Decimal

from maker.money import Item, percent, subtotal, us
from maker.scanner import as_scanned_pdf, rasterise, scan
from maker.sheet import GREY, MARGIN, Column, Sheet

LAB_ITEMS = [
    Item("Glass beaker, 250 ml", 48, "4.35"),
    Item("Graduated cylinder, 100 ml", 24, "9.80"),
    Item("Nitrile gloves, M, box of 100", 30, "11.20"),
    Item("Safety goggles, anti-fog", 20, "8.95"),
    Item("Magnetic stirrer with heater", 2, "312.00"),
]

PACKAGING_ITEMS = [
    Item("Carton, double wall, 30 litres", 600, "1.12"),
    Item("Kraft paper roll, 90 g, 50 cm", 18, "23.40"),
    Item("Packing tape, paper, 50 mm", 144, "2.05"),
    Item("Pallet stretch film, 23 micron", 24, "9.75"),
    Item("Label roll, 500 labels", 40, "8.60"),
]

BENCH_ITEMS = [
    Item("Fume hood, ducted, 1500 mm", 2, "6480.00"),
    Item("Laboratory bench, epoxy top, 2400 mm", 6, "1135.50"),
    Item("Chemical storage cabinet, 170 l", 3, "874.25"),
]


def digital_order() -> bytes:
    """A purchase order with a vendor, a ship-to address and item numbers."""
    sheet = Sheet("Purchase Order PO-7781")
    sheet.text(MARGIN, 66, "PURCHASE ORDER", size=22, bold=True, color="#2f5d3a")
    sheet.text(sheet.right, 58, "Tamarack Valley Laboratories", size=12, bold=True, align="right")
    buyer = ["77 Spruce Hill Road, Denby, VT 05999", "purchasing@tamarack.example.org"]
    sheet.lines(sheet.right, 72, buyer, size=8.5, leading=11.5, align="right", color=GREY)
    sheet.rule(MARGIN, 96, sheet.right, weight=1.5, color="#2f5d3a")
    facts = [
        ("PO Number:", "PO-7781"),
        ("PO Date:", "June 3, 2026"),
        ("Deliver By:", "June 24, 2026"),
    ]
    sheet.pairs(MARGIN, 120, facts, gap=80)
    sheet.pairs(330, 120, [("Payment Terms:", "Net 45"), ("Freight:", "Prepaid, FOB destination")])

    for x, heading, address in (
        (
            MARGIN,
            "VENDOR",
            [
                "Quillon Scientific Supply Co.",
                "Attn: Order Desk",
                "3301 Carriage Way",
                "Dunmore Park, IL 60999",
            ],
        ),
        (
            330,
            "SHIP TO",
            [
                "Tamarack Valley Laboratories",
                "Receiving, Dock 2",
                "77 Spruce Hill Road",
                "Denby, VT 05999",
            ],
        ),
    ):
        sheet.box(x, 176, 228, 18, fill="#dfe9e1")
        sheet.text(x + 6, 189, heading, size=8.5, bold=True)
        sheet.lines(x + 6, 209, address, bold_first=True)

    columns = [
        Column("Item No.", 70),
        Column("Description", 204),
        Column("Qty", 50, "right"),
        Column("Unit Price", 85, "right"),
        Column("Total", 95, "right"),
    ]
    numbers = ["GB-0250", "GC-0100", "NG-100M", "SG-0020", "MS-0312"]
    rows = [
        [number, i.name, str(i.quantity), us(Decimal(i.price)), us(i.amount)]
        for number, i in zip(numbers, LAB_ITEMS, strict=True)
    ]
    y = sheet.table(MARGIN, 290, columns, rows, shade="#dfe9e1", row_height=21)
    net = subtotal(LAB_ITEMS)
    tax = percent(net, "6")
    sheet.totals(
        y + 28, [("Subtotal", us(net)), ("Tax (6%)", us(tax)), ("Order Total", f"${us(net + tax)}")]
    )
    terms = (
        "Show the purchase order number on every package, packing slip and invoice. Goods that do "
        "not match this order may be returned at the vendor's expense."
    )
    sheet.paragraph(MARGIN, 540, 320, terms, size=9, leading=12.5)
    sheet.rule(MARGIN, 630, 250)
    sheet.text(MARGIN, 643, "Authorized by: Ines Halvorsen, Purchasing", size=8.5)
    return sheet.pdf()


def scanned_order() -> bytes:
    """A printed order, scanned at 200 dpi: slightly turned, grainy, no text layer."""
    sheet = Sheet("", face="Vera")
    sheet.text(MARGIN, 70, "Cobblestone Coffee Roasters Ltd.", size=15, bold=True)
    sheet.text(MARGIN, 87, "Unit 9, Old Cannery, 310 Wharf Street, Seabrook, ME 04999", size=8.5)
    sheet.rule(MARGIN, 98, sheet.right, weight=1.2)
    sheet.text(sheet.width / 2, 130, "PURCHASE ORDER", size=17, bold=True, align="center")
    facts = [
        ("PO Number:", "CCR-2291"),
        ("Order Date:", "04/08/2026"),
        ("Required by:", "04/22/2026"),
    ]
    sheet.pairs(350, 164, facts, gap=90)
    sheet.text(MARGIN, 164, "To (Supplier):", bold=True)
    supplier = ["Palisade Packaging Corp.", "1502 Mill Race Drive", "Ashcombe, NH 03999"]
    sheet.lines(MARGIN, 178, supplier)
    sheet.text(MARGIN, 232, "Ship To:", bold=True)
    address = [
        "Cobblestone Coffee Roasters Ltd., Warehouse",
        "18 Ropewalk Lane, Seabrook, ME 04999",
    ]
    sheet.lines(MARGIN, 246, address)

    columns = [
        Column("Qty", 48, "right"),
        Column("Description", 256),
        Column("Unit Price", 92, "right"),
        Column("Amount", 108, "right"),
    ]
    rows = [[str(i.quantity), i.name, us(Decimal(i.price)), us(i.amount)] for i in PACKAGING_ITEMS]
    y = sheet.table(MARGIN, 290, columns, rows, row_height=23, size=9.5)
    net = subtotal(PACKAGING_ITEMS)
    tax = percent(net, "5.5")
    sums = [("Subtotal", us(net)), ("Sales Tax 5.5%", us(tax)), ("TOTAL", f"${us(net + tax)}")]
    y = sheet.totals(y + 30, sums, size=10)
    sheet.text(MARGIN, y + 40, "Please confirm receipt of this order by phone: (207) 555-0151.")
    sheet.rule(MARGIN, y + 110, 260)
    sheet.text(MARGIN, y + 124, "Approved: T. Okonjo, Operations", size=9)
    sheet.rule(350, y + 110, sheet.right)
    sheet.text(350, y + 124, "Date: 04/08/2026", size=9)
    pages = rasterise(sheet.pdf(), 200)
    return as_scanned_pdf([scan(pages[0], degrees=-0.8, noise=5, seed=6)], dpi=200, quality=45)


def large_order() -> bytes:
    """An order of few lines and much money, with freight, on European paper."""
    sheet = Sheet("Purchase Order LX-10394", paper="a4")
    sheet.box(0, 0, sheet.width, 74, fill="#24364b")
    sheet.text(MARGIN, 44, "Larkhill Sixth Form College", size=16, bold=True, color="#ffffff")
    sheet.text(sheet.right, 44, "PURCHASE ORDER", size=13, align="right", color="#ffffff")
    sheet.lines(MARGIN, 100, ["Estates Office, Larkhill Road", "Wexcombe WX7 9ZZ"], color=GREY)
    facts = [
        ("Order number:", "LX-10394"),
        ("Order date:", "14 September 2026"),
        ("Required by:", "30 October 2026"),
    ]
    sheet.pairs(340, 100, facts, gap=90)
    sheet.text(MARGIN, 158, "Supplier", bold=True)
    sheet.lines(MARGIN, 172, ["Pellworth Laboratory Furniture Ltd", "4 Tannery Yard, Ostley"])
    sheet.text(340, 158, "Deliver to", bold=True)
    sheet.lines(340, 172, ["Larkhill Sixth Form College", "Science Block, Goods Entrance"])

    columns = [
        Column("Description", 252),
        Column("Quantity", 60, "right"),
        Column("Unit price", 84, "right"),
        Column("Amount", 90, "right"),
    ]
    rows = [[i.name, str(i.quantity), us(Decimal(i.price)), us(i.amount)] for i in BENCH_ITEMS]
    y = sheet.table(MARGIN, 232, columns, rows, shade="#e4e9ef", row_height=22)
    net, freight = subtotal(BENCH_ITEMS), Decimal("385.00")
    tax = percent(net + freight, "20")
    sums = [
        ("Subtotal", us(net)),
        ("Delivery", us(freight)),
        ("VAT 20%", us(tax)),
        ("Total", f"£{us(net + freight + tax)}"),
    ]
    y = sheet.totals(y + 28, sums)
    terms = "Payment 30 days after delivery. All prices in pounds sterling (GBP)."
    sheet.paragraph(MARGIN, y + 30, 320, terms, size=9, leading=12.5)
    return sheet.pdf()
