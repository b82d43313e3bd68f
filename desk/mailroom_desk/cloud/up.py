"""Start and stop a local cloud.

`up` starts the three servers, builds and deploys the template, and leaves the cloud running in the
background; a second `up` finds it, and only deploys what has changed. `down` ends it and keeps
its documents for the next `up`. When `up` fails or is interrupted, whatever it started is ended.
"""

import dataclasses
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path

from mailroom_desk.cloud.deploy import deploy
from mailroom_desk.cloud.folder import Folder, read_json, tail
from mailroom_desk.cloud.ports import choose_ports
from mailroom_desk.cloud.processes import ProcessId, end_processes
from mailroom_desk.cloud.servers import HEALTH_PATH, Server, servers
from mailroom_desk.cloud.settings import Ports, Settings, aws_environment
from mailroom_desk.cloud.state import Cloud, find_cloud
from mailroom_desk.cloud.supervisor import DETACH, order

# The project that this package belongs to: the template lies at its root.
PROJECT = Path(__file__).resolve().parents[3]
_POLL_SECONDS = 0.05
# Another program may take a port between its choice and its use.
_ATTEMPTS = 3
# The supervisors of `detach=False`: their lifelines must stay open as long as this process lives.
_attached: dict[Path, "subprocess.Popen[bytes]"] = {}


class CloudError(RuntimeError):
    """The local cloud did not start; the message has the end of the log that says why."""


def up(
    folder: Path,
    *,
    project: Path = PROJECT,
    build: Path | None = None,
    settings: Settings | None = None,
    detach: bool = True,
    progress: Callable[[str], None] = lambda message: None,
) -> Cloud:
    """Start the cloud of `folder` (`.mailroom`), or find it, with the project deployed in it.

    `build` is where `sam build` keeps its results, when clouds are to share them. With
    `detach=False` the cloud ends when this process ends. Raises `CloudError` and `SamError`.
    """
    home = Folder(folder.resolve())
    with home.locked():
        home.create()
        running = find_cloud(folder)
        if running is not None and _answers(f"{running.endpoint}{HEALTH_PATH}"):
            return _deployed(running, home, build, project, progress)
        _end_remains(home, Settings().stop_seconds)
        progress("Starting the local cloud")
        ports, supervisor = _start(home, settings or Settings())
        try:
            cloud = Cloud(home.path, ports, ProcessId.of(supervisor.pid), "", {})
            cloud = _deployed(cloud, home, build, project, progress)
        except BaseException:
            _cut_lifeline(supervisor)
            raise
        if detach:
            _detach(supervisor)
        else:
            _attached[home.path] = supervisor
        return cloud


def down(folder: Path, *, grace: float = Settings().stop_seconds) -> bool:
    """End the cloud of `folder` and wait until it has ended; false when none was running."""
    home = Folder(folder.resolve())
    with home.locked():
        running = find_cloud(folder)
        if running is not None:
            # The supervisor gives its servers the grace first.
            end_processes([running.supervisor], grace + 5)
        _end_remains(home, grace)
        if supervisor := _attached.pop(home.path, None):
            _cut_lifeline(supervisor)
        return running is not None


def _deployed(
    cloud: Cloud, home: Folder, build: Path | None, project: Path, progress: Callable[[str], None]
) -> Cloud:
    stack = deploy(home, build or home.build, project, aws_environment(cloud.ports), progress)
    outputs = {found["OutputKey"]: found["OutputValue"] for found in stack.get("Outputs", [])}
    cloud = dataclasses.replace(cloud, stack_name=stack["StackName"], outputs=outputs)
    cloud.save()
    return cloud


def _start(home: Folder, settings: Settings) -> tuple[Ports, "subprocess.Popen[bytes]"]:
    """Start the supervisor and wait until its servers answer."""
    for attempt in range(_ATTEMPTS):
        ports = choose_ports(settings.emulator_port)
        with home.log("supervisor").open("ab") as log:
            supervisor = subprocess.Popen(
                [
                    *(sys.executable, "-m", "mailroom_desk.cloud.supervisor"),
                    order(home, ports, settings),
                ],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=subprocess.STDOUT,
                # Ctrl-C at the terminal is for the command, not for the cloud behind it.
                start_new_session=True,
            )
        try:
            for server in servers(home, ports, settings):
                _wait_until_healthy(server, supervisor, home, settings.start_seconds)
            return ports, supervisor
        except BaseException as error:
            _cut_lifeline(supervisor)
            if not isinstance(error, CloudError) or attempt == _ATTEMPTS - 1:
                raise
    raise AssertionError("unreachable")


def _wait_until_healthy(
    server: Server, supervisor: "subprocess.Popen[bytes]", home: Folder, seconds: float
) -> None:
    deadline = time.monotonic() + seconds
    while supervisor.poll() is None and time.monotonic() < deadline:
        if _answers(server.health_url):
            return
        time.sleep(_POLL_SECONDS)
    log = home.log(server.name)
    raise CloudError(f"{server.name} did not start ({log}):\n{tail(log)}")


def _answers(url: str) -> bool:
    # A proxy of the environment is not asked for this machine.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(url, timeout=2) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def _detach(supervisor: "subprocess.Popen[bytes]") -> None:
    assert supervisor.stdin is not None
    supervisor.stdin.write(DETACH)
    supervisor.stdin.close()
    # It outlives this process on purpose; without this, Popen warns about it.
    supervisor.returncode = 0


def _cut_lifeline(supervisor: "subprocess.Popen[bytes]") -> None:
    """The supervisor ends its servers, and then itself."""
    assert supervisor.stdin is not None
    supervisor.stdin.close()
    supervisor.wait()


def _end_remains(home: Folder, grace: float) -> None:
    """End what a crashed supervisor may have left, and forget it."""
    known = read_json(home.processes_file) or {}
    end_processes([ProcessId(**process) for process in known.values()], grace)
    home.processes_file.unlink(missing_ok=True)
    home.cloud_file.unlink(missing_ok=True)
