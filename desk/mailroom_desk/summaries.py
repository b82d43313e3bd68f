"""The text road at the desk: texts under `raw/`, and the rows of their summaries.

A row's `doc_key` is the key and the version of its file, so that each version has a row of its own.
It is WORKING while its execution runs, and then SUMMARISED or FAILED.
"""

from collections.abc import Collection, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from boto3.dynamodb.types import TypeDeserializer

from mailroom.prices import model_price
from mailroom_desk.documents import is_final, status
from mailroom_desk.stack import Stack

RAW = "raw/"
"""The prefix of the rule in the template."""
SUMMARISED = "SUMMARISED"

Row = dict[str, Any]

_DAYS_INDEX = "days"
_BATCH = 100  # keys of one BatchGetItem, says DynamoDB's API reference


def is_raw(prefix: str) -> bool:
    """Whether files with this prefix take the text road."""
    return f"{prefix.strip('/')}/".startswith(RAW)


def doc_key(key: str, version_id: str) -> str:
    """The row's key, as the state machine makes it."""
    return f"{key}#{version_id}"


class Summaries:
    """The summaries of one stack."""

    def __init__(self, stack: Stack) -> None:
        self._table = stack.summaries_table
        self._dynamodb = stack.client("dynamodb")

    def get_many(self, doc_keys: Collection[str]) -> dict[str, Row]:
        """Rows by key, read consistently; one that is not there or not answered now is left out."""
        rows: dict[str, Row] = {}
        names = list(doc_keys)
        for start in range(0, len(names), _BATCH):
            keys = [{"doc_key": {"S": name}} for name in names[start : start + _BATCH]]
            answer = self._dynamodb.batch_get_item(
                RequestItems={self._table: {"Keys": keys, "ConsistentRead": True}}
            )
            for item in answer["Responses"].get(self._table, []):
                row = _plain(item)
                rows[row["doc_key"]] = row
        return rows

    def latest(self, days: int) -> list[Row]:
        """The rows of the last days, today (UTC) included, the newest first."""
        today = datetime.now(UTC).date()
        return [
            row
            for back in range(days)
            for row in self._of((today - timedelta(days=back)).isoformat())
        ]

    def _of(self, day: str) -> Iterator[Row]:
        pages = self._dynamodb.get_paginator("query").paginate(
            TableName=self._table,
            IndexName=_DAYS_INDEX,
            KeyConditionExpression="#day = :day",
            ExpressionAttributeNames={"#day": "day"},
            ExpressionAttributeValues={":day": {"S": day}},
            ScanIndexForward=False,
        )
        for page in pages:
            yield from map(_plain, page["Items"])


def as_object(key: str, row: Mapping[str, Any] | None) -> dict[str, Any]:
    """One text as JSON takes it. Every name is always there."""
    row = row or {}
    price = price_usd(row)
    return {
        "key": key,
        "version_id": row.get("version_id"),
        "status": status(row),
        "summary": row.get("summary"),
        "error": row.get("error"),
        "reason": row.get("reason"),
        "size": int(row["size"]) if "size" in row else None,
        "answered_by": row.get("answered_by"),
        "input_tokens": int(row.get("input_tokens", 0)),
        "output_tokens": int(row.get("output_tokens", 0)),
        "price_usd": None if price is None else float(price),
        "received_at": row.get("received_at"),
        "elapsed_s": elapsed(row),
        "execution_arn": row.get("execution_arn"),
    }


def price_usd(row: Mapping[str, Any]) -> Decimal | None:
    """What the answer costs at AWS's list prices; None without one, or for an unknown model."""
    if not row.get("output_tokens"):
        return None
    usage = {"inputTokens": int(row["input_tokens"]), "outputTokens": int(row["output_tokens"])}
    return model_price(str(row["model_id"]), usage)


def elapsed(row: Mapping[str, Any]) -> float | None:
    """Seconds from the event to the end; to now while it goes on."""
    if not row:
        return None
    ended = datetime.fromisoformat(row["ended_at"]) if is_final(row) else datetime.now(UTC)
    seconds = (ended - datetime.fromisoformat(row["received_at"])).total_seconds()
    return round(max(seconds, 0.0), 3)


def outcome(row: Mapping[str, Any] | None) -> str:
    """The summary, or why there is none."""
    if not row or not is_final(row):
        return "not at its end yet. See it later with: mailroom summaries"
    if status(row) == SUMMARISED:
        return str(row["summary"])
    return f"{row['reason']} ({row['error']})"


def _plain(item: Mapping[str, Any]) -> Row:
    deserializer = TypeDeserializer()
    return {name: deserializer.deserialize(value) for name, value in item.items()}
