"""Have a digest made now, by the state machine that makes one every night."""

import json
import time
from typing import Any

from mailroom_desk.documents import plain_cause
from mailroom_desk.errors import DigestFailed
from mailroom_desk.stack import Stack

_PAUSE = 0.5


def make_digest(stack: Stack, asked: dict[str, str], timeout: float) -> dict[str, Any]:
    """What the execution tells of the day in `asked`. Raises DigestFailed."""
    states = stack.client("stepfunctions")
    arn = states.start_execution(
        stateMachineArn=stack.digest_state_machine_arn, input=json.dumps(asked)
    )["executionArn"]
    deadline = time.monotonic() + timeout
    while (run := states.describe_execution(executionArn=arn))["status"] == "RUNNING":
        if time.monotonic() > deadline:
            raise DigestFailed(f"The digest has not ended in {timeout:g} s. Look at {arn}")
        time.sleep(_PAUSE)
    if run["status"] != "SUCCEEDED":
        cause = plain_cause(str(run.get("cause", ""))) or f"It ended: {run['status']}."
        raise DigestFailed(f"There is no digest: {cause} ({run.get('error', run['status'])})")
    told: dict[str, Any] = json.loads(run["output"])
    return told
