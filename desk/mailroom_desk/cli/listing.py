"""`mailroom list`: the documents of the last days."""

from typing import Annotated

import typer

from mailroom.document import Status
from mailroom_desk.cli.options import Json, Profile, Region, StackName, open_stack


def list_documents(
    status: Annotated[
        Status | None,
        typer.Option(
            case_sensitive=False,
            metavar="STATUS",
            help=f"Only those of this status: {', '.join(Status)}.",
        ),
    ] = None,
    document_class: Annotated[
        str | None, typer.Option("--class", metavar="CLASS", help="Only those of this class.")
    ] = None,
    days: Annotated[
        int, typer.Option(min=1, max=366, metavar="N", help="How far back, today included (UTC).")
    ] = 7,
    as_json: Json = False,
    stack: StackName = None,
    profile: Profile = None,
    region: Region = None,
) -> None:
    """List the documents that arrived in the last days, the newest first.

    Example: [bold]mailroom list --status IN_REVIEW --days 30[/]
    """
    from mailroom_desk.cli import screen
    from mailroom_desk.documents import as_object
    from mailroom_desk.rows import Rows

    rows = [
        row
        for row in Rows(open_stack(stack, profile, region)).latest(days)
        if status in (None, row["status"]) and document_class in (None, row.get("document_class"))
    ]
    if as_json:
        for row in rows:
            screen.emit(as_object(row["document_id"], row["key"], row))
        return
    if not rows:
        typer.echo(
            f"No such document in the last {days} days. Look further back with --days, "
            "or send one with: mailroom send FILE"
        )
        return
    from mailroom_desk.cli import views

    console = screen.out()
    console.print(views.rows_table(rows))
    console.print(screen.plain(f"{views.tally(rows)}. See one with: mailroom show ID"))
    if reader := views.answered_by(rows):
        console.print(screen.plain(reader))
