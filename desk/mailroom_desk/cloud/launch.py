"""Start the supervisor with its three servers, and hold its lifeline."""

import http.client
import subprocess
import sys
import time
from dataclasses import dataclass
from urllib.parse import urlsplit

from mailroom_desk.cloud.folder import Folder, tail
from mailroom_desk.cloud.ports import choose_ports
from mailroom_desk.cloud.processes import ProcessId
from mailroom_desk.cloud.servers import Server, servers
from mailroom_desk.cloud.settings import Ports, Settings
from mailroom_desk.cloud.supervisor import DETACH, READY, order

_POLL_SECONDS = 0.05
_ANSWER_SECONDS = 2.0
# Another program may take a port between its choice and its use.
_ATTEMPTS = 3


class CloudError(RuntimeError):
    """The local cloud did not start; the message has the end of the log that says why."""


@dataclass(frozen=True)
class Launched:
    """A supervisor that ends with this process, until it is detached."""

    ports: Ports
    supervisor: "subprocess.Popen[bytes]"

    @property
    def identity(self) -> ProcessId:
        return ProcessId.of(self.supervisor.pid)

    def tell(self, message: bytes) -> None:
        assert self.supervisor.stdin is not None
        self.supervisor.stdin.write(message)
        self.supervisor.stdin.flush()

    def detach(self) -> None:
        """Let the supervisor outlive this process."""
        self.tell(DETACH)
        # Popen would warn that its process still runs.
        self.supervisor.returncode = 0

    def end(self) -> None:
        """Cut the lifeline and wait: the supervisor ends its servers, and then itself."""
        assert self.supervisor.stdin is not None
        self.supervisor.stdin.close()
        self.supervisor.wait()


def launch(home: Folder, settings: Settings) -> Launched:
    """Start the servers and wait until each answers. Raises `CloudError`."""
    for attempt in range(1, _ATTEMPTS + 1):
        launched = _start_supervisor(home, choose_ports(settings.emulator_port), settings)
        try:
            for server in servers(home, launched.ports, settings):
                _wait_until_healthy(server, launched, home, settings.start_seconds)
            launched.tell(READY)
            return launched
        except BaseException as error:
            launched.end()
            if attempt == _ATTEMPTS or "in use" not in str(error):
                raise
    raise AssertionError("the last attempt returns or raises")


def answers(url: str) -> bool:
    """Whether a server of this machine answers there; a proxy is not asked."""
    address = urlsplit(url)
    connection = http.client.HTTPConnection(address.netloc, timeout=_ANSWER_SECONDS)
    try:
        connection.request("GET", address.path)
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _start_supervisor(home: Folder, ports: Ports, settings: Settings) -> Launched:
    command = [sys.executable, "-m", "mailroom_desk.cloud.supervisor"]
    with home.log("supervisor").open("ab") as log:
        supervisor = subprocess.Popen(
            [*command, order(home, ports, settings)],
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=subprocess.STDOUT,
            # Ctrl-C at the terminal is for the command, not for the cloud behind it.
            start_new_session=True,
        )
    return Launched(ports, supervisor)


def _wait_until_healthy(server: Server, launched: Launched, home: Folder, seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while launched.supervisor.poll() is None and time.monotonic() < deadline:
        if answers(server.health_url):
            return
        time.sleep(_POLL_SECONDS)
    log = home.log(server.name)
    raise CloudError(f"{server.name} did not start ({log}):\n{tail(log)}")
