"""The jobs, in one SQLite file, so that a restarted server knows them all.

A job is IN_PROGRESS until it is read, then SUCCEEDED, PARTIAL_SUCCESS or FAILED; `announced` says
that its output is written and its notice sent. What is not announced is taken up again after a
restart.
"""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mailroom_desk.cloud.textract.errors import (
    IdempotentParameterMismatchException,
    InvalidJobIdException,
    LimitExceededException,
)

# Textract keeps results for seven days (docs.aws.amazon.com/textract/latest/dg/api-async.html).
KEPT_SECONDS = 7 * 24 * 3600


@dataclass(frozen=True, slots=True)
class Job:
    """One job as stored; `request` is the StartDocumentAnalysis request."""

    job_id: str
    request: dict[str, Any]
    status: str
    message: str | None
    pages: int
    created_at: float

    @property
    def document_id(self) -> str | None:
        """The document that the job reads, by its tag."""
        tag: str | None = self.request.get("JobTag")
        return document_of(tag) if tag else None


def document_of(tag: str) -> str:
    """Return the document of a job's tag, `<document_id>.<attempt>`."""
    return tag.split(".")[0]


class JobStore:
    """All jobs of this server."""

    def __init__(self, path: Path) -> None:
        self._path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        with self._connection() as connection:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute(
                "CREATE TABLE IF NOT EXISTS jobs (job_id TEXT PRIMARY KEY, token TEXT,"
                " request TEXT NOT NULL, status TEXT NOT NULL, message TEXT,"
                " pages INTEGER NOT NULL, created_at REAL NOT NULL,"
                " announced INTEGER NOT NULL DEFAULT 0)"
            )
            connection.execute("CREATE UNIQUE INDEX IF NOT EXISTS tokens ON jobs (token)")

    def started(self, request: dict[str, Any], now: float) -> str | None:
        """Return the id of the job that this request has already started, by its token.

        Raises IdempotentParameterMismatchException if the token came with another request.
        """
        token = request.get("ClientRequestToken")
        with self._connection() as connection:
            row = connection.execute(
                "SELECT job_id, request FROM jobs WHERE token = ? AND created_at > ?",
                (token, now - KEPT_SECONDS),
            ).fetchone()
        if row is None:
            return None
        if json.loads(row[1]) != request:
            raise IdempotentParameterMismatchException
        return str(row[0])

    def add(self, job_id: str, request: dict[str, Any], now: float, max_open: int) -> bool:
        """Store a new job; False if another call with its token came first.

        Raises LimitExceededException if too many are open.
        """
        with self._connection() as connection:
            connection.execute("BEGIN IMMEDIATE")
            query = "SELECT count(*) FROM jobs WHERE status = 'IN_PROGRESS'"
            if connection.execute(query).fetchone()[0] >= max_open:
                raise LimitExceededException
            token = request.get("ClientRequestToken")
            connection.execute(
                "DELETE FROM jobs WHERE token = ? AND created_at <= ?", (token, now - KEPT_SECONDS)
            )
            added = connection.execute(
                "INSERT OR IGNORE INTO jobs (job_id, token, request, status, pages, created_at)"
                " VALUES (?, ?, ?, 'IN_PROGRESS', 0, ?)",
                (job_id, token, json.dumps(request), now),
            )
            return added.rowcount == 1

    def get(self, job_id: str, now: float) -> Job:
        """Return a job. Raises InvalidJobIdException if it is unknown or older than seven days."""
        with self._connection() as connection:
            row = connection.execute(
                "SELECT job_id, request, status, message, pages, created_at FROM jobs"
                " WHERE job_id = ? AND created_at > ?",
                (job_id, now - KEPT_SECONDS),
            ).fetchone()
        if row is None:
            raise InvalidJobIdException
        return Job(row[0], json.loads(row[1]), *row[2:])

    def finish(self, job_id: str, status: str, message: str | None, pages: int) -> None:
        """Record how a job ended."""
        with self._connection() as connection:
            connection.execute(
                "UPDATE jobs SET status = ?, message = ?, pages = ? WHERE job_id = ?",
                (status, message, pages, job_id),
            )

    def mark_announced(self, job_id: str) -> None:
        """Record that a job needs nothing more."""
        with self._connection() as connection:
            connection.execute("UPDATE jobs SET announced = 1 WHERE job_id = ?", (job_id,))

    def unannounced(self) -> list[str]:
        """Return the jobs that still need work, the oldest first."""
        with self._connection() as connection:
            rows = connection.execute(
                "SELECT job_id FROM jobs WHERE announced = 0 ORDER BY created_at"
            ).fetchall()
        return [row[0] for row in rows]

    def is_announced(self, job_id: str) -> bool:
        """Tell whether a job's notice has been sent."""
        with self._connection() as connection:
            query = "SELECT announced FROM jobs WHERE job_id = ?"
            row = connection.execute(query, (job_id,)).fetchone()
        return bool(row and row[0])

    def number_of(self, job: Job) -> int:
        """Return how many jobs of the same document, by its tag, were stored before this one."""
        with self._connection() as connection:
            row = connection.execute(
                "SELECT count(*) FROM jobs WHERE"
                " rowid < (SELECT rowid FROM jobs WHERE job_id = :job)"
                " AND substr(json_extract(request, '$.JobTag') || '.', 1, length(:document) + 1)"
                " = :document || '.'",
                {"job": job.job_id, "document": job.document_id},
            ).fetchone()
        return int(row[0])

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        with closing(sqlite3.connect(self._path, timeout=30)) as connection, connection:
            yield connection
