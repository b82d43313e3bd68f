"""What a row says, for people and for programs.

`as_object` is the one JSON object a document; `why` is the sentence beside a document that was not
stored; `timeline` has the steps with the waits between them.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from mailroom.document import INCOMING, Status, timestamp

STORED = Status.STORED
SENT = "SENT"
"""Of a document that was uploaded and is not registered yet."""

_OPEN = {SENT, Status.RECEIVED, Status.READING, Status.WORKING, Status.HELD}
# A cause that was cut off is no JSON any more; its message mostly still stands at its beginning.
_MESSAGE = re.compile(r'"errorMessage"\s*:\s*("(?:[^"\\]|\\.)*")')
_CAUSE_LENGTH = 500
_REASONS_TOLD = 3

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Step:
    """One entry of the timeline, and the seconds since the one before it."""

    status: str
    at: datetime
    wait: float | None


def is_final(row: Row | None) -> bool:
    """Whether the document has come to an end, for good or until a person looks."""
    return status(row) not in _OPEN


def status(row: Row | None) -> str:
    """The row's status; SENT before there is a row."""
    return str(row["status"]) if row else SENT


def as_object(document_id: str, key: str, row: Row | None) -> dict[str, Any]:
    """One document as JSON takes it. Every name is always there."""
    row = row or {}
    return {
        "document_id": document_id,
        "key": key,
        "status": status(row),
        "document_class": row.get("document_class"),
        "confidence": _number(row.get("confidence")),
        "fields": _json(row.get("fields") or {}),
        "reasons": list(row.get("reasons") or []),
        "error": _error(row.get("error")),
        "pages": _number(row.get("pages")),
        "answered_by": row.get("answered_by"),
        "elapsed_s": elapsed(row),
    }


def as_full_object(row: Row) -> dict[str, Any]:
    """`as_object` and what only `show` tells: versions, attempt, timeline, tokens and price."""
    details = {
        name: _json(row.get(name))
        for name in (
            "bucket", "version_id", "attempt", "execution_arn", "fields_key", "model_id",
            "prompt_version", "classes_version", "input_tokens", "output_tokens",
            "cache_read_tokens", "cache_write_tokens", "price_usd",
        )
    }  # fmt: skip
    steps = [
        {"status": step.status, "at": timestamp(step.at), "wait_s": step.wait}
        for step in timeline(row)
    ]
    return {**as_object(row["document_id"], row["key"], row), **details, "timeline": steps}


def short_name(key: str) -> str:
    """The key without the prefix that all documents share."""
    return key.removeprefix(INCOMING)


def why(row: Row | None) -> str:
    """Why the document was not stored, in a sentence or a few; empty where there is no reason."""
    if not row:
        return ""
    if error := _error(row.get("error")):
        return f"{error['cause']} ({error['error']} in {error['stage']})"
    reasons = [str(reason) for reason in row.get("reasons") or []]
    more = len(reasons) - _REASONS_TOLD
    told = " ".join(reasons[:_REASONS_TOLD])
    return f"{told} And {more} more." if more > 0 else told


def plain_cause(cause: str) -> str:
    """The sentence inside an error's cause: Lambda wraps it in JSON, Step Functions wraps that."""
    try:
        parsed = json.loads(cause)
    except ValueError:
        found = _MESSAGE.search(cause)
        return str(json.loads(found[1])) if found else cause.strip()[:_CAUSE_LENGTH]
    match parsed:
        case {"errorMessage": str(message)}:
            return message
        case {"Cause": str(inner)}:
            return plain_cause(inner)
    return cause[:_CAUSE_LENGTH]


def elapsed(row: Row) -> float | None:
    """Seconds from the arrival to the end of the present attempt; to now while it goes on."""
    steps = timeline(row)
    starts = [step.at for step in steps if step.status == Status.RECEIVED] or [
        step.at for step in steps
    ]
    if not starts:
        return None
    ends = [step.at for step in steps if step.status == row["status"]]
    end = ends[-1] if is_final(row) and ends else datetime.now(UTC)
    return round(max((end - starts[-1]).total_seconds(), 0.0), 3)


def timeline(row: Row) -> list[Step]:
    """The steps in the order in which they were written."""
    steps: list[Step] = []
    for entry in row.get("timeline") or []:
        at = datetime.fromisoformat(entry["at"])
        wait = (at - steps[-1].at).total_seconds() if steps else None
        steps.append(Step(str(entry["status"]), at, wait))
    return steps


def _error(error: Mapping[str, Any] | None) -> dict[str, str] | None:
    if not error:
        return None
    return {
        "stage": str(error.get("stage", "")),
        "error": str(error.get("error", "")),
        "cause": plain_cause(str(error.get("cause", ""))) or "No cause was given.",
    }


def _number(value: Any) -> int | float | None:
    if not isinstance(value, Decimal):
        return None if value is None else float(value)
    return int(value) if value == value.to_integral_value() else float(value)


def _json(value: Any) -> Any:
    match value:
        case Decimal():
            return _number(value)
        case Mapping():
            return {name: _json(inner) for name, inner in value.items()}
        case list():
            return [_json(inner) for inner in value]
    return value
