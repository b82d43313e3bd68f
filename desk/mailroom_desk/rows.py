"""Read the rows of the documents table: by id, by days, by the beginning of an id, by key."""

import re
from collections.abc import Collection, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from itertools import product
from typing import Any

from boto3.dynamodb.types import TypeDeserializer

from mailroom.document import INCOMING, all_shards
from mailroom_desk.errors import AmbiguousDocument, DocumentNotFound
from mailroom_desk.stack import Stack

Row = dict[str, Any]

_DAYS_INDEX = "days"
_WHOLE_ID = re.compile(r"[0-9a-f]{40}")
_BATCH = 100  # keys of one BatchGetItem, says DynamoDB's API reference
_THREADS = 8  # stays within the ten connections that a boto3 client keeps


class Rows:
    """The rows of one stack."""

    def __init__(self, stack: Stack) -> None:
        self._table = stack.table
        self._dynamodb = stack.client("dynamodb")

    def get(self, document_id: str) -> Row | None:
        """One row, or None where the document is not known."""
        return self.get_many([document_id]).get(document_id)

    def get_many(self, document_ids: Collection[str]) -> dict[str, Row]:
        """Rows by id, read consistently; one that is not there or not answered now is left out."""
        rows: dict[str, Row] = {}
        ids = list(document_ids)
        for start in range(0, len(ids), _BATCH):
            keys = [{"document_id": {"S": name}} for name in ids[start : start + _BATCH]]
            answer = self._dynamodb.batch_get_item(
                RequestItems={self._table: {"Keys": keys, "ConsistentRead": True}}
            )
            for item in answer["Responses"].get(self._table, []):
                row = _plain(item)
                rows[row["document_id"]] = row
        return rows

    def latest(self, days: int, **condition: Any) -> list[Row]:
        """The rows that arrived in the last days, today (UTC) included, the newest first.

        `condition` may hold a FilterExpression with its names and values.
        """
        partitions = [f"{day}{shard}" for day, shard in product(_last(days), all_shards())]
        with ThreadPoolExecutor(_THREADS) as threads:
            found = threads.map(lambda day: list(self._of(day, condition)), partitions)
            rows = [row for part in found for row in part]
        return sorted(rows, key=lambda row: str(row["received_at"]), reverse=True)

    def find(self, reference: str, days: int) -> tuple[Row, int]:
        """The document that a person means: an id, the beginning of one, or a key.

        A key may have many versions: the one that landed last is given, whenever its event arrived,
        with how many there are. All but a whole id is looked for among the documents of the last
        days, since no index leads there.

        Raises DocumentNotFound, AmbiguousDocument.
        """
        if _WHOLE_ID.fullmatch(reference):
            row = self.get(reference)
            if row is None:
                raise DocumentNotFound(
                    f"There is no document {reference}. See what there is with: mailroom list"
                )
            return row, 1
        keys = (reference, f"{INCOMING}{reference}")
        found = self.latest(
            days,
            FilterExpression="begins_with(document_id, :id) OR #key IN (:key, :incoming)",
            ExpressionAttributeNames={"#key": "key"},
            ExpressionAttributeValues={
                ":id": {"S": reference.lower()},
                ":key": {"S": keys[0]},
                ":incoming": {"S": keys[1]},
            },
        )
        if named := [row for row in found if row["key"] in keys]:
            return max(named, key=_landed), len(named)
        if not found:
            raise DocumentNotFound(
                f"No document of the last {days} days has the id or key {reference}. "
                "Give the whole id, look further back with --days, or see: mailroom list"
            )
        if len(found) > 1:
            some = ", ".join(row["document_id"][: _telling(found)] for row in found[:5])
            raise AmbiguousDocument(
                f"{len(found)} documents have ids that begin with {reference} ({some}). "
                "Give more of the id."
            )
        return found[0], 1

    def _of(self, day: str, condition: Mapping[str, Any]) -> Iterator[Row]:
        values = {":day": {"S": day}, **condition.get("ExpressionAttributeValues", {})}
        query = {
            "TableName": self._table,
            "IndexName": _DAYS_INDEX,
            "KeyConditionExpression": "#day = :day",
            **condition,
            "ExpressionAttributeNames": {
                "#day": "day",
                **condition.get("ExpressionAttributeNames", {}),
            },
            "ExpressionAttributeValues": values,
        }
        for page in self._dynamodb.get_paginator("query").paginate(**query):
            yield from map(_plain, page["Items"])


def _landed(row: Row) -> tuple[str, str]:
    """When a version landed; of one second, whichever arrived later."""
    return str(row.get("landed_at", "")), str(row["received_at"])


def _last(days: int) -> list[str]:
    now = datetime.now(UTC)
    return [(now - timedelta(days=back)).date().isoformat() for back in range(days)]


def _telling(rows: list[Row]) -> int:
    """How much of their ids tells these rows apart."""
    ids = {row["document_id"] for row in rows}
    return next(
        length for length in range(8, 41) if len({name[:length] for name in ids}) == len(ids)
    )


def _plain(item: Mapping[str, Any]) -> Row:
    deserializer = TypeDeserializer()
    return {name: deserializer.deserialize(value) for name, value in item.items()}
