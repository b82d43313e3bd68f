"""Readings kept by content: a document of the same bytes is not read a second time.

A hit gives the very blocks that a reading would have given: the ids are made anew for its job.
Failed readings are not kept. The size is bounded; what was not used for longest goes first.
"""

import hashlib
import json
import threading
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mailroom_desk.cloud.textract.ids import block_id
from mailroom_desk.cloud.textract.parts import count_parts, part_path, write_part

type Parts = list[str]


class Readings:
    """The newest readings, `max_bytes` of JSON text in all; 0 keeps none."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._kept: OrderedDict[str, tuple[int, Parts]] = OrderedDict()
        self._bytes = 0
        self._lock = threading.Lock()

    def key(self, document: Path, features: Sequence[str]) -> str:
        """What two readings must have in common."""
        if not self._max_bytes:
            return ""
        with document.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        return " ".join([digest, *sorted(features)])

    def restore(self, key: str, folder: Path, job_id: str) -> int | None:
        """Write the kept blocks into a job's folder; return the pages, None if nothing is kept."""
        with self._lock:
            if key not in self._kept:
                return None
            self._kept.move_to_end(key)
            pages, parts = self._kept[key]
        new_ids: dict[str, str] = {}
        blocks_of_parts = [json.loads(part) for part in parts]
        positions: dict[int, int] = {}
        for block in (block for blocks in blocks_of_parts for block in blocks):
            page = block["Page"]
            new_ids[block["Id"]] = block_id(job_id, page, positions.get(page, 0))
            positions[page] = positions.get(page, 0) + 1
        for number, blocks in enumerate(blocks_of_parts, start=1):
            write_part(folder, number, [_renamed(block, new_ids) for block in blocks])
        return pages

    def keep(self, key: str, folder: Path, pages: int) -> None:
        """Keep what was read into a job's folder, if it is not too large for that."""
        paths = [part_path(folder, number + 1) for number in range(count_parts(folder))]
        if not 0 < sum(path.stat().st_size for path in paths) <= self._max_bytes:
            return
        parts = [path.read_text(encoding="utf-8") for path in paths]
        with self._lock:
            if key in self._kept:
                return
            self._kept[key] = pages, parts
            self._bytes += _size(parts)
            while self._bytes > self._max_bytes:
                _, (_, oldest) = self._kept.popitem(last=False)
                self._bytes -= _size(oldest)


def _renamed(block: dict[str, Any], new_ids: dict[str, str]) -> dict[str, Any]:
    block["Id"] = new_ids[block["Id"]]
    for relation in block.get("Relationships", []):
        relation["Ids"] = [new_ids[each] for each in relation["Ids"]]
    return block


def _size(parts: Parts) -> int:
    return sum(map(len, parts))
