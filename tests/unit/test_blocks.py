"""Result files become pages, wherever the cut between two files falls."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mailroom.blocks import Page, Reading, assemble

CORPUS = Path(__file__).parents[3] / "shared" / "corpus" / "textract"
needs_corpus = pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not there")


def word(identity: str, text: str, page: int = 1) -> dict[str, Any]:
    return {"Id": identity, "BlockType": "WORD", "Text": text, "Confidence": 99.5, "Page": page}


def block(identity: str, kind: str, children: list[str], **more: Any) -> dict[str, Any]:
    relations = [{"Type": "CHILD", "Ids": children}] if children else []
    return {"Id": identity, "BlockType": kind, "Relationships": relations, "Page": 1, **more}


BLOCKS: list[dict[str, Any]] = [
    block("p", "PAGE", ["l1", "l2"]),
    block("l1", "LINE", ["w1", "w2"], Text="Total: 12.00"),
    block("l2", "LINE", ["w3"], Text="Paid"),
    word("w1", "Total:"),
    word("w2", "12.00"),
    word("w3", "Paid"),
    {
        "Id": "k",
        "BlockType": "KEY_VALUE_SET",
        "EntityTypes": ["KEY"],
        "Page": 1,
        "Relationships": [{"Type": "VALUE", "Ids": ["v"]}, {"Type": "CHILD", "Ids": ["w1"]}],
    },
    block("v", "KEY_VALUE_SET", ["w2"], EntityTypes=["VALUE"]),
    block("k2", "KEY_VALUE_SET", ["w3"], EntityTypes=["KEY"]),
    block("t", "TABLE", ["c1", "c2"]),
    block("c1", "CELL", ["w1"], RowIndex=1, ColumnIndex=1),
    block("c2", "CELL", ["s"], RowIndex=2, ColumnIndex=2),
    {"Id": "s", "BlockType": "SELECTION_ELEMENT", "SelectionStatus": "SELECTED", "Page": 1},
]


def files(*cuts: int) -> list[dict[str, Any]]:
    edges = [0, *sorted(cuts), len(BLOCKS)]
    parts = [BLOCKS[start:end] for start, end in pairwise(edges)]
    return [{"DocumentMetadata": {"Pages": 1}, "Blocks": json.loads(json.dumps(p))} for p in parts]


def test_assemble_reads_text_forms_tables_and_words() -> None:
    (page,) = assemble(files()).pages

    assert page.text == "Total: 12.00\nPaid"
    assert page.forms == [("Total:", "12.00"), ("Paid", "")]
    assert page.tables == [[["Total:", ""], ["", "[X]"]]]
    assert page.words == [("Total:", 99.5), ("12.00", 99.5), ("Paid", 99.5)]


@given(st.lists(st.integers(0, len(BLOCKS)), max_size=6))
def test_assemble_does_not_care_where_the_files_are_cut(cuts: list[int]) -> None:
    assert assemble(files(*cuts)) == assemble(files())


@given(st.integers(0, len(BLOCKS)), st.integers(0, len(BLOCKS)))
def test_assemble_counts_a_block_once_that_comes_in_two_files(start: int, end: int) -> None:
    twice = [*files(), {"DocumentMetadata": {"Pages": 1}, "Blocks": BLOCKS[start:end]}]

    assert assemble(twice) == assemble(files())


def test_assemble_joins_the_relations_of_a_block_in_two_files() -> None:
    first, second = files(), files()
    line = {"Id": "l2", "BlockType": "LINE", "Text": "Paid", "Page": 1}
    first[0]["Blocks"][2] = {**line, "Relationships": [{"Type": "CHILD", "Ids": ["w3"]}]}
    second[0]["Blocks"][2] = {**line, "Relationships": [{"Type": "CHILD", "Ids": ["w2"]}]}

    assert assemble([*first, *second]).dangling == 0


def test_assemble_counts_references_that_lead_nowhere() -> None:
    incomplete = {"Blocks": [b for b in BLOCKS if b["Id"] != "w3"]}

    assert assemble([incomplete]).dangling == 2


def test_assemble_keeps_the_warnings_of_every_file() -> None:
    warned = [{"Warnings": [{"ErrorCode": "INTERNAL_ERROR", "Pages": [2, 3]}]}, {"Warnings": None}]

    assert assemble(warned).warnings == ["INTERNAL_ERROR on page 2, 3"]


def test_assemble_of_nothing_is_nothing() -> None:
    assert assemble([]) == Reading()


def test_page_goes_to_json_and_back() -> None:
    (page,) = assemble(files()).pages

    assert Page.from_json(json.loads(json.dumps(page.to_json()))) == page


@needs_corpus
@pytest.mark.parametrize("path", sorted(CORPUS.glob("*analy*document*.json")), ids=lambda p: p.stem)
def test_assemble_real_responses_keep_every_line_and_word(path: Path) -> None:
    response = json.loads(path.read_text("utf-8"))
    answers = response if isinstance(response, list) else [response]
    kinds = [b["BlockType"] for answer in answers for b in answer["Blocks"]]

    reading = assemble(answers)

    assert sum(len(page.words) for page in reading.pages) == kinds.count("WORD")
    assert sum(len(p.text.splitlines()) for p in reading.pages) == kinds.count("LINE")
    assert sum(len(page.tables) for page in reading.pages) == kinds.count("TABLE")
