"""Processes that end with what started them, and that can be found again by number.

A process id alone is not an identity: the system gives it to someone else later. Here a process is
its id and its start time.
"""

import ctypes
import os
import signal
import sys
from collections.abc import Iterable
from dataclasses import dataclass

import psutil

# linux/prctl.h
_PR_SET_PDEATHSIG = 1
# Start times are read from the system in ticks of a hundredth of a second.
_START_TOLERANCE = 0.02


@dataclass(frozen=True)
class ProcessId:
    """One process of this machine."""

    pid: int
    started: float

    @classmethod
    def of(cls, pid: int) -> "ProcessId":
        return cls(pid, psutil.Process(pid).create_time())

    def find(self) -> psutil.Process | None:
        """The process while it lives; `None` when it is gone, a zombie, or another one."""
        try:
            process = psutil.Process(self.pid)
            if abs(process.create_time() - self.started) > _START_TOLERANCE:
                return None
            return None if process.status() == psutil.STATUS_ZOMBIE else process
        except psutil.NoSuchProcess:
            return None


def die_with_parent(number: signal.Signals = signal.SIGTERM) -> None:
    """Ask Linux to send this process `number` when the thread that started it ends.

    Elsewhere nothing is asked: the connection or the pipe to the parent is what ends the process.
    """
    if sys.platform != "linux":
        return
    parent = os.getppid()
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(number), 0, 0, 0)
    # The parent may have died before the call.
    if os.getppid() != parent:
        os.kill(os.getpid(), number)


def end_processes(processes: Iterable[ProcessId], grace: float) -> None:
    """End the processes: SIGTERM to each, and SIGKILL to what is left after `grace` seconds."""
    living = [found for process in processes if (found := process.find())]
    for process in living:
        _signal(process, signal.SIGTERM)
    _, stubborn = psutil.wait_procs(living, timeout=grace)
    for process in stubborn:
        _signal(process, signal.SIGKILL)
    psutil.wait_procs(stubborn, timeout=grace)


def _signal(process: psutil.Process, number: signal.Signals) -> None:
    try:
        process.send_signal(number)
    except psutil.NoSuchProcess:
        return
