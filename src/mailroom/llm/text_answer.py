"""The second line of `answer`: the model wrote class and fields as text instead of picking a tool.

Comes in: the text. Goes out: the picked tool's name and arguments, or a sentence for the model that
says why they cannot be taken, or None where the text holds nothing of the kind.

Only what has one reading is taken: exactly one JSON object, of the shape {"name": …, "input": {…}},
with or without a fence and talk around it. JSON that would have to be mended first is not: whoever
mends it guesses. The model writes it anew, as a tool call.
"""

import json
from typing import Any

_BRACKETS = set("{}[]")


def tool_use_in(text: str) -> dict[str, Any] | str | None:
    """`{"name": …, "input": {…}}`; or what is wrong; or None where there is nothing like it."""
    start = text.find("{")
    if start < 0:
        return None
    try:
        found, end = _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return "The answer came as text that is not JSON. Pick one tool instead."
    if _BRACKETS & {*text[:start], *text[end:]}:
        return "The answer came as text with more than one object in it. Pick one tool instead."
    match found:
        case {"name": str(), "input": dict(), **rest} if not rest:
            return dict(found)
    return "The answer came as text that names no class with its fields. Pick one tool instead."


def parsed(value: Any) -> Any:
    """A list or an object that came as JSON text, parsed once; anything else as it is."""
    if isinstance(value, str):
        try:
            return _DECODER.decode(value)
        except (ValueError, RecursionError):
            return value
    return value


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; one that names a field twice is refused, since either value might be meant."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a field is named twice")
    return found


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is no number of JSON")


# Numbers with a point stay text: 10.10 keeps its last digit.
_DECODER = json.JSONDecoder(object_pairs_hook=_once, parse_float=str, parse_constant=_no_number)
