"""The type is decided by content; a refusal names what came and what would do."""

import io

import pytest
from PIL import Image

from mailroom.sniff import HEAD_LENGTH, NotADocument, media_type

MB = 1024 * 1024


def image(kind: str, size: tuple[int, int] = (8, 8)) -> bytes:
    file = io.BytesIO()
    Image.new("1" if kind == "TIFF" else "L", size, 1).save(file, kind)
    return file.getvalue()


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (b"%PDF-1.7\n", "application/pdf"),
        (b"\x00" * 100 + b"%PDF-1.4", "application/pdf"),
        (image("PNG"), "image/png"),
        (image("JPEG"), "image/jpeg"),
        (image("TIFF"), "image/tiff"),
        (b"MM\x00*\x00\x00\x00\x08", "image/tiff"),
    ],
)
def test_media_type_goes_by_the_first_bytes(head: bytes, expected: str) -> None:
    assert media_type(len(head), head) == expected


@pytest.mark.parametrize(
    ("head", "named"),
    [
        (b"PK\x03\x04rest", "Office"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1", "old Office"),
        (b"\x00\x00\x00\x18ftypheic", "HEIC"),
        (b"RIFF\x00\x00\x00\x00WEBPVP8 ", "WebP"),
        (b"GIF89a", "GIF"),
        (b"<!doctype html>", "web page"),
        (b"Dear Sir or Madam,", "plain text"),
        ("Grüße é".encode()[:-1], "plain text"),
        (b"\x93\x00\xff\xfe\x01", "unknown type"),
    ],
)
def test_media_type_names_what_came_instead(head: bytes, named: str) -> None:
    with pytest.raises(NotADocument, match=named):
        media_type(len(head), head)


def test_media_type_empty_file_says_so() -> None:
    with pytest.raises(NotADocument, match="empty"):
        media_type(0, b"")


@pytest.mark.parametrize(
    ("size", "head", "limit"),
    [
        (600 * MB, b"%PDF-1.7", "limit for PDF is 500 MB"),
        (11 * MB, image("PNG"), "limit for PNG is 10 MB"),
        (11 * MB, image("JPEG"), "limit for JPEG is 10 MB"),
    ],
)
def test_media_type_too_large_names_the_limit(size: int, head: bytes, limit: str) -> None:
    with pytest.raises(NotADocument, match=limit):
        media_type(size, head)


@pytest.mark.parametrize("kind", ["PNG", "JPEG"])
def test_media_type_too_many_pixels_names_the_limit(kind: str) -> None:
    wide, fits = image(kind, (10_001, 2)), image(kind, (10_000, 2))

    assert media_type(len(fits), fits[:HEAD_LENGTH])
    with pytest.raises(NotADocument, match="10,001 x 2"):
        media_type(len(wide), wide[:HEAD_LENGTH])
