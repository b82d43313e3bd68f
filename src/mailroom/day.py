"""A day in numbers: what landed, what became of it, what waits, what it cost.

Comes in: the versions as S3 lists them, the table's rows, and the time. Days are UTC's, as
everywhere in the table.
Goes out: the numbers. They hold no name and no text of a document.
Raises: what listing and reading raise; ValueError for a status that this version does not know.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from itertools import islice
from typing import Any, Protocol

from mailroom.document import AT_REST, Status
from mailroom.reconcile import Fate, LandedVersion, reconcile

GRACE = timedelta(minutes=15)
"""What landed so lately may still be on its way to intake."""

MOST_CAUSES = 10
"""More causes than these are told as one number."""

UNANNOUNCED = "UNANNOUNCED"
"""What a document waits for whose end is on its row and was not announced yet."""

_OTHER = "other causes"

Row = Mapping[str, Any]


class DayRows(Protocol):
    """What the digest needs of the table."""

    def of_day(self, day: date) -> Iterator[dict[str, Any]]: ...

    def waiting(self) -> Iterator[dict[str, Any]]: ...

    def statuses(self, document_ids: Collection[str]) -> Mapping[str, str]: ...


@dataclass(frozen=True)
class Waiting:
    """How many documents wait in a status, or for their announcement, and the longest one."""

    documents: int
    longest_hours: float


@dataclass(frozen=True)
class Numbers:
    """A day in numbers.

    `landed` counts the versions in the bucket, `fates` is what it adds up to, `unaccounted` one
    of them. `documents` counts the rows that arrived; `stored` and `dead` say which of those are
    stored, by class, and dead-lettered, by cause. `waiting` is as of now, whenever it arrived.
    """

    date: str
    landed: int
    fates: dict[str, int]
    unaccounted: int
    documents: int
    stored: dict[str, int]
    dead: dict[str, int]
    waiting: dict[str, Waiting]
    spent_usd: str


def count_day(
    day: date, versions: Iterable[LandedVersion], rows: DayRows, now: datetime
) -> Numbers:
    """Count a day. What is still to come of it does not count."""
    start = datetime.combine(day, time(), UTC)
    of_day = (v for v in versions if start <= v.landed_at < start + timedelta(days=1))
    found = reconcile(of_day, rows.statuses, now=now, window=now - start, grace=GRACE)
    documents, spent = 0, Decimal()
    stored: Counter[str] = Counter()
    dead: Counter[str] = Counter()
    for row in rows.of_day(day):
        documents += 1
        spent += Decimal(row.get("price_usd", 0))
        if row["status"] == Status.STORED:
            stored[str(row.get("document_class", "unknown"))] += 1
        elif row["status"] == Status.DEAD_LETTERED:
            dead[_cause(row)] += 1
    return Numbers(
        date=day.isoformat(),
        landed=found.landed,
        fates={str(fate): number for fate, number in found.counts.items() if number},
        unaccounted=found.counts[Fate.UNACCOUNTED],
        documents=documents,
        stored=_most_first(stored),
        dead=_shortened(_most_first(dead)),
        waiting=_waiting(rows.waiting(), now),
        spent_usd=str(spent),
    )


def _most_first(counts: Mapping[str, int]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda each: (-each[1], each[0])))


def _cause(row: Row) -> str:
    """Stage and error, which the code names; what a cause says in words may quote a document."""
    error = row.get("error") or {}
    return f"{error.get('error', 'unknown')} in {error.get('stage', 'unknown')}"


def _shortened(causes: dict[str, int]) -> dict[str, int]:
    kept = dict(islice(causes.items(), MOST_CAUSES))
    rest = sum(causes.values()) - sum(kept.values())
    return {**kept, _OTHER: rest} if rest else kept


def _waiting(rows: Iterable[Row], now: datetime) -> dict[str, Waiting]:
    counts: Counter[str] = Counter()
    oldest: dict[str, datetime] = {}
    for row in rows:
        status = UNANNOUNCED if row["status"] in AT_REST else str(row["status"])
        since = datetime.fromisoformat(row["status_since"])
        counts[status] += 1
        oldest[status] = min(since, oldest.get(status, since))
    return {
        status: Waiting(number, round((now - oldest[status]).total_seconds() / 3600, 1))
        for status, number in sorted(counts.items())
    }
