"""`mailroom up` and `mailroom down`: the local cloud of the current folder."""

from typing import Annotated

import typer

DEFAULT_PORT = 4566


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
) -> None:
    """Start a cloud on this machine and deploy Mailroom to it.

    The same template that goes to AWS is built and deployed to an emulator of AWS, beside a
    Textract that reads for real and an offline stand-in for Claude. Nothing leaves this machine,
    and no AWS account is needed. A second [bold]up[/] finds the first and deploys what has changed.

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
        settings=Settings(emulator_port=port),
        progress=lambda message: progress.print(screen.plain(f"{message} …")),
    )
    typer.echo(
        f"""\
The local cloud is up ({screen.seconds(time.monotonic() - began)}).

  endpoint       {cloud.endpoint}
  bucket         {cloud.bucket}   (documents go under incoming/)
  table          {cloud.table}
  state machine  {cloud.state_machine_arn}
  Claude         offline stand-in: no Claude is asked
  state, logs    {HOME}/

Send a document:  mailroom send FILE
Stop the cloud:   mailroom down

With the AWS command line:
  export AWS_ACCESS_KEY_ID=test AWS_SECRET_ACCESS_KEY=test AWS_DEFAULT_REGION={cloud.region}
  aws --endpoint-url {cloud.endpoint} s3 cp FILE s3://{cloud.bucket}/incoming/"""
    )


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
