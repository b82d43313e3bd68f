"""What a run leaves: a document's end, its class, and each expected value against what was given.

It holds the user's own values, is written where the user says, and is read back for a comparison.
"""

from enum import StrEnum
from pathlib import Path
from typing import Any

import msgspec

from mailroom_desk.documents import STORED
from mailroom_desk.errors import UnusableManifest


class Outcome(StrEnum):
    """An expected value against what was given. RIGHT also where rightly nothing was given."""

    RIGHT = "right"
    WRONG = "wrong"
    MISSING = "missing"


class Value(msgspec.Struct, frozen=True, omit_defaults=True):
    """One expected value. `grounded` and `confidence` (0 to 1) are None where they are unknown.

    A list has a value for each of its items, all with the list's name.
    """

    field: str
    outcome: Outcome
    expected: Any = None
    got: Any = None
    grounded: bool | None = None
    confidence: float | None = None

    @property
    def is_given(self) -> bool:
        return self.got is not None


class Document(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One document of a run.

    `status` is None where it had not ended. `unasked` are expected fields that the class does not
    have, `unchecked` is how many values were given that the manifest does not speak of. `seconds`
    run from the arrival to the end; `price_usd` is what AWS charges for it.
    """

    name: str
    document_id: str
    status: str | None
    is_scored: bool
    expected_class: str | None = None
    found_class: str | None = None
    ends: list[str] = []
    why: str = ""
    confidence: float | None = None
    pages: int | None = None
    seconds: float | None = None
    price_usd: float | None = None
    traits: dict[str, str] = {}
    values: list[Value] = []
    unasked: list[str] = []
    unchecked: int = 0

    @property
    def has_ended(self) -> bool:
        return self.status is not None

    @property
    def is_stored(self) -> bool:
        return self.status == STORED

    @property
    def class_is_right(self) -> bool:
        return self.found_class == self.expected_class

    @property
    def ends_as_expected(self) -> bool | None:
        """None where nothing is expected of its end."""
        return self.status in self.ends if self.ends else None


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """One evaluation. `reused` documents had been read before and were not paid for again."""

    manifest: str
    began: str
    took_s: float
    documents: list[Document]
    reused: int = 0
    interrupted: bool = False
    answered_by: list[str] = []
    versions: list[str] = []


def as_plain(run: Run) -> dict[str, Any]:
    """The run as JSON takes it, to be read back by `load_run`."""
    plain: dict[str, Any] = msgspec.to_builtins(run)
    return plain


def load_run(path: Path) -> Run:
    """What `--json` wrote. Raises UnusableManifest where it is something else."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Run)
    except msgspec.MsgspecError:
        raise UnusableManifest(
            f"{path} is not the result of an evaluation. Write one with: mailroom eval MANIFEST "
            "--json > FILE.json"
        ) from None


def is_run(path: Path) -> bool:
    """Whether a JSON file is the result of an evaluation, and no manifest."""
    if path.suffix.lower() != ".json":
        return False
    try:
        load_run(path)
    except UnusableManifest:
        return False
    return True
