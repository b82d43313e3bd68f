"""Three files that cannot be read, each for a reason of its own."""

from maker.sheet import MARGIN, Sheet
from maker.wholesale import two_page_invoice

PASSWORD = "correct horse"
KEPT = 0.6


def empty() -> bytes:
    """Nothing at all, as after an upload that failed."""
    return b""


def truncated() -> bytes:
    """A PDF whose end, with the table of its objects, got lost."""
    whole = two_page_invoice()
    return whole[: int(len(whole) * KEPT)]


def locked() -> bytes:
    """A PDF that opens with a password only."""
    sheet = Sheet("Salary review", lock=PASSWORD)
    sheet.text(MARGIN, 80, "Salary review 2026", size=18, bold=True)
    sheet.text(MARGIN, 110, "Strictly confidential. Please do not forward.", size=11)
    return sheet.pdf()
