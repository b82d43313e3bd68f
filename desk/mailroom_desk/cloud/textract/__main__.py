"""Start the local Textract: `python -m mailroom_desk.cloud.textract --port P ...`."""

import argparse
import threading
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from mailroom_desk.cloud.fault_calls import add_faults_option
from mailroom_desk.cloud.fault_choice import Faults
from mailroom_desk.cloud.faults import TEXTRACT
from mailroom_desk.cloud.ledger import Ledger
from mailroom_desk.cloud.serving import Stopping, serve
from mailroom_desk.cloud.textract.aws import AwsSurroundings, surroundings_at
from mailroom_desk.cloud.textract.jobs import JobStore
from mailroom_desk.cloud.textract.readings import Readings
from mailroom_desk.cloud.textract.server import make_app
from mailroom_desk.cloud.textract.service import Service
from mailroom_desk.cloud.textract.work import Workers

# Textract's own default quota of open asynchronous jobs in us-east-1.
MAX_OPEN_JOBS = 600
MEGABYTE = 1_000_000


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve until SIGTERM or SIGINT."""
    options = _options(arguments)
    store = JobStore(options.state / "jobs.db")
    ledger = Ledger(options.ledger)
    results = options.state / "results"
    results.mkdir(parents=True, exist_ok=True)

    @cache
    def surroundings() -> AwsSurroundings:
        return surroundings_at(options.endpoint_url)

    faults = Faults(TEXTRACT, options.faults)
    workers = Workers(
        store,
        ledger,
        surroundings,
        results,
        options.workers,
        faults=faults,
        readings=Readings(options.reading_cache_mb * MEGABYTE),
    )
    service = Service(
        store,
        ledger,
        surroundings,
        results,
        workers.enqueue,
        options.max_open_jobs,
        faults=faults,
    )
    stopping = Stopping()
    workers.start()
    # boto3 takes a second to load: not before the server answers, but before the first document.
    threading.Thread(target=surroundings, daemon=True).start()
    try:
        serve(make_app(service, stopping), options.port, stopping)
    finally:
        workers.stop()


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="mailroom-textract", description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--state", type=Path, required=True, help="folder for jobs and results")
    parser.add_argument("--ledger", type=Path, required=True, help="SQLite file of all calls")
    parser.add_argument("--endpoint-url", required=True, help="where S3 and SNS answer")
    parser.add_argument("--workers", type=int, default=2, help="documents read at a time")
    parser.add_argument("--max-open-jobs", type=int, default=MAX_OPEN_JOBS)
    add_faults_option(parser)
    parser.add_argument(
        "--reading-cache-mb",
        type=int,
        default=64,
        help="memory for readings of documents that come again with the same bytes; 0: none",
    )
    return parser.parse_args(arguments)


if __name__ == "__main__":
    main()
