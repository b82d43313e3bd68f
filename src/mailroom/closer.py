"""Beside the road. An execution ended badly: no row stays open.

Comes in: "Step Functions Execution Status Change" with FAILED, TIMED_OUT or ABORTED. No Catch runs
on an abort or a time-out of the execution, and some errors no Catch can see.
Goes out: a row that is still at work is dead-lettered with the reason; an end that the execution
wrote and could not announce is announced; any other row is left alone.
Raises: StorageUnavailable for another try. These events are best effort: the sweeper does the same
again.
"""

from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from mailroom.announce import announce_end
from mailroom.aws.bus import Bus
from mailroom.aws.queue import Queue
from mailroom.aws.table import DocumentTable
from mailroom.dead_letters import dead_letter
from mailroom.document import parse_execution_name
from mailroom.errors import UnknownEvent
from mailroom.observability import about, logger, observed
from mailroom.settings import CloserSettings

STAGE = "Execution"


def close(detail: dict[str, Any], table: DocumentTable, queue: Queue, bus: Bus) -> bool:
    """End the row of an execution that ended badly; False where nothing was left to end."""
    named = parse_execution_name(str(detail["name"]))
    if named is None:
        logger().info("A run started by hand ended badly; it has no row of its own")
        return False
    document_id, attempt = named
    with about(document_id, attempt=attempt):
        ended = dead_letter(
            table,
            queue,
            bus,
            document_id,
            attempt,
            stage=STAGE,
            error=str(detail.get("error") or detail["status"]),
            cause=str(detail.get("cause") or f"The execution ended as {detail['status']}."),
            execution=str(detail["executionArn"]),
        )
        if not ended:
            announce_end(document_id, attempt, bus, table)
        return ended


@observed
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Close what the event names."""
    settings = CloserSettings.from_env()
    match event:
        case {"source": "aws.states", "detail": {"name": str(), "status": str()} as detail}:
            table, queue = DocumentTable(settings.table), Queue(settings.dead_letter_queue_url)
            return {"closed": close(detail, table, queue, Bus(settings.bus))}
        case _:
            raise UnknownEvent("The event is not about the end of an execution.")
