"""How figures are told, on the screen and on the page."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mailroom.document import Status
from mailroom_desk.evaluate import figures
from mailroom_desk.evaluate.figures import Counts
from mailroom_desk.evaluate.results import Document, Outcome, Run, Value
from mailroom_desk.evaluate.shares import Share

CLASS_COLUMNS = (
    "Class", "Documents", "Class right", "Fields right", "Wrong", "Missing", "Grounded",
    "In review", "Wrong, no reason",
)  # fmt: skip
FIELD_COLUMNS = (
    "Field", "Right", "Wrong", "Missing", "Grounded", "In review", "Wrong, no reason",
    "Share right",
)  # fmt: skip


@dataclass(frozen=True)
class WrongValue:
    """A value that is not what it should be."""

    document: Document
    value: Value

    @property
    def is_stored(self) -> bool:
        return self.document.is_stored


def percent(value: float | None) -> str:
    """A share as people write it; a dash where nothing was measured."""
    return "–" if value is None else f"{100 * value:.1f} %"


def share(found: Share) -> str:
    """A share with its counts and its interval: "90.0 % (9/10, 59.6–98.2)"."""
    if found.interval is None:
        return "–"
    low, high = found.interval
    told = f"{found.count}/{found.of}, {100 * low:.1f}–{100 * high:.1f}"
    return f"{percent(found.value)} ({told})"


def class_row(name: str, documents: Sequence[Document]) -> tuple[str, ...]:
    """The cells of CLASS_COLUMNS."""
    found = figures.counts(figures.values_of(documents))
    return (
        name,
        str(len(documents)),
        share(figures.classes_right(documents)),
        share(found.share_right),
        str(found.wrong),
        str(found.missing),
        grounded(found),
        str(sum(each.status == Status.IN_REVIEW for each in documents)),
        f"{found.stored_wrong} of {found.stored}",
    )


def field_row(name: str, found: Counts) -> tuple[str, ...]:
    """The cells of FIELD_COLUMNS."""
    return (
        name,
        str(found.right),
        str(found.wrong),
        str(found.missing),
        grounded(found),
        str(found.in_review),
        f"{found.stored_wrong} of {found.stored}",
        share(found.share_right),
    )


def grounded(found: Counts) -> str:
    """How many of the given values stand in the document's words."""
    return f"{found.grounded} of {found.given}"


def headlines(run: Run) -> list[str]:
    """The figures that matter most, a sentence each."""
    judged = figures.scored(run.documents)
    found = figures.counts(figures.values_of(judged))
    wrong_class = [each for each in judged if each.is_stored and not each.class_is_right]
    ends = [each for each in run.documents if each.has_ended and each.ends]
    p50, p95 = figures.seconds(run.documents)
    met = Share(sum(bool(each.ends_as_expected) for each in ends), len(ends))
    lines = [
        f"Class right: {share(figures.classes_right(judged))}.",
        f"Fields right: {share(found.share_right)}.",
        f"Wrong values stored without a reason: {share(found.share_stored_wrong)} of the stored "
        f"values that could be checked; {found.review_wrong} more wrong values wait in review.",
        f"Stored with a wrong class: {len(wrong_class)}.",
        f"Time to the end: p50 {p50:.1f} s, p95 {p95:.1f} s. At AWS's prices: "
        f"{figures.price(run.documents):.2f} USD for {len(run.documents)} documents.",
    ]
    if ends:
        lines.append(f"Ended as expected, where the manifest tells how: {share(met)}.")
    return lines


def notes(run: Run) -> list[str]:
    """What stands beside the figures: who answered, what was not measured."""
    documents = run.documents
    late = [each.name for each in documents if not each.has_ended]
    unscored = [each.name for each in documents if each.has_ended and not each.is_scored]
    unasked = {f"{each.expected_class}.{name}" for each in documents for name in each.unasked}
    told = []
    if run.answered_by:
        told.append(f"Answered by: {', '.join([*run.answered_by, *run.versions])}.")
    if run.reused:
        told.append(f"{run.reused} were there already and were not read again (see --again).")
    if run.interrupted:
        told.append("The run was interrupted.")
    if late:
        told.append(f"{len(late)} had not ended, and are left out: {_some(late)}.")
    if unscored:
        told.append(f"{len(unscored)} have no class to compare: {_some(unscored)}.")
    if unasked:
        told.append(
            f"{len(unasked)} expected fields are in no schema, and are left out: "
            f"{_some(sorted(unasked))}."
        )
    return told


def odd_ends(documents: Iterable[Document]) -> list[Document]:
    """Those that ended otherwise than the manifest says."""
    return [each for each in documents if each.has_ended and each.ends_as_expected is False]


def wrong_values(documents: Iterable[Document]) -> list[WrongValue]:
    """All that are wrong, those stored without a reason first."""
    found = [
        WrongValue(document, value)
        for document, value in figures.values_of(documents)
        if value.outcome == Outcome.WRONG
    ]
    return sorted(found, key=lambda each: not each.is_stored)


def _some(names: Sequence[str], most: int = 8) -> str:
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")
