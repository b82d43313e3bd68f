"""Read what is expected of documents: CSV, JSON lines, or the `expected.json` of the samples.

CSV has the columns path, class and expected_fields (JSON); language, format and scanned are kept
for the figures, other columns ignored. JSON lines have path, class and fields. `expected.json` has
an object a file name: class, statuses and fields. Paths are relative to the manifest.

Among the fields, `printed` holds values as the page prints them, which are accepted as well, null
means that the document has no such value, and `expect` tells in words how a damaged file ends.

Raises: UnusableManifest.
"""

import csv
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mailroom.document import Status
from mailroom_desk.errors import UnusableManifest

UNREADABLE = "unreadable"
"""The class of files that hold nothing to read."""

TRAITS = ("language", "format", "scanned")

# What the words of `expect` allow. A document that is not read is rejected before it is paid for,
# or dead-lettered by what Textract says of it.
_NOT_READ = (Status.REJECTED, Status.DEAD_LETTERED)
_ENDS: tuple[tuple[str, tuple[Status, ...]], ...] = (
    (r"reject|error", _NOT_READ),
    (r"partial|no text", (Status.IN_REVIEW,)),
    (r"or (?:resized|split)", (Status.STORED, Status.IN_REVIEW)),
)


@dataclass(frozen=True)
class Case:
    """One document and what is known of it.

    `is_scored` tells whether its class and fields are compared; `ends` are the statuses it may end
    with, none where nothing is said about that.
    """

    name: str
    file: Path
    document_class: str | None
    fields: Mapping[str, Any] = field(default_factory=dict)
    printed: Mapping[str, Any] = field(default_factory=dict)
    ends: tuple[str, ...] = ()
    is_scored: bool = True
    traits: Mapping[str, str] = field(default_factory=dict)


def read_manifest(path: Path) -> list[Case]:
    """The cases in the manifest's order."""
    readers = {".csv": _csv, ".jsonl": _json_lines, ".json": _samples}
    if path.suffix.lower() not in readers:
        raise UnusableManifest(f"{path} is neither .csv, .jsonl nor .json.")
    try:
        cases = list(readers[path.suffix.lower()](path))
    except UnicodeDecodeError:
        raise UnusableManifest(f"{path} is not UTF-8.") from None
    if not cases:
        raise UnusableManifest(f"{path} names no documents.")
    if lost := [case.name for case in cases if not case.file.is_file()]:
        raise UnusableManifest(
            f"{len(lost)} of the {len(cases)} files that {path} names are not there, {lost[0]} "
            "among them. Paths are relative to the manifest."
        )
    return cases


def expected_ends(words: str) -> tuple[str, ...]:
    """The statuses that a sentence such as "rejected: empty file" allows; none if it is unclear.

    Statuses may be named outright: "IN_REVIEW or DEAD_LETTERED".
    """
    named = tuple(status for status in Status if re.search(rf"\b{status}\b", words))
    if named:
        return named
    told = words.casefold()
    return tuple(end for pattern, ends in _ENDS if re.search(pattern, told) for end in ends)


def _csv(path: Path) -> Iterator[Case]:
    with path.open(encoding="utf-8-sig", newline="") as lines:
        rows = csv.DictReader(lines)
        if lacking := {"path", "class"} - set(rows.fieldnames or ()):
            raise UnusableManifest(f"{path} has no column {' and none '.join(sorted(lacking))}.")
        for row in rows:
            where = f"{path}, line {rows.line_num}"
            fields = _object(row.get("expected_fields") or "{}", where)
            yield _case(path, where, {**row, "fields": fields})


def _json_lines(path: Path) -> Iterator[Case]:
    for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1):
        if line.strip():
            where = f"{path}, line {number}"
            yield _case(path, where, _object(line, where))


def _samples(path: Path) -> Iterator[Case]:
    for name, entry in _object(path.read_text("utf-8"), str(path)).items():
        if not isinstance(entry, dict):
            raise UnusableManifest(f"{path}: {name} is not described by an object.")
        yield _case(path, f"{path}, {name}", {**entry, "path": name})


def _case(manifest: Path, where: str, entry: Mapping[str, Any]) -> Case:
    name, document_class = entry.get("path"), entry.get("class") or None
    fields = dict(entry.get("fields") or {})
    if not isinstance(name, str) or not name:
        raise UnusableManifest(f"{where}: there is no path.")
    printed, expect = fields.pop("printed", None) or {}, fields.pop("expect", None)
    ends = tuple(entry.get("statuses") or ()) or expected_ends(str(expect or ""))
    return Case(
        name=name,
        file=manifest.parent / name,
        document_class=document_class,
        fields=fields,
        printed=printed,
        ends=ends,
        is_scored=document_class not in (None, UNREADABLE) and expect is None,
        traits={trait: str(entry[trait]) for trait in TRAITS if entry.get(trait)},
    )


def _object(text: str, where: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise UnusableManifest(f"{where}: not JSON ({error.msg}).") from None
    if not isinstance(value, dict):
        raise UnusableManifest(f"{where}: not a JSON object.")
    return value
