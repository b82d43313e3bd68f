"""What `mailroom.reconcile` needs of a deployed stack: the listing, the statuses, and intake."""

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from mailroom.document import INCOMING
from mailroom.reconcile import LandedVersion
from mailroom_desk.errors import FunctionFailed, RowsUnanswered
from mailroom_desk.functions import ask
from mailroom_desk.stack import Stack

_THREADS = 8  # stays within the ten connections that a boto3 client keeps
_TRIES, _FIRST_PAUSE, _LONGEST_PAUSE = 10, 0.1, 5.0


@dataclass(frozen=True)
class TakenIn:
    """What intake made of a version: the status it gave, or why there is none."""

    version: LandedVersion
    status: str | None
    error: str | None = None


def versions(stack: Stack) -> Iterator[LandedVersion]:
    """Every version under `incoming/`; delete markers are none. S3 cannot list by time."""
    pages = stack.client("s3").get_paginator("list_object_versions")
    for page in pages.paginate(Bucket=stack.bucket, Prefix=INCOMING):
        for listed in page.get("Versions", ()):
            yield LandedVersion(
                bucket=stack.bucket,
                key=listed["Key"],
                version_id=listed["VersionId"],
                etag=listed["ETag"].strip('"'),
                landed_at=listed["LastModified"],
                is_latest=listed["IsLatest"],
            )


class Statuses:
    """The statuses of documents, read consistently; those without a row are left out."""

    def __init__(self, stack: Stack, pause: Callable[[float], None] = time.sleep) -> None:
        self._table = stack.table
        self._dynamodb = stack.client("dynamodb")
        self._pause = pause

    def __call__(self, document_ids: Collection[str]) -> Mapping[str, str]:
        """Raises RowsUnanswered: a row that is not answered for must not look like none."""
        keys = [{"document_id": {"S": name}} for name in document_ids]
        asked: dict[str, Any] = {
            self._table: {
                "Keys": keys,
                "ConsistentRead": True,
                "ProjectionExpression": "document_id, #status",
                "ExpressionAttributeNames": {"#status": "status"},
            }
        }
        found: dict[str, str] = {}
        wait = _FIRST_PAUSE
        for _ in range(_TRIES):
            answer = self._dynamodb.batch_get_item(RequestItems=asked)
            for item in answer["Responses"].get(self._table, []):
                found[item["document_id"]["S"]] = item["status"]["S"]
            asked = answer.get("UnprocessedKeys") or {}
            if not asked:
                return found
            self._pause(wait)
            wait = min(wait * 2, _LONGEST_PAUSE)
        raise RowsUnanswered("DynamoDB has no time for all rows now. Try again in a minute.")


def take_in(stack: Stack, unaccounted: Iterable[LandedVersion]) -> list[TakenIn]:
    """Hand each version to intake, and wait for what it says. Asking twice costs nothing."""
    with ThreadPoolExecutor(_THREADS) as threads:
        return list(threads.map(lambda version: _take_in(stack, version), unaccounted))


def _take_in(stack: Stack, version: LandedVersion) -> TakenIn:
    try:
        answer = ask(stack, stack.intake_function, version.source_event())
    except FunctionFailed as error:
        return TakenIn(version, None, str(error))
    for document in answer["documents"]:
        if document["document_id"] == version.document_id:
            return TakenIn(version, document["status"])
    return TakenIn(version, None, "It was replaced by another object of the same key meanwhile.")
