"""Free ports of this machine."""

import contextlib
import socket

from mailroom_desk.cloud.settings import HOST, Ports

# How many ports after the preferred one are tried.
_TRIED = 100


def choose_ports(emulator: int) -> Ports:
    """Ports for the three servers; the emulator's is the preferred one or the next free one.

    0 stands for any free port. The ports are free now; a server that finds its own taken a
    moment later does not start, and `up` chooses again. Raises `OSError` when none is free.
    """
    with contextlib.ExitStack() as held:
        # All are held until the last is found, so that no port is given out twice.
        numbers = [_hold(held, port) for port in (emulator, 0, 0)]
    return Ports(*numbers)


def _hold(held: contextlib.ExitStack, preferred: int) -> int:
    """Bind the preferred port, or the next free one, until `held` is closed; return it."""
    for port in range(preferred, preferred + _TRIED):
        bound = held.enter_context(socket.socket())
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        with contextlib.suppress(OSError):
            bound.bind((HOST, port))
            return int(bound.getsockname()[1])
    raise OSError(f"no port from {preferred} to {preferred + _TRIED - 1} is free")
