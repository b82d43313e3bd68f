"""The reading process: one document after the other, apart from the server.

A document that brings down a native library brings down this process, not the server. One JSON
object a line on standard input, `{"document", "features", "job_id", "output", "lock"}`, gives one
on standard output: `{"pages"}` or `{"failed": <sentence>}`. The blocks lie in `output` as numbered
parts. The process ends when standard input does.
"""

import fcntl
import json
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mailroom_desk.cloud.textract.blocks import Block, blocks_of
from mailroom_desk.cloud.textract.documents import Ocr, UnreadableDocumentError, pages_of
from mailroom_desk.cloud.textract.geometry import Page
from mailroom_desk.cloud.textract.ocr import Pixels, read_pixels
from mailroom_desk.cloud.textract.parts import BLOCKS_A_PART, write_part


def main() -> None:
    """Serve requests until standard input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the server's business
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as answers:
        os.dup2(2, 1)  # whatever a library prints must not look like an answer
        for line in sys.stdin:
            print(json.dumps(_answer(json.loads(line))), file=answers, flush=True)


def _answer(request: dict[str, Any]) -> dict[str, Any]:
    try:
        pages = read(
            Path(request["document"]),
            Path(request["output"]),
            request["job_id"],
            request["features"],
            _in_turn(Path(request["lock"])),
        )
    except UnreadableDocumentError as error:
        return {"failed": str(error)}
    return {"pages": pages}


def _in_turn(lock: Path) -> Ocr:
    """OCR takes every core it gets: one page at a time over all reading processes.

    The lock is a file's, since the system takes it back from a process that dies.
    """

    def ocr(pixels: Pixels) -> Page:
        with lock.open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            return read_pixels(pixels)

    return ocr


def read(document: Path, output: Path, job_id: str, features: Sequence[str], ocr: Ocr) -> int:
    """Read one document into parts of blocks; return the number of pages.

    Raises UnreadableDocumentError.
    """
    waiting: list[Block] = []
    pages, parts = 0, 0
    for blocks in blocks_of(pages_of(document, ocr), job_id, features):
        pages += 1
        waiting.extend(blocks)
        while len(waiting) > BLOCKS_A_PART:
            parts += 1
            write_part(output, parts, waiting[:BLOCKS_A_PART])
            del waiting[:BLOCKS_A_PART]
    write_part(output, parts + 1, waiting)
    return pages


if __name__ == "__main__":
    main()
