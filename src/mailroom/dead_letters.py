"""Park a document where a person finds it: the row first, then the message, then the event.

The state machine's own dead-letter road does the same for what its Catches see.
"""

from collections.abc import Collection
from typing import Any

from mailroom.announce import announce_end
from mailroom.aws.bus import Bus
from mailroom.aws.queue import Queue
from mailroom.aws.table import DocumentTable, RowHeld
from mailroom.document import AT_WORK, Status
from mailroom.observability import count, logger

_CAUSE_LENGTH = 32_768  # what Step Functions allows a cause to have


def dead_letter(
    table: DocumentTable, queue: Queue, bus: Bus, document_id: str, attempt: int, *, stage: str,
    error: str, cause: str, allowed: Collection[Status] = AT_WORK, execution: str = "",
) -> bool:  # fmt: skip
    """End a document's attempt with a reason; False where the row has gone on without it.

    A repeat of the same failure, whose row was written but whose message may not have been sent,
    sends the message again: a letter comes at least once.
    """
    failure: dict[str, Any] = {"stage": stage, "error": error, "cause": cause[:_CAUSE_LENGTH]}
    try:
        table.move(
            document_id,
            attempt,
            to=Status.DEAD_LETTERED,
            allowed=allowed,
            values={"error": failure},
        )
    except RowHeld as held:
        row = held.row or {}
        if row.get("attempt") != attempt or row.get("error") != failure:
            return False
    letter = {"document_id": document_id, "attempt": attempt, **failure, "execution": execution}
    queue.send(letter)
    announce_end(document_id, attempt, bus, table)
    logger().error("Dead-lettered", stage=stage, error=error)
    count("DocumentsDeadLettered")
    return True
