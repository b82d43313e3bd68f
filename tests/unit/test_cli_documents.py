"""What is said of a row."""

import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mailroom_desk.documents import as_full_object, as_object, elapsed, plain_cause, timeline, why

NAMES = [
    "document_id", "key", "status", "document_class", "confidence", "fields", "reasons", "error",
    "pages", "answered_by", "elapsed_s",
]  # fmt: skip


def _row(status: str, *steps: tuple[str, int], **values: Any) -> dict[str, Any]:
    entries = [{"status": name, "at": f"2026-11-30T15:00:{at:02d}.500Z"} for name, at in steps]
    return {
        "document_id": "d" * 40,
        "key": "incoming/a.pdf",
        "status": status,
        "timeline": entries,
        **values,
    }


def test_as_object_of_a_stored_row_has_every_name_and_plain_numbers() -> None:
    row = _row(
        "STORED",
        ("RECEIVED", 1),
        ("STORED", 4),
        ("ANNOUNCED", 5),
        document_class="invoice",
        confidence=Decimal("0.97"),
        fields={"total": "85.00", "line_items": [{"quantity": Decimal(1)}]},
        pages=Decimal(2),
        answered_by="offline stand-in",
    )

    told = as_object(row["document_id"], row["key"], row)

    assert list(told) == NAMES
    assert json.loads(json.dumps(told)) == {
        "document_id": "d" * 40,
        "key": "incoming/a.pdf",
        "status": "STORED",
        "document_class": "invoice",
        "confidence": 0.97,
        "fields": {"total": "85.00", "line_items": [{"quantity": 1}]},
        "reasons": [],
        "error": None,
        "pages": 2,
        "answered_by": "offline stand-in",
        "elapsed_s": 3.0,
    }


def test_as_object_without_a_row_says_sent() -> None:
    told = as_object("d" * 40, "incoming/a.pdf", None)

    assert list(told) == NAMES
    assert (told["status"], told["elapsed_s"]) == ("SENT", None)


def test_as_object_of_a_dead_letter_has_the_sentence_as_cause() -> None:
    error = {"stage": "Extract", "error": "OcrFailed", "cause": '{"errorMessage": "Too dark."}'}

    told = as_object("d", "k", _row("DEAD_LETTERED", error=error))

    assert told["error"] == {"stage": "Extract", "error": "OcrFailed", "cause": "Too dark."}


def test_as_full_object_adds_the_waits_between_the_steps() -> None:
    told = as_full_object(_row("STORED", ("RECEIVED", 1), ("READING", 3), ("STORED", 4)))

    assert [step["wait_s"] for step in told["timeline"]] == [None, 2.0, 1.0]
    assert told["timeline"][0]["at"] == "2026-11-30T15:00:01.500Z"


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"reasons": ["The file is empty."]}, "The file is empty."),
        ({"reasons": ["A.", "B.", "C.", "D.", "E."]}, "A. B. C. And 2 more."),
        (
            {"error": {"stage": "Extract", "error": "OcrFailed", "cause": "Bad."}},
            "Bad. (OcrFailed in Extract)",
        ),
        (
            {"error": {"stage": "Store", "error": "States.Timeout", "cause": ""}},
            "No cause was given. (States.Timeout in Store)",
        ),
        ({}, ""),
    ],
)
def test_why_of_a_row_is_a_sentence(values: dict[str, Any], sentence: str) -> None:
    assert why(_row("REJECTED", **values)) == sentence


@pytest.mark.parametrize(
    "cause",
    [
        '{"errorMessage": "Say \\"no\\".", "errorType": "OcrFailed", "stackTrace": []}',
        '{"errorMessage": "Say \\"no\\".", "stackTrace": ["cut off he',
        '{"Error": "OcrFailed", "Cause": "{\\"errorMessage\\": \\"Say \\\\\\"no\\\\\\".\\"}"}',
        'Say "no".',
    ],
)
def test_plain_cause_unwraps_what_lambda_and_step_functions_wrapped(cause: str) -> None:
    assert plain_cause(cause) == 'Say "no".'


@given(st.text())
def test_plain_cause_takes_any_text(cause: str) -> None:
    assert isinstance(plain_cause(cause), str)


@given(st.text(), st.integers(min_value=0, max_value=5))
def test_plain_cause_finds_the_message_however_often_it_is_wrapped(message: str, deep: int) -> None:
    cause = json.dumps({"errorMessage": message})
    for _ in range(deep):
        cause = json.dumps({"Error": "E", "Cause": cause})

    assert plain_cause(cause) == message


def test_elapsed_of_a_new_attempt_counts_from_its_own_start() -> None:
    row = _row(
        "STORED",
        ("RECEIVED", 1),
        ("STORED", 5),
        ("RECEIVED", 20),
        ("STORED", 22),
        ("ANNOUNCED", 30),
    )

    assert elapsed(row) == 2.0


def test_timeline_of_a_row_without_one_is_empty() -> None:
    assert timeline({"status": "STORED"}) == []
