"""Read an order out of a document's fields.

Comes in: the order's id, and the detail of a DocumentStored event.
Goes out: the order as the state machine works on it. Amounts are texts: DynamoDB takes numbers so,
and nothing is rounded on the way; `value` is a number, for comparing alone.
Raises: BadOrder where a line or the total is missing or makes no sense.
"""

import re
import unicodedata
from decimal import Decimal, InvalidOperation
from typing import Any

from aws_lambda_powertools import Logger
from aws_lambda_powertools.utilities.typing import LambdaContext

from orders.errors import BadOrder

MAX_LINES = 200
MAX_QUANTITY = 1_000_000
_MAX_SKU = 100

logger = Logger(service="orders")


def sku_of(line: dict[str, Any]) -> str:
    """The item's key in the stock: its number where the line has one, else its description.

    Case, accents, spaces and punctuation differ between papers about the same item.
    """
    named = next((line[key] for key in ("sku", "item_number", "description") if line.get(key)), "")
    plain = unicodedata.normalize("NFKD", str(named).casefold())
    letters = "".join(each for each in plain if not unicodedata.combining(each))
    return "-".join(re.findall(r"\w+", letters))[:_MAX_SKU]


def read_order(detail: dict[str, Any]) -> dict[str, Any]:
    """The order that a document's fields tell of."""
    fields = detail.get("fields") or {}
    lines = fields.get("line_items") or []
    if not isinstance(lines, list) or not lines:
        raise BadOrder("The order has no line items.")
    if len(lines) > MAX_LINES:
        raise BadOrder(f"The order has {len(lines)} line items, and {MAX_LINES} is the most.")
    total = _decimal(fields.get("total"), "The order's total")
    return {
        "po_number": str(fields.get("po_number") or ""),
        "currency": str(fields.get("currency") or ""),
        "total": str(total),
        "value": float(total),
        "items": [_item(number, line) for number, line in enumerate(lines, start=1)],
    }


def _item(number: int, line: Any) -> dict[str, str]:
    where = f"Line {number}"
    if not isinstance(line, dict) or not (sku := sku_of(line)):
        raise BadOrder(f"{where} does not say what is ordered.")
    quantity = _decimal(line.get("quantity"), f"{where}'s quantity")
    if quantity != quantity.to_integral_value() or not 0 < quantity <= MAX_QUANTITY:
        raise BadOrder(f"{where}'s quantity is not a whole number from 1 to {MAX_QUANTITY}.")
    return {"line": f"{number:03}", "sku": sku, "quantity": str(int(quantity))}


def _decimal(value: Any, what: str) -> Decimal:
    try:
        number = Decimal(str(value))
    except InvalidOperation:
        number = Decimal("NaN")
    if not number.is_finite():
        raise BadOrder(f"{what} is not a number.")
    return number


@logger.inject_lambda_context(clear_state=True)
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Read the order of an event."""
    order = read_order(event["detail"])
    logger.info("Order read", order_id=event["order_id"], lines=len(order["items"]))
    return order
