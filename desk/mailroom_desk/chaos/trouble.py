"""What goes wrong besides the services: repeated and reordered events, killed processes.

One thread each, until `stop`; what is chosen follows from the seed, when it happens does not.
"""

import contextlib
import json
import random
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote_plus

import psutil

from mailroom.document import job_tag
from mailroom_desk.cloud.emulator import sandbox
from mailroom_desk.cloud.folder import Folder
from mailroom_desk.cloud.state import Cloud
from mailroom_desk.cloud.textract.jobs import JobStore
from mailroom_desk.rows import Row, Rows
from mailroom_desk.stack import Stack

_RECORDS = 10  # of one event, at most
_REPEAT_SECONDS = 0.7
_KILL_SECONDS = (2.0, 5.0)
_SERVERS = ("textract", "claude")
_NO_JOB_YET = {"RECEIVED", "READING", "HELD"}


@dataclass(frozen=True)
class Uploaded:
    """One object version in the bucket. `sent_at` is in seconds since 1970."""

    document_id: str
    key: str
    version_id: str
    bad: str
    sent_at: float


@dataclass
class Trouble:
    """Makes trouble for the documents that `uploaded` holds; it may grow meanwhile."""

    cloud: Cloud
    stack: Stack
    uploaded: list[Uploaded]
    total: int
    seed: int
    done: Counter[str] = field(default_factory=Counter)
    _stopped: threading.Event = field(default_factory=threading.Event)
    _threads: list[threading.Thread] = field(default_factory=list)

    def start(self, *, kill_servers: bool) -> None:
        """Begin."""
        self._begin(self._repeat_events, "events")
        self._begin(self._repeat_notices, "notices")
        self._begin(self._kill_sandboxes, "sandboxes")
        if kill_servers:
            self._begin(self._kill_servers, "servers")

    def stop(self) -> None:
        """End, and wait for the end."""
        self._stopped.set()
        for thread in self._threads:
            thread.join()

    def _begin(self, work: Callable[[random.Random], None], name: str) -> None:
        chance = random.Random(f"{name} {self.seed}")
        thread = threading.Thread(target=work, args=(chance,), name=name, daemon=True)
        self._threads.append(thread)
        thread.start()

    @property
    def _records(self) -> int:
        return min(_RECORDS, 1 + self.total // 30)

    def _repeat_events(self, chance: random.Random) -> None:
        while not self._stopped.wait(_REPEAT_SECONDS):
            known = list(self.uploaded)
            if known:
                chosen = chance.sample(known, min(len(known), chance.randint(1, self._records)))
                self.send_events(chosen)

    def send_events(self, chosen: list[Uploaded]) -> None:
        """S3's notification of these versions, in this order, as S3 would deliver it again."""
        event = {"Records": [_record(self.stack.bucket, each) for each in chosen]}
        self.stack.client("lambda").invoke(
            FunctionName=self.stack.intake_function,
            InvocationType="Event",
            Payload=json.dumps(event).encode(),
        )
        self.done["S3 events repeated"] += len(chosen)

    def _repeat_notices(self, chance: random.Random) -> None:
        rows = Rows(self.stack)
        while not self._stopped.wait(_REPEAT_SECONDS):
            known = [each.document_id for each in self.uploaded]
            chosen = chance.sample(known, min(len(known), 3))
            if chosen:
                self.send_notices(list(rows.get_many(chosen).values()))

    def send_notices(self, rows: list[Row]) -> None:
        """The notice of each row's job, as Textract has sent it or should have."""
        jobs = JobStore(Folder(self.cloud.folder).textract / "jobs.db")
        topic = self.cloud.outputs["StateMachineArn"].split(":")
        arn = ":".join(["arn", topic[1], "sns", topic[3], topic[4], _topic_name(self.stack)])
        for row in rows:
            if "job_id" not in row or row["status"] in _NO_JOB_YET:
                continue
            notice = {
                "JobId": row["job_id"],
                "Status": jobs.get(row["job_id"], time.time()).status,
                "API": "StartDocumentAnalysis",
                "JobTag": job_tag(row["document_id"], int(row["attempt"])),
            }
            self.stack.client("sns").publish(TopicArn=arn, Message=json.dumps(notice))
            self.done["notices repeated"] += 1

    def _kill_sandboxes(self, chance: random.Random) -> None:
        while not self._stopped.wait(chance.uniform(*_KILL_SECONDS)):
            found = _sandboxes(self.cloud.pids.get("emulator", 0))
            if not found:
                continue
            victim, handler = chance.choice(found)
            with contextlib.suppress(psutil.NoSuchProcess):
                victim.kill()
                self.done["sandboxes killed"] += 1
                self.done[f"killed {handler}"] += 1

    def _kill_servers(self, chance: random.Random) -> None:
        """Each once: while documents still arrive, and a while after it."""
        for share, name in zip((0.5, 0.9), _SERVERS, strict=True):
            while len(self.uploaded) < share * self.total:
                if self._stopped.wait(0.1):
                    return
            if self._stopped.wait(chance.uniform(1, 4)):
                return
            with contextlib.suppress(psutil.NoSuchProcess, KeyError):
                psutil.Process(self.cloud.pids[name]).kill()
                self.done["servers killed"] += 1
                self.done[f"killed {name}"] += 1


def _topic_name(stack: Stack) -> str:
    return f"{stack.state_machine_arn.rsplit(':', 1)[-1].removesuffix('-document')}-ocr-done"


def _record(bucket: str, version: Uploaded) -> dict[str, Any]:
    return {
        "eventVersion": "2.1",
        "eventSource": "aws:s3",
        "eventName": "ObjectCreated:Put",
        "s3": {
            "bucket": {"name": bucket},
            "object": {"key": quote_plus(version.key, safe="/"), "versionId": version.version_id},
        },
    }


def _sandboxes(emulator: int) -> list[tuple[psutil.Process, str]]:
    """The sandboxes' processes with the stage that each runs, in the order of their start."""
    found = []
    with contextlib.suppress(psutil.NoSuchProcess):
        for child in psutil.Process(emulator).children():
            with contextlib.suppress(psutil.NoSuchProcess):
                command = child.cmdline()
                if sandbox.__file__ in command:
                    stage = command[-1].split(".")[-2]
                    found.append((child.create_time(), child.pid, child, stage))
    return [(child, stage) for _, _, child, stage in sorted(found, key=lambda each: each[:2])]
