"""Work that waits for its time without holding a reader."""

import heapq
import itertools
import threading
import time
from collections.abc import Callable

THREADS = 8


class Later:
    """A few threads, started at first use, that run each action when it is due."""

    def __init__(self) -> None:
        self._due: list[tuple[float, int, Callable[[], None]]] = []
        self._numbers = itertools.count()
        self._changed = threading.Condition()
        self._threads = 0
        self._stopped = False

    def after(self, seconds: float, action: Callable[[], None]) -> None:
        """Run an action, which must not raise, in so many seconds."""
        with self._changed:
            heapq.heappush(self._due, (time.monotonic() + seconds, next(self._numbers), action))
            if self._threads < THREADS:
                self._threads += 1
                threading.Thread(target=self._serve, name="later", daemon=True).start()
            self._changed.notify()

    def stop(self) -> None:
        """Start nothing more."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()

    def _serve(self) -> None:
        while (action := self._next()) is not None:
            action()

    def _next(self) -> Callable[[], None] | None:
        with self._changed:
            while not self._stopped:
                wait = self._due[0][0] - time.monotonic() if self._due else None
                if wait is not None and wait <= 0:
                    return heapq.heappop(self._due)[2]
                self._changed.wait(wait)
            return None
