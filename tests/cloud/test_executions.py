"""The gaps of ministack's Step Functions that the launcher closes, as AWS documents them."""

import json
import time

import pytest
from botocore.exceptions import ClientError

from mailroom_desk.cloud.state import Cloud

from .machines import function, machine, run, task, wait_for_end

WAIT = {"Type": "Wait", "Seconds": 20, "End": True}
FLAKY = """
import pathlib
class Flaky(Exception): pass
def handler(event, context):
    with open(event["file"], "a+") as calls:
        calls.write("x"); calls.seek(0)
        count = len(calls.read())
    if count < 3: raise Flaky("again")
    return count
"""


def test_retry_by_a_functions_exception_class_matches(cloud: Cloud) -> None:
    retry = [{"ErrorEquals": ["Flaky"], "IntervalSeconds": 1, "MaxAttempts": 3}]
    file = cloud.folder / "flaky"
    with function(cloud, FLAKY) as arn, machine(cloud, {"A": task(arn, Retry=retry)}) as work:
        ended = run(cloud, work, {"file": str(file)})
    assert (ended["status"], ended.get("output")) == ("SUCCEEDED", "3")


def test_catch_of_a_functions_error_has_its_class_and_its_cause_as_json(cloud: Cloud) -> None:
    code = "class BadDocument(Exception): pass\ndef handler(e, c): raise BadDocument('torn')"
    catch = [{"ErrorEquals": ["BadDocument"], "ResultPath": "$.error", "Next": "B"}]
    with (
        function(cloud, code) as arn,
        machine(cloud, {"A": task(arn, Catch=catch), "B": {"Type": "Succeed"}}) as work,
    ):
        output = json.loads(run(cloud, work, {"kept": 1})["output"])
    assert output["kept"] == 1
    assert output["error"]["Error"] == "BadDocument"
    cause = json.loads(output["error"]["Cause"])
    assert (cause["errorType"], cause["errorMessage"]) == ("BadDocument", "torn")


def test_start_execution_again_while_it_runs_returns_the_same_execution(cloud: Cloud) -> None:
    client = cloud.client("stepfunctions")
    with machine(cloud, {"A": WAIT | {"Seconds": 600}}) as arn:
        first = client.start_execution(stateMachineArn=arn, name="one", input='{"a": 1}')
        second = client.start_execution(stateMachineArn=arn, name="one", input='{"a": 1}')
        assert second["executionArn"] == first["executionArn"]
        assert second["startDate"] == first["startDate"]
        with pytest.raises(ClientError, match="ExecutionAlreadyExists"):
            client.start_execution(stateMachineArn=arn, name="one", input='{"a": 2}')
        client.stop_execution(executionArn=first["executionArn"])
        with pytest.raises(ClientError, match="ExecutionAlreadyExists"):
            client.start_execution(stateMachineArn=arn, name="one", input='{"a": 1}')


def test_state_machine_past_its_own_timeout_is_timed_out(cloud: Cloud) -> None:
    with machine(cloud, {"A": WAIT | {"Seconds": 600}}, TimeoutSeconds=1) as arn:
        assert run(cloud, arn)["status"] == "TIMED_OUT"


def test_stopped_execution_whose_task_fails_later_stays_aborted(cloud: Cloud) -> None:
    code = "import time\ndef handler(e, c):\n    time.sleep(1)\n    raise ValueError('late')"
    client = cloud.client("stepfunctions")
    with function(cloud, code) as arn, machine(cloud, {"A": task(arn)}) as work:
        started = client.start_execution(stateMachineArn=work)["executionArn"]
        client.stop_execution(executionArn=started)
        # The same function once more, so that the first call has ended when this one has.
        run(cloud, work)
        assert wait_for_end(client, started)["status"] == "ABORTED"


def test_retry_waits_no_longer_than_its_cap(cloud: Cloud) -> None:
    code = "def handler(e, c): raise ValueError('always')"
    retry = [
        {"ErrorEquals": ["ValueError"], "IntervalSeconds": 1, "BackoffRate": 1000}
        | {"MaxDelaySeconds": 2, "MaxAttempts": 3, "JitterStrategy": "FULL"}
    ]
    with function(cloud, code) as arn, machine(cloud, {"A": task(arn, Retry=retry)}) as work:
        began = time.monotonic()
        assert run(cloud, work)["error"] == "ValueError"
    # Without the cap, the third wait alone would be a minute, at a tenth of its length.
    assert time.monotonic() - began < 6 + 5


def test_missing_path_in_parameters_fails_the_execution_past_every_catch(cloud: Cloud) -> None:
    states = {
        "A": {
            "Type": "Task",
            "Resource": "arn:aws:states:::sqs:sendMessage",
            "Parameters": {"QueueUrl": cloud.dead_letter_queue_url, "MessageBody.$": "$.nothing"},
            "Catch": [{"ErrorEquals": ["States.ALL"], "Next": "B"}],
            "End": True,
        },
        "B": {"Type": "Succeed"},
    }
    with machine(cloud, states) as arn:
        ended = run(cloud, arn, {"something": 1})
    assert (ended["status"], ended["error"]) == ("FAILED", "States.Runtime")
    assert "$.nothing" in ended["cause"]


def test_result_over_256_kib_is_an_error_that_states_all_does_not_catch(cloud: Cloud) -> None:
    catch = [{"ErrorEquals": ["States.ALL"], "Next": "B"}]
    states = {"A": task("", Catch=catch), "B": {"Type": "Succeed"}}
    with function(cloud, "def handler(e, c): return 'x' * 300_000") as arn:
        states["A"]["Resource"] = arn
        with machine(cloud, states) as work:
            assert run(cloud, work)["error"] == "States.DataLimitExceeded"
