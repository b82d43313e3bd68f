"""What an asynchronous function cannot take is tried again and then kept, with the whole event."""

import json
import time
from typing import Any

import pytest

from mailroom_desk.cloud.state import Cloud

SECONDS = 120  # a bound for a test that would otherwise hang, not a measurement
NOTICE = {"JobId": "job", "JobTag": f"{'e' * 40}.1", "Status": "SUCCEEDED"}
SNS_EVENT = {"Records": [{"EventSource": "aws:sns", "Sns": {"Message": json.dumps(NOTICE)}}]}


def kept(cloud: Cloud, event: dict[str, Any]) -> dict[str, Any]:
    """The message about an event in the queue of undelivered events, taken out."""
    sqs, url = cloud.client("sqs"), cloud.outputs["UndeliveredQueueUrl"]
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        answer = sqs.receive_message(QueueUrl=url, WaitTimeSeconds=5, VisibilityTimeout=5)
        for message in answer.get("Messages", []):
            body: dict[str, Any] = json.loads(message["Body"])
            if body.get("requestPayload") == event:
                sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
                return body
    raise AssertionError("The event is nowhere.")


@pytest.mark.parametrize(
    ("function", "event", "error"),
    [
        ("intake", {"neither": "event nor request"}, "UnknownEvent"),
        ("ocr-done", SNS_EVENT, "UnknownDocument"),
        ("closer", {"source": "somebody.else"}, "UnknownEvent"),
    ],
)
def test_event_that_fails_each_time_is_kept_whole_with_its_error(
    cloud: Cloud, function: str, event: dict[str, Any], error: str
) -> None:
    cloud.client("lambda").invoke(
        FunctionName=f"mailroom-{function}",
        InvocationType="Event",
        Payload=json.dumps(event).encode(),
    )

    body = kept(cloud, event)

    assert body["responsePayload"]["errorType"] == error
    assert body["requestContext"]["condition"] == "RetriesExhausted"
    assert body["requestContext"]["approximateInvokeCount"] == 3
