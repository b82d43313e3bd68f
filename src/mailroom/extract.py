"""Stage 3. Read all that Textract wrote about the document.

Comes in: the execution's state: identity, job and Textract's verdict.
Goes out: the pages in S3, one JSON object a line, and as Markdown; counts beside two pointers in
the state. Both are written while the pages come, so memory does not grow with the document.
Raises: OcrFailed with Textract's own reason; OcrResultsIncomplete, OcrThrottled, OcrUnavailable,
StorageUnavailable for another try.
Next: `classify`.
"""

from collections.abc import Callable
from dataclasses import asdict
from functools import lru_cache
from tempfile import SpooledTemporaryFile
from typing import Any, Protocol

from aws_lambda_powertools.utilities.typing import LambdaContext

from mailroom import pages
from mailroom.aws.bucket import Bucket
from mailroom.aws.textract import Textract
from mailroom.document import Work
from mailroom.errors import OcrFailed, OcrResultsIncomplete
from mailroom.observability import about, count, logger, observed
from mailroom.ocr import markdown
from mailroom.ocr.assembly import Assembly, Counts
from mailroom.settings import ExtractSettings

_READABLE = ("SUCCEEDED", "PARTIAL_SUCCESS")
_MOST_NAMED = 20  # warnings and missing pages: the state stays small, whatever a job has to say
_IN_MEMORY = 4 * 1024 * 1024  # bytes of a text; a longer one goes to the function's disk


class Reasons(Protocol):
    """What extract needs of Textract: why a job failed."""

    def why_failed(self, work: Work) -> str: ...


def extract(work: Work, bucket: Bucket, ocr: Reasons) -> dict[str, Any]:
    """Read the job's files, write the pages, return counts and the pointers."""
    if work.ocr_status not in _READABLE:
        reason = ocr.why_failed(work) or f"the job ended as {work.ocr_status}"
        raise OcrFailed(f"Textract could not read the document: {reason}.".replace("..", "."))
    assembly = Assembly(*_result_files(work, bucket))
    _write(assembly, work, bucket)
    count("PagesRead", assembly.counts.pages_read)
    return {
        "text_key": work.text_key,
        "markdown_key": work.markdown_key,
        **_for_the_state(assembly.counts),
    }


def _for_the_state(counts: Counts) -> dict[str, Any]:
    return {
        **asdict(counts),
        "missing_pages": counts.missing_pages[:_MOST_NAMED],
        "missing": len(counts.missing_pages),
        "warnings": counts.warnings[:_MOST_NAMED],
    }


def _write(assembly: Assembly, work: Work, bucket: Bucket) -> None:
    """Write both texts page by page. The Markdown goes last, when the text is safe."""
    before = 0
    with (
        SpooledTemporaryFile(max_size=_IN_MEMORY) as text,
        SpooledTemporaryFile(max_size=_IN_MEMORY) as readable,
    ):
        readable.write(markdown.heading(work.key).encode())
        for page in assembly.pages():
            text.write(pages.encode(page) + b"\n")
            readable.write((markdown.gap(before, page.number) + markdown.render(page)).encode())
            before = page.number
        readable.write(markdown.gap(before, assembly.counts.pages_reported + 1).encode())
        bucket.write_file(work.text_key, text, "application/jsonl")
        bucket.write_file(work.markdown_key, readable, "text/markdown; charset=utf-8")


def _result_files(work: Work, bucket: Bucket) -> tuple[int, Callable[[int], bytes]]:
    """How many result files the job has, and how to read one. They are named `1`, `2`, … `n`.

    S3 lists "10" before "2", and Textract's access check lies among them. Each is read twice; a
    document of one file is fetched once.
    """
    names = [key.removeprefix(work.ocr_files) for key in bucket.keys(work.ocr_files)]
    numbers = sorted(int(name) for name in names if name.isdecimal())
    if not numbers or numbers != list(range(1, len(numbers) + 1)):
        raise OcrResultsIncomplete(f"{len(numbers)} result files are there, with a gap.")
    return len(numbers), lru_cache(maxsize=1)(lambda n: bucket.read(f"{work.ocr_files}{n}"))


@observed
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Read what Textract found."""
    work = Work.from_state(event)
    with about(work.document_id, attempt=work.attempt):
        extracted = extract(work, Bucket(ExtractSettings.from_env().bucket), Textract())
        logger().info("Extracted", pages=extracted["pages_read"], words=extracted["words"])
    return extracted
