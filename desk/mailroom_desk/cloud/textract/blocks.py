"""A page as Textract's blocks: PAGE, LINE, WORD, and where asked for TABLE, CELL, KEY_VALUE_SET
and SELECTION_ELEMENT.

The shapes are those of the service model and of stored answers of the real service.
"""

from collections.abc import Iterable, Iterator, Sequence
from statistics import mean
from typing import Any

from mailroom_desk.cloud.textract.forms import Pair, pairs_of
from mailroom_desk.cloud.textract.geometry import Box, Page, Word, around, polygon_as_given
from mailroom_desk.cloud.textract.ids import block_id
from mailroom_desk.cloud.textract.layout import Line, lines_of
from mailroom_desk.cloud.textract.tables import Table, tables_of
from mailroom_desk.cloud.textract.text_layer import CONFIDENCE
from mailroom_desk.cloud.textract.tick_boxes import TickBox, tick_boxes

type Block = dict[str, Any]

# The reader has no measure of its own for these; the words' confidence is scaled by it.
STRUCTURE_CONFIDENCE = 0.9


def blocks_of(pages: Iterable[Page], job_id: str, features: Sequence[str]) -> Iterator[list[Block]]:
    """Yield the blocks of one page after the other."""
    for number, page in enumerate(pages, start=1):
        yield _PageBlocks(page, number, job_id).build(features)


class _PageBlocks:
    def __init__(self, page: Page, number: int, job_id: str) -> None:
        self._page = page
        self._number = number
        self._job_id = job_id
        self._blocks: list[Block] = []
        self._word_ids: dict[int, str] = {}

    def build(self, features: Sequence[str]) -> list[Block]:
        lines = lines_of(self._page)
        root = self._block("PAGE", Box(0, 0, self._page.width, self._page.height))
        children = [self._line(line) for line in lines]
        tables = tables_of(lines) if features else []
        if "FORMS" in features:
            for pair in pairs_of(lines, tables, self._page.width):
                children.extend(self._pair(pair))
            for box in tick_boxes(self._page.marks, lines):
                children.extend(self._tick_box(box))
        if "TABLES" in features:
            children.extend(self._table(table) for table in tables)
        _relate(root, "CHILD", children)
        return self._blocks

    def _line(self, line: Line) -> str:
        block = self._block("LINE", line.box, Confidence=_confidence(line.words), Text=line.text)
        _relate(block, "CHILD", [self._word(word) for word in line.words])
        return str(block["Id"])

    def _word(self, word: Word) -> str:
        block = self._block(
            "WORD", word.box, Confidence=word.confidence, Text=word.text, TextType="PRINTED"
        )
        self._word_ids[id(word)] = block["Id"]
        return str(block["Id"])

    def _pair(self, pair: Pair) -> tuple[str, str]:
        confidence = STRUCTURE_CONFIDENCE * _confidence([*pair.key, *pair.value])
        key = self._block("KEY_VALUE_SET", _around(pair.key), Confidence=confidence)
        key["EntityTypes"] = ["KEY"]
        place = _around(pair.value) if pair.value else _after(_around(pair.key))
        value = self._block("KEY_VALUE_SET", place, Confidence=confidence)
        value["EntityTypes"] = ["VALUE"]
        _relate(key, "VALUE", [value["Id"]])
        _relate(key, "CHILD", self._ids(pair.key))
        _relate(value, "CHILD", self._ids(pair.value))
        return key["Id"], value["Id"]

    def _tick_box(self, box: TickBox) -> list[str]:
        status = "SELECTED" if box.mark.selected else "NOT_SELECTED"
        element = self._block(
            "SELECTION_ELEMENT", box.mark.box, Confidence=CONFIDENCE, SelectionStatus=status
        )
        if not box.key:
            return [element["Id"]]
        confidence = STRUCTURE_CONFIDENCE * _confidence(box.key)
        key = self._block("KEY_VALUE_SET", _around(box.key), Confidence=confidence)
        key["EntityTypes"] = ["KEY"]
        value = self._block("KEY_VALUE_SET", box.mark.box, Confidence=confidence)
        value["EntityTypes"] = ["VALUE"]
        _relate(key, "VALUE", [value["Id"]])
        _relate(key, "CHILD", self._ids(box.key))
        _relate(value, "CHILD", [element["Id"]])
        return [element["Id"], key["Id"], value["Id"]]

    def _table(self, table: Table) -> str:
        words = [w for row in table.rows for cell in row for line in cell.lines for w in line.words]
        confidence = STRUCTURE_CONFIDENCE * _confidence(words)
        block = self._block("TABLE", table.box, Confidence=confidence)
        block["EntityTypes"] = ["STRUCTURED_TABLE" if table.has_header else "SEMI_STRUCTURED_TABLE"]
        cells = []
        for cell in (cell for row in table.rows for cell in row):
            inside = [word for line in cell.lines for word in line.words]
            child = self._block("CELL", cell.box, Confidence=confidence)
            child |= {"RowIndex": cell.row, "ColumnIndex": cell.column}
            child |= {"RowSpan": 1, "ColumnSpan": 1}
            if table.has_header and cell.row == 1:
                child["EntityTypes"] = ["COLUMN_HEADER"]
            _relate(child, "CHILD", self._ids(inside))
            cells.append(child["Id"])
        _relate(block, "CHILD", cells)
        return str(block["Id"])

    def _ids(self, words: Iterable[Word]) -> list[str]:
        return [self._word_ids[id(word)] for word in words]

    def _block(self, kind: str, box: Box, **members: Any) -> Block:
        block = {
            "BlockType": kind,
            **members,
            "Geometry": _geometry(box, self._page),
            "Id": block_id(self._job_id, self._number, len(self._blocks)),
            "Page": self._number,
        }
        self._blocks.append(block)
        return block


def _geometry(box: Box, page: Page) -> dict[str, Any]:
    polygon = polygon_as_given(box, page)
    xs, ys = zip(*polygon, strict=True)
    return {
        "BoundingBox": {
            "Width": max(xs) - min(xs),
            "Height": max(ys) - min(ys),
            "Left": min(xs),
            "Top": min(ys),
        },
        "Polygon": [{"X": x, "Y": y} for x, y in polygon],
    }


def _relate(block: Block, kind: str, ids: Sequence[str]) -> None:
    if ids:
        block.setdefault("Relationships", []).append({"Type": kind, "Ids": list(ids)})


def _confidence(words: Sequence[Word]) -> float:
    return mean(word.confidence for word in words) if words else 0.0


def _after(box: Box) -> Box:
    """The place of a value that is blank: straight after its key."""
    return Box(box.right, box.top, box.right, box.bottom)


def _around(words: Sequence[Word]) -> Box:
    return around(word.box for word in words)
