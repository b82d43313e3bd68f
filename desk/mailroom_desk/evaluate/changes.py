"""What got better and worse from one run to another, and whether that is more than chance.

Only what both runs have counts: documents by their name in the manifest, values by field and place.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from mailroom_desk.evaluate.figures import scored
from mailroom_desk.evaluate.results import Document, Outcome, Run
from mailroom_desk.evaluate.shares import Share, mcnemar

SIGNIFICANT = 0.05
"""A difference that comes by chance less often than this is called significant."""


@dataclass(frozen=True)
class Change:
    """One measure in both runs: its shares, and the names of what changed."""

    name: str
    before: Share
    after: Share
    better: tuple[str, ...]
    worse: tuple[str, ...]

    @property
    def p_value(self) -> float:
        """By McNemar's exact test. Values of one document are not independent: read it with care
        where one document holds most of the changes."""
        return mcnemar(len(self.better), len(self.worse))

    @property
    def is_significant(self) -> bool:
        return self.p_value < SIGNIFICANT


def changes(before: Run, after: Run) -> list[Change]:
    """The class, the fields, and whether a wrong value was stored without a reason."""
    pair = (scored(before.documents), scored(after.documents))
    return [
        _change("class right", *map(_classes, pair)),
        _change("fields right", *map(_fields, pair)),
        _change("given values not stored wrong", *map(_not_stored_wrong, pair)),
    ]


def as_object(found: Iterable[Change]) -> list[dict[str, Any]]:
    """The changes as JSON takes them."""
    return [
        {
            "name": each.name,
            "before": {"count": each.before.count, "of": each.before.of},
            "after": {"count": each.after.count, "of": each.after.of},
            "better": list(each.better),
            "worse": list(each.worse),
            "p_value": each.p_value,
            "significant": each.is_significant,
        }
        for each in found
    ]


def _change(name: str, before: Mapping[str, bool], after: Mapping[str, bool]) -> Change:
    common = [each for each in before if each in after]
    return Change(
        name,
        Share(sum(before[each] for each in common), len(common)),
        Share(sum(after[each] for each in common), len(common)),
        tuple(each for each in common if after[each] > before[each]),
        tuple(each for each in common if after[each] < before[each]),
    )


def _classes(documents: Iterable[Document]) -> dict[str, bool]:
    return {each.name: each.class_is_right for each in documents}


def _fields(documents: Iterable[Document]) -> dict[str, bool]:
    return {name: outcome == Outcome.RIGHT for name, outcome, _ in _named_values(documents)}


def _not_stored_wrong(documents: Iterable[Document]) -> dict[str, bool]:
    return {
        name: not (is_stored and outcome == Outcome.WRONG)
        for name, outcome, is_stored in _named_values(documents)
    }


def _named_values(documents: Iterable[Document]) -> Iterable[tuple[str, Outcome, bool]]:
    """Each expected value by document and field; the items of a list are numbered."""
    for document in documents:
        seen: Counter[str] = Counter()
        for value in sorted(document.values, key=lambda value: str(value.expected)):
            seen[value.field] += 1
            number = f" {seen[value.field]}" if seen[value.field] > 1 else ""
            name = f"{document.name}: {value.field}{number}"
            yield name, value.outcome, document.is_stored
