"""`mailroom summaries`: what became of the texts under `raw/`, and how `send` tells it."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer

from mailroom_desk.cli.options import Profile, Region, StackName, open_stack


def summaries(
    days: Annotated[
        int, typer.Option(min=1, max=366, metavar="N", help="How far back, today included (UTC).")
    ] = 7,
    as_json: Annotated[
        bool, typer.Option("--json", help="One JSON object a text on stdout, nothing else there.")
    ] = False,
    stack: StackName = None,
    profile: Profile = None,
    region: Region = None,
) -> None:
    """List the texts that arrived under raw/ in the last days with their summaries.

    A text that cannot be summarised is listed with the reason. Send one with
    [bold]mailroom send notes.txt --prefix raw/[/]

    Example: [bold]mailroom summaries --days 30[/]
    """
    from mailroom_desk.cli import screen
    from mailroom_desk.summaries import Summaries, as_object

    rows = Summaries(open_stack(stack, profile, region)).latest(days)
    if as_json:
        for row in rows:
            screen.emit(as_object(row["key"], row))
        return
    if not rows:
        typer.echo(
            f"No text in the last {days} days. Look further back with --days, "
            "or send one with: mailroom send notes.txt --prefix raw/"
        )
        return
    draw([(row["key"], row) for row in rows])


def draw(texts: Sequence[tuple[str, Mapping[str, Any] | None]]) -> None:
    """Texts with what became of them: pairs of key and row."""
    from mailroom_desk.cli import screen, views
    from mailroom_desk.cli.document_view import dollars
    from mailroom_desk.documents import status
    from mailroom_desk.summaries import RAW, elapsed, outcome, price_usd

    console = screen.out()
    drawn = views.table("Text", "Status", "Time", "Price", right=("Time", "Price"))
    for key, row in texts:
        price = price_usd(row or {})
        drawn.add_row(
            screen.plain(key.removeprefix(RAW)),
            screen.status_text(status(row)),
            screen.seconds(elapsed(row or {})),
            "" if price is None else dollars(price),
        )
    console.print(drawn)
    for key, row in texts:
        line = screen.plain(f"{key.removeprefix(RAW)}: ", "bold")
        console.print(line.append_text(screen.plain(outcome(row))))
    rows = [row for _, row in texts]
    console.print(screen.plain(f"{views.tally(rows)}."))
    if reader := views.answered_by(rows):
        console.print(screen.plain(reader))
