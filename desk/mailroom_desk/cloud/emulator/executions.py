"""Step Functions executions as AWS runs them.

Gaps of ministack 1.5.33 that are closed here:

* `StartExecution` with the name and the input of a running execution is an error; on AWS it
  returns that execution.
* The state machine's own `TimeoutSeconds` is ignored, and a stopped execution whose task fails
  later becomes a failed one.
* `Retry` ignores `MaxDelaySeconds` and `JitterStrategy`.
* `States.ALL` catches `States.Runtime` and `States.DataLimitExceeded`.
* A path in `Parameters` that finds nothing gives null; on AWS the execution fails.
* A result over 256 KiB is passed on, and a throttled function is `Lambda.Unknown`.
* In a Choice, the `*` of `StringMatches` ends at a line's end, and cannot be escaped.
"""

import contextvars
import json
import random
import re
import threading
from typing import Any

from ministack.core.responses import get_account_id, get_region, json_response, now_iso
from ministack.services import stepfunctions

# Step Functions' limit for the input and the result of a state.
_MAX_RESULT_BYTES = 256 * 1024
_UNCATCHABLE = frozenset({"States.Runtime", "States.DataLimitExceeded"})


def install() -> None:
    """Replace the functions of ministack's Step Functions that differ from AWS's."""
    _make_start_idempotent()
    _end_when_timed_out()
    _keep_the_first_end()
    _bound_retry_delays()
    _let_runtime_errors_through()
    _fail_on_missing_paths()
    _match_across_lines()
    _check_lambda_results()


def _make_start_idempotent() -> None:
    start = stepfunctions._start_execution

    def start_execution(data: dict[str, Any]) -> Any:
        running = _running_twin(data)
        if running is None:
            return start(data)
        answer = {key: running[key] for key in ("executionArn", "startDate")}
        return json_response(answer)

    stepfunctions._start_execution = start_execution


def _running_twin(data: dict[str, Any]) -> dict[str, Any] | None:
    """The running execution with this request's name and input."""
    machine_arn = stepfunctions._resolve_state_machine_arn(data.get("stateMachineArn", ""))
    machine = stepfunctions._state_machines.get(machine_arn) if machine_arn else None
    if machine is None or not data.get("name"):
        return None
    arn = (
        f"arn:aws:states:{get_region()}:{get_account_id()}"
        f":execution:{machine['name']}:{data['name']}"
    )
    found: dict[str, Any] | None = stepfunctions._executions.get(arn)
    if found is None or found["status"] != "RUNNING":
        return None
    return found if found["input"] == data.get("input", "{}") else None


def _end_when_timed_out() -> None:
    run = stepfunctions._run_execution

    def run_execution(arn: str) -> None:
        execution = stepfunctions._executions.get(arn)
        seconds = _machine_timeout(execution)
        if seconds is None:
            run(arn)
            return
        context = contextvars.copy_context()
        timer = threading.Timer(seconds, context.run, (_time_out, execution))
        timer.daemon = True
        timer.start()
        try:
            run(arn)
        finally:
            timer.cancel()

    stepfunctions._run_execution = run_execution


def _machine_timeout(execution: dict[str, Any] | None) -> float | None:
    machine = execution and stepfunctions._state_machines.get(execution["stateMachineArn"])
    if not machine:
        return None
    try:
        seconds = json.loads(machine["definition"]).get("TimeoutSeconds")
    except ValueError:
        return None
    return None if seconds is None else float(seconds)


def _time_out(execution: dict[str, Any]) -> None:
    if execution["status"] != "RUNNING":
        return
    execution["status"] = "TIMED_OUT"
    execution["stopDate"] = now_iso()
    stepfunctions._add_event(execution, "ExecutionTimedOut", {"executionTimedOutEventDetails": {}})
    stepfunctions._emit_execution_status_event(execution)


def _keep_the_first_end() -> None:
    fail = stepfunctions._fail_execution

    def fail_execution(execution: dict[str, Any], error: str, cause: str) -> None:
        if execution["status"] == "RUNNING":
            fail(execution, error, cause)

    stepfunctions._fail_execution = fail_execution


def _bound_retry_delays() -> None:
    find = stepfunctions._find_matching_retrier

    def find_matching_retrier(
        retriers: list[dict[str, Any]], error: str, retry_counts: dict[int, int]
    ) -> tuple[dict[str, Any] | None, int]:
        retrier, index = find(retriers, error, retry_counts)
        if retrier is None:
            return None, index
        delay = retry_delay(retrier, retry_counts.get(index, 0))
        # ministack multiplies the interval by the rate; the result is already in the interval.
        return {**retrier, "IntervalSeconds": delay, "BackoffRate": 1.0}, index

    stepfunctions._find_matching_retrier = find_matching_retrier


def retry_delay(retrier: dict[str, Any], retries: int) -> float:
    """How long to wait before retry number `retries` + 1, by the rules of the States Language."""
    delay = float(retrier.get("IntervalSeconds", 1) * retrier.get("BackoffRate", 2.0) ** retries)
    delay = min(delay, retrier.get("MaxDelaySeconds", delay))
    full = retrier.get("JitterStrategy") == "FULL"
    return random.uniform(0, delay) if full else delay


def _let_runtime_errors_through() -> None:
    matches = stepfunctions._error_matches

    def error_matches(error_equals: list[str], error: str) -> bool:
        if error in _UNCATCHABLE:
            return error in error_equals
        return bool(matches(error_equals, error))

    stepfunctions._error_matches = error_matches


def _fail_on_missing_paths() -> None:
    apply = stepfunctions._apply_parameters

    def apply_parameters(state_def: dict[str, Any], data: Any, ctx: Any = None) -> Any:
        for field, path in _paths(state_def.get("Parameters")):
            if not _exists(path, data):
                raise stepfunctions._ExecutionError(
                    "States.Runtime",
                    f"The JSONPath '{path}' specified for the field '{field}' could not be "
                    "found in the input",
                )
        return apply(state_def, data, ctx)

    stepfunctions._apply_parameters = apply_parameters


def _paths(template: Any) -> list[tuple[str, str]]:
    """Every field of the template that is a plain path into the input, with its path."""
    if isinstance(template, list):
        return [found for item in template for found in _paths(item)]
    if not isinstance(template, dict):
        return []
    found = []
    for field, value in template.items():
        if field.endswith(".$") and isinstance(value, str) and value.startswith("$."):
            found.append((field, value))
        else:
            found += _paths(value)
    return found


def _exists(path: str, data: Any) -> bool:
    for kind, key in stepfunctions._parse_jsonpath_tokens(path) or ():
        if kind == "wildcard":
            return True  # a projection may be empty
        try:
            data = data[key]
        except (KeyError, IndexError, TypeError):
            return False
    return True


def _match_across_lines() -> None:
    evaluate = stepfunctions._evaluate_rule

    def evaluate_rule(rule: dict[str, Any], data: Any, ctx: Any = None) -> bool:
        if "Variable" not in rule or "StringMatches" not in rule:
            return bool(evaluate(rule, data, ctx))
        value = stepfunctions._resolve_path_or_ctx(rule["Variable"], data, ctx)
        return isinstance(value, str) and string_matches(rule["StringMatches"], value)

    stepfunctions._evaluate_rule = evaluate_rule


def string_matches(pattern: str, value: str) -> bool:
    """Whether a text is what a pattern says: `*` is anything, `\\\\*` a star."""
    parts = re.split(r"(\\.|\*)", pattern, flags=re.DOTALL)
    wanted = (
        ".*" if part == "*" else re.escape(part[1:] if part.startswith("\\") else part)
        for part in parts
    )
    return re.fullmatch("".join(wanted), value, re.DOTALL) is not None


def _check_lambda_results() -> None:
    call = stepfunctions._call_lambda

    def call_lambda(func_ref: str, event: Any) -> Any:
        try:
            result = call(func_ref, event)
        except stepfunctions._ExecutionError as error:
            if error.error == "Lambda.Unknown" and "TooManyRequestsException" in error.cause:
                raise stepfunctions._ExecutionError(
                    "Lambda.TooManyRequestsException", error.cause
                ) from error
            raise
        if len(json.dumps(result, ensure_ascii=False).encode()) > _MAX_RESULT_BYTES:
            raise stepfunctions._ExecutionError(
                "States.DataLimitExceeded",
                "The state/task returned a result with a size exceeding the maximum number of "
                "bytes service limit.",
            )
        return result

    stepfunctions._call_lambda = call_lambda
