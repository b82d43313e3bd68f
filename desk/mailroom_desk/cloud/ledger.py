"""What the local cloud's services were asked, and what the real ones would have charged for it.

One SQLite file, written by several processes: write-ahead logging, and a connection for each call.
Amounts are decimal text, never floats.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

# How long a writer waits for another process's write, in seconds.
BUSY_SECONDS = 30


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """One answered call. `outcome` is "ok" or the error's code."""

    at: datetime
    service: str
    operation: str
    document_id: str | None
    outcome: str
    cost_usd: Decimal
    detail: str


class Ledger:
    """The book of all calls, in one file; its folder is made where it is missing."""

    def __init__(self, path: Path) -> None:
        self._path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        with self._connection() as connection:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute(
                "CREATE TABLE IF NOT EXISTS entries (id INTEGER PRIMARY KEY, at TEXT NOT NULL,"
                " service TEXT NOT NULL, operation TEXT NOT NULL, document_id TEXT,"
                " outcome TEXT NOT NULL, cost_usd TEXT NOT NULL, detail TEXT NOT NULL)"
            )

    def record(
        self,
        service: str,
        operation: str,
        *,
        document_id: str | None,
        outcome: str,
        cost_usd: Decimal,
        detail: str = "",
    ) -> None:
        """Add one entry, stamped with the present time."""
        at = datetime.now(UTC).isoformat(timespec="milliseconds")
        row = (at, service, operation, document_id, outcome, str(cost_usd), detail)
        with self._connection() as connection:
            connection.execute(
                "INSERT INTO entries"
                " (at, service, operation, document_id, outcome, cost_usd, detail)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                row,
            )

    def entries(self) -> list[LedgerEntry]:
        """Return all entries, the oldest first."""
        with self._connection() as connection:
            rows = connection.execute(
                "SELECT at, service, operation, document_id, outcome, cost_usd, detail"
                " FROM entries ORDER BY id"
            ).fetchall()
        return [
            LedgerEntry(
                datetime.fromisoformat(at),
                service,
                operation,
                document_id,
                outcome,
                Decimal(cost),
                detail,
            )
            for at, service, operation, document_id, outcome, cost, detail in rows
        ]

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        with closing(sqlite3.connect(self._path, timeout=BUSY_SECONDS)) as connection, connection:
            yield connection
