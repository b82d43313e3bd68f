"""Textract's blocks, made up: what a page holds is written as text with places."""

import json
from collections.abc import Callable, Iterable
from random import Random
from typing import Any

from mailroom.ocr.assembly import Assembly
from mailroom.pages import Page

type Block = dict[str, Any]

LETTER, HEIGHT = 0.01, 0.012


class Paper:
    """One page's blocks. Places are fractions of the upright page; `turned` lays it on a side."""

    def __init__(self, page: int = 1, *, turned: int = 0) -> None:
        self.number = page
        self.turned = turned
        self.blocks: list[Block] = []
        self.top: list[str] = []

    def add(self, kind: str, box: tuple[float, ...] = (), **more: Any) -> str:
        identity = f"{kind}-{self.number}-{len(self.blocks)}"
        block = {"Id": identity, "BlockType": kind, "Page": self.number, "Confidence": 99.0, **more}
        if box:
            names = ("Left", "Top", "Width", "Height")
            sides = dict(zip(names, self._laid(*box), strict=True))
            block["Geometry"] = {"BoundingBox": sides, "Polygon": [{"X": 0.0, "Y": 0.0}] * 4}
        self.blocks.append(block)
        return identity

    def _laid(self, left: float, top: float, width: float, height: float) -> tuple[float, ...]:
        if self.turned == 90:
            return (1 - top - height, left, height, width)
        if self.turned == 180:
            return (1 - left - width, 1 - top - height, width, height)
        if self.turned == 270:
            return (top, 1 - left - width, height, width)
        return (left, top, width, height)

    def words(self, text: str, left: float, top: float) -> list[str]:
        ids = []
        for word in text.replace("[ ]", "[_]").split():
            width = LETTER * len(word)
            if word in ("[X]", "[_]"):
                status = "SELECTED" if word == "[X]" else "NOT_SELECTED"
                box = (left, top, 0.01, HEIGHT)
                ids.append(self.add("SELECTION_ELEMENT", box, SelectionStatus=status))
            else:
                ids.append(self.add("WORD", (left, top, width, HEIGHT), Text=word))
            left += width + LETTER
        return ids

    def line(self, text: str, left: float = 0.1, top: float = 0.1) -> list[str]:
        """A line; returns the ids of its words."""
        ids = self.words(text, left, top)
        box = (left, top, LETTER * len(text), HEIGHT)
        self.top.append(self.add("LINE", box, Text=text, **children(ids)))
        return ids

    def pair(self, key: list[str], value: list[str], confidence: float = 90.0) -> None:
        box = (0.3, 0.1, 0.2, HEIGHT)
        more = {"EntityTypes": ["VALUE"], "Confidence": confidence, **children(value)}
        held = self.add("KEY_VALUE_SET", box, **more)
        relations = [{"Type": "VALUE", "Ids": [held]}, *children(key)["Relationships"]]
        self.top.append(
            self.add("KEY_VALUE_SET", box, EntityTypes=["KEY"], Relationships=relations)
        )

    def table(self, rows: list[list[str]], top: float = 0.3, left: float = 0.1, **more: Any) -> str:
        """A table whose cells' texts are lines too; columns are 0.2 wide."""
        cells = []
        for row, texts in enumerate(rows, start=1):
            for column, text in enumerate(texts, start=1):
                place = (left + 0.2 * (column - 1), top + 0.02 * (row - 1))
                words = self.line(text, *place) if text else []
                at = {"RowIndex": row, "ColumnIndex": column, "RowSpan": 1, "ColumnSpan": 1}
                cells.append(self.add("CELL", (*place, 0.2, 0.02), **at, **children(words)))
        box = (left, top, 0.2 * max(map(len, rows)), 0.02 * len(rows))
        relations = [*children(cells)["Relationships"], *more.pop("relations", [])]
        table = self.add("TABLE", box, Relationships=relations, **more)
        self.top.append(table)
        return table

    def merge(self, table: str, row: int, column: int, rows: int, columns: int) -> None:
        """Merge cells of a table."""
        block = self.get(table)
        ids = [
            i
            for i in block["Relationships"][0]["Ids"]
            if row <= self.get(i)["RowIndex"] < row + rows
            and column <= self.get(i)["ColumnIndex"] < column + columns
        ]
        at = {"RowIndex": row, "ColumnIndex": column, "RowSpan": rows, "ColumnSpan": columns}
        merged = self.add("MERGED_CELL", (0.1, 0.3, 0.2, 0.02), **at, **children(ids))
        block["Relationships"].append({"Type": "MERGED_CELL", "Ids": [merged]})

    def get(self, identity: str) -> Block:
        return next(block for block in self.blocks if block["Id"] == identity)

    def done(self) -> list[Block]:
        """All blocks, the page first."""
        page = {"Id": f"PAGE-{self.number}", "BlockType": "PAGE", "Page": self.number}
        return [{**page, **children(self.top)}, *self.blocks]


def children(ids: list[str]) -> dict[str, Any]:
    return {"Relationships": [{"Type": "CHILD", "Ids": ids}]} if ids else {"Relationships": []}


def result(blocks: list[Block], pages: int = 1, **more: Any) -> dict[str, Any]:
    """One result file."""
    return {"DocumentMetadata": {"Pages": pages}, "Blocks": blocks, **more}


def assembly(*files: dict[str, Any]) -> Assembly:
    """An assembly over files in memory."""
    raw = [json.dumps(file).encode() for file in files]
    return Assembly(len(raw), lambda number: raw[number - 1])


def read(*files: dict[str, Any]) -> list[Page]:
    return list(assembly(*files).pages())


def page_of(paper: Paper) -> Page:
    (page,) = read(result(paper.done()))
    return page


def scattered(blocks: Iterable[Block], files: int, chance: Random) -> list[list[Block]]:
    """The blocks over files in any order, some in two halves, the first half in an earlier file."""
    parts: list[list[Block]] = [[] for _ in range(files)]
    for block in blocks:
        at = chance.randrange(files)
        relations = block.get("Relationships") or []
        if at + 1 < files and relations and chance.random() < 0.5:
            first, second = _halves(relations, chance.random)
            parts[at].append({**block, "Relationships": first})
            later = chance.randrange(at + 1, files)
            parts[later].append({**block, "Relationships": second})
        else:
            parts[at].append(block)
    for part in parts:
        chance.shuffle(part)
    return parts


def _halves(relations: list[Block], chance: Callable[[], float]) -> tuple[list[Block], list[Block]]:
    first, second = [], []
    for relation in relations:
        cut = int(chance() * (len(relation["Ids"]) + 1))
        first.append({**relation, "Ids": relation["Ids"][:cut]})
        second.append({**relation, "Ids": relation["Ids"][cut:]})
    return first, second
