"""The three servers of the local cloud: how each is started, and in which environment."""

import os
import sys
from dataclasses import dataclass

from mailroom_desk.cloud.folder import Folder
from mailroom_desk.cloud.settings import Ports, Settings, aws_environment, without_proxy

EMULATOR = "emulator"
HEALTH_PATH = "/_ministack/health"


@dataclass(frozen=True)
class Server:
    """One server process."""

    name: str
    command: list[str]
    environment: dict[str, str]
    health_url: str


def servers(folder: Folder, ports: Ports, settings: Settings) -> list[Server]:
    """The servers in the order in which they are started."""
    local = aws_environment(ports)
    return [
        Server(
            EMULATOR,
            _module(
                "mailroom_desk.cloud.emulator",
                folder=folder.emulator,
                port=ports.emulator,
                sandboxes=settings.sandboxes,
                cold_starts=settings.cold_starts,
                wait_scale=settings.wait_scale,
                async_retry_seconds=settings.async_retry_seconds,
                sweep_seconds=settings.sweep_seconds,
            ),
            local,
            f"{ports.url(ports.emulator)}{HEALTH_PATH}",
        ),
        Server(
            "textract",
            _module(
                "mailroom_desk.cloud.textract",
                port=ports.textract,
                state=folder.textract,
                ledger=folder.ledger,
                faults=settings.faults,
                endpoint_url=ports.url(ports.emulator),
            ),
            local,
            f"{ports.url(ports.textract)}/health",
        ),
        Server(
            "claude",
            _module(
                "mailroom_desk.cloud.claude",
                port=ports.claude,
                ledger=folder.ledger,
                faults=settings.faults,
                backend=settings.claude_backend,
            ),
            # Its other backends need the user's own key or profile, which nothing else is given.
            without_proxy(os.environ),
            f"{ports.url(ports.claude)}/health",
        ),
    ]


def _module(name: str, **options: object) -> list[str]:
    command = [sys.executable, "-m", name]
    for option, value in options.items():
        if value is not None:
            command += [f"--{option.replace('_', '-')}", str(value)]
    return command
