"""What becomes of a call whose function dies, and of a notice that its function cannot take."""

import json
import time
from pathlib import Path

from mailroom_desk.cloud.state import Cloud

from .machines import function, machine, run, task

SECONDS = 120  # a bound for a test that would otherwise hang, not a measurement
DIES_ONCE = """
import os, pathlib
def handler(event, context):
    mark = pathlib.Path(event["mark"])
    if not mark.exists():
        mark.touch()
        os._exit(9)
    return "alive"
"""


def test_function_that_died_is_tried_again_by_the_name_of_its_error(
    cloud: Cloud, tmp_path: Path
) -> None:
    retry = [{"ErrorEquals": ["Runtime.ExitError"], "IntervalSeconds": 1, "MaxAttempts": 1}]
    with function(cloud, DIES_ONCE) as arn, machine(cloud, {"A": task(arn, Retry=retry)}) as twice:
        ended = run(cloud, twice, {"mark": str(tmp_path / "mark")})

    assert (ended["status"], json.loads(ended["output"])) == ("SUCCEEDED", "alive")


def test_notice_that_its_function_cannot_take_is_undelivered_not_forgotten(cloud: Cloud) -> None:
    sns, sqs = cloud.client("sns"), cloud.client("sqs")
    topics = [topic["TopicArn"] for topic in sns.list_topics()["Topics"]]
    (topic,) = [arn for arn in topics if arn.endswith(":mailroom-ocr-done")]
    notice = json.dumps({"JobId": "stranger", "JobTag": f"{'d' * 40}.1", "Status": "SUCCEEDED"})

    sns.publish(TopicArn=topic, Message=notice)

    found: list[str] = []
    deadline = time.monotonic() + SECONDS
    while notice not in found and time.monotonic() < deadline:
        answer = sqs.receive_message(
            QueueUrl=cloud.undelivered_queue_url, WaitTimeSeconds=5, VisibilityTimeout=1
        )
        for message in answer.get("Messages", []):
            payload = json.loads(message["Body"])["requestPayload"]
            found += [
                each["Sns"]["Message"] for each in payload.get("Records", ()) if "Sns" in each
            ]
    assert notice in found
