"""A whole run: a cloud of its own in a fresh folder, documents, trouble, and the judgement.

Comes in: how many documents, a seed, a fault plan. Goes out: a `Result`.
Raises: what the cloud's start raises. Documents that have not ended in time break an invariant.
"""

import json
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from mailroom.document import document_id
from mailroom.reconcile import reconcile
from mailroom_desk.chaos.ends import has_ended, limits, shorten_give_up, times
from mailroom_desk.chaos.invariants import Evidence, Verdict, check
from mailroom_desk.chaos.listener import Listener
from mailroom_desk.chaos.papers import Paper, papers
from mailroom_desk.chaos.strikes import strikes
from mailroom_desk.chaos.trouble import Trouble, Uploaded
from mailroom_desk.cloud.faults import Plan, Rule, parse_plan
from mailroom_desk.cloud.ledger import Ledger
from mailroom_desk.cloud.settings import Settings
from mailroom_desk.cloud.state import Cloud
from mailroom_desk.cloud.up import PROJECT, down, up
from mailroom_desk.digests import make_digest
from mailroom_desk.landed import Statuses, versions
from mailroom_desk.rows import Row, Rows
from mailroom_desk.stack import Stack, local_stack

BUILD = PROJECT / ".mailroom" / "build"
_UPLOADERS = 3
_POLL_SECONDS = 1.5
_QUIET_SECONDS = 4.0
# Claude is being sabotaged as well: its ladder in the digest ends before.
_DIGEST_SECONDS = 600


@dataclass(frozen=True)
class Result:
    """What a run shows. `seconds` are the times to the final status by document."""

    seed: int
    plan: Mapping[str, Any]
    evidence: Evidence
    verdicts: Sequence[Verdict]
    seconds: Mapping[str, float]
    took: float
    undelivered: int

    @property
    def holds(self) -> bool:
        return all(verdict.holds for verdict in self.verdicts)


def run(
    documents: int,
    seed: int,
    plan: Mapping[str, Any],
    folder: Path,
    *,
    timeout: float,
    kill_servers: bool = True,
    progress: Callable[[str], None] = lambda message: None,
) -> Result:
    """Run in `folder`, which must be empty; the cloud is ended, its files are left."""
    began = time.monotonic()
    plan_file = folder / "plan.json"
    plan_file.write_text(json.dumps(plan, indent=2), encoding="utf-8")
    parsed = parse_plan(plan_file.read_text("utf-8"))
    home = folder / "cloud"
    settings = Settings(emulator_port=0, faults=plan_file)
    try:
        cloud = up(home, build=BUILD, settings=settings, detach=False, progress=progress)
        evidence, undelivered = _Run(cloud, local_stack(home), parsed, seed, progress).through(
            papers(documents, seed), time.monotonic() + timeout, kill_servers=kill_servers
        )
    finally:
        down(home)
    return Result(
        seed,
        plan,
        evidence,
        check(evidence),
        times(evidence),
        time.monotonic() - began,
        undelivered,
    )


@dataclass(frozen=True)
class _Run:
    cloud: Cloud
    stack: Stack
    plan: Plan
    seed: int
    progress: Callable[[str], None]

    def through(
        self, all_papers: Sequence[Paper], deadline: float, *, kill_servers: bool
    ) -> tuple[Evidence, int]:
        shorten_give_up(self.stack)
        listener = Listener(self.cloud, self.stack)
        listener.start()
        uploaded: list[Uploaded] = []
        trouble = Trouble(self.cloud, self.stack, uploaded, len(all_papers), self.seed)
        trouble.start(kill_servers=kill_servers)
        self._upload(all_papers, uploaded)
        rows = self._wait(uploaded, deadline)
        trouble.stop()
        self.progress("Repeating every event once more")
        rows = self._wait(uploaded, deadline, quiet=True)
        for start in range(0, len(uploaded), 10):
            trouble.send_events(uploaded[start : start + 10][::-1])
        trouble.send_notices(list(rows.values()))
        time.sleep(_QUIET_SECONDS)
        after = self._wait(uploaded, deadline, quiet=True)
        listener.stop()
        evidence = Evidence(
            uploaded=uploaded,
            rows=after,
            entries=(entries := Ledger(self.cloud.folder / "ledger.db").entries()),
            strikes=self._strikes(after, entries),
            heard=listener.heard,
            premature=listener.premature,
            unaccounted=self._unaccounted(),
            changed_by_repeat=[name for name, row in after.items() if rows.get(name) != row],
            trouble=trouble.done,
            limits=limits(),
            rows_in_all=len(Rows(self.stack).latest(2)),
            digests=self._digests(after),
        )
        return evidence, self._undelivered()

    def _upload(self, all_papers: Sequence[Paper], uploaded: list[Uploaded]) -> None:
        s3 = self.stack.client("s3")

        def upload(paper: Paper) -> None:
            sent_at = time.time()
            answer = s3.put_object(Bucket=self.stack.bucket, Key=paper.key, Body=paper.body)
            version = answer["VersionId"]
            identity = document_id(self.stack.bucket, paper.key, version)
            uploaded.append(Uploaded(identity, paper.key, version, paper.bad, sent_at))

        self.progress(f"Uploading {len(all_papers)} documents")
        with ThreadPoolExecutor(_UPLOADERS) as threads:
            list(threads.map(upload, all_papers))

    def _wait(
        self, uploaded: Sequence[Uploaded], deadline: float, *, quiet: bool = False
    ) -> dict[str, Row]:
        """Look until every row has ended, or the time is over; `quiet` looks twice at least."""
        rows = Rows(self.stack)
        ids = [each.document_id for each in uploaded]
        before: dict[str, Row] | None = None
        told = ""
        while True:
            found = rows.get_many(ids)
            ended = sum(has_ended(row) for row in found.values())
            steady = not quiet or found == before
            if (ended == len(ids) and steady) or time.monotonic() > deadline:
                return found
            counts = Counter(str(row["status"]) for row in found.values())
            line = ", ".join(f"{number} {name}" for name, number in sorted(counts.items()))
            if line != told and not quiet:
                self.progress(f"{ended} of {len(ids)} ended: {line}")
                told = line
            before = found
            time.sleep(_QUIET_SECONDS if quiet else _POLL_SECONDS)

    def _strikes(self, rows: Mapping[str, Row], entries: Sequence[Any]) -> dict[str, list[Rule]]:
        documents = {name: (row["key"], int(row["attempt"])) for name, row in rows.items()}
        return strikes(self.plan, entries, documents)

    def _unaccounted(self) -> list[str]:
        found = reconcile(
            versions(self.stack),
            Statuses(self.stack),
            now=datetime.now(UTC),
            window=timedelta(days=1),
            grace=timedelta(0),
        )
        return [version.key for version in found.unaccounted]

    def _digests(self, rows: Mapping[str, Row]) -> list[dict[str, Any]]:
        """The numbers of each day on which documents arrived: one, or two around midnight."""
        self.progress("Having the digest made")
        days = sorted({str(row["received_at"])[:10] for row in rows.values()})
        return [make_digest(self.stack, {"date": day}, _DIGEST_SECONDS)["numbers"] for day in days]

    def _undelivered(self) -> int:
        answer = self.stack.client("sqs").get_queue_attributes(
            QueueUrl=self.stack.undelivered_queue_url,
            AttributeNames=["ApproximateNumberOfMessages"],
        )
        return int(answer["Attributes"]["ApproximateNumberOfMessages"])
