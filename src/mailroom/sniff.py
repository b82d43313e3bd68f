"""What an object is, by its first bytes; never by its name.

Comes in: the size and the first bytes of an object. Goes out: its media type.
Raises: NotADocument with a sentence for the person who sent it.

Limits: Amazon Textract Developer Guide, "Set Quotas in Amazon Textract" (asynchronous operations).
"""

import struct

HEAD_LENGTH = 256 * 1024
"""Bytes to look at: a JPEG says its size behind its metadata, which can be 64 KB a segment."""

_MB = 1024 * 1024
_MAX_BYTES = {
    "application/pdf": 500 * _MB,
    "image/tiff": 500 * _MB,
    "image/jpeg": 10 * _MB,
    "image/png": 10 * _MB,
}
_MAX_SIDE = 10_000
_PDF_HEADER_WITHIN = 1024  # readers accept a header that begins in the first kilobyte
_ACCEPTED = "Mailroom reads PDF, TIFF, JPEG and PNG"
# What people send instead, so that the reason names it.
_OTHERS = (
    (0, b"PK\x03\x04", "a ZIP archive or an Office file"),
    (0, b"\xd0\xcf\x11\xe0", "an old Office file"),
    (0, b"{\\rtf", "an RTF file"),
    (0, b"GIF8", "a GIF image"),
    (0, b"BM", "a BMP image"),
    (8, b"WEBP", "a WebP image"),
    (4, b"ftypheic", "a HEIC photo"),
    (4, b"ftyp", "a HEIC photo or a video"),
    (0, b"<", "a web page or an XML file"),
)


class NotADocument(Exception):
    """The object cannot be read; the message says why and what would do."""


def media_type(size: int, head: bytes) -> str:
    """The media type of an object that Textract can take. Raises NotADocument."""
    if size == 0:
        raise NotADocument("The file is empty.")
    found = _by_content(head)
    if found is None:
        raise NotADocument(f"The file is {_description(head)}; {_ACCEPTED}.")
    if size > _MAX_BYTES[found]:
        limit = _MAX_BYTES[found] // _MB
        raise NotADocument(
            f"The file has {size / _MB:,.0f} MB; the limit for {_name(found)} is {limit} MB."
        )
    width, height = _pixels(found, head)
    if max(width, height) > _MAX_SIDE:
        raise NotADocument(
            f"The image has {width:,} x {height:,} pixels; the limit is {_MAX_SIDE:,} a side."
        )
    return found


def _by_content(head: bytes) -> str | None:
    if head.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if head.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if head.startswith((b"II*\x00", b"MM\x00*")):
        return "image/tiff"
    if b"%PDF-" in head[:_PDF_HEADER_WITHIN]:
        return "application/pdf"
    return None


def _description(head: bytes) -> str:
    for offset, magic, name in _OTHERS:
        if head[offset:].startswith(magic):
            return name
    try:
        head.decode()
    except UnicodeDecodeError as error:
        if error.start < len(head) - 4:  # a character that the cut goes through is no fault
            return "of an unknown type"
    return "of an unknown type" if b"\x00" in head else "plain text"


def _name(found: str) -> str:
    return found.partition("/")[2].upper()


def _pixels(found: str, head: bytes) -> tuple[int, int]:
    """Width and height, or (0, 0) where the head does not say."""
    if found == "image/png" and len(head) >= 24:
        width, height = struct.unpack(">II", head[16:24])
        return width, height
    if found == "image/jpeg":
        return _jpeg_pixels(head)
    return 0, 0


def _jpeg_pixels(head: bytes) -> tuple[int, int]:
    """Walk the segments to the frame header (ITU T.81, B.2.2)."""
    at = 2
    while at + 9 <= len(head) and head[at] == 0xFF:
        marker = head[at + 1]
        if marker == 0xFF:  # a fill byte
            at += 1
        elif 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", head[at + 5 : at + 9])
            return width, height
        else:
            at += 2 + int.from_bytes(head[at + 2 : at + 4], "big")
    return 0, 0
