"""In which order the lines of a page are read, by where they stand.

Comes in: where each line stands on the upright page.
Goes out: positions in reading order.

A page may have columns. They are told from a table or a form without lines by this: prose fills its
column, and the rows of a form stand level with each other.
"""

import statistics
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from mailroom.ocr.upright import Spot

# Of the page's width: what is white between two columns, at least.
_GUTTER = 0.012
# The same where the columns are not prose: two blocks of addresses.
_WIDE_GUTTER = 0.03
# Bytes of a line of prose: a line of a narrow column, or seven characters of Chinese.
_PROSE = 20
# In prose, so much of the text is in such lines; the rest are ends of paragraphs and numbers.
_MOSTLY = 0.7
# Lines that begin at the same place differ by so much of the page's width at most.
_ALIGNED = 0.015
# Prose fills at least this much of its column.
_FILLED = 0.6
# From line to line in a block, in heights of a line.
_STEP = 3
# Two blocks whose lines stand level less often than this do not form rows.
_LEVEL = 0.4
# So much of a line is beside another one in the same row.
_BESIDE = 0.6
_FEW = 3


@dataclass(slots=True)
class _Unit:
    """What is kept together: a line, or the lines of a table.

    `level`, `height` and `length` are the middle, height and length of its first line.
    """

    spot: Spot
    members: list[int]
    level: float
    height: float
    length: int


def in_order(spots: Sequence[Spot], together: Iterable[Sequence[int]] = ()) -> list[int]:
    """The positions of the spots in reading order; those of one group, a table's, stay together."""
    units = []
    grouped: set[int] = set()
    for group in together:
        members = _rows([_unit(spots, [at]) for at in group if at not in grouped])
        grouped.update(members)
        if members:
            units.append(_unit(spots, members))
    units += [_unit(spots, [at]) for at in range(len(spots)) if at not in grouped]
    return _ordered(units)


def in_rows(spots: Sequence[Spot]) -> list[int]:
    """The positions of the spots row by row, without regard to columns."""
    return _rows([_unit(spots, [at]) for at in range(len(spots))])


def _unit(spots: Sequence[Spot], members: list[int]) -> _Unit:
    own = [spots[at] for at in members]
    first = own[0]
    if len(own) == 1:
        return _Unit(first, members, first.middle, first.height, first.length)
    around = Spot(
        min(spot.left for spot in own),
        min(spot.top for spot in own),
        max(spot.right for spot in own),
        max(spot.bottom for spot in own),
    )
    return _Unit(around, members, first.middle, first.height, first.length)


def _ordered(units: list[_Unit]) -> list[int]:
    gutter = _gutter(units)
    if gutter is None:
        return _rows(units)
    start, end = gutter
    middle = (start + end) / 2
    across = sorted(
        (unit for unit in units if unit.spot.left < middle < unit.spot.right),
        key=lambda unit: unit.level,
    )
    levels = [unit.level for unit in across]
    bands: list[tuple[list[_Unit], list[_Unit]]] = [([], []) for _ in range(len(across) + 1)]
    for unit in units:
        if unit.spot.right <= middle:
            bands[bisect_left(levels, unit.level)][0].append(unit)
        elif unit.spot.left >= middle:
            bands[bisect_left(levels, unit.level)][1].append(unit)
    found: list[int] = []
    loose: list[_Unit] = []
    for at, (left, right) in enumerate(bands):
        if _are_columns(left, right, end - start):
            found += _rows(loose) + _ordered(left) + _ordered(right)
            loose = []
        else:
            loose += left + right
        loose += across[at : at + 1]
    return found + _rows(loose)


def _gutter(units: list[_Unit]) -> tuple[float, float] | None:
    """The white strip with the most lines on its poorer side, fewest lines across it.

    Lines across it do not matter much: they part the page into bands, which are looked at alone.
    """
    if len(units) < 2 * _FEW:
        return None
    lefts = sorted(unit.spot.left for unit in units)
    rights = sorted(unit.spot.right for unit in units)
    best: tuple[float, float] | None = None
    best_score = 0.0
    before, ended = 0, 0  # lines that begin, and that end, up to the strip
    while ended < len(rights) and before < len(lefts):
        start = rights[ended]
        while ended < len(rights) and rights[ended] <= start:
            ended += 1
        while before < len(lefts) and lefts[before] < start:
            before += 1
        if before == len(lefts) or ended == len(rights):
            break
        end = min(lefts[before], rights[ended])
        beside = min(ended, len(lefts) - before)
        score = beside - (before - ended) / 2 + min(end - start, 0.1)
        if end - start >= _GUTTER and beside >= _FEW and score > best_score:
            best, best_score = (start, end), score
    return best


def _are_columns(left: list[_Unit], right: list[_Unit], gutter: float) -> bool:
    if not left or not right or max(len(left), len(right)) < _FEW:
        return False
    if all(_is_prose(side) or _has_columns(side) for side in (left, right)):
        return True
    if min(len(left), len(right)) < _FEW or gutter < _WIDE_GUTTER:
        return False
    if not (_is_block(left) and _is_block(right)):
        return False
    fewer, more = sorted((left, right), key=len)
    return _level_share(fewer, more) < _LEVEL


def _has_columns(units: list[_Unit]) -> bool:
    gutter = _gutter(units)
    if gutter is None:
        return False
    start, end = gutter
    left = [unit for unit in units if unit.spot.right <= start]
    right = [unit for unit in units if unit.spot.left >= end]
    return len(left) + len(right) == len(units) and _are_columns(left, right, end - start)


def _is_prose(units: list[_Unit]) -> bool:
    """Long lines that begin, or are centred, one below the other, and fill their column."""
    long = [unit for unit in units if unit.length >= _PROSE]
    if not long or sum(unit.length for unit in long) < _MOSTLY * sum(unit.length for unit in units):
        return False
    lefts = [unit.spot.left for unit in long]
    centres = [(unit.spot.left + unit.spot.right) / 2 for unit in long]
    if max(_aligned(lefts), _aligned(centres)) < _MOSTLY:
        return False
    width = statistics.median(unit.spot.right - unit.spot.left for unit in long)
    column = max(u.spot.right for u in units) - min(u.spot.left for u in units)
    return len(units) < _FEW or width >= _FILLED * column


def _is_block(units: list[_Unit]) -> bool:
    """Whether no two lines that follow each other are far apart."""
    levels = sorted(unit.level for unit in units)
    step = _STEP * statistics.median(unit.height for unit in units)
    return all(below - above <= step for above, below in pairwise(levels))


def _aligned(places: list[float]) -> float:
    middle = statistics.median(places)
    return sum(abs(place - middle) <= _ALIGNED for place in places) / len(places)


def _level_share(fewer: list[_Unit], more: list[_Unit]) -> float:
    """How many of the fewer lines have one of the others beside them."""
    levels = sorted(unit.level for unit in more)
    level = 0
    for unit in fewer:
        at = bisect_left(levels, unit.level)
        near = min(abs(unit.level - other) for other in levels[max(at - 1, 0) : at + 1])
        level += near <= unit.height * _BESIDE
    return level / len(fewer)


def _level_with(unit: _Unit, other: _Unit) -> bool:
    """Whether most of the lower of two lines is beside the other: handwriting is high."""
    reach = (unit.height + other.height) / 2 - abs(unit.level - other.level)
    lower = min(unit.height, other.height)
    return min(reach, lower) >= _BESIDE * lower


def _rows(units: list[_Unit]) -> list[int]:
    """Row by row, each from the left. What has the same place keeps its order."""
    rows: list[list[_Unit]] = []
    for unit in sorted(units, key=lambda unit: unit.level):
        if rows and all(_level_with(unit, other) for other in rows[-1]):
            rows[-1].append(unit)
        else:
            rows.append([unit])
    ordered = []
    for row in rows:
        ordered += sorted(row, key=lambda unit: unit.spot.left)
    return [member for unit in ordered for member in unit.members]
