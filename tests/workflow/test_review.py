"""What is doubtful waits for a person, and what Claude may answer."""

import json

import pytest
from machines_on_moto import Execution
from papers import BLANK_PAGES, DOUBTFUL_PAGES, INVOICE, INVOICE_PAGES
from road import Road
from services import converse, picks

REVIEW = [
    *("Started?", "Extract", "Classify", "Confident?", "Review", "AnnounceReview", "MarkReview")
]


def assert_in_review(road: Road, identity: str, execution: Execution) -> list[str]:
    assert execution.status == "SUCCEEDED", execution.cause
    assert execution.states == REVIEW
    (event,) = road.announced()
    row = road.row(identity)
    assert row["status"] == "IN_REVIEW"
    assert "stored_at" not in row and row["announced_at"]
    assert row["open_shard"].startswith("#")
    assert row["reasons"]
    assert event["detail-type"] == "DocumentInReview"
    assert event["detail"]["reasons_count"] == len(row["reasons"])
    return list(row["reasons"])


def test_value_that_stands_nowhere_leads_to_review_with_its_fields(road: Road) -> None:
    identity = road.upload()
    execution = road.read(identity, DOUBTFUL_PAGES)

    reasons = assert_in_review(road, identity, execution)
    assert "The value of total does not stand in the document's words." in reasons
    assert road.row(identity)["fields"] == INVOICE


def test_blank_document_leads_to_review_without_a_model_call(road: Road) -> None:
    identity = road.upload()
    execution = road.read(identity, BLANK_PAGES)

    assert assert_in_review(road, identity, execution) == ["No text was found in the document."]
    assert road.claude.requests == []
    assert "fields" not in road.row(identity)


@pytest.mark.parametrize(
    "stop_reason",
    ["end_turn", "max_tokens", "stop_sequence", "guardrail_intervened", "content_filtered"],
)
def test_stop_without_a_tool_leads_to_review_after_one_call(road: Road, stop_reason: str) -> None:
    road.claude.says(converse([{"text": "I would rather not."}], stop_reason))
    identity = road.upload()
    execution = road.read(identity, INVOICE_PAGES)

    (reason,) = assert_in_review(road, identity, execution)
    assert stop_reason in reason
    assert len(road.claude.requests) == 1


def test_cut_off_tool_use_is_not_taken_for_an_answer(road: Road) -> None:
    road.claude.says(picks("invoice", {"total": "93.50"}, stop_reason="max_tokens"))
    identity = road.upload()

    assert_in_review(road, identity, road.read(identity, INVOICE_PAGES))
    assert "document_class" not in road.row(identity)


def test_broken_arguments_are_repaired_with_one_more_call(road: Road) -> None:
    road.claude.says(
        picks("invoice", {**INVOICE, "invoice_date": "soon"}), picks("invoice", INVOICE)
    )
    identity = road.upload()
    execution = road.read(identity, INVOICE_PAGES)

    assert execution.status == "SUCCEEDED", execution.cause
    row = road.row(identity)
    assert row["status"] == "STORED"
    assert row["input_tokens"] == 2000
    first, second = road.claude.requests
    assert [message["role"] for message in second["messages"]] == ["user", "assistant", "user"]
    (result,) = second["messages"][2]["content"]
    assert result["toolResult"]["status"] == "error"
    assert "invoice_date" in result["toolResult"]["content"][0]["text"]
    assert second["toolConfig"] == first["toolConfig"]


def test_arguments_broken_twice_lead_to_review_after_two_calls(road: Road) -> None:
    road.claude.says(picks("invoice", {**INVOICE, "invoice_date": "soon"}))
    identity = road.upload()
    execution = road.read(identity, INVOICE_PAGES)

    assert_in_review(road, identity, execution)
    assert len(road.claude.requests) == 2
    assert "invoice_date" not in road.row(identity)["fields"]


def test_second_classify_of_the_same_request_asks_nobody(road: Road) -> None:
    identity = road.upload()
    road.read(identity, INVOICE_PAGES)
    work = road.work(identity)
    extracted = {
        "text_key": f"text/{identity}/1.jsonl", "pages_reported": 1, "pages_read": 1, "words": 18,
        "dangling": 0, "warnings": [],
    }  # fmt: skip

    road.invoke("ClassifyFunction", {**work, "extracted": extracted})

    assert len(road.claude.requests) == 1
    (key,) = road.keys("answers/")
    assert json.loads(road.object(key))["stop_reason"] == "tool_use"


def test_answer_is_kept_when_the_run_dies_behind_it(road: Road) -> None:
    road.failures["StoreFunction"] = [Exception()]
    identity = road.upload()
    assert road.read(identity, INVOICE_PAGES).status == "FAILED"

    road.start("by-hand", {"bucket": road.bucket, "key": "incoming/a bill.pdf", "reprocess": True})
    assert road.read(identity, INVOICE_PAGES).status == "SUCCEEDED"

    assert len(road.claude.requests) == 1
