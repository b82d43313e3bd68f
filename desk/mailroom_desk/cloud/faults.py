"""The fault plan of the local Textract and Claude: its data model and how it is loaded.

A plan is one JSON object, from a file (`--faults FILE`) or sent to a running server
(`PUT /faults`; `GET` shows it with the hits of each rule, `DELETE` clears it):

    {
      "seed": 1,
      "open_jobs": 100,             LimitExceededException above it
      "starts_per_second": 10,      ProvisionedThroughputExceededException above it
      "job_seconds": [3, 8],        how long a job takes at least, uniform
      "answer_seconds": [1, 4],     how long Claude takes at least, uniform
      "rules": [
        {"service": "textract", "operation": "StartDocumentAnalysis", "fault": "error",
         "code": "ThrottlingException", "rate": 0.2},
        {"service": "textract", "fault": "partial", "pages": [2], "documents": ["0f3a"]},
        {"service": "textract", "fault": "late", "seconds": 20, "count": 3},
        {"service": "bedrock-runtime", "operation": "Converse", "fault": "wrong_types", "first": 1}
      ]
    }

Everything may be left out but a rule's `service` and `fault`. A rule applies where all of its
selections do: `documents` (beginnings of document ids; of S3 keys too, for Textract), `first`
(the first n calls or jobs of a document), `rate` (a share, by a hash of seed, rule, document and
the number of the call, so that a retry can succeed), `count` (at most n times in all). Of several
rules for the same point, the first that applies is taken. A point is one of:

* a call (operations StartDocumentAnalysis, GetDocumentAnalysis, Converse, InvokeModel):
  `error` with a documented `code` and a `message`; `slow` (answers after `seconds`); `no_answer`
  (nothing until the caller gives up, at most `seconds`); `dropped` (the connection is cut). With
  `"after": true` the last two lose the answer of a call that was carried out;
* a Job: `failed` (`message`), `partial` (`pages` are missing; none named: the last), `never_ends`
  (until the server restarts without the rule), `slow_job` (`seconds` more);
* a Notice: `early` (before Start answers, which waits `seconds` at most), `late` (`seconds`),
  `doubled` (`copies`), `lost`, `foreign` (one of somebody else's job; then the true one, unless
  `instead`), `malformed` (`form` "text" or "untagged"; then the true one, unless `instead`);
* a Result: `missing_file` (`part`; 0: one by the seed), `cut_file` (the last one ends in the
  middle), `open_ended` (the last one holds half and says that more follows);
* an answer of Claude (Converse, InvokeModel): `stop_reason` (`reason`, `content` "empty" or
  "partial"), `broken_input`, `truncated_input`, `wrong_types`, `off_list` (`tool`),
  `invented_values`, `two_tools`, `no_tool`, `fenced_text`.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from mailroom_desk.cloud.fault_table import FAULTS, OPERATIONS, RANGES, SELECTIONS, Point

TEXTRACT, CLAUDE = "textract", "bedrock-runtime"


class PlanError(ValueError):
    """The plan cannot be followed; the message is a sentence that says why."""


@dataclass(frozen=True)
class Rule:
    """One fault, where it strikes, and whom."""

    service: str
    point: Point
    operations: frozenset[str]
    fault: str
    parameters: Mapping[str, Any]
    rate: float = 1.0
    first: int | None = None
    count: int | None = None
    documents: tuple[str, ...] = ()


@dataclass(frozen=True)
class Plan:
    """All faults and limits, for both servers. `source` is the JSON that it was made of."""

    seed: int = 0
    rules: tuple[Rule, ...] = ()
    open_jobs: int | None = None
    starts_per_second: float | None = None
    job_seconds: tuple[float, float] = (0.0, 0.0)
    answer_seconds: tuple[float, float] = (0.0, 0.0)
    source: Mapping[str, Any] = field(default_factory=dict)


def load_plan(path: Path) -> Plan:
    """Read a plan from a file. Raises PlanError."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeError) as error:
        raise PlanError(f"The fault plan {path} cannot be read: {error}") from error
    return parse_plan(text)


def parse_plan(text: str | bytes) -> Plan:
    """Return the plan in a JSON text. Raises PlanError."""
    try:
        source = json.loads(text)
    except ValueError as error:
        raise PlanError(f"The fault plan is not JSON: {error}") from error
    if not isinstance(source, dict):
        raise PlanError("The fault plan is not a JSON object")
    _check_names(source, {"seed", "rules", *RANGES, "open_jobs", "starts_per_second"}, "the plan")
    seed, rules = source.get("seed", 0), source.get("rules", [])
    if not _is_integer(seed):
        raise PlanError("seed must be a whole number")
    if not isinstance(rules, list):
        raise PlanError("rules must be a list")
    open_jobs, starts = source.get("open_jobs"), source.get("starts_per_second")
    if open_jobs is not None and not (_is_integer(open_jobs) and open_jobs >= 0):
        raise PlanError("open_jobs must be a whole number from 0 on")
    if starts is not None and not (_is_number(starts) and starts > 0):
        raise PlanError("starts_per_second must be a number above 0")
    return Plan(
        seed,
        tuple(_rule(rule, f"rule {number}") for number, rule in enumerate(rules, start=1)),
        open_jobs,
        starts,
        _range(source, "job_seconds"),
        _range(source, "answer_seconds"),
        source,
    )


def _range(source: dict[str, Any], name: str) -> tuple[float, float]:
    pair = source.get(name, [0, 0])
    is_pair = isinstance(pair, list) and len(pair) == 2 and all(map(_is_number, pair))
    if not is_pair or not 0 <= pair[0] <= pair[1]:
        raise PlanError(f"{name} must be two numbers of seconds, the smaller first")
    return float(pair[0]), float(pair[1])


def _rule(source: Any, name: str) -> Rule:
    if not isinstance(source, dict):
        raise PlanError(f"{name} is not an object")
    fault, service = source.get("fault"), source.get("service")
    if fault not in FAULTS:
        raise PlanError(f"{name}: unknown fault {fault!r}; there are {', '.join(FAULTS)}")
    point, defaults = FAULTS[fault].point, FAULTS[fault].defaults
    if service not in (TEXTRACT, CLAUDE):
        raise PlanError(f"{name}: service must be {TEXTRACT} or {CLAUDE}, not {service!r}")
    offered = OPERATIONS.get((service, point))
    if offered is None:
        raise PlanError(f"{name}: {service} has no fault {fault}")
    _check_names(source, {"service", "operation", "fault", *SELECTIONS, *defaults}, name)
    operation = source.get("operation", "*")
    if operation not in ("*", *offered):
        raise PlanError(f"{name}: operation of {fault} must be * or {', '.join(offered)}")
    operations = set(offered) if operation == "*" else {operation}
    parameters = _parameters(source, fault, name)
    if fault == "error":
        code = parameters["code"]
        operations = {each for each in operations if code in error_statuses(service, each)}
        if not operations:
            raise PlanError(f"{name}: {operation} of {service} has no documented error {code!r}")
    return Rule(
        service, point, frozenset(operations), fault, parameters, **_selections(source, name)
    )


def _parameters(source: dict[str, Any], fault: str, name: str) -> dict[str, Any]:
    parameters = dict(FAULTS[fault].defaults)
    for parameter, default in parameters.items():
        value = source.get(parameter, default)
        choices = FAULTS[fault].choices.get(parameter)
        if choices is not None and value not in choices:
            raise PlanError(f"{name}: {parameter} must be one of {', '.join(choices)}")
        if not _fits(value, default):
            raise PlanError(f"{name}: {parameter} of {fault} must be like {json.dumps(default)}")
        parameters[parameter] = value
    return parameters


def _selections(source: dict[str, Any], name: str) -> dict[str, Any]:
    chosen = {each: source[each] for each in SELECTIONS if each in source}
    rate = chosen.get("rate", 1)
    if not _is_number(rate) or not 0 <= rate <= 1:
        raise PlanError(f"{name}: rate must be a number from 0 to 1")
    for each in ("first", "count"):
        if each in chosen and not (_is_integer(chosen[each]) and chosen[each] >= 0):
            raise PlanError(f"{name}: {each} must be a whole number from 0 on")
    documents = chosen.get("documents", [])
    if not isinstance(documents, list) or not all(isinstance(each, str) for each in documents):
        raise PlanError(f"{name}: documents must be a list of beginnings of document ids")
    if "documents" in chosen and not documents:
        raise PlanError(f"{name}: documents is empty, so that the rule would never apply")
    return chosen | {"documents": tuple(documents)}


@cache
def error_statuses(service: str, operation: str) -> dict[str, int]:
    """The documented errors of an operation with their HTTP statuses, from botocore's model."""
    import botocore.session

    model = botocore.session.get_session().get_service_model(service)
    return {
        shape.name: shape.metadata.get("error", {}).get(
            "httpStatusCode", 500 if shape.name == "InternalServerError" else 400
        )
        for shape in model.operation_model(operation).error_shapes
    }


def _check_names(source: dict[str, Any], known: set[str], place: str) -> None:
    if strangers := sorted(source.keys() - known):
        raise PlanError(
            f"{place}: unknown {', '.join(strangers)}; there are {', '.join(sorted(known))}"
        )


def _fits(value: Any, default: Any) -> bool:
    if isinstance(default, bool):
        return isinstance(value, bool)
    if isinstance(default, float):
        return _is_number(value) and value >= 0
    if isinstance(default, int):
        return _is_integer(value) and value >= 0
    if isinstance(default, tuple):
        return isinstance(value, list | tuple) and all(_is_integer(each) for each in value)
    return isinstance(value, str)


def _is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
