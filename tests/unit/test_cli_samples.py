"""How the demo judges what became of a sample."""

import json
from pathlib import Path

import pytest

from mailroom_desk.samples import Sample, find_samples, read_samples

GOOD = Sample(Path("a.pdf"), "invoice", ("STORED", "IN_REVIEW"), {"total": "85.00", "tax": "5.00"})
BAD = Sample(Path("b.pdf"), None, ("REJECTED", "DEAD_LETTERED"), {})


@pytest.mark.parametrize(
    ("sample", "status", "document_class", "met"),
    [
        (GOOD, "STORED", "invoice", True),
        (GOOD, "IN_REVIEW", "invoice", True),
        (GOOD, "STORED", "letter", False),
        (GOOD, "DEAD_LETTERED", None, False),
        (GOOD, "SENT", None, False),
        (BAD, "REJECTED", None, True),
        (BAD, "STORED", "invoice", False),
    ],
)
def test_sample_is_met_by_its_own_statuses_and_class(
    sample: Sample, status: str, document_class: str | None, met: bool
) -> None:
    assert sample.is_met_by(status, document_class) is met


def test_found_counts_the_expected_values_spaces_aside() -> None:
    assert GOOD.found({"total": " 85.00", "tax": "6.00", "more": "x"}) == 1


def test_read_samples_takes_the_files_that_the_list_names(tmp_path: Path) -> None:
    entry = {"class": "invoice", "statuses": ["STORED"], "pages": 1, "fields": {"total": "1.00"}}
    (tmp_path / "expected.json").write_text(json.dumps({"a.pdf": entry}))
    (tmp_path / "README.md").touch()

    assert read_samples(tmp_path) == [
        Sample(tmp_path / "a.pdf", "invoice", ("STORED",), {"total": "1.00"})
    ]


def test_samples_of_this_checkout_are_found_from_anywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    assert len(find_samples()) >= 14
