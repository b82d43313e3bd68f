"""Many documents at once through the local stack, against a script that takes one at a time.

    python bench/burst.py [--documents N ...] [--script-documents 20] [--sandboxes N]

Both use the same stand-ins for Textract and Claude, with latencies and quotas of real life: a job
takes 3 to 8 s, an answer 1 to 4 s, 100 jobs may be open and 10 started in a second. Several N are
run one after another, each in a fresh cloud, to show how the time grows. Ends with 1 where a
document was lost or stored twice.
"""

import argparse
import json
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

from memory import Peak
from polling_script import POLL_SECONDS, process_prefix

from mailroom.document import document_id
from mailroom_desk.chaos.ends import has_ended
from mailroom_desk.chaos.listener import Listener
from mailroom_desk.chaos.papers import Paper, invoices
from mailroom_desk.chaos.run import BUILD
from mailroom_desk.cloud.ledger import Ledger
from mailroom_desk.cloud.settings import Settings
from mailroom_desk.cloud.state import Cloud
from mailroom_desk.cloud.up import down, up
from mailroom_desk.rows import Row, Rows
from mailroom_desk.stack import Stack, local_stack

PLAN = {
    "seed": 1,
    "open_jobs": 100,
    "starts_per_second": 10,
    "job_seconds": [3, 8],
    "answer_seconds": [1, 4],
}
SCRIPT_PREFIX, SCRIPT_TABLE = "script/", "script"
UPLOADERS = 8
LIMIT_SECONDS = 3600
THROTTLES = {
    "ThrottlingException",
    "ProvisionedThroughputExceededException",
    "LimitExceededException",
}


@dataclass(frozen=True)
class Burst:
    """One burst: how long it took, and what became of the documents."""

    documents: int
    seconds: float
    stored: int
    in_review: int
    lost: int
    doubled: int
    throttled: int
    longest_timeline: int
    emulator_peak: Peak
    cloud_peak: Peak
    script: list[float]


def main() -> int:
    """Run and print; 1 where something was lost or doubled."""
    options = _options()
    bursts: list[Burst] = []
    for number in options.documents:
        script = options.script_documents if not bursts else 0
        bursts.append(run(number, script, options.sandboxes))
        _print(bursts[-1], bursts[0].script)
    for before, after in pairwise(bursts):
        growth = after.seconds / before.seconds
        print(f"{before.documents} -> {after.documents} documents: {growth:.2f} times as long")
    return int(any(burst.lost or burst.doubled for burst in bursts))


def run(documents: int, script_documents: int, sandboxes: int) -> Burst:
    """Time the script, if asked, and then the burst, in a fresh cloud."""
    with tempfile.TemporaryDirectory(prefix="mailroom-burst-") as name:
        plan = Path(name) / "plan.json"
        plan.write_text(json.dumps(PLAN), encoding="utf-8")
        home = Path(name) / "cloud"
        settings = Settings(emulator_port=0, faults=plan, sandboxes=sandboxes)
        try:
            cloud = up(home, build=BUILD, settings=settings, detach=False, progress=_say)
            stack = local_stack(home)
            script = _script(cloud, stack, script_documents) if script_documents else []
            return _burst(cloud, stack, documents, script)
        finally:
            down(home)


def _script(cloud: Cloud, stack: Stack, documents: int) -> list[float]:
    _say(f"Timing the script on {documents} documents")
    s3, dynamodb = stack.client("s3"), stack.client("dynamodb")
    for paper in invoices(documents, seed=0):
        key = SCRIPT_PREFIX + paper.key.rsplit("/", 1)[-1]
        s3.put_object(Bucket=stack.bucket, Key=key, Body=paper.body)
    dynamodb.create_table(
        TableName=SCRIPT_TABLE,
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[{"AttributeName": "document_id", "AttributeType": "S"}],
        KeySchema=[{"AttributeName": "document_id", "KeyType": "HASH"}],
    )
    return process_prefix(cloud.client, stack.bucket, SCRIPT_PREFIX, SCRIPT_TABLE)


def _burst(cloud: Cloud, stack: Stack, documents: int, script: list[float]) -> Burst:
    listener = Listener(cloud, stack)
    listener.start()
    all_papers = invoices(documents, seed=1)
    before = len(Ledger(cloud.folder / "ledger.db").entries())
    pids = cloud.pids
    with Peak(pids["emulator"]) as emulator, Peak(pids["supervisor"]) as whole:
        _say(f"Uploading {documents} documents at once")
        began = time.time()
        ids = upload(stack, all_papers)
        rows = _drained(stack, ids)
    listener.stop()
    entries = Ledger(cloud.folder / "ledger.db").entries()[before:]
    heard = Counter(identity for identity, _, _ in listener.heard.elements())
    doubled = [
        name
        for name, row in rows.items()
        if [each["status"] for each in row["timeline"]].count("STORED") > 1 or heard[name] > 1
    ]
    statuses = Counter(str(row["status"]) for row in rows.values())
    ends = [datetime.fromisoformat(row["timeline"][-1]["at"]).timestamp() for row in rows.values()]
    return Burst(
        documents,
        max(ends) - began,
        statuses["STORED"],
        statuses["IN_REVIEW"],
        documents - statuses["STORED"] - statuses["IN_REVIEW"],
        len(doubled),
        sum(entry.outcome in THROTTLES for entry in entries),
        max(len(row["timeline"]) for row in rows.values()),
        emulator,
        whole,
        script,
    )


def upload(stack: Stack, all_papers: list[Paper]) -> list[str]:
    """Put all papers, eight at a time; their ids in the same order."""
    s3 = stack.client("s3")

    def put(paper: Paper) -> str:
        answer = s3.put_object(Bucket=stack.bucket, Key=paper.key, Body=paper.body)
        return document_id(stack.bucket, paper.key, answer["VersionId"])

    with ThreadPoolExecutor(UPLOADERS) as threads:
        return list(threads.map(put, all_papers))


def _drained(stack: Stack, ids: list[str]) -> dict[str, Row]:
    rows, deadline = Rows(stack), time.monotonic() + LIMIT_SECONDS
    while True:
        found = rows.get_many(ids)
        ended = sum(has_ended(row) for row in found.values())
        if ended == len(ids) or time.monotonic() > deadline:
            return found
        counts = Counter(str(row["status"]) for row in found.values())
        told = ", ".join(f"{number} {status}" for status, number in sorted(counts.items()))
        _say(f"{ended} of {len(ids)} ended: {told}")
        time.sleep(5)


def _print(burst: Burst, script: list[float]) -> None:
    gigabyte = 1e9
    print(f"Burst of {burst.documents} documents")
    print(f"  drained in             {burst.seconds:8.1f} s")
    if script:
        mean = sum(script) / len(script)
        whole = mean * burst.documents
        print(
            f"  polling script         {whole:8.1f} s  extrapolated: {len(script)} documents took "
            f"{sum(script):.1f} s, {mean:.2f} s each; it asks every {POLL_SECONDS:g} s"
        )
        print(f"  ratio                  {whole / burst.seconds:8.1f}")
    print(f"  stored / in review     {burst.stored:8} / {burst.in_review}")
    print(f"  lost / doubled         {burst.lost:8} / {burst.doubled}")
    print(f"  throttled calls        {burst.throttled:8}")
    print(f"  longest timeline       {burst.longest_timeline:8} steps")
    peaks: list[tuple[str, Any]] = [
        ("emulator, sandboxes", burst.emulator_peak),
        ("whole cloud", burst.cloud_peak),
    ]
    for name, peak in peaks:
        told = f"{peak.bytes / gigabyte:8.2f} GB in {peak.processes} processes"
        print(f"  peak, {name:19} {told}", flush=True)


def _say(message: str) -> None:
    print(message, file=sys.stderr, flush=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--documents", type=int, nargs="+", default=[500])
    parser.add_argument("--script-documents", type=int, default=20)
    parser.add_argument("--sandboxes", type=int, default=Settings().sandboxes)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
