"""`mailroom dead redrive`: try again what failed."""

from collections import Counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mailroom_desk.cli.options import Json, Profile, Region, StackName, open_stack

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mailroom_desk.redrive import Redriven
    from mailroom_desk.stack import Stack

_RATE = 5.0
_DAYS = 31  # how far back a document is looked for that is no dead letter
_ID_SHOWN = 8


def redrive(
    causes: Annotated[
        list[str] | None,
        typer.Option("--cause", metavar="GROUP", help="All of a group, or of an error's name."),
    ] = None,
    ids: Annotated[
        list[str] | None,
        typer.Option("--id", metavar="ID", help="One, by id, the beginning of one, or key."),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="All dead letters.")] = False,
    rate: Annotated[
        float, typer.Option(min=0.01, metavar="N", help="How many a second, at most.")
    ] = _RATE,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be done, and do nothing.")
    ] = False,
    as_json: Json = False,
    stack: StackName = None,
    profile: Profile = None,
    region: Region = None,
) -> None:
    """Start a new attempt for dead letters, without paying again for what was paid for.

    The old execution is stopped first. Where Textract's result is there, the new attempt goes on
    from it, and answers that Claude gave are used again; otherwise it begins with the object.
    Asking twice is safe: the second time says that the document is on its way. Ends with 1 when
    some could not be started.

    Example: [bold]mailroom dead redrive --cause ModelThrottled --rate 2[/]
    """
    from mailroom_desk.cli import screen
    from mailroom_desk.redrive import Outcome
    from mailroom_desk.redrive_ports import redriver

    if sum(map(bool, (causes, ids, everything))) != 1:
        raise typer.BadParameter("Say which ones: --cause GROUP, --id ID, or --all.")
    where = open_stack(stack, profile, region)
    rows = _chosen(where, causes or [], ids or [])
    doing = redriver(where)
    done: Iterable[Redriven] = map(doing.plan, rows) if dry_run else doing.all(rows, rate)
    outcomes: Counter[Outcome] = Counter()
    for one in done:
        outcomes[one.outcome] += 1
        if as_json:
            screen.emit(_as_object(one))
        else:
            _say(one)
    if not as_json:
        typer.echo(_summary(outcomes, dry_run=dry_run))
    if outcomes[Outcome.FAILED] or outcomes[Outcome.GONE]:
        raise typer.Exit(1)


def _chosen(where: "Stack", causes: list[str], ids: list[str]) -> list[dict[str, Any]]:
    from mailroom_desk.dead_letters import dead_letters, of_causes, one_of, table_of
    from mailroom_desk.errors import DocumentNotFound
    from mailroom_desk.rows import Rows

    rows = dead_letters(table_of(where))
    if causes:
        return of_causes(rows, causes)
    if not ids:
        return rows
    chosen: dict[str, dict[str, Any]] = {}
    for reference in ids:
        try:
            row = one_of(rows, reference)
        except DocumentNotFound as unknown:
            # A document that was redriven already is no error: it is on its way.
            try:
                row, _ = Rows(where).find(reference, _DAYS)
            except DocumentNotFound:
                raise unknown from None
        chosen[row["document_id"]] = row
    return list(chosen.values())


def _as_object(one: "Redriven") -> dict[str, Any]:
    return {
        "document_id": one.document_id,
        "key": one.key,
        "action": one.action,
        "outcome": one.outcome,
        "sentence": one.sentence,
        "execution_arn": one.execution_arn,
    }


def _say(one: "Redriven") -> None:
    from mailroom_desk.cli import screen
    from mailroom_desk.documents import short_name

    line = screen.plain(f"{short_name(one.key)} ({one.document_id[:_ID_SHOWN]}): ", "bold")
    told = screen.plain(one.sentence)
    screen.out().print(line.append_text(told), soft_wrap=True)


def _summary(outcomes: "Counter[Any]", *, dry_run: bool) -> str:
    told = ", ".join(
        f"{number} {outcome.replace('_', ' ')}" for outcome, number in outcomes.most_common()
    )
    if not told:
        return "There are no dead letters."
    return f"{told}. Nothing was done." if dry_run else f"{told}. Follow them: mailroom list"
