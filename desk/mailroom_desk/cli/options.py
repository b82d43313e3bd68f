"""The options that several commands share."""

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from mailroom_desk.stack import Stack

_PANEL = "Which stack"

StackName = Annotated[
    str | None,
    typer.Option(
        "--stack",
        metavar="NAME",
        rich_help_panel=_PANEL,
        help="A stack deployed to AWS, instead of the local cloud of this folder.",
    ),
]
Profile = Annotated[
    str | None,
    typer.Option(
        "--profile", metavar="NAME", rich_help_panel=_PANEL, help="AWS profile, with --stack."
    ),
]
Region = Annotated[
    str | None,
    typer.Option(
        "--region", metavar="NAME", rich_help_panel=_PANEL, help="AWS region, with --stack."
    ),
]
Json = Annotated[
    bool, typer.Option("--json", help="One JSON object a document on stdout, nothing else there.")
]
Timeout = Annotated[
    int, typer.Option(min=0, metavar="SECONDS", help="How long to wait for documents to end.")
]
TIMEOUT = 900


def open_stack(name: str | None, profile: str | None, region: str | None) -> "Stack":
    """The stack that the options mean. Raises NoLocalCloud, StackNotFound."""
    from mailroom_desk.stack import aws_stack, local_stack

    if name:
        return aws_stack(name, profile, region)
    if profile or region:
        raise typer.BadParameter("--profile and --region go with --stack NAME.")
    return local_stack()
