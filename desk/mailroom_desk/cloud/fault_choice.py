"""Which fault strikes: the plan in force, and a choice that depends on the seed alone.

Counts are kept in memory and begin anew with a new plan and with a new process. Only `count`
depends on the order in which calls come; everything else is the same in every run with the same
seed and the same document ids.
"""

import hashlib
import json
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from mailroom_desk.cloud.fault_table import Point
from mailroom_desk.cloud.faults import Plan, Rule


@dataclass(slots=True)
class Faults:
    """The plan of one server, `service`; safe for several threads."""

    service: str
    plan: Plan = field(default_factory=Plan)
    _calls: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    _hits: Counter[int] = field(default_factory=Counter)
    _jobs: dict[tuple[str, str, int], Rule | None] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def replace(self, plan: Plan) -> None:
        """Put another plan in force; `Plan()` has no faults."""
        with self._lock:
            self.plan = plan
            self._calls.clear()
            self._hits.clear()
            self._jobs.clear()

    def hits(self) -> list[int]:
        """How often each rule has struck here."""
        with self._lock:
            return [self._hits[index] for index in range(len(self.plan.rules))]

    def of_call(
        self, operation: str, names: Callable[[], Sequence[str]], point: Point = "call"
    ) -> Rule | None:
        """The fault of this call, which is counted. `names` tells the document id, then its key.

        It is asked only where a rule looks at this operation.
        """
        if not any(self._looks_at(rule, point, operation) for rule in self.plan.rules):
            return None
        known = [*names()] or [""]
        with self._lock:
            call = (point, operation, known[0])
            number = self._calls[call]
            self._calls[call] += 1
            return self._choose(point, operation, known, number)

    def of_job(self, point: Point, names: Sequence[str], number: int) -> Rule | None:
        """The fault of a document's job `number`, from 0; the same however often it is asked."""
        with self._lock:
            asked = (point, names[0], number)
            if asked not in self._jobs:
                self._jobs[asked] = self._choose(point, point.title(), names, number)
            return self._jobs[asked]

    def draw(self, low: float, high: float, *key: object) -> float:
        """A number between two, by the seed and the key."""
        return low + (high - low) * share(self.plan.seed, *key)

    def _choose(
        self, point: Point, operation: str, names: Sequence[str], number: int
    ) -> Rule | None:
        for index, rule in enumerate(self.plan.rules):
            if (
                self._looks_at(rule, point, operation)
                and (not rule.documents or any(name.startswith(rule.documents) for name in names))
                and (rule.first is None or number < rule.first)
                and (rule.count is None or self._hits[index] < rule.count)
                and share(self.plan.seed, index, names[0], number, operation) < rule.rate
            ):
                self._hits[index] += 1
                return rule
        return None

    def _looks_at(self, rule: Rule, point: Point, operation: str) -> bool:
        return rule.service == self.service and rule.point == point and operation in rule.operations


def share(*key: Any) -> float:
    """A number from 0 up to 1, evenly spread, the same for the same key."""
    digest = hashlib.sha256(json.dumps(key).encode()).digest()
    return int.from_bytes(digest[:8]) / 2**64
