"""The documents of the demo: where they are, and how each of them should end."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mailroom_desk.errors import SamplesNotFound

_FOLDER, _EXPECTED = "samples", "expected.json"


@dataclass(frozen=True)
class Sample:
    """One file with what `expected.json` says of it. `document_class` is None for a bad one."""

    path: Path
    document_class: str | None
    statuses: tuple[str, ...]
    fields: Mapping[str, Any]

    def is_met_by(self, status: str, document_class: str | None) -> bool:
        """Whether the document ended as it should, and was taken for what it is."""
        return status in self.statuses and self.document_class == document_class

    def found(self, fields: Mapping[str, Any]) -> int:
        """How many of the expected values were read, spaces and capitals aside."""
        return sum(_same(value, fields.get(name)) for name, value in self.fields.items())


def find_samples() -> list[Sample]:
    """The samples of the checkout that this is run from, or that it is run in.

    Raises SamplesNotFound.
    """
    for folder in _candidates():
        if (folder / _EXPECTED).is_file():
            return read_samples(folder)
    raise SamplesNotFound(
        f"The sample documents are not here. Run the demo in a checkout of Mailroom, whose "
        f"{_FOLDER}/ folder holds them."
    )


def read_samples(folder: Path) -> list[Sample]:
    """The files that `expected.json` names, in its order."""
    expected = json.loads((folder / _EXPECTED).read_text(encoding="utf-8"))
    return [
        Sample(folder / name, entry["class"], tuple(entry["statuses"]), entry.get("fields") or {})
        for name, entry in expected.items()
    ]


def _candidates() -> Iterator[Path]:
    here = Path.cwd()
    for parent in (*Path(__file__).resolve().parents, here, *here.parents):
        yield parent / _FOLDER


def _same(expected: Any, found: Any) -> bool:
    return "".join(str(expected).split()).casefold() == "".join(str(found).split()).casefold()
