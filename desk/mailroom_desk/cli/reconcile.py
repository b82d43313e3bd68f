"""`mailroom reconcile`: is every object version in the bucket accounted for?"""

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mailroom_desk.cli.options import Profile, Region, StackName, open_stack

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mailroom.reconcile import LandedVersion, Reconciliation
    from mailroom_desk.landed import TakenIn


def reconcile(
    days: Annotated[
        float, typer.Option(min=0.01, metavar="N", help="What landed in the last days.")
    ] = 3,
    grace: Annotated[
        float,
        typer.Option(min=0, metavar="MINUTES", help="What is younger may still be on its way."),
    ] = 15,
    take_in: Annotated[
        bool, typer.Option("--take-in/--no-take-in", help="Take in what is unaccounted for.")
    ] = True,
    as_json: Annotated[
        bool, typer.Option("--json", help="One JSON object on stdout, nothing else there.")
    ] = False,
    stack: StackName = None,
    profile: Profile = None,
    region: Region = None,
) -> None:
    """Compare the bucket's object versions with the rows, and take in what has none.

    Ends with 0 when nothing was unaccounted for, and with 1 when something was, taken in or not:
    an event was lost.

    Example: [bold]mailroom reconcile --days 7[/]
    """
    from mailroom.reconcile import reconcile as compare
    from mailroom_desk.cli import screen
    from mailroom_desk.landed import Statuses, versions
    from mailroom_desk.landed import take_in as hand_over

    where = open_stack(stack, profile, region)
    found = compare(
        versions(where),
        Statuses(where),
        now=datetime.now(UTC),
        window=timedelta(days=days),
        grace=timedelta(minutes=grace),
    )
    taken = hand_over(where, found.unaccounted) if take_in else []
    answers = {one.version: one for one in taken}
    if as_json:
        screen.emit(_as_object(found, answers))
    else:
        _draw(found, answers, days)
    if found.unaccounted:
        raise typer.Exit(1)


def _as_object(
    found: "Reconciliation", answers: "Mapping[LandedVersion, TakenIn]"
) -> dict[str, Any]:
    from mailroom.document import timestamp

    return {
        "since": timestamp(found.since),
        "until": timestamp(found.until),
        "landed": found.landed,
        **{str(fate): number for fate, number in found.counts.items()},
        "objects": [
            {
                "document_id": version.document_id,
                "key": version.key,
                "version_id": version.version_id,
                "landed_at": timestamp(version.landed_at),
                "age_s": round((found.until - version.landed_at).total_seconds()),
                "taken_in": answers[version].status if version in answers else None,
                "error": answers[version].error if version in answers else None,
            }
            for version in found.unaccounted
        ],
    }


def _draw(found: "Reconciliation", answers: "Mapping[LandedVersion, TakenIn]", days: float) -> None:
    from mailroom.reconcile import Fate
    from mailroom_desk.cli import screen

    parts = [
        f"{number} {fate.replace('_', ' ')}"
        for fate, number in found.counts.items()
        if number or fate is Fate.UNACCOUNTED
    ]
    console = screen.out()
    told = f"{found.landed} landed in the last {days:g} days = {' + '.join(parts)}."
    console.print(screen.plain(told))
    if found.unaccounted:
        _draw_unaccounted(found.unaccounted, answers, found.until)


def _draw_unaccounted(
    versions: "Sequence[LandedVersion]",
    answers: "Mapping[LandedVersion, TakenIn]",
    until: datetime,
) -> None:
    from mailroom_desk.cli import screen, views
    from mailroom_desk.documents import short_name

    drawn = views.table("Unaccounted for", "Version", "Age", "Id", "Now", right=("Age",))
    for version in versions:
        answer = answers.get(version)
        drawn.add_row(
            screen.plain(short_name(version.key)),
            screen.plain(version.version_id[:8]),
            screen.seconds((until - version.landed_at).total_seconds()),
            version.document_id[:8],
            screen.plain("left" if answer is None else answer.status or "not taken in"),
        )
    console = screen.out()
    console.print(drawn)
    for answer in answers.values():
        if answer.error:
            line = f"{short_name(answer.version.key)}: {answer.error}"
            console.print(screen.plain(line), soft_wrap=True)
    if not answers:
        console.print(screen.plain("Take them in: mailroom reconcile"))
