"""Someone who listens on the bus from the start, and looks at the row of each announcement."""

import threading
from collections import Counter
from dataclasses import dataclass, field

from mailroom_desk.cloud.state import Cloud
from mailroom_desk.events.ear import Ear
from mailroom_desk.rows import Row, Rows
from mailroom_desk.stack import Stack

_NAME = "chaos-listener"
_WAIT_SECONDS = 1


@dataclass
class Listener:
    """`heard` counts announcements by document, attempt and status; `premature` came before the
    row said so.
    """

    cloud: Cloud
    stack: Stack
    heard: Counter[tuple[str, int, str]] = field(default_factory=Counter)
    premature: set[str] = field(default_factory=set)
    _ended: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None

    def start(self) -> None:
        """Make a rule and a queue, and listen."""
        self._ear = Ear(self.cloud.client, self.cloud.bus, {"source": ["mailroom"]}, _NAME)
        self._ear.open()
        self._thread = threading.Thread(target=self._listen, name="listener", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Hear what is left, and end."""
        self._ended.set()
        if self._thread:
            self._thread.join()

    def _listen(self) -> None:
        rows = Rows(self.stack)
        while True:
            last = self._ended.is_set()
            details = [event["detail"] for event in self._ear.hear(_WAIT_SECONDS)]
            if last and not details:
                return
            found = rows.get_many({detail["document_id"] for detail in details})
            for detail in details:
                identity, attempt = detail["document_id"], int(detail["attempt"])
                self.heard[identity, attempt, detail["status"]] += 1
                if not _says_so(found.get(identity), attempt, detail["status"]):
                    self.premature.add(identity)


def _says_so(row: Row | None, attempt: int, status: str) -> bool:
    """Whether the row has this end, or has gone on to a newer attempt since."""
    if row is None:
        return False
    return int(row["attempt"]) > attempt or (row["attempt"], row["status"]) == (attempt, status)
