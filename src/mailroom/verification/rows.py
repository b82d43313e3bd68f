"""The parts of a line item belong together only where they stand together.

A description from one row with the amount of another is a line that the document does not hold,
although each of its parts does.
"""

from bisect import bisect_right, insort
from collections.abc import Iterable

from mailroom.verification.grounding import Leaf
from mailroom.verification.passages import Place
from mailroom.verification.sought import Sought

_ANCHORS = 500  # places of one description that are tried, before the item counts as torn apart

_NO_LINE = -1_000_000_000  # rows without boxes are counted from here, far from all lines


class Rows:
    """The line items of one answer: which are torn apart, and where the others stand."""

    def __init__(self, leaves: Iterable[Leaf]) -> None:
        self.apart: list[str] = []
        self.chosen: dict[str, Place] = {}
        self._by_page: dict[int, dict[int, list[Place]]] = {}
        self._tops: dict[int, list[float]] = {}
        items: dict[str, list[Leaf]] = {}
        for leaf in leaves:
            item, _, _ = leaf.path.rpartition(".")
            if item.rpartition(".")[2].isdecimal() and leaf.sought.best:
                items.setdefault(item, []).append(leaf)
        for parts in items.values():
            self._note_description(parts)
        known: dict[tuple[int, ...], list[Place] | None] = {}
        for item, parts in items.items():
            key = tuple(id(leaf.sought) for leaf in parts)
            if key not in known:
                known[key] = self._together(parts)
            found = known[key]
            if found is None:
                self.apart.append(item)
            else:
                paths = (leaf.path for leaf in parts)
                self.chosen.update(zip(paths, found, strict=True))

    def _note_description(self, parts: list[Leaf]) -> None:
        """Where an item's text begins, the area of the item before it ends."""
        for leaf in parts:
            if isinstance(leaf.sought.value, str):
                for place in leaf.sought.best[:_ANCHORS]:
                    tops = self._tops.setdefault(place.page, [])
                    top = _height(place)[0]
                    at = bisect_right(tops, top)
                    if not at or tops[at - 1] != top:
                        insort(tops, top)

    def _together(self, parts: list[Leaf]) -> list[Place] | None:
        """A place for each part, all in one row; None where there is no such row."""
        anchor = min(parts, key=lambda leaf: (_is_figure(leaf), len(leaf.sought.best)))
        for place in anchor.sought.best[:_ANCHORS]:
            found = [self._beside(place, leaf, not _is_figure(anchor)) for leaf in parts]
            places = [each for each in found if each is not None]
            if len(places) == len(parts):
                return places
        return None

    def _beside(self, anchor: Place, leaf: Leaf, with_area: bool) -> Place | None:
        candidates = self._on_page(leaf.sought).get(anchor.page, ())
        top, bottom = _height(anchor)
        near: Place | None = None
        for place in candidates:
            other_top, other_bottom = _height(place)
            shared = min(bottom, other_bottom) - max(top, other_top)
            if (anchor.row is not None and place.row == anchor.row) or shared > 0.3 * min(
                bottom - top, other_bottom - other_top
            ):
                return place
            if with_area and near is None and top < other_top < self._area_ends(anchor.page, top):
                near = place
        return near

    def _area_ends(self, page: int, top: float) -> float:
        tops = self._tops.get(page, [])
        at = bisect_right(tops, top)
        return tops[at] if at < len(tops) else float("inf")

    def _on_page(self, sought: Sought) -> dict[int, list[Place]]:
        pages = self._by_page.get(id(sought))
        if pages is None:
            pages = self._by_page[id(sought)] = {}
            for place in sought.best:
                pages.setdefault(place.page, []).append(place)
        return pages


def _is_figure(leaf: Leaf) -> bool:
    return not isinstance(leaf.sought.value, str)


def _height(place: Place) -> tuple[float, float]:
    """Top and bottom: of the boxes, or by lines and rows where there are none."""
    top = min(box[1] for box in place.boxes)
    bottom = max(box[1] + box[3] for box in place.boxes)
    if bottom > top:
        return top, bottom
    if place.row is not None:
        table, row = place.row
        line = _NO_LINE + table * 10_000 + row
    else:
        line = place.line
    return line, line + 1
