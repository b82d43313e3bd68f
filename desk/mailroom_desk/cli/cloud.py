"""`mailroom up` and `mailroom down`: the local cloud of the current folder."""

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from mailroom_desk.cloud.claude.choice import ClaudeChoice

DEFAULT_PORT = 4566
_CLAUDE = "Who answers as Claude"


def up(
    port: Annotated[
        int,
        typer.Option(
            min=0,
            max=65535,
            metavar="PORT",
            help="Where AWS's API is offered; the next free one if taken.",
        ),
    ] = DEFAULT_PORT,
    beside: Annotated[
        list[str] | None,
        typer.Option(
            "--with",
            metavar="NAME",
            help="An application of reactions/ to deploy beside it, such as orders; repeatable.",
        ),
    ] = None,
    claude: Annotated[
        str | None,
        typer.Option(
            metavar="WHO",
            help="Who answers as Claude: offline, anthropic, bedrock or openai (Ollama too).",
            rich_help_panel=_CLAUDE,
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            "--claude-model",
            metavar="NAME",
            help="The model's name there; Claude Haiku 4.5 if not given, openai has no default.",
            rich_help_panel=_CLAUDE,
        ),
    ] = None,
    url: Annotated[
        str | None,
        typer.Option(
            "--claude-url",
            metavar="URL",
            help="The server of openai (Ollama on this machine if not given) or anthropic.",
            rich_help_panel=_CLAUDE,
        ),
    ] = None,
    profile: Annotated[
        str | None,
        typer.Option(
            "--claude-profile",
            metavar="PROFILE",
            help="The AWS profile of bedrock.",
            rich_help_panel=_CLAUDE,
        ),
    ] = None,
    region: Annotated[
        str | None,
        typer.Option(
            "--claude-region",
            metavar="REGION",
            help="The AWS region of bedrock.",
            rich_help_panel=_CLAUDE,
        ),
    ] = None,
) -> None:
    """Start a cloud on this machine and deploy Mailroom to it.

    The same template that goes to AWS is built and deployed to an emulator of AWS, beside a
    Textract that reads for real and an offline stand-in for Claude. Nothing leaves this machine,
    and no AWS account is needed. A second [bold]up[/] finds the first and deploys what has changed.

    With [bold]--claude[/] a real model answers, and the text of every document is sent to it. Keys
    are read from ANTHROPIC_API_KEY and OPENAI_API_KEY alone, and are kept nowhere.

    Example: [bold]mailroom up[/]
    """
    import time

    from mailroom_desk.cli import screen
    from mailroom_desk.cloud.settings import Settings
    from mailroom_desk.cloud.up import up as start
    from mailroom_desk.stack import HOME

    began = time.monotonic()
    progress = screen.err()
    cloud = start(
        HOME,
        beside=beside or (),
        settings=Settings(emulator_port=port, claude=_choice(claude, model, url, profile, region)),
        progress=lambda message: progress.print(screen.plain(f"{message} …")),
    )
    typer.echo(
        f"""\
The local cloud is up ({screen.seconds(time.monotonic() - began)}).

  endpoint       {cloud.endpoint}
  bucket         {cloud.bucket}   (documents go under incoming/)
  table          {cloud.table}
  state machine  {cloud.state_machine_arn}
  Claude         {_who(cloud.claude)}
  state, logs    {HOME}/{_beside(beside or [])}

Send a document:  mailroom send FILE
Stop the cloud:   mailroom down

With the AWS command line:
  export AWS_ACCESS_KEY_ID=test AWS_SECRET_ACCESS_KEY=test AWS_DEFAULT_REGION={cloud.region}
  aws --endpoint-url {cloud.endpoint} s3 cp FILE s3://{cloud.bucket}/incoming/"""
    )


def _beside(names: list[str]) -> str:
    return "".join(f"\n  {name:<14} reactions/{name}/README.md says what it does" for name in names)


def _choice(backend: str | None, *options: str | None) -> "ClaudeChoice | None":
    """What was asked for; None where nothing was, and the running cloud's Claude goes on."""
    from mailroom_desk.cloud.claude.choice import ClaudeUnusable, choose

    model, url, profile, region = options
    if backend is not None:
        return choose(backend, model=model, url=url, profile=profile, region=region)
    if any(options):
        raise ClaudeUnusable("Say who answers as well, such as: --claude bedrock")
    return None


def _who(claude: "ClaudeChoice") -> str:
    from mailroom_desk.cloud.claude.choice import OFFLINE

    if claude.backend == OFFLINE:
        return f"{claude.name}: no Claude is asked"
    return f"{claude.name}   (the text of every document goes to {claude.host})"


def down() -> None:
    """Stop the local cloud; its documents are kept for the next [bold]up[/].

    Everything that [bold]up[/] started ends. To forget the documents too, delete .mailroom/.

    Example: [bold]mailroom down[/]
    """
    from mailroom_desk.cloud.up import down as stop
    from mailroom_desk.stack import HOME

    if HOME.exists() and stop(HOME):
        typer.echo(f"The local cloud has stopped. Its documents are kept in {HOME}/.")
    else:
        typer.echo("No local cloud was running here.")
