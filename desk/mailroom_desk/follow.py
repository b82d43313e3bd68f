"""Follow documents to their end, by their ids: nothing is scanned."""

import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from mailroom_desk.documents import is_final, status

# Soon after a change the next one is near; while nothing happens, asking less often will do.
_FIRST_PAUSE, _GROWTH, _LONGEST_PAUSE = 0.25, 1.3, 3.0


class RowSource(Protocol):
    """What following needs of the table."""

    def get_many(self, document_ids: Collection[str]) -> dict[str, dict[str, Any]]: ...


@dataclass
class Followed:
    """One document, and its row as it was last seen. Times are seconds of the clock."""

    document_id: str
    key: str
    since: float
    row: dict[str, Any] | None = None
    ended: float | None = None


def follow(
    documents: Collection[Followed],
    rows: RowSource,
    timeout: float,
    *,
    clock: Callable[[], float] = time.monotonic,
    pause: Callable[[float], None] = time.sleep,
) -> Iterator[list[Followed]]:
    """Yield, after each look, the documents whose status has changed.

    Ends when all have come to an end, or after `timeout` seconds: then some have not.
    """
    deadline = clock() + timeout
    wait = _FIRST_PAUSE
    while True:
        changed = _look(documents, rows, clock())
        yield changed
        left = deadline - clock()
        if left <= 0 or all(document.ended is not None for document in documents):
            return
        wait = _FIRST_PAUSE if changed else min(wait * _GROWTH, _LONGEST_PAUSE)
        pause(min(wait, left))


def _look(documents: Collection[Followed], rows: RowSource, now: float) -> list[Followed]:
    still_open = {document.document_id for document in documents if document.ended is None}
    seen = rows.get_many(still_open) if still_open else {}
    changed = []
    for document in documents:
        row = seen.get(document.document_id)
        if row is None:
            continue
        if status(row) != status(document.row):
            changed.append(document)
        document.row = row
        document.ended = now if is_final(row) else None
    return changed
