"""Whatever a model answers becomes fields, problems, or both; never an exception."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mailroom.classes import packaged_classes
from mailroom.llm.answer import read

CLASSES = packaged_classes()


def tool_use(name: str, arguments: Any, stop_reason: str = "tool_use") -> dict[str, Any]:
    use = {"toolUse": {"toolUseId": "t1", "name": name, "input": arguments}}
    return {"stop_reason": stop_reason, "content": [use]}


def test_read_takes_class_and_fields() -> None:
    answer = read(tool_use("invoice", {"total": "93.50", "invoice_date": "2026-03-04"}), CLASSES)

    assert answer.document_class == "invoice"
    assert answer.fields == {"total": "93.50", "invoice_date": "2026-03-04"}
    assert answer.problems == []


@pytest.mark.parametrize(
    "reason",
    [
        "end_turn",
        "max_tokens",
        "stop_sequence",
        "guardrail_intervened",
        "content_filtered",
        "refusal",
        "malformed_tool_use",
        "malformed_model_output",
        "model_context_window_exceeded",
        "made_up",
        "made up " * 1_000,
        None,
    ],
)
@pytest.mark.parametrize("content", [[], [{"text": "Sorry."}], tool_use("invoice", {})["content"]])
def test_read_other_stop_reason_is_no_answer(reason: str | None, content: list[Any]) -> None:
    answer = read({"stop_reason": reason, "content": content}, CLASSES)

    assert answer.document_class is None
    (problem,) = answer.problems
    assert str(reason)[:20] in problem and len(problem) < 120
    assert not answer.repairable
    assert answer.cut == (reason in ("max_tokens", "model_context_window_exceeded"))


@pytest.mark.parametrize(
    ("field", "given_value", "kept"),
    [
        ("total", 93.5, "93.5"),
        ("total", 1234, "1234"),
        ("total", "1.234,50", "1234.50"),
        ("total", "$1,234.50", "1234.50"),
        ("total", "(12.00)", "-12.00"),
        ("total", "€ -12.00", "-12.00"),
        ("total", "$(12.00)", "-12.00"),
        ("total", "−5,00 €", "-5.00"),
        ("total", "12.00-", "-12.00"),
        ("total", "CHF 1'234.50", "1234.50"),
        ("total", "1 234,50 EUR", "1234.50"),
        ("total", "１２３.５０", "123.50"),
        ("total", 1e3, "1000.0"),
        ("total", "1E+3", "1000"),
        ("invoice_date", "25/12/2026", "2026-12-25"),
        ("invoice_date", "December 25, 2026", "2026-12-25"),
        ("invoice_date", "2026-12-25T00:00:00Z", "2026-12-25"),
        ("invoice_number", 17, "17"),
        ("line_items", '[{"description": "Web", "amount": "1.00"}]',
         [{"description": "Web", "amount": "1.00"}]),
        ("line_items", {"description": "Web"}, [{"description": "Web"}]),
        ("line_items", [{"description": "Web", "amount": None}], [{"description": "Web"}]),
        ("line_items", ['{"description": "Web", "amount": 10.10}'],
         [{"description": "Web", "amount": "10.10"}]),
    ],
)  # fmt: skip
def test_read_coerces_by_rule(field: str, given_value: Any, kept: Any) -> None:
    answer = read(tool_use("invoice", {field: given_value}), CLASSES)

    assert answer.fields == {field: kept}
    assert answer.problems == []


@pytest.mark.parametrize("nothing", [None, "", "N/A", "n/a", "null", "None", " - ", [], {}])
def test_read_leaves_out_what_says_nothing(nothing: Any) -> None:
    for field in ("total", "invoice_number", "invoice_date", "line_items"):
        assert field not in read(tool_use("invoice", {field: nothing}), CLASSES).fields


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("total", "about ten"),
        ("total", "€ 1.234"),
        ("total", "NaN"),
        ("total", float("inf")),
        ("total", "1e999999999"),
        ("total", "12.00 CR"),
        ("total", "19 %"),
        ("invoice_date", "03/04/2026"),
        ("invoice_date", "2026-02-30"),
        ("invoice_date", "soon"),
        ("vendor_name", float("nan")),
        ("vendor_name", " … "),
        ("vendor_name", "..."),
        ("currency", "dollars"),
        ("invoice_number", ["17"]),
        ("line_items", "three lines"),
        ("line_items", {"0": {"description": "Web"}}),
        ("line_items", "[{'description': 'Web'}]"),
        ("colour", "red"),
    ],
)
def test_read_names_what_no_rule_can_mend(field: str, value: Any) -> None:
    answer = read(tool_use("invoice", {field: value, "po_number": "7"}), CLASSES)

    assert answer.fields == {"po_number": "7"}
    assert answer.repairable
    (problem,) = answer.problems
    assert str(value) not in problem


@pytest.mark.parametrize("name", ["spaceship", "", None])
def test_read_unknown_class_asks_again(name: Any) -> None:
    answer = read(tool_use(name, {}), CLASSES)

    assert answer.document_class is None
    assert answer.repairable


@pytest.mark.parametrize("arguments", ["[1]", "not JSON", 7, None, []])
def test_read_arguments_that_are_no_object_are_a_problem(arguments: Any) -> None:
    assert read(tool_use("invoice", arguments), CLASSES).problems


def test_read_arguments_as_json_text_are_parsed_once() -> None:
    assert read(tool_use("letter", json.dumps({"sender": "A"})), CLASSES).fields == {"sender": "A"}


json_values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=12,
)


@given(st.sampled_from([*CLASSES.by_name]), st.data())
def test_read_never_raises_and_never_keeps_a_wrong_type(name: str, data: st.DataObject) -> None:
    properties = CLASSES.by_name[name].schema["properties"]
    arguments = data.draw(st.dictionaries(st.sampled_from([*properties]), json_values))

    fields = read(tool_use(name, arguments), CLASSES).fields

    for field, value in fields.items():
        assert isinstance(value, list if properties[field]["type"] == "array" else str)
