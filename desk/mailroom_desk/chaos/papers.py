"""The documents of a run: samples, variants made here, and a few bad ones; by the seed alone.

Nearly all are digital PDFs of one page, because the reading is not what is tried here.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from mailroom.document import INCOMING
from mailroom_desk.chaos.pdf import Line, one_page
from mailroom_desk.samples import find_samples

_BAD_SHARE = 0.05
_SAMPLE_SHARE = 0.2
_SECOND_VERSION_SHARE = 0.04
_SAMPLE_BYTES = 60_000  # larger ones are pictures and long documents, which are slow to read
_NAMES = ("invoice", "50% off+tip", "Café & Söhne", "scan #", "a b  c", "発票", "50%25", "x=1&y=2")
_COMPANIES = ("Alder Works", "Brook & Lane Ltd", "Cobalt Supply", "Dune Print", "Elm Street Foods")
_ITEMS = ("Paper A4", "Toner black", "Desk lamp", "Delivery", "Steel shelf", "Packing tape")


@dataclass(frozen=True)
class Paper:
    """One object to upload. `bad` says why it cannot be read; empty where it can."""

    key: str
    body: bytes
    bad: str = ""


def papers(count: int, seed: int) -> list[Paper]:
    """That many documents. Some share their key with an earlier one: two versions of it."""
    chance = random.Random(f"papers {seed}")
    good, broken = _samples(), _bad_ones()
    made: list[Paper] = []
    for number in range(count):
        key = f"{INCOMING}chaos/{number:04d} {chance.choice(_NAMES)}.pdf"
        if made and chance.random() < _SECOND_VERSION_SHARE:
            key = chance.choice(made).key
        kind = chance.random()
        if kind < _BAD_SHARE:
            bad, body = chance.choice(broken)
            made.append(Paper(key, body, bad))
        elif kind < _BAD_SHARE + _SAMPLE_SHARE:
            made.append(Paper(key, chance.choice(good)))
        else:
            made.append(Paper(key, chance.choice((_invoice, _letter))(chance)))
    return made


def invoices(count: int, seed: int) -> list[Paper]:
    """That many good invoices of one page, all different."""
    chance = random.Random(f"invoices {seed}")
    return [Paper(f"{INCOMING}burst/{number:05d}.pdf", _invoice(chance)) for number in range(count)]


def _samples() -> list[bytes]:
    """The samples that are quick to read, bad ones left out."""
    return [
        sample.path.read_bytes()
        for sample in find_samples()
        if sample.document_class and sample.path.suffix == ".pdf" and _is_small(sample.path)
    ]


def _is_small(path: Path) -> bool:
    return path.stat().st_size <= _SAMPLE_BYTES


def _bad_ones() -> list[tuple[str, bytes]]:
    """Why, and the file. The reason must be found in what the row says."""
    named = {sample.path.name: sample.path for sample in find_samples()}
    return [
        ("empty", b""),
        ("Office", b"PK\x03\x04 an Office file"),
        ("password", named["locked.pdf"].read_bytes()),
        ("damaged", named["truncated.pdf"].read_bytes()),
    ]


def _invoice(chance: random.Random) -> bytes:
    return one_page(_invoice_lines(chance))


def _invoice_lines(chance: random.Random) -> Iterator[Line]:
    seller, buyer = chance.sample(_COMPANIES, 2)
    yield 54, 60, seller
    yield 400, 60, "INVOICE"
    yield 54, 100, "Bill To:"
    yield 54, 114, buyer
    facts = [
        ("Invoice Number:", f"INV-{chance.randrange(10**6):06d}"),
        ("Invoice Date:", f"2026-{chance.randrange(1, 13):02d}-{chance.randrange(1, 29):02d}"),
        ("Currency:", "USD"),
    ]
    for row, (label, value) in enumerate(facts):
        yield 330, 100 + 16 * row, label
        yield 430, 100 + 16 * row, value
    for x, title in ((54, "Description"), (300, "Qty"), (370, "Unit Price"), (470, "Amount")):
        yield x, 190, title
    subtotal = Decimal(0)
    y = 190
    for name in chance.sample(_ITEMS, chance.randrange(1, 5)):
        y += 18
        quantity, price = chance.randrange(1, 9), Decimal(chance.randrange(100, 20_000)) / 100
        subtotal += quantity * price
        cells = ((54, name), (300, str(quantity)), (370, str(price)), (470, str(quantity * price)))
        for x, cell in cells:
            yield x, y, cell
    tax = (subtotal * Decimal("0.08")).quantize(Decimal("0.01"))
    sums = [("Subtotal:", subtotal), ("Tax:", tax), ("Total:", subtotal + tax)]
    for row, (label, amount) in enumerate(sums):
        yield 370, y + 40 + 16 * row, label
        yield 470, y + 40 + 16 * row, f"{amount:.2f}"


def _letter(chance: random.Random) -> bytes:
    sender, receiver = chance.sample(_COMPANIES, 2)
    lines: list[Line] = [
        (54, 60, sender),
        (54, 90, receiver),
        (54, 130, f"March {chance.randrange(1, 29)}, 2026"),
        (54, 170, f"Subject: Order {chance.randrange(10**5)}"),
        (54, 210, "Dear Sir or Madam,"),
        (54, 240, "thank you for your message. We have looked into it, and we shall call you."),
        (54, 280, "Yours sincerely,"),
        (54, 310, f"{sender}"),
    ]
    return one_page(lines)
