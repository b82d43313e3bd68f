"""The road under what Bedrock and models are known to answer: errors, shapes, types, refusals."""

import json
from decimal import Decimal
from typing import Any

import pytest
from papers import INVOICE, INVOICE_PAGES
from road import PDF, Road
from services import converse, picks, refusal, response
from stack import states

from mailroom.document import INCOMING

# The calls that one document makes when the error stays: the table of errors, as it must be.
CALLS = {
    ("ThrottlingException", 429): 61,
    ("ModelTimeoutException", 408): 9,
    ("ModelNotReadyException", 429): 9,
    ("ServiceUnavailableException", 503): 9,
    ("InternalServerException", 500): 9,
    ("AccessDeniedException", 403): 7,
    ("ModelErrorException", 424): 3,
    ("ValidationException", 400): 1,
    ("ResourceNotFoundException", 404): 1,
}


def refused(code: str, status: int, words: str = "") -> Any:
    return response(status, {"message": words}, {"x-amzn-errortype": code})


def raw_row(road: Road, identity: str) -> dict[str, Any]:
    """The row as DynamoDB has it, types and all."""
    key = {"document_id": {"S": identity}}
    item = road.dynamodb.get_item(TableName=road.names["DocumentsTable"], Key=key)["Item"]
    return dict(item)


def read(road: Road, name: str = "a.pdf", pages: list[list[str]] = INVOICE_PAGES) -> dict[str, Any]:
    """Send a document along the road; its row."""
    identity = road.upload(INCOMING + name, PDF + name.encode())
    road.read(identity, pages)
    return road.row(identity)


# -- errors ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("code", "status"), CALLS, ids=[code for code, _ in CALLS])
def test_each_error_of_converse_that_stays_is_asked_as_often_as_the_table_says(
    road: Road, code: str, status: int
) -> None:
    # A body is read once: one refusal for each call that may come, and for one that may not.
    road.claude.says(*[refusal(code, status) for _ in range(CALLS[code, status] + 1)])

    row = read(road)

    assert len(road.claude.requests) == CALLS[code, status]
    assert len(road.waits) == CALLS[code, status] - 1
    assert row["status"] == "DEAD_LETTERED"
    assert code in row["error"]["cause"]
    assert len(road.dead_letters()) == 1


@pytest.mark.parametrize(("code", "status"), CALLS, ids=[code for code, _ in CALLS])
def test_each_error_of_converse_that_passes_is_over_where_another_try_is_worth_it(
    road: Road, code: str, status: int
) -> None:
    road.claude.says(refusal(code, status), picks("invoice", INVOICE))

    row = read(road)

    stored = CALLS[code, status] > 1
    assert row["status"] == ("STORED" if stored else "DEAD_LETTERED")
    assert len(road.claude.requests) == (2 if stored else 1)


def test_wrong_model_is_asked_once_and_the_row_says_what_to_change(road: Road) -> None:
    words = (
        "Invocation of model ID anthropic.claude-x with on-demand throughput isn\u2019t supported."
    )
    road.claude.says(refused("ValidationException", 400, words))

    row = read(road)

    assert len(road.claude.requests) == 1 and road.waits == []
    assert row["error"]["error"] == "ServiceMisconfigured"
    assert "model configuration is wrong" in row["error"]["cause"]
    assert "ModelId" in row["error"]["cause"]


def test_access_that_arrives_late_delays_documents_and_loses_none(road: Road) -> None:
    not_yet = [refused("AccessDeniedException", 403, "no access") for _ in range(5)]
    road.claude.says(*not_yet, picks("invoice", INVOICE))

    assert read(road)["status"] == "STORED"
    assert len(road.waits) == 5
    assert read(road, "next.pdf")["status"] == "STORED"
    assert road.dead_letters() == []


def test_documents_without_access_are_parked_under_one_cause(road: Road) -> None:
    (rule,) = (r for r in states()["Classify"]["Retry"] if "ModelAccessDenied" in r["ErrorEquals"])
    tries = rule["MaxAttempts"] + 1
    denied = [refused("AccessDeniedException", 403, "no access") for _ in range(3 * tries)]
    road.claude.says(*denied, picks("invoice", INVOICE))
    # Texts of their own: no answer of one is one of another.
    papers = [[[*INVOICE_PAGES[0], f"Copy {n}"]] for n in range(3)]

    rows = [read(road, f"{n}.pdf", pages) for n, pages in enumerate(papers)]

    assert {row["status"] for row in rows} == {"DEAD_LETTERED"}
    assert len({json.dumps(row["error"]["cause"]) for row in rows}) == 1
    assert {row["error"]["error"] for row in rows} == {"ModelAccessDenied"}
    assert "wait 15 minutes" in rows[0]["error"]["cause"]
    assert len(road.claude.requests) == 3 * tries


# -- shapes of answers ----------------------------------------------------------------------------

WHOLE = json.dumps({"name": "invoice", "input": INVOICE})


def talk(text: str) -> dict[str, Any]:
    return converse([{"text": text}], "end_turn")


@pytest.mark.parametrize(
    "text", [f"```json\n{WHOLE}\n```", f"Here it is:\n{WHOLE}\nAnything else?", f"\ufeff{WHOLE}"]
)
def test_answer_in_text_with_one_reading_is_stored_after_one_call(road: Road, text: str) -> None:
    road.claude.says(talk(text))

    row = read(road)

    assert (row["status"], row["document_class"]) == ("STORED", "invoice")
    assert row["fields"] == INVOICE
    assert len(road.claude.requests) == 1


@pytest.mark.parametrize(
    "text",
    [f"{WHOLE}\n{WHOLE}", WHOLE.replace('"93.50"', "NaN"), WHOLE.replace('"', "'"), WHOLE[:-1]],
    ids=["two blocks", "NaN", "single quotes", "cut"],
)
def test_answer_in_text_that_is_unclear_is_asked_for_once_more(road: Road, text: str) -> None:
    road.claude.says(talk(text), picks("invoice", INVOICE))
    assert read(road)["status"] == "STORED"
    first, second = road.claude.requests
    assert [list(block) for block in second["messages"][1]["content"]] == [["text"]]
    assert "tool" in second["messages"][2]["content"][0]["text"]
    assert second["toolConfig"] == first["toolConfig"]

    road.claude.says(talk(text))
    row = read(road, "b.pdf", [[*INVOICE_PAGES[0], "Copy"]])
    assert row["status"] == "IN_REVIEW"
    assert len(road.claude.requests) == 4
    assert any("came as text" in reason for reason in row["reasons"])


@pytest.mark.parametrize("content", [[], [{"text": ""}], [{"text": "I cannot help with that."}]])
@pytest.mark.parametrize(
    "stop_reason",
    ["refusal", "content_filtered", "guardrail_intervened", "malformed_tool_use",
     "malformed_model_output", "model_context_window_exceeded", "max_tokens", "made_up"],
)  # fmt: skip
def test_stop_without_an_answer_leads_to_review_after_one_call(
    road: Road, stop_reason: str, content: list[dict[str, Any]]
) -> None:
    road.claude.says(converse(content, stop_reason))

    row = read(road)

    assert row["status"] == "IN_REVIEW"
    assert any(stop_reason in reason for reason in row["reasons"])
    assert "fields" not in row and "document_class" not in row
    assert len(road.claude.requests) == 1 and road.waits == []


def test_answer_that_a_guardrail_masked_is_not_taken_for_the_documents_words(road: Road) -> None:
    masked = {"piiEntities": [{"match": "x", "type": "NAME", "action": "ANONYMIZED"}]}
    trace = {"outputAssessments": {"g": [{"sensitiveInformationPolicy": masked}]}}
    road.claude.says({**picks("invoice", INVOICE), "trace": {"guardrail": trace}})

    row = read(road)

    assert row["status"] == "IN_REVIEW"
    assert any("guardrail" in reason for reason in row["reasons"])


# -- types ----------------------------------------------------------------------------------------


def test_what_breaks_the_schema_is_coerced_by_rule_and_the_row_has_the_right_types(
    road: Road,
) -> None:
    odd = {**INVOICE, "line_items": json.dumps(INVOICE["line_items"]), "total": "93,50"}
    road.claude.says(picks("invoice", odd))

    row = read(road)

    assert row["status"] == "STORED"
    assert row["fields"] == INVOICE
    assert len(road.claude.requests) == 1


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("line_items", "one line"),
        ("line_items", [["Web design", 85]]),
        ("invoice_date", ["2026-11-02"]),
        ("colour", "red"),
    ],
)
def test_what_no_rule_can_mend_is_reviewed_with_its_name_and_never_on_the_row(
    road: Road, field: str, value: Any
) -> None:
    road.claude.says(picks("invoice", {**INVOICE, field: value}))

    row = read(road)

    assert row["status"] == "IN_REVIEW"
    assert row["fields"] == {k: v for k, v in INVOICE.items() if k != field}
    named = field if field in INVOICE else "a field that is not in the schema"
    assert any(named in reason for reason in row["reasons"])
    assert len(road.claude.requests) == 2


def test_field_that_is_needed_and_missing_is_named(road: Road) -> None:
    road.claude.says(picks("invoice", {k: v for k, v in INVOICE.items() if k != "total"}))

    row = read(road)

    assert row["status"] == "IN_REVIEW"
    assert "No total was found." in row["reasons"]


@pytest.mark.parametrize("number", [0, 1, 2])
def test_line_items_are_a_list_whatever_their_number(road: Road, number: int) -> None:
    lines = [f"{n} Paper {n}0.00" for n in range(1, number + 1)]
    items = [{"description": "Paper", "quantity": str(n), "amount": f"{n}0.00"}
             for n in range(1, number + 1)]  # fmt: skip
    fields = {k: v for k, v in INVOICE.items() if k != "line_items"}
    road.claude.says(picks("invoice", {**fields, "line_items": items}))
    pages = [[*(line for line in INVOICE_PAGES[0] if "Web" not in line), *lines]]

    row = read(road, pages=pages)

    assert row["fields"].get("line_items", []) == items
    result = json.loads(road.object(row["fields_key"]))
    assert result["fields"].get("line_items", []) == items


def test_optional_fields_that_are_null_are_left_out(road: Road) -> None:
    road.claude.says(picks("invoice", {**INVOICE, "due_date": None, "po_number": None}))

    row = read(road)

    assert row["status"] == "STORED"
    assert row["fields"] == INVOICE


def test_row_has_texts_where_ids_and_amounts_are_and_numbers_where_it_counts(road: Road) -> None:
    pages = [[line.replace("INV-3337", "0012").replace("93.50", "10.10")
              for line in INVOICE_PAGES[0]]]  # fmt: skip
    fields = {**INVOICE, "invoice_number": "0012", "total": 10.10, "line_items": []}
    road.claude.says(picks("invoice", fields))
    identity = road.upload("incoming/0012.pdf")
    road.read(identity, pages)

    row = raw_row(road, identity)

    assert row["document_id"] == {"S": identity}
    assert row["fields"]["M"]["invoice_number"] == {"S": "0012"}
    assert row["fields"]["M"]["total"] == {"S": "10.1"}
    for name in ("attempt", "confidence", "pages", "price_usd", "input_tokens"):
        assert list(row[name]) == ["N"], name
    assert Decimal(row["price_usd"]["N"]) == Decimal("0.067")  # 0.065, and 1,000 + 200 tokens


def test_name_and_text_that_look_like_code_arrive_unchanged(road: Road) -> None:
    name = "a\"b{}\\c'$.x States.Format('{}', $).pdf"
    words = 'He said "{}" and \\n, {0}, ${Partition}, $.error'
    road.claude.says(picks("letter", {"sender": words, "subject": "line one\nline two"}))

    row = read(road, name, [[words, "line one", "line two"]])

    (started,) = road.textract.started
    assert started["DocumentLocation"]["S3Object"]["Name"] == row["key"] == INCOMING + name
    assert row["fields"]["sender"] == words
    (asked,) = road.claude.requests
    assert words in asked["messages"][0]["content"][0]["text"]
