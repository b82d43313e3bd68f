"""One document on the screen."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from rich.console import Console
from rich.table import Table

from mailroom_desk.cli import views
from mailroom_desk.cli.screen import plain, seconds, status_text
from mailroom_desk.documents import elapsed, short_name, status, timeline, why

_ATTRIBUTES = {
    "document_id": "Id",
    "key": "Key",
    "version_id": "Version",
    "media_type": "Type",
    "pages": "Pages",
    "attempt": "Attempt",
    "execution_arn": "Execution",
}


def draw(console: Console, row: Mapping[str, Any], *, is_local: bool) -> None:
    """Everything that is known of a document, in the order of what people ask first."""
    title = plain(f"{short_name(row['key'])}  ", "bold")
    console.print(title.append_text(status_text(status(row))))
    if row.get("document_class"):
        sure = f", confidence {row['confidence']}" if "confidence" in row else ""
        console.print(plain(f"{row['document_class']}{sure}"))
    if reader := views.answered_by([row]):
        console.print(plain(reader))
    _draw_doubts(console, row)
    if row.get("fields"):
        views.heading(console, "Fields")
        views.indented(console, _fields(row["fields"]))
    views.heading(console, "Timeline")
    views.indented(console, steps(row))
    views.heading(console, "Row")
    known = {label: row[name] for name, label in _ATTRIBUTES.items() if row.get(name)}
    views.indented(console, pairs(known))
    if "price_usd" in row:
        views.heading(console, "Price")
        views.indented(console, plain(_price(row, is_local=is_local)))


def _draw_doubts(console: Console, row: Mapping[str, Any]) -> None:
    if row.get("error"):
        views.heading(console, "Error")
        views.indented(console, plain(why(row)))
    if row.get("reasons"):
        views.heading(console, "Reasons")
        for reason in row["reasons"]:
            views.indented(console, plain(f"- {reason}"))


def _fields(fields: Mapping[str, Any]) -> Table:
    drawn = _grid()
    for name, value in fields.items():
        shown = _items(value) if _is_items(value) else plain(_inline(value))
        drawn.add_row(plain(name, "cyan"), shown)
    return drawn


def _is_items(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(x, Mapping) for x in value)


def _items(items: Sequence[Mapping[str, Any]]) -> Table:
    """Line items: a column for each name that any of them has."""
    names = list(dict.fromkeys(name for item in items for name in item))
    drawn = Table(box=None, pad_edge=False, header_style="dim")
    for name in names:
        drawn.add_column(plain(name), overflow="fold")
    for item in items:
        drawn.add_row(*(plain(_inline(item.get(name, ""))) for name in names))
    return drawn


def _inline(value: Any) -> str:
    match value:
        case list():
            return "; ".join(map(_inline, value))
        case Mapping():
            return ", ".join(f"{name} {_inline(inner)}" for name, inner in value.items())
    return str(value)


def steps(row: Mapping[str, Any]) -> Table:
    """The timeline, with the waits between its steps."""
    drawn = _grid()
    for step in timeline(row):
        wait = f"+ {seconds(step.wait)}" if step.wait is not None else ""
        drawn.add_row(f"{step.at.astimezone():%Y-%m-%d %H:%M:%S}", status_text(step.status), wait)
    drawn.add_row("", plain("in all", "dim"), plain(f"  {seconds(elapsed(row))}", "dim"))
    return drawn


def pairs(values: Mapping[str, Any]) -> Table:
    """Labels and values."""
    drawn = _grid()
    for label, value in values.items():
        drawn.add_row(plain(label), plain(value))
    return drawn


def _grid() -> Table:
    """Columns without a frame; the last one folds long values instead of cutting them."""
    drawn = Table.grid(padding=(0, 2))
    drawn.add_column(no_wrap=True)
    drawn.add_column(overflow="fold")
    return drawn


def _price(row: Mapping[str, Any], *, is_local: bool) -> str:
    tokens = ", ".join(
        f"{row[name]} {label}"
        for name, label in (
            ("input_tokens", "in"),
            ("output_tokens", "out"),
            ("cache_read_tokens", "read from cache"),
            ("cache_write_tokens", "written to cache"),
        )
        if name in row
    )
    told = f"{dollars(row['price_usd'])} at AWS's list prices, Textract and Claude together"
    told += f"; tokens: {tokens}." if tokens else "."
    if is_local and views.STAND_IN in str(row.get("answered_by", views.STAND_IN)):
        told += " Nothing was charged: local stand-ins answered."
    elif is_local:
        told += f" Textract was a local stand-in; the charge of {row['answered_by']} is its own."
    return told


def dollars(amount: Decimal) -> str:
    """An amount with what matters of it: prices of a page are fractions of a cent."""
    return f"${amount:.4f}"
