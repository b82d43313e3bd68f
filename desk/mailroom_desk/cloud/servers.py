"""The three servers of the local cloud: how each is started, and in which environment."""

import os
import subprocess
import sys
from dataclasses import dataclass

from mailroom_desk.cloud.claude.choice import ClaudeChoice, ClaudeUnusable
from mailroom_desk.cloud.folder import Folder
from mailroom_desk.cloud.settings import Ports, Settings, aws_environment, without_proxy

EMULATOR = "emulator"
HEALTH_PATH = "/_ministack/health"
_CLAUDE = "mailroom_desk.cloud.claude"
# The first makes the SDK log what it sends: documents. The second is the local cloud.
_NOT_FOR_CLAUDE = ("ANTHROPIC_LOG", "AWS_ENDPOINT_URL")
_CHECK_SECONDS = 60.0


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
                _CLAUDE,
                port=ports.claude,
                ledger=folder.ledger,
                faults=settings.faults,
                **(settings.claude or ClaudeChoice()).options,
            ),
            _claude_environment(),
            f"{ports.url(ports.claude)}/health",
        ),
    ]


def check_claude(choice: ClaudeChoice) -> None:
    """Find out, before anything is started, whether this Claude can be asked.

    It is asked by the server's own program, in the server's own environment. Raises ClaudeUnusable.
    """
    command = [*_module(_CLAUDE, **choice.options), "--check"]
    try:
        checked = subprocess.run(
            command,
            env=_claude_environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_CHECK_SECONDS,
        )
    except subprocess.TimeoutExpired:
        raise ClaudeUnusable(f"{choice.host} gave no answer. Is the address right?") from None
    if checked.returncode:
        told = checked.stderr.strip().splitlines() or ["it ended without a word"]
        raise ClaudeUnusable(f"{choice.name} cannot be asked. {told[-1]}")


def _claude_environment() -> dict[str, str]:
    """The user's own environment: the key or the profile that is in it is given to nothing else."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(_NOT_FOR_CLAUDE)}
    return without_proxy(kept)


def _module(name: str, **options: object) -> list[str]:
    command = [sys.executable, "-m", name]
    for option, value in options.items():
        if value is not None:
            command += [f"--{option.replace('_', '-')}", str(value)]
    return command
