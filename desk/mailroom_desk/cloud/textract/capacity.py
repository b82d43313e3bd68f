"""How many jobs may be started in a second: a bucket of tokens that holds one second's worth."""

import threading


class StartRate:
    """Says of each start whether it is within a rate."""

    def __init__(self) -> None:
        self._tokens = 0.0
        self._filled_at: float | None = None
        self._lock = threading.Lock()

    def allows(self, per_second: float | None, now: float) -> bool:
        """Take one token at the time `now`; None is no limit."""
        if per_second is None:
            return True
        size = max(1.0, per_second)
        with self._lock:
            waited = size if self._filled_at is None else (now - self._filled_at) * per_second
            self._tokens = min(size, self._tokens + max(0.0, waited))
            self._filled_at = now
            if self._tokens < 1:
                return False
            self._tokens -= 1
            return True
