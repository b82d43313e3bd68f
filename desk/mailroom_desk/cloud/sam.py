"""The SAM command line, run against the local cloud.

`run_sam` starts it in a process of its own; `python -m mailroom_desk.cloud.sam` is that process.
The commands are those that a developer types: `sam build`, `sam deploy --config-env local`.
"""

import contextlib
import os
import runpy
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from mailroom_desk.cloud.folder import tail
from mailroom_desk.cloud.processes import die_with_parent


class SamError(RuntimeError):
    """A SAM command failed; the message has the end of what it printed."""


def run_sam(
    arguments: list[str], *, project: Path, environment: Mapping[str, str], log: Path
) -> None:
    """Run one SAM command in the project's folder and write what it prints to `log`.

    Raises `SamError` when it fails. When this call is interrupted, the command is ended.
    """
    with log.open("ab") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", __name__, *arguments],
            cwd=project,
            env=_with_tools(environment),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            code = process.wait()
        except BaseException:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)
            process.wait()
            raise
    if code:
        raise SamError(f"`sam {arguments[0]}` failed ({log}):\n{tail(log)}")


def _with_tools(environment: Mapping[str, str]) -> dict[str, str]:
    """The builder looks for `python3.13` with pip on the path: this environment's comes first."""
    tools = str(Path(sys.executable).parent)
    return dict(environment) | {
        "PATH": os.pathsep.join([tools, environment.get("PATH", os.defpath)]),
        # How often a deployment is looked at; the default suits a cloud that takes minutes.
        "SAM_CLI_POLL_DELAY": "0.2",
        "PYTHONUNBUFFERED": "1",
    }


def main() -> None:
    die_with_parent()
    sys.argv[0] = "sam"
    runpy.run_module("samcli", run_name="__main__", alter_sys=False)


if __name__ == "__main__":
    main()
