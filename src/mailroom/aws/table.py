"""The documents table: one item a document version. Every write is conditional."""

import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import AbstractContextManager
from decimal import Decimal
from itertools import islice
from typing import Any

from boto3.dynamodb.types import TypeDeserializer, TypeSerializer
from botocore.exceptions import ClientError

from mailroom.aws.clients import client, error_code, faults
from mailroom.document import (
    AT_REST,
    HELD_SHARDS,
    Status,
    all_shards,
    open_shard,
    shard,
    timestamp,
)
from mailroom.errors import MailroomError, ServiceMisconfigured, StorageUnavailable

Row = dict[str, Any]

_OPEN_INDEX = "open"
_MARK = "announced_at"
_HELD = "ConditionalCheckFailed"  # in the reasons of a cancelled transaction

# Codes of the DynamoDB developer guide, "Error handling".
_ERRORS: dict[str, type[MailroomError]] = {
    "ProvisionedThroughputExceededException": StorageUnavailable,
    "ThrottlingException": StorageUnavailable,
    "RequestLimitExceeded": StorageUnavailable,
    "InternalServerError": StorageUnavailable,
    "TransactionConflictException": StorageUnavailable,
    "AccessDeniedException": ServiceMisconfigured,
    "ResourceNotFoundException": ServiceMisconfigured,
}


class RowHeld(Exception):
    """A condition did not hold. `row` is what stood in the way, or None where there is no row.

    Not a stage's error: whoever writes decides from the row: a repeat, a rival, or stale.
    """

    def __init__(self, row: Row | None) -> None:
        super().__init__("The row is not in the state that this write expects.")
        self.row = row


class ContentKnown(Exception):
    """The same content was taken in before, as the document `original`."""

    def __init__(self, original: str) -> None:
        super().__init__("The same content was taken in before.")
        self.original = original


class DocumentTable:
    """The rows. Raises StorageUnavailable, ServiceMisconfigured and, from writes, RowHeld."""

    def __init__(self, name: str, api: Any = None) -> None:
        """`api` is a boto3 client of another session; the desk has its own."""
        self._name = name
        self._dynamodb = api or client("dynamodb")

    def get(self, document_id: str) -> Row | None:
        """One row, read consistently."""
        with self._faults():
            answer = self._dynamodb.get_item(
                TableName=self._name,
                Key={"document_id": {"S": document_id}},
                ConsistentRead=True,
            )
        return _plain(answer["Item"]) if "Item" in answer else None

    def register(self, row: Row, claim: str | None = None) -> None:
        """Write a new row, once. The indexes' keys are added here.

        `claim` is the key of an item that says whose some content is, written in one transaction
        with the row. Raises RowHeld with the present row where the document is known already, and
        ContentKnown where the claim is another document's.
        """
        now = timestamp()
        row = {
            **row,
            "received_at": now,
            "updated_at": now,
            "status_since": now,
            "day": f"{now[:10]}{shard(row['document_id'])}",
            "open_shard": open_shard(row["document_id"], row["status"]),
            "timeline": [{"status": row["status"], "at": now}],
        }
        item = _typed(storable(row))
        if claim is None:
            new = "attribute_not_exists(document_id)"
            put = self._dynamodb.put_item
            self._write(row["document_id"], put, Item=item, ConditionExpression=new)
        else:
            owner = _typed({"document_id": claim, "original": row["document_id"]})
            self._register_with_claim(row["document_id"], item, owner)

    def move(
        self,
        document_id: str,
        attempt: int,
        *,
        to: Status,
        allowed: Collection[Status],
        values: Mapping[str, Any] | None = None,
        expect: Mapping[str, Any] | None = None,
        clear: Collection[str] = (),
        next_attempt: bool = False,
        on_record: bool = True,
    ) -> None:
        """Move a row from one of the `allowed` statuses of its present attempt.

        Sets `values` and removes what `clear` names, and the mark of an announcement: it is that
        of the status before. `on_record` adds to the timeline: a document may be held and let go
        any number of times, and a row has its limit of 400 KB.
        `expect` names attributes that must be absent or equal. Every status write of the functions
        is this one; the state machine's own have the same condition.

        Raises RowHeld with the row as it is.
        """
        now = timestamp()
        update = _Update()
        update.set("status", to)
        update.set("updated_at", now)
        update.set("status_since", now)
        for attribute, value in (values or {}).items():
            update.set(attribute, value)
        if next_attempt:
            update.set("attempt", attempt + 1)
        if on_record:
            update.append("timeline", {"status": to, "at": now})
        for attribute in {*clear, _MARK}:
            update.remove(attribute)
        update.set("open_shard", open_shard(document_id, to))
        update.require("attempt", "{} = {}", attempt)
        update.require("status", "{} IN ({})", *allowed)
        for attribute, value in (expect or {}).items():
            update.require(attribute, "(attribute_not_exists({0}) OR {0} = {1})", value)
        self._update(document_id, update)

    def lease(self, document_id: str, attempt: int, seconds: int) -> None:
        """Take a RECEIVED row for some seconds, where nobody else holds it.

        Raises RowHeld with the row as it is.
        """
        now = int(time.time())
        update = _Update()
        update.set("lease_until", now + seconds)
        update.require("attempt", "{} = {}", attempt)
        update.require("status", "{} = {}", Status.RECEIVED)
        update.require("lease_until", "(attribute_not_exists({0}) OR {0} < {1})", now)
        self._update(document_id, update)

    def release(self, document_id: str, attempt: int) -> None:
        """Give a lease back, so that the next try need not wait for its end."""
        update = _Update()
        update.set("lease_until", 0)
        update.require("attempt", "{} = {}", attempt)
        self._update(document_id, update)

    def _update(self, document_id: str, update: "_Update") -> None:
        key = {"document_id": {"S": document_id}}
        self._write(document_id, self._dynamodb.update_item, Key=key, **update.call())

    def touch(self, row: Row) -> None:
        """Say that somebody looks after a row now; of two who try at once, one succeeds.

        Raises RowHeld where the row has changed since it was read.
        """
        update = _Update()
        update.set("updated_at", timestamp())
        update.require("updated_at", "{} = {}", row["updated_at"])
        update.require("status", "{} = {}", row["status"])
        if _MARK not in row:
            update.require(_MARK, "attribute_not_exists({0})")
        self._update(row["document_id"], update)

    def mark_announced(self, document_id: str, attempt: int, status: Status) -> None:
        """Say that an end was announced, as the state machine does; some come to rest by it.

        Raises RowHeld with the row as it is.
        """
        now = timestamp()
        update = _Update()
        update.set(_MARK, now)
        update.append("timeline", {"status": "ANNOUNCED", "at": now})
        if status in AT_REST:
            update.remove("open_shard")
        update.require("attempt", "{} = {}", attempt)
        update.require("status", "{} = {}", status)
        update.require(_MARK, "attribute_not_exists({0})")
        self._update(document_id, update)

    def open_rows(self) -> Iterator[Row]:
        """Every row that is not at rest and not held, the oldest of each shard first.

        A row comes to rest when its end is announced; one that waits for a person stays.
        """
        for each in all_shards():
            yield from self._of_shard(each)

    def oldest_held(self, count: int) -> list[Row]:
        """The held rows that have waited longest."""
        found = [
            row
            for each in all_shards()
            for row in islice(self._of_shard(f"{HELD_SHARDS}{each}", limit=count), count)
        ]
        return sorted(found, key=lambda row: str(row["received_at"]))[:count]

    def _of_shard(self, partition: str, limit: int | None = None) -> Iterator[Row]:
        query = {
            "TableName": self._name,
            "IndexName": _OPEN_INDEX,
            "KeyConditionExpression": "open_shard = :shard",
            "ExpressionAttributeValues": {":shard": {"S": partition}},
            **({"Limit": limit} if limit else {}),
        }
        start: dict[str, Any] = {}
        while True:
            with self._faults():
                answer = self._dynamodb.query(**query, **start)
            yield from map(_plain, answer["Items"])
            if "LastEvaluatedKey" not in answer:
                return
            start = {"ExclusiveStartKey": answer["LastEvaluatedKey"]}

    def _register_with_claim(
        self, document_id: str, item: dict[str, Any], owner: dict[str, Any]
    ) -> None:
        puts = [
            {
                "Put": {
                    "TableName": self._name,
                    "Item": each,
                    "ConditionExpression": "attribute_not_exists(document_id)",
                }
            }
            for each in (item, owner)
        ]
        try:
            with self._faults():
                self._dynamodb.transact_write_items(TransactItems=puts)
        except ClientError as error:
            if error_code(error) != "TransactionCanceledException":
                raise
            why: Any = error.response.get("CancellationReasons", [])
            row_held, claim_held = (reason.get("Code") == _HELD for reason in why)
            if row_held:
                raise RowHeld(self.get(document_id)) from error
            if claim_held:
                claimed = self.get(owner["document_id"]["S"]) or {}
                raise ContentKnown(str(claimed.get("original"))) from error
            raise StorageUnavailable("DynamoDB: the transaction met another one.") from error

    def _write(self, document_id: str, operation: Any, **arguments: Any) -> None:
        try:
            with self._faults():
                operation(
                    TableName=self._name,
                    ReturnValuesOnConditionCheckFailure="ALL_OLD",
                    **arguments,
                )
        except ClientError as error:
            if error_code(error) != "ConditionalCheckFailedException":
                raise
            # Some stand-ins leave the old item out of the answer: read it then.
            item: Any = error.response.get("Item")
            raise RowHeld(_plain(item) if item else self.get(document_id)) from error

    def _faults(self) -> AbstractContextManager[None]:
        return faults("DynamoDB", _ERRORS, StorageUnavailable)


class _Update:
    """Collects the parts of one conditional UpdateItem. Names are aliased: many are reserved."""

    def __init__(self) -> None:
        self._sets: list[str] = []
        self._removes: list[str] = []
        self._conditions: list[str] = []
        self._names: dict[str, str] = {}
        self._values: dict[str, Any] = {}

    def set(self, attribute: str, value: Any) -> None:
        self._sets.append(f"{self._name(attribute)} = {self._value(attribute, value)}")

    def append(self, attribute: str, value: Any) -> None:
        name = self._name(attribute)
        old = f"if_not_exists({name}, {self._value(attribute, [])})"
        self._sets.append(f"{name} = list_append({old}, {self._value(attribute, [value])})")

    def remove(self, attribute: str) -> None:
        self._removes.append(self._name(attribute))

    def require(self, attribute: str, template: str, *values: Any) -> None:
        """`template` takes the name and the values, the values separated by commas."""
        placeholders = [self._value(attribute, value) for value in values]
        name = self._name(attribute)
        self._conditions.append(template.format(name, ", ".join(placeholders)))

    def call(self) -> dict[str, Any]:
        expression = "SET " + ", ".join(self._sets)
        if self._removes:
            expression += " REMOVE " + ", ".join(self._removes)
        return {
            "UpdateExpression": expression,
            "ConditionExpression": " AND ".join(self._conditions),
            "ExpressionAttributeNames": self._names,
            "ExpressionAttributeValues": _typed(self._values),
        }

    def _name(self, attribute: str) -> str:
        self._names[f"#{attribute}"] = attribute
        return f"#{attribute}"

    def _value(self, attribute: str, value: Any) -> str:
        placeholder = f":v{len(self._values)}"
        self._values[placeholder] = storable(value, attribute)
        return placeholder


def _typed(values: Mapping[str, Any]) -> dict[str, Any]:
    serializer = TypeSerializer()
    return {name: serializer.serialize(value) for name, value in values.items()}


def _plain(item: Mapping[str, Any]) -> Row:
    deserializer = TypeDeserializer()
    return {name: deserializer.deserialize(value) for name, value in item.items()}


def storable(value: Any, path: str = "") -> Any:
    """A value as DynamoDB takes it: Decimals for floats, nothing empty inside maps.

    `path` is where the value stands. Raises ValueError, with the path, for a number that is not
    finite.
    """
    match value:
        case float() | Decimal():
            number = Decimal(repr(value)) if isinstance(value, float) else value
            if not number.is_finite():
                raise ValueError(f"{path} is not a finite number, so it cannot be stored.")
            return number
        case str():
            return str(value)
        case Mapping():
            kept = {name: storable(v, f"{path}.{name}".lstrip(".")) for name, v in value.items()}
            return {name: inner for name, inner in kept.items() if inner not in (None, "", {}, [])}
        case list() | tuple():
            return [storable(inner, f"{path}[{number}]") for number, inner in enumerate(value)]
    return value
