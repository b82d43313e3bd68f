"""Which rules of a bus take an event, and why the others do not.

EventBridge says nothing about an event that no rule matches: it is accepted and gone.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mailroom_desk.errors import UnusableEvent
from mailroom_desk.events.patterns import InvalidPatternError, why_not

DEFAULT_BUS = "default"
_NEEDED = ("source", "detail-type", "detail")


@dataclass(frozen=True)
class Explained:
    """One rule: what keeps the event from it, if anything does, and who would get the event."""

    rule: str
    misses: tuple[str, ...]
    targets: tuple[str, ...]

    @property
    def takes_it(self) -> bool:
        """Whether the event is delivered by this rule."""
        return not self.misses


def read_event(path: Path) -> dict[str, Any]:
    """An event in its envelope, as EventBridge delivers it. Raises UnusableEvent."""
    try:
        event: Any = json.loads(path.read_text("utf-8"))
    except ValueError:
        raise UnusableEvent(f"{path} is not JSON.") from None
    missing = [name for name in _NEEDED if not isinstance(event, dict) or name not in event]
    if missing:
        raise UnusableEvent(
            f"{path} is not an event in its envelope: it has no {', '.join(missing)}. "
            "See one with: mailroom events tail --json"
        )
    return dict(event)


def bus_of(event: dict[str, Any], own: str) -> str:
    """AWS's services put their events on the default bus, applications on their own."""
    return DEFAULT_BUS if str(event["source"]).startswith("aws.") else own


def explain(events: Any, bus: str, event: dict[str, Any]) -> list[Explained]:
    """Ask every rule of the bus; `events` is a boto3 client. Those that take the event come first.

    Rules that AWS keeps for itself, such as an archive's, are left out.
    """
    found = [
        Explained(rule["Name"], tuple(_misses(rule, event)), tuple(_targets(events, bus, rule)))
        for page in events.get_paginator("list_rules").paginate(EventBusName=bus)
        for rule in page["Rules"]
        if not rule.get("ManagedBy")
    ]
    return sorted(found, key=lambda each: (not each.takes_it, each.rule))


def _misses(rule: dict[str, Any], event: dict[str, Any]) -> Iterator[str]:
    if rule.get("State") == "DISABLED":
        yield "the rule is disabled"
    if not rule.get("EventPattern"):
        yield "the rule runs on a schedule and takes no events"
        return
    try:
        yield from why_not(json.loads(rule["EventPattern"]), event)
    except InvalidPatternError as error:
        yield f"the pattern is not understood here: {error}"


def _targets(events: Any, bus: str, rule: dict[str, Any]) -> Iterator[str]:
    pages = events.get_paginator("list_targets_by_rule").paginate(
        Rule=rule["Name"], EventBusName=bus
    )
    for page in pages:
        yield from (target["Arn"] for target in page["Targets"])
