"""`mailroom digest`: the numbers of a day, and what Claude says of them, now."""

from datetime import UTC, datetime
from typing import Annotated

import typer

from mailroom_desk.cli.options import Profile, Region, StackName, Timeout, open_stack


def digest(
    date: Annotated[
        datetime | None,
        typer.Option(formats=["%Y-%m-%d"], help="A day (UTC) instead of today so far."),
    ] = None,
    timeout: Timeout = 900,
    as_json: Annotated[
        bool, typer.Option("--json", help="One JSON object on stdout, nothing else there.")
    ] = False,
    stack: StackName = None,
    profile: Profile = None,
    region: Region = None,
) -> None:
    """Count a day, let Claude say it in three sentences, keep it and tell people, now.

    Says what landed and what became of it, what is stored by class and dead by cause, what waits
    and for how long, what it cost, and what is unaccounted for. The stack does the same every night
    for the day before. Where Claude fails, the numbers come alone.

    Example: [bold]mailroom digest --date 2026-11-30[/]
    """
    from mailroom_desk.cli import screen
    from mailroom_desk.digests import make_digest

    where = open_stack(stack, profile, region)
    day = (date or datetime.now(UTC)).date()
    told = make_digest(where, {"date": day.isoformat()}, timeout)
    if as_json:
        kept = ("date", "sentences", "numbers", "key")
        screen.emit({name: told[name] for name in kept})
        return
    for text in filter(None, (told["sentences"], told["facts"])):
        for line in text.splitlines():
            screen.out().print(screen.plain(line), soft_wrap=True)
        screen.out().print()
    screen.out().print(screen.plain(f"Kept as s3://{where.bucket}/{told['key']}"), soft_wrap=True)
