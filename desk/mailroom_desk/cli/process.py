"""`mailroom process`: start an execution by hand, as any program would."""

import json
import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mailroom_desk.cli.options import TIMEOUT, Json, Profile, Region, StackName, Timeout, open_stack

if TYPE_CHECKING:
    from mailroom_desk.stack import Stack

_PAUSE = 0.5


def process(
    key: Annotated[str, typer.Argument(metavar="KEY", help="An object in the bucket: incoming/….")],
    reprocess: Annotated[
        bool,
        typer.Option("--reprocess", help="A new attempt at a document that is known already."),
    ] = False,
    wait: Annotated[bool, typer.Option("--wait", help="Follow the document to its end.")] = False,
    timeout: Timeout = TIMEOUT,
    as_json: Json = False,
    stack: StackName = None,
    profile: Profile = None,
    region: Region = None,
) -> None:
    """Start the processing of an object that is in the bucket.

    Prints the execution's ARN and, on AWS, its page in the console. A document that is known
    already is left as it is, unless [bold]--reprocess[/] asks for a new attempt.

    Example: [bold]mailroom process incoming/invoice.pdf --reprocess --wait[/]
    """
    from mailroom.document import INCOMING

    if not key.startswith(INCOMING):
        raise typer.BadParameter(
            f"Mailroom takes in objects under {INCOMING} only: try {INCOMING}{key}."
        )
    if as_json and not wait:
        raise typer.BadParameter("--json goes with --wait: it tells how the document ended.")
    where = open_stack(stack, profile, region)
    started = {"bucket": where.bucket, "key": key} | ({"reprocess": True} if reprocess else {})
    arn = where.client("stepfunctions").start_execution(
        stateMachineArn=where.state_machine_arn, input=json.dumps(started)
    )["executionArn"]
    for line in filter(None, (arn, where.console_url(arn))):
        typer.echo(line, err=as_json)
    if wait:
        _follow(where, arn, timeout, as_json=as_json)


def _follow(stack: "Stack", arn: str, timeout: float, *, as_json: bool) -> None:
    from mailroom_desk.cli.send import report, to_their_end
    from mailroom_desk.documents import STORED, status
    from mailroom_desk.follow import Followed

    began = time.monotonic()
    taken_in = _taken_in(stack, arn, timeout)
    followed = [Followed(entry["document_id"], entry["key"], began) for entry in taken_in]
    to_their_end(stack, followed, timeout - (time.monotonic() - began))
    report(followed, as_json=as_json)
    if any(status(document.row) != STORED for document in followed):
        raise typer.Exit(1)


def _taken_in(stack: "Stack", arn: str, timeout: float) -> list[dict[str, str]]:
    """What intake answered: the run by hand ends there, and the document's own run follows."""
    from mailroom_desk.documents import plain_cause
    from mailroom_desk.errors import NotTakenIn

    states = stack.client("stepfunctions")
    deadline = time.monotonic() + timeout
    while (run := states.describe_execution(executionArn=arn))["status"] == "RUNNING":
        if time.monotonic() > deadline:
            raise NotTakenIn("The run has not ended in time. Look at its execution.")
        time.sleep(_PAUSE)
    if run["status"] != "SUCCEEDED":
        cause = plain_cause(str(run.get("cause", ""))) or f"The run ended as {run['status']}."
        raise NotTakenIn(f"{cause} ({run.get('error', run['status'])})")
    documents: list[dict[str, Any]] = json.loads(run["output"])["documents"]
    return documents
