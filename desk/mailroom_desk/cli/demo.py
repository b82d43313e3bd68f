"""`mailroom demo`: a cloud, the sample documents, what became of them, and the end of it."""

import contextlib
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from mailroom_desk.cli.cloud import DEFAULT_PORT
from mailroom_desk.cli.options import TIMEOUT, Json, Timeout

if TYPE_CHECKING:
    from mailroom_desk.cloud.state import Cloud
    from mailroom_desk.follow import Followed
    from mailroom_desk.samples import Sample
    from mailroom_desk.stack import Stack

_PREFIX = "samples"


def demo(
    port: Annotated[
        int,
        typer.Option(
            min=0, max=65535, metavar="PORT", help="Where AWS's API is offered; next free if taken."
        ),
    ] = DEFAULT_PORT,
    beside: Annotated[
        str | None,
        typer.Option(
            "--with",
            metavar="NAME",
            help="Show an application of reactions/ at work instead, such as orders.",
        ),
    ] = None,
    timeout: Timeout = TIMEOUT,
    as_json: Json = False,
) -> None:
    """See it work: start a cloud, send the sample documents, show the results, stop the cloud.

    No AWS account is needed. A cloud that already runs in this folder is used and left running.
    Ends with 0 when every sample ended as expected: the good ones read, the bad ones kept out.

    With [bold]--with orders[/] three purchase orders are sent, and their orders followed: one is
    shipped, one is undone for want of stock, one is so large that it waits.

    Example: [bold]mailroom demo[/]
    """
    if beside is not None:
        if as_json:
            raise typer.BadParameter("--json tells of the samples; leave it out beside --with.")
        _reaction(beside, port)
        return
    from mailroom_desk.cli.send import report, to_their_end, upload
    from mailroom_desk.samples import find_samples
    from mailroom_desk.stack import local_stack
    from mailroom_desk.upload import Source

    samples = find_samples()
    with _ended_by_signals(), _cloud(port):
        stack = local_stack()
        files = [Source(sample.path, sample.path.name) for sample in samples]
        followed = upload(stack, files, _PREFIX)
        to_their_end(stack, followed, timeout)
        if as_json:
            report(followed, as_json=True)
        else:
            _show(samples, followed, stack)
    if not all(_as_expected(sample, document) for sample, document in _pairs(samples, followed)):
        raise typer.Exit(1)


def _reaction(name: str, port: int) -> None:
    """Run the demo that the application brings along; it knows AWS and nothing of this command."""
    from mailroom_desk.cloud.deploy import REACTIONS
    from mailroom_desk.cloud.up import PROJECT

    with _ended_by_signals(), _cloud(port, name) as cloud:
        script = PROJECT / REACTIONS / name / "demo.py"
        ended = subprocess.run([sys.executable, script, cloud.bucket], env=cloud.environment)
    if ended.returncode:
        raise typer.Exit(1)


@contextlib.contextmanager
def _cloud(port: int, *beside: str) -> "Iterator[Cloud]":
    """The cloud of this folder: the one that runs, or one that ends with this command."""
    from mailroom_desk.cli import screen
    from mailroom_desk.cloud.claude.choice import ClaudeChoice
    from mailroom_desk.cloud.settings import Settings
    from mailroom_desk.cloud.state import find_cloud
    from mailroom_desk.cloud.up import down, up
    from mailroom_desk.stack import HOME

    progress = screen.err()
    was_running = find_cloud(HOME) is not None
    try:
        yield up(
            HOME,
            # Twenty documents are not sent to a Claude that charges for them.
            settings=Settings(emulator_port=port, claude=ClaudeChoice()),
            beside=beside,
            detach=False,
            progress=lambda message: progress.print(screen.plain(f"{message} …")),
        )
    finally:
        if was_running:
            progress.print("The local cloud was running before, and goes on.")
        else:
            progress.print("Stopping the local cloud …")
            down(HOME)


@contextlib.contextmanager
def _ended_by_signals() -> Iterator[None]:
    """Let a signal that ends this process end what it started first."""

    def leave(number: int, _: object) -> None:
        sys.exit(128 + number)

    before = {number: signal.signal(number, leave) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _show(samples: "Sequence[Sample]", followed: "Sequence[Followed]", stack: "Stack") -> None:
    from mailroom_desk.cli import screen, views
    from mailroom_desk.cli.document_view import draw
    from mailroom_desk.cli.show import all_fields
    from mailroom_desk.documents import elapsed, status

    console = screen.out()
    stored = [document.row for document in followed if status(document.row) == "STORED"]
    if stored and stored[0]:
        views.heading(console, "One of them in full, as `mailroom show` has it:")
        console.print()
        row = stored[0] | {"fields": all_fields(stack, stored[0])}
        draw(console, row, is_local=True)
    views.heading(console, "All of them:")
    drawn = views.table(
        "Document", "Status", "Class", "Fields", "Time", "", right=("Fields", "Time")
    )
    for sample, document in _pairs(samples, followed):
        row = document.row or {}
        found = f"{sample.found(row.get('fields') or {})}/{len(sample.fields)}"
        drawn.add_row(
            screen.plain(sample.path.name),
            screen.status_text(status(document.row)),
            screen.plain(row.get("document_class", "")),
            found if sample.fields else "",
            screen.seconds(elapsed(row)),
            "" if _as_expected(sample, document) else screen.plain("unexpected", "red"),
        )
    console.print(drawn)
    views.explain(console, [(document.key, document.row) for document in followed])
    met = sum(_as_expected(sample, document) for sample, document in _pairs(samples, followed))
    console.print()
    console.print(screen.plain(f"{met} of {len(samples)} ended as expected."))
    if reader := views.answered_by(document.row for document in followed):
        console.print(screen.plain(f"{reader}. Fields: how many of those printed on it were read."))


def _pairs(
    samples: "Sequence[Sample]", followed: "Sequence[Followed]"
) -> "Iterator[tuple[Sample, Followed]]":
    return zip(samples, followed, strict=True)


def _as_expected(sample: "Sample", document: "Followed") -> bool:
    from mailroom_desk.documents import status

    found = (document.row or {}).get("document_class")
    return sample.is_met_by(status(document.row), found)
