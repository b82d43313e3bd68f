"""`mailroom eval`: how well documents are read, on documents whose values are known."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mailroom_desk.cli.options import TIMEOUT, Profile, Region, StackName, open_stack

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mailroom_desk.evaluate.changes import Change
    from mailroom_desk.evaluate.manifest import Case
    from mailroom_desk.evaluate.results import Run


def evaluate(
    manifest: Annotated[
        Path,
        typer.Argument(
            metavar="MANIFEST",
            exists=True,
            dir_okay=False,
            help="What is expected (.csv, .jsonl, expected.json), or what --json wrote before.",
        ),
    ],
    classes: Annotated[
        list[str] | None,
        typer.Option("--class", metavar="NAME", help="Only documents of this class; repeatable."),
    ] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Only the first N of them.")
    ] = None,
    again: Annotated[
        bool, typer.Option("--again", help="Read everything anew, and pay for it again.")
    ] = False,
    baseline: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.json", exists=True, dir_okay=False, help="An earlier run to compare with."
        ),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(metavar="FILE.html", dir_okay=False, help="Write a page with plots."),
    ] = None,
    timeout: Annotated[
        int, typer.Option(min=0, metavar="SECONDS", help="How long to wait for documents to end.")
    ] = TIMEOUT,
    as_json: Annotated[
        bool, typer.Option("--json", help="One JSON object on stdout, nothing else there.")
    ] = False,
    stack: StackName = None,
    profile: Profile = None,
    region: Region = None,
) -> None:
    """Run documents through the stack and compare class and fields with what they should be.

    Documents that were evaluated before are not read again, so a run that was interrupted goes on
    where it stopped; after a change of the stack, [bold]--again[/] reads them anew. The output of
    [bold]--json[/] can be given in place of the manifest: then nothing is run. Ends with 0 when
    every document has ended, however it was read, and with 1 when some have not.

    Example: [bold]mailroom eval samples/expected.json --report eval.html[/]
    """
    from mailroom_desk.cli import screen
    from mailroom_desk.cli.eval_view import draw, draw_changes
    from mailroom_desk.evaluate.changes import as_object, changes
    from mailroom_desk.evaluate.figures import summary
    from mailroom_desk.evaluate.page import write_page
    from mailroom_desk.evaluate.results import as_plain, is_run, load_run

    earlier = load_run(baseline) if baseline else None
    if is_run(manifest):
        run = load_run(manifest)
    else:
        cases = _chosen(manifest, classes, limit)
        run = _run(manifest, cases, timeout, (stack, profile, region), again=again)
    compared: Sequence[Change] = changes(earlier, run) if earlier else ()
    if report:
        write_page(run, report, compared)
    if as_json:
        told = as_plain(run) | {"summary": summary(run)}
        screen.emit(told | ({"changes": as_object(compared)} if earlier else {}))
    else:
        draw(screen.out(), run)
        draw_changes(screen.out(), compared)
    if not all(document.has_ended for document in run.documents):
        raise typer.Exit(1)


def _chosen(manifest: Path, classes: list[str] | None, limit: int | None) -> "list[Case]":
    """The cases that the options leave. Raises UnusableManifest where they leave none."""
    from mailroom_desk.errors import UnusableManifest
    from mailroom_desk.evaluate.manifest import read_manifest

    cases = [
        case for case in read_manifest(manifest) if not classes or case.document_class in classes
    ]
    if not cases:
        raise UnusableManifest(
            f"{manifest} names no document of class {' or '.join(classes or ())}."
        )
    return cases[:limit]


def _run(
    manifest: Path,
    cases: "Sequence[Case]",
    timeout: float,
    where: tuple[str | None, str | None, str | None],
    *,
    again: bool,
) -> "Run":
    from mailroom_desk.classes import in_force
    from mailroom_desk.cli.progress import one_line
    from mailroom_desk.evaluate.run import StackDocuments, evaluate
    from mailroom_desk.rows import Rows

    stack = open_stack(*where)
    with one_line() as tell:
        return evaluate(
            StackDocuments(stack, Rows(stack)),
            cases,
            in_force(stack).classes,
            manifest=str(manifest),
            timeout=timeout,
            again=again,
            progress=tell,
        )
