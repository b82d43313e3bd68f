"""EventBridge's patterns: every operator matches what it should, nothing else, and says why not."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mailroom_desk.events.patterns import InvalidPatternError, matches, why_not

EVENT = {
    "source": "mailroom",
    "detail-type": "DocumentStored",
    "time": "2026-11-30T10:00:00Z",
    "resources": [],
    "detail": {
        "document_class": "purchase_order",
        "confidence": 0.97,
        "pages": 2,
        "key": "incoming/PO 7781.PDF",
        "version_id": None,
        "doubtful": False,
        "fields": {"total": 1200, "currency": "EUR", "address": "10.0.3.7"},
        "line_items": [{"sku": "A-1", "quantity": 2}, {"sku": "B-2", "quantity": 40}],
        "tags": ["urgent", "north"],
    },
}

HITS: dict[str, list[Any]] = {
    "exact": ["detail", "document_class", ["invoice", "purchase_order"]],
    "number": ["detail", "pages", [2]],
    "null": ["detail", "version_id", [None]],
    "false": ["detail", "doubtful", [False]],
    "prefix": ["detail", "key", [{"prefix": "incoming/"}]],
    "prefix, any case": ["detail", "key", [{"prefix": {"equals-ignore-case": "INCOMING/"}}]],
    "suffix": ["detail", "key", [{"suffix": ".PDF"}]],
    "suffix, any case": ["detail", "key", [{"suffix": {"equals-ignore-case": ".pdf"}}]],
    "any case": ["detail", "document_class", [{"equals-ignore-case": "Purchase_Order"}]],
    "wildcard": ["detail", "key", [{"wildcard": "incoming/*7781*"}]],
    "anything but": ["detail", "document_class", [{"anything-but": "invoice"}]],
    "anything but these": ["detail", "pages", [{"anything-but": [1, 3]}]],
    "anything but a prefix": ["detail", "key", [{"anything-but": {"prefix": "results/"}}]],
    "anything but wildcards": ["detail", "key", [{"anything-but": {"wildcard": ["a*", "*.txt"]}}]],
    "numeric": ["detail", "confidence", [{"numeric": [">=", 0.9, "<", 1]}]],
    "numeric, equal": ["detail", "pages", [{"numeric": ["=", 2.0]}]],
    "there": ["detail", "key", [{"exists": True}]],
    "not there": ["detail", "reasons", [{"exists": False}]],
    "one of a list": ["detail", "tags", ["south", "north"]],
}
MISSES: dict[str, list[Any]] = {
    "exact": ["detail", "document_class", ["invoice"]],
    "case matters": ["detail", "document_class", ["Purchase_Order"]],
    "text is no number": ["detail", "pages", ["2"]],
    "true is no 1": ["detail", "doubtful", [0]],
    "null is not absent": ["detail", "version_id", [{"exists": False}]],
    "prefix": ["detail", "key", [{"prefix": "results/"}]],
    "suffix": ["detail", "key", [{"suffix": ".pdf"}]],
    "wildcard": ["detail", "key", [{"wildcard": "*.tif"}]],
    "wildcard is whole": ["detail", "key", [{"wildcard": "7781"}]],
    "anything but": ["detail", "document_class", [{"anything-but": ["purchase_order"]}]],
    "anything but, and nothing there": ["detail", "reasons", [{"anything-but": "x"}]],
    "numeric": ["detail", "confidence", [{"numeric": [">", 0.97]}]],
    "numeric of a text": ["detail", "key", [{"numeric": [">", 0]}]],
    "there": ["detail", "reasons", [{"exists": True}]],
    "not there": ["detail", "key", [{"exists": False}]],
    "one of a list": ["detail", "tags", ["south"]],
    "an object is no value": ["detail", "fields", [{"exists": True}]],
    "an empty list has nothing": ["resources", None, ["arn"]],
}


def pattern_of(parts: list[Any]) -> dict[str, Any]:
    outer, inner, rules = parts
    return {outer: {inner: rules} if inner else rules}


@pytest.mark.parametrize("parts", HITS.values(), ids=HITS)
def test_pattern_matches_and_nothing_is_left_to_explain(parts: list[Any]) -> None:
    assert matches(pattern_of(parts), EVENT)
    assert why_not(pattern_of(parts), EVENT) == []


@pytest.mark.parametrize("parts", MISSES.values(), ids=MISSES)
def test_pattern_does_not_match_and_the_place_is_named(parts: list[Any]) -> None:
    assert not matches(pattern_of(parts), EVENT)
    (reason,) = why_not(pattern_of(parts), EVENT)
    assert reason.startswith(f"{parts[0]}.{parts[1]} " if parts[1] else f"{parts[0]} ")


def test_every_field_of_a_pattern_has_to_match_and_each_that_does_not_is_named() -> None:
    pattern = {
        "source": ["mailroom"],
        "detail-type": ["DocumentRejected"],
        "detail": {"document_class": ["invoice"], "vat": ["DE1"]},
    }
    assert why_not(pattern, EVENT) == [
        'detail-type is "DocumentStored", and the pattern wants "DocumentRejected"',
        'detail.document_class is "purchase_order", and the pattern wants "invoice"',
        'detail.vat is not there, and the pattern wants "DE1"',
    ]


def test_what_lies_deeper_than_the_event_is_not_there() -> None:
    assert matches({"detail": {"none": {"deeper": [{"exists": False}]}}}, EVENT)
    assert not matches({"detail": {"pages": {"deeper": ["x"]}}}, EVENT)


def test_one_object_of_a_list_has_to_match_the_whole_pattern() -> None:
    items = {"sku": ["A-1"], "quantity": [{"numeric": [">", 10]}]}
    assert not matches({"detail": {"line_items": items}}, EVENT)
    assert matches({"detail": {"line_items": items | {"sku": ["B-2"]}}}, EVENT)


def test_alternatives_need_one_that_matches() -> None:
    cheap, german = {"fields": {"total": [{"numeric": ["<", 100]}]}}, {"language": ["de"]}
    euro = {"fields": {"currency": ["EUR"]}}
    assert matches({"detail": {"$or": [cheap, euro], "pages": [2]}}, EVENT)
    (reason,) = why_not({"detail": {"$or": [cheap, german]}}, EVENT)
    assert "detail.fields.total is 1200" in reason and "detail.language is not there" in reason


def test_addresses_are_compared_by_network() -> None:
    pattern = {"detail": {"fields": {"address": [{"cidr": "10.0.0.0/16"}]}}}
    assert matches(pattern, EVENT)
    assert not matches({"detail": {"fields": {"currency": [{"cidr": "10.0.0.0/16"}]}}}, EVENT)


def test_wildcard_takes_an_escaped_star_as_a_star() -> None:
    assert matches({"key": [{"wildcard": r"a\**"}]}, {"key": "a*bc"})
    assert not matches({"key": [{"wildcard": r"a\**"}]}, {"key": "abc"})


@pytest.mark.parametrize(
    ("pattern", "place"),
    [
        ({}, "pattern"),
        ({"source": "mailroom"}, "source"),
        ({"source": []}, "source"),
        ({"detail": {"a": [{"begins": "x"}]}}, "detail.a"),
        ({"detail": {"a": [{"prefix": 1}]}}, "detail.a"),
        ({"detail": {"a": [{"numeric": [">"]}]}}, "detail.a"),
        ({"detail": {"a": [{"prefix": "x", "suffix": "y"}]}}, "detail.a"),
        ({"detail": {"a": [{"exists": "yes"}]}}, "detail.a"),
        ({"detail": {"a": [{"anything-but": {"numeric": [">", 1]}}]}}, "detail.a"),
        ({"detail": {"a": [["x"]]}}, "detail.a"),
    ],
)
def test_what_eventbridge_refuses_is_refused_with_its_place(
    pattern: dict[str, Any], place: str
) -> None:
    with pytest.raises(InvalidPatternError, match=place):
        matches(pattern, EVENT)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["", "a", "ab", "b*"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("xyz"), inner),
    max_leaves=6,
)
RULES = st.lists(
    st.sampled_from(["a", "ab", None, True, 1, {"prefix": "a"}, {"anything-but": "a"}])
    | st.builds(lambda yes: {"exists": yes}, st.booleans()),
    min_size=1,
    max_size=2,
)


@given(event=st.dictionaries(st.sampled_from("xyz"), VALUES), rules=RULES)
def test_match_and_explanation_never_disagree(event: dict[str, Any], rules: list[Any]) -> None:
    for pattern in ({"x": rules}, {"y": {"x": rules}}):
        assert matches(pattern, event) == (not why_not(pattern, event))
