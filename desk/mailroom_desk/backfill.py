"""Backfill many objects: what would be done, a run of the state machine, and what became of each.

`plan_prefix` and `plan_keys` look and start nothing. `start` starts a run, `counts` tells how it
gets on, `results` reads what it wrote, each item by its key.
Raises: UnusableList; what AWS answers passes through.
"""

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from itertools import batched
from pathlib import Path
from typing import Any

from mailroom.document import INCOMING, Status, document_id
from mailroom_desk.documents import plain_cause
from mailroom_desk.errors import UnusableList
from mailroom_desk.landed import Statuses
from mailroom_desk.stack import Stack

MANIFESTS, RESULTS = "backfill/manifests/", "backfill/results/"
"""Where the state machine reads manifests and writes results; `statemachine/backfill.asl.json`."""

NOT_STARTED = "NOT_STARTED"
"""Of an item that the run did not come to."""

_STOPPED = ("ABORTED", "TIMED_OUT")  # child executions that ended with their parent
_BATCH = 100  # keys of one BatchGetItem, says DynamoDB's API reference
_THREADS = 8  # stays within the ten connections that a boto3 client keeps
_FORMATS = (".csv", ".jsonl")
_NO_VERSION = "null"  # what S3 calls the version of an object in a bucket that keeps none


class Deed(StrEnum):
    """What a run would do with an object."""

    START = "start"
    NEW_ATTEMPT = "new attempt"
    FOLLOW = "follow"
    LEAVE = "leave"
    MISSING = "missing"


@dataclass(frozen=True)
class Planned:
    """One object, the status of its document where it has one, and what would be done."""

    key: str
    document_id: str | None
    status: str | None
    deed: Deed


@dataclass(frozen=True)
class Counts:
    """The items of a run by their ends; `waiting` counts those that have not begun."""

    total: int
    succeeded: int
    failed: int
    running: int
    waiting: int

    @property
    def ended(self) -> int:
        return self.succeeded + self.failed


@dataclass(frozen=True)
class Item:
    """What became of one object.

    `followed` says that its document was not at rest when it was asked for: here, its processing
    began or went on. `error` is told where the item failed without an end of its document.
    """

    key: str
    status: str
    document_id: str | None = None
    followed: bool = False
    is_done: bool = False
    error: str | None = None


@dataclass(frozen=True)
class Order:
    """What a run is started with: a prefix, or the key of a manifest."""

    prefix: str | None
    manifest: str | None
    reprocess: bool
    concurrency: int
    tolerated_percent: float

    def to_input(self) -> dict[str, Any]:
        """The execution's input."""
        return {name: value for name, value in vars(self).items() if value is not None}


def manifest_keys(path: Path) -> list[str]:
    """The keys that a manifest lists. Raises UnusableList, before anything is sent."""
    if path.suffix.lower() not in _FORMATS:
        raise UnusableList(f"{path} is neither .csv nor .jsonl: its name says what it is.")
    text = _text(path)
    keys = _from_csv(path, text) if path.suffix.lower() == ".csv" else _from_jsonl(path, text)
    if not keys:
        raise UnusableList(f"{path} lists no objects.")
    for number, key in enumerate(keys, start=1):
        if not key.startswith(INCOMING):
            raise UnusableList(
                f"Entry {number} of {path} is {key!r}. Mailroom takes in objects under "
                f"{INCOMING} only."
            )
    return keys


def upload_manifest(stack: Stack, path: Path) -> str:
    """Put a manifest where the state machine reads it; its key."""
    key = f"{MANIFESTS}{_stamp()}{path.suffix.lower()}"
    stack.client("s3").put_object(Bucket=stack.bucket, Key=key, Body=_text(path).encode())
    return key


def plan_prefix(stack: Stack, prefix: str, *, reprocess: bool) -> Iterator[Planned]:
    """What a run over a prefix would do. Folder markers of a console are no documents."""
    pages = stack.client("s3").get_paginator("list_object_versions")
    current = (
        (each["Key"], _identity(stack, each["Key"], each["VersionId"], each["ETag"]))
        for page in pages.paginate(Bucket=stack.bucket, Prefix=prefix)
        for each in page.get("Versions", ())
        if each["IsLatest"] and not each["Key"].endswith("/")
    )
    return _planned(stack, current, reprocess=reprocess)


def plan_keys(stack: Stack, keys: Iterable[str], *, reprocess: bool) -> Iterator[Planned]:
    """What a run over a manifest would do."""
    with ThreadPoolExecutor(_THREADS) as threads:
        found = list(threads.map(lambda key: (key, _current(stack, key)), keys))
    return _planned(stack, found, reprocess=reprocess)


def start(stack: Stack, order: Order) -> str:
    """Start a run; its execution's ARN."""
    started = stack.client("stepfunctions").start_execution(
        stateMachineArn=stack.backfill_state_machine_arn,
        name=f"backfill-{_stamp()}",
        input=json.dumps(order.to_input()),
    )
    return str(started["executionArn"])


def counts(stack: Stack, execution_arn: str) -> Counts | None:
    """How a run gets on; None while its items are not yet read."""
    states = stack.client("stepfunctions")
    runs = states.list_map_runs(executionArn=execution_arn)["mapRuns"]
    if not runs:
        return None
    items = states.describe_map_run(mapRunArn=runs[0]["mapRunArn"])["itemCounts"]
    return Counts(
        total=items["total"],
        succeeded=items["succeeded"],
        failed=items["failed"] + items["timedOut"] + items["aborted"],
        running=items["running"],
        waiting=items["pending"],
    )


def results(stack: Stack, execution_arn: str) -> Iterator[Item]:
    """What a run wrote about its items, the failed ones first."""
    s3 = stack.client("s3")

    def read(key: str) -> Any:
        return json.loads(s3.get_object(Bucket=stack.bucket, Key=key)["Body"].read())

    prefix = f"{RESULTS}{execution_arn.rpartition(':')[2]}/"
    pages = s3.get_paginator("list_objects_v2").paginate(Bucket=stack.bucket, Prefix=prefix)
    keys = [each["Key"] for page in pages for each in page.get("Contents", ())]
    for manifest in (key for key in keys if key.endswith("/manifest.json")):
        files: Mapping[str, list[dict[str, Any]]] = read(manifest)["ResultFiles"]
        for end in ("FAILED", "PENDING", "SUCCEEDED"):
            for file in files.get(end, ()):
                yield from (item_of(end, entry) for entry in read(file["Key"]))


def item_of(end: str, entry: Mapping[str, Any]) -> Item:
    """One entry of a result file."""
    key = str(_json(entry.get("Input")).get("key", ""))
    if end == "SUCCEEDED":
        output = _json(entry.get("Output"))
        return Item(
            key, output["status"], output["document_id"] or None, output["followed"], is_done=True
        )
    if end == "PENDING":
        return Item(key, NOT_STARTED, error="The run ended before it came to this object.")
    cause, error = str(entry.get("Cause", "")), str(entry.get("Error") or entry.get("Status", end))
    if error in _STOPPED:
        return Item(key, error, error="The run ended first. The document goes on without it.")
    if error in set(Status):
        seen = _json(cause)
        at_rest = error in (Status.REJECTED, Status.DEAD_LETTERED)
        return Item(
            key,
            error,
            seen.get("document", {}).get("document_id"),
            followed=seen.get("followed") is True,
            error=None if at_rest else "It was still on its way after a day.",
        )
    return Item(key, error, error=plain_cause(cause) or "No cause was given.")


def _planned(
    stack: Stack, current: Iterable[tuple[str, str | None]], *, reprocess: bool
) -> Iterator[Planned]:
    statuses = Statuses(stack)
    for batch in batched(current, _BATCH, strict=False):
        known = statuses({identity for _, identity in batch if identity})
        for key, identity in batch:
            status = known.get(identity) if identity else None
            deed = _deed(status, reprocess=reprocess) if identity else Deed.MISSING
            yield Planned(key, identity, status, deed)


def _deed(status: str | None, *, reprocess: bool) -> Deed:
    if status is None:
        return Deed.START
    if status in (Status.RECEIVED, Status.READING, Status.WORKING, Status.HELD):
        return Deed.FOLLOW
    return Deed.NEW_ATTEMPT if reprocess else Deed.LEAVE


def _current(stack: Stack, key: str) -> str | None:
    """The id of the key's present version; None where there is no object."""
    from botocore.exceptions import ClientError

    try:
        head = stack.client("s3").head_object(Bucket=stack.bucket, Key=key)
    except ClientError as error:
        if error.response["Error"]["Code"] in ("404", "NoSuchKey", "405"):
            return None
        raise
    return _identity(stack, key, head.get("VersionId", _NO_VERSION), head["ETag"])


def _identity(stack: Stack, key: str, version_id: str, etag: str) -> str:
    """The id that intake gives the document."""
    version = etag.strip('"') if version_id == _NO_VERSION else version_id
    return document_id(stack.bucket, key, version)


def _text(path: Path) -> str:
    try:
        # Step Functions would read a byte order mark as a part of the first column's name.
        return path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UnusableList(f"{path} cannot be read as UTF-8: {error}") from error


def _from_csv(path: Path, text: str) -> list[str]:
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    if rows and "key" not in rows[0]:
        raise UnusableList(f"The first row of {path} names no column key.")
    return [str(row["key"] or "") for row in rows]


def _from_jsonl(path: Path, text: str) -> list[str]:
    keys = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            keys.append(str(json.loads(line)["key"]))
        except (ValueError, KeyError, TypeError):
            raise UnusableList(f'Line {number} of {path} is no JSON object with a "key".') from None
    return keys


def _json(text: Any) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except (TypeError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _stamp() -> str:
    return f"{datetime.now(UTC):%Y%m%dT%H%M%S%f}"
