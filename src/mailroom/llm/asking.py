"""One answer of the model: kept, looked up, repaired once.

Every answer is written to S3 under a digest of its request before it is used, and looked up there
first: no retry and no new attempt pays for the same answer twice.
"""

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Protocol

from mailroom.aws.claude import READ_SECONDS
from mailroom.aws.clients import CONNECT_SECONDS
from mailroom.classes import Classes
from mailroom.errors import ModelInputTooLong, ReadingUnfinished
from mailroom.llm.answer import Answer, read
from mailroom.llm.habits import Habits
from mailroom.llm.prompt import Prompt

CALL_SECONDS = READ_SECONDS + CONNECT_SECONDS + 27
"""What must be left of the function's time to ask for an answer: the longest that one may take, and
what it takes to write it down."""


class Model(Protocol):
    """What is needed of Claude: an id, and an answer to a Converse request."""

    model_id: str

    def ask(self, request: dict[str, Any]) -> dict[str, Any]: ...


class Shelf(Protocol):
    """What is needed of the bucket to keep answers in it."""

    def read_if_there(self, key: str) -> bytes | None: ...

    def write(self, key: str, body: bytes, content_type: str) -> None: ...


@dataclass
class Asked:
    """What one prompt came to: the answers as they came, and what they hold together.

    `paid` counts the answers that were not kept from before; `refused` says that the model found
    the prompt too long.
    """

    answer: Answer
    answers: list[dict[str, Any]] = field(default_factory=list)
    paid: int = 0
    refused: bool = False

    @property
    def class_name(self) -> str | None:
        """The class that was picked, also by an answer that was cut off after it."""
        first = self.answers[0]["content"] if self.answers else []
        uses = [part["toolUse"] for part in first if "toolUse" in part]
        return self.answer.document_class or (uses[0].get("name") if len(uses) == 1 else None)


@dataclass(frozen=True)
class Asker:
    """Asks the model. `remaining` gives the seconds that the function still has."""

    shelf: Shelf
    model: Model
    classes: Classes
    habits: Habits
    remaining: Callable[[], float]

    def ask(self, prompt: Prompt, *, for_class: bool = False) -> Asked:
        """One answer, and a repaired one where the first breaks its schema.

        With `for_class`, nothing but the class is wanted: an answer that has it is not repaired.

        Raises ReadingUnfinished where no time is left for a call, ModelThrottled,
        ModelUnavailable, StorageUnavailable for another try. May run in several threads.
        """
        asked = Asked(Answer())
        try:
            first = self._kept(prompt, asked)
        except ModelInputTooLong:
            return Asked(Answer(), refused=True)
        asked.answer = read(first, self.classes, self.habits)
        if asked.answer.repairable and not (for_class and asked.answer.document_class):
            with suppress(ModelInputTooLong):  # then the first answer stands, with its problems
                second = self._kept(prompt.repair(first["content"], asked.answer.problems), asked)
                repaired = read(second, self.classes, self.habits)
                if repaired.document_class:
                    asked.answer = repaired
        return asked

    def _kept(self, prompt: Prompt, asked: Asked) -> dict[str, Any]:
        """The answer that was paid for before, or a new one, written down before it is used."""
        key = f"answers/{prompt.digest(self.model.model_id)}.json"
        known = self.shelf.read_if_there(key)
        if known is None:
            if self.remaining() < CALL_SECONDS:
                raise ReadingUnfinished("The function's time ends before the next answer would.")
            known = json.dumps(self.model.ask(prompt.request)).encode()
            self.shelf.write(key, known, "application/json")
            asked.paid += 1
        answer: dict[str, Any] = json.loads(known)
        asked.answers.append(answer)
        return answer
