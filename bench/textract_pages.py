"""Textract results of any length, made up: result files of 1,000 blocks, written one by one.

A page has a title, prose, eight pairs of a form and a table of 32 cells: about 330 blocks with the
full geometry, polygons and 17 digits included, in the order and with the keys of real responses.
The same seed gives the same files.
"""

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

BLOCKS_A_FILE = 1000
_LINES, _WORDS = 26, 7  # of prose
_ROWS, _COLUMNS = 8, 4
_PAIRS = 8
_TEXT = """the delivery of goods and services described above shall be made within thirty days
after receipt of this order unless both parties have agreed in writing to another date total amount
payable including value added tax is due upon presentation of invoice number account"""
_VOCABULARY = _TEXT.split()


def write_job(folder: Path, pages: int, seed: int = 1) -> int:
    """Write the files `1` to `n` of a document into a folder; returns their size in bytes."""
    folder.mkdir(parents=True, exist_ok=True)
    size, number, part = 0, 1, []
    blocks = _document(pages, random.Random(seed))
    following = next(blocks, None)
    while following is not None:
        part.append(following)
        following = next(blocks, None)
        if len(part) == BLOCKS_A_FILE or following is None:
            file: dict[str, Any] = {
                "AnalyzeDocumentModelVersion": "1.0",
                "Blocks": part,
                "DocumentMetadata": {"Pages": pages},
                "JobStatus": "SUCCEEDED",
                "NextToken": None if following is None else f"token-{number + 1}",
                "StatusMessage": None,
                "Warnings": None,
            }
            size += (folder / str(number)).write_bytes(json.dumps(file).encode())
            number, part = number + 1, []
    return size


def _document(pages: int, chance: random.Random) -> Iterator[dict[str, Any]]:
    for number in range(1, pages + 1):
        yield from _Sheet(number, chance).blocks()


class _Sheet:
    """One page while it is filled from top to bottom."""

    def __init__(self, number: int, chance: random.Random) -> None:
        self._number = number
        self._chance = chance
        self._lines: list[dict[str, Any]] = []
        self._words: list[dict[str, Any]] = []
        self._others: list[dict[str, Any]] = []

    def blocks(self) -> list[dict[str, Any]]:
        """All blocks in Textract's order: page, lines, words, the rest."""
        self._line(0.08, 0.05, [f"Page {self._number}", "Statement"])
        for row in range(_LINES):
            self._line(0.08, 0.1 + row * 0.018, self._chance.choices(_VOCABULARY, k=_WORDS))
        for row in range(_PAIRS):
            self._pair(0.6 + row * 0.018)
        table = self._table(0.76)
        inner = [*self._lines, *self._words, *self._others]
        children = [b["Id"] for b in inner if b["BlockType"] in ("LINE", "KEY_VALUE_SET", "TABLE")]
        page = self._block("PAGE", (0.0, 0.0, 1.0, 1.0), children)
        assert table["Id"] in children
        del page["Confidence"]
        return [page, *inner]

    def _table(self, top: float) -> dict[str, Any]:
        cells = []
        for row in range(1, _ROWS + 1):
            for column in range(1, _COLUMNS + 1):
                text = f"{self._chance.uniform(1, 10_000):,.2f}"
                left, down = 0.08 + (column - 1) * 0.2, top + (row - 1) * 0.02
                words = self._line(left, down, [text])
                cell = self._block("CELL", (left, down, 0.2, 0.02), words)
                at = {"RowIndex": row, "ColumnIndex": column, "RowSpan": 1, "ColumnSpan": 1}
                cells.append({**cell, **at})
        ids = [cell["Id"] for cell in cells]
        table = self._block("TABLE", (0.08, top, 0.8, _ROWS * 0.02), ids)
        self._others += [table, *cells]
        return table

    def _pair(self, top: float) -> None:
        text = [self._chance.choice(_VOCABULARY).title() + ":", str(self._chance.randrange(10**6))]
        key_word, value_word = self._line(0.08, top, text)
        value = self._block("KEY_VALUE_SET", (0.2, top, 0.1, 0.012), [value_word])
        key = self._block("KEY_VALUE_SET", (0.08, top, 0.1, 0.012), [key_word])
        key["Relationships"].insert(0, {"Type": "VALUE", "Ids": [value["Id"]]})
        self._others += [{**key, "EntityTypes": ["KEY"]}, {**value, "EntityTypes": ["VALUE"]}]

    def _line(self, left: float, top: float, words: list[str]) -> list[str]:
        ids, at = [], left
        for word in words:
            width = 0.0085 * len(word)
            block = self._block("WORD", (at, top, width, 0.012), [])
            self._words.append({**block, "Text": word, "TextType": "PRINTED"})
            ids.append(block["Id"])
            at += width + 0.008
        line = self._block("LINE", (left, top, at - left, 0.012), ids)
        self._lines.append({**line, "Text": " ".join(words)})
        return ids

    def _block(
        self, kind: str, box: tuple[float, float, float, float], children: list[str]
    ) -> dict[str, Any]:
        left, top, width, height = (side + self._chance.random() / 1e4 for side in box)
        corners = [(left, top), (left + width, top), (left + width, top + height)]
        block: dict[str, Any] = {
            "BlockType": kind,
            "Confidence": 90 + self._chance.random() * 10,
            "Geometry": {
                "BoundingBox": {"Height": height, "Left": left, "Top": top, "Width": width},
                "Polygon": [{"X": x, "Y": y} for x, y in (*corners, (left, top + height))],
            },
            "Id": self._identity(),
            "Page": self._number,
        }
        if children:
            block["Relationships"] = [{"Ids": children, "Type": "CHILD"}]
        return block

    def _identity(self) -> str:
        digits = f"{self._chance.getrandbits(128):032x}"
        return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))
