"""The life of a job: fetch, read in a process apart, write the output, send the notice.

Each worker is a thread with a reading process of its own, started at its first job and again after
a crash. What the fault plan adds to a job's time is waited for without a worker.
"""

import logging
import queue
import shutil
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

from mailroom_desk.cloud.fault_choice import Faults
from mailroom_desk.cloud.faults import TEXTRACT, Rule
from mailroom_desk.cloud.ledger import Ledger
from mailroom_desk.cloud.textract.aws import Surroundings
from mailroom_desk.cloud.textract.errors import (
    InternalServerError,
    InvalidJobIdException,
    InvalidS3ObjectException,
)
from mailroom_desk.cloud.textract.jobs import Job, JobStore
from mailroom_desk.cloud.textract.later import Later
from mailroom_desk.cloud.textract.parts import BLOCKS_A_PART, count_parts
from mailroom_desk.cloud.textract.reading import LONGEST_READING_SECONDS, Reader
from mailroom_desk.cloud.textract.readings import Readings
from mailroom_desk.cloud.textract.sabotage import fault_of, files_of, lose_pages, notices_of
from mailroom_desk.cloud.textract.service import READ, answer_of, output_place

# US dollars a page for document analysis in us-east-1 (aws.amazon.com/textract/pricing).
PRICES = {"FORMS": Decimal("0.05"), "TABLES": Decimal("0.015")}
NOTICE_ATTEMPTS = 4
GONE = "The document is no longer in its bucket"

log = logging.getLogger("mailroom.textract")


@dataclass(slots=True)
class Workers:
    """A bounded number of jobs at a time."""

    store: JobStore
    ledger: Ledger
    surroundings: Callable[[], Surroundings]
    results: Path
    count: int
    longest_reading: float = LONGEST_READING_SECONDS
    taken_up_after: float = 5.0  # seconds, where S3 did not answer
    clock: Callable[[], float] = field(default=time.time)
    pause: Callable[[float], None] = field(default=time.sleep)
    faults: Faults = field(default_factory=lambda: Faults(TEXTRACT))
    readings: Readings = field(default_factory=lambda: Readings(0))
    _later: Later = field(default_factory=Later)
    _jobs: queue.SimpleQueue[str | None] = field(default_factory=queue.SimpleQueue)
    _readers: list[Reader] = field(default_factory=list)

    def start(self) -> None:
        """Start the threads, and take up what a former server left undone."""
        for job_id in self.store.unannounced():
            self._jobs.put(job_id)
        for number in range(self.count):
            reader = Reader(self.longest_reading)
            self._readers.append(reader)
            threading.Thread(
                target=self._serve, args=(reader,), name=f"worker-{number + 1}", daemon=True
            ).start()

    def enqueue(self, job_id: str) -> None:
        """Put a new job into the queue."""
        self._jobs.put(job_id)

    def stop(self) -> None:
        """Stop the reading processes; jobs in the middle are read again after the next start."""
        self._later.stop()
        for _ in self._readers:
            self._jobs.put(None)
        for reader in self._readers:
            reader.close()

    def _serve(self, reader: Reader) -> None:
        while (job_id := self._jobs.get()) is not None:
            self._guarded(job_id, partial(self._run, job_id, reader))

    def _guarded(self, job_id: str, step: Callable[[], None]) -> None:
        try:
            step()
        except InvalidJobIdException:  # older than seven days: nobody asks for it any more
            self.store.mark_announced(job_id)
        except InternalServerError:  # S3 does not answer, as while the emulator starts
            log.warning("S3 does not answer; job %s is taken up again", job_id)
            self._later.after(self.taken_up_after, partial(self.enqueue, job_id))
        except Exception:
            log.exception("job %s is not finished; a restart tries it again", job_id)

    def _in(self, seconds: float, job_id: str, step: Callable[[], None]) -> None:
        """Take the next step of a job when its time has come."""
        if seconds <= 0:
            step()
        else:
            self._later.after(seconds, partial(self._guarded, job_id, step))

    def _run(self, job_id: str, reader: Reader) -> None:
        job = self.store.get(job_id, self.clock())
        if job.status != "IN_PROGRESS":
            self._announce(job_id)
            return
        fault = fault_of(self.faults, self.store, "job", job)
        if fault and fault.fault == "never_ends":
            return
        if fault and fault.fault == "failed":
            outcome: dict[str, Any] | None = {"failed": fault.parameters["message"]}
        else:
            outcome = self._read(job, reader)
        if outcome is None:  # the server is stopping
            return
        if fault and fault.fault == "partial" and "failed" not in outcome:
            folder, pages = self.results / job_id, outcome["pages"]
            outcome["left"] = lose_pages(folder, pages, fault.parameters["pages"])
        self._in(self._time_left(job, fault), job_id, partial(self._end, job, outcome))

    def _time_left(self, job: Job, fault: Rule | None) -> float:
        """Tell how long a job must still seem to be at work."""
        notice = fault_of(self.faults, self.store, "notice", job)
        if notice and notice.fault == "early":
            return 0.0
        seconds = self.faults.draw(*self.faults.plan.job_seconds, "job", job.document_id or "")
        if fault and fault.fault == "slow_job":
            seconds += fault.parameters["seconds"]
        return job.created_at + seconds - self.clock() if seconds else 0.0

    def _end(self, job: Job, outcome: dict[str, Any]) -> None:
        self._finish(job, outcome)
        self._announce(job.job_id)

    def _read(self, job: Job, reader: Reader) -> dict[str, Any] | None:
        folder = self.results / job.job_id
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        document = folder / "document"
        try:
            self.surroundings().fetch(job.request["DocumentLocation"]["S3Object"], document)
        except InvalidS3ObjectException:
            return {"failed": GONE}
        try:
            key = self.readings.key(document, job.request["FeatureTypes"])
            pages = self.readings.restore(key, folder, job.job_id)
            if pages is not None:
                return {"pages": pages}
            outcome = reader.read(
                {
                    "document": str(document),
                    "output": str(folder),
                    "job_id": job.job_id,
                    "features": job.request["FeatureTypes"],
                    "lock": str(self.results / "ocr.lock"),
                }
            )
            if outcome and "failed" not in outcome:
                self.readings.keep(key, folder, outcome["pages"])
            return outcome
        finally:
            document.unlink(missing_ok=True)

    def _finish(self, job: Job, outcome: dict[str, Any]) -> None:
        pages = int(outcome.get("pages", 0))
        if "failed" in outcome:
            self.store.finish(job.job_id, "FAILED", outcome["failed"], pages)
            return
        read = int(outcome.get("left", pages))
        price = sum((PRICES[each] for each in set(job.request["FeatureTypes"])), Decimal(0))
        self.ledger.record(
            "textract",
            "AnalyzedPages",
            document_id=job.document_id,
            outcome="ok",
            cost_usd=read * price,
            detail=f"{read} page" if read == 1 else f"{read} pages",
        )
        status = "PARTIAL_SUCCESS" if "left" in outcome else "SUCCEEDED"
        self.store.finish(job.job_id, status, None, pages)

    def _announce(self, job_id: str) -> None:
        job = self.store.get(job_id, self.clock())
        if job.status in READ and "OutputConfig" in job.request:
            self._write_output(job)
        fault = fault_of(self.faults, self.store, "notice", job)
        seconds = fault.parameters["seconds"] if fault and fault.fault == "late" else 0.0
        self._in(seconds, job_id, partial(self._notify, job, fault))

    def _write_output(self, job: Job) -> None:
        bucket, prefix = output_place(job.request, job.job_id)
        folder = self.results / job.job_id
        parts = count_parts(folder)
        answers = (
            answer_of(job, folder, part * BLOCKS_A_PART, BLOCKS_A_PART) for part in range(parts)
        )
        fault = fault_of(self.faults, self.store, "result", job)
        for number, body in files_of(answers, parts, fault, job.job_id):
            self.surroundings().write(bucket, f"{prefix}/{number}", body)

    def _notify(self, job: Job, fault: Rule | None) -> None:
        channel = job.request.get("NotificationChannel")
        if channel:
            for message in notices_of(self._notice(job), fault):
                self._publish(channel["SNSTopicArn"], message, job.job_id)
        self.store.mark_announced(job.job_id)

    def _notice(self, job: Job) -> dict[str, Any]:
        s3_object = job.request["DocumentLocation"]["S3Object"]
        message = {
            "JobId": job.job_id,
            "Status": job.status,
            "API": "StartDocumentAnalysis",
            "JobTag": job.request.get("JobTag"),
            "Timestamp": round(self.clock() * 1000),
            "DocumentLocation": {
                "S3ObjectName": s3_object["Name"],
                "S3Bucket": s3_object["Bucket"],
            },
        }
        if message["JobTag"] is None:
            del message["JobTag"]
        return message

    def _publish(self, topic_arn: str, message: dict[str, Any] | str, job_id: str) -> None:
        """Send one notice; after some attempts it is lost, as real ones may be: the log says so."""
        for attempt in range(NOTICE_ATTEMPTS):
            try:
                self.surroundings().publish(topic_arn, message)
                return
            except Exception:  # any refusal: unknown topic, no connection, a broken answer
                if attempt + 1 == NOTICE_ATTEMPTS:
                    log.exception("the notice of job %s could not be sent", job_id)
                else:
                    self.pause(2**attempt)
