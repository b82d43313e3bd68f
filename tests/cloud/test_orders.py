"""Orders, deployed beside Mailroom: what becomes of a purchase order in the bucket."""

import json
import subprocess
import sys
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pytest
from boto3.dynamodb.types import TypeDeserializer

from mailroom_desk.cloud.deploy import find_stack
from mailroom_desk.cloud.state import Cloud
from mailroom_desk.cloud.up import PROJECT, up
from mailroom_desk.events.explain import explain

from .conftest import SETTINGS
from .machines import wait_for

APPLICATION = PROJECT / "reactions" / "orders"
EVENT = APPLICATION / "events" / "purchase-order-stored.json"
STOCK = APPLICATION / "stock.json"
# The lines of samples/PO-7781.pdf.
SHIPPED_ITEMS = {
    "glass-beaker-250-ml": 48,
    "graduated-cylinder-100-ml": 24,
    "nitrile-gloves-m-box-of-100": 30,
    "safety-goggles-anti-fog": 20,
    "magnetic-stirrer-with-heater": 2,
}
DEMO_SECONDS = 480  # a bound for a test that would otherwise hang, not a measurement


@dataclass
class Orders:
    """The stack of the orders, and what is asked of it."""

    cloud: Cloud
    outputs: dict[str, str]

    def stock(self, sku: str, amount: int) -> None:
        item = {"sku": {"S": sku}, "stock": {"N": str(amount)}}
        self.cloud.client("dynamodb").put_item(TableName=self.outputs["InventoryTable"], Item=item)

    def rows(self, table: str) -> list[dict[str, Any]]:
        pages = self.cloud.client("dynamodb").get_paginator("scan")
        read = TypeDeserializer().deserialize
        return [
            {name: read(value) for name, value in item.items()}
            for page in pages.paginate(TableName=self.outputs[table])
            for item in page["Items"]
        ]

    def in_stock(self) -> dict[str, int]:
        return {row["sku"]: int(row["stock"]) for row in self.rows("InventoryTable")}

    def status(self, order_id: str) -> str:
        statuses = {row["order_id"]: row["status"] for row in self.rows("OrdersTable")}
        return str(statuses.get(order_id, ""))

    def balance(self, order_id: str) -> Decimal:
        own = [row for row in self.rows("LedgerTable") if row["order_id"] == order_id]
        signs = {"charge": 1, "refund": -1}
        return sum((signs[row["kind"]] * row["amount"] for row in own), Decimal())

    def becomes(self, order_id: str, *statuses: str) -> str:
        """Wait for one of the statuses."""
        return wait_for(lambda: found if (found := self.status(order_id)) in statuses else None)

    def announce(self, *orders: tuple[str, str, dict[str, str]]) -> None:
        """Put events on Mailroom's bus, as Mailroom does: id, total and quantities by item."""
        event = json.loads(EVENT.read_text("utf-8"))
        for order_id, total, lines in orders:
            items = [{"description": sku, "quantity": lines[sku]} for sku in lines]
            fields = {**event["detail"]["fields"], "total": total, "line_items": items}
            detail = {**event["detail"], "document_id": order_id, "fields": fields}
            entry = {
                "EventBusName": self.cloud.bus,
                "Source": event["source"],
                "DetailType": event["detail-type"],
                "Detail": json.dumps(detail),
            }
            self.cloud.client("events").put_events(Entries=[entry])

    def messages(self, queue: str) -> list[dict[str, Any]]:
        sqs, found = self.cloud.client("sqs"), []
        while batch := sqs.receive_message(
            QueueUrl=self.outputs[queue], MaxNumberOfMessages=10
        ).get("Messages"):
            for message in batch:
                found.append(json.loads(message["Body"]))
                sqs.delete_message(
                    QueueUrl=self.outputs[queue], ReceiptHandle=message["ReceiptHandle"]
                )
        return found


@pytest.fixture(scope="session")
def orders(cloud: Cloud) -> Iterator[Orders]:
    """Both stacks; a second `up` deploys the other one to the same cloud."""
    build = PROJECT / ".mailroom" / "build"
    up(cloud.folder, build=build, settings=SETTINGS, beside=["orders"], detach=False)
    stack = find_stack("orders", cloud.environment)
    assert stack is not None
    yield Orders(cloud, {each["OutputKey"]: each["OutputValue"] for each in stack["Outputs"]})


def new() -> str:
    return f"test-{uuid.uuid4().hex[:12]}"


def test_demo_ships_what_is_in_stock_undoes_what_is_not_and_lets_the_large_one_wait(
    cloud: Cloud, orders: Orders
) -> None:
    before = {row["order_id"] for row in orders.rows("OrdersTable")}

    demo = subprocess.run(
        [sys.executable, APPLICATION / "demo.py", cloud.bucket],
        env=cloud.environment,
        capture_output=True,
        text=True,
        timeout=DEMO_SECONDS,
    )

    assert demo.returncode == 0, demo.stdout + demo.stderr
    rows = [row for row in orders.rows("OrdersTable") if row["order_id"] not in before]
    ids = {row["status"]: row["order_id"] for row in rows}
    assert ids.keys() == {"SHIPPED", "INVENTORY_FAILED", "ON_HOLD"}
    balances = {status: orders.balance(order_id) for status, order_id in ids.items()}
    assert balances == {"SHIPPED": Decimal("1677.98"), "INVENTORY_FAILED": 0, "ON_HOLD": 0}
    reserved: dict[str, set[str]] = {}
    for row in orders.rows("ReservationsTable"):
        reserved.setdefault(row["order_id"], set()).add(row["state"])
    assert reserved[ids["INVENTORY_FAILED"]] == {"RELEASED"}
    assert reserved[ids["SHIPPED"]] == {"RESERVED"}
    assert ids["ON_HOLD"] not in reserved
    (wanted,) = json.loads(STOCK.read_text("utf-8")).values()
    stock = {put["PutRequest"]["Item"]["sku"]["S"]: put["PutRequest"]["Item"] for put in wanted}
    left = orders.in_stock()
    taken = {sku: int(item["stock"]["N"]) - left[sku] for sku, item in stock.items()}
    assert {sku: number for sku, number in taken.items() if number} == SHIPPED_ITEMS


def test_large_order_waits_and_is_undone_when_it_is_stopped(cloud: Cloud, orders: Orders) -> None:
    order_id, sku = new(), new()
    orders.stock(sku, 5)
    states = cloud.client("stepfunctions")

    orders.announce((order_id, "9000.00", {sku: "2"}))

    orders.becomes(order_id, "ON_HOLD")
    (row,) = [row for row in orders.rows("OrdersTable") if row["order_id"] == order_id]
    assert states.describe_execution(executionArn=row["owner"])["status"] == "RUNNING"
    states.stop_execution(executionArn=row["owner"])
    orders.becomes(order_id, "ORDER_FAILED")
    assert orders.in_stock()[sku] == 5
    assert orders.balance(order_id) == 0


def test_crowd_of_orders_takes_what_there_is_and_no_more(orders: Orders) -> None:
    sku, ids = new(), [new() for _ in range(40)]
    orders.stock(sku, 50)

    orders.announce(*((order_id, "10.00", {sku: "2"}) for order_id in ids))

    ends = [orders.becomes(each, "SHIPPED", "INVENTORY_FAILED", "ORDER_FAILED") for each in ids]
    assert (ends.count("SHIPPED"), ends.count("INVENTORY_FAILED")) == (25, 15)
    assert orders.in_stock()[sku] == 0
    assert sum(orders.balance(each) for each in ids) == 250


def test_invoices_go_to_a_queue_by_content_and_other_classes_nowhere(
    cloud: Cloud, orders: Orders
) -> None:
    event = json.loads(EVENT.read_text("utf-8"))
    ids = {each: new() for each in ("invoice", "receipt")}
    for document_class, identity in ids.items():
        detail = {**event["detail"], "document_class": document_class, "document_id": identity}
        entry = {
            "EventBusName": cloud.bus,
            "Source": "mailroom",
            "DetailType": "DocumentStored",
            "Detail": json.dumps(detail),
        }
        cloud.client("events").put_events(Entries=[entry])

    invoices = wait_for(
        lambda: [
            each
            for each in orders.messages("InvoiceQueueUrl")
            if each["detail"]["document_id"] in ids.values()
        ]
    )

    explained = {
        each.rule: each
        for each in explain(cloud.client("events"), cloud.bus, event | {"detail": detail})
    }
    for rule in ("orders-invoices", "orders-purchase-orders"):
        assert not explained[rule].takes_it
        assert any("document_class" in why for why in explained[rule].misses)
    (invoice,) = invoices
    assert invoice["detail"]["document_id"] == ids["invoice"]
    assert invoice.keys() == event.keys()
    assert orders.status(ids["receipt"]) == orders.status(ids["invoice"]) == ""


def test_orders_of_another_system_come_through_the_pipe(cloud: Cloud, orders: Orders) -> None:
    good, bad, sku = new(), new(), new()
    orders.stock(sku, 5)
    hostile = """a"b{}\\c'\n注文"""

    def message(order_id: str, quantity: Any) -> str:
        line = {"sku": sku, "quantity": quantity}
        order = {"po_number": hostile, "total": "12.50", "line_items": [line]}
        return json.dumps({"kind": "order", "order_id": order_id, "order": order})

    for body in ("no JSON", '{"kind": "greeting"}', message(bad, "many"), message(good, 2)):
        cloud.client("sqs").send_message(
            QueueUrl=orders.outputs["IncomingQueueUrl"], MessageBody=body
        )

    assert orders.becomes(good, "SHIPPED", "ORDER_FAILED", "INVENTORY_FAILED") == "SHIPPED"
    assert orders.becomes(bad, "SHIPPED", "ORDER_FAILED", "INVENTORY_FAILED") == "ORDER_FAILED"
    assert orders.in_stock()[sku] == 3
    assert orders.balance(good) == Decimal("12.50")
