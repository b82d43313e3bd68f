"""`mailroom dead replay`: hand undelivered events to their functions again."""

from typing import Annotated

import typer

from mailroom_desk.cli.options import Profile, Region, StackName, open_stack


def replay(
    limit: Annotated[
        int | None, typer.Option("--max", min=1, metavar="N", help="Not more than this many.")
    ] = None,
    as_json: Annotated[
        bool,
        typer.Option("--json", help="One JSON object a message on stdout, nothing else there."),
    ] = False,
    stack: StackName = None,
    profile: Profile = None,
    region: Region = None,
) -> None:
    """Hand undelivered events to their functions and state machines again.

    These are events that a function could not deal with, however often Lambda tried, or that
    EventBridge could not deliver. A message is deleted once its target has the event again; one of
    another origin is left where it is, and makes the command end with 1. An event that fails again
    comes back.

    Example: [bold]mailroom dead replay --max 100[/]
    """
    from mailroom_desk.cli import screen
    from mailroom_desk.replay import replay as replay_events

    console = screen.out()
    replayed = left = 0
    for one in replay_events(open_stack(stack, profile, region), limit):
        left += one.left is not None
        replayed += one.left is None
        told = one.left or f"{one.function} has its event again."
        if as_json:
            outcome = "left" if one.left else "replayed"
            screen.emit(
                {
                    "message_id": one.message_id,
                    "function": one.function,
                    "outcome": outcome,
                    "sentence": told,
                }
            )
        else:
            console.print(screen.plain(f"{one.message_id}: {told}"), soft_wrap=True)
    if not as_json:
        typer.echo(
            f"{replayed} replayed, {left} left in the queue."
            if replayed or left
            else "There are no undelivered events."
        )
    if left:
        raise typer.Exit(1)
