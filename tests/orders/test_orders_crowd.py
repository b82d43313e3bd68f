"""Many orders at once, with failures at every step: stock and ledger add up exactly."""

import random
from collections import Counter
from decimal import Decimal

from orders_road import OrdersRoad, Trouble, order

ORDERS = 200
STOCK = {"hex-bolt": 260, "hex-nut": 5000, "washer": 60, "spring": 5000}
STEPS = {
    "PutItem orders",
    "ReadFunction",
    "UpdateItem orders",
    "GetItem inventory",
    "TransactWriteItems reservations",
    "ChargeFunction",
    "GetItem ledger",
    "TransactWriteItems ledger",
    "PutEvents",
    "RefundFunction",
    "UpdateItem reservations",
}


def test_stock_and_ledger_add_up_after_200_orders_with_failures_at_every_step(
    orders: OrdersRoad,
) -> None:
    dice = random.Random(5)
    wanted: dict[str, tuple[Decimal, dict[str, int]]] = {}
    for number in range(ORDERS):
        skus = dice.sample(sorted(STOCK), dice.randint(1, 3))
        # One of 20 is larger than a machine decides, one of 20 cannot be charged.
        total = Decimal(dice.choice(["60000", "-5"]) if not number % 10 else dice.randint(1, 9000))
        wanted[f"po-{number}"] = (total, {sku: dice.randint(1, 5) for sku in skus})
    orders.stock(**{sku.replace("-", "_"): amount for sku, amount in STOCK.items()})
    orders.trouble = Trouble(chance=0.1, dice=dice)

    started = []
    for order_id, (total, lines) in wanted.items():
        event = order(order_id, str(total), *lines.items())
        deliveries = 2 if dice.random() < 0.1 else 1
        for delivery in range(deliveries):
            started.append(f"{order_id}-{delivery}")
            orders.start(event, started[-1])
    ends = Counter(orders.finished(name).error or "SUCCEEDED" for name in started)
    failed = orders.trouble.failed
    rounds = 0
    while stuck := orders.stuck():
        rounds += 1
        orders.trouble.chance = 0.1 if rounds < 4 else 0
        for number, message in enumerate(stuck):
            orders.run(message, f"again-{rounds}-{number}")
    orders.trouble = None

    print(ends, dict(failed), f"{rounds} rounds")
    assert failed.keys() >= STEPS
    rows = {row["order_id"]: row["status"] for row in orders.rows("Orders")}
    shipped = {order_id for order_id, status in rows.items() if status == "SHIPPED"}
    assert len(shipped) > ORDERS / 4 and len(wanted) - len(shipped) > ORDERS / 10
    # Every order has ended, and nothing is half done.
    assert rows.keys() == wanted.keys()
    ends_of_orders = {"SHIPPED", "ORDER_FAILED", "INVENTORY_FAILED", "MANUAL_REVIEW"}
    assert set(rows.values()) <= ends_of_orders
    taken: Counter[str] = Counter()
    for order_id in shipped:
        taken.update(wanted[order_id][1])
    assert orders.reserved() == dict(taken)
    assert orders.in_stock() == {sku: amount - taken[sku] for sku, amount in STOCK.items()}
    assert min(orders.in_stock().values()) >= 0
    assert orders.balances() == {order_id: wanted[order_id][0] for order_id in shipped}
