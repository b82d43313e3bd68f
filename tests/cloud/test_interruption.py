"""The cloud goes away in the middle of the work: every document still reaches its end, once."""

import time
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from mailroom.document import document_id
from mailroom.reconcile import reconcile
from mailroom_desk.chaos.interruptions import INTERRUPTIONS, Interruption
from mailroom_desk.cloud.ledger import Ledger
from mailroom_desk.cloud.up import PROJECT, down, up
from mailroom_desk.follow import Followed, follow
from mailroom_desk.landed import Statuses, take_in, versions
from mailroom_desk.rows import Rows
from mailroom_desk.stack import Stack, local_stack

from .conftest import SETTINGS

INVOICE = (Path(__file__).parents[2] / "samples" / "INV-20931.pdf").read_bytes()
DOCUMENTS = 12
SECONDS = 180  # a bound for a test that would otherwise hang, not a measurement
BUILD = PROJECT / ".mailroom" / "build"


def upload(stack: Stack) -> list[str]:
    identities = []
    for number in range(DOCUMENTS):
        key = f"incoming/{number}.pdf"
        put = stack.client("s3").put_object(Bucket=stack.bucket, Key=key, Body=INVOICE)
        identities.append(document_id(stack.bucket, key, put["VersionId"]))
    return identities


def wait_until_some_are_stored(stack: Stack, identities: list[str]) -> None:
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        rows = Rows(stack).get_many(identities).values()
        if sum(row["status"] == "STORED" for row in rows) >= 2:
            return
        time.sleep(0.02)
    raise AssertionError("Nothing was stored.")


def take_in_what_has_no_row(stack: Stack) -> None:
    found = reconcile(
        versions(stack),
        Statuses(stack),
        now=datetime.now(UTC),
        window=timedelta(days=1),
        grace=timedelta(),
    )
    take_in(stack, found.unaccounted)


@pytest.mark.parametrize("interrupt", INTERRUPTIONS.values(), ids=INTERRUPTIONS)
def test_interrupted_documents_all_reach_their_end_and_are_paid_once(
    tmp_path: Path, interrupt: Interruption
) -> None:
    folder = tmp_path / ".mailroom"
    try:
        cloud = up(folder, build=BUILD, settings=SETTINGS, detach=False)
        identities = upload(local_stack(folder))
        wait_until_some_are_stored(local_stack(folder), identities)

        interrupt(cloud)
        cloud = up(folder, build=BUILD, settings=SETTINGS, detach=False)
        stack = local_stack(folder)
        take_in_what_has_no_row(stack)
        documents = [Followed(identity, "", 0.0) for identity in identities]
        for _ in follow(documents, Rows(stack), SECONDS):
            pass

        rows = Rows(stack).get_many(identities)
        assert Counter(row["status"] for row in rows.values()) == {"STORED": DOCUMENTS}
        for identity in identities:
            stored = [entry for entry in rows[identity]["timeline"] if entry["status"] == "STORED"]
            assert len(stored) == 1
        paid = Counter(
            (entry.document_id, entry.operation)
            for entry in Ledger(folder / "ledger.db").entries()
            if entry.cost_usd
        )
        for identity in identities:
            assert paid[identity, "AnalyzedPages"] == 1
            # One answer can be lost with the sandbox that was about to write it down.
            assert paid[identity, "Converse"] <= 2
    finally:
        down(folder)
