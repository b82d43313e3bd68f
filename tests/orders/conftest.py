"""The application of reactions/orders on moto, by the means of the main road's tests."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
sys.path += [str(TESTS / "workflow"), str(TESTS.parent / "reactions" / "orders" / "src")]

from orders_road import OrdersRoad, open_orders  # noqa: E402


@pytest.fixture
def orders(monkeypatch: pytest.MonkeyPatch) -> Iterator[OrdersRoad]:
    """Both state machines, an empty stock, and nothing that fails by itself."""
    with open_orders(monkeypatch) as orders:
        yield orders
