"""Read a model's answer: the stop reason first, then the tool, then each field by its schema.

A schema guides a model, it does not bind it. What breaks it is coerced by an explicit rule, or
named as a problem; the caller repairs once, and what is then still wrong is left out and reviewed.
"""

from dataclasses import dataclass, field
from typing import Any

from mailroom.classes import Classes
from mailroom.llm.coercion import Reader
from mailroom.llm.habits import Habits
from mailroom.llm.text_answer import tool_use_in

# The stop reasons of an answer that ran out of room: what it holds is a part, however whole it
# looks. Asking the same again ends in the same place.
_CUT = {"max_tokens", "model_context_window_exceeded"}
_REASON_LENGTH = 40
_NO_HABITS = Habits()


@dataclass
class Answer:
    """What an answer holds. `problems` name fields and rules, never values.

    `document_class` is None where the model picked none; `repairable` says whether telling the
    model about the problems can help; `cut` that the answer ran out of room, and less of the
    document may fit.
    """

    document_class: str | None = None
    fields: dict[str, Any] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    repairable: bool = False
    cut: bool = False


def read(answer: dict[str, Any], classes: Classes, habits: Habits = _NO_HABITS) -> Answer:
    """Read what `Claude.ask` gave. Never raises: whatever came, an answer or a problem."""
    stop_reason = str(answer.get("stop_reason"))[:_REASON_LENGTH]
    if answer.get("guardrail"):
        # Whatever the stop reason: masked words are not the document's.
        return Answer(problems=["A guardrail changed the answer or held it back."])
    if stop_reason in _CUT:
        problem = f"The answer is cut off: the model stopped with {stop_reason!r}."
        return Answer(problems=[problem], cut=True)
    match _uses(stop_reason, answer.get("content") or []):
        case str(problem):
            return Answer(problems=[problem], repairable=True)
        case []:
            problem = f"The model stopped with {stop_reason!r} instead of an answer."
            return Answer(problems=[problem])
        case [{"name": str(name)} as use] if name in classes.by_name:
            reader = Reader(habits)
            fields = reader.fields(use.get("input"), classes.by_name[name].schema)
            problems = reader.problems()
            return Answer(name, fields, problems, repairable=bool(problems))
        case [_]:
            problem = "The model picked a class that does not exist."
            return Answer(problems=[problem], repairable=True)
        case uses:
            problem = f"The model picked {len(uses)} classes instead of one."
            return Answer(problems=[problem], repairable=True)


def _uses(stop_reason: str, content: list[dict[str, Any]]) -> list[Any] | str:
    """The picked tools; a sentence where text in their place cannot be taken."""
    uses = [block["toolUse"] for block in content if "toolUse" in block]
    if stop_reason == "tool_use":
        return uses
    if stop_reason != "end_turn" or uses:
        return []
    found = tool_use_in("\n".join(str(block.get("text", "")) for block in content))
    if found is None or isinstance(found, str):
        return found or []
    return [found]
