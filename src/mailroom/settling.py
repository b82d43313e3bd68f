"""Where a document goes that gets no Textract job, or none yet: `intake` and `starting` share it.

The row is written first, then it is counted, and an end is announced.
"""

from typing import Any

from mailroom.announce import announce_end
from mailroom.aws.bus import Bus
from mailroom.aws.table import DocumentTable, Row, RowHeld
from mailroom.document import ENDS, Status
from mailroom.observability import count

DELETED = "The file was deleted before it could be read."

_METRICS = {
    Status.HELD: "DocumentsHeld",
    Status.REJECTED: "DocumentsRejected",
    Status.DUPLICATE: "DuplicatesLinked",
}


def settle(table: DocumentTable, bus: Bus, row: Row, status: Status, **move: Any) -> Status:
    """Move a RECEIVED row on; where somebody else was faster, what they made of it stands."""
    try:
        table.move(
            row["document_id"],
            int(row["attempt"]),
            to=status,
            allowed=(Status.RECEIVED,),
            **move,
        )
    except RowHeld as held:
        return Status((held.row or row)["status"])
    return settled(table, bus, row, status)


def turn_down(table: DocumentTable, bus: Bus, row: Row, reason: str) -> Status:
    """Reject a document that has a row already."""
    return settle(table, bus, row, Status.REJECTED, values={"reasons": [reason]})


def settled(table: DocumentTable, bus: Bus, row: Row, status: Status) -> Status:
    """Count a status that was just written, and announce it where it is an end; returns it."""
    count(_METRICS[status])
    if status in ENDS:
        announce_end(row["document_id"], int(row["attempt"]), bus, table)
    return status
