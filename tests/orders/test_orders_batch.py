"""Orders from other systems, as the pipe hands them over: each in an execution of its own."""

import hashlib
import json
from typing import Any

import pytest
from orders_road import OrdersRoad, order


def name_of(order_id: str) -> str:
    return hashlib.sha256(order_id.encode()).hexdigest()


def message(order_id: str, *lines: tuple[str, Any]) -> dict[str, Any]:
    """What the pipe makes of a message."""
    return {"detail": order(order_id, "20.00", *lines)["detail"]}


def test_bad_order_hurts_no_other_of_its_batch(orders: OrdersRoad) -> None:
    orders.stock(hex_bolt=10, hex_nut=10)
    bad = message("bad", ("Hex bolt", "half a dozen"))

    batch = orders.run([message("one"), bad, message("two")], "batch", "OrderBatch")

    outcomes = [line["outcome"] for line in batch.output["lines"]]
    assert outcomes == ["STARTED"] * 3
    assert orders.finished(name_of("bad")).error == "OrderFailed"
    for order_id in ("one", "two"):
        assert orders.finished(name_of(order_id)).status == "SUCCEEDED"
        assert orders.status(order_id) == "SHIPPED"
    assert orders.in_stock() == {"hex-bolt": 6, "hex-nut": 4}


def test_batch_that_comes_twice_starts_nothing_twice(orders: OrdersRoad) -> None:
    orders.stock(hex_bolt=10, hex_nut=10)
    orders.run([message("one")], "batch", "OrderBatch")
    orders.finished(name_of("one"))

    again = orders.run([message("one"), message("two")], "batch-again", "OrderBatch")
    orders.finished(name_of("two"))

    assert again.status == "SUCCEEDED"
    assert orders.in_stock() == {"hex-bolt": 6, "hex-nut": 4}


def test_order_that_is_not_in_a_list_is_taken_as_well(orders: OrdersRoad) -> None:
    orders.stock(hex_bolt=10, hex_nut=10)

    orders.run(message("one"), "batch", "OrderBatch")

    assert orders.finished(name_of("one")).status == "SUCCEEDED"


@pytest.mark.parametrize("nameless", [{"detail": {}}, {}, 7])
def test_message_without_an_order_fails_the_batch_and_says_so(
    orders: OrdersRoad, nameless: Any
) -> None:
    orders.stock(hex_bolt=10, hex_nut=10)

    batch = orders.run([message("one"), nameless], "batch", "OrderBatch")

    assert (batch.status, batch.error) == ("FAILED", "SomeNotStarted")
    outcomes = [line["outcome"] for line in json.loads(batch.cause)]
    assert outcomes == ["STARTED", "NOT_STARTED"]
    assert orders.finished(name_of("one")).status == "SUCCEEDED"
