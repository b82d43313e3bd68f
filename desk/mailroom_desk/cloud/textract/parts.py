"""A job's blocks on disk: numbered files of 1,000 blocks; a page of results needs two at most."""

import json
from pathlib import Path
from typing import Any

# Textract's largest page of results.
BLOCKS_A_PART = 1000
_WARNINGS = "warnings"


def write_part(folder: Path, number: int, blocks: list[dict[str, Any]]) -> None:
    """Write part `number`, counted from 1."""
    folder.mkdir(parents=True, exist_ok=True)
    part_path(folder, number).write_text(json.dumps(blocks), encoding="utf-8")


def part_path(folder: Path, number: int) -> Path:
    """Return where part `number` lies."""
    return folder / f"{number}.json"


def count_parts(folder: Path) -> int:
    """Return how many parts there are."""
    return sum(1 for _ in folder.glob("*.json"))


def read_blocks(folder: Path, start: int, count: int) -> tuple[list[dict[str, Any]], bool]:
    """Return `count` blocks from `start` on (fewer at the end), and whether more follow."""
    parts = count_parts(folder)
    first = start // BLOCKS_A_PART
    last = min(parts, (start + count) // BLOCKS_A_PART + 1)
    blocks: list[dict[str, Any]] = []
    for number in range(first + 1, last + 1):
        blocks.extend(json.loads(part_path(folder, number).read_text(encoding="utf-8")))
    offset = start - first * BLOCKS_A_PART
    return blocks[offset : offset + count], len(blocks) > offset + count or last < parts


def write_warnings(folder: Path, warnings: list[dict[str, Any]]) -> None:
    """Write down the pages that could not be read."""
    (folder / _WARNINGS).write_text(json.dumps(warnings), encoding="utf-8")


def read_warnings(folder: Path) -> list[dict[str, Any]]:
    """Return the warnings of a job that was read in part."""
    warnings: list[dict[str, Any]] = json.loads((folder / _WARNINGS).read_text(encoding="utf-8"))
    return warnings
