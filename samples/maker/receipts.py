"""Two till receipts: a clean scan of one, a photo of another on a table."""

from decimal import Decimal

from PIL import Image, ImageDraw

from maker.money import Item, german, percent, subtotal, us
from maker.scanner import Picture, as_jpeg, as_png, photograph, scan, typewriter

COLUMNS = 32
LINE_HEIGHT = 34
FONT_SIZE = 26
BORDER = 36

DINER_ITEMS = [
    Item("Cobb Salad", 1, "13.50"),
    Item("Harvest Burger", 2, "15.25"),
    Item("Sweet Potato Fries", 1, "6.00"),
    Item("Iced Tea", 3, "3.25"),
]

BISTRO_ITEMS = [
    Item("Quiche lorraine", 2, "8.50"),
    Item("Tarte aux pommes", 2, "5.20"),
    Item("Café crème", 3, "3.40"),
    Item("Eau minérale 50 cl", 1, "2.90"),
]


def diner_receipt() -> bytes:
    """A narrow, slightly noisy scan: half off the burgers, and a tip."""
    full = subtotal(DINER_ITEMS)
    discount = percent(DINER_ITEMS[1].amount, "50")
    net = full - discount
    tax = percent(net, "7.5")
    tip = Decimal("8.00")
    lines = [
        *_centred(
            "MAPLE FORK DINER", "1187 Orchard Boulevard", "Bellhaven, MI 48999", "(231) 555-0128"
        ),
        "",
        _spread("Date: 05/16/2026", "Time: 12:47"),
        _spread("Server: Dana", "Table: 14"),
        _spread("Receipt # 004512", "Guests: 3"),
        "-" * COLUMNS,
        *[_spread(f"{i.quantity} {i.name}", us(i.amount)) for i in DINER_ITEMS],
        _spread("Burger Day 50% off", f"-{us(discount)}"),
        "-" * COLUMNS,
        _spread("Subtotal", us(net)),
        _spread("Sales Tax 7.5%", us(tax)),
        _spread("Tip", us(tip)),
        "=" * COLUMNS,
        _spread("TOTAL", f"${us(net + tax + tip)}"),
        "=" * COLUMNS,
        _spread("Card", "**** **** **** 0000"),
        _spread("Approval code", "000417"),
        "",
        *_centred("Thank you! See you soon.", "maplefork.example.com"),
    ]
    return as_png(scan(_print(lines), degrees=0.5, noise=7, seed=4), levels=8)


def bistro_photo() -> bytes:
    """A French receipt, photographed from the side on a wooden table."""
    total = subtotal(BISTRO_ITEMS)
    # French prices hold their tax: 10 % of the net is 10/110 of the price.
    net = percent(total, "100") - percent(total / 11, "100")
    lines = [
        *_centred("LE PETIT MOULIN", "Salon de thé", "24 rue des Tanneurs", "99999 Valbrune"),
        *_centred("Tél. 01 99 00 01 36"),
        "",
        _spread("Date 27/06/2026", "16:08"),
        _spread("Ticket N° 81306", "Table 5"),
        "-" * COLUMNS,
        *[_spread(f"{i.quantity} x {i.name}", german(i.amount)) for i in BISTRO_ITEMS],
        "-" * COLUMNS,
        _spread("Total HT", german(net)),
        _spread("TVA 10%", german(total - net)),
        _spread("TOTAL TTC", f"{german(total)} EUR"),
        "",
        _spread("Carte bancaire", f"{german(total)} EUR"),
        "",
        *_centred("Merci de votre visite", "et à bientôt !"),
    ]
    corners = [(228, 62), (772, 128), (706, 1236), (112, 1128)]
    return as_jpeg(photograph(_print(lines), (900, 1300), corners, seed=5), quality=62)


def _print(lines: list[str]) -> Picture:
    """Print lines on a paper roll."""
    font = typewriter(FONT_SIZE)
    width = round(font.getlength("0" * COLUMNS)) + 2 * BORDER
    paper = Image.new("L", (width, len(lines) * LINE_HEIGHT + 2 * BORDER), 250)
    pen = ImageDraw.Draw(paper)
    for number, line in enumerate(lines):
        pen.text((BORDER, BORDER + number * LINE_HEIGHT), line, font=font, fill=30)
    return paper


def _centred(*lines: str) -> list[str]:
    return [line.center(COLUMNS) for line in lines]


def _spread(left: str, right: str) -> str:
    return left + right.rjust(COLUMNS - len(left))
