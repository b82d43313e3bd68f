"""Every version that landed is accounted for, once."""

from collections.abc import Collection, Mapping
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mailroom.document import Status, document_id
from mailroom.reconcile import Fate, LandedVersion, reconcile

NOW = datetime(2026, 11, 30, 15, tzinfo=UTC)
WINDOW, GRACE = timedelta(days=3), timedelta(minutes=15)


def _version(key: str, age: timedelta, version_id: str = "v1", etag: str = "e1") -> LandedVersion:
    return LandedVersion("bucket", key, version_id, etag, NOW - age)


class Statuses:
    def __init__(self, known: Mapping[str, str]) -> None:
        self.known = known
        self.asked: list[int] = []

    def __call__(self, document_ids: Collection[str]) -> Mapping[str, str]:
        self.asked.append(len(document_ids))
        return {name: self.known[name] for name in document_ids if name in self.known}


MINUTES = st.integers(min_value=-5, max_value=6 * 24 * 60)
KEYS = st.sampled_from(["incoming/", "incoming/folder/", "text/"]).flatmap(
    lambda prefix: st.text(max_size=3).map(lambda name: prefix + name)
)
LANDED = st.lists(
    st.tuples(KEYS, MINUTES, st.sampled_from([None, *Status])), max_size=250, unique_by=lambda t: t
)


@given(LANDED)
def test_every_version_of_the_window_lands_in_exactly_one_part_of_the_sum(
    landed: list[tuple[str, int, Status | None]],
) -> None:
    versions, known = [], {}
    for number, (key, minutes, status) in enumerate(landed):
        version = _version(key, timedelta(minutes=minutes), f"v{number}")
        versions.append(version)
        if status:
            known[version.document_id] = status
    statuses = Statuses(known)

    found = reconcile(versions, statuses, now=NOW, window=WINDOW, grace=GRACE)

    counted = [
        version
        for version in versions
        if version.key.startswith("incoming/")
        and not version.key.endswith("/")
        and NOW - version.landed_at <= WINDOW
    ]
    assert found.landed == len(counted) == sum(found.counts.values())
    assert set(found.counts) == set(Fate)
    nameless = {version for version in counted if version.document_id not in known}
    young = {version for version in nameless if NOW - version.landed_at <= GRACE}
    assert found.counts[Fate.TOO_YOUNG] == len(young)
    assert len(found.unaccounted) == found.counts[Fate.UNACCOUNTED]
    assert set(found.unaccounted) == nameless - young
    assert max(statuses.asked, default=0) <= 100


@pytest.mark.parametrize(
    ("status", "fate"),
    [
        ("RECEIVED", "in_flight"),
        ("READING", "in_flight"),
        ("WORKING", "in_flight"),
        ("STORED", "stored"),
        ("IN_REVIEW", "in_review"),
        ("HELD", "held"),
        ("DEAD_LETTERED", "dead"),
        ("REJECTED", "rejected"),
        ("DUPLICATE", "duplicate"),
    ],
)
def test_reconcile_knows_every_status(status: str, fate: str) -> None:
    version = _version("incoming/a.pdf", timedelta())
    statuses = Statuses({version.document_id: status})

    found = reconcile([version], statuses, now=NOW, window=WINDOW, grace=GRACE)

    assert {str(name) for name, number in found.counts.items() if number} == {fate}


def test_reconcile_knows_no_status_more_or_less_than_there_are() -> None:
    version = _version("incoming/a.pdf", timedelta())

    for status in Status:
        reconcile(
            [version],
            Statuses({version.document_id: status}),
            now=NOW,
            window=WINDOW,
            grace=GRACE,
        )


@pytest.mark.parametrize(
    ("minutes", "fate"), [(14, Fate.TOO_YOUNG), (15, Fate.TOO_YOUNG), (16, Fate.UNACCOUNTED)]
)
def test_version_without_a_row_has_a_grace(minutes: int, fate: Fate) -> None:
    version = _version("incoming/a.pdf", timedelta(minutes=minutes))

    found = reconcile([version], Statuses({}), now=NOW, window=WINDOW, grace=GRACE)

    assert found.counts[fate] == 1


def test_young_version_with_a_row_counts_as_what_it_is() -> None:
    version = _version("incoming/a.pdf", timedelta(minutes=1))
    statuses = Statuses({version.document_id: "REJECTED"})

    found = reconcile([version], statuses, now=NOW, window=WINDOW, grace=GRACE)

    assert found.counts[Fate.REJECTED] == 1


def test_two_versions_of_one_key_are_two_documents() -> None:
    old, new = (_version("incoming/a.pdf", timedelta(hours=1), name) for name in ("v1", "v2"))

    found = reconcile(
        [old, new], Statuses({new.document_id: "STORED"}), now=NOW, window=WINDOW, grace=GRACE
    )

    assert found.unaccounted == (old,)


def test_unaccounted_are_named_the_oldest_first() -> None:
    ages = [timedelta(hours=2), timedelta(hours=5), timedelta(hours=1)]
    versions = [_version(f"incoming/{age}", age) for age in ages]

    found = reconcile(versions, Statuses({}), now=NOW, window=WINDOW, grace=GRACE)

    assert [NOW - version.landed_at for version in found.unaccounted] == sorted(ages, reverse=True)


@pytest.mark.parametrize(("version_id", "name"), [("v1", "v1"), ("null", "e1"), ("", "e1")])
def test_version_has_the_id_that_intake_gives_it(version_id: str, name: str) -> None:
    version = _version("incoming/a.pdf", timedelta(), version_id)

    assert version.document_id == document_id("bucket", "incoming/a.pdf", name)


@pytest.mark.parametrize(
    ("version_id", "is_latest", "asked"),
    [("v1", True, "v1"), ("v1", False, "v1"), ("null", True, None), ("null", False, "null")],
)
def test_event_for_intake_names_the_version_unless_it_is_the_only_one(
    version_id: str, is_latest: bool, asked: str | None
) -> None:
    version = LandedVersion("bucket", "incoming/a b+c.pdf", version_id, "e", NOW, is_latest)

    assert version.source_event() == {
        "bucket": "bucket",
        "key": "incoming/a b+c.pdf",
        "version_id": asked,
    }
