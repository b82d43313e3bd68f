"""What `mailroom.reconcile` needs of a deployed stack: the listing, the statuses, and intake."""

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from mailroom.aws.bucket import Bucket
from mailroom.aws.days import DocumentDays
from mailroom.document import INCOMING
from mailroom.errors import StorageUnavailable
from mailroom.reconcile import LandedVersion
from mailroom_desk.errors import FunctionFailed, RowsUnanswered
from mailroom_desk.functions import ask
from mailroom_desk.stack import Stack

_THREADS = 8  # stays within the ten connections that a boto3 client keeps


@dataclass(frozen=True)
class TakenIn:
    """What intake made of a version: the status it gave, or why there is none."""

    version: LandedVersion
    status: str | None
    error: str | None = None


def versions(stack: Stack) -> Iterator[LandedVersion]:
    """Every version under `incoming/`, as the digest lists them."""
    return Bucket(stack.bucket, stack.client("s3")).versions(INCOMING)


class Statuses:
    """The statuses of documents, read consistently; those without a row are left out."""

    def __init__(self, stack: Stack, pause: Callable[[float], None] = time.sleep) -> None:
        self._rows = DocumentDays(stack.table, stack.client("dynamodb"), pause)

    def __call__(self, document_ids: Collection[str]) -> Mapping[str, str]:
        """Raises RowsUnanswered: a row that is not answered for must not look like none."""
        try:
            return self._rows.statuses(document_ids)
        except StorageUnavailable as error:
            raise RowsUnanswered(str(error)) from error


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
