"""Ways in which the local cloud goes away in the middle of its work.

Each takes the running cloud and returns how many calls of the model the blow can have cut off
between the answer and its writing down: those are the only ones that may be paid again.
"""

import os
import signal
from collections.abc import Callable

import psutil

from mailroom_desk.cloud.state import Cloud
from mailroom_desk.cloud.up import down

type Interruption = Callable[[Cloud], int]


def stop_in_order(cloud: Cloud) -> int:
    """`mailroom down`."""
    cut_off = len(_sandboxes(cloud))
    down(cloud.folder)
    return cut_off


def kill_the_emulator(cloud: Cloud) -> int:
    """SIGKILL; the supervisor ends the others then, and the state is what was saved last."""
    cut_off = len(_sandboxes(cloud))
    os.kill(cloud.pids["emulator"], signal.SIGKILL)
    psutil.wait_procs(
        [psutil.Process(pid) for pid in cloud.pids.values() if psutil.pid_exists(pid)]
    )
    down(cloud.folder)
    return cut_off


def kill_sandboxes_and_servers(cloud: Cloud) -> int:
    """SIGKILL; the emulator starts new sandboxes, the supervisor new servers: the cloud stays."""
    sandboxes = _sandboxes(cloud)
    for sandbox in sandboxes:
        sandbox.kill()
    for server in ("textract", "claude"):
        os.kill(cloud.pids[server], signal.SIGKILL)
    return len(sandboxes)


INTERRUPTIONS: dict[str, Interruption] = {
    "down and up": stop_in_order,
    "SIGKILL of the emulator": kill_the_emulator,
    "SIGKILL of sandboxes and servers": kill_sandboxes_and_servers,
}


def _sandboxes(cloud: Cloud) -> list[psutil.Process]:
    return psutil.Process(cloud.pids["emulator"]).children()
