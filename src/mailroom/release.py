"""Let held documents go on, the oldest first.

A document is held when Textract has no room for it. Each notice of Textract says that a job has
ended: two are let go, so that the number at work ramps up until Textract refuses again. Nothing is
counted, so no count can drift; the sweep guarantees that the last ones go as well.
"""

from collections.abc import Callable
from typing import Any

from mailroom.aws.table import DocumentTable, RowHeld
from mailroom.document import Status
from mailroom.observability import count as count_metric

PER_NOTICE = 2


def release(count: int, table: DocumentTable, take_in: Callable[[dict[str, Any]], None]) -> int:
    """Let up to `count` held documents go to `intake`; returns how many went.

    The claim is conditional: of two who release at once, each document goes with one of them. One
    that is refused again keeps its place, which is the time of its arrival.
    """
    released = 0
    for row in table.oldest_held(count):
        try:
            table.move(
                row["document_id"],
                int(row["attempt"]),
                to=Status.RECEIVED,
                allowed=(Status.HELD,),
                on_record=False,
            )
        except RowHeld:
            continue
        take_in(source_event(row))
        released += 1
    if released:
        count_metric("DocumentsReleased", released)
    return released


def source_event(row: dict[str, Any]) -> dict[str, Any]:
    """What `intake` takes: the version of the object that the row is about."""
    return {"bucket": row["bucket"], "key": row["key"], "version_id": row.get("version_id")}
