"""The supervisor: the process that owns the three servers of a local cloud.

`python -m mailroom_desk.cloud.supervisor '<JSON>'`, with the folder, the ports and the settings.

* When it ends, however it ends, the servers end: they are its children and die with it.
* When the emulator ends, everything ends. Another server that crashes is started again, a few
  times, once the cloud has been declared `ready`; before that, it ends everything as well.
* Standard input is its lifeline. Until `detach` is written to it, the end of the process at the
  other end of the pipe is the end of the cloud: an `up` that is interrupted leaves nothing behind.
"""

import dataclasses
import json
import logging
import os
import selectors
import signal
import subprocess
import sys
from pathlib import Path

from mailroom_desk.cloud.folder import Folder, write_json
from mailroom_desk.cloud.processes import ProcessId, die_with_parent, end_processes
from mailroom_desk.cloud.servers import EMULATOR, Server, servers
from mailroom_desk.cloud.settings import Ports, Settings

# What is written to its standard input, a byte each.
READY = b"r"
DETACH = b"d"
_RESTARTS = 5
_ENDING = {signal.SIGTERM, signal.SIGINT, signal.SIGHUP}

_log = logging.getLogger("supervisor")


def main() -> int:
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", stream=sys.stdout)
    order = json.loads(sys.argv[1])
    supervisor = Supervisor(
        Folder(Path(order["folder"])), Ports(**order["ports"]), Settings.of(order["settings"])
    )
    return supervisor.run()


def order(folder: Folder, ports: Ports, settings: Settings) -> str:
    """The argument that `main` takes."""
    return json.dumps(
        {
            "folder": str(folder.path.resolve()),
            "ports": dataclasses.asdict(ports),
            "settings": dataclasses.asdict(settings),
        },
        default=_text_of_path,
    )


def _text_of_path(path: Path) -> str:
    """The supervisor may run in another folder."""
    return str(path.resolve())


class Supervisor:
    """Starts the servers, watches them, and ends them together."""

    def __init__(self, folder: Folder, ports: Ports, settings: Settings) -> None:
        self._folder = folder
        self._servers = servers(folder, ports, settings)
        self._grace = settings.stop_seconds
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        self._restarts_left = 0

    def run(self) -> int:
        """Returns 0 after a request to end, and 1 after a server that could not be kept up."""
        woken = _wake_on_signals()
        try:
            for server in self._servers:
                self._start(server)
            return self._watch(woken)
        finally:
            self._end_all()

    def _watch(self, woken: int) -> int:
        with selectors.DefaultSelector() as selector:
            selector.register(woken, selectors.EVENT_READ)
            lifeline = sys.stdin.fileno()
            selector.register(lifeline, selectors.EVENT_READ)
            while True:
                ready = {key.fd for key, _ in selector.select()}
                if woken in ready:
                    signals = set(os.read(woken, 64))
                    if signals & _ENDING:
                        _log.info("asked to end")
                        return 0
                    if not self._look_after_servers():
                        return 1
                if lifeline in ready:
                    message = os.read(lifeline, 1)
                    if message == READY:
                        self._restarts_left = _RESTARTS
                    elif message == DETACH:
                        selector.unregister(lifeline)
                    else:
                        _log.info("what started the cloud has ended")
                        return 0

    def _look_after_servers(self) -> bool:
        """Start crashed servers again; false when the cloud cannot go on."""
        for server in self._servers:
            code = self._running[server.name].poll()
            if code is None:
                continue
            _log.warning("%s ended with %s", server.name, code)
            if server.name == EMULATOR or not self._restarts_left:
                return False
            self._restarts_left -= 1
            self._start(server)
        return True

    def _start(self, server: Server) -> None:
        with self._folder.log(server.name).open("ab") as log:
            self._running[server.name] = subprocess.Popen(
                server.command,
                env=server.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                # This process has one thread, and it is the one that starts them.
                preexec_fn=die_with_parent,
            )
        _log.info("%s is process %s", server.name, self._running[server.name].pid)
        self._write_processes()

    def _write_processes(self) -> None:
        pids = {"supervisor": os.getpid()}
        pids |= {name: child.pid for name, child in self._running.items()}
        known = {name: dataclasses.asdict(ProcessId.of(pid)) for name, pid in pids.items()}
        write_json(self._folder.processes_file, known)

    def _end_all(self) -> None:
        living = [child for child in self._running.values() if child.poll() is None]
        end_processes([ProcessId.of(child.pid) for child in living], self._grace)
        self._folder.processes_file.unlink(missing_ok=True)
        _log.info("ended")


def _wake_on_signals() -> int:
    """A file that becomes readable, with the signal's number in it, at each signal."""
    readable, writable = os.pipe()
    os.set_blocking(writable, False)
    signal.set_wakeup_fd(writable, warn_on_full_buffer=False)
    for number in {*_ENDING, signal.SIGCHLD}:
        signal.signal(number, lambda number, frame: None)
    return readable


if __name__ == "__main__":
    sys.exit(main())
