"""Announce how an attempt ended. The state machine does the same for the ends that it writes.

Whoever ends an attempt writes the row first, then puts the event, then leaves a mark on the row.
A row without its mark stays in the index of open rows, where the sweeper finds and announces it:
an event comes at least once, and never before what it tells. `docs/events.md` is the contract.
"""

import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from mailroom.aws.bus import Bus
from mailroom.aws.table import DocumentTable, Row, RowHeld
from mailroom.document import ENDS, INLINE_BYTES, Status, bounded
from mailroom.observability import logger

VERSION = "1"
"""Of every detail. Names may be added to a version; none is taken away or changes its meaning."""

DETAIL_TYPES: Mapping[Status, str] = {
    Status.STORED: "DocumentStored",
    Status.IN_REVIEW: "DocumentInReview",
    Status.DEAD_LETTERED: "DocumentDeadLettered",
    Status.REJECTED: "DocumentRejected",
    Status.DUPLICATE: "DuplicateDetected",
}


def announce(row: Row, bus: Bus, table: DocumentTable) -> None:
    """Put the event of a row's end, and mark the row.

    Raises RowHeld where somebody else has marked it meanwhile: whoever listens knows the event by
    document id, attempt and status.
    """
    status = Status(row["status"])
    bus.put(DETAIL_TYPES[status], detail(row))
    table.mark_announced(row["document_id"], int(row["attempt"]), status)


def announce_end(document_id: str, attempt: int, bus: Bus, table: DocumentTable) -> None:
    """Announce the end that was just written, from the row itself, if that is still due.

    Never raises: the row has its end, and a sweep makes up for what is not announced here.
    """
    try:
        row = table.get(document_id)
        if row and int(row["attempt"]) == attempt and is_due(row):
            announce(row, bus, table)
    except RowHeld:
        logger().info("Somebody else has announced it")
    # Broad on purpose: whatever kept it from being announced, its end stands.
    except Exception as error:
        logger().warning("Not announced; a sweep will", error=type(error).__name__)


def is_due(row: Row) -> bool:
    """Whether the row has an end that nobody has announced."""
    return row["status"] in ENDS and "announced_at" not in row


def detail(row: Row) -> dict[str, Any]:
    """The event's detail: who it is about and how it ended. It holds no content but the fields."""
    status = Status(row["status"])
    found = {
        "version": VERSION,
        "document_id": row["document_id"],
        "attempt": row["attempt"],
        "bucket": row["bucket"],
        "key": row["key"],
        "version_id": row.get("version_id") or None,
        "status": status,
        **_more(status, row),
    }
    plain: dict[str, Any] = json.loads(json.dumps(found, default=_number))
    return plain


def _more(status: Status, row: Row) -> dict[str, Any]:
    """What only events of this type tell."""
    match status:
        case Status.STORED:
            return {
                "document_class": row.get("document_class"),
                "confidence": row.get("confidence"),
                "fields": bounded(row.get("fields", {}), INLINE_BYTES),
                "pages": row.get("pages"),
                "answered_by": row.get("answered_by"),
                "results_key": row["fields_key"],
            }
        case Status.IN_REVIEW:
            return {
                "document_class": row.get("document_class"),
                "reasons_count": len(row.get("reasons", ())),
            }
        case Status.DEAD_LETTERED:
            error = row.get("error", {})
            return {name: error.get(name, "") for name in ("stage", "error", "cause")}
        case Status.REJECTED:
            return {"reason": " ".join(row.get("reasons", ()))}
        case Status.DUPLICATE:
            return {"original_id": row["original"]}
    raise ValueError(f"{status} is not the end of an attempt.")


def _number(value: Any) -> int | float:
    if not isinstance(value, Decimal):
        raise TypeError(f"A {type(value).__name__} does not belong on a row.")
    return int(value) if value == value.to_integral_value() else float(value)
