"""One ladder at the wire: the pauses between its tries, as the history shows them.

The rule is Classify's for throttles, shrunk. The local cloud scales its waits down as well.
"""

from typing import Any

from stack import states

from mailroom_desk.cloud.state import Cloud

from .conftest import SETTINGS
from .machines import function, machine, task, wait_for_end

(RULE,) = (
    rule
    for rule in states()["Classify"]["Retry"]
    if "ModelThrottled" in rule["ErrorEquals"]
)  # fmt: skip
SHRUNK = RULE | {"IntervalSeconds": 1, "MaxDelaySeconds": 4, "MaxAttempts": 8}
LONGEST = [1, 2, 4, 4, 4, 4, 4, 4]
BUSY = """
class ModelThrottled(Exception): pass
def handler(event, context): raise ModelThrottled("too many requests")
"""


def pauses(cloud: Cloud, rule: dict[str, Any]) -> list[float]:
    """Climb a ladder to its end: the seconds from each failure to the next try."""
    client = cloud.client("stepfunctions")
    with function(cloud, BUSY) as arn, machine(cloud, {"A": task(arn, Retry=[rule])}) as work:
        execution = client.start_execution(stateMachineArn=work)["executionArn"]
        ended = wait_for_end(client, execution)
        history = client.get_execution_history(executionArn=execution, maxResults=1000)
    assert (ended["status"], ended["error"]) == ("FAILED", "ModelThrottled")
    times = {
        kind: [each["timestamp"] for each in history["events"] if each["type"] == kind]
        for kind in ("TaskScheduled", "TaskFailed")
    }
    assert len(times["TaskScheduled"]) == len(times["TaskFailed"]) == rule["MaxAttempts"] + 1
    pairs = zip(times["TaskFailed"][:-1], times["TaskScheduled"][1:], strict=True)
    return [(tried - failed).total_seconds() for failed, tried in pairs]


def test_ladder_waits_between_nothing_and_its_cap_as_often_as_it_says(cloud: Cloud) -> None:
    jittered = pauses(cloud, SHRUNK)
    # The same ladder without jitter shows that the waits are real: no sleep ends early.
    full = pauses(cloud, SHRUNK | {"JitterStrategy": "NONE"})

    for pause, longest in zip(jittered, LONGEST, strict=True):
        assert 0 <= pause <= longest
    for pause, longest in zip(full, LONGEST, strict=True):
        assert 0.9 * longest * SETTINGS.wait_scale <= pause <= longest
    assert len(set(jittered)) > 1
    assert sum(jittered) < sum(full)
