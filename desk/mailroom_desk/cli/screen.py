"""The terminal: two consoles, JSON lines, and text that cannot disturb it."""

import json
import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

_PIPE_WIDTH = 160
_COLOURS = {
    "STORED": "green",
    "SUMMARISED": "green",
    "IN_REVIEW": "yellow",
    "DUPLICATE": "yellow",
    "DEAD_LETTERED": "red",
    "REJECTED": "red",
    "FAILED": "red",
}


def out() -> "Console":
    """What a command answers."""
    return _console(sys.stdout, stderr=False)


def err() -> "Console":
    """Progress and hints."""
    return _console(sys.stderr, stderr=True)


def is_live() -> bool:
    """Whether a person watches: then progress may be drawn over itself."""
    return sys.stdout.isatty() and err().is_terminal and not err().is_dumb_terminal


def emit(value: Mapping[str, Any]) -> None:
    """One JSON line on stdout."""
    unicode = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    print(json.dumps(value, ensure_ascii=not unicode), flush=True)


def plain(text: object, style: str = "") -> "Text":
    """Text that came from elsewhere: no markup, and no control characters."""
    from rich.text import Text

    shown = "".join(char if char.isprintable() else " " for char in str(text))
    return Text(shown, style=style)


def status_text(status: str) -> "Text":
    """A status in its colour."""
    return plain(status, _COLOURS.get(status, "cyan"))


def seconds(value: float | None) -> str:
    """A duration as people write it."""
    if value is None:
        return ""
    if value < 60:
        return f"{value:.1f} s"
    minutes, rest = divmod(round(value), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"


def _console(stream: Any, *, stderr: bool) -> "Console":
    from rich.console import Console

    # A file or a pipe has no width: folding its lines at 80 columns would help nobody.
    width = None if stream.isatty() or "COLUMNS" in os.environ else _PIPE_WIDTH
    return Console(stderr=stderr, width=width, highlight=False, soft_wrap=False)
