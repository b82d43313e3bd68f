"""The figures of a run, as the screen, the JSON and the page show them.

Only documents that have ended and are scored count; `Counts` of none of them are all zero.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean
from typing import Any

from mailroom.document import Status
from mailroom_desk.chaos.figures import percentile
from mailroom_desk.evaluate.results import Document, Outcome, Run, Value
from mailroom_desk.evaluate.shares import Share

# Most confidences are high, so the bins are narrower there.
_EDGES = (0.0, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 1.0)


@dataclass(frozen=True)
class Counts:
    """What became of expected values. `in_review` counts those of documents that a person sees."""

    right: int = 0
    wrong: int = 0
    missing: int = 0
    given: int = 0
    grounded: int = 0
    in_review: int = 0
    stored: int = 0
    stored_wrong: int = 0
    review_wrong: int = 0

    @property
    def share_right(self) -> Share:
        return Share(self.right, self.right + self.wrong + self.missing)

    @property
    def share_stored_wrong(self) -> Share:
        """Of the stored values that could be checked: wrong, and no reason stands beside them."""
        return Share(self.stored_wrong, self.stored)


@dataclass(frozen=True)
class Bin:
    """Given values whose confidence lies from `low` to `high`."""

    low: float
    high: float
    mean: float
    right: Share


def scored(documents: Iterable[Document]) -> list[Document]:
    """Those whose class and fields count."""
    return [each for each in documents if each.is_scored and each.has_ended]


def counts(values: Iterable[tuple[Document, Value]]) -> Counts:
    """Count values together with the documents that they belong to."""
    found = list(values)
    given = [(document, value) for document, value in found if value.is_given]
    stored = [value for document, value in given if document.is_stored]
    return Counts(
        **{
            outcome.value: sum(value.outcome == outcome for _, value in found)
            for outcome in Outcome
        },
        given=len(given),
        grounded=sum(bool(value.grounded) for _, value in given),
        in_review=sum(document.status == Status.IN_REVIEW for document, _ in found),
        stored=len(stored),
        stored_wrong=sum(value.outcome == Outcome.WRONG for value in stored),
        review_wrong=sum(
            value.outcome == Outcome.WRONG and not document.is_stored for document, value in given
        ),
    )


def values_of(documents: Iterable[Document]) -> Iterator[tuple[Document, Value]]:
    """Every expected value with its document."""
    return ((document, value) for document in documents for value in document.values)


def classes_right(documents: Sequence[Document]) -> Share:
    """How many are of the class that was found."""
    return Share(sum(each.class_is_right for each in documents), len(documents))


def groups(
    documents: Iterable[Document], name: Callable[[Document], str]
) -> dict[str, list[Document]]:
    """Documents by a name, in its order; those without one are left out."""
    found: dict[str, list[Document]] = {}
    for document in documents:
        if key := name(document):
            found.setdefault(key, []).append(document)
    return dict(sorted(found.items()))


def by_class(documents: Iterable[Document]) -> dict[str, list[Document]]:
    return groups(documents, lambda each: each.expected_class or "")


def by_source(documents: Iterable[Document]) -> dict[str, list[Document]]:
    """By class, and whether the text had to be recognised, where the manifest tells."""
    kinds = {"no": "text layer", "yes": "scan"}
    return groups(
        documents,
        lambda each: (
            f"{each.expected_class}, {kinds[each.traits['scanned']]}"
            if each.traits.get("scanned") in kinds
            else ""
        ),
    )


def by_field(documents: Iterable[Document]) -> dict[str, Counts]:
    """Counts by class and field: "invoice.total"."""
    found: dict[str, list[tuple[Document, Value]]] = {}
    for document, value in values_of(documents):
        found.setdefault(f"{document.expected_class}.{value.field}", []).append((document, value))
    return {name: counts(values) for name, values in sorted(found.items())}


def confusion(documents: Iterable[Document]) -> dict[str, Counter[str]]:
    """Found classes by expected class. Where none was found, the status stands for it."""
    found: dict[str, Counter[str]] = {}
    for each in documents:
        told = each.found_class or str(each.status).lower().replace("_", " ")
        found.setdefault(str(each.expected_class), Counter())[told] += 1
    return dict(sorted(found.items()))


def calibration(documents: Iterable[Document]) -> list[Bin]:
    """How often given values are right, by their confidence; bins without any are left out."""
    given = [
        (value.confidence, value.outcome == Outcome.RIGHT)
        for _, value in values_of(documents)
        if value.is_given and value.confidence is not None
    ]
    bins = []
    for low, high in pairwise(_EDGES):
        inside = [
            (sure, right)
            for sure, right in given
            if low <= sure < high or (high == 1 and sure == 1)
        ]
        if inside:
            mean = fmean(sure for sure, _ in inside)
            bins.append(Bin(low, high, mean, Share(sum(r for _, r in inside), len(inside))))
    return bins


def calibration_error(bins: Sequence[Bin]) -> float | None:
    """The expected calibration error: the mean distance of confidence and right share, 0 to 1.

    M. P. Naeini, G. Cooper and M. Hauskrecht, "Obtaining Well Calibrated Probabilities Using
    Bayesian Binning", AAAI 2015.
    """
    total = sum(each.right.of for each in bins)
    if not total:
        return None
    return sum(abs(each.right.count - each.mean * each.right.of) for each in bins) / total


def seconds(documents: Iterable[Document]) -> tuple[float, float]:
    """p50 and p95 of the time to the end."""
    times = sorted(each.seconds for each in documents if each.seconds is not None)
    return percentile(times, 50), percentile(times, 95)


def price(documents: Iterable[Document]) -> float:
    """What AWS charges for them, in USD; documents without a known price add nothing."""
    return sum(each.price_usd or 0 for each in documents)


def summary(run: Run) -> dict[str, Any]:
    """All figures as JSON takes them."""
    judged = scored(run.documents)
    bins = calibration(judged)
    p50, p95 = seconds(run.documents)
    ends = [each for each in run.documents if each.has_ended and each.ends]
    return {
        "documents": len(run.documents),
        "ended": sum(each.has_ended for each in run.documents),
        "scored": len(judged),
        "all": _group(judged),
        "classes": {name: _group(each) for name, each in by_class(judged).items()},
        "sources": {name: _group(each) for name, each in by_source(judged).items()},
        "fields": {name: _counts(each) for name, each in by_field(judged).items()},
        "ends_as_expected": _share(Share(sum(bool(e.ends_as_expected) for e in ends), len(ends))),
        "confusion": {name: dict(found) for name, found in confusion(judged).items()},
        "calibration": [
            {"from": b.low, "to": b.high, "mean_confidence": b.mean, "right": _share(b.right)}
            for b in bins
        ],
        "calibration_error": calibration_error(bins),
        "seconds": {"p50": p50, "p95": p95},
        "price_usd": round(price(run.documents), 6),
    }


def _group(documents: Sequence[Document]) -> dict[str, Any]:
    wrong_class = [each for each in documents if each.is_stored and not each.class_is_right]
    return {
        "documents": len(documents),
        "class_right": _share(classes_right(documents)),
        "in_review": sum(each.status == Status.IN_REVIEW for each in documents),
        "stored_with_wrong_class": len(wrong_class),
        "fields": _counts(counts(values_of(documents))),
    }


def _counts(found: Counts) -> dict[str, Any]:
    return {
        "right": found.right,
        "wrong": found.wrong,
        "missing": found.missing,
        "given": found.given,
        "grounded": found.grounded,
        "in_review": found.in_review,
        "wrong_in_review": found.review_wrong,
        "share_right": _share(found.share_right),
        "wrong_without_reason": _share(found.share_stored_wrong),
    }


def _share(share: Share) -> dict[str, Any]:
    low, high = share.interval or (None, None)
    return {"count": share.count, "of": share.of, "value": share.value, "low": low, "high": high}
