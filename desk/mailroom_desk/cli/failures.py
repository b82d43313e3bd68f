"""Every error as one sentence with the next step, and never a traceback."""

import os
from collections.abc import Iterator
from typing import Any

import typer
from typer.core import TyperGroup

from mailroom_desk.errors import DeskError

_DEBUG = "MAILROOM_DEBUG"
_EXPIRED = {"ExpiredToken", "ExpiredTokenException", "RequestExpired", "InvalidClientTokenId"}


class Commands(TyperGroup):
    """The group of all commands, which says what went wrong."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command. Exit codes: 2 for what cannot be done as asked, 1 for what failed."""
        try:
            return super().invoke(ctx)
        except (BrokenPipeError, RuntimeError) as error:
            # typer's own exits are RuntimeErrors, and it knows what to do with a closed pipe.
            if isinstance(error, (BrokenPipeError, typer.Exit, typer.Abort)):
                raise
            _tell(error)
        except Exception as error:
            if _is_usage_error(error):
                raise
            _tell(error)


def _tell(error: Exception) -> None:
    if os.environ.get(_DEBUG):
        raise error
    typer.echo(f"mailroom: {sentence(error)}", err=True)
    raise typer.Exit(2 if isinstance(error, DeskError) else 1)


def _is_usage_error(error: Exception) -> bool:
    # typer brings its own copy of click, and both have these two.
    return hasattr(error, "format_message") and hasattr(error, "exit_code")


def sentence(error: BaseException) -> str:
    """What went wrong, and what to do about it."""
    if isinstance(error, DeskError) or type(error).__module__.startswith("mailroom_desk."):
        return str(error)
    for link in _chain(error):
        if type(link).__module__.startswith("botocore."):
            return _aws(link)
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        return f"{where}{error.strerror or error}. Check the file and the disk, and try again."
    return (
        f"an error of Mailroom's own, {type(error).__name__}: {error}. "
        f"Set {_DEBUG}=1 to see where it happens, and report it."
    )


def _chain(error: BaseException) -> Iterator[BaseException]:
    # boto3's upload wraps what S3 answered.
    link: BaseException | None = error
    while link is not None:
        yield link
        link = link.__cause__ or link.__context__


def _aws(error: BaseException) -> str:
    from botocore import exceptions as aws

    match error:
        case aws.NoCredentialsError() | aws.PartialCredentialsError():
            return "There are no AWS credentials. Log in first, or name a profile with --profile."
        case aws.ProfileNotFound():
            return f"{error}. See which there are with: aws configure list-profiles"
        case aws.NoRegionError():
            return "There is no AWS region. Name one with --region."
        case aws.SSOError() | aws.TokenRetrievalError():
            return f"{str(error).rstrip('.')}. Log in again with: aws sso login"
        case aws.ClientError():
            return _answer(error)
        case aws.HTTPClientError() | aws.ConnectionError():
            return f"{str(error).rstrip('.')}. Is it up? For the local cloud: mailroom up"
    return f"{str(error).rstrip('.')}. Check the AWS configuration."


def _answer(error: Any) -> str:
    code = error.response.get("Error", {}).get("Code", "an error")
    message = str(error.response.get("Error", {}).get("Message", "")).rstrip(".")
    told = f"AWS answered {code} to {error.operation_name}: {message or 'no message'}."
    if code in _EXPIRED:
        return f"{told} Log in again, or name another profile with --profile."
    if "AccessDenied" in code or code in {"403", "UnauthorizedOperation"}:
        return f"{told} The rights of these credentials do not reach that far."
    return f"{told} Check the stack's name and region, and try again."
