"""Stage 5. Write the outcome on the row, once.

Comes in: the execution's state; `outcome` is STORED, or IN_REVIEW on the doubtful road.
Goes out: `{"status": "processed"}` the first time, `{"status": "skipped_duplicate"}` after it.
Raises: Superseded where the row has gone on without this run; StorageUnavailable for another try.
Next: `Announce`.
"""

import json
from decimal import Decimal
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from mailroom.aws.bucket import Bucket
from mailroom.aws.table import DocumentTable, RowHeld
from mailroom.document import Status, Work, bounded, timestamp
from mailroom.errors import Superseded
from mailroom.observability import about, count, logger, observed
from mailroom.settings import StoreSettings

_ROW_BYTES = 100 * 1024
"""Of fields on the row, whose limit is 400 KB. All of them are in S3, whatever their size."""

_NOT_ON_THE_ROW = {"document_id", "attempt", "fields", "evidence"}


def store(work: Work, outcome: Status, bucket: Bucket, table: DocumentTable) -> dict[str, str]:
    """Write class, fields and reasons on the row, if it is still this attempt's."""
    result = json.loads(bucket.read(work.results_key), parse_float=Decimal)
    values = {name: value for name, value in result.items() if name not in _NOT_ON_THE_ROW}
    values["fields"] = bounded(result["fields"], _ROW_BYTES)
    values["fields_key"] = work.results_key
    if "price_usd" in values:
        values["price_usd"] = Decimal(values["price_usd"])
    if outcome == Status.STORED:
        values["stored_at"] = timestamp()
    values = {name: value for name, value in values.items() if value not in (None, "", [], {})}
    try:
        table.move(
            work.document_id,
            work.attempt,
            to=outcome,
            allowed=(Status.WORKING,),
            values=values,
        )
    except RowHeld as held:
        row = held.row or {}
        if row.get("attempt") == work.attempt and row.get("status") == outcome:
            count("DuplicatesSkipped")
            return {"status": "skipped_duplicate"}
        raise Superseded("The row has gone on without this run.") from held
    count(f"Documents{outcome.title().replace('_', '')}")
    return {"status": "processed"}


@observed
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, str]:
    """Store the result, or put it before a person."""
    settings = StoreSettings.from_env()
    work = Work.from_state(event)
    with about(work.document_id, attempt=work.attempt):
        outcome = Status(event["outcome"])
        stored = store(work, outcome, Bucket(settings.bucket), DocumentTable(settings.table))
        logger().info("Stored", outcome=outcome, status=stored["status"])
    return stored
