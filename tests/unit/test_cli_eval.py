"""`mailroom eval` as a user types it, on a deployed stack that moto stands in for."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import boto3
import pytest
from aws_fakes import CloudFormation
from moto import mock_aws
from typer.testing import CliRunner, Result

from mailroom.aws.table import storable
from mailroom.document import document_id
from mailroom_desk.cli import app
from mailroom_desk.evaluate.run import key_of

BUCKET, TABLE = "mailroom-documents-1", "mailroom-documents"
STACK = "--stack=mailroom"

Put = Callable[..., None]


@pytest.fixture(autouse=True)
def _wide(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "240")


@pytest.fixture
def s3(cloudformation: CloudFormation) -> Iterator[Any]:
    cloudformation.stacks["mailroom"] = {
        "DocumentsBucket": BUCKET,
        "DocumentsTable": TABLE,
        "StateMachineArn": "arn:aws:states:x",
    }
    with mock_aws():
        client = boto3.client("s3")
        client.create_bucket(Bucket=BUCKET)
        client.put_bucket_versioning(Bucket=BUCKET, VersioningConfiguration={"Status": "Enabled"})
        boto3.client("dynamodb").create_table(
            TableName=TABLE,
            BillingMode="PAY_PER_REQUEST",
            KeySchema=[{"AttributeName": "document_id", "KeyType": "HASH"}],
            AttributeDefinitions=[{"AttributeName": "document_id", "AttributeType": "S"}],
        )
        yield client


@pytest.fixture
def put(s3: Any, tmp_path: Path) -> Put:
    """A file that was evaluated before: its object, its row and its result."""

    def put(name: str, found: str, fields: dict[str, str], status: str = "STORED") -> None:
        path = tmp_path / name
        path.write_text(name)
        key = key_of(path)
        version = s3.put_object(Bucket=BUCKET, Key=key, Body=name.encode())["VersionId"]
        identity = document_id(BUCKET, key, version)
        evidence = {field: [{"page": 1, "confidence": 0.97}] for field in fields}
        result = json.dumps({"fields": fields, "evidence": evidence})
        s3.put_object(Bucket=BUCKET, Key=f"results/{identity}/1.json", Body=result.encode())
        row = {
            "document_id": identity,
            "bucket": BUCKET,
            "key": key,
            "status": status,
            "attempt": 1,
            "document_class": found,
            "fields_key": f"results/{identity}/1.json",
            "answered_by": "a stand-in",
            "timeline": [
                {"status": "RECEIVED", "at": "2026-11-30T12:00:00.000Z"},
                {"status": status, "at": "2026-11-30T12:00:05.000Z"},
            ],
        }
        boto3.resource("dynamodb").Table(TABLE).put_item(Item=storable(row))

    return put


@pytest.fixture
def manifest(tmp_path: Path) -> Path:
    path = tmp_path / "m.jsonl"
    entries = [
        {"path": "a.pdf", "class": "invoice", "fields": {"total": "5.00", "vendor_name": "Acme"}},
        {"path": "b.pdf", "class": "receipt", "fields": {"total": "7.00"}},
    ]
    path.write_text("\n".join(map(json.dumps, entries)))
    return path


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["eval", *map(str, arguments)])


def test_eval_tells_the_figures_by_class_and_field(put: Put, manifest: Path) -> None:
    put("a.pdf", "invoice", {"total": "5.00", "vendor_name": "Akme"})
    put("b.pdf", "receipt", {"total": "7"}, status="IN_REVIEW")

    result = run(manifest, STACK)

    assert result.exit_code == 0, result.stderr
    assert "Class right: 100.0 % (2/2, 34.2–100.0)." in result.stdout
    assert "Fields right: 66.7 % (2/3, 20.8–93.9)." in result.stdout
    assert "Wrong values stored without a reason: 50.0 % (1/2" in result.stdout
    assert "invoice.vendor_name" in result.stdout
    assert "a.pdf: vendor_name" in result.stdout
    assert "2 were there already" in result.stdout
    assert "Akme" not in result.stdout  # values stand in the JSON and on the page alone
    assert "2 of 2 ended: 1 IN_REVIEW, 1 STORED" in result.stderr


def test_eval_gives_programs_one_object(put: Put, manifest: Path) -> None:
    put("a.pdf", "letter", {"sender": "x"})
    put("b.pdf", "receipt", {"total": "8"})

    told = json.loads(run(manifest, STACK, "--json").stdout)

    assert told["summary"]["all"]["class_right"]["count"] == 1
    assert told["summary"]["confusion"]["invoice"] == {"letter": 1}
    assert told["summary"]["fields"]["receipt.total"]["wrong_without_reason"]["count"] == 1
    assert told["summary"]["seconds"] == {"p50": 5.0, "p95": 5.0}
    (value,) = told["documents"][1]["values"]
    assert (value["expected"], value["got"], value["grounded"]) == ("7.00", "8", True)


def test_eval_sends_what_is_not_there_and_says_what_has_not_ended(
    put: Put, manifest: Path, s3: Any, tmp_path: Path
) -> None:
    put("a.pdf", "invoice", {"total": "5.00"})
    (tmp_path / "b.pdf").write_text("new")

    result = run(manifest, STACK, "--timeout", 0)

    assert result.exit_code == 1
    assert "1 had not ended, and are left out: b.pdf." in result.stdout
    keys = [each["Key"] for each in s3.list_objects_v2(Bucket=BUCKET)["Contents"]]
    assert key_of(tmp_path / "b.pdf") in keys


def test_eval_takes_only_the_chosen_documents(put: Put, manifest: Path) -> None:
    put("a.pdf", "invoice", {"total": "5.00"})
    put("b.pdf", "receipt", {"total": "7.00"})

    chosen = json.loads(run(manifest, STACK, "--json", "--class", "receipt").stdout)
    first = json.loads(run(manifest, STACK, "--json", "--limit", 1).stdout)

    assert [each["name"] for each in chosen["documents"]] == ["b.pdf"]
    assert [each["name"] for each in first["documents"]] == ["a.pdf"]


def test_eval_of_a_class_that_no_document_has_is_an_error(put: Put, manifest: Path) -> None:
    put("a.pdf", "invoice", {})
    put("b.pdf", "receipt", {})

    result = run(manifest, STACK, "--class", "poem")

    assert result.exit_code == 2
    assert "no document of class poem" in result.stderr


def test_eval_compares_with_an_earlier_run_and_writes_the_page(
    put: Put, manifest: Path, tmp_path: Path
) -> None:
    put("a.pdf", "invoice", {"total": "6.00"})
    put("b.pdf", "receipt", {"total": "7.00"})
    (tmp_path / "before.json").write_text(run(manifest, STACK, "--json").stdout)
    put("a.pdf", "invoice", {"total": "5.00"})

    result = run(manifest, STACK, "--baseline", "before.json", "--report", "page.html")

    assert "fields right: 33.3 % before, 66.7 % now, of 3; 1 better, 0 worse" in result.stdout
    assert "+ a.pdf: total" in result.stdout
    assert "Against the earlier run" in (tmp_path / "page.html").read_text("utf-8")


def test_eval_shows_and_compares_saved_runs_without_a_stack(
    put: Put, manifest: Path, tmp_path: Path
) -> None:
    put("a.pdf", "invoice", {"total": "6.00"})
    put("b.pdf", "receipt", {"total": "7.00"})
    for name in ("one.json", "two.json"):
        (tmp_path / name).write_text(run(manifest, STACK, "--json").stdout)

    result = run("two.json", "--baseline", "one.json")

    assert result.exit_code == 0, result.stderr
    assert "0 better, 0 worse, p = 1.000 (not significant)" in result.stdout
