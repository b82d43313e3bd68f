"""The digest on the deployed template: what the table says, Claude's stand-in says, people get."""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from mailroom.document import document_id
from mailroom_desk.cli import app
from mailroom_desk.cloud.state import Cloud
from mailroom_desk.documents import status
from mailroom_desk.follow import Followed, follow
from mailroom_desk.rows import Rows
from mailroom_desk.stack import Stack, local_stack

from .machines import run

FOLDER = Path(__file__).parents[2] / "samples"
SAMPLES = ("INV-20931.pdf", "empty.pdf", "locked.pdf", "truncated.pdf")


@pytest.fixture
def mail(cloud: Cloud) -> Iterator[Callable[[], dict[str, Any]]]:
    """What people get."""
    sns, sqs = cloud.client("sns"), cloud.client("sqs")
    url = sqs.create_queue(QueueName="mail-of-the-digest")["QueueUrl"]
    arn = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])["Attributes"]
    (topic,) = (t["TopicArn"] for t in sns.list_topics()["Topics"] if "-people" in t["TopicArn"])
    subscription = sns.subscribe(TopicArn=topic, Protocol="sqs", Endpoint=arn["QueueArn"])

    def received() -> dict[str, Any]:
        while messages := sqs.receive_message(QueueUrl=url, WaitTimeSeconds=10)["Messages"]:
            sqs.delete_message(QueueUrl=url, ReceiptHandle=messages[0]["ReceiptHandle"])
            told: dict[str, Any] = json.loads(messages[0]["Body"])
            # The topic is that of all people's matters.
            if str(told.get("Subject", "")).startswith("Mailroom 20"):
                return told
        raise AssertionError("no digest came")

    yield received
    sns.unsubscribe(SubscriptionArn=subscription["SubscriptionArn"])
    sqs.delete_queue(QueueUrl=url)


def digest(cloud: Cloud, asked: dict[str, str]) -> dict[str, Any]:
    ended = run(cloud, cloud.outputs["DigestStateMachineArn"], asked)
    assert ended["status"] == "SUCCEEDED", ended.get("cause")
    told: dict[str, Any] = json.loads(ended["output"])
    return told


def counted(stack: Stack) -> dict[str, Any]:
    """What the table says of today, in the digest's words."""
    rows = Rows(stack).latest(1)
    stored = Counter(str(row["document_class"]) for row in rows if row["status"] == "STORED")
    dead = Counter(
        f"{row['error']['error']} in {row['error']['stage']}"
        for row in rows
        if row["status"] == "DEAD_LETTERED"
    )
    spent = sum((row.get("price_usd", 0) for row in rows), Decimal())
    return {
        "documents": len(rows), "stored": dict(stored), "dead": dict(dead), "spent_usd": str(spent),
    }  # fmt: skip


def a_day(cloud: Cloud, stack: Stack) -> None:
    """Documents that end in different ways, to their ends."""
    s3 = cloud.client("s3")
    identities = []
    for name in SAMPLES:
        body = (FOLDER / name).read_bytes()
        key = f"incoming/of the day/{name}"
        version = s3.put_object(Bucket=stack.bucket, Key=key, Body=body)["VersionId"]
        identities.append(document_id(stack.bucket, key, version))
    documents = [Followed(identity, "", 0.0) for identity in identities]
    for _ in follow(documents, Rows(stack), 240):
        pass
    assert {status(document.row) for document in documents} > {"STORED"}


def test_digest_says_what_the_table_says_and_people_get_it(
    cloud: Cloud, mail: Callable[[], dict[str, Any]]
) -> None:
    stack = local_stack(cloud.folder)
    a_day(cloud, stack)
    today = datetime.now(UTC).date().isoformat()
    before: dict[str, Any] = {}
    while (now := counted(stack)) != before:
        before = now
        told = digest(cloud, {"date": today})

    numbers = told["numbers"]
    assert {name: numbers[name] for name in now} == now
    assert numbers["stored"] and numbers["dead"]
    assert numbers["unaccounted"] == 0
    assert sum(numbers["fates"].values()) == numbers["landed"] >= len(SAMPLES)
    # The stand-in takes its sentences from the facts.
    assert told["sentences"]
    assert all(sentence.strip(" .") in told["facts"] for sentence in told["sentences"].split(". "))
    message = mail()
    while message["Message"] != f"{told['sentences']}\n\n{told['facts']}":
        message = mail()
    kept = cloud.client("s3").get_object(Bucket=stack.bucket, Key=f"digests/{today}.json")
    assert json.loads(kept["Body"].read())["numbers"] == numbers


def test_command_says_it_too(cloud: Cloud, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mailroom_desk.cli.digest.open_stack", lambda *_: local_stack(cloud.folder))

    result = CliRunner().invoke(app, ["digest", "--date", "2020-01-01"])

    assert result.exit_code == 0, result.stderr
    assert "0 documents landed on 1 January 2020 (UTC)." in result.stdout
    assert "Kept as s3://" in result.stdout


def test_schedule_is_deployed_with_its_dead_letters(cloud: Cloud) -> None:
    schedule = cloud.client("scheduler").get_schedule(Name="mailroom-digest")

    assert schedule["ScheduleExpression"] == "cron(0 1 * * ? *)"
    target = schedule["Target"]
    assert target["Arn"] == cloud.outputs["DigestStateMachineArn"]
    assert target["DeadLetterConfig"]["Arn"].endswith(":mailroom-undelivered")
