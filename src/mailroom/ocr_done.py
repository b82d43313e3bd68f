"""Stage 2. Textract has finished: start the document's execution.

Comes in: SNS records, each with Textract's notice of a job.
Goes out: the row WORKING, and the execution named after the document's attempt. A job that failed
goes the same way: its status travels along, and `extract` ends it with Textract's reason. A job
that has ended leaves room: the documents that were held longest are let go.
Raises: UnknownEvent for what is no notice of ours, UnknownDocument where there is no row: Lambda
keeps both, after its retries, in the queue of undelivered events; StorageUnavailable.
Next: `statemachine/document.asl.json`.
"""

import json
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from mailroom.aws.functions import Function
from mailroom.aws.table import DocumentTable, Row, RowHeld
from mailroom.aws.workflow import Workflow
from mailroom.document import AT_WORK, Status, Work, execution_name, parse_job_tag
from mailroom.errors import UnknownDocument, UnknownEvent
from mailroom.observability import about, count, logger, observed
from mailroom.release import PER_NOTICE, release
from mailroom.settings import OcrDoneSettings

API = "StartDocumentAnalysis"
"""The only call whose jobs are ours."""


def job_done(notice: dict[str, Any], table: DocumentTable, workflow: Workflow) -> str:
    """Take one notice; returns what it meant: `started`, `repeated` or `stale`.

    It counts if its attempt is the row's and no other job is recorded. It may record the job
    itself: a fast job's notice can be here before intake has written the job down. Starting the
    execution again costs nothing, so a repeated notice of work in progress simply does, and
    mends a run that died between the row and the start.
    """
    identity, attempt = _identity(notice)
    with about(identity, attempt=attempt):
        row = table.get(identity)
        if row is None:
            raise UnknownDocument("Textract speaks of a document that has no row.")
        work = Work(
            document_id=identity,
            attempt=attempt,
            bucket=row["bucket"],
            key=row["key"],
            version_id=row.get("version_id"),
            job_id=str(notice["JobId"]),
            # Written FAILED, Failed or not at all, depending on the page of the guide.
            ocr_status=str(notice.get("Status", "")).upper() or "UNKNOWN",
            ocr_attempt=int(row["ocr_attempt"]) if "ocr_attempt" in row else None,
        )
        name = execution_name(identity, attempt)
        meaning = "started"
        try:
            table.move(
                identity,
                attempt,
                to=Status.WORKING,
                allowed=(Status.RECEIVED, Status.READING),
                values={"job_id": work.job_id, "execution_arn": workflow.execution_arn(name)},
                expect={"job_id": work.job_id},
            )
        except RowHeld as held:
            meaning = _meaning(held.row or row, work)
        if meaning != "stale":
            workflow.start(name, work.to_state())
        logger().info("Notice of Textract", meaning=meaning, ocr_status=work.ocr_status)
        count(f"Notices{meaning.capitalize()}")
    return meaning


def _identity(notice: dict[str, Any]) -> tuple[str, int]:
    named = parse_job_tag(str(notice.get("JobTag", "")))
    if named is None or "JobId" not in notice or notice.get("API", API) != API:
        raise UnknownEvent("The notice is not about a job that Mailroom started.")
    return named


def _meaning(row: Row, work: Work) -> str:
    """A repeat while the work goes on, or news about a job or an attempt that is over."""
    current = int(row["attempt"]) == work.attempt and row.get("job_id") == work.job_id
    return "repeated" if current and row["status"] in AT_WORK else "stale"


@observed
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Take each notice of the SNS event."""
    settings = OcrDoneSettings.from_env()
    table, workflow = DocumentTable(settings.table), Workflow(settings.state_machine_arn)
    meanings = [job_done(notice, table, workflow) for notice in _notices(event)]
    released = release(PER_NOTICE * len(meanings), table, Function(settings.intake_function))
    return {"notices": meanings, "released": released}


def _notices(event: dict[str, Any]) -> list[dict[str, Any]]:
    try:
        notices = [json.loads(record["Sns"]["Message"]) for record in event["Records"]]
    except (KeyError, TypeError, json.JSONDecodeError):
        raise UnknownEvent("The event is not an SNS event around a notice of Textract.") from None
    if not all(isinstance(notice, dict) for notice in notices):
        raise UnknownEvent("The message is not a notice of Textract.")
    return notices
