"""Charge an order, and give the money back. Each happens once for an order, however often asked.

The ledger has at most two entries for an order, `charge` and `refund`. A refund where nothing was
charged is an entry over nothing: it keeps a charge out that is still on its way.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from decimal import Decimal
from functools import cache
from typing import Any

import boto3
from aws_lambda_powertools import Logger
from aws_lambda_powertools.utilities.typing import LambdaContext
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from orders.errors import PaymentRefused, StorageUnavailable

_CONDITION = "ConditionalCheckFailed"
# Any other reason of a cancelled transaction is a rival's, and passes.
_CANCELLED = "TransactionCanceledException"
_BUSY = {
    _CANCELLED,
    "ProvisionedThroughputExceededException",
    "ThrottlingException",
    "RequestLimitExceeded",
    "InternalServerError",
    "TransactionConflictException",
    "TransactionInProgressException",
}

logger = Logger(service="orders")


class Ledger:
    """What was charged and refunded: one item an order and kind of entry."""

    def __init__(self, table: str, api: Any) -> None:
        self._table = table
        self._dynamodb = api

    def entry(self, order_id: str, kind: str) -> Decimal | None:
        """The amount of an entry, or None where there is none."""
        with _faults():
            answer = self._dynamodb.get_item(
                TableName=self._table, Key=_key(order_id, kind), ConsistentRead=True
            )
        return Decimal(answer["Item"]["amount"]["N"]) if "Item" in answer else None

    def write(self, order_id: str, kind: str, amount: Decimal, *, without: str = "") -> bool:
        """Write an entry once, and only while there is none of kind `without`; False if not."""
        item = {
            **_key(order_id, kind),
            "amount": {"N": str(amount)},
            "at": {"S": datetime.now(UTC).isoformat(timespec="milliseconds")},
        }
        absent = {"TableName": self._table, "ConditionExpression": "attribute_not_exists(order_id)"}
        items: list[dict[str, Any]] = [{"Put": {**absent, "Item": item}}]
        if without:
            items.append({"ConditionCheck": {**absent, "Key": _key(order_id, without)}})
        try:
            with _faults():
                self._dynamodb.transact_write_items(TransactItems=items)
        except _ConditionFailed:
            return False
        return True


class _ConditionFailed(Exception):
    """A condition of the transaction did not hold."""


def charge(ledger: Ledger, order_id: str, amount: Decimal) -> Decimal:
    """Charge an order; the amount that the ledger has for it.

    Raises PaymentRefused on a negative total, and where the order has been refunded already.
    """
    if amount < 0:
        raise PaymentRefused("A negative total cannot be charged.")
    if ledger.write(order_id, "charge", amount, without="refund"):
        return amount
    charged = ledger.entry(order_id, "charge")
    if charged is None or ledger.entry(order_id, "refund") is not None:
        raise PaymentRefused("The order has been given up.")
    return charged


def refund(ledger: Ledger, order_id: str) -> Decimal:
    """Give back what was charged, which may be nothing; the amount given back."""
    given_back = ledger.entry(order_id, "refund")
    if given_back is not None:
        return given_back
    charged = ledger.entry(order_id, "charge")
    if charged is None:
        # A charge that comes between finds the entry, or makes this fail and be looked at again.
        written = ledger.write(order_id, "refund", Decimal(0), without="charge")
    else:
        written = ledger.write(order_id, "refund", charged)
    if not written:
        raise StorageUnavailable("The ledger changed meanwhile.")
    return charged or Decimal(0)


def _key(order_id: str, kind: str) -> dict[str, Any]:
    return {"order_id": {"S": order_id}, "kind": {"S": kind}}


@contextmanager
def _faults() -> Iterator[None]:
    """Turn the faults that pass into the error that the state machine retries."""
    try:
        yield
    except ClientError as error:
        code = error.response["Error"]["Code"]
        reasons: Any = error.response.get("CancellationReasons", ())
        if code == _CANCELLED and _CONDITION in {each.get("Code") for each in reasons}:
            raise _ConditionFailed from error
        if code in _BUSY:
            raise StorageUnavailable(code) from error
        raise
    except BotoCoreError as error:
        raise StorageUnavailable(type(error).__name__) from error


@cache
def _dynamodb() -> Any:
    # Exactly one layer retries: the state machine's Retry.
    config = Config(connect_timeout=3, read_timeout=5, retries={"total_max_attempts": 1})
    return boto3.client("dynamodb", config=config)


def _ledger() -> Ledger:
    return Ledger(os.environ["LEDGER_TABLE"], _dynamodb())


@logger.inject_lambda_context(clear_state=True)
def charge_handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Charge; what came in goes out again, with the payment beside it."""
    amount = charge(_ledger(), event["order_id"], Decimal(event["amount"]))
    logger.info("Charged", order_id=event["order_id"])
    return {**event, "payment": {"kind": "charge", "amount": str(amount)}}


@logger.inject_lambda_context(clear_state=True)
def refund_handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Refund; what came in goes out again, with the payment beside it."""
    amount = refund(_ledger(), event["order_id"])
    logger.info("Refunded", order_id=event["order_id"])
    return {**event, "payment": {"kind": "refund", "amount": str(amount)}}
