"""Distributed Maps as AWS runs them.

Gaps of ministack 1.5.33 that are closed here:

* `MaxConcurrencyPath`, `ToleratedFailurePercentagePath` and `ToleratedFailureCountPath` are
  ignored: every item ran at once, and one that failed was one too many.
* `ResultWriter` is ignored: no results were written, and all of them were passed on in the state.
  On AWS the files hold each child execution by its end, also where the Map fails.

What is left: on AWS the children that still run are stopped when the tolerated share is exceeded,
and those that wait are not started; here all of them run to their end.
"""

import json
from typing import Any

from ministack.services import s3, stepfunctions

_PATHS = ("MaxConcurrency", "ToleratedFailurePercentage", "ToleratedFailureCount")
_ENDS = ("SUCCEEDED", "FAILED", "PENDING")
# What a result file says of a child execution. Source: Step Functions developer guide,
# "ResultWriter (Map)".
_FIELDS = {
    "executionArn": "ExecutionArn",
    "input": "Input",
    "inputDetails": "InputDetails",
    "name": "Name",
    "output": "Output",
    "outputDetails": "OutputDetails",
    "error": "Error",
    "cause": "Cause",
    "startDate": "StartDate",
    "stateMachineArn": "StateMachineArn",
    "status": "Status",
    "stopDate": "StopDate",
}


def install() -> None:
    """Replace what runs a Distributed Map."""
    run = stepfunctions._run_distributed_map

    def run_distributed_map(
        state_def: dict[str, Any],
        raw_input: Any,
        effective: Any,
        iterator: dict[str, Any],
        execution: dict[str, Any],
        ctx: Any,
    ) -> Any:
        state_def = with_paths_resolved(state_def, effective)
        writer = state_def.get("ResultWriter")
        if not writer:
            return run(state_def, raw_input, effective, iterator, execution, ctx)
        place = stepfunctions._resolve_params_obj(writer.get("Parameters") or {}, effective, ctx)
        forget_interrupted(execution["executionArn"], str(state_def.get("Label")))
        known = set(_map_runs_of(execution["executionArn"]))
        try:
            run(state_def, raw_input, effective, iterator, execution, ctx)
        finally:
            # None where the items could not even be read.
            made = [arn for arn in _map_runs_of(execution["executionArn"]) if arn not in known]
            details = _write_results(made[-1], place) if made else {}
        result = stepfunctions._apply_result_selector(state_def, details)
        output = stepfunctions._apply_result_path(state_def, raw_input, result)
        output = stepfunctions._apply_output_path(state_def, output, ctx)
        return output, stepfunctions._next_or_end(state_def)

    stepfunctions._run_distributed_map = run_distributed_map


def with_paths_resolved(state_def: dict[str, Any], effective: Any) -> dict[str, Any]:
    """The state with the numbers that its paths lead to."""
    found = dict(state_def)
    for name in _PATHS:
        if path := found.pop(f"{name}Path", None):
            found[name] = stepfunctions._resolve_path(path, effective)
    return found


def result_files(
    children: list[dict[str, Any]], map_run_arn: str, bucket: str, prefix: str
) -> dict[str, Any]:
    """The files by their keys, the manifest last."""
    folder = f"{prefix.rstrip('/')}/" if prefix else ""
    folder += map_run_arn.rpartition(":")[2]
    files: dict[str, Any] = {}
    listed: dict[str, list[dict[str, Any]]] = {end: [] for end in _ENDS}
    for end in _ENDS:
        ended = [_entry(child) for child in children if _end(child) == end]
        if ended:
            key = f"{folder}/{end}_0.json"
            files[key] = ended
            size = len(json.dumps(ended, ensure_ascii=False).encode())
            listed[end].append({"Key": key, "Size": size})
    files[f"{folder}/manifest.json"] = {
        "DestinationBucket": bucket,
        "MapRunArn": map_run_arn,
        "ResultFiles": listed,
    }
    return files


def forget_interrupted(execution_arn: str, label: str) -> None:
    """A restart of the emulator begins an execution anew: its map's first run is none any more."""
    for arn in _map_runs_of(execution_arn):
        if f"/{label}:" in arn and stepfunctions._map_runs[arn]["status"] == "RUNNING":
            del stepfunctions._map_runs[arn]


def _map_runs_of(execution_arn: str) -> list[str]:
    return [
        arn
        for arn, run in list(stepfunctions._map_runs.items())
        if run["executionArn"] == execution_arn
    ]


def _write_results(map_run_arn: str, place: dict[str, Any]) -> dict[str, Any]:
    bucket = place["Bucket"]
    children = [
        child
        for child in list(stepfunctions._executions.values())
        if child.get("mapRunArn") == map_run_arn
    ]
    files = result_files(children, map_run_arn, bucket, place.get("Prefix", ""))
    for key, content in files.items():
        body = json.dumps(content, ensure_ascii=False).encode()
        status, _, answer = s3._put_object(bucket, key, body, {})
        if status != 200:
            raise stepfunctions._ExecutionError("States.ResultWriterFailed", str(answer))
    run = stepfunctions._map_runs[map_run_arn]
    for counts in (run["itemCounts"], run["executionCounts"]):
        counts["resultsWritten"] = len(children)
    return {
        "MapRunArn": map_run_arn,
        "ResultWriterDetails": {"Bucket": bucket, "Key": list(files)[-1]},
    }


def _end(child: dict[str, Any]) -> str:
    return child["status"] if child["status"] in ("SUCCEEDED", "RUNNING") else "FAILED"


def _entry(child: dict[str, Any]) -> dict[str, Any]:
    return {name: child[field] for field, name in _FIELDS.items() if child.get(field) is not None}
