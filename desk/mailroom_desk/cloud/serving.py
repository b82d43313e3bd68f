"""Serve an application on this machine until a signal; and cut, or keep waiting, one caller.

`connection_of` needs the protocol that `serve` installs: it puts the transport into the state of
each request, which is the only way to close a connection without an answer.
"""

import asyncio
import signal
from contextlib import suppress
from types import FrameType
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from uvicorn.protocols.http.h11_impl import H11Protocol

HOST = "127.0.0.1"


class Stopping:
    """Whether the server is stopping: what waits for something else waits no longer."""

    def __init__(self) -> None:
        self._event = asyncio.Event()

    def now(self) -> None:
        """Wake everybody."""
        self._event.set()

    async def pause(self, seconds: float) -> None:
        """Wait so long, or until the server stops."""
        if seconds > 0:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._event.wait(), seconds)

    async def hold(self, request: Request, seconds: float) -> None:
        """Say nothing until the caller is gone, then cut; so long at most."""
        gone = asyncio.ensure_future(_gone(request))
        stop = asyncio.ensure_future(self._event.wait())
        _, waiting = await asyncio.wait(
            (gone, stop), timeout=seconds, return_when=asyncio.FIRST_COMPLETED
        )
        for task in waiting:
            task.cancel()
        await cut(request)


async def cut(request: Request) -> None:
    """Close the caller's connection without an answer."""
    request.scope["state"]["transport"].abort()
    await _gone(request)  # the server has noticed it, and drops the answer that follows


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


class TransportProtocol(H11Protocol):
    """HTTP/1.1 that shows an application its connection."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.app_state = {**self.app_state, "transport": transport}


class LocalServer(uvicorn.Server):
    """A server that tells the application when it is asked to stop."""

    def __init__(self, app: Starlette, port: int, stopping: Stopping) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                host=HOST,
                port=port,
                http=TransportProtocol,
                log_level="warning",
                access_log=False,
            )
        )
        self._stopping = stopping

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._stopping.now()
        super().handle_exit(sig, frame)


def serve(app: Starlette, port: int, stopping: Stopping) -> None:
    """Serve until SIGTERM or SIGINT."""

    def ignore(*_: Any) -> None: ...

    # uvicorn stops at these signals and then raises them again; that is no reason for a bad exit.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, ignore)
    LocalServer(app, port, stopping).run()
