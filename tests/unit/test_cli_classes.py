"""`mailroom classes`, as a user sees and changes what documents can be. moto stands in for AWS."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import boto3
import pytest
from aws_fakes import CloudFormation
from moto import mock_aws
from typer.testing import CliRunner, Result

from mailroom.aws.bucket import Bucket
from mailroom.aws.clients import client
from mailroom.classes import packaged_classes, packaged_file
from mailroom.classes_file import classes_in_force
from mailroom_desk.cli import app

BUCKET = "mailroom-documents-1"
STACK = "--stack=mailroom"

Run = Callable[..., Result]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("COLUMNS", "200")

    def run(*arguments: str) -> Result:
        return CliRunner().invoke(app, ["classes", *arguments])

    return run


@pytest.fixture(autouse=True)
def _stack(cloudformation: CloudFormation) -> Iterator[None]:
    cloudformation.stacks["mailroom"] = {
        "DocumentsBucket": BUCKET,
        "DocumentsTable": "mailroom-documents",
        "StateMachineArn": "arn:aws:states:us-east-1:123456789012:stateMachine:document",
    }
    client.cache_clear()
    with mock_aws():
        boto3.client("s3").create_bucket(Bucket=BUCKET)
        yield
    client.cache_clear()


def written(folder: Path, change: Callable[[dict[str, Any]], Any] | None = None) -> str:
    """A classes file like the packaged one, changed."""
    file = json.loads(packaged_file())
    file["version"] = "mine"
    if change:
        change(file)
    path = folder / "classes.json"
    path.write_text(json.dumps(file), "utf-8")
    return str(path)


def keys() -> list[str]:
    listing = boto3.client("s3").list_objects_v2(Bucket=BUCKET)
    return [item["Key"] for item in listing.get("Contents", ())]


@pytest.mark.parametrize("command", ["show", "check", "push"])
def test_help_of_classes_has_an_example(run: Run, command: str) -> None:
    assert f"Example: mailroom classes {command}" in run(command, "--help").stdout


def test_show_lists_the_packaged_classes_where_none_were_pushed(run: Run) -> None:
    result = run("show", STACK)

    assert result.exit_code == 0
    assert "invoice" in result.stdout and "vendor_vat" in result.stdout
    assert f"Packaged, version {packaged_classes().version}, 10 classes." in result.stdout


def test_show_as_json_gives_one_object_a_class(run: Run) -> None:
    lines = [json.loads(line) for line in run("show", "--json", STACK).stdout.splitlines()]

    assert [line["name"] for line in lines] == list(packaged_classes().by_name)
    assert lines[0]["origin"] == "packaged"
    assert lines[0]["version"] == packaged_classes().version
    assert lines[0]["needed"] == ["total"]
    assert lines[0]["fields"]["total"]["format"] == "decimal"
    assert lines[3]["merge"]["closing_balance"] == "last"


def test_check_says_nothing_against_a_right_file_and_needs_no_stack(
    run: Run, tmp_path: Path
) -> None:
    result = run("check", written(tmp_path))

    assert result.exit_code == 0
    assert result.stdout.startswith("The file keeps all rules: version mine+")


def test_check_names_every_broken_rule_and_exits_with_one(run: Run, tmp_path: Path) -> None:
    def spoil(file: dict[str, Any]) -> None:
        file["classes"][0]["needed"] = ["soul"]
        file["classes"][1]["description"] = ""

    result = run("check", written(tmp_path, spoil))

    assert result.exit_code == 1
    assert result.stdout.splitlines() == [
        "invoice: needed names 'soul', which is no property of the schema.",
        "receipt: description is empty: the model picks the class by it.",
    ]
    assert "breaks 2 rules" in result.stderr


def test_pushed_file_is_what_documents_are_read_with_and_is_kept_under_its_version(
    run: Run, tmp_path: Path
) -> None:
    path = written(tmp_path, lambda file: file["classes"].pop())

    result = run("push", path, STACK)

    assert result.exit_code == 0, result.stderr
    found = classes_in_force(Bucket(BUCKET))
    assert found.version.startswith("mine+") and len(found.by_name) == 9
    assert f"In force from the next document on: version {found.version}" in result.stdout
    assert keys() == ["classes/current.json", f"classes/{found.version}.json"]
    assert f"Pushed, version {found.version}, 9 classes." in run("show", STACK).stdout


def test_file_that_breaks_a_rule_is_not_pushed(run: Run, tmp_path: Path) -> None:
    result = run("push", written(tmp_path, lambda file: file.pop("version")), STACK)

    assert result.exit_code == 1
    assert keys() == []


def test_reset_goes_back_to_the_packaged_classes_and_keeps_what_was_pushed(
    run: Run, tmp_path: Path
) -> None:
    run("push", written(tmp_path), STACK)

    result = run("push", "--reset", STACK)

    assert result.exit_code == 0
    assert "The packaged classes are in force" in result.stdout
    assert classes_in_force(Bucket(BUCKET)) is packaged_classes()
    assert len(keys()) == 1
    assert run("push", "--reset", STACK).exit_code == 0


@pytest.mark.parametrize("arguments", [[], ["{file}", "--reset"]])
def test_push_takes_either_a_file_or_reset(run: Run, tmp_path: Path, arguments: list[str]) -> None:
    path = written(tmp_path)

    result = run("push", *(each.format(file=path) for each in arguments), STACK)

    assert result.exit_code == 2
    assert "Give either a FILE or --reset." in result.stderr


def test_show_says_how_to_get_rid_of_a_broken_file_that_somebody_put_there(run: Run) -> None:
    boto3.client("s3").put_object(Bucket=BUCKET, Key="classes/current.json", Body=b"{")

    result = run("show", STACK)

    assert result.exit_code == 2
    assert "mailroom classes push --reset" in result.stderr
