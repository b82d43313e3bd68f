"""The figures of a run, as the screen, the JSON and the page show them."""

import statistics
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from mailroom_desk.chaos.run import Result
from mailroom_desk.chaos.strikes import name as fault_name

NO_FAULT = "no fault of a service"
STATUSES = ("STORED", "IN_REVIEW", "DEAD_LETTERED", "REJECTED", "DUPLICATE")


def by_status(result: Result) -> Counter[str]:
    """Documents by final status."""
    return Counter(str(row["status"]) for row in result.evidence.rows.values())


def by_fault(result: Result) -> dict[str, Counter[str]]:
    """Final statuses of the documents that each fault struck; one document may be in several."""
    found: dict[str, Counter[str]] = {}
    for identity, row in result.evidence.rows.items():
        names = {fault_name(rule) for rule in result.evidence.strikes.get(identity, ())}
        for each in names or {NO_FAULT}:
            found.setdefault(each, Counter())[str(row["status"])] += 1
    return dict(sorted(found.items(), key=lambda each: (-each[1].total(), each[0])))


def by_cause(result: Result) -> Counter[str]:
    """Dead letters by stage and error."""
    return Counter(
        f"{row['error']['error']} in {row['error']['stage']}"
        for row in result.evidence.rows.values()
        if row["status"] == "DEAD_LETTERED"
    )


def percentiles(result: Result, identities: Iterable[str] | None = None) -> tuple[float, float]:
    """p50 and p99 of the seconds to the final status; zeros where nothing ended."""
    wanted = result.seconds if identities is None else identities
    times = sorted(result.seconds[each] for each in wanted if each in result.seconds)
    return percentile(times, 50), percentile(times, 99)


def percentile(times: Sequence[float], share: int) -> float:
    """A percentile of sorted figures, by the nearest rank."""
    if not times:
        return 0.0
    return times[min(len(times) - 1, max(0, -(-len(times) * share // 100) - 1))]


def identities_by_status(result: Result) -> dict[str, list[str]]:
    """The documents of each final status."""
    found: dict[str, list[str]] = {}
    for identity, row in result.evidence.rows.items():
        found.setdefault(str(row["status"]), []).append(identity)
    return found


def as_object(result: Result) -> dict[str, Any]:
    """The run as JSON takes it."""
    p50, p99 = percentiles(result)
    return {
        "documents": len(result.evidence.uploaded),
        "seed": result.seed,
        "holds": result.holds,
        "took_s": round(result.took, 1),
        "invariants": [
            {
                "name": each.name,
                "holds": each.holds,
                "note": each.note,
                "broken_by": list(each.broken_by),
            }
            for each in result.verdicts
        ],
        "statuses": dict(by_status(result)),
        "faults": {name: dict(counts) for name, counts in by_fault(result).items()},
        "dead_letters": dict(by_cause(result)),
        "trouble": dict(result.evidence.trouble),
        "undelivered_events": result.undelivered,
        "seconds_to_final": {
            "p50": round(p50, 1),
            "p99": round(p99, 1),
            "mean": round(statistics.fmean(result.seconds.values() or [0]), 1),
        },
        "plan": result.plan,
    }


def trouble_line(trouble: Mapping[str, int]) -> str:
    """What else went wrong, in a line."""
    told = {name: number for name, number in trouble.items() if not name.startswith("killed ")}
    return ", ".join(f"{number} {name}" for name, number in sorted(told.items()))
