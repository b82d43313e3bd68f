"""Write doubt down as reasons: what was not read, not shown, not found, contradicted or ordered.

Comes in: the document's pages, as a stream that can be read again, the class and the fields that a
model gave, and what was counted on the way here.
Goes out: reasons, each of which sends the document to a person, and the evidence for each value.

Nothing is believed that does not stand in the document's own words. No reason quotes a value.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from mailroom.classes import DocumentClass
from mailroom.pages import Page
from mailroom.verification.checks import broken
from mailroom.verification.class_signs import Signs
from mailroom.verification.grounding import Grounding, Leaf
from mailroom.verification.injection import Watch
from mailroom.verification.labelled import Labels
from mailroom.verification.passages import Place
from mailroom.verification.rows import Rows
from mailroom.verification.sought import SURE_ENOUGH
from mailroom.verification.spelling import is_identifier

_MAX_REASONS = 25
_MAX_NAMED = 10  # pages that one reason names
_MAX_PARTS = 3  # parts of one list that have reasons of their own
_ALL_ALIKE: dict[str, Any] = {"properties": {}}

Evidence = dict[str, list[dict[str, Any]]]


@dataclass(frozen=True)
class Verdict:
    """Reasons to doubt, the confidence from 0 to 1, and where each value stands.

    The confidence is the mean over the fields of the OCR confidence of the words that hold them, 0
    for a value that stands nowhere; without fields, the mean over all words. The model has no say.
    `evidence` has, by the field's path, the pages and boxes of the words.
    """

    reasons: list[str]
    confidence: float
    evidence: Evidence = field(default_factory=dict)


def verify(
    pages: Callable[[], Iterable[Page]],
    found: DocumentClass | None,
    fields: dict[str, Any],
    counts: dict[str, Any],
    classes: Iterable[DocumentClass] = (),
) -> Verdict:
    """Check conservation, class, grounding, labels and the class's own checks.

    `counts` is what `extract` counted, with pages_shown; `classes` are all that could be picked.
    """
    schema = found.schema if found else _ALL_ALIKE
    grounding = Grounding(fields, schema)
    labels = Labels(found.labels if found else {}, schema, fields)
    signs = Signs(found, classes) if found else None
    watch, ordering = Watch(), []
    words, sureness = 0, 0.0
    for page in pages():
        orders = watch.look(page)
        if orders:
            ordering.append(page.number)
        grounding.look(page, orders)
        labels.look(page, orders)
        if signs:
            signs.look(page)
        for word in page.words():
            words += 1
            sureness += word.confidence / 100
    rows = Rows(grounding.leaves)
    reasons = [
        *_conservation(counts),
        *_orders(ordering),
        *(signs.reasons() if signs else ()),
        *_grounded(grounding),
        *(f"{item} is put together from different rows." for item in rows.apart[:_MAX_PARTS]),
        *_missing(found, fields),
        *labels.contradictions(),
        *broken(found.checks if found else (), fields),
    ]
    return Verdict(
        reasons[:_MAX_REASONS],
        round(_confidence(grounding.leaves) if fields else sureness / max(words, 1), 4),
        _evidence(grounding.leaves, rows),
    )


def _conservation(counts: dict[str, Any]) -> Iterator[str]:
    reported, read, shown = (counts[f"pages_{what}"] for what in ("reported", "read", "shown"))
    if read != reported:
        yield f"Textract reports {reported} pages; {read} were read."
    if missing := counts.get("missing_pages"):
        number = max(counts.get("missing") or 0, len(missing))
        yield f"Not read: {_pages(missing, number)}."
    if shown < read:
        yield f"{shown} of {read} pages were shown to the model."
    if counts.get("characters_found", 0) != counts.get("characters_kept", 0):
        yield (
            f"{counts['characters_kept']} of {counts['characters_found']} characters that Textract "
            "found were kept."
        )
    if counts["dangling"]:
        yield f"{counts['dangling']} parts of Textract's result lead nowhere."
    yield from (f"Textract warns: {warning}." for warning in counts["warnings"])


def _orders(pages: list[int]) -> Iterator[str]:
    if len(pages) == 1:
        yield f"Page {pages[0]} holds text that gives orders to its reader."
    elif pages:
        named = _pages(pages, len(pages))
        yield f"{named[0].upper()}{named[1:]} hold text that gives orders to its reader."


def _grounded(grounding: Grounding) -> Iterator[str]:
    """Reasons of single values; of a list's parts the first few, and how many more there are."""
    order = grounding.day_order.decided()
    others = {code for code, currency in grounding.currencies.items() if currency.others}
    in_lists: dict[tuple[str, str], int] = {}
    for leaf in grounding.leaves:
        for kind, reason in _doubts(leaf, order, others):
            name = leaf.path.partition(".")[0]
            if name != leaf.path:
                number = in_lists[name, kind] = in_lists.get((name, kind), 0) + 1
                if number > _MAX_PARTS:
                    continue
            yield reason
    for (name, kind), number in in_lists.items():
        if number > _MAX_PARTS:
            yield f"{number - _MAX_PARTS} more values of {name} are doubted likewise: {kind}."


def _doubts(leaf: Leaf, order: str | None, others: set[str]) -> Iterator[tuple[str, str]]:
    """What is doubtful about one value: a kind, and the sentence."""
    path, sought = leaf.path, leaf.sought
    if not sought.best or (leaf.schema.get("format") == "currency" and leaf.value in others):
        yield "not found", f"The value of {path} does not stand in the document's words."
        return
    page = sought.best[0].page
    if not sought.places and not sought.confused:
        yield (
            "found in orders",
            f"{path} stands only in text that gives orders to its reader, on page {page}.",
        )
        return
    if not sought.places and _is_exact(leaf):
        yield (
            "letters confused",
            f"{path} is found on page {page} only with letters and figures taken for each other.",
        )
    elif max(place.confidence for place in sought.best) < SURE_ENOUGH:
        yield "low confidence", f"The words of {path} on page {page} are read with low confidence."
    if _is_negative(leaf) and not sought.negative:
        yield "sign", f"The minus of {path} is not printed."
    if sought.orders and "" not in sought.orders and order not in sought.orders:
        if order is None:
            why = "can be read as another day, and nothing in the document decides"
        else:
            why = "is read against the order in which the document writes day and month"
        yield "day and month", f"{path} on page {page} {why}."


def _is_exact(leaf: Leaf) -> bool:
    """An amount, a date or an identifier: one character more or less is another one."""
    value = leaf.sought.value
    return not isinstance(value, str) or is_identifier(value)


def _is_negative(leaf: Leaf) -> bool:
    return leaf.schema.get("format") == "decimal" and str(leaf.value).startswith("-")


def _missing(found: DocumentClass | None, fields: dict[str, Any]) -> Iterator[str]:
    for name in found.needed if found else ():
        if name not in fields:
            yield f"No {name} was found."


def _confidence(leaves: list[Leaf]) -> float:
    """The mean over the fields; a list is as sure as its least sure part."""
    by_field: dict[str, float] = {}
    for leaf in leaves:
        name = leaf.path.partition(".")[0]
        by_field[name] = min(by_field.get(name, 1.0), leaf.sought.sure)
    return sum(by_field.values()) / max(len(by_field), 1)


def _evidence(leaves: list[Leaf], rows: Rows) -> Evidence:
    evidence: Evidence = {}
    for leaf in leaves:
        chosen = rows.chosen.get(leaf.path)
        places = [chosen] if chosen else leaf.sought.best[:1]
        if places:
            evidence[leaf.path] = [part for place in places for part in _boxes(place)]
    return evidence


def _boxes(place: Place) -> Iterator[dict[str, Any]]:
    for box in place.boxes:
        yield {"page": place.page, "box": list(box), "confidence": round(place.confidence, 4)}


def _pages(numbers: list[int], count: int) -> str:
    """ "page 3", "pages 3, 4 and 5 more": the first ten by name."""
    named = ", ".join(map(str, numbers[:_MAX_NAMED]))
    more = count - min(len(numbers), _MAX_NAMED)
    return f"page{'s' if count > 1 else ''} {named}{f' and {more} more' if more > 0 else ''}"
