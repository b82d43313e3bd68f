"""What the documentation says is there is there, and what is there is said."""

import re
from pathlib import Path

import pytest
from stack import template
from typer.main import get_command

from mailroom.document import Status
from mailroom_desk.cli import app

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text("utf-8")
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *(ROOT / "samples").glob("*.md")]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_files_that_exist(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text("utf-8")):
        if not target.startswith("https://"):
            assert (page.parent / target).exists(), target


def test_readme_names_every_command_and_no_other() -> None:
    commands = set(get_command(app).commands)  # type: ignore[attr-defined]
    named = set(re.findall(r"(?:mailroom|make) ([a-z]+)", README))

    assert commands - named == set()
    assert set(re.findall(r"^mailroom ([a-z]+)", README, re.M)) <= commands


def test_readme_has_a_row_for_every_status() -> None:
    rows = re.findall(r"^\| `([A-Z_]+)` \|", README, re.M)

    assert sorted(rows) == sorted(Status)


def test_readme_has_a_row_for_every_parameter_with_its_default() -> None:
    # An empty default is written "none".
    rows = dict(re.findall(r"^\| `([A-Za-z]+)` \| (?:`([^`]+)`|none) \|", README, re.M))
    defaults = {name: str(each["Default"]) for name, each in template()["Parameters"].items()}

    assert rows == defaults


def test_readme_names_only_targets_of_the_makefile() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    targets = set(re.findall(r"^([a-z]+):", makefile, re.M))

    assert set(re.findall(r"^make ([a-z]+)", README, re.M)) <= targets


def test_sample_events_are_numbered_in_flow_order_without_a_gap() -> None:
    numbers = [int(path.name[:2]) for path in sorted((ROOT / "events").glob("*.json"))]

    assert numbers == list(range(1, len(numbers) + 1))
