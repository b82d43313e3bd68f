"""Three purchase orders, from the document in the bucket to the end of the order.

    python reactions/orders/demo.py BUCKET

BUCKET is Mailroom's. The stock of stock.json is put into the table first, over what it has for
those goods. Needs boto3, and finds the cloud as every AWS tool does (`AWS_ENDPOINT_URL` for the
local one, as `mailroom demo --with orders` sets it). Ends with 0 when one order was shipped, one
undone and one waits.
"""

import json
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import boto3

HERE = Path(__file__).resolve().parent
SAMPLES = HERE.parents[1] / "samples"
# What the stock makes of each: there is enough, there is too little, and the total is large.
EXPECTED = {
    "PO-7781.pdf": "SHIPPED",
    "scan0042.pdf": "INVENTORY_FAILED",
    "order LX-10394.pdf": "ON_HOLD",
}
AT_REST = {"SHIPPED", "ORDER_FAILED", "INVENTORY_FAILED", "MANUAL_REVIEW", "ON_HOLD"}
STACK = "orders"
SECONDS = 300
PATIENCE_SECONDS = 30


class Cloud:
    """The orders' tables and queue, and the bucket that documents are dropped in."""

    def __init__(self, bucket: str) -> None:
        stack = boto3.client("cloudformation").describe_stacks(StackName=STACK)["Stacks"][0]
        self._outputs = {each["OutputKey"]: each["OutputValue"] for each in stack["Outputs"]}
        self._bucket = bucket
        self._tables = boto3.resource("dynamodb")
        self._s3, self._sqs = boto3.client("s3"), boto3.client("sqs")

    def rows(self, output: str) -> list[dict[str, Any]]:
        """All that a table holds; tables of a demo are small."""
        return list(self._tables.Table(self._outputs[output]).scan(ConsistentRead=True)["Items"])

    def fill_the_stock(self) -> None:
        (wanted,) = json.loads((HERE / "stock.json").read_text("utf-8")).values()
        table = self._tables.Table(self._outputs["InventoryTable"])
        for put in wanted:
            item = put["PutRequest"]["Item"]
            table.put_item(Item={"sku": item["sku"]["S"], "stock": int(item["stock"]["N"])})

    def stock(self) -> dict[str, int]:
        return {row["sku"]: int(row["stock"]) for row in self.rows("InventoryTable")}

    def drop(self, name: str, key: str) -> None:
        self._s3.put_object(Bucket=self._bucket, Key=key, Body=(SAMPLES / name).read_bytes())

    def copies(self, keys: set[str]) -> Iterator[dict[str, Any]]:
        """The events about these documents, from the queue that gets a copy of each."""
        queue = self._outputs["PurchaseOrderQueueUrl"]
        found = self._sqs.receive_message(
            QueueUrl=queue, MaxNumberOfMessages=10, WaitTimeSeconds=1, VisibilityTimeout=5
        )
        for message in found.get("Messages", ()):
            detail = json.loads(message["Body"])["detail"]
            # What is not the demo's stays in the queue.
            if detail.get("key") in keys:
                self._sqs.delete_message(QueueUrl=queue, ReceiptHandle=message["ReceiptHandle"])
                yield detail


def main(bucket: str, say: Callable[[str], None] = print) -> int:
    """Drop the documents, follow their orders, and show what became of them."""
    cloud, run = Cloud(bucket), uuid.uuid4().hex[:6]
    cloud.fill_the_stock()
    before = cloud.stock()
    keys = {f"incoming/orders-{run}/{name}": name for name in EXPECTED}
    for key, name in keys.items():
        cloud.drop(name, key)
        say(f"Dropped {key}")
    say("Mailroom reads them, and announces each; the rule starts an order …")

    stored: dict[str, dict[str, Any]] = {}
    ended: dict[str, dict[str, Any]] = {}
    begun, asked = time.monotonic(), 0.0
    while len(ended) < len(keys) and (waited := time.monotonic() - begun) < SECONDS:
        if waited > asked + PATIENCE_SECONDS:
            asked = waited
            waiting = ", ".join(name for name in EXPECTED if name not in stored)
            say(f"Not stored yet: {waiting or 'none'}. See: mailroom list")
        stored |= {keys[detail["key"]]: detail for detail in cloud.copies(set(keys))}
        orders = {row["order_id"]: row for row in cloud.rows("OrdersTable")}
        for name, detail in stored.items():
            row = orders.get(detail["document_id"])
            if row and row["status"] in AT_REST and name not in ended:
                ended[name] = row
                say(f"{name}: {row['status']}")

    say("")
    for line in _table(stored, ended):
        say(line)
    _account(cloud, before, {row["order_id"] for row in ended.values()}, say)
    return 0 if {name: row["status"] for name, row in ended.items()} == EXPECTED else 1


def _table(stored: dict[str, Any], ended: dict[str, Any]) -> Iterator[str]:
    yield f"{'Document':<20}{'Total':>12}   {'Order':<18}Why"
    for name in EXPECTED:
        fields = stored.get(name, {}).get("fields", {})
        total = f"{fields.get('total', '')} {fields.get('currency', '')}"
        row = ended.get(name, {})
        status = row.get("status", "–" if name in stored else "not stored in time")
        yield f"{name:<20}{total:>12}   {status:<18}{_why(row)}"


def _why(row: dict[str, Any]) -> str:
    if row.get("status") == "ON_HOLD":
        return "its total is large: it goes on later, unless its execution is stopped"
    if "failure" not in row:
        return ""
    failure = json.loads(row["failure"])
    if failure["Error"] != "InventoryFailed":
        return str(failure["Error"])
    lines = [line for line in json.loads(failure["Cause"]) if line.get("outcome") != "RESERVED"]
    return "; ".join(f"{line['quantity']} × {line['sku']}: {line['reason']}" for line in lines)


def _account(
    cloud: Cloud, before: dict[str, int], orders: set[str], say: Callable[[str], None]
) -> None:
    after = cloud.stock()
    taken = {sku: before[sku] - after[sku] for sku in before if before[sku] != after[sku]}
    say("")
    say("Taken from the stock: " + (", ".join(f"{n} × {sku}" for sku, n in taken.items()) or "–"))
    sums = {"charge": Decimal(), "refund": Decimal()}
    for entry in cloud.rows("LedgerTable"):
        if entry["order_id"] in orders:
            sums[entry["kind"]] += entry["amount"]
    say(f"Charged {sums['charge']}, given back {sums['refund']}.")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
