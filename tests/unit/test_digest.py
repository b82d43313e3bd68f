"""The numbers of a day, the facts that are told of them, and the command that asks for both."""

import json
from collections.abc import Collection, Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import boto3
import pytest
from botocore.stub import Stubber
from hypothesis import given
from hypothesis import strategies as st
from moto import mock_aws
from typer.testing import CliRunner

from mailroom.aws.days import DocumentDays
from mailroom.aws.table import DocumentTable
from mailroom.day import MOST_CAUSES, Numbers, Waiting, count_day
from mailroom.digest import asked_day, digest, facts
from mailroom.document import Status, document_id
from mailroom.errors import ServiceMisconfigured, StorageUnavailable, UnknownEvent
from mailroom.reconcile import LandedVersion
from mailroom_desk.cli import app
from mailroom_desk.stack import Stack

DAY = date(2026, 11, 29)
NOW = datetime(2026, 11, 30, 1, tzinfo=UTC)
NOON = datetime(2026, 11, 29, 12, tzinfo=UTC)


class Rows:
    """The table in memory."""

    def __init__(self, rows: dict[str, dict[str, Any]]) -> None:
        self.rows = rows

    def of_day(self, day: date) -> Iterator[dict[str, Any]]:
        return (row for row in self.rows.values() if row["day"] == day.isoformat())

    def waiting(self) -> Iterator[dict[str, Any]]:
        return (row for row in self.rows.values() if row.get("open_shard"))

    def statuses(self, document_ids: Collection[str]) -> Mapping[str, str]:
        return {name: self.rows[name]["status"] for name in document_ids if name in self.rows}


def version(name: str, landed_at: datetime = NOON) -> LandedVersion:
    return LandedVersion("bucket", f"incoming/{name}", "v1", "e", landed_at)


def row(status: str, **more: Any) -> dict[str, Any]:
    since = "2026-11-29T19:30:00.000Z"
    return {"status": status, "day": DAY.isoformat(), "status_since": since, **more}


def count(rows: dict[LandedVersion, dict[str, Any] | None], now: datetime = NOW) -> Numbers:
    known = {v.document_id: found for v, found in rows.items() if found is not None}
    return count_day(DAY, rows, Rows(known), now)


# -- the numbers ----------------------------------------------------------------------------------


def test_day_is_counted() -> None:
    dead = {"stage": "Classify", "error": "ModelFailed", "cause": "about Jane Doe"}
    told = count(
        {
            version("a"): row("STORED", document_class="invoice", price_usd=Decimal("0.071")),
            version("b"): row("STORED", document_class="invoice", price_usd=Decimal("0.07")),
            version("c"): row("STORED", document_class="receipt", price_usd=Decimal("0.1")),
            version("d"): row("DEAD_LETTERED", error=dead, open_shard="#1"),
            version("e"): row("IN_REVIEW", open_shard="#2", document_class="w2"),
            version("f"): row("HELD", open_shard="held#2"),
            version("lost"): None,
        }
    )

    assert told == Numbers(
        date="2026-11-29",
        landed=7,
        fates={"stored": 3, "in_review": 1, "held": 1, "dead": 1, "unaccounted": 1},
        unaccounted=1,
        documents=6,
        stored={"invoice": 2, "receipt": 1},
        dead={"ModelFailed in Classify": 1},
        waiting={
            "DEAD_LETTERED": Waiting(1, 5.5), "HELD": Waiting(1, 5.5), "IN_REVIEW": Waiting(1, 5.5),
        },
        spent_usd="0.241",
    )  # fmt: skip
    assert "Jane" not in json.dumps(digest(told))


@pytest.mark.parametrize(
    ("landed_at", "counts"),
    [
        (datetime(2026, 11, 28, 23, 59, 59, 999999, UTC), False),
        (datetime(2026, 11, 29, tzinfo=UTC), True),
        (datetime(2026, 11, 29, 23, 59, 59, 999999, UTC), True),
        (datetime(2026, 11, 30, tzinfo=UTC), False),
    ],
)
def test_day_has_a_beginning_and_an_end(landed_at: datetime, counts: bool) -> None:
    assert count({version("a", landed_at): None}).landed == counts


def test_what_waits_is_counted_whenever_it_arrived() -> None:
    old = row("IN_REVIEW", open_shard="#1", status_since="2026-11-20T01:00:00.000Z")
    old["day"] = "2026-11-20"

    told = count({version("a", NOON - timedelta(days=9)): old})

    assert told.landed == told.documents == 0
    assert told.waiting == {"IN_REVIEW": Waiting(1, 240.0)}


def test_end_that_is_not_announced_yet_waits_for_just_that() -> None:
    ends = (Status.STORED, Status.REJECTED, Status.DUPLICATE)
    told = count({version(status): row(status, open_shard="#1") for status in ends})

    assert told.waiting == {"UNANNOUNCED": Waiting(3, 5.5)}


def test_day_that_has_not_ended_gives_the_last_minutes_their_grace() -> None:
    told = count({version("a", NOON): None, version("b", NOON - timedelta(hours=1)): None}, NOON)

    assert told.fates == {"too_young": 1, "unaccounted": 1}


def test_many_causes_are_told_as_the_most_frequent_and_the_rest() -> None:
    rows: dict[LandedVersion, dict[str, Any] | None] = {}
    for cause in range(MOST_CAUSES + 5):
        for number in range(1 + (cause == 3)):
            error = {"stage": "Extract", "error": f"E{cause:02}"}
            rows[version(f"{cause}-{number}")] = row("DEAD_LETTERED", error=error)

    told = count(rows)

    assert len(told.dead) == MOST_CAUSES + 1
    assert next(iter(told.dead)) == "E03 in Extract"
    assert told.dead["other causes"] == 5
    assert sum(told.dead.values()) == len(rows)


STATUSES = st.lists(st.sampled_from([None, *Status]), max_size=60)


@given(STATUSES)
def test_parts_make_up_the_whole(statuses: list[Status | None]) -> None:
    told = count(
        {version(str(n)): row(status) if status else None for n, status in enumerate(statuses)}
    )

    assert sum(told.fates.values()) == told.landed == len(statuses)
    assert told.documents + told.unaccounted == told.landed
    assert sum(told.stored.values()) == told.fates.get("stored", 0)
    assert sum(told.dead.values()) == told.fates.get("dead", 0)


# -- the facts ------------------------------------------------------------------------------------

EMPTY = Numbers("2026-11-01", 0, {}, 0, 0, {}, {}, {}, "0")


def test_quiet_day_is_told_without_a_number_that_is_not_there() -> None:
    assert facts(EMPTY) == [
        "0 documents landed on 1 November 2026 (UTC).",
        "Unaccounted for: 0.",
        "Stored by class: none.",
        "Dead by cause: none.",
        "Waiting now: none.",
        "Spent: 0.00 USD at list prices, Textract and Claude together.",
    ]


def test_busy_day_is_told_in_words() -> None:
    told = Numbers(
        "2026-11-30",
        2,
        {"in_review": 1, "unaccounted": 1},
        1,
        1,
        {},
        {"ModelFailed in Classify": 3},
        {"IN_REVIEW": Waiting(1, 2.5), "UNANNOUNCED": Waiting(2, 0.1)},
        "1.2345",
    )

    landed, unaccounted, _, dead, waiting, spent = facts(told)

    assert landed == "2 documents landed on 30 November 2026 (UTC): 1 in review, 1 unaccounted."
    assert unaccounted == "Unaccounted for: 1. Take them in with: mailroom reconcile."
    assert dead == "Dead by cause: 3 ModelFailed in Classify."
    assert waiting == (
        "Waiting now: 1 in review (the longest for 2.5 hours), "
        "2 unannounced (the longest for 0.1 hours)."
    )
    assert spent.startswith("Spent: 1.23 USD")


def test_subject_is_what_sns_takes() -> None:
    huge = Numbers("2026-11-30", 10**9, {}, 10**9, 0, {}, {"a": 10**9}, {}, "0")
    subject = digest(huge)["subject"]
    assert subject.isascii() and len(subject) < 100 and "\n" not in subject


def test_request_is_one_of_anthropics_messages() -> None:
    from mailroom_desk.cloud.claude.protocol.messages import to_converse

    request = to_converse(digest(EMPTY)["request"])
    (message,) = request["messages"]
    assert message["content"][0]["text"] == "\n".join(facts(EMPTY))


# -- which day ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("event", "day"),
    [
        ({"asked": {"date": "2026-11-02"}, "started_at": "2026-11-30T01:00:00.000Z"}, "2026-11-02"),
        ({"asked": {"date": "2026-11-30"}, "started_at": "2026-11-30T01:00:00.000Z"}, "2026-11-30"),
        ({"asked": {}, "started_at": "2026-11-30T01:00:00.000Z"}, "2026-11-29"),
        ({"asked": {}, "started_at": "2026-03-01T00:00:00.000Z"}, "2026-02-28"),
        ({"asked": {}, "started_at": "2026-03-01T01:00:00+02:00"}, "2026-02-27"),
    ],
)
def test_event_means_a_day(event: dict[str, Any], day: str) -> None:
    assert asked_day(event, date(2026, 11, 30)).isoformat() == day


@pytest.mark.parametrize(
    "event",
    [{}, {"asked": {"date": None}}, {"asked": {"date": "2026-12-01"}}, {"asked": {"date": ""}}],
)
def test_event_of_no_day_is_refused(event: dict[str, Any]) -> None:
    with pytest.raises(UnknownEvent):
        asked_day(event, date(2026, 11, 30))


# -- the table ------------------------------------------------------------------------------------


@pytest.fixture
def table() -> Iterator[DocumentDays]:
    with mock_aws():
        api = boto3.client("dynamodb")
        keys = ("document_id", "open_shard", "day", "received_at")
        api.create_table(
            TableName="t",
            BillingMode="PAY_PER_REQUEST",
            KeySchema=[{"AttributeName": "document_id", "KeyType": "HASH"}],
            AttributeDefinitions=[{"AttributeName": key, "AttributeType": "S"} for key in keys],
            GlobalSecondaryIndexes=[
                {
                    "IndexName": index,
                    "KeySchema": [
                        {"AttributeName": key, "KeyType": "HASH"},
                        {"AttributeName": "received_at", "KeyType": "RANGE"},
                    ],
                    "Projection": {"ProjectionType": "ALL"},
                }
                for index, key in (("open", "open_shard"), ("days", "day"))
            ],
        )
        yield DocumentDays("t", api)


def test_table_gives_the_rows_of_a_day_and_those_that_wait(table: DocumentDays) -> None:
    statuses = [Status.RECEIVED, Status.HELD, Status.REJECTED, Status.DUPLICATE, Status.READING]
    names = [document_id("b", f"k{number}", "v") for number in range(40)]
    for number, name in enumerate(names):
        status = statuses[number % len(statuses)]
        fields = {"fields": {"long": "x" * 9_000}, "price_usd": Decimal("0.1")}
        table.register({"document_id": name, "status": status, "attempt": 1, **fields})
    table.move(names[0], 1, to=Status.DEAD_LETTERED, allowed=[Status.RECEIVED], values={
        "error": {"stage": "Intake", "error": "E", "cause": "long"},
    })  # fmt: skip

    rows = list(table.of_day(datetime.now(UTC).date()))

    assert sorted(each["document_id"] for each in rows) == sorted(names)
    (dead,) = (each for each in rows if each["status"] == "DEAD_LETTERED")
    assert dead["error"] == {"stage": "Intake", "error": "E"}
    assert all("fields" not in each for each in rows)
    waiting = {each["document_id"]: each["status"] for each in table.waiting()}
    assert {"DEAD_LETTERED", "HELD", "READING", "RECEIVED"} <= set(waiting.values())
    open_rows = {row["document_id"] for row in table.open_rows()}
    assert set(waiting) == open_rows | {row["document_id"] for row in table.oldest_held(40)}
    assert list(table.of_day(DAY)) == []
    assert set(table.statuses(names[:30]).values()) == {*statuses, "DEAD_LETTERED"}


def test_long_answers_are_read_to_their_end() -> None:
    api = boto3.client("dynamodb", region_name="us-east-1")
    item = {"document_id": {"S": "a"}, "status": {"S": "STORED"}}
    with Stubber(api) as stub:
        stub.add_response("query", {"Items": [item], "LastEvaluatedKey": {"day": {"S": "x"}}})
        for _ in range(8):
            stub.add_response("query", {"Items": [item]})
        assert len(list(DocumentDays("t", api).of_day(DAY))) == 9


@pytest.mark.parametrize(
    ("code", "error"),
    [("ThrottlingException", StorageUnavailable), ("AccessDeniedException", ServiceMisconfigured)],
)
def test_errors_of_the_table_have_their_names(code: str, error: type[Exception]) -> None:
    api = boto3.client("dynamodb", region_name="us-east-1")
    with Stubber(api) as stub:
        stub.add_client_error("query", code)
        with pytest.raises(error):
            list(DocumentDays("t", api).of_day(DAY))
        stub.add_client_error("batch_get_item", code)
        with pytest.raises(error):
            DocumentDays("t", api).statuses(["a"])


def test_rows_that_are_not_answered_for_are_not_taken_for_missing() -> None:
    api = boto3.client("dynamodb", region_name="us-east-1")
    busy = {"Responses": {}, "UnprocessedKeys": {"t": {"Keys": [{"document_id": {"S": "a"}}]}}}
    pauses: list[float] = []
    with Stubber(api) as stub:
        for _ in range(10):
            stub.add_response("batch_get_item", busy)
        with pytest.raises(StorageUnavailable):
            DocumentDays("t", api, pauses.append).statuses(["a"])
    assert len(pauses) == 10 and max(pauses) <= 5


def test_rows_at_large_are_rows_of_the_table() -> None:
    assert issubclass(DocumentDays, DocumentTable)


# -- the command ----------------------------------------------------------------------------------

TOLD = {
    "date": "2026-11-30",
    "key": "digests/2026-11-30.json",
    "sentences": "All is well.\nReally.",
    "facts": "1 document landed.\nUnaccounted for: 0.",
    "numbers": {"landed": 1},
}


class States:
    """Step Functions: one execution, and how it ends."""

    def __init__(self, *ends: dict[str, Any]) -> None:
        self.ends = list(ends)
        self.started: list[dict[str, Any]] = []

    def start_execution(self, **asked: Any) -> dict[str, str]:
        self.started.append(asked)
        return {"executionArn": "arn:execution"}

    def describe_execution(self, executionArn: str) -> dict[str, Any]:
        return self.ends.pop(0) if len(self.ends) > 1 else self.ends[0]


def run(states: States, *arguments: str, monkeypatch: pytest.MonkeyPatch, home: Path) -> Any:
    outputs = {"DigestStateMachineArn": "arn:machine"}
    stack = Stack("m", "us-east-1", "b", "t", "arn", True, lambda _: states, outputs)
    monkeypatch.setattr("mailroom_desk.cli.digest.open_stack", lambda *_: stack)
    monkeypatch.chdir(home)
    return CliRunner().invoke(app, ["digest", *arguments])


def test_command_prints_sentences_and_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    states = States({"status": "RUNNING"}, {"status": "SUCCEEDED", "output": json.dumps(TOLD)})

    result = run(states, "--date", "2026-11-30", monkeypatch=monkeypatch, home=tmp_path)

    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "All is well.",
        "Really.",
        "",
        "1 document landed.",
        "Unaccounted for: 0.",
        "",
        "Kept as s3://b/digests/2026-11-30.json",
    ]
    (asked,) = states.started
    assert asked == {"stateMachineArn": "arn:machine", "input": '{"date": "2026-11-30"}'}


def test_command_gives_today_as_json(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    states = States({"status": "SUCCEEDED", "output": json.dumps({**TOLD, "sentences": ""})})

    result = run(states, "--json", monkeypatch=monkeypatch, home=tmp_path)

    told = json.loads(result.stdout)
    assert (told["numbers"], told["sentences"]) == ({"landed": 1}, "")
    assert json.loads(states.started[0]["input"]) == {"date": datetime.now(UTC).date().isoformat()}


def test_command_says_why_there_is_no_digest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = json.dumps({"errorMessage": "2999-01-01 has not begun.", "errorType": "UnknownEvent"})
    cause = json.dumps({"Error": "UnknownEvent", "Cause": inner})
    states = States({"status": "FAILED", "error": "UnknownEvent", "cause": cause})

    result = run(states, "--date", "2999-01-01", monkeypatch=monkeypatch, home=tmp_path)

    assert result.exit_code == 1
    assert "mailroom: There is no digest: 2999-01-01 has not begun. (UnknownEvent)" in result.stderr


def test_command_does_not_wait_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result = run(
        States({"status": "RUNNING"}), "--timeout", "0", monkeypatch=monkeypatch, home=tmp_path
    )

    assert result.exit_code == 1
    assert "has not ended in 0 s" in result.stderr


def test_command_refuses_what_is_no_date(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result = run(States({}), "--date", "yesterday", monkeypatch=monkeypatch, home=tmp_path)

    assert result.exit_code == 2
