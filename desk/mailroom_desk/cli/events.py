"""`mailroom events tail` and `mailroom events explain`: what is announced, and who takes it."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mailroom_desk.cli.options import Profile, Region, StackName, open_stack

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mailroom_desk.events.explain import Explained

_WAIT_SECONDS = 1
_TYPE_WIDTH = 21  # of the longest of Mailroom's own


def tail(
    types: Annotated[
        list[str] | None,
        typer.Option("--type", metavar="NAME", help="Only events of this type; may be repeated."),
    ] = None,
    count: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Stop after so many events.")
    ] = None,
    seconds: Annotated[
        int | None, typer.Option(min=1, metavar="SECONDS", help="Stop after so long.")
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Each event in its envelope, one JSON object a line.")
    ] = False,
    stack: StackName = None,
    profile: Profile = None,
    region: Region = None,
) -> None:
    """Show what is announced on the bus, as it comes, until Ctrl-C.

    A rule and a queue are made for it, and taken away at the end.

    Example: [bold]mailroom events tail --type DocumentStored[/]
    """
    from mailroom_desk.cli import screen
    from mailroom_desk.events.ear import Ear

    where = open_stack(stack, profile, region)
    pattern: dict[str, Any] = {"source": ["mailroom"]}
    if types:
        pattern["detail-type"] = list(types)
    end = time.monotonic() + seconds if seconds else float("inf")
    left = count or float("inf")
    with Ear(where.client, where.event_bus, pattern) as ear:
        screen.err().print(f"Listening on the bus {where.event_bus} …")
        try:
            while left > 0 and time.monotonic() < end:
                for event in ear.hear(_WAIT_SECONDS):
                    if left > 0:
                        left -= 1
                        _show(event, as_json)
        except KeyboardInterrupt:
            return


def explain(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", exists=True, dir_okay=False, help="An event in its envelope, as JSON."
        ),
    ],
    bus: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The bus, where the event's source does not tell it."),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="One JSON object a rule on stdout, nothing else there.")
    ] = False,
    stack: StackName = None,
    profile: Profile = None,
    region: Region = None,
) -> None:
    """Say which rules take an event, to which targets, and why the others do not.

    Nothing is sent. The exit code is 1 where nobody would get the event: EventBridge itself is
    silent about that.

    Example: [bold]mailroom events explain events/07-document-stored.json[/]
    """
    from mailroom_desk.cli import screen
    from mailroom_desk.events.explain import bus_of, read_event
    from mailroom_desk.events.explain import explain as ask

    event = read_event(file)
    where = open_stack(stack, profile, region)
    bus = bus or bus_of(event, where.event_bus)
    rules = ask(where.client("events"), bus, event)
    takers = [each for each in rules if each.takes_it and each.targets]
    if as_json:
        for each in rules:
            screen.emit(
                {
                    "rule": each.rule,
                    "takes_it": each.takes_it,
                    "why_not": list(each.misses),
                    "targets": list(each.targets),
                }
            )
    else:
        _draw(bus, rules)
        if not takers:
            typer.echo(f"Nobody gets this event on the bus {bus}: it is accepted, and gone.")
    if not takers:
        raise typer.Exit(1)


def _show(event: dict[str, Any], as_json: bool) -> None:
    from mailroom_desk.cli import screen
    from mailroom_desk.documents import short_name

    if as_json:
        screen.emit(event)
        return
    detail = event["detail"]
    more = (
        detail.get("document_class")
        or detail.get("reason")
        or detail.get("error")
        or detail.get("original_id")
        or ""
    )
    line = screen.plain(f"{event['time']}  {event['detail-type']:<{_TYPE_WIDTH}}  ")
    line.append_text(screen.plain(f"{short_name(detail['key'])}  {more}".rstrip()))
    screen.out().print(line)


def _draw(bus: str, rules: "Sequence[Explained]") -> None:
    from mailroom_desk.cli import screen, views

    if not rules:
        return
    drawn = views.table("Why not", "Rule", "Takes it", "Targets")
    for each in rules:
        targets = ", ".join(arn.rpartition(":")[2] for arn in each.targets) or "none"
        drawn.add_row(
            screen.plain("; ".join(each.misses)),
            screen.plain(each.rule),
            screen.plain("yes" if each.takes_it else "no"),
            screen.plain(targets),
        )
    screen.out().print(f"Rules of the bus {bus}:")
    screen.out().print(drawn)
