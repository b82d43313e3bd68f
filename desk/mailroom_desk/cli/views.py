"""What is drawn: tables of documents, what became of them, and who answered."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.padding import Padding
from rich.table import Table

from mailroom_desk.cli.screen import plain, seconds, status_text
from mailroom_desk.documents import STORED, elapsed, is_final, short_name, status, why

STAND_IN = "offline stand-in"
_ID_SHOWN = 8


def table(*columns: str, right: Iterable[str] = ()) -> Table:
    """An empty table. The first column takes the room that is left, and folds."""
    drawn = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    for number, column in enumerate(columns):
        drawn.add_column(
            column,
            overflow="fold",
            no_wrap=number > 0,
            justify="right" if column in right else "left",
        )
    return drawn


def outcomes(documents: Sequence[tuple[str, Mapping[str, Any] | None]]) -> Table:
    """How documents ended, or where they are: pairs of key and row."""
    drawn = table("Document", "Status", "Class", "Pages", "Time", right=("Pages", "Time"))
    for key, row in documents:
        known = row or {}
        drawn.add_row(
            plain(short_name(key)),
            status_text(status(row)),
            plain(known.get("document_class", "")),
            str(known.get("pages", "")),
            seconds(elapsed(known)),
        )
    return drawn


def rows_table(rows: Sequence[Mapping[str, Any]]) -> Table:
    """Rows as `list` shows them, with the beginning of the id that `show` takes."""
    drawn = table("Document", "Status", "Class", "Received", "Id")
    for row in rows:
        received = datetime.fromisoformat(str(row["received_at"])).astimezone()
        drawn.add_row(
            plain(short_name(str(row["key"]))),
            status_text(status(row)),
            plain(row.get("document_class", "")),
            f"{received:%m-%d %H:%M}",
            str(row["document_id"])[:_ID_SHOWN],
        )
    return drawn


def explain(console: Console, documents: Sequence[tuple[str, Mapping[str, Any] | None]]) -> None:
    """A sentence for each document that was not stored."""
    for key, row in documents:
        if status(row) == STORED:
            continue
        line = plain(f"{short_name(key)}: ", "bold")
        console.print(line.append_text(plain(_fate(row))))


def tally(rows: Sequence[Mapping[str, Any] | None]) -> str:
    """How many documents ended how."""
    counts = Counter(status(row) for row in rows)
    return ", ".join(
        f"{number} {name.lower().replace('_', ' ')}" for name, number in counts.most_common()
    )


def answered_by(rows: Iterable[Mapping[str, Any] | None]) -> str:
    """Who read the fields; the stand-in is named as one. Empty where nothing was asked."""
    names = sorted({str(row["answered_by"]) for row in rows if row and row.get("answered_by")})
    return f"Answered by: {', '.join(map(_reader, names))}" if names else ""


def heading(console: Console, text: str) -> None:
    """A title over a part of the screen."""
    console.print()
    console.print(plain(text, "bold"))


def indented(console: Console, renderable: Any) -> None:
    console.print(Padding(renderable, (0, 0, 0, 2), expand=False))


def _reader(name: str) -> str:
    return f"{name} (no Claude was asked)" if STAND_IN in name else name


def _fate(row: Mapping[str, Any] | None) -> str:
    if not is_final(row):
        return "not at its end yet. See it later with: mailroom list"
    return why(row) or "no reason was given."
