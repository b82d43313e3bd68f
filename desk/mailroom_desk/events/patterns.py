"""EventBridge's event patterns: does an event match, and if not, why not.

The same patterns filter what a rule takes from a bus and what a pipe takes from its source. Known
are all operators of EventBridge's guide ("Comparison operators"): exact values, prefix, suffix,
anything-but, numeric, exists, cidr, equals-ignore-case, wildcard and $or. Of a list in an event,
one element has to match; of a list of objects, one object has to match the whole pattern.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from ipaddress import ip_address, ip_network
from typing import Any

_SHOWN = 80  # characters of a value, in a reason
_ABSENT: Any = object()
_NUMERIC: dict[str, Callable[[float, float], bool]] = {
    "<": lambda value, bound: value < bound,
    "<=": lambda value, bound: value <= bound,
    "=": lambda value, bound: value == bound,
    ">": lambda value, bound: value > bound,
    ">=": lambda value, bound: value >= bound,
}


class InvalidPatternError(ValueError):
    """EventBridge would refuse this pattern, or it uses an operator that is not known here."""


def matches(pattern: Mapping[str, Any], event: Mapping[str, Any]) -> bool:
    """Whether the event has everything that the pattern asks for. Raises InvalidPatternError."""
    check(pattern)
    return next(_misses(pattern, event, ""), None) is None


def why_not(pattern: Mapping[str, Any], event: Mapping[str, Any]) -> list[str]:
    """One sentence for everything that keeps the event from matching; none where it matches."""
    check(pattern)
    return list(_misses(pattern, event, ""))


def check(pattern: Any, path: str = "") -> None:
    """Raise InvalidPatternError, with the place, for what is no pattern."""
    if not isinstance(pattern, Mapping) or not pattern:
        raise InvalidPatternError(f"{path or 'The pattern'} is not an object with fields.")
    for name, wanted in pattern.items():
        here = f"{path}.{name}".lstrip(".")
        if _is_or(name, wanted):
            for number, alternative in enumerate(wanted):
                check(alternative, f"{here}[{number}]")
        elif isinstance(wanted, Mapping):
            check(wanted, here)
        elif not isinstance(wanted, list) or not wanted:
            raise InvalidPatternError(f"{here} is not a list with values.")
        else:
            for rule in wanted:
                _test_of(rule, here)


def _misses(pattern: Mapping[str, Any], event: Any, path: str) -> Iterator[str]:
    fields = event if isinstance(event, Mapping) else {}
    for name, wanted in pattern.items():
        here = f"{path}.{name}".lstrip(".")
        if _is_or(name, wanted):
            alternatives = [list(_misses(each, event, path)) for each in wanted]
            if all(alternatives):
                yield "none of the alternatives holds: " + "; or ".join(
                    " and ".join(misses) for misses in alternatives
                )
        elif isinstance(wanted, Mapping):
            yield from _misses_inside(wanted, fields.get(name, {}), here)
        elif not _holds(wanted, fields.get(name, _ABSENT), here):
            yield _reason(here, fields.get(name, _ABSENT), wanted)


def _misses_inside(pattern: Mapping[str, Any], value: Any, path: str) -> Iterator[str]:
    if not isinstance(value, list):
        yield from _misses(pattern, value, path)
        return
    of_each = [list(_misses(pattern, element, path)) for element in value or [{}]]
    if all(of_each):
        yield from min(of_each, key=len)


def _holds(rules: list[Any], value: Any, path: str) -> bool:
    candidates = _leaves(value)
    for rule in rules:
        if isinstance(rule, Mapping) and "exists" in rule:
            if bool(candidates) == rule["exists"]:
                return True
        elif any(map(_test_of(rule, path), candidates)):
            return True
    return False


def _leaves(value: Any) -> list[Any]:
    """The values of a field that a rule looks at: those of a list, and no objects."""
    if value is _ABSENT or isinstance(value, Mapping):
        return []
    if isinstance(value, list):
        return [leaf for element in value for leaf in _leaves(element)]
    return [value]


def _test_of(rule: Any, path: str) -> Callable[[Any], bool]:
    """The test that a rule stands for. Raises InvalidPatternError."""
    if not isinstance(rule, Mapping):
        if isinstance(rule, list):
            raise InvalidPatternError(f"{path} has a list within its list of values.")
        return lambda value: _equal(value, rule)
    if len(rule) != 1:
        raise InvalidPatternError(f"{path} has a rule that is not one operator: {_shown(rule)}.")
    ((operator, operand),) = rule.items()
    try:
        test = _TESTS[operator]
    except KeyError:
        raise InvalidPatternError(f"{path} has an unknown operator: {operator}.") from None
    try:
        return test(operand)
    except (TypeError, ValueError, LookupError, AttributeError) as error:
        raise InvalidPatternError(f"{path} has no valid {operator}: {_shown(operand)}.") from error


def _equal(value: Any, wanted: Any) -> bool:
    # JSON's true is not its 1.
    return value == wanted and isinstance(value, bool) == isinstance(wanted, bool)


def _prefix(operand: Any) -> Callable[[Any], bool]:
    if isinstance(operand, Mapping):
        folded = _text(operand["equals-ignore-case"]).casefold()
        return lambda value: isinstance(value, str) and value.casefold().startswith(folded)
    text = _text(operand)
    return lambda value: isinstance(value, str) and value.startswith(text)


def _suffix(operand: Any) -> Callable[[Any], bool]:
    if isinstance(operand, Mapping):
        folded = _text(operand["equals-ignore-case"]).casefold()
        return lambda value: isinstance(value, str) and value.casefold().endswith(folded)
    text = _text(operand)
    return lambda value: isinstance(value, str) and value.endswith(text)


def _equals_ignore_case(operand: Any) -> Callable[[Any], bool]:
    folded = _text(operand).casefold()
    return lambda value: isinstance(value, str) and value.casefold() == folded


def _wildcard(operand: Any) -> Callable[[Any], bool]:
    parts = re.findall(r"\\[*\\]|\*|[^*\\]+|\\", _text(operand))
    expression = "".join(
        ".*" if part == "*" else re.escape(part[1:] if part in (r"\*", r"\\") else part)
        for part in parts
    )
    compiled = re.compile(expression, re.DOTALL)
    return lambda value: isinstance(value, str) and compiled.fullmatch(value) is not None


def _cidr(operand: Any) -> Callable[[Any], bool]:
    network = ip_network(_text(operand), strict=False)

    def inside(value: Any) -> bool:
        try:
            return isinstance(value, str) and ip_address(value) in network
        except ValueError:
            return False

    return inside


def _numeric(operand: Any) -> Callable[[Any], bool]:
    if len(operand) not in (2, 4):
        raise ValueError("a comparison, or two")
    bounds = [
        (_NUMERIC[sign], float(bound))
        for sign, bound in zip(operand[::2], operand[1::2], strict=True)
    ]

    def within(value: Any) -> bool:
        number = isinstance(value, int | float) and not isinstance(value, bool)
        return number and all(holds(value, bound) for holds, bound in bounds)

    return within


def _exists(operand: Any) -> Callable[[Any], bool]:
    if not isinstance(operand, bool):
        raise TypeError("true or false")
    return lambda value: operand


def _anything_but(operand: Any) -> Callable[[Any], bool]:
    if isinstance(operand, Mapping):
        ((operator, inner),) = operand.items()
        if operator not in ("prefix", "suffix", "equals-ignore-case", "wildcard"):
            raise LookupError(operator)
        excluded = [_TESTS[operator](each) for each in _as_list(inner)]
    else:
        excluded = [_test_of(each, "anything-but") for each in _as_list(operand)]
    if not excluded:
        raise ValueError("nothing is excluded")
    return lambda value: not any(test(value) for test in excluded)


_TESTS: dict[str, Callable[[Any], Callable[[Any], bool]]] = {
    "prefix": _prefix,
    "suffix": _suffix,
    "equals-ignore-case": _equals_ignore_case,
    "wildcard": _wildcard,
    "cidr": _cidr,
    "numeric": _numeric,
    "exists": _exists,
    "anything-but": _anything_but,
}


def _text(operand: Any) -> str:
    if not isinstance(operand, str):
        raise TypeError("a text")
    return operand


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _is_or(name: str, wanted: Any) -> bool:
    """`$or` is an operator before two objects and more, and a field's name otherwise."""
    return (
        name == "$or"
        and isinstance(wanted, list)
        and len(wanted) > 1
        and all(isinstance(each, Mapping) for each in wanted)
    )


def _reason(path: str, value: Any, rules: list[Any]) -> str:
    found = "is not there" if value is _ABSENT else f"is {_shown(value)}"
    return f"{path} {found}, and the pattern wants " + " or ".join(map(_shown, rules))


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
