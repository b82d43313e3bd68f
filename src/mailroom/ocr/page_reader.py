"""From the blocks of one page to the page: lines in reading order, forms, tables and the rest.

Comes in: all blocks of the page by their id, whatever their order and the files they lay in.
Goes out: `Page`, and how many references lead to no block of the page.

Block types and relationships: Amazon Textract Developer Guide, "Text Detection and Document
Analysis Response Objects", "Layout Response Objects".
"""

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator

from mailroom.ocr.reading_order import in_order, in_rows
from mailroom.ocr.tables import around, box_of, read_table
from mailroom.ocr.textract_json import Block
from mailroom.ocr.upright import Spot, Turn, turn_of
from mailroom.pages import Box, Line, Page, Pair, Query, Word

_LAYOUT = "LAYOUT_"
_MARKS = {True: "[X]", False: "[ ]"}
_NOWHERE: Box = (0.0, 0.0, 0.0, 0.0)
_FROM_RIGHT = ("R", "AL")  # scripts that are written from right to left
_LAST = 1 << 30


def read_page(number: int, blocks: dict[str, Block]) -> tuple[Page, int]:
    """Put one page together; also counts the references that lead to none of `blocks`."""
    return _Reader(blocks).page(number)


class _Reader:
    """One page's blocks, its words, and the place of each word in reading order."""

    def __init__(self, blocks: dict[str, Block]) -> None:
        self._blocks = blocks
        self._kinds: defaultdict[str, list[Block]] = defaultdict(list)
        for block in blocks.values():
            self._kinds[block.block_type].append(block)
        self._words = {block.id: _word(block) for block in self._kinds["WORD"]}
        self._marks = {block.id: _mark(block) for block in self._kinds["SELECTION_ELEMENT"]}
        self._places: dict[str, int] = {}
        self._turn = Turn()

    def page(self, number: int) -> tuple[Page, int]:
        lines = self._lines()
        tables = sorted(self._kinds["TABLE"], key=self._place)
        page = Page(
            number=number,
            lines=lines,
            forms=list(self._forms()),
            tables=[read_table(table, self._blocks, self._text) for table in tables],
            queries=list(self._queries()),
            signatures=sorted(box_of(b) or _NOWHERE for b in self._kinds["SIGNATURE"]),
        )
        return page, sum(map(self._dangling, self._blocks.values()))

    # Lines

    def _lines(self) -> list[Line]:
        listed = self._listed()
        lines: list[Line] = []
        own_words: list[list[str]] = []
        taken: set[str] = set()
        for block in listed:
            children = (
                dict.fromkeys(block.ids("CHILD")) if block.block_type == "LINE" else [block.id]
            )
            ids = [i for i in children if i in self._words and i not in taken]
            taken.update(ids)
            lines.append(self._line(block, ids))
            own_words.append(ids)
        order = self._order(listed, lines, own_words)
        for at in order:
            for word_id in own_words[at]:
                self._places[word_id] = len(self._places)
        return [lines[at] for at in order]

    def _listed(self) -> list[Block]:
        """Lines in the page's own order, then the words and marks that nothing else holds."""
        at = {i: n for n, i in enumerate(self._page_ids())}
        lines = sorted(self._kinds["LINE"], key=lambda block: at.get(block.id, _LAST))
        in_lines = {i for line in lines for i in line.ids("CHILD")}
        words = [block for block in self._kinds["WORD"] if block.id not in in_lines]
        held: set[str] = set()
        for kind in ("KEY_VALUE_SET", "CELL") if self._marks else ():
            held.update(i for block in self._kinds[kind] for i in block.ids("CHILD"))
        marks = [block for block in self._kinds["SELECTION_ELEMENT"] if block.id not in held]
        return [*lines, *words, *marks]

    def _line(self, block: Block, ids: list[str]) -> Line:
        if block.id in self._marks:
            return Line(self._marks[block.id], [], "selection")
        words = [self._words[i] for i in ids]
        text = block.text or ""
        if any(word.text not in text for word in words):
            text = " ".join(word.text for word in words)  # the line must not hide a word
        return Line(text, words)

    def _order(
        self, listed: list[Block], lines: list[Line], own_words: list[list[str]]
    ) -> list[int]:
        self._turn = turn_of(_way(line) for line in lines if len(line.words) > 1)
        spots = [
            self._turn.upright(box_of(block) or _NOWHERE, len(line.text.encode()))
            for block, line in zip(listed, lines, strict=True)
        ]
        layouts = self._layouts()
        if not layouts:
            return in_order(spots, self._in_tables(own_words))
        return self._by_layout(layouts, listed, lines, spots)

    def _in_tables(self, own_words: list[list[str]]) -> Iterator[list[int]]:
        """For each table, the lines whose words are in its cells."""
        line_of = {i: at for at, ids in enumerate(own_words) for i in ids}
        for table in sorted(self._kinds["TABLE"], key=lambda b: (box_of(b) or _NOWHERE, b.id)):
            cells = (self._blocks[i] for i in table.ids("CHILD") if i in self._blocks)
            yield sorted({line_of[i] for c in cells for i in c.ids("CHILD") if i in line_of})

    def _layouts(self) -> list[Block]:
        """The layout blocks in the page's order, which is Textract's reading order."""
        at = {i: n for n, i in enumerate(self._page_ids())}
        layouts = [b for b in self._blocks.values() if b.block_type.startswith(_LAYOUT)]
        if any(layout.id in at for layout in layouts):
            return sorted(layouts, key=lambda block: at.get(block.id, _LAST))
        spots = [self._turn.upright(box_of(layout) or _NOWHERE) for layout in layouts]
        return [layouts[n] for n in in_order(spots)]

    def _by_layout(
        self,
        layouts: list[Block],
        listed: list[Block],
        lines: list[Line],
        spots: list[Spot],
    ) -> list[int]:
        at = {block.id: n for n, block in enumerate(listed)}
        lists = {i for b in layouts if b.block_type == "LAYOUT_LIST" for i in b.ids("CHILD")}
        groups: list[tuple[Spot, list[int]]] = []
        left = dict.fromkeys(range(len(listed)))
        for layout in layouts:
            kind = layout.block_type.removeprefix(_LAYOUT).lower()
            children = dict.fromkeys(layout.ids("CHILD"))
            members = [at[i] for i in children if at.get(i) in left]
            for member in members:
                lines[member].kind = "list" if layout.id in lists else kind
                del left[member]
            groups.append((self._turn.upright(box_of(layout) or _NOWHERE), members))
        strays = list(left)
        for stray in in_order([spots[n] for n in strays]):
            member = strays[stray]
            groups.insert(_before(groups, spots[member]), (spots[member], [member]))
        return [member for _, members in groups for member in members]

    # Forms, queries

    def _forms(self) -> Iterator[Pair]:
        keys = [b for b in self._kinds["KEY_VALUE_SET"] if "KEY" in (b.entity_types or ())]
        for key in sorted(keys, key=self._place):
            values = [self._blocks[i] for i in key.ids("VALUE") if i in self._blocks]
            texts = filter(None, map(self._text, values))
            pair = Pair(
                self._text(key),
                " ".join(texts),
                round(min((v.confidence or 0 for v in values), default=0), 2),
                around(box_of(value) for value in values),
            )
            if pair.key or pair.value:
                yield pair

    def _queries(self) -> Iterator[Query]:
        at = {i: n for n, i in enumerate(self._page_ids())}
        for query in sorted(self._kinds["QUERY"], key=lambda b: (at.get(b.id, _LAST), b.id)):
            question = (query.query and query.query.text) or ""
            answers = [self._blocks[i] for i in query.ids("ANSWER") if i in self._blocks]
            if not answers:
                yield Query(question, "")
            for found in answers:
                confidence = round(found.confidence or 0, 2)
                yield Query(question, found.text or "", confidence, box_of(found))

    # Blocks

    def _page_ids(self) -> Iterator[str]:
        for page in self._kinds["PAGE"]:
            yield from page.ids("CHILD")

    def _text(self, block: Block) -> str:
        """The words and selection marks of a block, in order.

        Where there are marks, by place: Textract lists them before the words, "[ ] [X] Yes No".
        """
        ids = [i for i in block.ids("CHILD") if i in self._words or i in self._marks]
        if self._marks and len(ids) > 1 and any(i in self._marks for i in ids):
            boxes = (box_of(self._blocks[i]) or _NOWHERE for i in ids)
            ids = [ids[at] for at in in_rows([self._turn.upright(box) for box in boxes])]
        return " ".join(self._words[i].text if i in self._words else self._marks[i] for i in ids)

    def _place(self, block: Block) -> tuple[int, Box]:
        """Where the first word of a block, or of its cells, comes in reading order."""
        first = _LAST
        for i in block.ids("CHILD"):
            child = self._blocks.get(i)
            inner = child.ids("CHILD") if child and child.block_type == "CELL" else (i,)
            first = min(first, min((self._places.get(n, _LAST) for n in inner), default=_LAST))
        return first, box_of(block) or _NOWHERE

    def _dangling(self, block: Block) -> int:
        relations = block.relationships or ()
        return sum(i not in self._blocks for r in relations for i in r.ids or ())


def _word(block: Block) -> Word:
    return Word(block.text or "", round(block.confidence or 0, 2), box_of(block) or _NOWHERE)


def _mark(block: Block) -> str:
    return _MARKS[block.selection_status == "SELECTED"]


def _way(line: Line) -> tuple[float, float]:
    """From a line's first word to its last: right and down."""
    first, last = line.words[0], line.words[-1]
    right = _shift(first.box[0], first.box[2], last.box[0], last.box[2])
    down = _shift(first.box[1], first.box[3], last.box[1], last.box[3])
    if right < 0 and unicodedata.bidirectional(first.text[:1] or " ") in _FROM_RIGHT:
        return -right, -down
    return right, down


def _shift(start: float, size: float, other_start: float, other_size: float) -> float:
    """How far both edges have moved; one that stays says that only the letters are higher."""
    near, far = other_start - start, other_start + other_size - start - size
    return min(near, far, key=abs) if near * far > 0 else 0.0


def _before(groups: Iterable[tuple[Spot, list[int]]], spot: Spot) -> int:
    """The first group that begins below a line and in its column; the end where there is none."""
    at = 0
    for at, (group, _) in enumerate(groups, start=1):
        beside = group.left < spot.right and spot.left < group.right
        if beside and group.top > spot.middle:
            return at - 1
    return at
