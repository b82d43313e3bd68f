"""boto3 clients that try once, and the conversion of what they raise.

One layer retries: Step Functions, or Lambda's asynchronous invocation. A client that retried as
well would multiply the attempts and outlive the function's time-out.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError, HTTPClientError
from botocore.exceptions import ConnectionError as BotoConnectionError

from mailroom.errors import MailroomError, TransientError

_MESSAGE_LENGTH = 300
CONNECT_SECONDS = 3


@cache
def client(service: str, read_seconds: int = 10) -> Any:
    """A client that makes one attempt. `read_seconds` must fit inside the function's time-out."""
    config = Config(
        connect_timeout=CONNECT_SECONDS,
        read_timeout=read_seconds,
        retries={"total_max_attempts": 1, "mode": "standard"},
    )
    return boto3.client(service, config=config)  # type: ignore[call-overload]


@contextmanager
def faults(
    service: str, errors: Mapping[str, type[MailroomError]], unavailable: type[TransientError]
) -> Iterator[None]:
    """Turn what the SDK raises into a named error.

    `errors` maps the service's codes. A 5xx or a lost connection is `unavailable`. Anything else
    passes through unchanged, to be caught by `States.ALL`.
    """
    try:
        yield
    except ClientError as error:
        named = errors.get(error_code(error))
        if named is None and _http_status(error) >= 500:
            named = unavailable
        if named is None:
            raise
        raise named(f"{service}: {_message(error)}") from error
    except (HTTPClientError, BotoConnectionError) as error:
        raise unavailable(f"{service} did not answer: {type(error).__name__}.") from error


def error_code(error: ClientError) -> str:
    """The service's name for the error."""
    return str(error.response.get("Error", {}).get("Code", ""))


def _http_status(error: ClientError) -> int:
    return int(error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))


def _message(error: ClientError) -> str:
    """What the service says, with its name for the error: messages alone often say nothing."""
    text = str(error.response.get("Error", {}).get("Message", ""))
    return f"{text[:_MESSAGE_LENGTH]} ({error_code(error)})".lstrip()
