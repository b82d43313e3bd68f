"""`mailroom retries`: what is tried again, how long, at what price, and what comes after."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from mailroom_desk.retries.ladders import Ladder


def retries(
    as_json: Annotated[
        bool,
        typer.Option("--json", help="One JSON object a state and error on stdout, nothing else."),
    ] = False,
) -> None:
    """List which errors are tried again, how often and how long, and what happens after.

    Errors of one rule share their tries; behind the arrow stands what comes after the last one.
    Waits are all waits together at their longest: those of states are jittered, half of it in the
    mean. The price is that of the model's answers that may be paid for and lost on the way. All is
    read from the template and the state machine of this project.

    Example: [bold]mailroom retries[/]
    """
    from mailroom_desk.cli import screen
    from mailroom_desk.retries.definitions import read_stack
    from mailroom_desk.retries.ladders import all_ladders

    ladders = all_ladders(read_stack())
    if as_json:
        for ladder in ladders:
            screen.emit(_as_object(ladder))
        return
    _draw(ladders)


def _as_object(ladder: "Ladder") -> dict[str, Any]:
    return {
        "where": ladder.where,
        "error": ladder.error,
        "family": ladder.family,
        "attempts": ladder.attempts,
        "longest_waits_seconds": list(ladder.waits),
        "wait_seconds": ladder.longest_wait,
        "mean_wait_seconds": ladder.expected_wait if ladder.has_jitter else None,
        "attempt_seconds": ladder.attempt_seconds,
        "worst_seconds": ladder.worst_seconds,
        "worst_price_usd": float(ladder.price_usd),
        "afterwards": ladder.afterwards,
        "problems": ladder.problems(),
    }


def _draw(ladders: "list[Ladder]") -> None:
    from mailroom_desk.cli import screen, views
    from mailroom_desk.retries.page import duration, grouped, price

    numbers = ("Tries", "Waits", "Worst time", "Worst price")
    drawn = views.table("Error", *numbers, right=numbers)
    where = None
    for group in grouped(ladders):
        ladder = group[0]
        if ladder.where != where:
            where = ladder.where
            drawn.add_section()
            drawn.add_row(screen.plain(f"{where} → {ladder.afterwards}", "bold"))
        drawn.add_row(
            "\n".join(each.error for each in group),
            str(ladder.attempts),
            duration(ladder.longest_wait),
            duration(ladder.worst_seconds),
            price(ladder),
        )
    screen.out().print(drawn)
