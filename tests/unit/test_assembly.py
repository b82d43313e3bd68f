"""Result files become pages, wherever files, pages and blocks are cut; nothing goes unnoticed."""

import gc
import json
import random
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from textract_made import Block, Paper, assembly, children, page_of, read, result, scattered

from mailroom import pages
from mailroom.errors import OcrResultsIncomplete
from mailroom.ocr import textract_json
from mailroom.ocr.assembly import Assembly, Counts

CORPUS = Path(__file__).parents[3] / "shared" / "corpus" / "textract"
needs_corpus = pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not there")
REAL = [path for path in sorted(CORPUS.glob("*.json")) if "expense_analysis" not in path.name]


def statement(number: int) -> list[Block]:
    """A page with something of everything."""
    paper = Paper(number)
    key = paper.line(f"Statement {number}", 0.1, 0.05)
    value = paper.line("12.00 EUR", 0.5, 0.05)
    paper.pair(key[:1], value)
    paper.line("one line of text that stands right across both of the columns below it", 0.1, 0.08)
    for at in range(5):
        paper.line("a line of prose in the left column", 0.08, 0.1 + at * 0.02)
        paper.line("a line of prose in the right column", 0.55, 0.1 + at * 0.02)
    title = paper.add("TABLE_TITLE", (0.1, 0.28, 0.2, 0.01), **children(key[:1]))
    table = paper.table(
        [["Item", "", "Price"], ["Pen", "two", "1.00"]],
        relations=[{"Type": "TABLE_TITLE", "Ids": [title]}],
    )
    paper.merge(table, 1, 1, 1, 2)
    answer = paper.add("QUERY_RESULT", (0.1, 0.1, 0.1, 0.01), Text="12.00")
    relations = [{"Type": "ANSWER", "Ids": [answer]}]
    query = paper.add("QUERY", Query={"Text": "Total?"}, Relationships=relations)
    paper.top.append(query)
    paper.add("SIGNATURE", (0.6, 0.8, 0.2, 0.05))
    paper.words("[X] stray", 0.1, 0.9)
    return paper.done()


DOCUMENT = [block for number in (1, 2, 3) for block in statement(number)]


def as_lines(found: Assembly) -> tuple[list[bytes], Counts]:
    return [pages.encode(page) for page in found.pages()], found.counts


WHOLE = as_lines(assembly(result(DOCUMENT, 3)))


def test_page_holds_lines_forms_tables_queries_and_signatures() -> None:
    (page,) = read(result(statement(1)))

    assert page.text.splitlines()[:4] == [
        "Statement 1",
        "12.00 EUR",
        "one line of text that stands right across both of the columns below it",
        "a line of prose in the left column",
    ]
    assert page.text.splitlines()[-2:] == ["[X]", "stray"]
    assert [(pair.key, pair.value) for pair in page.forms] == [("Statement", "12.00 EUR")]
    (table,) = page.tables
    assert (table.title, table.texts()) == (
        "Statement",
        [["Item", "", "Price"], ["Pen", "two", "1.00"]],
    )
    assert [(query.question, query.answer) for query in page.queries] == [("Total?", "12.00")]
    assert page.signatures == [(0.6, 0.8, 0.2, 0.05)]


@settings(deadline=None, max_examples=50)
@given(st.integers(1, 6), st.integers(0, 10**6))
def test_pages_do_not_depend_on_how_blocks_and_relations_lie_in_files(
    files: int, seed: int
) -> None:
    parts = scattered(DOCUMENT, files, random.Random(seed))

    assert as_lines(assembly(*(result(part, 3) for part in parts))) == WHOLE


@settings(deadline=None, max_examples=30)
@given(st.lists(st.integers(0, len(DOCUMENT)), max_size=5))
def test_pages_do_not_depend_on_where_the_files_are_cut(cuts: list[int]) -> None:
    edges = [0, *sorted(cuts), len(DOCUMENT)]
    parts = [DOCUMENT[start:end] for start, end in pairwise(edges)]

    assert as_lines(assembly(*(result(part, 3) for part in parts))) == WHOLE


@settings(deadline=None, max_examples=30)
@given(st.integers(0, len(DOCUMENT)), st.integers(0, len(DOCUMENT)))
def test_block_that_comes_in_two_files_counts_once(start: int, end: int) -> None:
    assert as_lines(assembly(result(DOCUMENT, 3), result(DOCUMENT[start:end], 3))) == WHOLE


def test_page_comes_as_soon_as_its_last_block_is_read() -> None:
    fetched: list[int] = []
    files = [result(statement(number), 3) for number in (1, 2, 3)]

    def fetch(number: int) -> bytes:
        fetched.append(number)
        return json.dumps(files[number - 1]).encode()

    stream = Assembly(3, fetch).pages()

    assert fetched == [1, 2, 3]
    assert next(stream).number == 1
    assert fetched == [1, 2, 3, 1]


def test_memory_does_not_grow_with_the_document() -> None:
    def living(count: int) -> int:
        """The most blocks that were alive when a page came out."""
        found = Assembly(count, lambda n: json.dumps(result(statement(n), count)).encode())
        return max(blocks_alive() for _ in found.pages())

    assert living(15) == living(5) <= 2 * len(statement(1))


def blocks_alive() -> int:
    return sum(isinstance(thing, textract_json.Block) for thing in gc.get_objects())


def test_characters_found_are_the_characters_kept() -> None:
    _, counts = WHOLE

    letters = sum(len(block["Text"]) for block in DOCUMENT if block["BlockType"] == "WORD")
    assert counts.characters_found == counts.characters_kept == letters
    assert (counts.pages_reported, counts.pages_read, counts.dangling) == (3, 3, 0)
    assert counts.words == sum(block["BlockType"] == "WORD" for block in DOCUMENT)


def test_word_that_is_in_two_lines_is_kept_once() -> None:
    paper = Paper()
    words = paper.line("Total 12.00")
    paper.add("LINE", (0.1, 0.1, 0.1, 0.01), Text="Total", **children(words[:1]))

    found = assembly(result(paper.done()))

    assert sorted(len(line.words) for page in found.pages() for line in page.lines) == [0, 2]
    assert found.counts.characters_kept == found.counts.characters_found


def test_child_that_is_named_twice_counts_once() -> None:
    paper = Paper()
    paper.line("Total 12.00")
    line = paper.get(paper.top[0])
    line["Relationships"][0]["Ids"] *= 2
    paper.top.append(paper.add("LAYOUT_TEXT", **children([line["Id"], line["Id"]])))

    (page,) = read(result(paper.done()))

    assert [(line.text, len(line.words), line.kind) for line in page.lines] == [
        ("Total 12.00", 2, "text")
    ]


def test_line_shows_each_of_its_words() -> None:
    paper = Paper()
    paper.line("Total 12.00")
    paper.get(paper.top[0])["Text"] = "Total"

    assert page_of(paper).text == "Total 12.00"


def test_reference_that_leads_nowhere_is_counted() -> None:
    gone = [b for b in DOCUMENT if b["Id"] != next(c["Id"] for c in DOCUMENT if c.get("Text"))]
    found = assembly(result(gone, 3))

    assert len(list(found.pages())) == 3
    assert found.counts.dangling == sum(
        relation["Ids"].count("WORD-1-0")
        for block in gone
        for relation in block.get("Relationships", [])
    )


def test_missing_pages_are_known_before_the_first_page() -> None:
    found = assembly(result(statement(2), 5), result(statement(4), 5))

    assert found.counts.missing_pages == [1, 3, 5]
    assert [page.number for page in found.pages()] == [2, 4]
    assert (found.counts.pages_reported, found.counts.pages_read) == (5, 2)


def test_greatest_count_of_pages_of_all_files_counts() -> None:
    assert assembly(result([], 2), result([], 7), result([], 3)).counts.pages_reported == 7


def test_warnings_of_every_file_are_kept_once_and_name_the_pages() -> None:
    first = result([], 9, Warnings=[{"ErrorCode": "INTERNAL_ERROR", "Pages": [2, 3, 4]}])
    second = result([], 9, Warnings=[{"ErrorCode": "INTERNAL_ERROR", "Pages": [4, 7]}, {}])
    third = result([], 9, Warnings=None)

    counts = assembly(first, second, third).counts

    assert counts.warnings == ["INTERNAL_ERROR on page 2-4, 7", "unknown on page unknown"]


def test_warning_about_thousands_of_pages_is_short_and_counts_the_rest() -> None:
    odd = list(range(1, 5001, 2))

    (warning,) = assembly(
        result([], 1, Warnings=[{"ErrorCode": "X", "Pages": odd}])
    ).counts.warnings

    assert warning == "X on page 1, 3, 5, 7, 9, 11, 13, 15, 17, 19 and 2490 more"


def test_last_file_that_promises_more_is_incomplete() -> None:
    with pytest.raises(OcrResultsIncomplete, match="Result file 2 says that there are more"):
        assembly(result([], 1, NextToken="more"), result([], 1, NextToken="more"))


def test_cut_file_is_incomplete_and_not_quoted() -> None:
    whole = json.dumps(result(statement(1))).encode()

    with pytest.raises(OcrResultsIncomplete) as caught:
        Assembly(1, lambda _: whole[: len(whole) // 2])

    assert str(caught.value) == "Result file 1 is cut."


@pytest.mark.parametrize("raw", [b"[]", b'{"Blocks": [{"Page": "three"}]}', b'{"Blocks": 1}', b"1"])
def test_file_that_is_no_result_is_not_quoted(raw: bytes) -> None:
    with pytest.raises(OcrResultsIncomplete, match="Result file 1 is not a result") as caught:
        Assembly(1, lambda _: raw)

    assert "three" not in str(caught.value)


def test_keys_that_are_null_or_missing_are_as_good_as_absent() -> None:
    nothing: dict[str, Any] = dict.fromkeys(
        ("Page", "Query", "RowIndex", "SelectionStatus", "EntityTypes", "Hint", "TextType")
    )
    blocks = [
        {**nothing, **{k: v for k, v in block.items() if k != "Page"}} for block in statement(1)
    ]
    file = result(blocks, NextToken=None, StatusMessage=None, Warnings=None, Extra={"Blocks": []})

    assert as_lines(assembly(file)) == as_lines(assembly(result(statement(1))))


def test_document_without_text_has_pages_without_lines() -> None:
    page = {"Id": "p", "BlockType": "PAGE", "Page": 1, "Confidence": None}

    assert read(result([page])) == [pages.Page(1)]


def responses(path: Path) -> Iterator[tuple[list[Block], int]]:
    response = json.loads(path.read_text("utf-8"))
    for answer in response if isinstance(response, list) else [response]:
        yield answer["Blocks"], answer["DocumentMetadata"]["Pages"]


@needs_corpus
@pytest.mark.parametrize("path", REAL, ids=lambda path: path.stem)
def test_real_response_keeps_every_line_word_table_and_signature(path: Path) -> None:
    for blocks, count in responses(path):
        found = assembly(result(blocks, count))
        read_pages = list(found.pages())
        kinds = [block["BlockType"] for block in blocks]

        assert found.counts.words == kinds.count("WORD")
        assert found.counts.characters_found == found.counts.characters_kept
        assert found.counts.dangling == 0
        assert sum(len(page.lines) for page in read_pages) == kinds.count("LINE")
        assert sum(len(page.tables) for page in read_pages) == kinds.count("TABLE")
        assert sum(len(page.signatures) for page in read_pages) == kinds.count("SIGNATURE")


@needs_corpus
@pytest.mark.parametrize("path", REAL, ids=lambda path: path.stem)
def test_real_response_reads_the_same_in_any_number_of_files(path: Path) -> None:
    for blocks, count in responses(path):
        whole = as_lines(assembly(result(blocks, count)))
        for files in (2, 5):
            parts = scattered(blocks, files, random.Random(files))
            assert as_lines(assembly(*(result(part, count) for part in parts))) == whole


@needs_corpus
def test_table_of_a_real_document_goes_on_over_three_pages() -> None:
    ((blocks, count),) = responses(CORPUS / "get_document_analysis_table_over_three_pages.json")

    tables = [table for page in read(result(blocks, count)) for table in page.tables]

    assert [table.continued for table in tables] == [False, False, True, True]
