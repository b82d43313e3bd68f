"""Alarms that ring: for executions that end badly, and for queues that hold something.

Gaps of ministack 1.5.33 that are closed here: no service of it measures anything, so that only a
metric which somebody put by hand could ring an alarm, and then every alarm on a metric of that
name, whatever its dimensions are.

Known are the metrics of the template: a state machine's ExecutionsFailed, ExecutionsTimedOut and
ExecutionsAborted, and a queue's ApproximateNumberOfMessagesVisible. What is over the threshold
rings at once, and once; an alarm is over a period after the last cause.
"""

import logging
import threading
import time
from collections.abc import Iterator
from typing import Any

from ministack.core.responses import get_account_id, get_region, request_scope
from ministack.services import cloudwatch, sqs, stepfunctions

_ENDS = {
    "FAILED": "ExecutionsFailed",
    "TIMED_OUT": "ExecutionsTimedOut",
    "ABORTED": "ExecutionsAborted",
}
_MACHINES, _QUEUES = "AWS/States", "AWS/SQS"
_LOOK_SECONDS = 2.0

_log = logging.getLogger("alarms")


def install() -> None:
    """Hear of every end of an execution, and look at the queues again and again."""
    emit = stepfunctions._emit_execution_status_event

    def emit_execution_status_event(execution: dict[str, Any]) -> None:
        emit(execution)
        # A child of a Map is no execution of the machine that the alarm watches.
        if execution["status"] in _ENDS and not execution.get("mapRunArn"):
            note_end(execution["stateMachineArn"], execution["status"])

    stepfunctions._emit_execution_status_event = emit_execution_status_event
    threading.Thread(target=_look_again_and_again, name="alarms", daemon=True).start()


def note_end(machine_arn: str, status: str) -> None:
    """Ring the alarms on such ends of executions of this machine."""
    for alarm in cloudwatch._alarms.values():
        if (
            alarm["Namespace"] == _MACHINES
            and alarm["MetricName"] == _ENDS[status]
            and _dimension(alarm, "StateMachineArn") == machine_arn
            and alarm["Threshold"] < 1
        ):
            alarm["LastCause"] = time.time()
            _change(alarm, "ALARM", f"An execution of {machine_arn} has {status}.")


def look() -> None:
    """Ring the alarms of queues that hold something; end those that have no cause any more."""
    for account, region, alarm in _all_alarms():
        with request_scope(account, region):
            if alarm["Namespace"] == _QUEUES:
                _look_at_queue(alarm)
            elif alarm["Namespace"] == _MACHINES:
                over = time.time() - alarm.get("LastCause", 0) > alarm["Period"]
                if over and alarm["StateValue"] == "ALARM":
                    _change(alarm, "OK", "No cause within the period.")


def _look_again_and_again() -> None:
    while True:
        time.sleep(_LOOK_SECONDS)
        try:
            look()
        except Exception:  # whatever it is, the next look is another one
            _log.exception("Alarms could not be looked at")


def _all_alarms() -> Iterator[tuple[str, str, dict[str, Any]]]:
    for (account, region, _), alarm in list(cloudwatch._alarms.all_items()):
        yield account, region, alarm


def _look_at_queue(alarm: dict[str, Any]) -> None:
    name = _dimension(alarm, "QueueName")
    queue = sqs._queue_by_arn(f"arn:aws:sqs:{get_region()}:{get_account_id()}:{name}")
    if queue is None or alarm["MetricName"] != "ApproximateNumberOfMessagesVisible":
        return
    now = time.time()
    visible = sum(message["visible_at"] <= now for message in list(queue["messages"]))
    ringing = visible > alarm["Threshold"]
    _change(alarm, "ALARM" if ringing else "OK", f"{visible} messages are in the queue {name}.")


def _change(alarm: dict[str, Any], state: str, reason: str) -> None:
    """Bring an alarm to a state, and tell whom it names, where it was in another one."""
    before = alarm["StateValue"]
    if before == state:
        return
    alarm |= {
        "StateValue": state,
        "StateReason": reason,
        "StateUpdatedTimestamp": int(time.time()),
    }
    cloudwatch._record_history(alarm["AlarmName"], before, state, reason)
    cloudwatch._dispatch_alarm_actions(alarm, before, state, reason)


def _dimension(alarm: dict[str, Any], name: str) -> str | None:
    found = {each["Name"]: each["Value"] for each in alarm.get("Dimensions") or ()}
    return found.get(name) if len(found) == 1 else None
