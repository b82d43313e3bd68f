"""Dead letters, read from the rows: a queue cannot be listed, and forgets after 14 days.

A dead letter stays in the index of open rows until it is redriven. Letters of one cause have the
stage, the error and the sentence in common, its numbers and names left out.
"""

import hashlib
import re
from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from mailroom.aws.table import DocumentTable
from mailroom.document import INCOMING, Status
from mailroom_desk.documents import as_object, timeline
from mailroom_desk.errors import AmbiguousDocument, DocumentNotFound, UnknownCause
from mailroom_desk.stack import Stack

Row = dict[str, Any]

BLANK = "#"
# What differs between two failures of one cause: ARNs and addresses, UUIDs, ids, numbers.
_PARTICULAR = re.compile(
    r"\b(?:arn:|s3://|https?://)\S*[^\s.,;)'\"]"
    r"|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"
    r"|\b(?=[0-9a-f]*\d)[0-9a-f]{8,}\b"
    r"|\d+(?:[.,:]\d+)*",
    re.IGNORECASE,
)
_GROUP_LENGTH = 6


@dataclass(frozen=True)
class Cause:
    """Why documents failed. `sentence` has blanks for what is particular to one of them."""

    stage: str
    error: str
    sentence: str

    @property
    def group(self) -> str:
        """A short name for it, the same at every listing."""
        text = "\0".join((self.stage, self.error, self.sentence))
        return hashlib.sha256(text.encode()).hexdigest()[:_GROUP_LENGTH]


@dataclass(frozen=True)
class Group:
    """All dead letters of one cause, the newest first."""

    cause: Cause
    rows: tuple[Row, ...]

    @property
    def sample(self) -> Row:
        return self.rows[0]

    @property
    def newest(self) -> datetime:
        return failed_at(self.rows[0])

    @property
    def oldest(self) -> datetime:
        return failed_at(self.rows[-1])


def table_of(stack: Stack) -> DocumentTable:
    """The rows, with the functions' own conditions."""
    return DocumentTable(stack.table, stack.client("dynamodb"))


def dead_letters(table: DocumentTable, days: int | None = None) -> list[Row]:
    """The dead letters, the newest first; those of the last days, today (UTC) included."""
    rows = [row for row in table.open_rows() if row["status"] == Status.DEAD_LETTERED]
    if days is not None:
        first = datetime.now(UTC).date() - timedelta(days=days - 1)
        rows = [row for row in rows if failed_at(row).date() >= first]
    return sorted(rows, key=failed_at, reverse=True)


def failed_at(row: Row) -> datetime:
    """When it failed last."""
    ends = [step.at for step in timeline(row) if step.status == Status.DEAD_LETTERED]
    return ends[-1] if ends else datetime.fromisoformat(row["updated_at"])


def cause_of(row: Row) -> Cause:
    """What it has in common with others that failed the same way."""
    error = error_of(row)
    return Cause(error["stage"], error["error"], _PARTICULAR.sub(BLANK, error["cause"]))


def error_of(row: Row) -> dict[str, str]:
    """Stage, error and sentence."""
    told: dict[str, str] | None = as_object(row["document_id"], row["key"], row)["error"]
    return told or {"stage": "", "error": "", "cause": "No error stands on the row."}


def grouped(rows: Iterable[Row]) -> list[Group]:
    """By cause, the most frequent first."""
    by_cause: dict[Cause, list[Row]] = defaultdict(list)
    for row in rows:
        by_cause[cause_of(row)].append(row)
    groups = [
        Group(cause, tuple(sorted(rows, key=failed_at, reverse=True)))
        for cause, rows in by_cause.items()
    ]
    return sorted(groups, key=lambda group: (-len(group.rows), group.cause.group))


def of_causes(rows: Iterable[Row], wanted: Collection[str]) -> list[Row]:
    """Those whose group or error has one of these names. Raises UnknownCause."""
    named = [(row, {cause_of(row).group, cause_of(row).error}) for row in rows]
    for name in wanted:
        if not any(name in names for _, names in named):
            raise UnknownCause(
                f"No dead letter has the cause {name}. See which there are: mailroom dead list"
            )
    return [row for row, names in named if names & set(wanted)]


def one_of(rows: Iterable[Row], reference: str) -> Row:
    """The dead letter that a person means: by id, the beginning of one, or key (the newest).

    Raises DocumentNotFound, AmbiguousDocument.
    """
    known = list(rows)
    keys = (reference, f"{INCOMING}{reference}")
    if named := [row for row in known if row["key"] in keys]:
        return named[0]
    found = [row for row in known if row["document_id"].startswith(reference.lower())]
    if not found:
        raise DocumentNotFound(
            f"No dead letter has the id or key {reference}. See which there are: mailroom dead list"
        )
    if len(found) > 1:
        raise AmbiguousDocument(
            f"{len(found)} dead letters have ids that begin with {reference}. Give more of the id."
        )
    return found[0]
