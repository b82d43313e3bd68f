"""EventBridge Pipes: from a stream or a queue, through filter and template, to a target.

Gaps of ministack 1.5.33 that are closed here:

* It keeps neither the filter nor the input template of a pipe: every record reached the target as
  it was. Both are kept and followed, from CloudFormation as from CreatePipe.
* A queue as the source does nothing, and a queue or a bus as the target is refused. Sources here
  are streams of tables and queues; targets are topics, queues, state machines and buses.
* A record that cannot be delivered is lost (topics), or held for ever (all others). Here
  `MaximumRetryAttempts` and `MaximumRecordAgeInSeconds` hold, and then a message about the record
  goes to the dead-letter queue. What comes from a queue stays there, and its own redrive counts.
* A stream is lost with the emulator's end, and a pipe then waited until a new one was as long.
* Nothing forgets the records of a stream before 24 hours are over.

`pipe_runner.py` runs them, `pipe_events.py` knows filters and templates.
"""

import copy
import json
from typing import Any

from ministack.services import dynamodb
from ministack.services import pipes as service
from ministack.services.cloudformation import provisioners

from mailroom_desk.cloud.emulator.pipe_runner import Runner

_RESOURCE = "AWS::Pipes::Pipe"
_STREAMS = ("_stream_records", "_stream_trimmed")
_PARAMETERS = ("SourceParameters", "TargetParameters")


def install() -> None:
    """Keep what a pipe is made with, and run pipes here instead of in ministack."""
    _keep_parameters_of_templates()
    _keep_parameters_of_calls()
    _keep_streams()
    service._poll_once = Runner().poll


def _keep_parameters_of_templates() -> None:
    handlers = provisioners._RESOURCE_HANDLERS[_RESOURCE]
    create, update = handlers["create"], handlers["update"]

    def created(logical_id: str, properties: dict[str, Any], stack_name: str) -> Any:
        made = create(logical_id, properties, stack_name)
        _keep(service._pipes[made[0]], properties)
        return made

    def updated(physical_id: str, old: Any, new: dict[str, Any], *more: Any) -> Any:
        made = update(physical_id, old, new, *more)
        _keep(service._pipes[made[0]], new)
        return made

    provisioners._RESOURCE_HANDLERS[_RESOURCE] = handlers | {"create": created, "update": updated}


def _keep_parameters_of_calls() -> None:
    create, update, describe = service._create_pipe, service._update_pipe, service._describe_pipe

    def create_pipe(name: str, body: dict[str, Any]) -> Any:
        answer = create(name, body)
        if answer[0] == 200:
            _keep(service._pipes[name], body)
        return answer

    def update_pipe(name: str, body: dict[str, Any]) -> Any:
        answer = update(name, body)
        if answer[0] == 200 and any(key in body for key in _PARAMETERS):
            _keep(service._pipes[name], service._pipes[name] | body)
        return answer

    def describe_pipe(name: str) -> Any:
        status, headers, body = describe(name)
        if status == 200:
            more = {key: service._pipes[name].get(key, {}) for key in _PARAMETERS}
            body = json.dumps(json.loads(body) | more).encode()
        return status, headers, body

    service._create_pipe, service._update_pipe = create_pipe, update_pipe
    service._describe_pipe = describe_pipe


def _keep_streams() -> None:
    """Save the records of streams, and where they begin, with the tables."""
    state, restore = dynamodb.get_state, dynamodb._restore_state

    def get_state() -> dict[str, Any]:
        streams = {name: copy.deepcopy(getattr(dynamodb, name)) for name in _STREAMS}
        return {**state(), **streams}

    def restore_state(data: dict[str, Any]) -> None:
        restore(data)
        for name in _STREAMS:
            getattr(dynamodb, name).update((data or {}).get(name, {}))

    dynamodb.get_state, dynamodb._restore_state = get_state, restore_state


def _keep(pipe: dict[str, Any], given: dict[str, Any]) -> None:
    """Keep the parameters on the pipe. A pipe without them is not run: its filter is not known."""
    source = given.get("SourceParameters") or {}
    stream = source.get("DynamoDBStreamParameters") or {}
    start = stream.get("StartingPosition")
    if start and start != pipe["StartingPosition"]:  # CreatePipe does not look for it
        pipe["StartingPosition"] = start
        service._positions[pipe["Arn"]] = service._initial_position(pipe)
    pipe["TargetParameters"] = given.get("TargetParameters") or {}
    pipe["SourceParameters"] = source
