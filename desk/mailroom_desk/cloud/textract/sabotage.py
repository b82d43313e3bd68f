"""What the faults do to a job: lost pages, broken output files, wrong notices.

What each fault is for stands in `mailroom_desk.cloud.faults`.
"""

import hashlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from mailroom_desk.cloud.fault_choice import Faults, share
from mailroom_desk.cloud.fault_table import Point
from mailroom_desk.cloud.faults import Rule
from mailroom_desk.cloud.textract.jobs import Job, JobStore
from mailroom_desk.cloud.textract.parts import (
    BLOCKS_A_PART,
    count_parts,
    part_path,
    read_blocks,
    write_part,
    write_warnings,
)

NOT_A_NOTICE = "This is no notice of Textract"


def fault_of(faults: Faults, store: JobStore, point: Point, job: Job) -> Rule | None:
    """The fault of a job at one point of its life."""
    if not any(rule.point == point for rule in faults.plan.rules):
        return None
    key = job.request["DocumentLocation"]["S3Object"]["Name"]
    return faults.of_job(point, (job.document_id or job.job_id, key), store.number_of(job))


def lose_pages(folder: Path, pages: int, wanted: Sequence[int]) -> int:
    """Take pages out of a job's blocks and write the warnings; return how many are left.

    Of `wanted` only pages of the document count; where there are none, it is the last page.
    """
    lost = sorted({page for page in wanted if 1 <= page <= pages}) or [pages]
    parts = count_parts(folder)
    blocks, _ = read_blocks(folder, 0, parts * BLOCKS_A_PART)
    for number in range(parts):
        part_path(folder, number + 1).unlink()
    left = [block for block in blocks if block["Page"] not in lost]
    for number, start in enumerate(range(0, max(1, len(left)), BLOCKS_A_PART), start=1):
        write_part(folder, number, left[start : start + BLOCKS_A_PART])
    write_warnings(folder, [{"ErrorCode": "InternalServerError", "Pages": lost}])
    return pages - len(lost)


def files_of(
    answers: Iterator[dict[str, Any]], parts: int, fault: Rule | None, job_id: str
) -> Iterator[tuple[int, bytes]]:
    """Yield the output files of a job, by number, from its answers; the fault takes its share."""
    name = fault.fault if fault else ""
    missing = 0
    if fault and name == "missing_file":
        missing = min(parts, fault.parameters["part"]) or 1 + int(share(job_id) * parts)
    for number, answer in enumerate(answers, start=1):
        if number == missing:
            continue
        if number == parts and name == "open_ended":
            answer["Blocks"] = answer["Blocks"][: len(answer["Blocks"]) // 2]
            answer["NextToken"] = hashlib.sha256(job_id.encode()).hexdigest()
        body = json.dumps(answer).encode()
        if number == parts and name == "cut_file":
            body = body[: len(body) // 2]
        yield number, body


def notices_of(message: dict[str, Any], fault: Rule | None) -> list[dict[str, Any] | str]:
    """Return what is sent in the place of a job's notice, in order."""
    match fault.fault if fault else "":
        case "lost":
            return []
        case "doubled":
            assert fault
            return [message] * int(fault.parameters["copies"])
        case "foreign":
            other = hashlib.sha256(message["JobId"].encode()).hexdigest()
            stranger = {"JobId": other, "JobTag": f"{other[:40]}.1"}
            return _before(message | stranger, message, fault)
        case "malformed":
            assert fault
            untagged = {name: value for name, value in message.items() if name != "JobTag"}
            as_text = fault.parameters["form"] == "text"
            return _before(NOT_A_NOTICE if as_text else untagged, message, fault)
        case _:
            return [message]


def _before(
    wrong: dict[str, Any] | str, message: dict[str, Any], fault: Rule | None
) -> list[dict[str, Any] | str]:
    assert fault
    return [wrong] if fault.parameters["instead"] else [wrong, message]
