"""What a document is, by its first bytes, and how large it may be.

The limits are Textract's own for asynchronous jobs:
docs.aws.amazon.com/textract/latest/dg/limits-document.html
"""

MEGABYTE = 1024 * 1024
MAX_BYTES = {
    "PDF": 500 * MEGABYTE,
    "TIFF": 500 * MEGABYTE,
    "JPEG": 10 * MEGABYTE,
    "PNG": 10 * MEGABYTE,
}
# How many first bytes decide. A PDF's header may follow some other bytes.
SNIFFED_BYTES = 1024
SIGNATURES = {
    "JPEG": (b"\xff\xd8\xff",),
    "PNG": (b"\x89PNG\r\n\x1a\n",),
    "TIFF": (b"II*\x00", b"MM\x00*", b"II+\x00", b"MM\x00+"),
}


def kind_of(first_bytes: bytes) -> str | None:
    """Return PDF, TIFF, JPEG or PNG, or None for anything else."""
    for kind, signatures in SIGNATURES.items():
        if first_bytes.startswith(signatures):
            return kind
    return "PDF" if b"%PDF-" in first_bytes[:SNIFFED_BYTES] else None
