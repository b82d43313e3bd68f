"""`mailroom send`: upload documents and follow them to their end."""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mailroom_desk.cli.options import TIMEOUT, Json, Profile, Region, StackName, Timeout, open_stack

if TYPE_CHECKING:
    from mailroom_desk.follow import Followed
    from mailroom_desk.stack import Stack
    from mailroom_desk.upload import Source


def send(
    paths: Annotated[
        list[Path],
        typer.Argument(metavar="PATH", exists=True, help="Files, or folders with files in them."),
    ],
    prefix: Annotated[
        str,
        typer.Option(
            metavar="TEXT", help="Put them under incoming/TEXT/; raw/ takes texts to be summarised."
        ),
    ] = "",
    no_wait: Annotated[
        bool, typer.Option("--no-wait", help="Upload, and do not follow them.")
    ] = False,
    timeout: Timeout = TIMEOUT,
    as_json: Json = False,
    stack: StackName = None,
    profile: Profile = None,
    region: Region = None,
) -> None:
    """Upload documents and follow each to its end.

    PDF, TIFF, JPEG and PNG are read; anything else is rejected with a reason. Ends with 0 when all
    were stored and with 1 when some document ended otherwise, or has not ended in time.

    With --prefix raw/ (or raw/TEXT) they are texts, of which a summary is made; it ends with 0 when
    all have one.

    Example: [bold]mailroom send invoices/ scan.pdf --prefix november[/]
    """
    from mailroom_desk.summaries import is_raw
    from mailroom_desk.upload import sources

    where = open_stack(stack, profile, region)
    if is_raw(prefix):
        _send_texts(where, sources(paths), prefix, None if no_wait else timeout, as_json=as_json)
        return
    followed = upload(where, sources(paths), prefix)
    if not no_wait:
        to_their_end(where, followed, timeout)
    report(followed, as_json=as_json)
    if no_wait:
        return
    from mailroom_desk.documents import STORED, status

    if any(status(document.row) != STORED for document in followed):
        raise typer.Exit(1)


def _send_texts(
    stack: "Stack", files: "Sequence[Source]", prefix: str, timeout: int | None, *, as_json: bool
) -> None:
    """Upload texts, and follow their summaries unless there is no time for it."""
    from mailroom_desk.cli import screen
    from mailroom_desk.cli.progress import watch
    from mailroom_desk.cli.summaries import draw
    from mailroom_desk.documents import status
    from mailroom_desk.summaries import SUMMARISED, Summaries, as_object

    rows = Summaries(stack)
    followed = upload(stack, files, prefix)
    if timeout is not None:
        watch(followed, rows, timeout)
    if as_json:
        for text in followed:
            screen.emit(as_object(text.key, text.row))
    else:
        draw([(text.key, text.row) for text in followed])
    if timeout is not None and any(status(text.row) != SUMMARISED for text in followed):
        raise typer.Exit(1)


def upload(stack: "Stack", files: "Sequence[Source]", prefix: str) -> "list[Followed]":
    """Upload the files and say so on stderr."""
    from mailroom_desk.cli import screen
    from mailroom_desk.follow import Followed
    from mailroom_desk.summaries import doc_key, is_raw
    from mailroom_desk.upload import Uploader, key_of

    keys = [key_of(file, prefix) for file in files]
    uploader, progress = Uploader(stack), screen.err()
    followed = []
    for file, key in zip(files, keys, strict=True):
        sent = uploader.send(file, key)
        progress.print(screen.plain(f"Uploaded {key}"), soft_wrap=True)
        name = doc_key(sent.key, sent.version_id) if is_raw(prefix) else sent.document_id
        followed.append(Followed(name, sent.key, time.monotonic()))
    return followed


def to_their_end(stack: "Stack", followed: "Sequence[Followed]", timeout: float) -> None:
    """Follow the documents, and show how they get on."""
    from mailroom_desk.cli.progress import watch
    from mailroom_desk.rows import Rows

    watch(followed, Rows(stack), timeout)


def report(followed: "Sequence[Followed]", *, as_json: bool) -> None:
    """Say on stdout what became of the documents."""
    from mailroom_desk.cli import screen, views
    from mailroom_desk.documents import as_object

    if as_json:
        for document in followed:
            screen.emit(as_object(document.document_id, document.key, document.row))
        return
    console = screen.out()
    pairs = [(document.key, document.row) for document in followed]
    rows = [row for _, row in pairs]
    console.print(views.outcomes(pairs))
    views.explain(console, pairs)
    console.print(screen.plain(f"{views.tally(rows)}."))
    if reader := views.answered_by(rows):
        console.print(screen.plain(reader))
