"""`mailroom dead list` and `mailroom dead show`: what failed, and why."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from mailroom_desk.cli.options import Json, Profile, Region, StackName, open_stack

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mailroom_desk.dead_letters import Group

_ID_SHOWN = 8


def list_dead(
    days: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Only what failed in the last days, today included."),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="One JSON object a cause on stdout, nothing else there.")
    ] = False,
    stack: StackName = None,
    profile: Profile = None,
    region: Region = None,
) -> None:
    """List the dead letters by cause, with a sample of each.

    They are read from the rows, and stay there until they are redriven.

    Example: [bold]mailroom dead list[/]
    """
    from mailroom_desk.cli import screen
    from mailroom_desk.dead_letters import dead_letters, grouped, table_of

    groups = grouped(dead_letters(table_of(open_stack(stack, profile, region)), days))
    if as_json:
        for group in groups:
            screen.emit(_as_object(group))
        return
    if not groups:
        typer.echo("There are no dead letters.")
        return
    _draw(groups)


def show_dead(
    reference: Annotated[
        str,
        typer.Argument(metavar="ID", help="The document's id, the beginning of it, or its key."),
    ],
    as_json: Json = False,
    stack: StackName = None,
    profile: Profile = None,
    region: Region = None,
) -> None:
    """Show one dead letter: the error in full, its execution, its timeline, what a redrive does.

    Example: [bold]mailroom dead show 3f9a2c[/]
    """
    from mailroom_desk.cli import screen
    from mailroom_desk.dead_letters import cause_of, dead_letters, one_of, table_of
    from mailroom_desk.documents import as_full_object
    from mailroom_desk.redrive_ports import redriver

    where = open_stack(stack, profile, region)
    row = one_of(dead_letters(table_of(where)), reference)
    arn = row.get("execution_arn")
    extra = {
        "group": cause_of(row).group,
        "cause_in_full": str((row.get("error") or {}).get("cause", "")),
        "console_url": where.console_url(str(arn)) if arn else None,
        "redrive": redriver(where).plan(row).sentence,
    }
    if as_json:
        screen.emit(as_full_object(row) | extra)
        return
    _draw_one(row, extra)


def _as_object(group: "Group") -> dict[str, Any]:
    from mailroom.document import timestamp
    from mailroom_desk.dead_letters import error_of

    return {
        "group": group.cause.group,
        "stage": group.cause.stage,
        "error": group.cause.error,
        "cause": group.cause.sentence,
        "count": len(group.rows),
        "oldest": timestamp(group.oldest),
        "newest": timestamp(group.newest),
        "sample": {
            "document_id": group.sample["document_id"],
            "key": group.sample["key"],
            "cause": error_of(group.sample)["cause"],
        },
    }


def _draw(groups: "Sequence[Group]") -> None:
    from mailroom_desk.cli import screen, views
    from mailroom_desk.dead_letters import error_of
    from mailroom_desk.documents import short_name

    drawn = views.table(
        "Cause and a sample", "Where", "Count", "Oldest", "Newest", "Group", right=("Count",)
    )
    for group in groups:
        sample = group.sample
        told = f"{short_name(sample['key'])} ({sample['document_id'][:_ID_SHOWN]})"
        cell = screen.plain(error_of(sample)["cause"]).append("\n")
        drawn.add_row(
            cell.append_text(screen.plain(told, "dim")),
            screen.plain(f"{group.cause.error} in {group.cause.stage}"),
            str(len(group.rows)),
            f"{group.oldest.astimezone():%m-%d %H:%M}",
            f"{group.newest.astimezone():%m-%d %H:%M}",
            group.cause.group,
        )
    console = screen.out()
    console.print(drawn)
    letters = sum(len(group.rows) for group in groups)
    console.print(
        screen.plain(
            f"{letters} dead letters, {len(groups)} causes. See one: mailroom dead show ID. "
            "Try again: mailroom dead redrive --cause GROUP"
        )
    )


def _draw_one(row: "Mapping[str, Any]", extra: "Mapping[str, Any]") -> None:
    from mailroom_desk.cli import document_view, screen, views
    from mailroom_desk.dead_letters import error_of
    from mailroom_desk.documents import short_name, status

    console = screen.out()
    title = screen.plain(f"{short_name(row['key'])}  ", "bold")
    console.print(title.append_text(screen.status_text(status(row))))
    error = error_of(dict(row))
    views.heading(console, "Error")
    views.indented(
        console,
        document_view.pairs(
            {
                "Stage": error["stage"],
                "Error": error["error"],
                "Cause": error["cause"],
                "Group": extra["group"],
            }
        ),
    )
    views.heading(console, "Document")
    known = {
        "Id": row["document_id"],
        "Key": row["key"],
        "Version": row.get("version_id"),
        "Attempts": row["attempt"],
        "Execution": row.get("execution_arn"),
        "Console": extra["console_url"],
    }
    views.indented(
        console, document_view.pairs({label: value for label, value in known.items() if value})
    )
    views.heading(console, "Timeline")
    views.indented(console, document_view.steps(row))
    views.heading(console, "Redrive")
    views.indented(console, screen.plain(extra["redrive"]))
    command = f"mailroom dead redrive --id {row['document_id'][:_ID_SHOWN]}"
    views.indented(console, screen.plain(command, "dim"))
