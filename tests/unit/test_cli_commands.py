"""The commands as a user types them, on a deployed stack that moto stands in for."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Any

import boto3
import pytest
from aws_fakes import CloudFormation, make_bucket_and_table
from moto import mock_aws
from typer.testing import CliRunner, Result

from mailroom.aws.table import storable
from mailroom.document import document_id, shard, timestamp
from mailroom_desk.cli import app
from mailroom_desk.cloud.ledger import Ledger

BUCKET, TABLE = "mailroom-documents-1", "mailroom-documents"
OUTPUTS = {
    "DocumentsBucket": BUCKET,
    "DocumentsTable": TABLE,
    "StateMachineArn": "arn:aws:states:x",
}
STAND_IN = "offline stand-in (no Claude was asked)"

Run = Callable[..., Result]


@pytest.fixture(autouse=True)
def _empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "160")


@pytest.fixture
def run() -> Run:
    def run(*arguments: str) -> Result:
        return CliRunner().invoke(app, list(arguments))

    return run


@pytest.fixture
def stack(cloudformation: CloudFormation) -> Iterator[str]:
    """A stack with Mailroom's outputs, its bucket and its table."""
    cloudformation.stacks["mailroom"] = OUTPUTS
    with mock_aws():
        make_bucket_and_table(BUCKET, TABLE, "document_id", days="day")
        yield "--stack=mailroom"


def _put(key: str, status: str, *, version: str = "1", days_ago: int = 0, **values: Any) -> str:
    name = document_id(BUCKET, key, version)
    arrived = datetime.now(UTC) - timedelta(days=days_ago)
    row = {
        "document_id": name,
        "bucket": BUCKET,
        "key": key,
        "status": status,
        "attempt": 1,
        "received_at": timestamp(arrived),
        "day": f"{timestamp(arrived)[:10]}{shard(name)}",
        "timeline": [
            {"status": "RECEIVED", "at": timestamp(arrived)},
            {"status": status, "at": timestamp(arrived + timedelta(seconds=3))},
        ],
        **values,
    }
    boto3.resource("dynamodb").Table(TABLE).put_item(Item=storable(row))
    return name


def _stored(key: str = "incoming/a.pdf", **values: Any) -> str:
    return _put(
        key,
        "STORED",
        **{
            "document_class": "invoice",
            "confidence": Decimal("0.97"),
            "fields": {"total": "85.00"},
            "pages": 1,
            "answered_by": "offline stand-in",
            "price_usd": Decimal("0.0664"),
            "input_tokens": 1200,
            **values,
        },
    )


def _objects(result: Result) -> list[dict[str, Any]]:
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_help_has_a_line_for_each_command_in_the_order_in_which_a_user_meets_them(
    run: Run,
) -> None:
    text = run("--help").stdout

    commands = ["demo", "up", "down", "send", "list", "show", "process", "ledger"]
    places = [text.index(f"│ {command} ") for command in commands]
    assert places == sorted(places)


@pytest.mark.parametrize(
    "command", ["demo", "up", "down", "send", "list", "show", "process", "ledger"]
)
def test_help_of_a_command_has_an_example(run: Run, command: str) -> None:
    result = run(command, "--help")

    assert result.exit_code == 0
    assert f"Example: mailroom {command}" in result.stdout


def test_demo_of_a_reaction_has_no_json_and_starts_nothing(run: Run) -> None:
    result = run("demo", "--with", "orders", "--json")

    assert result.exit_code == 2
    assert "--with" in result.stderr and "Starting" not in result.stderr


def test_help_loads_nothing_that_is_slow() -> None:
    code = (
        "import sys; import mailroom_desk.cli; "
        "print({'boto3', 'botocore', 'psutil', 'starlette', 'rich.live'} & set(sys.modules))"
    )

    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )

    assert loaded.stdout.strip() == "set()"


def test_version_is_said(run: Run) -> None:
    assert run("--version").stdout.startswith("mailroom ")


@pytest.mark.parametrize(
    "command", [("list",), ("show", "abc"), ("process", "incoming/a"), ("send", __file__)]
)
def test_command_without_a_cloud_says_how_to_start_one(run: Run, command: tuple[str, ...]) -> None:
    result = run(*command)

    assert result.exit_code == 2
    assert result.stderr == (
        "mailroom: No local cloud is running here. Start one with: mailroom up\n"
    )


def test_down_without_a_cloud_is_no_error(run: Run) -> None:
    assert run("down").exit_code == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ("send",),
        ("send", "no-such-file.pdf"),
        ("list", "--status", "LOST"),
        ("list", "--region", "eu-west-1"),
        ("process", "a.pdf"),
        ("process", "incoming/a.pdf", "--json"),
        ("nonsense",),
    ],
)
def test_wrong_usage_ends_with_2(run: Run, arguments: tuple[str, ...]) -> None:
    result = run(*arguments)

    assert result.exit_code == 2
    assert "Traceback" not in result.output


def test_unknown_stack_is_said_with_the_next_step(run: Run, cloudformation: CloudFormation) -> None:
    result = run("list", "--stack", "other", "--region", "us-east-1")

    assert result.exit_code == 2
    assert "There is no stack other in us-east-1." in result.stderr


def test_stack_of_another_application_is_refused(run: Run, cloudformation: CloudFormation) -> None:
    cloudformation.stacks["other"] = {"Something": "else"}

    result = run("list", "--stack", "other")

    assert result.exit_code == 2
    assert "not Mailroom's" in result.stderr


def test_unknown_profile_is_said_in_a_sentence(run: Run) -> None:
    result = run("list", "--stack", "mailroom", "--profile", "nobody")

    assert result.exit_code == 1
    assert "aws configure list-profiles" in result.stderr


def test_error_of_aws_is_said_in_a_sentence(run: Run, stack: str, tmp_path: Path) -> None:
    boto3.client("s3").delete_bucket(Bucket=BUCKET)
    (tmp_path / "a.pdf").write_bytes(b"%PDF-")

    result = run("send", "a.pdf", stack)

    assert result.exit_code == 1
    assert result.stderr.startswith("mailroom: AWS answered NoSuchBucket to PutObject")
    assert "Traceback" not in result.output


def test_list_shows_the_newest_first_and_names_the_stand_in(run: Run, stack: str) -> None:
    _stored("incoming/old.pdf", days_ago=2)
    _put("incoming/new [1].pdf", "REJECTED", reasons=["The file is empty."])

    text = run("list", stack).stdout

    assert text.index("new [1].pdf") < text.index("old.pdf")
    assert STAND_IN in text


def test_list_gives_one_json_object_a_document(run: Run, stack: str) -> None:
    name = _stored()

    (told,) = _objects(run("list", stack, "--json"))

    assert told == {
        "document_id": name,
        "key": "incoming/a.pdf",
        "status": "STORED",
        "document_class": "invoice",
        "confidence": 0.97,
        "fields": {"total": "85.00"},
        "reasons": [],
        "error": None,
        "pages": 1,
        "answered_by": "offline stand-in",
        "elapsed_s": 3.0,
    }


def test_list_keeps_to_status_class_and_days(run: Run, stack: str) -> None:
    _stored("incoming/invoice.pdf")
    _stored("incoming/letter.pdf", document_class="letter")
    _stored("incoming/ancient.pdf", days_ago=20)
    _put("incoming/bad.pdf", "REJECTED")

    def keys(*options: str) -> set[str]:
        return {told["key"] for told in _objects(run("list", stack, "--json", *options))}

    assert keys("--class", "letter") == {"incoming/letter.pdf"}
    assert keys("--status", "rejected") == {"incoming/bad.pdf"}
    assert "incoming/ancient.pdf" not in keys()
    assert "incoming/ancient.pdf" in keys("--days", "30")


@pytest.mark.parametrize("reference", ["{id}", "{id:.8}", "incoming/a.pdf", "a.pdf"])
def test_show_finds_a_document_by_id_beginning_or_key(run: Run, stack: str, reference: str) -> None:
    name = _stored()
    _put("incoming/other.pdf", "READING")

    (told,) = _objects(run("show", reference.format(id=name), stack, "--json"))

    assert told["document_id"] == name
    assert told["price_usd"] == 0.0664
    assert [step["status"] for step in told["timeline"]] == ["RECEIVED", "STORED"]


def test_show_of_a_key_with_two_versions_gives_the_newest_and_says_so(run: Run, stack: str) -> None:
    _put("incoming/a.pdf", "REJECTED", version="1", days_ago=1)
    newest = _put("incoming/a.pdf", "READING", version="2")

    result = run("show", "a.pdf", stack, "--json")

    assert _objects(result)[0]["document_id"] == newest
    assert "2 documents have this key" in result.stderr


def test_show_of_a_key_whose_older_version_arrived_last_gives_the_newer(
    run: Run, stack: str
) -> None:
    newer = _put("incoming/a.pdf", "STORED", version="2", landed_at="2026-11-30T10:00:00.000Z")
    _put("incoming/a.pdf", "READING", version="1", landed_at="2026-11-30T09:00:00.000Z")

    assert _objects(run("show", "a.pdf", stack, "--json"))[0]["document_id"] == newer


def test_show_of_a_beginning_that_fits_two_documents_is_an_error(run: Run, stack: str) -> None:
    for number in range(17):  # of 17 ids, two share their first digit
        _put(f"incoming/{number}.pdf", "READING")
    ids = sorted(told["document_id"] for told in _objects(run("list", stack, "--json")))
    shared = next(b[0] for a, b in pairwise(ids) if a[0] == b[0])

    result = run("show", shared, stack)

    assert result.exit_code == 2
    assert "Give more of the id." in result.stderr


@pytest.mark.parametrize("reference", ["f" * 40, "ffff", "incoming/nothing.pdf"])
def test_show_of_an_unknown_document_is_an_error(run: Run, stack: str, reference: str) -> None:
    result = run("show", reference, stack)

    assert result.exit_code == 2
    assert "mailroom list" in result.stderr


def test_show_reads_the_fields_in_full_where_the_row_leaves_some_out(run: Run, stack: str) -> None:
    items = [{"description": "Paper", "amount": "85.00"}]
    _stored(fields_key="results/a/1.json")
    boto3.client("s3").put_object(
        Bucket=BUCKET,
        Key="results/a/1.json",
        Body=json.dumps({"fields": {"total": "85.00", "line_items": items}}),
    )

    (told,) = _objects(run("show", "a.pdf", stack, "--json"))

    assert told["fields"]["line_items"] == items
    assert "Paper" in run("show", "a.pdf", stack).stdout


def test_show_falls_back_on_the_row_where_the_results_are_gone(run: Run, stack: str) -> None:
    _stored(fields_key="results/a/1.json")

    (told,) = _objects(run("show", "a.pdf", stack, "--json"))

    assert told["fields"] == {"total": "85.00"}


def test_show_draws_fields_timeline_price_and_the_stand_in(run: Run, stack: str) -> None:
    _stored()

    text = run("show", "a.pdf", stack).stdout

    assert STAND_IN in text
    assert "85.00" in text
    assert "+ 3.0 s" in text
    assert "$0.0664" in text


def test_show_of_a_dead_letter_says_what_went_wrong(run: Run, stack: str) -> None:
    cause = json.dumps({"errorMessage": "It is protected.", "stackTrace": ["secret"]})
    _put(
        "incoming/a.pdf",
        "DEAD_LETTERED",
        error={"stage": "Extract", "error": "OcrFailed", "cause": cause},
    )

    text = run("show", "a.pdf", stack).stdout

    assert "It is protected. (OcrFailed in Extract)" in text
    assert "secret" not in text


def test_screen_keeps_control_characters_of_a_document_away(run: Run, stack: str) -> None:
    _stored(fields={"vendor_name": "\x1b[31mEvil\x07 [bold]Ltd[/bold]"})

    text = run("show", "a.pdf", stack).stdout

    assert "\x1b" not in text
    assert "[bold]Ltd[/bold]" in text


def test_send_without_waiting_uploads_and_tells_the_ids(
    run: Run, stack: str, tmp_path: Path
) -> None:
    (tmp_path / "bon café +1%.pdf").write_bytes(b"%PDF-")

    result = run("send", "bon café +1%.pdf", "--prefix", "nov", "--no-wait", "--json", stack)

    (version,) = boto3.client("s3").list_object_versions(Bucket=BUCKET)["Versions"]
    (told,) = _objects(result)
    assert result.exit_code == 0
    assert told["key"] == version["Key"] == "incoming/nov/bon café +1%.pdf"
    assert told["document_id"] == document_id(BUCKET, version["Key"], version["VersionId"])
    assert told["status"] == "SENT"


def test_send_reports_a_document_that_has_not_ended_in_time_with_1(
    run: Run, stack: str, tmp_path: Path
) -> None:
    (tmp_path / "a.pdf").write_bytes(b"%PDF-")

    result = run("send", "a.pdf", "--timeout", "0", stack)

    assert result.exit_code == 1
    assert "not at its end yet" in result.stdout


def test_process_prints_the_execution_and_its_page_in_the_console(
    run: Run, stack: str, cloudformation: CloudFormation
) -> None:
    role = "arn:aws:iam::123456789012:role/x"
    states = boto3.client("stepfunctions")
    definition = {"StartAt": "S", "States": {"S": {"Type": "Succeed"}}}
    machine = states.create_state_machine(
        name="document", definition=json.dumps(definition), roleArn=role
    )["stateMachineArn"]
    cloudformation.stacks["mailroom"] = OUTPUTS | {"StateMachineArn": machine}

    result = run("process", "incoming/a.pdf", "--reprocess", stack)

    arn, console = result.stdout.split()
    started = json.loads(states.describe_execution(executionArn=arn)["input"])
    assert started == {"bucket": BUCKET, "key": "incoming/a.pdf", "reprocess": True}
    assert console.startswith("https://us-east-1.console.aws.amazon.com/states/home")
    assert console.endswith(arn)


def test_ledger_without_a_file_says_how_to_get_one(run: Run) -> None:
    result = run("ledger")

    assert result.exit_code == 2
    assert "mailroom up" in result.stderr
    assert not Path(".mailroom").exists()


def test_ledger_lists_calls_and_totals_and_names_the_stand_ins(run: Run) -> None:
    book = Ledger(Path(".mailroom/ledger.db"))
    for outcome, cost in (("ok", "0.065"), ("ok", "0.130"), ("ThrottlingException", "0")):
        book.record(
            "textract", "AnalyzedPages", document_id="d" * 40, outcome=outcome,
            cost_usd=Decimal(cost), detail="1 page",
        )  # fmt: skip

    text = run("ledger").stdout
    calls = _objects(run("ledger", "--json"))

    assert "$0.1950" in text
    assert "local stand-ins" in text
    assert [call["cost_usd"] for call in calls] == [0.065, 0.13, 0.0]
    assert calls[2]["outcome"] == "ThrottlingException"
