"""A document that goes all the way, and what a second of everything does."""

import json
from decimal import Decimal

from papers import INVOICE, INVOICE_PAGES
from road import Road, s3_event

HAPPY = ["Started?", "Extract", "Classify", "Confident?", "Store", "Announce", "MarkAnnounced"]


def test_document_without_doubt_is_stored_and_announced_once(road: Road) -> None:
    identity = road.upload()
    execution = road.read(identity, INVOICE_PAGES)

    assert execution.status == "SUCCEEDED", execution.cause
    assert execution.states == HAPPY
    assert road.invoked == [
        "IntakeFunction", "OcrDoneFunction", "ExtractFunction", "ClassifyFunction", "StoreFunction",
    ]  # fmt: skip
    assert road.waits == []
    assert road.dead_letters() == []
    (event,) = road.announced()
    assert event["detail-type"] == "DocumentStored"
    assert event["source"] == "mailroom"
    row = road.row(identity)
    assert event["detail"] == {
        "version": "1",
        "document_id": identity,
        "attempt": 1,
        "bucket": road.bucket,
        "key": "incoming/a bill.pdf",
        "version_id": row["version_id"],
        "status": "STORED",
        "document_class": "invoice",
        "confidence": 0.99,
        "fields": INVOICE,
        "pages": 1,
        "answered_by": row["model_id"],
        "results_key": f"results/{identity}/1.json",
    }


def test_row_of_a_stored_document_says_all_and_is_at_rest(road: Road) -> None:
    identity = road.upload()
    execution = road.read(identity, INVOICE_PAGES)

    row = road.row(identity)
    assert row["status"] == "STORED"
    assert row["document_class"] == "invoice"
    assert row["fields"] == INVOICE
    assert row["confidence"] == Decimal("0.99")
    assert row["price_usd"] == Decimal("0.065") + Decimal("0.002")
    assert row["execution_arn"] == execution.arn
    assert row["stored_at"] and row["announced_at"]
    assert "open_shard" not in row
    assert "reasons" not in row and "error" not in row
    assert [entry["status"] for entry in row["timeline"]] == [
        "RECEIVED", "READING", "WORKING", "STORED", "ANNOUNCED",
    ]  # fmt: skip
    assert json.loads(road.object(row["fields_key"]))["fields"] == INVOICE


def test_sample_event_in_the_shape_of_events_is_what_is_announced(road: Road, load_event) -> None:
    road.read(road.upload(), INVOICE_PAGES)

    (event,) = road.announced()
    sample = load_event("07")
    assert set(sample) - set(event) <= {"account"}  # moto leaves it out
    assert set(event["detail"]) == set(sample["detail"])


def test_run_started_by_hand_hands_the_object_to_intake(road: Road) -> None:
    key = "incoming/Café 50% off+tip.pdf"
    put = road.s3.put_object(Bucket=road.bucket, Key=key, Body=b"%PDF-1.7")
    execution = road.start("by-hand", {"bucket": road.bucket, "key": key})

    assert execution.status == "SUCCEEDED", execution.cause
    assert execution.states == ["Started?", "Intake"]
    (taken,) = execution.output["documents"]
    assert taken["key"] == key and taken["status"] == "READING"
    assert road.row(taken["document_id"])["version_id"] == put["VersionId"]
    assert road.read(taken["document_id"], INVOICE_PAGES).states == HAPPY


def test_run_started_by_hand_on_a_missing_object_ends_as_a_rejected_row(road: Road) -> None:
    execution = road.start("by-hand", {"bucket": road.bucket, "key": "incoming/gone.pdf"})

    (taken,) = execution.output["documents"]
    assert taken["status"] == "REJECTED"
    assert road.textract.started == []


def test_run_started_by_hand_on_a_foreign_key_fails_with_the_reason(road: Road) -> None:
    execution = road.start("by-hand", {"bucket": road.bucket, "key": "results/x.json"})

    assert execution.status == "FAILED"
    assert execution.error == "UnknownEvent"
    assert "incoming/" in execution.cause
    assert execution.states == ["Started?", "Intake", "NotTakenIn"]
    assert road.rows() == []


def test_second_delivery_of_the_event_and_the_notice_changes_nothing(road: Road) -> None:
    identity = road.upload()
    version_id = road.row(identity)["version_id"]
    road.read(identity, INVOICE_PAGES)
    before = road.row(identity)

    road.invoke("IntakeFunction", s3_event(road.bucket, "incoming/a bill.pdf", version_id))
    road.notify(before["job_id"])

    assert road.row(identity) == before
    assert road.rows() == [identity]
    assert len(road.textract.started) == 1
    assert len(road.claude.requests) == 1
    assert road.invoked.count("StoreFunction") == 1
    assert len(road.announced()) == 1


def test_second_run_of_an_attempt_is_a_skipped_duplicate_on_the_same_row(road: Road) -> None:
    identity = road.upload()
    road.read(identity, INVOICE_PAGES)
    before = road.row(identity)

    execution = road.start("once-more", road.work(identity))

    assert execution.status == "SUCCEEDED", execution.cause
    assert execution.states == [*HAPPY, "Done"]
    stored = next(text for name, text in execution.payloads() if name == "Store output")
    assert json.loads(stored)["stored"] == {"status": "skipped_duplicate"}
    assert road.row(identity) == before
    assert len(road.claude.requests) == 1
    # At least once: a run cannot know whether an earlier one has announced before it died. Both
    # events carry what tells them to be one.
    first, second = road.announced()
    assert first["detail"] == second["detail"]


def test_run_of_an_older_attempt_cannot_touch_the_row(road: Road) -> None:
    identity = road.upload()
    road.read(identity, INVOICE_PAGES)
    stale = road.work(identity)
    road.announced()
    road.start("redo", {"bucket": road.bucket, "key": stale["key"], "reprocess": True})
    before = road.row(identity)
    assert before["attempt"] == 2 and before["status"] == "READING"

    execution = road.start("stale", stale)

    assert execution.status == "FAILED"
    assert execution.error == "Superseded"
    assert execution.states[-3:] == ["DeadLetter", "DeadLetterRow", "Failed"]
    assert road.row(identity) == before
    assert road.dead_letters() == [] and road.announced() == []


def test_reprocessed_document_is_stored_and_announced_as_its_next_attempt(road: Road) -> None:
    identity = road.upload()
    road.read(identity, INVOICE_PAGES)
    road.start("redo", {"bucket": road.bucket, "key": "incoming/a bill.pdf", "reprocess": True})

    execution = road.read(identity, INVOICE_PAGES)

    assert execution.states == HAPPY
    assert [event["detail"]["attempt"] for event in road.announced()] == [1, 2]
    assert road.row(identity)["status"] == "STORED"
    # The same request to the model: its answer was paid for already.
    assert len(road.claude.requests) == 1
