"""What the faults of the plan do to an answer; `sabotage` is the table of them.

Each takes the answer and the request, and returns the answer in its place. An answer without a
tool use (a summary) is only touched by what needs none. What each fault is for stands in
`mailroom_desk.cloud.faults`.
"""

import json
import re
from collections.abc import Callable
from typing import Any

from mailroom_desk.cloud.claude.backends import Answer, Json
from mailroom_desk.cloud.faults import Rule

ISO_DATE = re.compile(r"\d{4}-\d\d-\d\d")
DECIMAL = re.compile(r"-?\d+(\.\d+)?")
# Values of the right form that no document holds.
INVENTED_DATE, INVENTED_DECIMAL, INVENTED_TEXT = "1903-11-29", "987654321.09", "Zyxwv Qponm"


def sabotage(answer: Answer, request: Json, rule: Rule) -> Answer:
    """Return what Claude answers under this rule."""
    if rule.fault == "stop_reason":
        return _stopped(answer, rule.parameters["reason"], rule.parameters["content"])
    if not any("toolUse" in block for block in answer.content):
        return answer
    if rule.fault == "off_list":
        return _with_use(answer, name=rule.parameters["tool"])
    return EFFECTS[rule.fault](answer, request)


def _stopped(answer: Answer, reason: str, content: str) -> Answer:
    if content == "empty":
        return Answer([], reason)
    partial = [
        {"text": block["text"][: len(block["text"]) // 2]}
        if "text" in block
        else {"toolUse": block["toolUse"] | {"input": _cut(block["toolUse"]["input"])}}
        for block in answer.content
    ]
    return Answer(partial, reason)


def _broken_input(answer: Answer, _: Json) -> Answer:
    return _with_use(answer, input=json.dumps(_use(answer)["input"]))


def _truncated_input(answer: Answer, _: Json) -> Answer:
    return Answer(_with_use(answer, input=_cut(_use(answer)["input"])).content, "max_tokens")


def _wrong_types(answer: Answer, _: Json) -> Answer:
    wrong: tuple[Callable[[Any], Any], ...] = (
        lambda value: {"value": value},
        lambda value: [value],
        lambda _: 17,
        lambda _: True,
    )
    fields = enumerate(_use(answer)["input"].items())
    return _with_use(
        answer, input={name: wrong[number % len(wrong)](value) for number, (name, value) in fields}
    )


def _invented_values(answer: Answer, _: Json) -> Answer:
    return _with_use(answer, input=_invented(_use(answer)["input"]))


def _two_tools(answer: Answer, request: Json) -> Answer:
    use = _use(answer)
    names = [tool["toolSpec"]["name"] for tool in _tools(request)]
    other = next((name for name in names if name != use["name"]), use["name"])
    second = use | {"toolUseId": use["toolUseId"] + "2", "name": other}
    return Answer([{"toolUse": use}, {"toolUse": second}], answer.stop_reason)


def _no_tool(_: Answer, __: Json) -> Answer:
    return Answer([{"text": "I have read the document and have no questions."}], "end_turn")


def _fenced_text(answer: Answer, _: Json) -> Answer:
    use = _use(answer)
    body = json.dumps({"name": use["name"], "input": use["input"]}, indent=2)
    return Answer([{"text": f"Here is the answer:\n```json\n{body}\n```"}], "end_turn")


EFFECTS: dict[str, Callable[[Answer, Json], Answer]] = {
    "broken_input": _broken_input,
    "truncated_input": _truncated_input,
    "wrong_types": _wrong_types,
    "invented_values": _invented_values,
    "two_tools": _two_tools,
    "no_tool": _no_tool,
    "fenced_text": _fenced_text,
}


def _use(answer: Answer) -> Json:
    use: Json = next(block["toolUse"] for block in answer.content if "toolUse" in block)
    return use


def _with_use(answer: Answer, **changes: Any) -> Answer:
    return Answer([{"toolUse": _use(answer) | changes}], answer.stop_reason)


def _tools(request: Json) -> list[Json]:
    return [tool for tool in request["toolConfig"]["tools"] if "toolSpec" in tool]


def _cut(fields: Json) -> Json:
    """The first half of the fields, and the last of these, if it is a text, in the middle."""
    kept = dict(list(fields.items())[: (len(fields) + 1) // 2])
    if kept:
        name, value = kept.popitem()
        kept[name] = value[: len(value) // 2] if isinstance(value, str | list) else value
    return kept


def _invented(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _invented(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_invented(inner) for inner in value]
    if not isinstance(value, str):
        return value
    if ISO_DATE.fullmatch(value):
        return INVENTED_DATE
    return INVENTED_DECIMAL if DECIMAL.fullmatch(value) else INVENTED_TEXT
