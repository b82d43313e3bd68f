"""The life of a job: fetch, read in a process apart, write the output, send the notice.

Each worker is a thread with a reading process of its own, started at its first job and again after
a crash.
"""

import json
import logging
import queue
import shutil
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

from mailroom_desk.cloud.ledger import Ledger
from mailroom_desk.cloud.textract.aws import Surroundings
from mailroom_desk.cloud.textract.errors import InvalidJobIdException, InvalidS3ObjectException
from mailroom_desk.cloud.textract.jobs import Job, JobStore
from mailroom_desk.cloud.textract.parts import BLOCKS_A_PART, count_parts
from mailroom_desk.cloud.textract.reading import LONGEST_READING_SECONDS, Reader
from mailroom_desk.cloud.textract.service import answer_of, output_place

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
    clock: Callable[[], float] = field(default=time.time)
    pause: Callable[[float], None] = field(default=time.sleep)
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
        for _ in self._readers:
            self._jobs.put(None)
        for reader in self._readers:
            reader.close()

    def _serve(self, reader: Reader) -> None:
        while (job_id := self._jobs.get()) is not None:
            try:
                self._run(job_id, reader)
            except InvalidJobIdException:  # older than seven days: nobody asks for it any more
                self.store.mark_announced(job_id)
            except Exception:
                log.exception("job %s is not finished; a restart tries it again", job_id)

    def _run(self, job_id: str, reader: Reader) -> None:
        job = self.store.get(job_id, self.clock())
        if job.status == "IN_PROGRESS":
            outcome = self._read(job, reader)
            if outcome is None:  # the server is stopping
                return
            self._finish(job, outcome)
            job = self.store.get(job_id, self.clock())
        self._announce(job)
        self.store.mark_announced(job_id)

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
            return reader.read(
                {
                    "document": str(document),
                    "output": str(folder),
                    "job_id": job.job_id,
                    "features": job.request["FeatureTypes"],
                    "lock": str(self.results / "ocr.lock"),
                }
            )
        finally:
            document.unlink(missing_ok=True)

    def _finish(self, job: Job, outcome: dict[str, Any]) -> None:
        pages = int(outcome.get("pages", 0))
        if "failed" in outcome:
            self.store.finish(job.job_id, "FAILED", outcome["failed"], pages)
            return
        price = sum((PRICES[each] for each in set(job.request["FeatureTypes"])), Decimal(0))
        self.ledger.record(
            "textract",
            "AnalyzedPages",
            document_id=job.document_id,
            outcome="ok",
            cost_usd=pages * price,
            detail=f"{pages} page" if pages == 1 else f"{pages} pages",
        )
        self.store.finish(job.job_id, "SUCCEEDED", None, pages)

    def _announce(self, job: Job) -> None:
        surroundings = self.surroundings()
        if job.status == "SUCCEEDED" and "OutputConfig" in job.request:
            bucket, prefix = output_place(job.request, job.job_id)
            folder = self.results / job.job_id
            for part in range(count_parts(folder)):
                answer = answer_of(job, folder, part * BLOCKS_A_PART, BLOCKS_A_PART)
                surroundings.write(bucket, f"{prefix}/{part + 1}", json.dumps(answer).encode())
        channel = job.request.get("NotificationChannel")
        if channel:
            self._publish(surroundings, channel["SNSTopicArn"], job)

    def _publish(self, surroundings: Surroundings, topic_arn: str, job: Job) -> None:
        """Send the notice. After some attempts it is lost, as real ones may be; the log says so."""
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
        for attempt in range(NOTICE_ATTEMPTS):
            try:
                surroundings.publish(topic_arn, message)
                return
            except Exception:  # any refusal: unknown topic, no connection, a broken answer
                if attempt + 1 == NOTICE_ATTEMPTS:
                    log.exception("the notice of job %s could not be sent", job.job_id)
                else:
                    self.pause(2**attempt)
