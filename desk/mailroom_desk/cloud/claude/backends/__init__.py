"""Who answers: one small interface, and the backend that is chosen by name.

A backend takes a Converse request as boto3 sends it and returns the content blocks and the stop
reason of a Converse answer. It raises a class of `errors` when it cannot.
"""

from dataclasses import dataclass
from typing import Any, Protocol

type Json = dict[str, Any]


@dataclass(frozen=True)
class Answer:
    """What a backend says: Converse content blocks and a Converse stop reason."""

    content: list[Json]
    stop_reason: str


class Backend(Protocol):
    """Something that answers a Converse request."""

    @property
    def name(self) -> str:
        """How this backend is named on rows and screens."""

    def answer(self, request: Json) -> Answer:
        """Answer one valid request. Raises a BedrockError."""


def make_backend(name: str) -> Backend:
    """Return the backend of that name. Raises ValueError for a name nobody has."""
    if name == "offline":
        from mailroom_desk.cloud.claude.backends.offline import OfflineBackend

        return OfflineBackend()
    raise ValueError(f"unknown backend: {name}")
