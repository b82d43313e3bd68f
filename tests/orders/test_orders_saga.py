"""One order at a time: where each road of the saga ends, and what it leaves behind."""

import json
from decimal import Decimal
from typing import Any

import pytest
from orders_road import HOLD_SECONDS, OrdersRoad, order

BUSY = "InternalServerError"
# More often than any ladder climbs.
FOR_EVER = 400


def nothing_is_left(orders: OrdersRoad, **stock: int) -> None:
    """Stock and ledger are as they were before."""
    assert orders.in_stock() == {sku.replace("_", "-"): amount for sku, amount in stock.items()}
    assert orders.reserved() == {}
    assert orders.balances() == {}


def test_order_is_reserved_charged_confirmed_and_shipped(orders: OrdersRoad) -> None:
    orders.stock(hex_bolt=10, hex_nut=10)

    execution = orders.run(order())

    assert execution.status == "SUCCEEDED", execution.cause
    assert orders.status() == "SHIPPED"
    assert orders.in_stock() == {"hex-bolt": 8, "hex-nut": 7}
    assert orders.reserved() == {"hex-bolt": 2, "hex-nut": 3}
    assert orders.balances() == {"po-1": Decimal("300.00")}
    (confirmed,) = orders.confirmed
    assert (confirmed["Source"], confirmed["DetailType"]) == ("orders", "OrderConfirmed")
    assert orders.waits == []


@pytest.mark.parametrize("short", [("Hex nut", "11"), ("Left-handed screwdriver", "1")])
def test_order_short_of_an_item_releases_what_it_reserved(
    orders: OrdersRoad, short: tuple[str, str]
) -> None:
    orders.stock(hex_bolt=10, hex_nut=10)

    execution = orders.run(order("po-1", "9.00", ("Hex bolt", "2"), short, ("hex  BOLT.", 3)))

    assert (execution.status, execution.error) == ("FAILED", "InventoryFailed")
    reason = "TooLittleStock" if short[0] == "Hex nut" else "UnknownItem"
    assert reason in execution.cause
    assert orders.status() == "INVENTORY_FAILED"
    assert "ChargeFunction" not in orders.invoked and "RefundFunction" not in orders.invoked
    nothing_is_left(orders, hex_bolt=10, hex_nut=10)
    assert orders.confirmed == []


def test_event_that_comes_twice_is_fulfilled_once(orders: OrdersRoad) -> None:
    orders.stock(hex_bolt=10, hex_nut=10)

    orders.run(order())
    second = orders.run(order(), "second")

    assert second.status == "SUCCEEDED" and second.states[-1] == "TakenAlready"
    assert orders.in_stock() == {"hex-bolt": 8, "hex-nut": 7}
    assert orders.balances() == {"po-1": Decimal("300.00")}


def test_parts_of_a_document_are_orders_of_their_own(orders: OrdersRoad) -> None:
    orders.stock(hex_bolt=10, hex_nut=10)

    for part in (1, 2):
        orders.run(order(part=part), f"part-{part}")

    assert orders.status("po-1-1") == orders.status("po-1-2") == "SHIPPED"
    assert orders.in_stock() == {"hex-bolt": 6, "hex-nut": 4}


def test_negative_total_cannot_be_charged_and_leaves_nothing(orders: OrdersRoad) -> None:
    orders.stock(hex_bolt=10, hex_nut=10)

    execution = orders.run(order(total="-12.00"))

    assert (execution.status, execution.error) == ("FAILED", "OrderFailed")
    assert "PaymentRefused" in execution.cause
    assert orders.status() == "ORDER_FAILED"
    nothing_is_left(orders, hex_bolt=10, hex_nut=10)


@pytest.mark.parametrize(
    "event",
    [
        order("po-1", "many"),
        order("po-1", None),
        order("po-1", "1.00", ("Hex bolt", "2.5")),
        order("po-1", "1.00", ("Hex bolt", "-2")),
        order("po-1", "1.00", ("Hex bolt", None)),
        order("po-1", "1.00", ("!", "1")),
        order(fields={"total": "1.00"}),
        order(fields={}),
    ],
)
def test_what_is_no_order_fails_before_anything_is_taken(
    orders: OrdersRoad, event: dict[str, Any]
) -> None:
    orders.stock(hex_bolt=10)

    execution = orders.run(event)

    assert (execution.status, execution.error) == ("FAILED", "OrderFailed")
    assert "BadOrder" in execution.cause
    assert orders.status() == "ORDER_FAILED"
    assert orders.rows("Reservations") == orders.rows("Ledger") == []


def test_large_order_is_held_and_goes_on(orders: OrdersRoad) -> None:
    orders.stock(hex_bolt=10, hex_nut=10)

    execution = orders.run(order(total="5000.01"))

    states = execution.states
    assert orders.held == [HOLD_SECONDS]
    assert states.index("MarkOnHold") < states.index("FraudHold") < states.index("Reserve")
    assert orders.status() == "SHIPPED"


def test_order_at_the_limit_is_not_held(orders: OrdersRoad) -> None:
    orders.stock(hex_bolt=10, hex_nut=10)

    orders.run(order(total="5000.00"))

    assert orders.held == [] and orders.status() == "SHIPPED"


def test_very_large_order_is_left_to_a_person_untouched(orders: OrdersRoad) -> None:
    orders.stock(hex_bolt=10, hex_nut=10)

    execution = orders.run(order(total="50000.01"))

    assert (execution.status, execution.error) == ("FAILED", "ManualReview")
    assert orders.status() == "MANUAL_REVIEW"
    assert orders.held == [] and orders.rows("Ledger") == []
    nothing_is_left(orders, hex_bolt=10, hex_nut=10)


# -- lost answers ---------------------------------------------------------------------------------

CALLS = [
    "PutItem orders",
    "TransactWriteItems reservations",
    "TransactWriteItems ledger",
    "ChargeFunction",
    "UpdateItem orders",
]


@pytest.mark.parametrize("call", CALLS)
def test_lost_answer_is_asked_for_again_and_takes_nothing_twice(
    orders: OrdersRoad, call: str
) -> None:
    orders.stock(hex_bolt=10, hex_nut=10)
    orders.lost[call] = 2

    assert orders.run(order()).status == "SUCCEEDED"

    assert len(orders.waits) == 2
    assert orders.in_stock() == {"hex-bolt": 8, "hex-nut": 7}
    assert orders.balances() == {"po-1": Decimal("300.00")}


@pytest.mark.parametrize("call", ["TransactWriteItems reservations", "ChargeFunction"])
def test_what_was_done_without_an_answer_is_undone(orders: OrdersRoad, call: str) -> None:
    """Reservation and charge are there, although no try ever said so."""
    orders.stock(hex_bolt=10)
    rungs = 11 if call.startswith("Transact") else 6
    orders.lost[call] = rungs

    execution = orders.run(order("po-1", "300.00", ("Hex bolt", "2")))

    assert orders.lost[call] == 0
    if call == "ChargeFunction":
        assert execution.error == "OrderFailed"
        kinds = {row["kind"]: row["amount"] for row in orders.rows("Ledger")}
        assert kinds == {"charge": Decimal("300.00"), "refund": Decimal("300.00")}
    else:
        assert execution.error == "InventoryFailed"
    nothing_is_left(orders, hex_bolt=10)


def test_shipment_without_an_answer_is_not_undone(orders: OrdersRoad) -> None:
    orders.stock(hex_bolt=10, hex_nut=10)
    orders.lost["UpdateItem orders"] = 11

    execution = orders.run(order())

    assert execution.states[-2:] == ["StopShipment", "Done"]
    assert orders.status() == "SHIPPED"
    assert orders.balances() == {"po-1": Decimal("300.00")}
    assert orders.reserved() == {"hex-bolt": 2, "hex-nut": 3}


def test_order_whose_shipment_fails_is_paid_back_and_released(orders: OrdersRoad) -> None:
    orders.stock(hex_bolt=10, hex_nut=10)
    orders.failures["UpdateItem orders"] = [BUSY] * 11

    execution = orders.run(order())

    assert (execution.error, orders.status()) == ("OrderFailed", "ORDER_FAILED")
    states = execution.states
    assert states.index("StopShipment") < states.index("Refund") < states.index("Release")
    nothing_is_left(orders, hex_bolt=10, hex_nut=10)


def test_order_is_shipped_also_where_nobody_could_be_told(orders: OrdersRoad) -> None:
    orders.stock(hex_bolt=10, hex_nut=10)
    orders.failures["PutEvents"] = ["ValidationException"] * FOR_EVER

    execution = orders.run(order())

    assert (execution.status, orders.status()) == ("SUCCEEDED", "SHIPPED")
    assert execution.output["told"]["word"] == {"notified": False}


# -- compensations that fail themselves -----------------------------------------------------------


def test_compensation_is_retried_until_it_is_done_and_done_once(orders: OrdersRoad) -> None:
    orders.stock(hex_bolt=10, hex_nut=10)
    orders.failures["RefundFunction"] = ["StorageUnavailable"] * 30
    orders.lost["TransactWriteItems ledger"] = 3
    orders.failures["UpdateItem orders"] = [BUSY] * 31

    execution = orders.run(order())

    assert execution.error == "OrderFailed"
    assert orders.status() == "ORDER_FAILED"
    nothing_is_left(orders, hex_bolt=10, hex_nut=10)


def parked(orders: OrdersRoad) -> dict[str, Any]:
    """An order that was charged, whose shipment and whose refund fail for good."""
    orders.stock(hex_bolt=10, hex_nut=10)
    orders.failures["UpdateItem orders"] = [BUSY] * 11
    orders.failures["RefundFunction"] = ["ZeroDivisionError"]
    execution = orders.run(order())
    assert (execution.status, execution.error) == ("FAILED", "CompensationUnfinished")
    assert orders.status() == "COMPENSATING"
    (message,) = orders.stuck()
    assert message["stuck"]["Error"] == "ZeroDivisionError"
    return message


def test_stuck_compensation_goes_on_from_its_message(orders: OrdersRoad) -> None:
    message = parked(orders)

    execution = orders.run(message, "again")

    assert (execution.error, orders.status()) == ("OrderFailed", "ORDER_FAILED")
    nothing_is_left(orders, hex_bolt=10, hex_nut=10)
    # Once more is not once too often.
    orders.run(message, "and again")
    nothing_is_left(orders, hex_bolt=10, hex_nut=10)


@pytest.mark.parametrize("acts", [True, False])
def test_order_that_could_not_be_claimed_begins_again_from_its_message(
    orders: OrdersRoad, acts: bool
) -> None:
    orders.stock(hex_bolt=10, hex_nut=10)
    if acts:
        orders.lost["PutItem orders"] = 11
    else:
        orders.failures["PutItem orders"] = ["ValidationException"]
    assert orders.run(order()).status == "FAILED"
    (message,) = orders.stuck()

    assert orders.run(message, "again").status == "SUCCEEDED"

    assert orders.status() == "SHIPPED"
    assert orders.balances() == {"po-1": Decimal("300.00")}


def test_what_is_resumed_is_not_given_up_because_it_could_not_be_read(orders: OrdersRoad) -> None:
    message = parked(orders)
    orders.failures["ReadFunction"] = ["ZeroDivisionError"]

    assert orders.run(message, "again").error == "CompensationUnfinished"

    (message,) = orders.stuck()
    assert orders.run(message, "and again").error == "OrderFailed"
    nothing_is_left(orders, hex_bolt=10, hex_nut=10)


def test_line_that_cannot_be_released_does_not_keep_the_others(orders: OrdersRoad) -> None:
    orders.stock(hex_bolt=10, hex_nut=10)
    # Reserved in the first two; the third, a release, fails for good.
    orders.failures["UpdateItem orders"] = [BUSY] * 11
    orders.failures["RefundFunction"] = ["ZeroDivisionError"]
    orders.run(order())
    (message,) = orders.stuck()
    orders.failures["TransactWriteItems reservations"] = ["ValidationException"]

    execution = orders.run(message, "again")

    assert execution.error == "CompensationUnfinished"
    assert sorted(orders.reserved().values()) in ([2], [3])
    (message,) = orders.stuck()
    assert orders.run(message, "and again").error == "OrderFailed"
    nothing_is_left(orders, hex_bolt=10, hex_nut=10)


def test_message_that_could_not_be_sent_ends_no_less_clearly(orders: OrdersRoad) -> None:
    orders.stock(hex_bolt=10, hex_nut=10)
    orders.failures["UpdateItem orders"] = [BUSY] * 11
    orders.failures["RefundFunction"] = ["ZeroDivisionError"]
    orders.failures["SendMessage"] = [BUSY] * FOR_EVER

    assert orders.run(order()).error == "CompensationUnfinished"
    assert orders.status() == "COMPENSATING"


# -- executions that are ended from outside -------------------------------------------------------


def ended(execution: Any, event: Any, status: str = "ABORTED") -> dict[str, Any]:
    """What EventBridge tells of an execution that was ended."""
    detail = {"executionArn": execution, "status": status, "input": json.dumps(event)}
    return {"source": "aws.states", "detail": detail}


def left_behind(orders: OrdersRoad) -> str:
    """An order that is reserved, charged, and nobody's."""
    parked(orders)
    (row,) = orders.rows("Orders")
    return str(row["owner"])


@pytest.mark.parametrize("status", ["ABORTED", "TIMED_OUT"])
def test_order_of_an_aborted_execution_is_undone(orders: OrdersRoad, status: str) -> None:
    owner = left_behind(orders)

    execution = orders.run(ended(owner, order(), status), "rescue")

    assert (execution.error, orders.status()) == ("OrderFailed", "ORDER_FAILED")
    assert status in execution.cause
    nothing_is_left(orders, hex_bolt=10, hex_nut=10)


def test_rescue_that_is_aborted_is_rescued(orders: OrdersRoad) -> None:
    rescue = ended(left_behind(orders), order())

    execution = orders.run(ended("arn:of:the:rescue", rescue), "rescue of the rescue")

    assert execution.error == "OrderFailed"
    nothing_is_left(orders, hex_bolt=10, hex_nut=10)


def test_abort_of_an_execution_that_began_again_undoes_the_order(orders: OrdersRoad) -> None:
    owner = left_behind(orders)
    again = {"source": "orders", "detail": order()["detail"], "owner": owner, "stuck": {}}

    execution = orders.run(ended("arn:of:the:second", again), "rescue")

    assert execution.error == "OrderFailed"
    nothing_is_left(orders, hex_bolt=10, hex_nut=10)


def test_abort_of_a_second_delivery_leaves_the_order_alone(orders: OrdersRoad) -> None:
    orders.stock(hex_bolt=10, hex_nut=10)
    orders.run(order())

    execution = orders.run(ended("arn:of:another", order()), "rescue")

    assert execution.status == "SUCCEEDED"
    assert orders.status() == "SHIPPED"
    assert orders.balances() == {"po-1": Decimal("300.00")}


# -- values ---------------------------------------------------------------------------------------


def test_ids_stay_texts_and_amounts_exact(orders: OrdersRoad) -> None:
    orders.stock(hex_bolt=10)

    orders.run(order("0012", "10.10", ("Hex bolt", 2)))

    (row,) = orders.dynamodb.scan(TableName=orders.names["Orders"])["Items"]
    (charge,) = orders.dynamodb.scan(TableName=orders.names["Ledger"])["Items"]
    assert row["order_id"] == {"S": "0012"}
    assert charge["order_id"] == {"S": "0012"}
    assert Decimal(charge["amount"]["N"]) == Decimal("10.10")


def test_hostile_texts_arrive_unchanged(orders: OrdersRoad) -> None:
    orders.stock(hex_bolt=10)
    hostile = """a"b{}\\c'\n注文 {0} $.x"""
    event = order("po-1", "10.10", ("Hex bolt", 2))
    event["detail"]["fields"]["po_number"] = hostile

    orders.run(event)

    (confirmed,) = orders.confirmed
    assert json.loads(confirmed["Detail"])["po_number"] == hostile
