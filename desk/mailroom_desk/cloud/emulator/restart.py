"""Executions that outlive a restart of the emulator.

ministack turns an execution that was running when it stopped into a failed one. On AWS an
execution goes on, so each is started again here, under the same name and input, once the emulator
answers. It begins at its first state: Mailroom's stages are idempotent, because AWS may run each
of them twice as well.
"""

import socket
import threading
import time
from typing import Any

from ministack.core.responses import request_scope
from ministack.services import stepfunctions

from mailroom_desk.cloud.settings import HOST

_POLL_SECONDS = 0.05


def install(port: int) -> None:
    """Remember the interrupted executions when state is loaded; start them when `port` answers."""
    restore = stepfunctions._restore_state

    def restore_state(data: dict[str, Any]) -> None:
        interrupted = _interrupted(data)
        restore(data)
        if interrupted:
            threading.Thread(
                target=_start_again, args=(interrupted, port), name="restart", daemon=True
            ).start()

    stepfunctions._restore_state = restore_state


def _interrupted(data: dict[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    """Account, region and record of the executions that were running, nested ones left out."""
    return [
        (account, region, dict(record))
        for (account, region, _), record in list(data.get("executions", {}).all_items())
        if record["status"] == "RUNNING" and not record.get("mapRunArn") and not record.get("sync")
    ]


def _start_again(interrupted: list[tuple[str, str, dict[str, Any]]], port: int) -> None:
    while not _answers(port):
        time.sleep(_POLL_SECONDS)
    for account, region, record in interrupted:
        with request_scope(account, region):
            stepfunctions._executions.pop(record["executionArn"], None)
            stepfunctions._start_execution(
                {
                    "stateMachineArn": record["stateMachineArn"],
                    "name": record["name"],
                    "input": record["input"],
                }
            )


def _answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex((HOST, port)) == 0
