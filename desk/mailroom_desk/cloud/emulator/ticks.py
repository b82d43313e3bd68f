"""Tick the sweeper.

EventBridge's shortest rate is a minute. In the local cloud, whose limits are a sixtieth of their
defaults, the schedule of five minutes is five seconds: this thread keeps it.
"""

import os
import threading
from typing import Any

import boto3
from botocore.exceptions import BotoCoreError, ClientError

SWEEPER_SUFFIX = "-sweeper"


def install(seconds: float) -> None:
    """Invoke every function whose name ends in `-sweeper` every so many seconds, from now on."""
    threading.Thread(target=_tick, args=(seconds,), name="ticks", daemon=True).start()


def _tick(seconds: float) -> None:
    pause = threading.Event()
    api = boto3.client("lambda", endpoint_url=os.environ["AWS_ENDPOINT_URL"])
    while not pause.wait(seconds):
        try:
            _sweep(api)
        except (BotoCoreError, ClientError):
            continue  # the emulator starts, or a deployment is under way: the next tick will do


def _sweep(api: Any) -> None:
    for page in api.get_paginator("list_functions").paginate():
        for function in page["Functions"]:
            if function["FunctionName"].endswith(SWEEPER_SUFFIX):
                # Synchronous, so that sweeps of a busy machine do not pile up.
                api.invoke(FunctionName=function["FunctionName"], Payload=b"{}")
