"""What the windows of a document gave becomes one set of fields; doubt is said, nothing summed."""

from typing import Any

import pytest

from mailroom.classes import DocumentClass
from mailroom.llm.merge import Found, merged

TEXT, AMOUNT = {"type": "string"}, {"type": "string", "format": "decimal"}
ITEM = {"type": "object", "properties": {"name": TEXT, "amount": AMOUNT}}


def paper(**rules: str) -> DocumentClass:
    properties = {
        "vendor": TEXT,
        "total": AMOUNT,
        "opening": AMOUNT,
        "closing": AMOUNT,
        "items": {"type": "array", "items": ITEM},
        "notes": {"type": "array", "items": TEXT},
    }
    schema = {"type": "object", "properties": properties}
    return DocumentClass("paper", "A paper.", schema, (), merge=rules)


def item(name: str, amount: str = "") -> dict[str, str]:
    return {"name": name, **({"amount": amount} if amount else {})}


def of(*windows: dict[str, Any], **rules: str) -> tuple[dict[str, Any], list[str]]:
    """The windows hold ten pages each."""
    found = [
        Found(range(1 + 10 * number, 11 + 10 * number), fields)
        for number, fields in enumerate(windows)
    ]
    return merged(found, paper(**rules))


def test_value_of_one_window_is_the_documents() -> None:
    assert of({}, {"vendor": "ACME"}, {"total": "93.50"}) == (
        {"vendor": "ACME", "total": "93.50"}, [],
    )  # fmt: skip


def test_totals_of_windows_are_not_summed_and_their_difference_is_a_problem() -> None:
    fields, problems = of({"total": "100.00"}, {"total": "200.00"}, {"total": "300.00"})

    assert fields == {"total": "100.00"}
    assert problems == [
        "The values of total on pages 1-10 and on pages 11-20 and 1 more parts differ."
    ]


@pytest.mark.parametrize(
    ("field", "one", "other"),
    [("total", "93.5", "93.50"), ("vendor", "ACME  Ltd", "Acme Ltd")],
)
def test_values_that_mean_the_same_are_no_conflict(field: str, one: str, other: str) -> None:
    assert of({field: one}, {field: other}) == ({field: one}, [])


def test_problem_names_the_field_and_pages_and_no_value() -> None:
    _, (problem,) = of({"vendor": "Secret One"}, {}, {"vendor": "Secret Two"})

    assert problem == "The values of vendor on pages 1-10 and on pages 21-30 differ."


def test_first_and_last_are_taken_where_the_class_says_so() -> None:
    fields, problems = of(
        {"opening": "1.00", "closing": "2.00"},
        {"opening": "2.00", "closing": "3.00"},
        {},
        opening="first",
        closing="last",
    )

    assert (fields, problems) == ({"opening": "1.00", "closing": "3.00"}, [])


def test_list_can_be_declared_to_come_from_the_last_window() -> None:
    assert of({"notes": ["a"]}, {"notes": ["b"]}, notes="last")[0] == {"notes": ["b"]}


@pytest.mark.parametrize("count", [0, 1, 2])
def test_lists_of_none_one_and_two_rows_stay_lists(count: int) -> None:
    rows = [item(f"n{number}", "1.00") for number in range(count)]

    assert of({"items": rows}, {"total": "1.00"})[0] == {"items": rows, "total": "1.00"} | (
        {} if rows else {"items": []}
    )


def test_rows_are_concatenated_in_the_order_of_the_pages() -> None:
    first, second = [item("a", "1"), item("b", "2")], [item("c", "3")]

    assert of({"items": first}, {}, {"items": second})[0]["items"] == first + second


def test_equal_rows_that_the_document_prints_twice_are_kept_twice() -> None:
    ride = item("Ticket", "2.50")

    fields, problems = of({"items": [ride, ride]}, {"items": [ride, ride]})

    assert fields["items"] == [ride] * 4
    assert problems == []


def test_row_torn_by_the_end_of_a_page_is_one_row() -> None:
    torn = of(
        {"items": [item("a", "1.00"), item("Web  design")]},
        {"items": [item("web design", "85.00"), item("c", "3.00")]},
    )

    assert torn[0]["items"] == [item("a", "1.00"), item("web design", "85.00"), item("c", "3.00")]


def test_head_of_a_table_that_each_window_repeats_is_kept_once_at_most() -> None:
    head = item("Description")

    fields, _ = of(
        {"items": [head, item("a", "1.00")]},
        {"items": [item("DESCRIPTION"), item("b", "2.00")]},
        {"items": [head, item("c", "3.00")]},
    )

    assert fields["items"] == [head, item("a", "1.00"), item("b", "2.00"), item("c", "3.00")]


def test_rows_read_twice_where_windows_share_a_page_are_kept_once() -> None:
    a, b, c, d = (item(name, "1.00") for name in "abcd")
    found = [Found([1, 2], {"items": [a, b, c]}), Found([2, 3], {"items": [b, c, d]})]

    assert merged(found, paper())[0]["items"] == [a, b, c, d]


def test_texts_in_lists_are_concatenated_too() -> None:
    assert of({"notes": ["a", "b"]}, {"notes": ["b"]})[0]["notes"] == ["a", "b", "b"]


def test_fields_come_in_the_order_of_the_schema() -> None:
    assert list(of({"total": "1"}, {"vendor": "A"})[0]) == ["vendor", "total"]
