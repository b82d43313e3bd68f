"""Every error as one sentence with the next step."""

from collections.abc import Iterator
from typing import Any

from mailroom_desk.errors import DeskError

DEBUG = "MAILROOM_DEBUG"
"""The variable that brings the traceback back."""

_EXPIRED = {"ExpiredToken", "ExpiredTokenException", "RequestExpired", "InvalidClientTokenId"}


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
        f"Set {DEBUG}=1 to see where it happens, and report it."
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
