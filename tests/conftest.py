"""For all suites: an account that does not exist, no network, and the sample events."""

import json
import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

EVENTS = Path(__file__).parents[1] / "events"


def pytest_configure() -> None:
    """Before anything is imported: nothing of the machine's own AWS settings is left."""
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        del os.environ[name]
    os.environ |= {
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        "AWS_EC2_METADATA_DISABLED": "true",
    }


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    connect = socket.socket.connect

    def connect_here(self: socket.socket, address: Any) -> None:
        if self.family != socket.AF_UNIX and address[0] not in ("127.0.0.1", "::1", "localhost"):
            raise AssertionError(f"A test tried to reach {address}.")
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", connect_here)


@pytest.fixture(scope="session")
def load_event() -> Callable[[str], Any]:
    """Read a sample event by the beginning of its file's name: `load_event("01")`."""

    def load(name: str) -> Any:
        (path,) = EVENTS.glob(f"{name}*.json")
        return json.loads(path.read_text("utf-8"))

    return load
