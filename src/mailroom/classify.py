"""Stage 4. Ask Claude what the document is and what it says; then doubt it.

Comes in: the execution's state with the pointer that `extract` left.
Goes out: class, fields, reasons and price in S3; in the state what the next states need of them.
Raises: ModelThrottled, ModelUnavailable, StorageUnavailable for another try; ModelInputTooLong,
ServiceMisconfigured for none.
Next: `Confident?`; any reason leads to review, none to `store`.

Every answer is written to S3 under a digest of its request before it is used, and looked up there
first: no retry and no new attempt pays for the same answer twice.
"""

import json
from decimal import Decimal
from typing import Any, Protocol

from aws_lambda_powertools.utilities.typing import LambdaContext

from mailroom.answer import Answer, read
from mailroom.aws.bucket import Bucket
from mailroom.aws.claude import Claude
from mailroom.blocks import Page
from mailroom.classes import Classes, packaged_classes
from mailroom.document import Work, bounded
from mailroom.observability import about, count, logger, observed
from mailroom.prices import model_price, ocr_price
from mailroom.prompt import PROMPT_VERSION, Prompt, build
from mailroom.settings import ClassifySettings
from mailroom.verify import verify

INLINE_BYTES = 16 * 1024
"""Fields up to this size travel in the state and in the event; longer lists only in S3."""

_TOKENS = {
    "input_tokens": "inputTokens",
    "output_tokens": "outputTokens",
    "cache_read_tokens": "cacheReadInputTokens",
    "cache_write_tokens": "cacheWriteInputTokens",
}


class Model(Protocol):
    """What classify needs of Claude: an id, and an answer to a Converse request."""

    model_id: str

    def ask(self, request: dict[str, Any]) -> dict[str, Any]: ...


def classify(
    work: Work, extracted: dict[str, Any], bucket: Bucket, model: Model, classes: Classes,
    features: str,
) -> dict[str, Any]:  # fmt: skip
    """Find class and fields, verify them, write the result, return its short form."""
    text = bucket.read(extracted["text_key"]).decode()
    pages = [Page.from_json(json.loads(line)) for line in text.splitlines() if line]
    prompt = build(work.document_id, work.attempt, pages, classes)
    answers: list[dict[str, Any]] = []
    if not extracted["words"]:
        answer = Answer(problems=["No text was found in the document."])
    elif not prompt.pages_shown:
        answer = Answer()  # the first page is too long: `verify` says that nothing was shown
    else:
        answers, answer = _ask(prompt, bucket, model, classes)
    verdict = verify(
        pages,
        classes.by_name.get(answer.document_class or ""),
        answer.fields,
        {**extracted, "pages_shown": prompt.pages_shown},
    )
    result = {
        "document_id": work.document_id,
        "attempt": work.attempt,
        "document_class": answer.document_class,
        "confidence": verdict.confidence,
        "fields": answer.fields,
        "reasons": answer.problems + verdict.reasons,
        "pages": extracted["pages_read"],
        "classes_version": classes.version,
        "prompt_version": PROMPT_VERSION,
        **_cost(answers, model.model_id, ocr_price(extracted["pages_read"], features)),
    }
    bucket.write(work.results_key, json.dumps(result).encode(), "application/json")
    return {
        "document_class": result["document_class"],
        "confidence": result["confidence"],
        "fields": bounded(answer.fields, INLINE_BYTES),
        "answered_by": result.get("answered_by"),
        "pages": result["pages"],
        "doubtful": bool(result["reasons"]),
        "results_key": work.results_key,
    }


def _ask(
    prompt: Prompt, bucket: Bucket, model: Model, classes: Classes
) -> tuple[list[dict[str, Any]], Answer]:
    """One answer, and a repaired one where the first breaks its schema."""
    first = _kept(prompt, bucket, model)
    answer = read(first, classes)
    if not answer.repairable:
        return [first], answer
    count("AnswersRepaired")
    second = _kept(prompt.repair(first["content"], answer.problems), bucket, model)
    repaired = read(second, classes)
    return [first, second], repaired if repaired.document_class else answer


def _kept(prompt: Prompt, bucket: Bucket, model: Model) -> dict[str, Any]:
    """The answer that was paid for before, or a new one, written down before it is used."""
    key = f"answers/{prompt.digest(model.model_id)}.json"
    known = bucket.read_if_there(key)
    if known is None:
        count("ModelCalls")
        known = json.dumps(model.ask(prompt.request)).encode()
        bucket.write(key, known, "application/json")
    answer: dict[str, Any] = json.loads(known)
    return answer


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
        bucket, model = Bucket(settings.bucket), Claude(settings.model_id)
        result = classify(
            work, event["extracted"], bucket, model, packaged_classes(), settings.ocr_features
        )
        logger().info("Classified", document_class=result["document_class"])
    return result
