"""Who answers: one small interface, and the backend that is chosen by name.

A backend takes a Converse request as boto3 sends it and returns the content blocks, the stop
reason and, where it knows it, the usage of a Converse answer. It raises a class of `errors` when it
cannot. No backend tries anything again: that is for the state machine alone.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from mailroom_desk.cloud.claude.choice import (
    ANTHROPIC,
    BEDROCK,
    KEYS,
    OFFLINE,
    OPENAI,
    ClaudeChoice,
    ClaudeUnusable,
)
from mailroom_desk.cloud.claude.protocol.usage import Usage

type Json = dict[str, Any]

# What an answer may hold where the request sets no limit.
DEFAULT_MAX_TOKENS = 4096


@dataclass(frozen=True)
class Answer:
    """What a backend says: Converse content blocks and a Converse stop reason.

    `usage` is what its service counted; None where nobody counts and it has to be estimated.
    """

    content: list[Json]
    stop_reason: str
    usage: Usage | None = None


class Backend(Protocol):
    """Something that answers a Converse request."""

    @property
    def name(self) -> str:
        """How this backend is named on rows and screens."""

    def answer(self, request: Json) -> Answer:
        """Answer one valid request. Raises a BedrockError."""

    def check(self) -> None:
        """Find out, at no cost, whether it can be asked. Raises a BedrockError that says why."""


def make_backend(choice: ClaudeChoice, environ: Mapping[str, str]) -> Backend:
    """The backend of a choice, with its key from the environment. Raises ClaudeUnusable."""
    if choice.backend == OFFLINE:
        from mailroom_desk.cloud.claude.backends.offline import OfflineBackend

        return OfflineBackend()
    from mailroom_desk.cloud.claude.backends.temperature import TemperatureOptional

    key = environ.get(KEYS.get(choice.backend, ""), "").strip()
    if choice.backend == ANTHROPIC and not key:
        raise ClaudeUnusable(
            f"--claude anthropic needs an API key in the variable {KEYS[ANTHROPIC]}. "
            f"Make one at console.anthropic.com, and: export {KEYS[ANTHROPIC]}=…"
        )
    try:
        if choice.backend == ANTHROPIC:
            from mailroom_desk.cloud.claude.backends.anthropic import AnthropicBackend

            return TemperatureOptional(AnthropicBackend(choice, key))
        if choice.backend == BEDROCK:
            from mailroom_desk.cloud.claude.backends.bedrock import BedrockBackend

            return TemperatureOptional(BedrockBackend(choice))
        if choice.backend == OPENAI:
            from mailroom_desk.cloud.claude.backends.openai import OpenAIBackend

            return TemperatureOptional(OpenAIBackend(choice, key))
    except ImportError as error:
        raise ClaudeUnusable(
            f"--claude {choice.backend} needs the package {error.name}, which is not installed. "
            "Install Mailroom again with its dependencies."
        ) from error
    raise ClaudeUnusable(f"Nobody answers as {choice.backend}.")
