"""Amounts as documents print them, and the arithmetic of line items."""

from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal
from typing import NamedTuple

CENT = Decimal("0.01")


class Item(NamedTuple):
    """A line of an order: what, how many, and the price of one."""

    name: str
    quantity: int
    price: str

    @property
    def amount(self) -> Decimal:
        """The price of the line."""
        return self.quantity * Decimal(self.price)


def subtotal(items: Sequence[Item]) -> Decimal:
    """The sum of the lines."""
    return sum((item.amount for item in items), Decimal())


def percent(amount: Decimal, rate: str) -> Decimal:
    """`rate` percent of an amount, rounded to the cent as tax is."""
    return (amount * Decimal(rate) / 100).quantize(CENT, ROUND_HALF_UP)


def us(amount: Decimal) -> str:
    """1234.5 → 1,234.50."""
    return f"{amount:,.2f}"


def german(amount: Decimal) -> str:
    """1234.5 → 1.234,50."""
    return us(amount).translate(str.maketrans(",.", ".,"))
