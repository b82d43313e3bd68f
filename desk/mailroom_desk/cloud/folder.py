"""The folder of a local cloud (`.mailroom/`): what lies where in it, and its lock."""

import contextlib
import fcntl
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Folder:
    """The paths of one local cloud."""

    path: Path

    @property
    def emulator(self) -> Path:
        return self.path / "emulator"

    @property
    def textract(self) -> Path:
        return self.path / "textract"

    @property
    def ledger(self) -> Path:
        return self.path / "ledger.db"

    @property
    def build(self) -> Path:
        return self.path / "build"

    @property
    def cloud_file(self) -> Path:
        """What `up` returned; it exists while the cloud runs."""
        return self.path / "cloud.json"

    @property
    def processes_file(self) -> Path:
        """The processes, kept up to date by the supervisor."""
        return self.path / "processes.json"

    @property
    def deployed_file(self) -> Path:
        """Which build the stack is, and since when."""
        return self.path / "deployed.json"

    def log(self, name: str) -> Path:
        return self.path / "logs" / f"{name}.log"

    def create(self) -> None:
        for path in (self.emulator, self.textract, self.build, self.path / "logs"):
            path.mkdir(parents=True, exist_ok=True)


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keep other processes that ask for the same lock waiting; it ends with this process."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def write_json(path: Path, content: Any) -> None:
    """Write the file so that a reader finds the old content or the new, and nothing between."""
    unfinished = path.with_suffix(".unfinished")
    unfinished.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    unfinished.replace(path)


def read_json(path: Path) -> Any:
    """The file's content; `None` when there is no such file or it is damaged."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return None


def tail(path: Path, lines: int = 12) -> str:
    """The last lines of a log, for the message of an error."""
    if not path.exists():
        return ""
    with path.open("rb") as log:
        log.seek(max(0, path.stat().st_size - 16_384), os.SEEK_SET)
        return "\n".join(log.read().decode("utf-8", "replace").splitlines()[-lines:])
