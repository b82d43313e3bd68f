"""A PDF of one page with a text layer, from lines: small, and the same bytes for the same lines.

Comes in: lines with their places, in points from the top left corner. Goes out: the file's bytes.
Source: ISO 32000-1, 7.5 (file structure) and 9.4 (text).
"""

from collections.abc import Iterable

type Line = tuple[float, float, str]
"""x, y and the text; Latin-1 only."""

_WIDTH, _HEIGHT, _SIZE = 612, 792, 10


def one_page(lines: Iterable[Line]) -> bytes:
    """Draw the lines in Helvetica."""
    drawn = b"\n".join(
        b"BT /F1 %d Tf %.1f %.1f Td (%b) Tj ET" % (_SIZE, x, _HEIGHT - y, _escaped(text))
        for x, y, text in lines
    )
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %d %d] /Contents 5 0 R"
        b" /Resources << /Font << /F1 4 0 R >> >> >>" % (_WIDTH, _HEIGHT),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        b"<< /Length %d >>\nstream\n%b\nendstream" % (len(drawn), drawn),
    ]
    file = bytearray(b"%PDF-1.4\n")
    places = []
    for number, content in enumerate(objects, start=1):
        places.append(len(file))
        file += b"%d 0 obj\n%b\nendobj\n" % (number, content)
    table = len(file)
    file += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    for place in places:
        file += b"%010d 00000 n \n" % place
    file += b"trailer << /Size %d /Root 1 0 R >>\n" % (len(objects) + 1)
    file += b"startxref\n%d\n%%%%EOF\n" % table
    return bytes(file)


def _escaped(text: str) -> bytes:
    raw = text.encode("cp1252")
    return raw.replace(b"\\", rb"\\").replace(b"(", rb"\(").replace(b")", rb"\)")
