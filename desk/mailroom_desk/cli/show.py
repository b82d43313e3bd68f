"""`mailroom show`: one document in full."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from mailroom_desk.cli.options import Json, Profile, Region, StackName, open_stack

if TYPE_CHECKING:
    from mailroom_desk.stack import Stack


def show(
    reference: Annotated[
        str,
        typer.Argument(metavar="ID", help="The document's id, the beginning of it, or its key."),
    ],
    days: Annotated[
        int, typer.Option(min=1, max=366, metavar="N", help="How far back to look for it.")
    ] = 31,
    as_json: Json = False,
    stack: StackName = None,
    profile: Profile = None,
    region: Region = None,
) -> None:
    """Show one document: its fields, the reasons or the error, its timeline and its price.

    A whole id is found whatever its age. Of a key with several versions the newest is shown.

    Example: [bold]mailroom show 3f9a2c[/]
    """
    from mailroom_desk.cli import screen
    from mailroom_desk.documents import as_full_object
    from mailroom_desk.rows import Rows

    where = open_stack(stack, profile, region)
    row, versions = Rows(where).find(reference, days)
    if versions > 1:
        note = f"{versions} documents have this key; this is the newest. All: mailroom list"
        screen.err().print(screen.plain(note))
    row = row | {"fields": all_fields(where, row)}
    if as_json:
        screen.emit(as_full_object(row))
        return
    from mailroom_desk.cli.document_view import draw

    draw(screen.out(), row, is_local=where.is_local)


def all_fields(stack: "Stack", row: dict[str, Any]) -> dict[str, Any]:
    """The fields in full: the row leaves long lists out. Those of the row once S3 has none."""
    from mailroom_desk.whole import whole_result

    whole = whole_result(stack, row)
    fields: dict[str, Any] = (whole or row).get("fields") or {}
    return fields
