"""`mailroom events`: what is announced, and who takes an event. moto stands in for AWS."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import boto3
import pytest
from aws_fakes import CloudFormation
from moto import mock_aws
from typer.testing import CliRunner, Result

from mailroom_desk.cli import app
from mailroom_desk.events.ear import Ear

EVENTS = Path(__file__).parents[2] / "events"
STORED, S3 = EVENTS / "07-document-stored.json", EVENTS / "01-s3-object-created.json"
BUS = "mailroom"

Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "250")

    def run(*arguments: str) -> Result:
        return CliRunner().invoke(app, ["events", *arguments, "--stack=mailroom"])

    return run


@pytest.fixture
def bus(cloudformation: CloudFormation) -> Iterator[Any]:
    """A client of EventBridge; the stack has a bus."""
    with mock_aws():
        cloudformation.stacks["mailroom"] = {
            "DocumentsBucket": "b",
            "DocumentsTable": "t",
            "StateMachineArn": "arn",
            "EventBus": BUS,
        }
        events = boto3.client("events")
        events.create_event_bus(Name=BUS)
        yield events


def rule(
    events: Any, name: str, pattern: dict[str, Any] | None, *targets: str, **more: Any
) -> None:
    bus = more.pop("EventBusName", BUS)
    given = {"EventPattern": json.dumps(pattern)} if pattern else {}
    events.put_rule(Name=name, EventBusName=bus, **given, **more)
    arns = [f"arn:aws:sqs:us-east-1:123456789012:{each}" for each in targets]
    if arns:
        events.put_targets(
            Rule=name,
            EventBusName=bus,
            Targets=[{"Id": str(number), "Arn": arn} for number, arn in enumerate(arns)],
        )


def of_class(name: str) -> dict[str, Any]:
    return {
        "source": ["mailroom"],
        "detail-type": ["DocumentStored"],
        "detail": {"document_class": [name]},
    }


def objects(result: Result) -> list[dict[str, Any]]:
    return [json.loads(line) for line in result.stdout.splitlines()]


# -- explain --------------------------------------------------------------------------------------


def test_explain_says_who_takes_the_event_and_why_the_others_do_not(bus: Any, run: Run) -> None:
    rule(bus, "receipts", of_class("receipt"), "accounting", "archive")
    rule(bus, "orders", of_class("purchase_order"), "orders")
    rule(bus, "asleep", of_class("receipt"), "orders", State="DISABLED")

    result = run("explain", str(STORED), "--json")

    assert result.exit_code == 0, result.output
    receipts, asleep, orders = objects(result)
    assert (receipts["rule"], receipts["takes_it"], receipts["why_not"]) == ("receipts", True, [])
    assert [arn.rpartition(":")[2] for arn in receipts["targets"]] == ["accounting", "archive"]
    assert asleep["why_not"] == ["the rule is disabled"]
    (why,) = orders["why_not"]
    assert "document_class" in why and "receipt" in why and "purchase_order" in why
    drawn = run("explain", str(STORED)).output
    assert "accounting, archive" in drawn and "Nobody" not in drawn


def test_explain_event_that_nothing_matches_is_said_and_ends_with_1(bus: Any, run: Run) -> None:
    rule(bus, "orders", of_class("purchase_order"), "orders")
    rule(bus, "no-target", of_class("receipt"))

    result = run("explain", str(STORED))

    assert result.exit_code == 1
    assert "Nobody gets this event on the bus mailroom" in result.output


def test_explain_event_of_a_service_is_looked_for_on_the_default_bus(
    bus: Any, run: Run, tmp_path: Path
) -> None:
    created = {
        "source": "aws.s3",
        "detail-type": "Object Created",
        "detail": {"bucket": {"name": "b"}, "object": {"key": "raw/notes.txt"}},
    }
    pattern = {"source": ["aws.s3"], "detail": {"object": {"key": [{"prefix": "raw/"}]}}}
    rule(bus, "raw", pattern, "texts", EventBusName="default")
    file = tmp_path / "created.json"
    file.write_text(json.dumps(created))

    assert [each["rule"] for each in objects(run("explain", str(file), "--json"))] == ["raw"]
    created["detail"]["object"] = {"key": "incoming/notes.txt"}
    file.write_text(json.dumps(created))
    result = run("explain", str(file))
    assert result.exit_code == 1 and "incoming/notes.txt" in result.output
    assert "Nobody" in run("explain", str(file), "--bus", BUS).output


@pytest.mark.parametrize(("text", "told"), [("{", "not JSON"), ("[]", "source"), ("{}", "detail")])
def test_explain_what_is_no_event_is_refused(
    bus: Any, run: Run, tmp_path: Path, text: str, told: str
) -> None:
    (tmp_path / "x.json").write_text(text)

    result = run("explain", "x.json")

    assert result.exit_code == 2
    assert told in result.output


def test_explain_s3_notification_has_no_envelope(bus: Any, run: Run) -> None:
    assert "envelope" in run("explain", str(S3)).output


# -- tail -----------------------------------------------------------------------------------------


def put_until_heard(detail_type: str, stop: threading.Event) -> None:
    """Somebody announces again and again: the command's rule is not there at once."""
    sample = json.loads(STORED.read_text("utf-8"))
    detail = {**sample["detail"], "status": detail_type}
    entry = {
        "EventBusName": BUS,
        "Source": "mailroom",
        "DetailType": detail_type,
        "Detail": json.dumps(detail),
    }
    events = boto3.client("events")
    while not stop.wait(0.1):
        events.put_events(Entries=[entry, {**entry, "Source": "another"}])


@pytest.fixture
def announcing(bus: Any) -> Iterator[None]:
    stop = threading.Event()
    threads = [
        threading.Thread(target=put_until_heard, args=(kind, stop), daemon=True)
        for kind in ("DocumentStored", "DocumentInReview")
    ]
    for thread in threads:
        thread.start()
    yield
    stop.set()
    for thread in threads:
        thread.join()


def nothing_is_left(bus: Any) -> bool:
    queues = boto3.client("sqs").list_queues().get("QueueUrls", [])
    return not queues and not bus.list_rules(EventBusName=BUS)["Rules"]


def test_tail_shows_what_is_announced_and_cleans_up(bus: Any, run: Run, announcing: None) -> None:
    result = run("tail", "--count", "3")

    assert result.exit_code == 0, result.output
    lines = [line for line in result.stdout.splitlines() if "Document" in line]
    assert len(lines) == 3
    assert all("Café 50% off+tip.pdf" in line and "receipt" in line for line in lines)
    assert nothing_is_left(bus)


def test_tail_of_one_type_as_json_is_the_envelope(bus: Any, run: Run, announcing: None) -> None:
    result = run("tail", "--count", "2", "--type", "DocumentInReview", "--json")

    heard = objects(result)
    assert [each["detail-type"] for each in heard] == ["DocumentInReview"] * 2
    assert {each["source"] for each in heard} == {"mailroom"}
    assert heard[0]["detail"]["key"] == "incoming/Café 50% off+tip.pdf"


def test_tail_where_nothing_happens_ends_after_its_time(bus: Any, run: Run) -> None:
    began = time.monotonic()

    assert run("tail", "--seconds", "1").exit_code == 0

    assert time.monotonic() - began < 20
    assert nothing_is_left(bus)


def test_tail_that_is_interrupted_ends_well_and_cleans_up(
    bus: Any, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(self: Ear, wait_seconds: int) -> list[Any]:
        assert not nothing_is_left(bus)
        raise KeyboardInterrupt

    monkeypatch.setattr(Ear, "hear", interrupted)

    assert run("tail").exit_code == 0
    assert nothing_is_left(bus)


def test_ear_lets_only_its_own_rule_into_its_queue(bus: Any) -> None:
    ear = Ear(boto3.client, BUS, {"source": ["mailroom"]}, "ear")
    with ear:
        sqs = boto3.client("sqs")
        (url,) = sqs.list_queues()["QueueUrls"]
        answer = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["Policy", "QueueArn"])
    (statement,) = json.loads(answer["Attributes"]["Policy"])["Statement"]
    assert statement["Principal"] == {"Service": "events.amazonaws.com"}
    assert statement["Resource"] == answer["Attributes"]["QueueArn"]
    assert statement["Condition"]["ArnEquals"]["aws:SourceArn"].endswith(f"rule/{BUS}/ear")
