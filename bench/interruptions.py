"""A burst during which the local cloud goes away: every document reaches its end, and is paid once.

    python bench/interruptions.py [--documents 300]

Each interruption has a fresh cloud with the latencies of `burst.py` and strikes when a quarter of
the documents is stored. Ends with 1 where a document did not end as stored, was stored twice, or
was charged for more than the blow can have cut off.
"""

import argparse
import json
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from burst import LIMIT_SECONDS, PLAN, upload

from mailroom.reconcile import reconcile
from mailroom_desk.chaos.interruptions import INTERRUPTIONS
from mailroom_desk.chaos.papers import invoices
from mailroom_desk.chaos.run import BUILD
from mailroom_desk.cloud.ledger import Ledger
from mailroom_desk.cloud.settings import Settings
from mailroom_desk.cloud.state import Cloud
from mailroom_desk.cloud.up import down, up
from mailroom_desk.follow import Followed, follow
from mailroom_desk.landed import Statuses, take_in, versions
from mailroom_desk.rows import Row, Rows
from mailroom_desk.stack import Stack, local_stack


def main() -> int:
    """Run all three and print; 1 where something was lost, doubled or paid again."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--documents", type=int, default=300)
    documents = parser.parse_args().documents
    failed = [name for name in INTERRUPTIONS if not run(name, documents)]
    return int(bool(failed))


def run(name: str, documents: int) -> bool:
    """One burst with one interruption; whether all went well."""
    with tempfile.TemporaryDirectory(prefix="mailroom-interruption-") as folder:
        plan = Path(folder) / "plan.json"
        plan.write_text(json.dumps(PLAN), encoding="utf-8")
        home = Path(folder) / "cloud"
        settings = Settings(emulator_port=0, faults=plan)

        def start() -> Cloud:
            return up(home, build=BUILD, settings=settings, detach=False)

        try:
            cloud = start()
            ids = upload(local_stack(home), invoices(documents, seed=1))
            _wait_until_stored(Rows(local_stack(home)), ids, documents // 4)
            cut_off = INTERRUPTIONS[name](cloud)
            began = time.monotonic()
            start()  # does nothing where the cloud is still there
            stack = local_stack(home)
            taken_in = _take_in_what_has_no_row(stack)
            followed = [Followed(identity, "", 0.0) for identity in ids]
            for _ in follow(followed, Rows(stack), LIMIT_SECONDS):
                pass
            seconds = time.monotonic() - began
            outcome = Outcome.of(Rows(stack).get_many(ids), Ledger(home / "ledger.db"), ids)
        finally:
            down(home)
    print(f"{name}, {documents} documents: ended {seconds:.0f} s after the blow")
    print(f"  stored {outcome.stored}, twice {outcome.doubled}, without a row {taken_in}")
    print(
        f"  pages charged again {outcome.pages_again}, answers charged again "
        f"{outcome.answers_again} (the blow cut off at most {cut_off})",
        flush=True,
    )
    return (
        outcome.stored == documents
        and not outcome.doubled
        and not outcome.pages_again
        and outcome.answers_again <= cut_off
    )


@dataclass(frozen=True)
class Outcome:
    """How many documents were stored and stored twice, and how many charges came twice."""

    stored: int
    doubled: int
    pages_again: int
    answers_again: int

    @classmethod
    def of(cls, rows: dict[str, Row], ledger: Ledger, ids: list[str]) -> "Outcome":
        """Count in the rows and in the ledger."""
        ends = [[each["status"] for each in row["timeline"]] for row in rows.values()]
        paid = Counter(
            (each.document_id, each.operation) for each in ledger.entries() if each.cost_usd
        )
        again = {
            operation: sum(max(paid[name, operation] - 1, 0) for name in ids)
            for operation in ("AnalyzedPages", "Converse")
        }
        return cls(
            stored=sum(row["status"] == "STORED" for row in rows.values()),
            doubled=sum(end.count("STORED") > 1 for end in ends),
            pages_again=again["AnalyzedPages"],
            answers_again=again["Converse"],
        )


def _wait_until_stored(rows: Rows, ids: list[str], number: int) -> None:
    while sum(row["status"] == "STORED" for row in rows.get_many(ids).values()) < number:
        time.sleep(0.5)


def _take_in_what_has_no_row(stack: Stack) -> int:
    found = reconcile(
        versions(stack),
        Statuses(stack),
        now=datetime.now(UTC),
        window=timedelta(days=1),
        grace=timedelta(),
    )
    take_in(stack, found.unaccounted)
    return len(found.unaccounted)


if __name__ == "__main__":
    sys.exit(main())
