"""Make up for an announcement that the state machine could not make."""

import json
from decimal import Decimal
from typing import Any

from mailroom.aws.bus import Bus
from mailroom.aws.table import DocumentTable, Row
from mailroom.classify import INLINE_BYTES
from mailroom.document import bounded


def announce(row: Row, bus: Bus, table: DocumentTable) -> None:
    """Put DocumentStored for a stored row and mark it; the detail is the state machine's.

    Raises RowHeld where somebody else has marked it meanwhile: whoever listens knows the event by
    document id and attempt.
    """
    bus.put("DocumentStored", stored_detail(row))
    table.mark_announced(row["document_id"], int(row["attempt"]))


def stored_detail(row: Row) -> dict[str, Any]:
    """The detail of DocumentStored, version 1, from a row."""
    detail = {
        "version": "1",
        "document_id": row["document_id"],
        "attempt": row["attempt"],
        "bucket": row["bucket"],
        "key": row["key"],
        "version_id": row.get("version_id"),
        "document_class": row.get("document_class"),
        "confidence": row.get("confidence"),
        "fields": bounded(row.get("fields", {}), INLINE_BYTES),
        "pages": row.get("pages"),
        "answered_by": row.get("answered_by"),
        "results_key": row["fields_key"],
    }
    plain: dict[str, Any] = json.loads(json.dumps(detail, default=_number))
    return plain


def _number(value: Any) -> int | float:
    if not isinstance(value, Decimal):
        raise TypeError(f"A {type(value).__name__} does not belong on a row.")
    return int(value) if value == value.to_integral_value() else float(value)
