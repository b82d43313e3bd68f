"""What the servers of others answer when they cannot, in Bedrock's errors.

Their words are passed on, cut and on one line, unless they quote the request: what stands on a row
or in a log holds no document text. Refused keys get a sentence of our own, since some servers
repeat the key. Prices: `mailroom.prices`.
"""

import dataclasses
import re
from collections.abc import Iterator
from decimal import Decimal

from mailroom.prices import model_price
from mailroom_desk.cloud.claude.backends import Json
from mailroom_desk.cloud.claude.errors import (
    AccessDeniedException,
    BedrockError,
    InternalServerException,
    ModelTimeoutException,
    ResourceNotFoundException,
    ServiceUnavailableException,
    ThrottlingException,
    ValidationException,
)
from mailroom_desk.cloud.claude.protocol.usage import Usage

CONNECT_SECONDS = 10.0
ANSWER_SECONDS = 110.0
"""Below the 120 s after which `mailroom.aws.claude` hangs up, so that the reason still arrives."""

CHECK_SECONDS = 15.0
TOO_LONG = "Input is too long for requested model."
"""Bedrock's words, by which Mailroom knows a prompt that no repetition makes shorter."""

_TOO_LONG_SIGNS = (
    "too long",
    "context length",
    "context_length",
    "context size",
    "context_size",
    "context window",
    "context limit",
    "maximum context",
    "too many input tokens",
)
_SHOWN_CHARACTERS = 300
_QUOTED_CHARACTERS = 12


@dataclasses.dataclass(frozen=True)
class Refusal:
    """An answer that is none: its HTTP status and what else the server says."""

    status: int
    message: str = ""
    # A word of the API for the cause, such as "insufficient_quota".
    code: str = ""
    retry_after: str = ""


def translated(refusal: Refusal, server: str, key: str, request: Json | None) -> BedrockError:
    """The error of Bedrock that says the same.

    `server` is named in it, `key` is what holds the credentials, `request` is what was asked, if
    anything, and is not quoted.
    """
    status = refusal.status
    told = said(server, status, refusal.message, request)
    match status:
        case 401:
            return AccessDeniedException(f"{server} does not accept the key ({status}): see {key}.")
        case 403:
            return AccessDeniedException(
                f"{server} does not allow it ({status}): see the rights of {key}."
            )
        case 402:
            return AccessDeniedException(told)
        case 404:
            return ResourceNotFoundException(told)
        case 408 | 504:
            return ModelTimeoutException(told)
        case 413:
            return ValidationException(f"{TOO_LONG} {told}")
        case 429 if refusal.code == "insufficient_quota":
            return AccessDeniedException(told)  # OpenAI's word for an empty account
        case 429:
            again = f" Retry after {refusal.retry_after} s." if refusal.retry_after else ""
            return ThrottlingException(told + again)
        case 502 | 503 | 529:
            return ServiceUnavailableException(told)
        case _ if status >= 500:
            return InternalServerException(told)
        case _ if _is_too_long(refusal):
            return ValidationException(f"{TOO_LONG} {told}")
        case _ if status >= 400:
            return ValidationException(told)
    return ServiceUnavailableException(f"{told} Is the address right?")


def said(server: str, label: object, message: str, request: Json | None) -> str:
    """One line that tells what a server answered, without a quotation of the conversation."""
    line = " ".join(message.split())[:_SHOWN_CHARACTERS]
    if not line:
        return f"{server} answered {label}."
    if _quotes(line, request):
        line = "its words quote the request and are left out."
    return f"{server} answered {label}: {line}"


def unreachable(url: str) -> BedrockError:
    """Nobody listens there, or the connection broke."""
    return ServiceUnavailableException(f"There is no answer from {url}. Is the server up?")


def too_slow(url: str) -> BedrockError:
    """The answer did not come in time."""
    return ModelTimeoutException(f"{url} gave no answer in time.")


def priced(model: str, usage: Usage) -> Usage:
    """The usage with its price in `mailroom.prices`; nothing where the model has none there."""
    price = model_price(model, usage.as_converse())
    return dataclasses.replace(usage, charged_usd=Decimal(0) if price is None else price)


def texts(value: object) -> Iterator[str]:
    """All texts in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from texts(part)


def _is_too_long(refusal: Refusal) -> bool:
    words = f"{refusal.code} {refusal.message}".lower()
    return any(sign in words for sign in _TOO_LONG_SIGNS)


def _quotes(line: str, request: Json | None) -> bool:
    asked = _bare(" ".join(texts((request or {}).get("messages"))))
    bare = _bare(line)
    starts = range(len(bare) - _QUOTED_CHARACTERS + 1)
    return any(bare[start : start + _QUOTED_CHARACTERS] in asked for start in starts)


def _bare(text: str) -> str:
    """Letters and digits alone, so that no way of escaping hides a quotation."""
    return re.sub(r"\\[nrt]|[\W_]", "", text).lower()
