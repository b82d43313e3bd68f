"""The documents table, many rows at a time: those of a day, those that wait, the statuses of some.

Only reads. Indexes are read as DynamoDB keeps them: what was written a moment ago may be missing.
"""

import time
from collections.abc import Callable, Collection, Iterator
from datetime import date
from typing import Any

from boto3.dynamodb.types import TypeDeserializer

from mailroom.aws.table import DocumentTable, Row
from mailroom.document import HELD_SHARDS, all_shards
from mailroom.errors import StorageUnavailable

_DAYS_INDEX, _OPEN_INDEX = "days", "open"
_TRIES, _FIRST_PAUSE, _LONGEST_PAUSE = 10, 0.1, 5.0

# What is counted, without the fields of the documents.
_COUNTED = (
    "document_id, #status, status_since, document_class, price_usd, #error.stage, #error.#error"
)
_NAMES = {"#status": "status", "#error": "error"}


class DocumentDays(DocumentTable):
    """The rows at large. Raises StorageUnavailable, ServiceMisconfigured."""

    def __init__(
        self, name: str, api: Any = None, pause: Callable[[float], None] = time.sleep
    ) -> None:
        """`api` is a boto3 client of another session; the desk has its own."""
        super().__init__(name, api)
        self._pause = pause

    def of_day(self, day: date) -> Iterator[Row]:
        """What can be counted of every row that arrived on a day (UTC)."""
        for shard in all_shards():
            yield from self._counted(_DAYS_INDEX, "day", f"{day.isoformat()}{shard}")

    def waiting(self) -> Iterator[Row]:
        """The same of every row that is not at rest now, held and dead-lettered ones included."""
        for shard in all_shards():
            yield from self._counted(_OPEN_INDEX, "open_shard", shard)
            yield from self._counted(_OPEN_INDEX, "open_shard", f"{HELD_SHARDS}{shard}")

    def statuses(self, document_ids: Collection[str]) -> dict[str, str]:
        """The status of each document that has a row, read consistently; a hundred ids at most.

        A row that is not answered for must not look like none: asked again, then an error.
        """
        asked: dict[str, Any] = {
            self._name: {
                "Keys": [{"document_id": {"S": name}} for name in document_ids],
                "ConsistentRead": True,
                "ProjectionExpression": "document_id, #status",
                "ExpressionAttributeNames": {"#status": "status"},
            }
        }
        found: dict[str, str] = {}
        wait = _FIRST_PAUSE
        for _ in range(_TRIES):
            with self._faults():
                answer = self._dynamodb.batch_get_item(RequestItems=asked)
            for item in answer["Responses"].get(self._name, []):
                found[item["document_id"]["S"]] = item["status"]["S"]
            asked = answer.get("UnprocessedKeys") or {}
            if not asked:
                return found
            self._pause(wait)
            wait = min(wait * 2, _LONGEST_PAUSE)
        raise StorageUnavailable("DynamoDB has no time for all rows now. Try again in a minute.")

    def _counted(self, index: str, key: str, value: str) -> Iterator[Row]:
        query: dict[str, Any] = {
            "TableName": self._name,
            "IndexName": index,
            "KeyConditionExpression": "#key = :value",
            "ProjectionExpression": _COUNTED,
            "ExpressionAttributeNames": {**_NAMES, "#key": key},
            "ExpressionAttributeValues": {":value": {"S": value}},
        }
        deserialize = TypeDeserializer().deserialize
        while True:
            with self._faults():
                answer = self._dynamodb.query(**query)
            for item in answer["Items"]:
                yield {name: deserialize(attribute) for name, attribute in item.items()}
            if "LastEvaluatedKey" not in answer:
                return
            query["ExclusiveStartKey"] = answer["LastEvaluatedKey"]
