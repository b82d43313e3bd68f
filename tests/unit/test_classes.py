"""Which classes are in force, and what a classes file must keep."""

import hashlib
import json
from collections.abc import Callable
from typing import Any

import pytest

from mailroom.classes import packaged_classes, packaged_file, parse
from mailroom.classes_file import CURRENT, classes_in_force, problems
from mailroom.errors import ClassesInvalid
from mailroom.llm.merge import rule_of

Change = Callable[[dict[str, Any]], Any]


class Shelf:
    """A bucket that holds at most the override."""

    def __init__(self, content: bytes | None = None) -> None:
        self.content = content
        self.asked: list[str] = []

    def read_if_there(self, key: str) -> bytes | None:
        self.asked.append(key)
        return self.content


def a_class(**parts: Any) -> dict[str, Any]:
    properties = {
        "number": {"type": "string", "description": "Its number."},
        "total": {"type": "string", "format": "decimal", "description": "Its total."},
        "rows": {
            "type": "array",
            "description": "Its rows.",
            "items": {
                "type": "object",
                "properties": {"name": {"type": "string", "description": "What."}},
            },
        },
    }
    return {
        "name": "ticket",
        "description": "A ticket.",
        "needed": ["total"],
        "schema": {"type": "object", "properties": properties},
        **parts,
    }


def a_file(**parts: Any) -> bytes:
    return json.dumps({"version": "7", "classes": [a_class(**parts)]}).encode()


def test_packaged_file_keeps_every_rule() -> None:
    assert problems(packaged_file()) == []


def test_version_names_the_file_by_its_own_version_and_its_content() -> None:
    digest = hashlib.sha256(packaged_file()).hexdigest()

    assert packaged_classes().version == f"2+{digest[:12]}"
    assert parse(a_file()).version != parse(a_file(description="Another.")).version


def test_packaged_classes_are_in_force_where_the_bucket_has_none() -> None:
    shelf = Shelf()

    assert classes_in_force(shelf) is packaged_classes()
    assert shelf.asked == ["classes/current.json"] == [CURRENT]


def test_file_in_the_bucket_takes_the_place_of_the_packaged_one() -> None:
    content = a_file(merge={"number": "last"}, signs=["ticket"], labels={"total": ["summe"]})

    found = classes_in_force(Shelf(content))

    assert list(found.by_name) == ["ticket"]
    assert found.version == f"7+{hashlib.sha256(content).hexdigest()[:12]}"
    ticket = found.by_name["ticket"]
    assert (ticket.merge, ticket.signs, ticket.labels) == (
        {"number": "last"}, ("ticket",), {"total": ("summe",)},
    )  # fmt: skip


def test_model_sees_names_descriptions_and_schemas_and_nothing_else() -> None:
    tools = parse(a_file(labels={"total": ["summe"]}, signs=["ticket"])).tools()

    assert tools == [
        {
            "toolSpec": {
                "name": "ticket",
                "description": "A ticket.",
                "inputSchema": {"json": a_class()["schema"]},
            }
        },
        {"cachePoint": {"type": "default"}},
    ]


def test_file_in_the_bucket_that_breaks_a_rule_is_refused_with_the_rule_and_the_class() -> None:
    with pytest.raises(ClassesInvalid) as refused:
        classes_in_force(Shelf(a_file(needed=["nothing"])))

    assert str(refused.value) == (
        "classes/current.json breaks 1 rules. "
        "ticket: needed names 'nothing', which is no property of the schema."
    )


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"{", "The file is no JSON: Expecting property name enclosed in double quotes in line 1"),
        (b"{\"a\": \"\xe9\"}", "The file is not UTF-8."),
        (b"[" * 100_000, "The file is no JSON: it is nested too deeply."),
        (b"[]", "The file must be an object with version and classes."),
        (b'{"version": "1"}', "classes must be a list of at least one class."),
        (b'{"version": "1", "classes": []}', "classes must be a list of at least one class."),
        (b'{"version": "1", "classes": [7]}', "Class 1: a class must be an object."),
        (b" " * 1_000_001, "The file is longer than 1000000 bytes."),
    ],
)  # fmt: skip
def test_what_is_no_file_of_classes_is_said_in_one_sentence(content: bytes, problem: str) -> None:
    (found,) = problems(content)

    assert found.startswith(problem)


@pytest.mark.parametrize("version", ["", "a b", "1/2", "x" * 41])
def test_version_must_be_fit_for_a_key(version: str) -> None:
    file = {"version": version, "classes": [a_class()]}

    (problem,) = problems(json.dumps(file).encode())

    assert problem.startswith("version must be a text of 1 to 40 letters")


def test_classes_of_one_name_are_refused() -> None:
    file = {"version": "1", "classes": [a_class(), a_class()], "more": 1}

    assert problems(json.dumps(file).encode()) == [
        "The file has an unknown part 'more'.",
        "ticket: the name is given twice.",
    ]


def schema(**properties: Any) -> dict[str, Any]:
    return {"schema": {"type": "object", "properties": properties}, "needed": []}


@pytest.mark.parametrize(
    ("parts", "problem"),
    [
        ({"description": 7}, "description must be a text."),
        ({"description": " "}, "description is empty: the model picks the class by it."),
        ({"prompt": "x"}, "'prompt' is no part of a class."),
        ({"labels": []}, "labels must be an object."),
        ({"schema": {"type": "array"}},
         'schema must have the type "object" and at least one property: Bedrock insists on it.'),
        (schema(),
         'schema must have the type "object" and at least one property: Bedrock insists on it.'),
        (schema(a=7),
         "a must have a type, one of object, array, string, number, integer, boolean."),
        (schema(a={"type": "string"}), "a has no description: the model fills the field by it."),
        (schema(a={"type": "string", "description": "A.", "$ref": "#"}),
         "a has the keyword '$ref', which is not supported for the type string."),
        (schema(a={"type": "string", "description": "A.", "format": "iban"}),
         "a has an unknown format; there are date, decimal, currency."),
        (schema(a={"type": "string", "description": "A.", "pattern": "("}),
         "a has a pattern that is no regular expression."),
        (schema(a={"type": "string", "description": "A.", "enum": []}),
         "a has an enum that is no list of texts."),
        (schema(a={"type": "array", "description": "A."}),
         "a.items must have a type, one of object, array, string, number, integer, boolean."),
        (schema(a={"type": "array", "description": "A.", "items": {"type": "object"}}),
         "a.items must have properties."),
        (schema(**{"a b": {"type": "string", "description": "A."}}),
         "schema has a property whose name is not 1 to 64 letters, digits, - and _."),
        ({"needed": ["vendor"]}, "needed names 'vendor', which is no property of the schema."),
        ({"labels": {"vendor": ["x"]}},
         "labels names 'vendor', which is no property of the schema."),
        ({"labels": {"total": []}}, "labels of total must be a list of texts."),
        ({"labels": {"total": ["Summe"]}},
         "labels of total must be in lower case: they are compared so."),
        ({"signs": [7]}, "signs must be a list of texts."),
        ({"merge": {"vendor": "first"}},
         "merge names 'vendor', which is no property of the schema."),
        ({"merge": {"total": "sum"}},
         "merge of total must be one of agree, first, last, concatenate."),
        ({"merge": {"total": "concatenate"}},
         "merge of total is concatenate, which is for lists alone."),
        ({"merge": {"rows": "agree"}}, "merge of rows is agree, which is not for lists."),
    ],
)  # fmt: skip
def test_broken_rule_is_named_with_its_class_and_place(parts: dict[str, Any], problem: str) -> None:
    assert problems(a_file(**parts)) == [f"ticket: {problem}"]


def test_name_that_bedrock_refuses_is_named_by_its_place_in_the_file() -> None:
    assert problems(a_file(name="a ticket")) == [
        "Class 1: name must be 1 to 64 letters, digits, dashes and underscores."
    ]


def test_part_that_is_missing_is_named() -> None:
    file = {"version": "1", "classes": [{"name": "ticket", "description": "A ticket."}]}

    assert problems(json.dumps(file).encode()) == [
        "ticket: schema is missing.",
        "ticket: needed is missing.",
    ]


def test_check_that_names_no_field_is_refused_with_its_number() -> None:
    broken = {"rule": "sum", "total": "nothing", "parts": ["total"]}

    (problem,) = problems(a_file(checks=[broken]))

    assert problem.startswith("ticket: checks, number 1: ")


def test_classes_that_would_fill_the_window_are_refused() -> None:
    (problem,) = problems(a_file(description="word " * 30_000))

    assert problem == "The model would see more than 40000 tokens of classes in each call."


def test_invoice_has_the_fields_that_checksums_can_be_checked_of() -> None:
    properties = packaged_classes().by_name["invoice"].schema["properties"]

    assert "IBAN" in properties["iban"]["description"]
    assert "VAT" in properties["vendor_vat"]["description"]


@pytest.mark.parametrize(
    ("name", "field", "rule"),
    [
        ("invoice", "total", "agree"),
        ("invoice", "line_items", "concatenate"),
        ("bank_statement", "opening_balance", "first"),
        ("bank_statement", "closing_balance", "last"),
    ],
)
def test_packaged_classes_say_how_windows_are_merged(name: str, field: str, rule: str) -> None:
    assert rule_of(field, packaged_classes().by_name[name]) == rule
