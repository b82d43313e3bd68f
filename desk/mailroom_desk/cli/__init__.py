"""The command line: `mailroom`.

One module a command or a pair of them. `options` holds what they share, `commands` how they behave,
`failures` turns errors into sentences, `screen` is the terminal and `views` what is drawn on it.
What is slow to import is imported by the command that needs it, so that `--help` is there at once.
"""

from collections.abc import Callable
from typing import Annotated

import typer

from mailroom_desk.cli import (
    backfill,
    chaos,
    classes,
    cloud,
    dead,
    dead_redrive,
    dead_replay,
    demo,
    digest,
    eval,
    events,
    ledger,
    listing,
    process,
    reconcile,
    retries,
    send,
    show,
    summaries,
    sweep,
)
from mailroom_desk.cli.commands import Command, Commands, paragraphs

_START, _DOCUMENTS, _OPERATIONS = "Start here", "Documents", "Operations"
_MEASURE, _COSTS = "Measure", "Costs"

app = typer.Typer(
    name="mailroom",
    cls=Commands,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

# In the order in which a newcomer meets them, one line each.
_COMMANDS: tuple[tuple[str, str, Callable[..., None], str], ...] = (
    (_START, "demo", demo.demo, "See it work: a cloud, the samples, the results, the end."),
    (_START, "up", cloud.up, "Start a cloud on this machine, with Mailroom in it."),
    (_START, "down", cloud.down, "Stop the local cloud; its documents are kept."),
    (_DOCUMENTS, "send", send.send, "Upload documents and follow each to its end."),
    (_DOCUMENTS, "list", listing.list_documents, "List the documents of the last days."),
    (_DOCUMENTS, "show", show.show, "Show one document: fields, reasons, timeline, price."),
    (_DOCUMENTS, "process", process.process, "Start the processing of an uploaded file by hand."),
    (_DOCUMENTS, "summaries", summaries.summaries, "List the texts and their summaries."),
    (_OPERATIONS, "backfill", backfill.backfill, "Process many objects that lie there already."),
    (_OPERATIONS, "reconcile", reconcile.reconcile, "Account for every object in the bucket."),
    (_OPERATIONS, "sweep", sweep.sweep, "Look after what has waited too long, now."),
    (_OPERATIONS, "digest", digest.digest, "Say what a day brought, and what waits."),
    (_OPERATIONS, "retries", retries.retries, "List what is tried again, how often and how long."),
    (_OPERATIONS, "chaos", chaos.chaos, "Prove that nothing is lost: documents under every fault."),
    (_MEASURE, "eval", eval.evaluate, "Measure how well documents with known values are read."),
    (_COSTS, "ledger", ledger.ledger, "List the local calls, and what AWS would charge."),
)
for panel, name, command, line in _COMMANDS:
    app.command(
        name,
        cls=Command,
        help=paragraphs(command.__doc__),
        short_help=line,
        rich_help_panel=panel,
    )(command)

dead_letters = typer.Typer(cls=Commands, no_args_is_help=True, rich_markup_mode="rich")
app.add_typer(
    dead_letters,
    name="dead",
    help="See what failed and why, and try it again.",
    rich_help_panel=_OPERATIONS,
)
_DEAD: tuple[tuple[str, Callable[..., None], str], ...] = (
    ("list", dead.list_dead, "List the dead letters by cause."),
    ("show", dead.show_dead, "Show one: the error in full, and what a redrive does."),
    ("redrive", dead_redrive.redrive, "Try again, without paying twice."),
    ("replay", dead_replay.replay, "Hand undelivered events to their functions again."),
)
for name, command, line in _DEAD:
    dead_letters.command(name, cls=Command, help=paragraphs(command.__doc__), short_help=line)(
        command
    )

document_classes = typer.Typer(cls=Commands, no_args_is_help=True, rich_markup_mode="rich")
app.add_typer(
    document_classes,
    name="classes",
    help="See what documents can be, and change it without a deploy.",
    rich_help_panel=_OPERATIONS,
)
_CLASSES: tuple[tuple[str, Callable[..., None], str], ...] = (
    ("show", classes.show_classes, "Show the classes that are in force."),
    ("check", classes.check_classes, "Check a classes file."),
    ("push", classes.push_classes, "Put a classes file in force, or go back."),
)
for name, command, line in _CLASSES:
    document_classes.command(name, cls=Command, help=paragraphs(command.__doc__), short_help=line)(
        command
    )


announcements = typer.Typer(cls=Commands, no_args_is_help=True, rich_markup_mode="rich")
app.add_typer(
    announcements,
    name="events",
    help="See what is announced, and who takes it.",
    rich_help_panel=_OPERATIONS,
)
_EVENTS: tuple[tuple[str, Callable[..., None], str], ...] = (
    ("tail", events.tail, "Show announcements as they come."),
    ("explain", events.explain, "Say which rules take an event, and why the others do not."),
)
for name, command, line in _EVENTS:
    announcements.command(name, cls=Command, help=paragraphs(command.__doc__), short_help=line)(
        command
    )


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"mailroom {version('mailroom')}")
        raise typer.Exit


@app.callback()
def commands(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Say which version."),
    ] = False,
) -> None:
    """Drop a document in a bucket: Mailroom reads it, understands it and stores what it says.

    [bold]mailroom demo[/] shows it in a minute, on this machine, without an AWS account.

    Commands work on the local cloud of the current folder (.mailroom/), or with
    [bold]--stack NAME[/] on a stack that was deployed to AWS.
    """


def main() -> None:
    """The entry point."""
    app()
