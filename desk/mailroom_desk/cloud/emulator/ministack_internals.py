"""The names of ministack's that Mailroom's launcher replaces or calls, checked before it starts.

ministack has no plug-in interface, so its version is pinned and the launcher reaches inside. When
an upgrade moves one of these names or its parameters, `check` raises `EmulatorChangedError`: the
cloud does not start, rather than start with an old gap open.
"""

import inspect
from collections.abc import Iterator
from importlib.metadata import version
from typing import Any

from ministack import app
from ministack.core import iam_evaluator, lambda_runtime, responses
from ministack.services import (
    budgets,
    cloudwatch,
    dynamodb,
    eventbridge,
    lambda_svc,
    pipes,
    s3,
    sns,
    sqs,
    stepfunctions,
)
from ministack.services.cloudformation import provisioners

SUPPORTED_VERSION = "1.5.33"

# What is replaced or called, with the parameters that the launcher relies on.
_SIGNATURES = {
    (lambda_runtime, "_worker_class_for"): ("config",),
    (lambda_runtime, "kill_workers"): ("workers",),
    (lambda_runtime, "workers_in_use"): (),
    (lambda_runtime, "_worker_key"): ("func_name", "config", "qualifier"),
    (lambda_svc, "acquire_worker"): (
        *("func_name", "config", "code_zip", "qualifier", "max_concurrency"),
    ),
    (lambda_svc, "release_worker"): ("worker",),
    (lambda_runtime, "ProvidedWorker._spawn"): ("self", "init_timeout"),
    (lambda_runtime, "ProvidedWorker._await_init"): ("self", "init_timeout"),
    (lambda_runtime, "ProvidedWorker._build_handler_class"): ("self", "generation", "pending"),
    (lambda_runtime, "ProvidedRuntimeError"): ("message", "error_type"),
    (lambda_svc, "_execute_function_warm"): ("func", "event", "request_id"),
    (lambda_svc, "_execute_function_provided_warm"): ("func", "event", "request_id"),
    (lambda_svc, "_provided_runtime_code_dir"): ("code_zip",),
    (lambda_svc, "_get_func_record_for_ref"): ("function_ref",),
    (lambda_svc, "_execution_record_for_config"): ("func", "config"),
    (lambda_svc, "invoke_async_with_retry"): ("func", "event"),
    (sns, "_deliver_to_lambda"): (
        *("endpoint", "envelope", "topic_arn", "sub_arn", "msg_id", "raw_message"),
        "message_attributes",
    ),
    (stepfunctions, "_start_execution"): ("data",),
    (stepfunctions, "_run_execution"): ("exec_arn",),
    (stepfunctions, "_resolve_state_machine_arn"): ("arn",),
    (stepfunctions, "_find_matching_retrier"): ("retriers", "error", "retry_counts"),
    (stepfunctions, "_error_matches"): ("error_equals", "error"),
    (stepfunctions, "_evaluate_rule"): ("rule", "data", "ctx"),
    (stepfunctions, "_resolve_path_or_ctx"): ("path", "data", "ctx"),
    (stepfunctions, "_call_lambda"): ("func_ref", "event"),
    (stepfunctions, "_invoke_events_put_events"): ("resource", "input_data"),
    (stepfunctions, "_add_event"): ("execution", "event_type", "details"),
    (stepfunctions, "_emit_execution_status_event"): ("execution",),
    (stepfunctions, "_fail_execution"): ("execution", "error", "cause"),
    (stepfunctions, "_restore_state"): ("data",),
    (stepfunctions, "_ExecutionError"): ("error", "cause"),
    (stepfunctions, "_apply_parameters"): ("state_def", "data", "ctx"),
    (stepfunctions, "_parse_jsonpath_tokens"): ("path",),
    (stepfunctions, "_run_distributed_map"): (
        *("state_def", "raw_input", "effective", "iterator", "execution", "ctx"),
    ),
    (stepfunctions, "_resolve_params_obj"): ("template", "data", "ctx"),
    (stepfunctions, "_resolve_path"): ("path", "data"),
    (stepfunctions, "_apply_result_selector"): ("state_def", "data"),
    (stepfunctions, "_apply_result_path"): ("state_def", "original", "result"),
    (stepfunctions, "_apply_output_path"): ("state_def", "data", "ctx"),
    (stepfunctions, "_next_or_end"): ("state_def",),
    (s3, "_put_object"): ("bucket_name", "key", "body", "headers"),
    (s3, "_fire_s3_event"): (
        *("bucket_name", "key", "event_name", "size", "etag", "deletion_type"),
        *("restore_event_data", "version_id", "sequencer", "object_extra", "record_extra"),
    ),
    (eventbridge, "_dispatch_event"): ("event", "view"),
    (pipes, "_poll_once"): (),
    (pipes, "_iter_all_pipes"): (),
    (pipes, "_initial_position"): ("pipe",),
    (pipes, "_dynamodb_stream_source"): ("stream_arn",),
    (pipes, "_create_pipe"): ("name", "body"),
    (pipes, "_update_pipe"): ("name", "body"),
    (pipes, "_describe_pipe"): ("name",),
    (dynamodb, "get_state"): (),
    (dynamodb, "_restore_state"): ("data",),
    (dynamodb, "stream_start_position"): ("table_name", "account_id", "region"),
    (dynamodb, "stream_end_position"): ("table_name", "account_id", "region"),
    (dynamodb, "stream_records_since"): (
        *("table_name", "position", "limit", "account_id", "region"),
    ),
    (eventbridge, "_create_archive"): ("data",),
    (eventbridge, "_update_archive"): ("data",),
    (eventbridge, "_delete_archive"): ("data",),
    (eventbridge, "_invoke_target"): ("target", "event", "rule", "view"),
    (eventbridge, "_pattern_event_view"): ("event",),
    (eventbridge, "_dispatch_to_stepfunctions"): ("arn", "payload"),
    (eventbridge, "_dispatch_to_lambda"): ("arn", "payload"),
    (eventbridge, "_dispatch_to_sns"): ("arn", "payload"),
    (eventbridge, "_dispatch_to_sqs"): ("spec", "payload", "sqs_parameters"),
    (sns, "publish_internal"): (
        *("topic_arn", "message", "subject", "message_structure", "message_attributes"),
        *("message_group_id", "message_deduplication_id"),
    ),
    (sqs, "_queue_by_arn"): ("arn",),
    (iam_evaluator, "evaluate_resource_policy"): (
        *("doc", "ctx", "service", "named_only", "direct_only"),
    ),
    (budgets, "_create_budget"): ("data",),
    (cloudwatch, "_record_history"): (
        *("alarm_name", "old_state", "new_state", "reason", "alarm_type", "reason_data"),
    ),
    (cloudwatch, "_dispatch_alarm_actions"): ("alarm", "old_state", "new_state", "reason"),
    (budgets, "_delete_budget"): ("data",),
    (responses, "request_scope"): ("account_id", "region"),
    (app, "main"): (),
    (app, "save_all"): ("services",),
    (app, "_build_persistence_save_dict"): (),
    (app, "_load_persisted_state"): (),
}
_VALUES = {
    (lambda_runtime, "_workers"): "dict",
    (lambda_runtime, "_lock"): "lock",
    (lambda_svc, "_provided_code_lock"): "lock",
    (stepfunctions, "_executions"): "AccountRegionScopedDict",
    (stepfunctions, "_map_runs"): "AccountRegionScopedDict",
    (stepfunctions, "_SERVICE_DISPATCH"): "dict",
    (cloudwatch, "_alarms"): "AccountRegionScopedDict",
    (pipes, "_pipes"): "AccountRegionScopedDict",
    (pipes, "_positions"): "AccountRegionScopedDict",
    (dynamodb, "_stream_records"): "AccountRegionScopedDict",
    (dynamodb, "_stream_trimmed"): "AccountRegionScopedDict",
    (provisioners, "_RESOURCE_HANDLERS"): "dict",
}


class EmulatorChangedError(RuntimeError):
    """ministack no longer has what Mailroom's launcher works on."""


def check() -> None:
    """Raise `EmulatorChangedError` with every name that is not as expected."""
    changed = list(_changes())
    if changed:
        raise EmulatorChangedError(
            f"ministack is not the {SUPPORTED_VERSION} that the launcher was written for: "
            + "; ".join(changed)
        )


def _changes() -> Iterator[str]:
    if version("ministack") != SUPPORTED_VERSION:
        yield f"version {version('ministack')}"
    for (module, name), expected in _SIGNATURES.items():
        found = _find(module, name)
        if found is None:
            yield f"{module.__name__}.{name} is gone"
        elif (parameters := tuple(inspect.signature(found).parameters)) != expected:
            yield f"{module.__name__}.{name} takes {parameters}"
    for (module, name), kind in _VALUES.items():
        if type(found := _find(module, name)).__name__ != kind:
            yield f"{module.__name__}.{name} is a {type(found).__name__}"


def _find(module: Any, name: str) -> Any:
    found = module
    for part in name.split("."):
        found = getattr(found, part, None)
    return found
