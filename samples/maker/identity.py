"""A specimen of the identity card of a country that does not exist."""

from PIL import Image, ImageDraw

from maker.scanner import Picture, as_png, rasterise, typewriter
from maker.sheet import MARGIN, Sheet

DPI = 150
WIDTH = 480.0
HEIGHT = 302.0
EDGE = "#33506b"
# The weights of the check digits on travel documents (ICAO Doc 9303, part 3).
WEIGHTS = (7, 3, 1)

LEFT = [
    ("Surname", "ROWE"),
    ("Given Names", "ADELINE JUNE"),
    ("Date of Birth", "17 MAR 1988"),
    ("Document No.", "UT4820316"),
    ("Date of Issue", "05 FEB 2024"),
    ("Date of Expiry", "04 FEB 2034"),
]
RIGHT = [
    ("Nationality", "UTOPIAN"),
    ("Sex", "F"),
    ("Place of Birth", "AMAUROT"),
    ("Height", "1.68 m"),
]


def identity_card() -> bytes:
    """A scan of the front, with a picture of nobody and a machine-readable zone."""
    sheet = Sheet("", face="Vera")
    x = y = MARGIN
    sheet.box(x, y, WIDTH, HEIGHT, fill="#eef3f7", edge=EDGE)
    sheet.box(x, y, WIDTH, 46, fill=EDGE)
    sheet.text(x + 16, y + 21, "REPUBLIC OF UTOPIA", size=15, bold=True, color="#ffffff")
    sheet.text(x + 16, y + 37, "National Identity Card", size=10, color="#ffffff")
    right = x + WIDTH - 16
    sheet.text(right, y + 30, "SPECIMEN", size=17, bold=True, align="right", color="#ffffff")
    for at, facts in ((x + 160, LEFT), (x + 330, RIGHT)):
        for number, (label, value) in enumerate(facts):
            top = y + 66 + number * 29
            sheet.text(at, top, label, size=7.5, color=EDGE)
            sheet.text(at, top + 13, value, size=11.5, bold=True)
    sheet.box(x, y + 242, WIDTH, 60, fill="#ffffff", edge=EDGE)
    page = rasterise(sheet.pdf(), DPI)[0]
    page.paste(_portrait(), (_pixels(x + 16), _pixels(y + 60)))
    pen = ImageDraw.Draw(page)
    for number, line in enumerate(_machine_readable_zone()):
        at_pixel = (_pixels(x + 16), _pixels(y + 243 + number * 18))
        pen.text(at_pixel, line, font=typewriter(42), fill=20)
    card = page.crop((90, 90, _pixels(x + WIDTH + 11), _pixels(y + HEIGHT + 11)))
    return as_png(card, levels=8)


def _portrait() -> Picture:
    """A faceless figure, as on specimen cards."""
    picture = Image.new("L", (264, 350), 205)
    pen = ImageDraw.Draw(picture)
    pen.ellipse((77, 60, 187, 205), fill=120)
    pen.pieslice((20, 220, 244, 480), 180, 360, fill=120)
    return picture


def _machine_readable_zone() -> list[str]:
    """Three lines of thirty characters, the size TD1 of ICAO Doc 9303, part 5."""
    number, born, expires = "UT4820316", "880317", "340204"
    number, born, expires = (part + _check_digit(part) for part in (number, born, expires))
    first = f"I<UTO{number}".ljust(30, "<")
    optional = "<" * 11
    overall = _check_digit(first[5:] + born + expires + optional)
    return [first, f"{born}F{expires}UTO{optional}{overall}", "ROWE<<ADELINE<JUNE".ljust(30, "<")]


def _check_digit(characters: str) -> str:
    """Letters count from A = 10, the filler counts nothing."""
    values = [0 if character == "<" else int(character, 36) for character in characters]
    return str(sum(v * WEIGHTS[place % 3] for place, v in enumerate(values)) % 10)


def _pixels(points: float) -> int:
    return round(points * DPI / 72)
