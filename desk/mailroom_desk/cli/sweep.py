"""`mailroom sweep`: look after what has waited too long, now."""

from typing import Annotated

import typer

from mailroom_desk.cli.options import Profile, Region, StackName, open_stack


def sweep(
    as_json: Annotated[
        bool, typer.Option("--json", help="One JSON object on stdout, nothing else there.")
    ] = False,
    stack: StackName = None,
    profile: Profile = None,
    region: Region = None,
) -> None:
    """Look after every document that has waited longer than its status allows, now.

    The stack does the same on a schedule. Two sweeps at once do each thing once.

    Example: [bold]mailroom sweep[/]
    """
    from mailroom_desk.cli import screen, views
    from mailroom_desk.functions import ask

    where = open_stack(stack, profile, region)
    done: dict[str, int] = ask(where, where.sweeper_function, {})
    if as_json:
        screen.emit(done)
        return
    if not done:
        typer.echo("Nothing has waited too long.")
        return
    drawn = views.table("Looked after", "Documents", right=("Documents",))
    for what, number in sorted(done.items()):
        drawn.add_row(screen.plain(what), str(number))
    screen.out().print(drawn)
