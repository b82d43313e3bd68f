"""The digest of a day: its numbers are the table's, and it goes out whatever Claude does."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from faults import fail
from machines_on_moto import failure
from night import Night, night_on
from papers import DOUBTFUL_PAGES, INVOICE_PAGES
from road import Road
from services import refusal, s3_refusal, sns_refusal
from texts import says

SENTENCES = "One document landed. Nothing went wrong. Nobody has to do anything."


@pytest.fixture
def night(road: Road, monkeypatch: pytest.MonkeyPatch) -> Night:
    return night_on(road, monkeypatch)


def today() -> str:
    return datetime.now(UTC).date().isoformat()


def a_day(road: Road) -> None:
    """One document of each kind of end: stored, in review, dead, rejected, and one lost."""
    road.read(road.upload("incoming/a bill.pdf"), INVOICE_PAGES)
    road.read(road.upload("incoming/another.pdf"), INVOICE_PAGES)
    road.read(road.upload("incoming/doubtful.pdf"), DOUBTFUL_PAGES)
    fail(road, "Extract", "BrokenOnPurpose", times=1)
    road.read(road.upload("incoming/broken.pdf"), INVOICE_PAGES)
    road.upload("incoming/empty.pdf", b"")
    road.upload("incoming/being read.pdf")
    road.s3.put_object(Bucket=road.bucket, Key="incoming/lost.pdf", Body=b"%PDF-1.7")


def test_numbers_are_those_of_the_table_and_the_bucket(night: Night) -> None:
    road = night.road
    a_day(road)
    road.claude.says(says(SENTENCES))

    execution = night.start("tonight", {"date": today()})

    assert execution.status == "SUCCEEDED", execution.cause
    rows = [road.row(name) for name in road.rows()]
    numbers = execution.output["numbers"]
    assert numbers["landed"] == 7 == sum(numbers["fates"].values())
    assert numbers["documents"] == len(rows) == 6
    assert numbers["fates"] == {
        "stored": 2, "in_review": 1, "dead": 1, "rejected": 1, "in_flight": 1, "too_young": 1,
    }  # fmt: skip
    assert numbers["unaccounted"] == 0
    assert numbers["stored"] == {"invoice": 2}
    assert numbers["dead"] == {"BrokenOnPurpose in Extract": 1}
    assert {s: each["documents"] for s, each in numbers["waiting"].items()} == {
        "DEAD_LETTERED": 1, "IN_REVIEW": 1, "READING": 1,
    }  # fmt: skip
    assert numbers["spent_usd"] == str(sum(row.get("price_usd", 0) for row in rows))
    assert float(numbers["spent_usd"]) > 0


def test_people_get_the_sentences_with_the_numbers_beneath_and_the_bucket_keeps_both(
    night: Night,
) -> None:
    night.road.read(night.road.upload(), INVOICE_PAGES)
    night.road.claude.says(says(SENTENCES))

    execution = night.start("tonight", {"date": today()})

    (mail,) = night.told()
    assert mail["Subject"] == f"Mailroom {today()}: 1 landed, 0 dead, 0 unaccounted for"
    sentences, _, facts = mail["Message"].partition("\n\n")
    assert (sentences, facts) == (SENTENCES, execution.output["facts"])
    assert "1 document landed on" in facts and "Stored by class: 1 invoice." in facts
    kept = night.kept(today())
    assert kept["sentences"] == SENTENCES and kept["numbers"] == execution.output["numbers"]
    assert kept["execution"] == execution.arn
    assert execution.states == [
        "Numbers", "Summarise", "Said?", "Said", "With", "Write", "Tell", "Kept?", "Done",
    ]  # fmt: skip


def test_claude_sees_the_numbers_and_nothing_of_any_document(night: Night) -> None:
    a_day(night.road)
    asked_before = len(night.road.claude.requests)
    night.road.claude.says(says(SENTENCES))

    execution = night.start("tonight", {"date": today()})

    (request,) = night.road.claude.requests[asked_before:]
    (message,) = request["messages"]
    (block,) = message["content"]
    assert block["text"] == execution.output["facts"]
    for name in ("bill", "Northwind", "INV-3337", "lost.pdf", "incoming"):
        assert name not in str(request)


@pytest.mark.parametrize(
    ("answer", "waits"),
    [
        (refusal("ThrottlingException", 429), 4),
        (refusal("ServiceUnavailableException", 503), 3),
        (refusal("ValidationException"), 0),
        (refusal("AccessDeniedException", 403), 0),
        (says("Cut off in the", stop_reason="max_tokens"), 0),
        ({"content": [{"type": "text", "text": ""}], "stop_reason": "refusal"}, 0),
        ({"content": [], "stop_reason": "end_turn"}, 0),
        ({"content": [{"type": "tool_use"}], "stop_reason": "end_turn"}, 0),
        ({"unheard": "of"}, 0),
    ],
    ids=lambda value: str(value)[:30] if isinstance(value, dict) else None,
)
def test_digest_goes_out_without_claude(night: Night, answer: Any, waits: int) -> None:
    def again(_: Any) -> Any:
        if isinstance(answer, dict):
            return answer
        return refusal(answer.headers["x-amzn-errortype"], answer.status_code)

    night.road.claude.says(again)

    execution = night.start("tonight")

    assert execution.status == "SUCCEEDED", execution.cause
    assert execution.states[-5:] == ["Without", "Write", "Tell", "Kept?", "Done"]
    assert len(night.road.waits) == waits
    (mail,) = night.told()
    assert mail["Message"] == execution.output["facts"]
    assert night.kept(execution.output["date"])["sentences"] == ""


@pytest.mark.parametrize("text", ['A "b" {} {0} \\n $.day', "Zwölf 文書 – fertig.\nNext {line}"])
def test_what_claude_writes_arrives_unchanged(night: Night, text: str) -> None:
    night.road.claude.says(says(text))

    execution = night.start("tonight")

    (mail,) = night.told()
    assert mail["Message"] == f"{text}\n\n{execution.output['facts']}"
    assert night.kept(execution.output["date"])["sentences"] == text


def test_digest_that_names_no_day_is_about_the_last_whole_one(night: Night) -> None:
    night.road.upload()
    night.road.claude.says(says(SENTENCES))

    execution = night.start("tonight", {})

    yesterday = datetime.now(UTC).date() - timedelta(days=1)
    assert execution.output["date"] == yesterday.isoformat()
    assert execution.output["numbers"]["landed"] == 0
    assert execution.output["numbers"]["waiting"]["READING"]["documents"] == 1


def test_second_digest_of_a_day_replaces_the_first(night: Night) -> None:
    night.road.claude.says(says("First."), says("Second."))

    night.start("first", {"date": today()})
    night.start("second", {"date": today()})

    assert night.road.keys("digests/") == [f"digests/{today()}.json"]
    assert night.kept(today())["sentences"] == "Second."


@pytest.mark.parametrize("date", ["tomorrow", "2999-01-01", "2026-02-30", 7])
def test_day_that_is_none_or_has_not_begun_is_said(night: Night, date: Any) -> None:
    execution = night.start("tonight", {"date": date})

    assert execution.status == "FAILED"
    assert execution.error == "UnknownEvent"
    assert execution.states == ["Numbers", "NotCounted"]
    assert night.told() == [] and night.road.keys("digests/") == []


def test_busy_table_is_asked_again(night: Night) -> None:
    night.road.claude.says(says(SENTENCES))
    fail_numbers(night.road, "StorageUnavailable", times=2)

    execution = night.start("tonight")

    assert execution.status == "SUCCEEDED"
    assert len(night.road.waits) == 2


def test_people_are_told_also_of_what_could_not_be_kept(night: Night) -> None:
    night.road.claude.says(says(SENTENCES))
    night.road.refusals["s3.PutObject"] = [s3_refusal("SlowDown", 503) for _ in range(9)]

    execution = night.start("tonight")

    assert execution.status == "FAILED"
    assert execution.states[-4:] == ["Write", "Tell", "Kept?", "NotKept"]
    assert len(night.road.waits) == 8
    assert len(night.told()) == 1


def test_digest_that_reached_nobody_is_a_failure(night: Night) -> None:
    night.road.claude.says(says(SENTENCES))
    night.road.refusals["sns.Publish"] = [sns_refusal("AuthorizationError", 403)]

    execution = night.start("tonight")

    assert execution.status == "FAILED"
    assert execution.states[-2:] == ["Tell", "NotTold"]
    assert night.road.keys("digests/") != []


def fail_numbers(road: Road, error: str, *, times: int) -> None:
    road.failures["DigestFunction"] = [failure(error)] * times
