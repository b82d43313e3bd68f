"""Beside the road. Account for every object version that lies in the bucket.

Comes in: the versions as S3 lists them, and a way to ask for the statuses of documents.
Goes out: how many landed and what became of each, so that the parts make up the whole; the
versions that nobody knows, by name.
Raises: what listing and asking raise; ValueError for a status that this version does not know.

Notifications are delivered "at least once", in practice; a bucket whose rule was changed by hand,
or a queue that ran full, loses them. Only the bucket itself can say what arrived.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from itertools import batched

from mailroom.document import INCOMING, Status, document_id

NULL_VERSION = "null"
"""What S3 calls the version of an object that was stored while the bucket kept none."""

_BATCH = 100  # keys of one BatchGetItem, says DynamoDB's API reference


class Fate(StrEnum):
    """What became of a version. Each version has exactly one."""

    STORED = "stored"
    IN_REVIEW = "in_review"
    HELD = "held"
    DEAD = "dead"
    REJECTED = "rejected"
    DUPLICATE = "duplicate"
    IN_FLIGHT = "in_flight"
    TOO_YOUNG = "too_young"
    UNACCOUNTED = "unaccounted"


_FATES = {
    Status.RECEIVED: Fate.IN_FLIGHT,
    Status.READING: Fate.IN_FLIGHT,
    Status.WORKING: Fate.IN_FLIGHT,
    Status.STORED: Fate.STORED,
    Status.IN_REVIEW: Fate.IN_REVIEW,
    Status.HELD: Fate.HELD,
    Status.DEAD_LETTERED: Fate.DEAD,
    Status.REJECTED: Fate.REJECTED,
    Status.DUPLICATE: Fate.DUPLICATE,
}


@dataclass(frozen=True)
class LandedVersion:
    """One version of one object, as S3 lists it. The ETag is without quotes."""

    bucket: str
    key: str
    version_id: str
    etag: str
    landed_at: datetime
    is_latest: bool = True

    @property
    def document_id(self) -> str:
        """The id that intake gives it."""
        has_version = self.version_id not in ("", NULL_VERSION)
        return document_id(self.bucket, self.key, self.version_id if has_version else self.etag)

    @property
    def is_document(self) -> bool:
        """Whether intake would take it: folder markers and other prefixes are none of ours."""
        return self.key.startswith(INCOMING) and not self.key.endswith("/")

    def source_event(self) -> dict[str, str | None]:
        """What intake takes to take in this very version."""
        # Buckets that keep no versions need not be asked for one.
        current = self.is_latest and self.version_id == NULL_VERSION
        version_id = None if current else self.version_id or None
        return {"bucket": self.bucket, "key": self.key, "version_id": version_id}


@dataclass(frozen=True)
class Reconciliation:
    """The sum: `landed` is what `counts` adds up to. Every fate is in `counts`."""

    since: datetime
    until: datetime
    landed: int
    counts: Mapping[Fate, int]
    unaccounted: tuple[LandedVersion, ...]


def reconcile(
    versions: Iterable[LandedVersion],
    statuses: Callable[[Collection[str]], Mapping[str, str]],
    *,
    now: datetime,
    window: timedelta,
    grace: timedelta,
) -> Reconciliation:
    """Sort the versions that landed in the window by what became of them.

    `statuses` gives the status of each document that has a row, for a hundred ids at most; one that
    it leaves out has none. A version within the grace may still be on its way to intake.
    """
    since = now - window
    recent = (each for each in versions if each.is_document and each.landed_at >= since)
    landed = 0
    counts: Counter[Fate] = Counter()
    unaccounted: list[LandedVersion] = []
    for batch in batched(recent, _BATCH, strict=False):
        known = statuses({each.document_id for each in batch})
        landed += len(batch)
        for each in batch:
            fate = _fate(known.get(each.document_id), now - each.landed_at, grace)
            counts[fate] += 1
            if fate is Fate.UNACCOUNTED:
                unaccounted.append(each)
    unaccounted.sort(key=lambda each: each.landed_at)
    return Reconciliation(
        since, now, landed, {fate: counts[fate] for fate in Fate}, tuple(unaccounted)
    )


def _fate(status: str | None, age: timedelta, grace: timedelta) -> Fate:
    if status is not None:
        return _FATES[Status(status)]
    return Fate.TOO_YOUNG if age <= grace else Fate.UNACCOUNTED
