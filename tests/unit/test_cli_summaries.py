"""Texts at the desk: sent under `raw/`, followed, listed, with moto in place of AWS."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import boto3
import pytest
from aws_fakes import CloudFormation, make_bucket_and_table
from moto import mock_aws
from typer.testing import CliRunner, Result

from mailroom_desk.cli import app
from mailroom_desk.cloud.emulator.executions import string_matches
from mailroom_desk.summaries import is_raw
from mailroom_desk.upload import Source, key_of

BUCKET, TABLE = "mailroom-documents-1", "mailroom-summaries"
OUTPUTS = {
    "DocumentsBucket": BUCKET,
    "DocumentsTable": "mailroom-documents",
    "StateMachineArn": "arn:aws:states:x",
    "SummariesTable": TABLE,
}


@pytest.fixture
def stack(
    cloudformation: CloudFormation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[str]:
    """A stack with a bucket and the table of summaries."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "160")
    cloudformation.stacks["mailroom"] = OUTPUTS
    cloudformation.stacks["old"] = {n: v for n, v in OUTPUTS.items() if n != "SummariesTable"}
    with mock_aws():
        make_bucket_and_table(BUCKET, TABLE, "doc_key", days="day")
        yield "--stack=mailroom"


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


def put(key: str, status: str, *, version: str = "1", days_ago: int = 0, **more: Any) -> None:
    arrived = datetime.now(UTC) - timedelta(days=days_ago)
    row = {
        "doc_key": f"{key}#{version}", "key": key, "version_id": version, "status": status,
        "received_at": f"{arrived:%Y-%m-%dT%H:%M:%SZ}", "day": f"{arrived:%Y-%m-%d}", "size": 5,
        "model_id": "global.anthropic.claude-haiku-4-5", "input_tokens": 0, "output_tokens": 0,
    }  # fmt: skip
    if status != "WORKING":
        row["ended_at"] = f"{arrived + timedelta(seconds=3):%Y-%m-%dT%H:%M:%S.000Z}"
    boto3.resource("dynamodb").Table(TABLE).put_item(Item=row | more)


def test_summaries_are_listed_the_newest_first_with_price_and_reason(stack: str) -> None:
    put("raw/old.txt", "SUMMARISED", days_ago=2, summary="An old text.")
    put(
        "raw/new.txt", "SUMMARISED", summary="A [bold]new[/] text.", input_tokens=1000,
        output_tokens=100, answered_by="offline stand-in",
    )  # fmt: skip
    put("raw/x.pdf", "FAILED", error="NotText", reason="It is no text.", days_ago=1)
    put("raw/ancient.txt", "SUMMARISED", days_ago=20, summary="Out of sight.")
    put("raw/slow.txt", "WORKING", days_ago=3)

    shown = run("summaries", stack)

    assert shown.exit_code == 0
    lines = shown.stdout
    assert lines.index("new.txt") < lines.index("x.pdf") < lines.index("old.txt")
    assert "new.txt: A [bold]new[/] text." in lines
    assert "x.pdf: It is no text. (NotText)" in lines
    assert "slow.txt: not at its end yet." in lines
    assert "$0.0015" in lines and "3.0 s" in lines
    assert "2 summarised, 1 failed, 1 working." in lines
    assert "no Claude was asked" in lines
    assert "ancient" not in lines


def test_summaries_as_json_have_every_name(stack: str) -> None:
    put("raw/new.txt", "SUMMARISED", summary="New.", input_tokens=1000, output_tokens=100)
    put("raw/x.pdf", "FAILED", error="NotText", reason="No text.", days_ago=1)

    done, failed = (json.loads(x) for x in run("summaries", stack, "--json").stdout.splitlines())

    assert done["summary"] == "New."
    assert (done["price_usd"], done["elapsed_s"], done["size"]) == (0.0015, 3.0, 5)
    assert (failed["status"], failed["error"], failed["reason"]) == (
        "FAILED",
        "NotText",
        "No text.",
    )
    assert set(done) == set(failed)
    assert failed["summary"] is failed["price_usd"] is None


def test_no_summaries_are_said_with_the_next_step(stack: str) -> None:
    shown = run("summaries", stack, "--days", "3")
    assert shown.exit_code == 0
    assert "No text in the last 3 days." in shown.stdout
    assert run("summaries", stack, "--json").stdout == ""


def test_stack_of_an_older_mailroom_is_told_apart(stack: str) -> None:
    shown = run("summaries", "--stack=old")
    assert shown.exit_code == 2
    assert "no output SummariesTable" in shown.stderr


def test_send_without_waiting_uploads_a_text_under_raw(stack: str, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("Text.", "utf-8")
    sent = run("send", "notes.txt", "--prefix", "raw/2026", "--no-wait", "--json", stack)

    assert sent.exit_code == 0, sent.output
    assert json.loads(sent.stdout)["status"] == "SENT"
    (listed,) = boto3.client("s3").list_objects_v2(Bucket=BUCKET)["Contents"]
    assert listed["Key"] == "raw/2026/notes.txt"


def test_send_of_a_text_that_does_not_end_in_time_ends_with_1(stack: str, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("Text.", "utf-8")
    sent = run("send", "notes.txt", "--prefix", "raw/", "--timeout", "0", stack)
    assert sent.exit_code == 1
    assert "notes.txt: not at its end yet." in sent.stdout


@pytest.mark.parametrize(
    ("prefix", "key"),
    [
        ("raw/", "raw/a.txt"),
        ("raw", "raw/a.txt"),
        ("/raw/november/", "raw/november/a.txt"),
        ("rawhide", "incoming/rawhide/a.txt"),
        ("november/raw", "incoming/november/raw/a.txt"),
        ("", "incoming/a.txt"),
    ],
)
def test_only_a_prefix_that_begins_with_raw_is_the_text_road(prefix: str, key: str) -> None:
    assert key_of(Source(Path("a.txt"), "a.txt"), prefix) == key
    assert is_raw(prefix) == key.startswith("raw/")


@pytest.mark.parametrize(
    ("pattern", "value", "matches"),
    [
        ("*\ufffd*", "line\nM\ufffdller\nline", True),
        ("*\ufffd*", "line\nMüller", False),
        ("*.txt", "raw/a\nb.txt", True),
        ("a.b", "axb", False),
        ("text/*", "text/plain; charset=utf-8", True),
        (r"a\*b", "a*b", True),
        (r"a\*b", "axxb", False),
        (r"a\\*", "a\\b", True),
    ],
)
def test_star_of_a_choice_spans_lines_and_can_be_escaped(
    pattern: str, value: str, matches: bool
) -> None:
    assert string_matches(pattern, value) is matches
