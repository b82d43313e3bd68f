"""A document of any length is read whole, or the result says what was not read."""

import json
import re
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from typing import Any

import pytest

from mailroom.classes import packaged_classes
from mailroom.classify import classify
from mailroom.document import Work
from mailroom.errors import ModelInputTooLong, ModelThrottled, ReadingUnfinished
from mailroom.llm.asking import CALL_SECONDS, Asker
from mailroom.llm.habits import Habits
from mailroom.llm.prompt import Frame
from mailroom.llm.reading import Reader, Reading, text_limit
from mailroom.llm.windows import survey
from mailroom.pages import Line, Page, encode

CLASSES = packaged_classes()
HAIKU = "global.anthropic.claude-haiku-4-5-20251001-v1:0"
PAGE_TOKENS = 24  # of the pages below
IDENTITY = "ab" * 20

Say = Callable[[dict[str, Any]], dict[str, Any]]


def picks(name: str, fields: Any, stop_reason: str = "tool_use") -> dict[str, Any]:
    """What `Claude.ask` gives."""
    return {
        "content": [{"toolUse": {"toolUseId": "t1", "name": name, "input": fields}}],
        "stop_reason": stop_reason,
        "usage": {"inputTokens": 1000, "outputTokens": 100},
        "latency_ms": 10,
        "answered_by": "fake",
    }


def text_of(request: dict[str, Any]) -> str:
    return str(request["messages"][0]["content"][0]["text"])


def pages_in(request: dict[str, Any]) -> list[int]:
    return [int(number) for number in re.findall(r'<page number="(\d+)"', text_of(request))]


def is_for_class(request: dict[str, Any]) -> bool:
    return "any" in request["toolConfig"]["toolChoice"]


def reads_items(request: dict[str, Any]) -> dict[str, Any]:
    """An honest model: each page of these documents has one item."""
    items = [{"description": f"Item{n}", "amount": f"{n}.00"} for n in pages_in(request)]
    return picks("invoice", {"line_items": items})


class Model:
    """Answers by a function of the request, and remembers what it was asked."""

    model_id = HAIKU

    def __init__(self, say: Say = reads_items) -> None:
        self.say = say
        self.requests: list[dict[str, Any]] = []

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        self.requests.append(request)
        return self.say(request)

    @property
    def windows(self) -> list[list[int]]:
        """The pages of the calls that were not about the class, in the document's order."""
        return sorted(pages_in(each) for each in self.requests if not is_for_class(each))


class Shelf:
    """A bucket in memory."""

    def __init__(self) -> None:
        self.objects: dict[str, bytes] = {}

    def read_if_there(self, key: str) -> bytes | None:
        return self.objects.get(key)

    def write(self, key: str, body: bytes, content_type: str) -> None:
        self.objects[key] = body

    def lines(self, key: str) -> Iterator[bytes]:
        return iter(self.objects[key].splitlines())


def paper(count: int) -> list[Page]:
    """Pages of one item each, all of the same length in tokens."""
    return [
        Page(number, [Line(f"Item{number:04d} {number:04d}.00", [])])
        for number in range(1, count + 1)
    ]


def read(
    pages: Iterable[Page],
    model: Model,
    *,
    shelf: Shelf | None = None,
    limit: int = 10 * PAGE_TOKENS,
    view_tokens: int = 4 * PAGE_TOKENS,
    max_usd: str = "5",
    missing: str = "",
    remaining: Callable[[], float] = lambda: 900.0,
) -> Reading:
    content = list(pages)
    frame = Frame(IDENTITY, 1, len(content), missing)
    asker = Asker(shelf or Shelf(), model, CLASSES, Habits(), remaining)
    pieces = survey(content, limit)
    return Reader(
        lambda: content, pieces, limit, frame, asker, Decimal(max_usd), view_tokens
    ).read()


def items(reading: Reading) -> list[str]:
    return [row["description"] for row in reading.fields.get("line_items", ())]


def all_items(count: int) -> list[str]:
    return [f"Item{number}" for number in range(1, count + 1)]


def test_pages_below_are_as_long_as_these_tests_take_them_to_be() -> None:
    assert {piece.tokens for piece in survey(paper(30), 100)} == {PAGE_TOKENS}


# -- one call -------------------------------------------------------------------------------------


def test_document_that_fits_is_one_call_that_may_pick_any_class() -> None:
    model = Model()

    reading = read(paper(10), model)

    (request,) = model.requests
    assert request["toolConfig"]["toolChoice"] == {"any": {}}
    assert text_of(request).split("\n")[0] == f'<document-{mark()} pages="10">'
    assert (reading.document_class, items(reading)) == ("invoice", all_items(10))
    assert (reading.windows, reading.pages_shown, len(reading.answers)) == (1, 10, 1)


def mark() -> str:
    match = re.match(r"<document-([0-9a-f]{16}) ", text_of(_one_request()))
    assert match
    return match[1]


def _one_request() -> dict[str, Any]:
    model = Model()
    read(paper(1), model)
    return model.requests[0]


def test_pages_that_textract_did_not_give_are_told_to_the_model() -> None:
    model = Model()

    read(paper(3), model, missing="4, 6-7")

    assert text_of(model.requests[0]).split("\n")[1] == '<missing pages="4, 6-7"/>'


def test_broken_answer_is_repaired_with_one_more_call() -> None:
    model = Model(lambda request: picks("invoice", {"total": "soon"}))

    reading = read(paper(1), model)

    assert len(model.requests) == len(reading.answers) == 2
    assert reading.problems and "total" in reading.problems[0]


# -- windows --------------------------------------------------------------------------------------


def test_long_document_shows_every_page_once_and_its_items_come_in_order() -> None:
    model = Model()

    reading = read(paper(95), model)

    shown = [page for window in model.windows for page in window]
    assert shown == list(range(1, 96))
    assert len(model.windows) == 10 == reading.windows
    assert items(reading) == all_items(95)
    assert (reading.pages_shown, reading.problems) == (95, [])
    assert len(reading.answers) == 11


def test_class_comes_from_a_view_of_the_first_last_and_sampled_pages() -> None:
    model = Model()

    read(paper(95), model, view_tokens=12 * PAGE_TOKENS)

    (request,) = [each for each in model.requests if is_for_class(each)]
    pages = pages_in(request)
    assert pages[:4] == [1, 2, 3, 4] and pages[-2:] == [94, 95] and len(pages) == 12
    assert 'pages="95" shown="1-4,' in text_of(request).split("\n")[0]


def test_windows_share_tools_and_instructions_and_must_pick_the_class_found() -> None:
    model = Model()

    read(paper(30), model)

    first, *windows = model.requests
    for request in windows:
        assert request["toolConfig"]["toolChoice"] == {"tool": {"name": "invoice"}}
        assert request["toolConfig"]["tools"] == first["toolConfig"]["tools"]
        assert request["system"] == first["system"]
    heads = sorted(text_of(request).split("\n")[0] for request in windows)
    assert [re.findall(r'shown="([^"]+)"', head) for head in heads] == [
        ["1-10"], ["11-20"], ["21-30"],
    ]  # fmt: skip


def test_fields_of_the_view_are_neither_taken_nor_repaired() -> None:
    def say(request: dict[str, Any]) -> dict[str, Any]:
        if is_for_class(request):
            return picks("invoice", {"total": "soon", "vendor_name": "From the view"})
        return reads_items(request)

    model = Model(say)
    reading = read(paper(30), model)

    assert "vendor_name" not in reading.fields
    assert reading.problems == []
    assert len(model.requests) == 4


def test_windows_that_disagree_are_a_problem_and_totals_are_not_summed() -> None:
    def say(request: dict[str, Any]) -> dict[str, Any]:
        return picks("invoice", {"total": f"{pages_in(request)[0]}.00"})

    reading = read(paper(20), Model(say))

    assert reading.fields == {"total": "1.00"}
    assert reading.problems == ["The values of total on pages 1-10 and on pages 11-20 differ."]


def test_problem_of_a_window_names_its_pages_and_each_is_repaired_once() -> None:
    def say(request: dict[str, Any]) -> dict[str, Any]:
        if pages_in(request)[0] == 11:
            return picks("invoice", {"total": "soon"})
        return reads_items(request)

    model = Model(say)
    reading = read(paper(30), model)

    assert len(model.requests) == 5
    (problem,) = reading.problems
    assert problem.startswith("Pages 11-20: total")
    assert items(reading) == [*all_items(30)[:10], *all_items(30)[20:]]


def test_window_that_picks_another_class_gives_no_fields() -> None:
    def say(request: dict[str, Any]) -> dict[str, Any]:
        if pages_in(request)[0] == 11:
            return picks("receipt", {"total": "5.00"})
        return reads_items(request)

    reading = read(paper(20), Model(say))

    assert reading.document_class == "invoice"
    assert "total" not in reading.fields
    assert reading.problems == ["On pages 11-20 another class was picked."]


def test_document_of_no_class_is_not_read_further() -> None:
    refusal = {**picks("invoice", {}), "stop_reason": "content_filtered", "content": []}
    model = Model(lambda request: refusal)

    reading = read(paper(30), model)

    assert len(model.requests) == 1
    assert reading.document_class is None
    assert "content_filtered" in reading.problems[0]
    assert reading.pages_shown == 4


def test_page_longer_than_a_window_is_shown_in_parts_and_counts_when_all_are() -> None:
    long = Page(2, [Line(f"Word{number}", []) for number in range(200)])
    model = Model()

    reading = read([paper(1)[0], long, *paper(3)[2:]], model)

    parts = [text_of(request) for request in model.requests if not is_for_class(request)]
    words = re.findall(r"Word\d+", "".join(sorted(parts, key=_part)))
    assert words == [f"Word{number}" for number in range(200)]
    assert reading.pages_shown == 3


def _part(text: str) -> int:
    found = re.search(r'part="(\d+)/', text)
    return int(found[1]) if found else 0


# -- too long, cut off ----------------------------------------------------------------------------


def refuses_more_than(most: int, then: Say = reads_items) -> Say:
    def say(request: dict[str, Any]) -> dict[str, Any]:
        if len(pages_in(request)) > most:
            raise ModelInputTooLong("Input is too long for requested model.")
        return then(request)

    return say


def test_window_that_the_model_finds_too_long_is_asked_for_in_halves() -> None:
    model = Model(refuses_more_than(4))

    reading = read(paper(20), model)

    assert items(reading) == all_items(20)
    assert (reading.windows, reading.pages_shown, reading.problems) == (8, 20, [])


def test_document_that_the_model_finds_too_long_at_once_is_read_in_windows() -> None:
    model = Model(refuses_more_than(4))

    reading = read(paper(10), model)

    assert items(reading) == all_items(10)
    assert (reading.document_class, reading.pages_shown) == ("invoice", 10)


def test_page_that_is_refused_alone_is_not_shown_and_the_others_are() -> None:
    def say(request: dict[str, Any]) -> dict[str, Any]:
        if 7 in pages_in(request):
            raise ModelInputTooLong("Input is too long for requested model.")
        return reads_items(request)

    reading = read(paper(20), Model(say))

    assert items(reading) == [item for item in all_items(20) if item != "Item7"]
    assert reading.pages_shown == 19


def test_document_of_one_page_that_is_refused_was_not_shown() -> None:
    reading = read(paper(1), Model(refuses_more_than(0)))

    assert (reading.document_class, reading.pages_shown, reading.windows) == (None, 0, 0)
    assert reading.answers == []


def test_answer_that_is_cut_off_is_asked_for_in_halves_until_it_is_whole() -> None:
    def say(request: dict[str, Any]) -> dict[str, Any]:
        if len(pages_in(request)) > 3 and not is_for_class(request):
            return picks("invoice", {"line_items": [{"description": "Item1"}]}, "max_tokens")
        return reads_items(request)

    reading = read(paper(40), Model(say))

    assert items(reading) == all_items(40)
    assert (reading.pages_shown, reading.problems) == (40, [])


def test_cut_answer_to_the_only_call_gives_its_class_and_is_read_in_halves() -> None:
    def say(request: dict[str, Any]) -> dict[str, Any]:
        reason = "max_tokens" if len(pages_in(request)) > 5 else "tool_use"
        return {**reads_items(request), "stop_reason": reason}

    model = Model(say)
    reading = read(paper(10), model)

    assert items(reading) == all_items(10)
    assert model.windows == [[1, 2, 3, 4, 5], [6, 7, 8, 9, 10]]
    assert reading.problems == []


def test_cut_answer_about_one_page_is_a_problem_and_not_asked_for_again() -> None:
    model = Model(lambda request: picks("invoice", {"total": "1.00"}, "max_tokens"))

    reading = read(paper(1), model)

    assert len(model.requests) == 1
    assert reading.fields == {} and "max_tokens" in reading.problems[0]


# -- the price ------------------------------------------------------------------------------------


def test_document_above_the_price_limit_is_only_viewed_and_the_reason_has_the_figures() -> None:
    model = Model()

    reading = read(paper(95), model, max_usd="0.10")

    assert len(model.requests) == 1
    assert reading.document_class == "invoice"
    assert len(items(reading)) == reading.pages_shown == 4
    (reason,) = reading.problems
    assert re.fullmatch(
        r"The model's reading of all 95 pages may cost 0\.\d\d USD, more than the 0\.10 USD that "
        r"a document may: 4 pages were read\.",
        reason,
    )


def test_price_limit_stops_the_halving_of_what_is_cut_off() -> None:
    model = Model(lambda request: {**reads_items(request), "stop_reason": "max_tokens"})

    reading = read(paper(40), model, max_usd="0.35")

    assert 5 < len(model.requests) < 20
    assert all("max_tokens" in problem for problem in reading.problems)
    assert reading.pages_shown == 40


def test_short_document_is_read_whatever_the_limit() -> None:
    assert items(read(paper(2), Model(), max_usd="0")) == all_items(2)


# -- another try ----------------------------------------------------------------------------------


def test_reading_that_runs_out_of_time_goes_on_where_it_stopped_and_pays_nothing_twice() -> None:
    shelf, tries = Shelf(), 0
    asked: list[list[int]] = []
    reading = None
    while reading is None:
        tries += 1
        model = Model()
        clock = iter([CALL_SECONDS] * 3 + [CALL_SECONDS - 1] * 100)
        lock = threading.Lock()

        def remaining(clock: Iterator[int] = clock, lock: threading.Lock = lock) -> float:
            with lock:
                return float(next(clock))

        try:
            reading = read(paper(95), model, shelf=shelf, remaining=remaining)
        except ReadingUnfinished:
            assert len(model.requests) == 3
        asked += [pages_in(request) for request in model.requests]

    assert tries == 4  # eleven calls, three a try
    assert len(asked) == 11
    assert items(reading) == all_items(95)


def test_throttled_window_loses_no_other_answer_of_its_round() -> None:
    shelf = Shelf()

    def say(request: dict[str, Any]) -> dict[str, Any]:
        if pages_in(request)[0] == 11:
            raise ModelThrottled("Too fast.")
        return reads_items(request)

    with pytest.raises(ModelThrottled):
        read(paper(40), Model(say), shelf=shelf)
    model = Model()
    reading = read(paper(40), model, shelf=shelf)

    assert model.windows == [list(range(11, 21))]
    assert items(reading) == all_items(40)


def test_pages_are_streamed_and_never_all_held() -> None:
    class Watched(Page, weakref=True, eq=False):
        """A page that can be counted."""

    alive: weakref.WeakSet[Watched] = weakref.WeakSet()
    most = 0

    def pages() -> Iterator[Page]:
        nonlocal most
        for number in range(1, 301):
            page = Watched(number, [Line(f"Item{number:04d} {number:04d}.00", [])])
            alive.add(page)
            most = max(most, len(alive))
            yield page
            del page

    asker = Asker(Shelf(), Model(), CLASSES, Habits(), lambda: 900.0)
    limit = 10 * PAGE_TOKENS
    frame = Frame(IDENTITY, 1, 300)
    reading = Reader(
        pages, survey(pages(), limit), limit, frame, asker, Decimal(50), 4 * PAGE_TOKENS
    ).read()

    assert reading.pages_shown == 300
    assert most <= 3


def test_window_leaves_room_for_tools_answer_and_repair() -> None:
    assert 130_000 < text_limit(CLASSES) < 165_000


# -- the whole stage ------------------------------------------------------------------------------


def classified(pages: list[Page], model: Model, **extracted: Any) -> tuple[dict[str, Any], ...]:
    """The short form and the result in S3."""
    work = Work(IDENTITY, 1, "b", "incoming/x.pdf", "job", "SUCCEEDED")
    shelf = Shelf()
    shelf.write(work.text_key, b"\n".join(map(encode, pages)), "application/jsonl")
    counts = {
        "text_key": work.text_key,
        "markdown_key": "text/x.md",
        "pages_reported": len(pages),
        "pages_read": len(pages),
        "missing_pages": [],
        "missing": 0,
        "words": 2 * len(pages),
        "characters_found": 10,
        "characters_kept": 10,
        "dangling": 0,
        "warnings": [],
        **extracted,
    }
    short = classify(
        work, counts, shelf, model, CLASSES,
        features="FORMS,TABLES", max_usd=Decimal(5), remaining=lambda: 900.0,
    )  # fmt: skip
    return short, json.loads(shelf.objects[work.results_key])


def test_result_says_what_was_shown_in_how_many_windows_and_calls() -> None:
    short, result = classified(paper(3), Model())

    assert short["document_class"] == result["document_class"] == "invoice"
    assert (result["pages"], result["pages_shown"]) == (3, 3)
    assert (result["windows"], result["calls"]) == (1, 1)
    assert result["classes_version"] == CLASSES.version
    assert Decimal(result["price_usd"]) == 3 * Decimal("0.065") + Decimal("0.0015")
    assert isinstance(result["evidence"], dict)
    assert "evidence" not in short


def test_document_without_words_makes_no_call() -> None:
    model = Model()

    short, result = classified([Page(1)], model, words=0)

    assert model.requests == []
    assert "No text was found in the document." in result["reasons"]
    assert (result["windows"], result["calls"], short["doubtful"]) == (0, 0, True)


def test_missing_pages_are_named_to_the_model_and_counted_among_all() -> None:
    model = Model()

    classified(
        [each for each in paper(6) if each.number not in (2, 5)],
        model,
        pages_reported=7,
        missing_pages=[2, 5, 7],
        missing=3,
    )

    head, missing, *_ = text_of(model.requests[0]).split("\n")
    assert head.endswith('pages="7">')
    assert missing == '<missing pages="2, 5, 7"/>'


@pytest.mark.parametrize("count", [0, 1, 2])
def test_lists_of_none_one_and_two_items_are_lists_in_the_result(count: int) -> None:
    rows = [{"description": f"Item{number}"} for number in range(1, count + 1)]
    model = Model(lambda request: picks("invoice", {"line_items": rows}))

    _, result = classified(paper(2), model)

    assert result["fields"].get("line_items", []) == rows
