"""From Textract's blocks to pages of text, forms and tables.

Comes in: the result files of one job, in order, each as parsed JSON.
Goes out: `Reading`: the pages, and what the files say of themselves.

Block types and relationships: Amazon Textract Developer Guide, "Text Detection and Document
Analysis Response Objects".
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

Block = dict[str, Any]

_NAMED_PAGES = 10  # in one warning, which travels in the state


@dataclass(frozen=True)
class Page:
    """One page as the model is shown it, and the words with their confidence (0 to 100)."""

    number: int
    text: str
    forms: list[tuple[str, str]]
    tables: list[list[list[str]]]
    words: list[tuple[str, float]]

    def to_json(self) -> dict[str, Any]:
        """One line of the text file in the bucket."""
        return {
            "page": self.number,
            "text": self.text,
            "forms": self.forms,
            "tables": self.tables,
            "words": self.words,
        }

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> "Page":
        """Read one line of the text file back."""
        return cls(
            number=value["page"],
            text=value["text"],
            forms=[(key, text) for key, text in value["forms"]],
            tables=value["tables"],
            words=[(word, confidence) for word, confidence in value["words"]],
        )


@dataclass
class Reading:
    """All that the result files of a job hold.

    `pages_reported` is Textract's own count; `dangling` counts references to blocks that no file
    holds; `warnings` names pages that Textract could not read.
    """

    pages: list[Page] = field(default_factory=list)
    pages_reported: int = 0
    dangling: int = 0
    warnings: list[str] = field(default_factory=list)


def assemble(files: Iterable[dict[str, Any]]) -> Reading:
    """Merge the files by block id, since a block and what it points to can lie in two of them."""
    blocks: dict[str, Block] = {}
    reading = Reading()
    for file in files:
        reported = file.get("DocumentMetadata", {}).get("Pages", 0)
        reading.pages_reported = max(reading.pages_reported, reported)
        for warning in file.get("Warnings") or ():
            text = _warning(warning)
            if text not in reading.warnings:
                reading.warnings.append(text)
        for block in file.get("Blocks") or ():
            _merge(blocks, block)
    by_page: dict[int, list[Block]] = {}
    for block in blocks.values():
        by_page.setdefault(block.get("Page", 1), []).append(block)
        reading.dangling += sum(child not in blocks for child in _ids(block))
    reading.pages = [_page(number, by_page[number], blocks) for number in sorted(by_page)]
    return reading


def _merge(blocks: dict[str, Block], block: Block) -> None:
    known = blocks.setdefault(block["Id"], block)
    if known is block:
        return
    for relation in block.get("Relationships") or ():
        relations = known.setdefault("Relationships", [])
        same = next((r for r in relations if r["Type"] == relation["Type"]), None)
        if same is None:
            relations.append(relation)
        else:
            same["Ids"] = list(dict.fromkeys([*same["Ids"], *relation["Ids"]]))


def _page(number: int, own: list[Block], blocks: dict[str, Block]) -> Page:
    lines = [block["Text"] for block in own if block["BlockType"] == "LINE"]
    words = [
        (block["Text"], round(float(block.get("Confidence", 0)), 2))
        for block in own
        if block["BlockType"] == "WORD"
    ]
    return Page(
        number=number,
        text="\n".join(lines),
        forms=list(_forms(own, blocks)),
        tables=[_table(block, blocks) for block in own if block["BlockType"] == "TABLE"],
        words=words,
    )


def _forms(own: list[Block], blocks: dict[str, Block]) -> Iterator[tuple[str, str]]:
    for block in own:
        if block["BlockType"] == "KEY_VALUE_SET" and "KEY" in block.get("EntityTypes", ()):
            values = [blocks[value] for value in _ids(block, "VALUE") if value in blocks]
            text = " ".join(filter(None, (_text(value, blocks) for value in values)))
            key = _text(block, blocks)
            if key:
                yield key, text


def _table(table: Block, blocks: dict[str, Block]) -> list[list[str]]:
    cells = [blocks[child] for child in _ids(table, "CHILD") if child in blocks]
    cells = [cell for cell in cells if cell["BlockType"] == "CELL"]
    rows = max((cell["RowIndex"] for cell in cells), default=0)
    columns = max((cell["ColumnIndex"] for cell in cells), default=0)
    grid = [[""] * columns for _ in range(rows)]
    for cell in cells:
        grid[cell["RowIndex"] - 1][cell["ColumnIndex"] - 1] = _text(cell, blocks)
    return grid


def _text(block: Block, blocks: dict[str, Block]) -> str:
    """The words and selection marks of a block, in order."""
    parts = []
    for child in (blocks[i] for i in _ids(block, "CHILD") if i in blocks):
        if child["BlockType"] == "WORD":
            parts.append(child["Text"])
        elif child["BlockType"] == "SELECTION_ELEMENT":
            parts.append("[X]" if child.get("SelectionStatus") == "SELECTED" else "[ ]")
    return " ".join(parts)


def _ids(block: Block, kind: str | None = None) -> Iterator[str]:
    for relation in block.get("Relationships") or ():
        if kind is None or relation["Type"] == kind:
            yield from relation["Ids"]


def _warning(warning: dict[str, Any]) -> str:
    pages = [str(page) for page in warning.get("Pages") or ("unknown",)]
    more = f" and {len(pages) - _NAMED_PAGES} more" if len(pages) > _NAMED_PAGES else ""
    named = ", ".join(pages[:_NAMED_PAGES])
    return f"{warning.get('ErrorCode', 'unknown')} on page {named}{more}"
