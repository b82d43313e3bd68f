"""The most memory that processes took, looked at twice a second."""

import contextlib
import threading

import psutil

_SECONDS = 0.5


class Peak:
    """Resident memory of a process and of all that it has started, in bytes."""

    def __init__(self, *pids: int) -> None:
        self.bytes = 0
        self.processes = 0
        self._pids = pids
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> "Peak":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._ended.wait(_SECONDS):
            total, count = 0, 0
            for pid in self._pids:
                with contextlib.suppress(psutil.NoSuchProcess):
                    root = psutil.Process(pid)
                    for process in [root, *root.children(recursive=True)]:
                        with contextlib.suppress(psutil.NoSuchProcess):
                            total += process.memory_info().rss
                            count += 1
            self.bytes = max(self.bytes, total)
            self.processes = max(self.processes, count)
