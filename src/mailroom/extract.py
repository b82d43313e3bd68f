"""Stage 3. Read all that Textract wrote about the document.

Comes in: the execution's state: identity, job and Textract's verdict.
Goes out: the pages in S3, one JSON object a line, and counts beside a pointer in the state.
Raises: OcrFailed with Textract's own reason; OcrResultsIncomplete, OcrThrottled, OcrUnavailable,
StorageUnavailable for another try.
Next: `classify`.
"""

import json
from collections.abc import Iterator
from typing import Any, Protocol

from aws_lambda_powertools.utilities.typing import LambdaContext

from mailroom.aws.bucket import Bucket
from mailroom.aws.textract import Textract
from mailroom.blocks import assemble
from mailroom.document import Work
from mailroom.errors import OcrFailed, OcrResultsIncomplete
from mailroom.observability import about, count, logger, observed
from mailroom.settings import ExtractSettings

_READABLE = ("SUCCEEDED", "PARTIAL_SUCCESS")
_MAX_WARNINGS = 20  # the state stays small, whatever a job has to say


class Reasons(Protocol):
    """What extract needs of Textract: why a job failed."""

    def why_failed(self, work: Work) -> str: ...


def extract(work: Work, bucket: Bucket, ocr: Reasons) -> dict[str, Any]:
    """Read the job's files, write the pages, return counts and the pointer."""
    if work.ocr_status not in _READABLE:
        reason = ocr.why_failed(work) or f"the job ended as {work.ocr_status}"
        raise OcrFailed(f"Textract could not read the document: {reason}.".replace("..", "."))
    reading = assemble(_result_files(work, bucket))
    lines = [json.dumps(page.to_json(), ensure_ascii=False) for page in reading.pages]
    bucket.write(work.text_key, "\n".join(lines).encode(), "application/jsonl")
    count("PagesRead", len(reading.pages))
    return {
        "text_key": work.text_key,
        "pages_reported": reading.pages_reported,
        "pages_read": len(reading.pages),
        "words": sum(len(page.words) for page in reading.pages),
        "dangling": reading.dangling,
        "warnings": reading.warnings[:_MAX_WARNINGS],
    }


def _result_files(work: Work, bucket: Bucket) -> Iterator[dict[str, Any]]:
    """The files `1`, `2`, … `n` of the job, in the order of their numbers.

    S3 lists "10" before "2", and Textract's access check lies among them. The last file has no
    NextToken: where it has one, or a number is missing, there is more to come.
    """
    names = [key.removeprefix(work.ocr_files) for key in bucket.keys(work.ocr_files)]
    numbers = sorted(int(name) for name in names if name.isdecimal())
    if not numbers or numbers != list(range(1, len(numbers) + 1)):
        raise OcrResultsIncomplete(f"{len(numbers)} result files are there, with a gap.")
    for number in numbers:
        try:
            file: dict[str, Any] = json.loads(bucket.read(f"{work.ocr_files}{number}"))
        except ValueError:
            # The parser's own message would quote the document.
            raise OcrResultsIncomplete(f"Result file {number} is cut.") from None
        if number == numbers[-1] and file.get("NextToken"):
            raise OcrResultsIncomplete(f"Result file {number} says that there are more.")
        yield file


@observed
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Read what Textract found."""
    work = Work.from_state(event)
    with about(work.document_id, attempt=work.attempt):
        extracted = extract(work, Bucket(ExtractSettings.from_env().bucket), Textract())
        logger().info("Extracted", pages=extracted["pages_read"], words=extracted["words"])
    return extracted
