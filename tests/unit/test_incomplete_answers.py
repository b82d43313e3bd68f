"""Every way in which an answer can be incomplete and look complete is named as a problem."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mailroom.classes import packaged_classes
from mailroom.llm.answer import read
from mailroom.llm.habits import Habits, habits_of

CLASSES = packaged_classes()
WHOLE = {"vendor_name": "Northwind", "total": "93.50", "currency": "EUR"}
LINES = [{"description": "Web", "amount": "85.00"}]


def use(arguments: Any = WHOLE, name: Any = "invoice", **more: Any) -> dict[str, Any]:
    return {"toolUse": {"toolUseId": "t1", "name": name, "input": arguments, **more}}


def answer(*content: dict[str, Any], stop: str | None = "tool_use", **more: Any) -> dict[str, Any]:
    return {"stop_reason": stop, "content": list(content), **more}


def says(text: str) -> dict[str, Any]:
    return answer({"text": text}, stop="end_turn")


OK_TEXT = '{"name": "invoice", "input": {"total": "93.50"}}'
CUT_LIST = '[{"description": "Web"}, {"desc'
WAYS: dict[str, dict[str, Any]] = {
    # the stop reason says so, whatever stands beside it
    "cut off behind a whole tool call": answer(use(), stop="max_tokens"),
    "cut off by the window": answer(use(), stop="model_context_window_exceeded"),
    "filtered in the middle": answer(use(), stop="content_filtered"),
    "refused in the middle": answer(use(), stop="refusal"),
    "held back by a guardrail": answer(use(), stop="guardrail_intervened"),
    "a tool call that Bedrock could not read": answer(use(), stop="malformed_tool_use"),
    "an output that Bedrock could not read": answer(use(), stop="malformed_model_output"),
    "stopped by a sequence": answer(use(), stop="stop_sequence"),
    "a pause": answer(use(), stop="pause_turn"),
    "a stop reason that nobody knows": answer(use(), stop="made_up"),
    "no stop reason": answer(use(), stop=None),
    "the end of a turn behind a tool call": answer(use(), stop="end_turn"),
    # the guardrail says so, and the stop reason does not
    "masked by a guardrail": answer(use(), guardrail=True),
    "a guardrail's own sentence": answer({"text": OK_TEXT}, stop="end_turn", guardrail=True),
    # tools
    "no content": answer(),
    "no tool call": answer({"text": "Here it is."}),
    "split over two calls": answer(use(), use({"line_items": LINES})),
    "the same call twice": answer(use(), use()),
    "no arguments": answer({"toolUse": {"toolUseId": "t1", "name": "invoice"}}),
    "arguments that are cut text": answer(use('{"total": "93.50", "line_it')),
    "arguments that are a list": answer(use([WHOLE])),
    "a class that is not there": answer(use(name="invoices")),
    # fields
    "a field under another name": answer(use({**WHOLE, "invoice_total": "93.50"})),
    "a line's field under another name": answer(
        use({**WHOLE, "line_items": [{"description": "Web", "price": "85.00"}]})
    ),
    "a list that is cut text": answer(use({**WHOLE, "line_items": CUT_LIST})),
    "a list that is a count": answer(use({**WHOLE, "line_items": 12})),
    "a list that is its description": answer(use({**WHOLE, "line_items": "see above"})),
    "a list by index": answer(use({**WHOLE, "line_items": {"0": LINES[0], "1": LINES[0]}})),
    "a list that breaks off with dots": answer(use({**WHOLE, "line_items": [*LINES, "..."]})),
    "a line of dots": answer(use({**WHOLE, "line_items": [*LINES, {"description": "…"}]})),
    "a list with a line of another kind": answer(use({**WHOLE, "line_items": [*LINES, 7]})),
    "one amount of a list that is none": answer(
        use({**WHOLE, "line_items": [*LINES, {"description": "B", "amount": "ten"}]})
    ),
    "a field that is named twice": answer(use('{"total": "93.50", "total": "9.50"}')),
    "a value of another type": answer(use({**WHOLE, "due_date": ["2026-01-02"]})),
    "a date that no calendar has": answer(use({**WHOLE, "due_date": "2026-02-30"})),
    "a date with two readings": answer(use({**WHOLE, "due_date": "03/04/2026"})),
    "two dates": answer(use({**WHOLE, "due_date": "2026-01-01 to 2026-01-31"})),
    "an amount with two readings": answer(use({**WHOLE, "tax": "€ 1.234"})),
    # text in place of a tool call
    "talk alone": says("The invoice is over 93.50 EUR."),
    "text that is cut": says(OK_TEXT[:-9]),
    "two objects": says(f"{OK_TEXT}\n{OK_TEXT}"),
    "an object in a list": says(f"[{OK_TEXT}]"),
    "fields without a class": says('{"total": "93.50"}'),
    "more than class and fields": says('{"name": "invoice", "input": {}, "more": true}'),
    "another class in text": says('{"name": "bill", "input": {}}'),
    "a number that is none": says('{"name": "invoice", "input": {"total": NaN}}'),
    "a field twice in text": says('{"name": "invoice", "input": {"total": "1", "total": "2"}}'),
}


@pytest.mark.parametrize("way", WAYS)
def test_answer_that_only_looks_complete_has_a_problem(way: str) -> None:
    found = read(WAYS[way], CLASSES)

    assert found.problems, found
    assert not any("93.50" in problem or "Northwind" in problem for problem in found.problems)


def test_the_answers_beside_them_that_are_complete_have_none() -> None:
    for complete in (answer(use()), answer(use({**WHOLE, "line_items": LINES})), says(OK_TEXT)):
        assert read(complete, CLASSES).problems == []


def test_what_is_right_in_a_list_is_kept_beside_what_is_wrong() -> None:
    lines = [{"description": f"Line {n}", "amount": "ten"} for n in range(2_000)]

    found = read(answer(use({"line_items": lines})), CLASSES)

    assert found.fields["line_items"] == [{"description": line["description"]} for line in lines]
    assert found.problems == [
        "line_items.0.amount breaks the rule 'format' of its schema. And 1999 more like it."
    ]


# -- text in place of a tool call -----------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        OK_TEXT,
        f"```\n{OK_TEXT}\n```",
        f"```json\n{OK_TEXT}\n```",
        f"Here is the result:\n\n{OK_TEXT}",
        f"{OK_TEXT}\n\nI hope that this helps.",
        f"\ufeff{OK_TEXT}",
    ],
    ids=["bare", "fence", "fence with a language", "preface", "suffix", "byte order mark"],
)
def test_text_with_one_reading_is_taken_like_a_tool_call(text: str) -> None:
    found = read(says(text), CLASSES)

    assert (found.document_class, found.fields) == ("invoice", {"total": "93.50"})
    assert found.problems == []


@pytest.mark.parametrize(
    "text",
    [
        f"```json\n{OK_TEXT}\n```\nor\n```json\n{OK_TEXT}\n```",
        OK_TEXT.replace('"93.50"', "NaN"),
        OK_TEXT.replace('"', "'"),
        OK_TEXT.replace('"93.50"', '"93.50",'),
        OK_TEXT[:-1],
        '{"name": "invoice", "arguments": {"total": "93.50"}}',
        "{" * 100_000,
        '{"name":' + "[" * 100_000,
        '{"name": ' + "9" * 5_000 + "}",
    ],
    ids=["two blocks", "NaN", "single quotes", "trailing comma", "cut", "another shape", "braces",
         "brackets", "digits"],
)  # fmt: skip
def test_text_that_would_have_to_be_mended_is_asked_for_again(text: str) -> None:
    found = read(says(text), CLASSES)

    assert found.document_class is None and found.fields == {}
    assert found.repairable
    (problem,) = found.problems
    assert problem.startswith("The answer came as text") and "tool" in problem


def test_talk_without_an_object_is_not_asked_for_again() -> None:
    found = read(says("I would rather not."), CLASSES)

    assert not found.repairable
    assert found.problems == ["The model stopped with 'end_turn' instead of an answer."]


# -- the document's habits ------------------------------------------------------------------------

COMMA, POINT = Habits(decimal_mark=","), Habits(decimal_mark=".")
DAY, MONTH = Habits(day_first=True), Habits(day_first=False)


@pytest.mark.parametrize(
    ("habits", "field", "printed", "value"),
    [
        (COMMA, "total", "€ 1.234", "1234"),
        (POINT, "total", "€ 1.234", "1.234"),
        (COMMA, "total", "1,234", "1.234"),
        (POINT, "total", "1,234", "1234"),
        (POINT, "total", "-1,234", "-1234"),
        (COMMA, "total", "1.234,00", "1234.00"),
        (POINT, "total", "1.234", "1.234"),
        (COMMA, "total", "0.125", "0.125"),
        (COMMA, "total", "1234.500", "1234.500"),
        (DAY, "due_date", "03/04/2026", "2026-04-03"),
        (MONTH, "due_date", "03/04/2026", "2026-03-04"),
        (MONTH, "due_date", "25/12/2026", "2026-12-25"),
    ],
)
def test_habits_of_the_document_decide_between_two_readings(
    habits: Habits, field: str, printed: str, value: str
) -> None:
    found = read(answer(use({field: printed})), CLASSES, habits)

    assert found.fields == {field: value}
    assert found.problems == []


@pytest.mark.parametrize(
    ("habits", "field", "printed"),
    [
        (Habits(), "total", "1,234"),
        (Habits(), "due_date", "03/04/2026"),
        # As asked, or copied as it stands in a document that writes commas for decimals.
        (COMMA, "total", "1.234"),
        (COMMA, "total", -1.234),
    ],
)
def test_ambiguity_that_nothing_decides_is_a_reason(
    habits: Habits, field: str, printed: Any
) -> None:
    found = read(answer(use({field: printed})), CLASSES, habits)

    assert found.fields == {}
    assert found.problems == [f"{field} can be read in two ways: write it as asked."]
    assert found.repairable


@pytest.mark.parametrize(
    ("texts", "habits"),
    [
        (["Summe 1.234,50", "MwSt. 19,00 am 25.12.2026"], Habits(",", True)),
        (["Total 1,234.50", "due 12/25/2026"], Habits(".", False)),
        (["Total 93.50", "Version 2,10"], Habits()),
        (["5,00 6,00", "7,00 1.234,00", "12.50"], Habits(",", None)),
        (["1.234", "1,234", "03/04/2026"], Habits()),
        ([], Habits()),
    ],
)
def test_habits_are_what_unambiguous_print_says(texts: list[str], habits: Habits) -> None:
    assert habits_of(texts) == habits


# -- whatever comes -------------------------------------------------------------------------------

JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=12,
)
NAMES = st.sampled_from([*CLASSES.by_name]) | st.text(max_size=5) | JSON
KEYS = st.sampled_from([*CLASSES.by_name["invoice"].schema["properties"], "description", "amount"])
FIELDS = st.dictionaries(KEYS, JSON | st.dictionaries(KEYS, JSON, max_size=3), max_size=4)
BLOCKS = st.fixed_dictionaries({"text": st.text(max_size=60)}) | st.fixed_dictionaries(
    {"toolUse": st.fixed_dictionaries({}, optional={"name": NAMES, "input": JSON | FIELDS})}
)
STOPS = st.sampled_from(["tool_use", "end_turn"]) | JSON
HABITS = st.builds(Habits, st.sampled_from([None, ".", ","]), st.sampled_from([None, True, False]))


def fits(value: Any, schema: dict[str, Any]) -> bool:
    """Whether a value has the type that its schema names, all the way down."""
    match schema["type"]:
        case "array":
            return isinstance(value, list) and all(fits(each, schema["items"]) for each in value)
        case "object":
            return isinstance(value, dict) and all(
                fits(each, schema["properties"][name]) for name, each in value.items()
            )
    return isinstance(value, str) and value != ""


@given(STOPS, st.lists(BLOCKS, max_size=2), HABITS)
def test_any_answer_is_read_without_an_exception(stop: Any, content: Any, habits: Habits) -> None:
    found = read({"stop_reason": stop, "content": content}, CLASSES, habits)

    assert found.document_class in CLASSES.by_name or (found.problems and not found.fields)


@given(st.sampled_from([*CLASSES.by_name]), JSON | FIELDS, HABITS)
def test_any_arguments_leave_only_fields_of_the_right_type(
    name: str, arguments: Any, habits: Habits
) -> None:
    found = read(answer(use(arguments, name)), CLASSES, habits)

    properties = CLASSES.by_name[name].schema["properties"]
    assert all(fits(value, properties[field]) for field, value in found.fields.items())
