"""SNS hands a message to a function as an asynchronous invocation.

Gap of ministack 1.5.33 that is closed here: it calls the function once and forgets the answer. On
AWS a failed call is tried again, and then goes to the function's OnFailure destination.
"""

import json
from typing import Any

from ministack.services import lambda_svc, sns


def install() -> None:
    """Deliver as S3's notifications are delivered."""
    sns._deliver_to_lambda = _deliver_to_lambda


def _deliver_to_lambda(
    endpoint: str,
    envelope: str,
    topic_arn: str,
    sub_arn: str,
    msg_id: str,
    raw_message: str,
    message_attributes: dict[str, Any],
) -> None:
    function, config, _ = lambda_svc._get_func_record_for_ref(endpoint)
    if not function or not config:
        return
    record = {
        "EventVersion": "1.0",
        "EventSubscriptionArn": sub_arn,
        "EventSource": "aws:sns",
        "Sns": json.loads(envelope),
    }
    lambda_svc.invoke_async_with_retry(
        lambda_svc._execution_record_for_config(function, config), {"Records": [record]}
    )
