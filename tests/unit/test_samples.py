"""The sample documents: what the script makes is what is committed, and what it is said to be.

Pictures and PDFs are compared by what they show: compression libraries differ between machines.
"""

import json
import subprocess
import sys
from datetime import date
from decimal import Decimal
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageSequence
from pypdfium2 import PdfDocument, PdfiumError

SAMPLES = Path(__file__).parents[2] / "samples"
EXPECTED: dict[str, dict[str, Any]] = json.loads((SAMPLES / "expected.json").read_text("utf-8"))
GOOD = [name for name, entry in EXPECTED.items() if entry["class"]]
CLASSES = SAMPLES.parent / "src" / "mailroom" / "classes.json"
# What is in the folder besides the documents.
NOT_DOCUMENTS = {"make_samples.py", "maker", "expected.json", "README.md", "__pycache__"}
LARGEST_FILE = 250_000
LARGEST_SUM = 1_500_000
SIGNS = {"USD": "$", "EUR": "€", "GBP": "£"}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The documents, made anew."""
    return make(tmp_path_factory.mktemp("made"))


def test_samples_made_twice_are_the_same_bytes(made: Path, tmp_path: Path) -> None:
    again = make(tmp_path)
    for file in sorted(made.iterdir()):
        assert (again / file.name).read_bytes() == file.read_bytes(), file.name


def test_samples_on_disk_are_the_ones_the_script_makes(made: Path) -> None:
    on_disk = {file.name for file in SAMPLES.iterdir()} - NOT_DOCUMENTS
    assert on_disk == {file.name for file in made.iterdir()} == set(EXPECTED)


@pytest.mark.parametrize("name", GOOD)
def test_good_sample_on_disk_shows_what_the_script_draws(made: Path, name: str) -> None:
    on_disk, fresh = (pages(folder / name) for folder in (SAMPLES, made))
    assert len(on_disk) == len(fresh) == EXPECTED[name]["pages"]
    for old, new in zip(on_disk, fresh, strict=True):
        assert old.size == new.size
        difference = np.asarray(old, np.float64) - np.asarray(new, np.float64)
        assert np.abs(difference).mean() < 2


def test_samples_are_small() -> None:
    sizes = {name: (SAMPLES / name).stat().st_size for name in EXPECTED}
    assert max(sizes.values()) <= LARGEST_FILE
    assert sum(sizes.values()) <= LARGEST_SUM


def test_expected_classes_and_fields_are_the_ones_documents_have() -> None:
    classes = json.loads(CLASSES.read_text("utf-8"))["classes"]
    properties = {each["name"]: set(each["schema"]["properties"]) for each in classes}
    assert {EXPECTED[name]["class"] for name in GOOD} == set(properties)
    for name in GOOD:
        assert set(EXPECTED[name]["fields"]) <= properties[EXPECTED[name]["class"]], name


def test_expected_values_stand_in_the_text_of_digital_samples() -> None:
    texts = {name: text_layer(SAMPLES / name) for name in GOOD if name.endswith(".pdf")}
    assert [name for name, text in texts.items() if not text] == ["scan0042.pdf"]
    for name, text in texts.items():
        for field, value in EXPECTED[name]["fields"].items():
            printed = any(form in text for form in printed_forms(value))
            assert printed or not text, f"{name}, {field}: {value}"


def test_empty_sample_has_no_bytes() -> None:
    assert (SAMPLES / "empty.pdf").read_bytes() == b""


@pytest.mark.parametrize(
    ("name", "reason"), [("truncated.pdf", "Data format"), ("locked.pdf", "Incorrect password")]
)
def test_bad_sample_opened_fails_with_its_own_reason(name: str, reason: str) -> None:
    with pytest.raises(PdfiumError, match=reason):
        PdfDocument(SAMPLES / name)


def make(folder: Path) -> Path:
    """Run the script as a person would."""
    subprocess.run([sys.executable, SAMPLES / "make_samples.py", folder], check=True)
    return folder


def pages(file: Path) -> list[Image.Image]:
    """What a reader sees, in grey."""
    content = file.read_bytes()
    if content.startswith(b"%PDF"):
        document = PdfDocument(content)
        pictures = [page.render().to_pil().convert("L") for page in document]
        document.close()
        return pictures
    with Image.open(BytesIO(content)) as picture:
        return [frame.convert("L") for frame in ImageSequence.Iterator(picture)]


def text_layer(file: Path) -> str:
    """The words of a PDF on one line; nothing for a scan."""
    document = PdfDocument(file)
    text = " ".join(page.get_textpage().get_text_bounded() for page in document)
    document.close()
    return " ".join(text.split())


def printed_forms(value: str) -> set[str]:
    """The ways in which the samples print a value: dates, amounts and currencies have several."""
    forms = {value}
    if value in SIGNS:
        forms.add(SIGNS[value])
    elif len(value) == 10 and value[4] == value[7] == "-":
        day = date.fromisoformat(value)
        forms |= {
            f"{day:%B} {day.day}, {day.year}",
            f"{day.day} {day:%B} {day.year}",
            f"{day:%d %b %Y}".upper(),
            *(f"{day:{pattern}}" for pattern in ("%m/%d/%Y", "%d/%m/%Y", "%d.%m.%Y")),
        }
    elif "." in value and value.replace(".", "").isdigit():
        english = f"{Decimal(value):,.2f}"
        forms |= {english, english.translate(str.maketrans(",.", ".,"))}
    return forms
