"""`mailroom backfill`: process many objects that lie in the bucket already."""

import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mailroom_desk.cli.options import Profile, Region, StackName, open_stack

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mailroom_desk.backfill import Counts, Item, Order, Planned
    from mailroom_desk.stack import Stack

_DAY = 24 * 3600
_FIRST_PAUSE, _GROWTH, _LONGEST_PAUSE = 0.5, 1.3, 5.0
_SHOWN = 50


def backfill(
    prefix: Annotated[
        str | None,
        typer.Option(metavar="KEY", help="All objects under this beginning of a key: incoming/…."),
    ] = None,
    manifest: Annotated[
        Path | None,
        typer.Option(
            exists=True,
            dir_okay=False,
            metavar="FILE",
            help='The objects that a file lists: .csv with a column key, or .jsonl with a "key".',
        ),
    ] = None,
    reprocess: Annotated[
        bool, typer.Option("--reprocess", help="A new attempt at what is at rest already.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="List what would be done, and start nothing.")
    ] = False,
    concurrency: Annotated[
        int, typer.Option(min=1, max=10_000, metavar="N", help="Documents at a time.")
    ] = 20,
    tolerate: Annotated[
        float,
        typer.Option(min=0, max=100, metavar="PERCENT", help="Failed items that are accepted."),
    ] = 5,
    no_wait: Annotated[
        bool, typer.Option("--no-wait", help="Start it, and do not follow it.")
    ] = False,
    timeout: Annotated[
        int, typer.Option(min=0, metavar="SECONDS", help="How long to follow it.")
    ] = _DAY,
    as_json: Annotated[
        bool,
        typer.Option("--json", help="JSON on stdout: one object, or one an object of a dry run."),
    ] = False,
    stack: StackName = None,
    profile: Profile = None,
    region: Region = None,
) -> None:
    """Process objects that lie in the bucket: those that came before Mailroom, or once more.

    What is at rest already is left alone, so that a second run starts nothing. Objects that end
    as rejected or dead-lettered are named. Ends with 1 when they are more than the tolerated share,
    or when the run has not ended in time.

    Example: [bold]mailroom backfill --prefix incoming/2019/ --dry-run[/]
    """
    if (prefix is None) == (manifest is None):
        raise typer.BadParameter("Give either --prefix or --manifest.")
    _check(prefix)
    from mailroom_desk import backfill as desk

    keys = desk.manifest_keys(manifest) if manifest else []
    where = open_stack(stack, profile, region)
    if dry_run:
        if prefix is not None:
            plan = desk.plan_prefix(where, prefix, reprocess=reprocess)
        else:
            plan = desk.plan_keys(where, keys, reprocess=reprocess)
        _tell_plan(plan, as_json=as_json)
        return
    listed = desk.upload_manifest(where, manifest) if manifest else None
    order = desk.Order(prefix, listed, reprocess, concurrency, tolerate)
    _run(where, order, timeout, wait=not no_wait, as_json=as_json)


def _check(prefix: str | None) -> None:
    from mailroom.document import INCOMING

    if prefix is not None and not prefix.startswith(INCOMING):
        raise typer.BadParameter(
            f"Mailroom takes in objects under {INCOMING} only: try {INCOMING}{prefix}."
        )


def _run(stack: "Stack", order: "Order", timeout: float, *, wait: bool, as_json: bool) -> None:
    from mailroom_desk import backfill as desk
    from mailroom_desk.cli import screen

    arn = desk.start(stack, order)
    for line in filter(None, (arn, stack.console_url(arn))):
        typer.echo(line, err=wait)
    if not wait:
        return
    run = _to_its_end(stack, arn, timeout)
    if run["status"] == "RUNNING":
        typer.echo("It still runs. Its end will be the execution's.", err=True)
        raise typer.Exit(1)
    items = list(desk.results(stack, arn))
    told = _as_object(stack, run, items)
    if as_json:
        screen.emit(told)
    else:
        _draw(told)
    if run["status"] != "SUCCEEDED":
        raise typer.Exit(1)


def _to_its_end(stack: "Stack", arn: str, timeout: float) -> dict[str, Any]:
    """Follow the run, and show how it gets on."""
    from mailroom_desk import backfill as desk
    from mailroom_desk.cli.progress import one_line

    states = stack.client("stepfunctions")
    deadline, pause, before = time.monotonic() + timeout, _FIRST_PAUSE, ""
    with one_line() as tell:
        while True:
            run: dict[str, Any] = states.describe_execution(executionArn=arn)
            line = _line(desk.counts(stack, arn))
            if line != before:
                tell(line)
                pause, before = _FIRST_PAUSE, line
            if run["status"] != "RUNNING" or time.monotonic() > deadline:
                return run
            time.sleep(pause)
            pause = min(pause * _GROWTH, _LONGEST_PAUSE)


def _line(counts: "Counts | None") -> str:
    if counts is None:
        return "Reading what there is to do …"
    failed = f", {counts.failed} of them failed" if counts.failed else ""
    return f"{counts.ended} of {counts.total} at their end{failed}; {counts.running} at work"


def _as_object(stack: "Stack", run: dict[str, Any], items: "Sequence[Item]") -> dict[str, Any]:
    from mailroom_desk.documents import plain_cause, why
    from mailroom_desk.rows import Rows

    failed = [item for item in items if not item.is_done]
    rows = Rows(stack).get_many({item.document_id for item in failed if item.document_id})
    return {
        "execution_arn": run["executionArn"],
        "status": run["status"],
        "error": run.get("error"),
        "cause": plain_cause(str(run["cause"])) if run.get("cause") else None,
        "total": len(items),
        "done": len(items) - len(failed),
        "failed": len(failed),
        "followed": sum(item.followed for item in items),
        "statuses": dict(Counter(item.status for item in items).most_common()),
        "failures": [
            {
                "key": item.key,
                "document_id": item.document_id,
                "status": item.status,
                "why": item.error or why(rows.get(item.document_id or "")),
            }
            for item in failed
        ],
    }


def _draw(told: dict[str, Any]) -> None:
    from mailroom_desk.cli import screen, views
    from mailroom_desk.documents import short_name

    console = screen.out()
    ends = [f"{number} {_said(status)}" for status, number in told["statuses"].items()]
    began = f"{told['followed']} were not at rest before"
    if told["total"]:
        console.print(screen.plain(f"{told['total']} objects: {', '.join(ends)}. {began}."))
    elif told["status"] == "SUCCEEDED":
        console.print(screen.plain("There are no such objects."))
    if told["failures"]:
        drawn = views.table("Not stored", "Status", "Id")
        for failure in told["failures"]:
            drawn.add_row(
                screen.plain(short_name(failure["key"])),
                screen.status_text(failure["status"]),
                (failure["document_id"] or "")[:8],
            )
        console.print(drawn)
        for failure in told["failures"]:
            line = f"{short_name(failure['key'])}: {failure['why'] or 'no reason was given.'}"
            console.print(screen.plain(line), soft_wrap=True)
    if told["error"] == "TooManyFailed":
        console.print(screen.plain("Too many failed: more than the tolerated share."))
    elif told["status"] != "SUCCEEDED":
        line = f"The run ended as {told['status']}: {told['cause'] or told['error']}"
        console.print(screen.plain(line), soft_wrap=True)


def _tell_plan(plan: "Iterable[Planned]", *, as_json: bool) -> None:
    from mailroom_desk.backfill import Deed
    from mailroom_desk.cli import screen, views
    from mailroom_desk.documents import short_name

    drawn = views.table("Object", "Status", "Would")
    tally: Counter[Deed] = Counter()
    for each in plan:
        tally[each.deed] += 1
        if as_json:
            screen.emit(vars(each))
        elif tally.total() <= _SHOWN:
            drawn.add_row(
                screen.plain(short_name(each.key)),
                screen.status_text(each.status or ""),
                screen.plain(each.deed),
            )
    if as_json:
        return
    console = screen.out()
    if not tally:
        console.print(screen.plain("There are no such objects."))
        return
    console.print(drawn)
    if tally.total() > _SHOWN:
        console.print(screen.plain(f"And {tally.total() - _SHOWN} more; --json lists all."))
    parts = ", ".join(f"{number} {deed}" for deed, number in tally.most_common())
    console.print(screen.plain(f"{tally.total()} objects: {parts}. Nothing was started."))


def _said(status: str) -> str:
    return status.lower().replace("_", " ")
