"""`mailroom chaos`: documents under every fault, and what must hold all the same."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mailroom_desk.chaos.run import Result

_MINUTE = 60
_SHOWN = 10  # of those that break an invariant


def chaos(
    documents: Annotated[int, typer.Option(min=1, metavar="N", help="How many are sent.")] = 100,
    seed: Annotated[int, typer.Option(metavar="S", help="What the choices follow from.")] = 1,
    plan: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", exists=True, dir_okay=False, help="A fault plan of your own (JSON)."
        ),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(metavar="FILE.html", dir_okay=False, help="Write a page with a plot."),
    ] = None,
    timeout: Annotated[
        float, typer.Option(min=0.1, metavar="MINUTES", help="How long documents may take.")
    ] = 30,
    servers: Annotated[
        bool, typer.Option("--kill-servers/--spare-servers", help="Kill both servers once.")
    ] = True,
    as_json: Annotated[
        bool, typer.Option("--json", help="One JSON object on stdout, nothing else there.")
    ] = False,
) -> None:
    """Send documents through a cloud that is being sabotaged, and check what must hold.

    A local cloud is started in a fresh folder, and ended. Its Textract and Claude fail in every
    documented way, events come twice and out of order, running functions and servers are killed.
    Ends with 0 when nothing was lost, stored twice, left open or paid beyond the bound; with 1
    otherwise, and then the cloud's files are kept.

    Example: [bold]mailroom chaos --documents 300 --seed 1 --report chaos.html[/]
    """
    import shutil
    import tempfile

    from mailroom_desk.chaos.figures import as_object
    from mailroom_desk.chaos.page import write_page
    from mailroom_desk.chaos.run import run
    from mailroom_desk.cli import screen

    folder = Path(tempfile.mkdtemp(prefix="mailroom-chaos-"))
    kept = False
    try:
        result = run(
            documents,
            seed,
            _plan(plan, seed),
            folder,
            timeout=timeout * _MINUTE,
            kill_servers=servers,
            progress=lambda message: typer.echo(message, err=True),
        )
        kept = not result.holds
    finally:
        if not kept:
            shutil.rmtree(folder, ignore_errors=True)
    if report:
        write_page(result, report)
    if as_json:
        screen.emit(as_object(result))
    else:
        _draw(result)
    if kept:
        typer.echo(f"The cloud's files are kept in {folder}", err=True)
        raise typer.Exit(1)


def _plan(path: Path | None, seed: int) -> "Mapping[str, Any]":
    """The plan of the file, or the default. Raises PlanError."""
    from mailroom_desk.chaos.plan import default_plan
    from mailroom_desk.cloud.faults import load_plan

    return load_plan(path).source if path else default_plan(seed)


def _draw(result: "Result") -> None:
    from mailroom_desk.chaos import figures
    from mailroom_desk.cli import screen, views

    console = screen.out()
    drawn = views.table("Ended as", "Documents", "p50", "p99", right=("Documents", "p50", "p99"))
    groups = figures.identities_by_status(result)
    for status, identities in sorted(groups.items(), key=lambda each: -len(each[1])):
        p50, p99 = map(screen.seconds, figures.percentiles(result, identities))
        drawn.add_row(screen.status_text(status), str(len(identities)), p50, p99)
    p50, p99 = map(screen.seconds, figures.percentiles(result))
    drawn.add_section()
    drawn.add_row("all", str(len(result.evidence.rows)), p50, p99)
    console.print(drawn)
    drawn = views.table("Struck by", "Documents", *figures.STATUSES[:4], right=("Documents",))
    for fault, counts in figures.by_fault(result).items():
        cells = [str(counts[status] or "") for status in figures.STATUSES[:4]]
        drawn.add_row(screen.plain(fault), str(counts.total()), *cells)
    console.print(drawn)
    causes = ", ".join(f"{n} {cause}" for cause, n in figures.by_cause(result).most_common())
    console.print(screen.plain(f"Dead letters: {causes or 'none'}"))
    console.print(screen.plain(f"Besides: {figures.trouble_line(result.evidence.trouble)}"))
    console.print(f"Undelivered events: {result.undelivered}. Took {screen.seconds(result.took)}.")
    for verdict in result.verdicts:
        line = screen.plain("holds   " if verdict.holds else "BROKEN  ", _mark(verdict.holds))
        line.append_text(screen.plain(verdict.name, "bold"))
        if verdict.note:
            line.append_text(screen.plain(f" ({verdict.note})"))
        console.print(line, soft_wrap=True)
        for broken in verdict.broken_by[:_SHOWN]:
            console.print(screen.plain(f"          {broken}"), soft_wrap=True)


def _mark(holds: bool) -> str:
    return "green" if holds else "red"
