"""What a rule cannot deliver is tried again, and then goes to the target's dead-letter queue.

Gaps of ministack 1.5.33 that are closed here:

* An event that a target did not take was lost: `RetryPolicy` and `DeadLetterConfig` were stored and
  not looked at. A target that is gone, or that refuses the event, gets no second try, as on AWS;
  what went wrong inside is tried again, within the policy's bounds.
* The dead-letter queue takes the event only if its queue policy lets EventBridge send it for this
  rule. On AWS, an event is lost without that policy, and nobody is told.
* A function was called once, whatever became of it. It is invoked asynchronously now, with its
  tries and its OnFailure destination.
"""

import contextvars
import json
import logging
import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ministack.core.iam_evaluator import EvalContext, evaluate_resource_policy
from ministack.core.responses import get_account_id, get_region
from ministack.services import eventbridge, lambda_svc, sns, sqs, stepfunctions

_SERVICE = "events.amazonaws.com"
# AWS tries for 24 hours, up to 185 times; nothing here is away for that long.
_TRIES, _PAUSE_SECONDS, _LONGEST_PAUSE = 5, 0.5, 10.0

_log = logging.getLogger("events")


@dataclass(frozen=True)
class Failure:
    """Why a target did not take an event, by the codes of a dead letter's attributes."""

    code: str
    message: str
    lasting: bool = True


# What the delivery that runs in this context has met.
_failures: contextvars.ContextVar[list[Failure] | None] = contextvars.ContextVar(
    "failures", default=None
)


def install() -> None:
    """Watch every delivery of EventBridge."""
    eventbridge._dispatch_to_stepfunctions = _guarded(_to_state_machine)
    eventbridge._dispatch_to_lambda = _guarded(_to_function)
    eventbridge._dispatch_to_sns = _guarded(_to_topic)
    eventbridge._dispatch_to_sqs = _guarded(_to_queue(eventbridge._dispatch_to_sqs))
    deliver = eventbridge._invoke_target

    def invoke_target(target: Any, event: Any, rule: Any, view: Any = None) -> None:
        view = view or eventbridge._pattern_event_view(event)
        failure = _attempt(deliver, target, event, rule, view)
        if failure is not None:
            # The event's sender does not wait, and may be this emulator's only thread.
            context = contextvars.copy_context()
            arguments = (_try_again, deliver, target, event, rule, view, failure)
            threading.Thread(target=context.run, args=arguments, daemon=True).start()

    eventbridge._invoke_target = invoke_target


def _attempt(deliver: Any, *arguments: Any) -> Failure | None:
    met: list[Failure] = []
    token = _failures.set(met)
    try:
        deliver(*arguments)
    finally:
        _failures.reset(token)
    return met[0] if met else None


def _fail(failure: Failure) -> None:
    met = _failures.get()
    if met is not None:
        met.append(failure)
    _log.warning("A rule's target did not take an event: %s", failure)


def _try_again(
    deliver: Any, target: dict[str, Any], event: Any, rule: dict[str, Any], view: Any,
    failure: Failure,
) -> None:  # fmt: skip
    policy = target.get("RetryPolicy") or {}
    tries = min(int(policy.get("MaximumRetryAttempts", _TRIES)), _TRIES)
    until = time.monotonic() + float(policy.get("MaximumEventAgeInSeconds", 86_400))
    tried = 0
    while not failure.lasting and tried < tries and time.monotonic() < until:
        time.sleep(min(_PAUSE_SECONDS * 2**tried, _LONGEST_PAUSE))
        tried += 1
        next_failure = _attempt(deliver, target, event, rule, view)
        if next_failure is None:
            return
        failure = next_failure
    queue = (target.get("DeadLetterConfig") or {}).get("Arn")
    if queue:
        _send_dead_letter(queue, target, rule, view.event_with_detail(), failure, tried)


def _send_dead_letter(
    queue_arn: str, target: dict[str, Any], rule: dict[str, Any], event: Any, failure: Failure,
    tried: int,
) -> None:  # fmt: skip
    if not may_send(queue_arn, rule["Arn"]):
        _log.error("Lost: %s has no policy that lets the rule %s send", queue_arn, rule["Arn"])
        return
    import boto3

    attributes = {
        "RULE_ARN": rule["Arn"],
        "TARGET_ARN": target["Arn"],
        "ERROR_CODE": failure.code,
        "ERROR_MESSAGE": failure.message,
        "RETRY_ATTEMPTS": str(tried),
        **({} if failure.lasting else {"EXHAUSTED_RETRY_CONDITION": "MaximumRetryAttempts"}),
    }
    account, name = queue_arn.split(":")[4:6]
    endpoint = os.environ["AWS_ENDPOINT_URL"]
    boto3.client("sqs", endpoint_url=endpoint).send_message(
        QueueUrl=f"{endpoint}/{account}/{name}",
        MessageBody=json.dumps(event),
        MessageAttributes={
            key: {"DataType": "String", "StringValue": value} for key, value in attributes.items()
        },
    )


def may_send(queue_arn: str, rule_arn: str) -> bool:
    """Whether the queue's policy lets EventBridge send what this rule could not deliver."""
    queue = sqs._queue_by_arn(queue_arn)
    if queue is None:
        return False
    context = EvalContext(
        principal_arn="*",
        principal_type="Service",
        principal_account="",
        action="sqs:SendMessage",
        resource_arn=queue_arn,
        region=get_region(),
        service_context={"aws:sourcearn": rule_arn, "aws:sourceaccount": get_account_id()},
    )
    policy = queue["attributes"].get("Policy") or ""
    return bool(evaluate_resource_policy(policy, context, service=_SERVICE).decision == "Allow")


def _to_state_machine(arn: str, payload: str) -> None:
    if stepfunctions._resolve_state_machine_arn(arn) is None:
        return _fail(Failure("NO_RESOURCE", f"State Machine Does Not Exist: '{arn}'"))
    request = {"stateMachineArn": arn, "input": payload}
    status, _, body = stepfunctions._start_execution(request)
    if status >= 400:
        _fail(Failure("SDK_CLIENT_ERROR", _text(body), lasting=status < 500))


def _to_function(arn: str, payload: str) -> None:
    function, config, _ = lambda_svc._get_func_record_for_ref(arn)
    if not function or not config:
        return _fail(Failure("NO_RESOURCE", f"Function not found: {arn}"))
    try:
        event = json.loads(payload)
    except ValueError:
        return _fail(Failure("INVALID_JSON", "The input for the function is no JSON."))
    record = lambda_svc._execution_record_for_config(function, config)
    lambda_svc.invoke_async_with_retry(record, event)


def _to_topic(arn: str, payload: str) -> None:
    try:
        sent = sns.publish_internal(arn, payload, "")
    except sns.SnsPublishError as error:
        return _fail(Failure("INVALID_PARAMETER", str(error)))
    if sent is None:
        _fail(Failure("NO_RESOURCE", f"Topic does not exist: {arn}"))


def _to_queue(send: Callable[..., None]) -> Callable[..., None]:
    def to_queue(spec: Any, payload: str, parameters: dict[str, Any] | None = None) -> None:
        if sqs._queue_by_arn(str(spec)) is None:
            return _fail(Failure("NO_RESOURCE", f"The queue does not exist: {spec}"))
        send(spec, payload, parameters)

    return to_queue


def _guarded(send: Callable[..., None]) -> Callable[..., None]:
    """What goes wrong inside the emulator is a failure that another try may not meet."""

    def guarded(*arguments: Any) -> None:
        try:
            send(*arguments)
        except Exception as error:
            told = f"{type(error).__name__}: {error}"
            _fail(Failure("INTERNAL_ERROR", told, lasting=False))

    return guarded


def _text(body: Any) -> str:
    return body.decode("utf-8", "replace") if isinstance(body, bytes) else str(body)
