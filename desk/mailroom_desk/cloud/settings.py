"""The settings of the local cloud, and the environment its processes run in.

Figures: a Lambda sandbox takes about 60 MB, and a cold start keeps one core busy for about half a
second (both measured), so the two are bounded apart: sandboxes by memory, cold starts by cores.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from mailroom_desk.cloud.claude.choice import ClaudeChoice

HOST = "127.0.0.1"
REGION = "us-east-1"
ACCOUNT = "000000000000"
# The first port tried; the next free one is taken when something else listens there.
DEFAULT_EMULATOR_PORT = 4566

# A local process must never act on the user's own account, nor hand a model key to a function.
_PRIVATE_PREFIXES = ("AWS_", "ANTHROPIC_", "OPENAI_")
_NO_FILE = os.devnull


@dataclass(frozen=True)
class Settings:
    """What can be chosen about a local cloud."""

    # 0 takes any free port: for tests, where several clouds start at the same moment.
    emulator_port: int = DEFAULT_EMULATOR_PORT
    sandboxes: int = 12
    cold_starts: int = field(default_factory=lambda: os.cpu_count() or 1)
    # Wait states and the pauses between retries are multiplied by this: a minute takes 6 seconds.
    wait_scale: float = 0.1
    # AWS waits 60 seconds before it repeats a failed asynchronous invocation.
    async_retry_seconds: float = 1.0
    # The schedule of five minutes, divided as the limits of [local] are.
    sweep_seconds: float = 5.0
    # Who answers as Claude. None leaves it to the cloud that runs, and is the stand-in otherwise.
    claude: ClaudeChoice | None = None
    # The fault plan that Textract and Claude start with.
    faults: Path | None = None
    # Generous: on a busy machine three Python programs take their time to be read from disk.
    start_seconds: float = 90.0
    stop_seconds: float = 15.0

    @classmethod
    def of(cls, saved: dict[str, Any]) -> Self:
        """The settings that `dataclasses.asdict` took apart."""
        claude = saved.get("claude")
        return cls(**saved | {"claude": ClaudeChoice(**claude) if claude else None})


@dataclass(frozen=True)
class Ports:
    """Where the three servers listen."""

    emulator: int
    textract: int
    claude: int

    def url(self, port: int) -> str:
        return f"http://{HOST}:{port}"


def aws_environment(ports: Ports, base: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment in which every AWS tool talks to the local cloud and to nothing else."""
    kept = {
        name: value
        for name, value in (os.environ if base is None else base).items()
        if not name.startswith(_PRIVATE_PREFIXES)
    }
    return without_proxy(kept) | {
        "AWS_ENDPOINT_URL": ports.url(ports.emulator),
        "AWS_ENDPOINT_URL_TEXTRACT": ports.url(ports.textract),
        "AWS_ENDPOINT_URL_BEDROCK_RUNTIME": ports.url(ports.claude),
        "AWS_REGION": REGION,
        "AWS_DEFAULT_REGION": REGION,
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_CONFIG_FILE": _NO_FILE,
        "AWS_SHARED_CREDENTIALS_FILE": _NO_FILE,
        "AWS_EC2_METADATA_DISABLED": "true",
        "SAM_CLI_TELEMETRY": "0",
    }


def without_proxy(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment, with this machine reached directly where the internet is not."""
    direct = [environment.get("NO_PROXY") or environment.get("no_proxy", ""), HOST, "localhost"]
    exceptions = ",".join(name for name in direct if name)
    return dict(environment) | {"NO_PROXY": exceptions, "no_proxy": exceptions}
