"""Errors as sentences."""

import pytest
import typer
from botocore import exceptions as aws
from typer.testing import CliRunner

from mailroom_desk.cli.commands import Commands
from mailroom_desk.cli.failures import sentence
from mailroom_desk.errors import UnusableFile


def _answer(code: str) -> aws.ClientError:
    return aws.ClientError({"Error": {"Code": code, "Message": "No."}}, "GetItem")


@pytest.mark.parametrize(
    ("error", "next_step"),
    [
        (UnusableFile("Rename the file."), "Rename the file."),
        (aws.NoCredentialsError(), "--profile"),
        (aws.NoRegionError(), "--region"),
        (aws.ProfileNotFound(profile="x"), "aws configure list-profiles"),
        (aws.UnauthorizedSSOTokenError(), "aws sso login"),
        (aws.EndpointConnectionError(endpoint_url="http://x"), "mailroom up"),
        (_answer("ExpiredTokenException"), "Log in again"),
        (_answer("AccessDeniedException"), "rights"),
        (_answer("ResourceNotFoundException"), "ResourceNotFoundException to GetItem: No."),
        (PermissionError(13, "Permission denied", "a.pdf"), "a.pdf: Permission denied"),
        (KeyError("x"), "MAILROOM_DEBUG=1"),
    ],
)
def test_sentence_of_an_error_has_the_next_step(error: Exception, next_step: str) -> None:
    told = sentence(error)

    assert next_step in told
    assert "\n" not in told


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (UnusableFile("Rename the file."), 2),
        (_answer("Throttling"), 1),
        (ValueError("bug"), 1),
        (typer.Exit(1), 1),
        (KeyboardInterrupt(), 130),
    ],
)
def test_command_that_fails_ends_with_its_code_and_no_traceback(
    error: BaseException, code: int
) -> None:
    app = typer.Typer(cls=Commands)

    @app.callback()
    def group() -> None: ...

    @app.command()
    def fail() -> None:
        raise error

    result = CliRunner().invoke(app, ["fail"])

    assert result.exit_code == code
    assert "Traceback" not in result.output
