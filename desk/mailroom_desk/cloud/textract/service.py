"""The two operations, StartDocumentAnalysis and GetDocumentAnalysis, without their protocol."""

import base64
import binascii
import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

from mailroom_desk.cloud.fault_choice import Faults
from mailroom_desk.cloud.faults import TEXTRACT
from mailroom_desk.cloud.ledger import Ledger
from mailroom_desk.cloud.textract.aws import Surroundings
from mailroom_desk.cloud.textract.capacity import StartRate
from mailroom_desk.cloud.textract.errors import (
    InternalServerError,
    InvalidJobIdException,
    InvalidParameterException,
    ProvisionedThroughputExceededException,
    TextractError,
)
from mailroom_desk.cloud.textract.jobs import Job, JobStore, document_of
from mailroom_desk.cloud.textract.parts import BLOCKS_A_PART, read_blocks, read_warnings
from mailroom_desk.cloud.textract.requests import check
from mailroom_desk.cloud.textract.sabotage import fault_of

MODEL_VERSION = "1.0"
ACCESS_CHECK = ".s3_access_check"
DEFAULT_PREFIX = "textract_output"  # where OutputConfig names no prefix, as documented
NOTHING = Decimal(0)
READ = ("SUCCEEDED", "PARTIAL_SUCCESS")
LOOK_SECONDS = 0.05


@dataclass(slots=True)
class Service:
    """The operations over their store. `enqueue` is told the id of each new job."""

    store: JobStore
    ledger: Ledger
    surroundings: Callable[[], Surroundings]
    results: Path
    enqueue: Callable[[str], None]
    max_open_jobs: int
    faults: Faults = field(default_factory=lambda: Faults(TEXTRACT))
    clock: Callable[[], float] = field(default=time.time)
    pause: Callable[[float], None] = field(default=time.sleep)
    _rate: StartRate = field(default_factory=StartRate)

    def call(self, operation: str, request: Any) -> dict[str, Any]:
        """Answer one call, and write it into the ledger. Raises TextractError."""
        try:
            answer = self._answer(operation, check(operation, request))
        except TextractError as error:
            self.record(operation, request, error.code)
            raise
        except Exception as error:
            self.record(operation, request, InternalServerError.__name__)
            raise InternalServerError from error
        self.record(operation, request, "ok")
        return answer

    def _answer(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        if operation == "StartDocumentAnalysis":
            if not self._rate.allows(self.faults.plan.starts_per_second, self.clock()):
                raise ProvisionedThroughputExceededException
            return {"JobId": self._start(request)}
        return self._get(request)

    def _start(self, request: dict[str, Any]) -> str:
        now = self.clock()
        known = self.store.started(request, now)
        if known is not None:
            return known
        surroundings = self.surroundings()
        surroundings.check_document(request["DocumentLocation"]["S3Object"])
        job_id = secrets.token_hex(32)
        if "OutputConfig" in request:
            bucket, prefix = output_place(request, job_id)
            surroundings.write(bucket, f"{prefix}/{ACCESS_CHECK}", b"")
        planned = self.faults.plan.open_jobs
        limit = self.max_open_jobs if planned is None else planned
        if not self.store.add(job_id, request, now, limit):
            return self._start(request)  # the same request, a moment earlier
        self.enqueue(job_id)
        self._let_notice_pass(job_id)
        return job_id

    def _let_notice_pass(self, job_id: str) -> None:
        """Answer only after the notice, where the fault plan says so."""
        fault = fault_of(self.faults, self.store, "notice", self.store.get(job_id, self.clock()))
        if fault is None or fault.fault != "early":
            return
        end = self.clock() + fault.parameters["seconds"]
        while self.clock() < end and not self.store.is_announced(job_id):
            self.pause(LOOK_SECONDS)

    def _get(self, request: dict[str, Any]) -> dict[str, Any]:
        job = self.store.get(request["JobId"], self.clock())
        start = _position(request.get("NextToken"), job.job_id)
        count = min(request.get("MaxResults", BLOCKS_A_PART), BLOCKS_A_PART)
        return answer_of(job, self.results / job.job_id, start, count)

    def record(self, operation: str, request: Any, outcome: str) -> None:
        """Write one call into the ledger."""
        document_id = self._document_id(request) if isinstance(request, dict) else None
        self.ledger.record(
            "textract", operation, document_id=document_id, outcome=outcome, cost_usd=NOTHING
        )

    def names(self, request: Any) -> list[str]:
        """Tell the document id and the S3 key that a call is about, "" where it tells neither."""
        if not isinstance(request, dict):
            return [""]
        try:
            key = request["DocumentLocation"]["S3Object"]["Name"]
        except (KeyError, TypeError):
            key = ""
        return [self._document_id(request) or "", str(key)]

    def _document_id(self, request: dict[str, Any]) -> str | None:
        """Tell the document of a call, by its tag or its job, if it names one."""
        if isinstance(request.get("JobId"), str):
            with suppress(InvalidJobIdException):
                return self.store.get(request["JobId"], self.clock()).document_id
        tag = request.get("JobTag")
        return document_of(tag) if isinstance(tag, str) else None


def answer_of(job: Job, folder: Path, start: int, count: int) -> dict[str, Any]:
    """Build one page of a GetDocumentAnalysis answer; OutputConfig files have the same shape."""
    answer: dict[str, Any] = {
        "JobStatus": job.status,
        "AnalyzeDocumentModelVersion": MODEL_VERSION,
    }
    if job.message:
        answer["StatusMessage"] = job.message
    if job.status == "PARTIAL_SUCCESS":
        answer["Warnings"] = read_warnings(folder)
    if job.status in READ:
        blocks, more = read_blocks(folder, start, count)
        answer |= {"DocumentMetadata": {"Pages": job.pages}, "Blocks": blocks}
        if more:
            answer["NextToken"] = _token(start + count, job.job_id)
    return answer


def output_place(request: dict[str, Any], job_id: str) -> tuple[str, str]:
    """Return the bucket and the prefix of a job's output files."""
    output = request["OutputConfig"]
    prefix = output.get("S3Prefix", DEFAULT_PREFIX).rstrip("/")
    return output["S3Bucket"], f"{prefix}/{job_id}"


def _token(start: int, job_id: str) -> str:
    return base64.urlsafe_b64encode(f"{job_id}:{start}".encode()).decode()


def _position(token: str | None, job_id: str) -> int:
    if token is None:
        return 0
    try:
        owner, _, start = base64.urlsafe_b64decode(token).decode("ascii").partition(":")
        if owner != job_id or not start.isdecimal():
            raise ValueError
    except (ValueError, binascii.Error) as error:
        raise InvalidParameterException("Request has invalid parameters: NextToken") from error
    return int(start)
