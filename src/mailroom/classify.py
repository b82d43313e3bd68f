"""Stage 4. Ask Claude what the document is and what it says; then doubt it.

Comes in: the execution's state with the pointer that `extract` left.
Goes out: class, fields, reasons and price in S3; in the state what the next states need of them.
Raises: ReadingUnfinished where the time does not suffice for all of a long document, and
ModelThrottled, ModelUnavailable, ModelFailed, ModelAccessDenied, StorageUnavailable, for another
try, which goes on where this one stopped; ClassesInvalid, ServiceMisconfigured for none.
Next: `Confident?`; any reason leads to review, none to `store`.

`reading` asks the model, in one call or many; the pages are streamed, never all held.
"""

import json
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any, Protocol

from aws_lambda_powertools.utilities.typing import LambdaContext

from mailroom.aws.bucket import Bucket
from mailroom.aws.claude import Claude
from mailroom.classes import Classes
from mailroom.classes_file import classes_in_force
from mailroom.document import INLINE_BYTES, Work, bounded
from mailroom.llm.asking import Asker, Model, Shelf
from mailroom.llm.habits import habits_of
from mailroom.llm.prompt import PROMPT_VERSION, Frame
from mailroom.llm.reading import Reader, Reading, text_limit
from mailroom.llm.windows import ranges, survey
from mailroom.observability import about, logger, observed
from mailroom.pages import Page, decode
from mailroom.prices import model_price, ocr_price
from mailroom.settings import ClassifySettings
from mailroom.verification.verify import verify

_MAX_PROBLEMS = 25  # the row stays small, however many windows a document has

_TOKENS = {
    "input_tokens": "inputTokens",
    "output_tokens": "outputTokens",
    "cache_read_tokens": "cacheReadInputTokens",
    "cache_write_tokens": "cacheWriteInputTokens",
}


class Storage(Shelf, Protocol):
    """What classify needs of the bucket: answers, and the text one line a page."""

    def lines(self, key: str) -> Iterator[bytes]: ...


def classify(
    work: Work,
    extracted: dict[str, Any],
    bucket: Storage,
    model: Model,
    classes: Classes,
    *,
    features: str,
    max_usd: Decimal,
    remaining: Callable[[], float],
) -> dict[str, Any]:
    """Find class and fields, verify them, write the result, return its short form.

    `features` are what Textract was asked for, `max_usd` bounds the price of the model's answers,
    `remaining` gives the seconds that are left.
    """

    def pages() -> Iterator[Page]:
        return map(decode, bucket.lines(extracted["text_key"]))

    if extracted["words"]:
        habits = habits_of(page.text for page in pages())
        asker = Asker(bucket, model, classes, habits, remaining)
        reading = _read(work, extracted, pages, asker, max_usd)
    else:
        # Nothing stands on its pages that could be left unshown.
        reading = Reading(
            problems=["No text was found in the document."], pages_shown=extracted["pages_read"]
        )
    verdict = verify(
        pages,
        classes.by_name.get(reading.document_class or ""),
        reading.fields,
        {**extracted, "pages_shown": reading.pages_shown},
        classes.by_name.values(),
    )
    result = {
        "document_id": work.document_id,
        "attempt": work.attempt,
        "document_class": reading.document_class,
        "confidence": verdict.confidence,
        "fields": reading.fields,
        "evidence": verdict.evidence,
        "reasons": [*_bounded(reading.problems), *verdict.reasons],
        "pages": extracted["pages_read"],
        "pages_shown": reading.pages_shown,
        "windows": reading.windows,
        "calls": len(reading.answers),
        "classes_version": classes.version,
        "prompt_version": PROMPT_VERSION,
        **_cost(reading.answers, model.model_id, ocr_price(extracted["pages_read"], features)),
    }
    bucket.write(work.results_key, json.dumps(result).encode(), "application/json")
    return {
        "document_class": result["document_class"],
        "confidence": result["confidence"],
        "fields": bounded(reading.fields, INLINE_BYTES),
        "answered_by": result.get("answered_by"),
        "pages": result["pages"],
        "doubtful": bool(result["reasons"]),
        "reasons_count": len(result["reasons"]),
        "results_key": work.results_key,
    }


def _read(
    work: Work,
    extracted: dict[str, Any],
    pages: Callable[[], Iterator[Page]],
    asker: Asker,
    max_usd: Decimal,
) -> Reading:
    limit = text_limit(asker.classes)
    pieces = survey(pages(), limit)
    in_all = extracted["pages_reported"]
    missing = set(range(1, in_all + 1)) - {piece.page for piece in pieces}
    frame = Frame(work.document_id, work.attempt, in_all, ranges(missing, ", "))
    return Reader(pages, pieces, limit, frame, asker, max_usd).read()


def _bounded(problems: list[str]) -> list[str]:
    more = len(problems) - _MAX_PROBLEMS
    kept = problems[:_MAX_PROBLEMS]
    return [*kept, f"{more} more problems of this kind were found."] if more > 0 else kept


def _cost(answers: list[dict[str, Any]], model_id: str, price: Decimal) -> dict[str, Any]:
    """Who answered, with how many tokens, how fast and for how much, OCR included."""
    if not answers:
        return {"price_usd": str(price)}
    usage = {
        name: sum(int(answer["usage"].get(source) or 0) for answer in answers)
        for name, source in _TOKENS.items()
    }
    prices = [model_price(model_id, answer["usage"]) for answer in answers]
    total = None if None in prices else price + sum(p for p in prices if p is not None)
    return {
        "model_id": model_id,
        "answered_by": answers[-1]["answered_by"],
        "latency_ms": sum(answer["latency_ms"] for answer in answers),
        **usage,
        **({"price_usd": str(total)} if total is not None else {}),
    }


@observed
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Classify what was extracted."""
    settings = ClassifySettings.from_env()
    work = Work.from_state(event)
    with about(work.document_id, attempt=work.attempt):
        bucket = Bucket(settings.bucket)
        result = classify(
            work,
            event["extracted"],
            bucket,
            Claude(settings.model_id),
            classes_in_force(bucket),
            features=settings.ocr_features,
            max_usd=Decimal(settings.max_document_usd),
            remaining=lambda: context.get_remaining_time_in_millis() / 1000,
        )
        logger().info("Classified", document_class=result["document_class"])
    return result
