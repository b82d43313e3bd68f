"""Watch documents: a live table for a person, plain lines on stderr for everything else."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from mailroom_desk.cli import screen
from mailroom_desk.documents import SENT, short_name, status
from mailroom_desk.follow import Followed, RowSource, follow

_STAGES = {
    SENT: "waiting",
    "RECEIVED": "taken in",
    "READING": "being read",
    "WORKING": "understanding",
}
_WIDTHS = (13, 14, 8)
_FRAME = 6  # lines of the screen that are not documents


def watch(documents: Sequence[Followed], rows: RowSource, timeout: float) -> None:
    """Follow the documents to their end and show how they get on."""
    if screen.is_live():
        _watch_live(documents, rows, timeout)
    else:
        _watch_in_lines(documents, rows, timeout)


@contextmanager
def one_line() -> Iterator[Callable[[str], None]]:
    """Tell how something gets on: in one line for a person, in plain lines for everything else."""
    console = screen.err()
    if screen.is_live():
        with console.status("") as shown:
            yield lambda line: shown.update(screen.plain(line))
    else:
        yield lambda line: console.print(screen.plain(line), soft_wrap=True)


def _watch_live(documents: Sequence[Followed], rows: RowSource, timeout: float) -> None:
    from rich.live import Live

    console = screen.err()

    def drawn() -> Any:
        return _live_table(documents, max(console.height - _FRAME, 3))

    with Live(get_renderable=drawn, console=console, transient=True, refresh_per_second=4):
        for _ in follow(documents, rows, timeout):
            pass


def _watch_in_lines(documents: Sequence[Followed], rows: RowSource, timeout: float) -> None:
    console = screen.err()
    for changed in follow(documents, rows, timeout):
        for document in changed:
            now = status(document.row)
            found = (document.row or {}).get("document_class")
            line = f"{datetime.now():%H:%M:%S} {now:<13} {short_name(document.key)}"
            console.print(screen.plain(f"{line} ({found})" if found else line), soft_wrap=True)


def _live_table(documents: Sequence[Followed], height: int) -> Any:
    from mailroom_desk.cli.views import table

    # Those still on their way first, where not all have room.
    shown = sorted(documents, key=lambda document: document.ended is not None)[:height]
    drawn = table("Document", "Stage", "Class", "Time", right=("Time",))
    # Room for what will stand there, so that the columns stay where they are.
    for column, width in zip(drawn.columns[1:], _WIDTHS, strict=True):
        column.min_width = width
    for document in documents if len(documents) <= height else shown:
        row = document.row or {}
        drawn.add_row(
            screen.plain(short_name(document.key)),
            _stage(status(document.row)),
            screen.plain(row.get("document_class", "")),
            screen.seconds((document.ended or time.monotonic()) - document.since),
        )
    ended = sum(document.ended is not None for document in documents)
    drawn.caption = f"{ended} of {len(documents)} at their end"
    drawn.caption_justify = "left"
    return drawn


def _stage(now: str) -> Any:
    return screen.status_text(now) if now not in _STAGES else screen.plain(_STAGES[now], "cyan")
