"""`mailroom backfill`: its manifests, its dry run, and what it says of a run."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import boto3
import pytest
from ministack.services import stepfunctions
from moto import mock_aws
from typer.testing import CliRunner, Result

from mailroom.document import document_id
from mailroom_desk.backfill import RESULTS, Item, Order, item_of, manifest_keys
from mailroom_desk.cli import app
from mailroom_desk.cloud.emulator.maps import (
    forget_interrupted,
    result_files,
    with_paths_resolved,
)
from mailroom_desk.errors import UnusableList
from mailroom_desk.stack import Stack

BUCKET, TABLE = "documents", "rows"
MACHINE = "arn:aws:states:us-east-1:123456789012:stateMachine:mailroom-backfill"
MAP_RUN = "arn:aws:states:us-east-1:123456789012:mapRun:mailroom-backfill/prefix:5a1c"
HOSTILE = "incoming/a\"b{}\\c' +%41,é.pdf"


@dataclass
class FakeStates:
    """A machine whose run ends as it is told."""

    status: str = "SUCCEEDED"
    error: str | None = None
    cause: str | None = None
    started: list[dict[str, Any]] = field(default_factory=list)
    looks: int = 0

    def start_execution(self, **asked: Any) -> dict[str, Any]:
        self.started.append(asked)
        return {"executionArn": f"arn:aws:states:us-east-1:1:execution:m:{asked['name']}"}

    def describe_execution(self, executionArn: str) -> dict[str, Any]:
        self.looks += 1
        status = self.status if self.looks > 1 else "RUNNING"
        run = {"executionArn": executionArn, "status": status}
        if status == "FAILED":
            run |= {"error": str(self.error), "cause": str(self.cause)}
        return run

    def list_map_runs(self, executionArn: str) -> dict[str, Any]:
        return {"mapRuns": [{"mapRunArn": MAP_RUN}]}

    def describe_map_run(self, mapRunArn: str) -> dict[str, Any]:
        done = 1 if self.looks < 2 else 3
        counts = {"total": 4, "succeeded": done, "failed": 1, "timedOut": 0, "aborted": 0}
        return {"itemCounts": counts | {"running": 3 - done, "pending": 0}}


@dataclass
class Desk:
    stack: Stack
    states: FakeStates

    def put(self, key: str, body: bytes = b"%PDF") -> str:
        put = self.stack.client("s3").put_object(Bucket=BUCKET, Key=key, Body=body)
        return document_id(BUCKET, key, put["VersionId"])

    def row(self, identity: str, key: str, status: str, **values: Any) -> None:
        item = {"document_id": {"S": identity}, "key": {"S": key}, "status": {"S": status}}
        self.stack.client("dynamodb").put_item(TableName=TABLE, Item={**item, **values})

    def wrote(self, files: dict[str, Any]) -> None:
        """What a run writes: its files come under the name that it was started with."""
        start = self.states.start_execution

        def start_and_write(**asked: Any) -> dict[str, Any]:
            for key, content in files.items():
                body = json.dumps(content).replace("RUN", asked["name"])
                self.stack.client("s3").put_object(
                    Bucket=BUCKET, Key=key.replace("RUN", asked["name"]), Body=body.encode()
                )
            return start(**asked)

        self.states.start_execution = start_and_write  # type: ignore[method-assign]


@pytest.fixture
def desk(monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    with mock_aws():
        clients = {name: boto3.client(name) for name in ("s3", "dynamodb")}  # type: ignore[call-overload]
        clients["s3"].create_bucket(Bucket=BUCKET)
        clients["s3"].put_bucket_versioning(
            Bucket=BUCKET, VersioningConfiguration={"Status": "Enabled"}
        )
        clients["dynamodb"].create_table(
            TableName=TABLE,
            BillingMode="PAY_PER_REQUEST",
            KeySchema=[{"AttributeName": "document_id", "KeyType": "HASH"}],
            AttributeDefinitions=[{"AttributeName": "document_id", "AttributeType": "S"}],
        )
        states = FakeStates()
        clients["stepfunctions"] = states
        outputs = {"BackfillStateMachineArn": MACHINE}
        stack = Stack(
            "m", "us-east-1", BUCKET, TABLE, "arn", True, lambda name: clients[name], outputs
        )
        monkeypatch.setattr("mailroom_desk.stack.local_stack", lambda: stack)
        monkeypatch.setattr("time.sleep", lambda _: None)
        monkeypatch.setenv("COLUMNS", "160")
        yield Desk(stack, states)


@pytest.fixture
def run() -> Callable[..., Result]:
    def run(*arguments: str) -> Result:
        return CliRunner().invoke(app, ["backfill", *arguments])

    return run


def lines(result: Result) -> list[dict[str, Any]]:
    return [json.loads(line) for line in result.stdout.splitlines()]


# -- manifests ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", '\ufeffkey,why\n"' + HOSTILE.replace('"', '""') + '",x\nincoming/b.pdf,\n'),
        ("a.jsonl", f'{json.dumps({"key": HOSTILE})}\n\n{{"key": "incoming/b.pdf", "n": 1}}\n'),
    ],
)
def test_manifest_lists_keys_as_they_are(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text, "utf-8")
    assert manifest_keys(tmp_path / name) == [HOSTILE, "incoming/b.pdf"]


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("a.txt", "incoming/a.pdf", "neither .csv nor .jsonl"),
        ("a.csv", "", "lists no objects"),
        ("a.csv", "name\nincoming/a.pdf\n", "names no column key"),
        ("a.csv", "key\nincoming/a.pdf\ntext/b.json\n", "Entry 2 of"),
        ("a.csv", "key\n/incoming/a.pdf\n", "under incoming/ only"),
        ("a.jsonl", '{"key": "incoming/a"}\n{"name": "b"}\n', "Line 2 of"),
        ("a.jsonl", '["incoming/a"]\n', "Line 1 of"),
    ],
)
def test_manifest_that_is_wrong_is_refused_with_the_place(
    tmp_path: Path, name: str, text: str, reason: str
) -> None:
    (tmp_path / name).write_text(text, "utf-8")
    with pytest.raises(UnusableList, match=reason):
        manifest_keys(tmp_path / name)


def test_manifest_that_is_not_utf_8_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b"key\nincoming/caf\xe9.pdf\n")
    with pytest.raises(UnusableList, match="UTF-8"):
        manifest_keys(tmp_path / "a.csv")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "Give either"),
        (("--prefix", "2019/"), "try incoming/2019/"),
        (("--prefix", "incoming/", "--concurrency", "0"), "concurrency"),
        (("--prefix", "incoming/", "--tolerate", "101"), "tolerate"),
    ],
)
def test_wrong_call_ends_with_2_and_starts_nothing(
    desk: Desk, run: Callable[..., Result], arguments: tuple[str, ...], said: str
) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert said in result.output
    assert desk.states.started == []


# -- the dry run ----------------------------------------------------------------------------------


def test_dry_run_lists_what_would_be_done_and_starts_nothing(
    desk: Desk, run: Callable[..., Result]
) -> None:
    desk.put("incoming/old/a.pdf")
    desk.put("incoming/old/", b"")
    desk.put("incoming/old/b.pdf", b"an older version")
    desk.row(desk.put("incoming/old/b.pdf"), "incoming/old/b.pdf", "STORED")
    desk.row(desk.put("incoming/old/c.pdf"), "incoming/old/c.pdf", "READING")
    desk.put("incoming/new/d.pdf")

    result = run("--prefix", "incoming/old/", "--dry-run", "--json")

    assert result.exit_code == 0, result.output
    assert {each["key"]: (each["status"], each["deed"]) for each in lines(result)} == {
        "incoming/old/a.pdf": (None, "start"),
        "incoming/old/b.pdf": ("STORED", "leave"),
        "incoming/old/c.pdf": ("READING", "follow"),
    }
    assert desk.states.started == []

    again = run("--prefix", "incoming/old/", "--dry-run", "--reprocess")
    assert "1 new attempt" in again.stdout
    assert "Nothing was started." in again.stdout


def test_dry_run_of_a_manifest_names_what_is_not_there(
    desk: Desk, run: Callable[..., Result], tmp_path: Path
) -> None:
    identity = desk.put(HOSTILE)
    manifest = tmp_path / "list.jsonl"
    keys = (HOSTILE, "incoming/gone.pdf")
    manifest.write_text("".join(f"{json.dumps({'key': key})}\n" for key in keys), "utf-8")

    result = run("--manifest", str(manifest), "--dry-run", "--json")

    assert [(each["document_id"], each["deed"]) for each in lines(result)] == [
        (identity, "start"), (None, "missing"),
    ]  # fmt: skip
    assert desk.states.started == []


def test_dry_run_of_many_shows_some_and_counts_all(desk: Desk, run: Callable[..., Result]) -> None:
    for number in range(53):
        desk.put(f"incoming/old/{number:02}.pdf")

    shown = run("--prefix", "incoming/old/", "--dry-run").stdout

    assert "And 3 more" in shown
    assert "53 objects: 53 start." in shown
    assert "There are no such objects." in run("--prefix", "incoming/x", "--dry-run").stdout


# -- a run ----------------------------------------------------------------------------------------


def entry(key: str, **more: Any) -> dict[str, Any]:
    return {"Input": json.dumps({"key": key}), **more}


def success(key: str, status: str = "STORED", *, followed: bool = True) -> dict[str, Any]:
    output = {"key": key, "document_id": "d" * 40, "status": status, "followed": followed}
    return entry(key, Output=json.dumps(output), Status="SUCCEEDED")


def failed(key: str, error: str, cause: dict[str, Any]) -> dict[str, Any]:
    return entry(key, Error=error, Cause=json.dumps(cause), Status="FAILED")


def written(**ends: list[dict[str, Any]]) -> dict[str, Any]:
    """A run's result files."""
    folder = f"{RESULTS}RUN/5a1c"
    files: dict[str, Any] = {f"{folder}/{end}_0.json": each for end, each in ends.items()}
    listed = {end: [{"Key": f"{folder}/{end}_0.json", "Size": 1}] for end in ends}
    return files | {f"{folder}/manifest.json": {"ResultFiles": listed}}


def test_run_tells_its_progress_and_names_what_was_not_stored(
    desk: Desk, run: Callable[..., Result]
) -> None:
    reason = {
        "M": {"stage": {"S": "Extract"}, "error": {"S": "OcrFailed"}, "cause": {"S": "Torn."}}
    }
    desk.row("e" * 40, "incoming/torn.pdf", "DEAD_LETTERED", error=reason)
    document = {"document_id": "e" * 40, "status": "DEAD_LETTERED"}
    torn = {"document": document, "followed": False}
    desk.wrote(
        written(
            SUCCEEDED=[
                success("incoming/a.pdf"), success("incoming/b.pdf", followed=False),
                success("incoming/c.pdf", "IN_REVIEW"),
            ],
            FAILED=[failed("incoming/torn.pdf", "DEAD_LETTERED", torn)],
        )
    )  # fmt: skip

    result = run("--prefix", "incoming/", "--concurrency", "7", "--tolerate", "30")

    assert result.exit_code == 0, result.output
    (started,) = desk.states.started
    assert started["stateMachineArn"] == MACHINE
    assert json.loads(started["input"]) == {
        "prefix": "incoming/", "reprocess": False, "concurrency": 7, "tolerated_percent": 30,
    }  # fmt: skip
    assert "2 of 4 at their end, 1 of them failed; 2 at work" in result.stderr
    assert "4 objects: 2 stored, 1 dead lettered, 1 in review. 2 were not at rest" in " ".join(
        result.stdout.split()
    )
    assert "torn.pdf: Torn. (OcrFailed in Extract)" in result.stdout


def test_run_over_the_tolerated_share_ends_with_1_and_names_all(
    desk: Desk, run: Callable[..., Result]
) -> None:
    desk.states.status, desk.states.error = "FAILED", "TooManyFailed"
    desk.states.cause = '{"total": 3, "failed": 2}'
    denied = {"Error": "ServiceMisconfigured", "Cause": '{"errorMessage": "No rights."}'}
    late = {"document": {"document_id": "f" * 40, "status": "READING"}, "followed": True}
    desk.wrote(
        written(
            FAILED=[
                entry("incoming/0.pdf", Status="ABORTED"),
                failed("incoming/a.pdf", "NotFollowed", denied),
                failed("incoming/b.pdf", "READING", late),
            ],
            PENDING=[entry("incoming/c.pdf")],
        )
    )

    result = run("--prefix", "incoming/", "--json")

    assert result.exit_code == 1
    (told,) = lines(result)
    assert (told["total"], told["done"], told["failed"]) == (4, 0, 4)
    assert {each["key"]: each["why"] for each in told["failures"]} == {
        "incoming/0.pdf": "The run ended first. The document goes on without it.",
        "incoming/a.pdf": "No rights.",
        "incoming/b.pdf": "It was still on its way after a day.",
        "incoming/c.pdf": "The run ended before it came to this object.",
    }
    assert json.loads(told["cause"])["failed"] == 2
    assert "Too many failed" in run("--prefix", "incoming/").stdout


def test_run_that_could_not_read_its_list_says_why(desk: Desk, run: Callable[..., Result]) -> None:
    desk.states.status, desk.states.error = "FAILED", "NotRun"
    desk.states.cause = '{"Error": "States.ItemReaderFailed", "Cause": "There is no such key."}'

    result = run("--prefix", "incoming/")

    assert result.exit_code == 1
    assert "The run ended as FAILED: There is no such key." in result.stdout


def test_manifest_is_uploaded_where_the_machine_reads_it(
    desk: Desk, run: Callable[..., Result], tmp_path: Path
) -> None:
    (tmp_path / "list.CSV").write_text("\ufeffkey\nincoming/a.pdf\n", "utf-8")

    result = run("--manifest", str(tmp_path / "list.CSV"), "--reprocess", "--no-wait")

    assert result.exit_code == 0, result.output
    given = json.loads(desk.states.started[0]["input"])
    assert given["reprocess"] is True and "prefix" not in given
    key = given["manifest"]
    assert key.startswith("backfill/manifests/") and key.endswith(".csv")
    body = desk.stack.client("s3").get_object(Bucket=BUCKET, Key=key)["Body"].read()
    assert body == b"key\nincoming/a.pdf\n"
    assert result.stdout.startswith("arn:aws:states:")


def test_run_that_does_not_end_in_time_ends_with_1(desk: Desk, run: Callable[..., Result]) -> None:
    desk.states.status = "RUNNING"
    result = run("--prefix", "incoming/", "--timeout", "0")
    assert result.exit_code == 1
    assert "It still runs." in result.stderr


def test_order_leaves_out_what_was_not_given() -> None:
    assert "manifest" not in Order("incoming/", None, False, 20, 5).to_input()
    assert "prefix" not in Order(None, "backfill/manifests/a.csv", False, 20, 5).to_input()


def test_item_of_a_folder_has_no_document() -> None:
    output = {"key": "incoming/x/", "document_id": "", "status": "FOLDER", "followed": False}
    found = item_of("SUCCEEDED", entry("incoming/x/", Output=json.dumps(output)))
    assert found == Item("incoming/x/", "FOLDER", None, False, is_done=True)


# -- the emulator's part --------------------------------------------------------------------------


def test_numbers_of_a_map_are_read_from_the_paths() -> None:
    state = {"MaxConcurrencyPath": "$.n", "ToleratedFailurePercentagePath": "$.p", "Next": "A"}
    assert with_paths_resolved(state, {"n": 7, "p": 2.5}) == {
        "MaxConcurrency": 7, "ToleratedFailurePercentage": 2.5, "Next": "A",
    }  # fmt: skip


def test_run_that_a_restart_interrupted_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(execution: str, status: str) -> dict[str, str]:
        return {"executionArn": execution, "status": status}

    runs = {
        "mapRun:m/prefix:1": run("one", "RUNNING"),
        "mapRun:m/prefix:2": run("one", "FAILED"),
        "mapRun:m/csv:3": run("one", "RUNNING"),
        "mapRun:m/prefix:4": run("two", "RUNNING"),
    }
    monkeypatch.setattr(stepfunctions, "_map_runs", runs)

    forget_interrupted("one", "prefix")

    assert list(runs) == ["mapRun:m/prefix:2", "mapRun:m/csv:3", "mapRun:m/prefix:4"]


def test_result_files_hold_each_child_by_its_end_and_a_manifest() -> None:
    children = [
        {"name": "1", "status": "SUCCEEDED", "input": "{}", "output": "{}", "error": None},
        {"name": "2", "status": "FAILED", "input": "{}", "error": "E", "cause": "C"},
        {"name": "3", "status": "SUCCEEDED", "input": "{}", "output": "1"},
    ]
    files = result_files(children, MAP_RUN, BUCKET, "results/run")

    assert [key.removeprefix("results/run/5a1c/") for key in files] == [
        "SUCCEEDED_0.json", "FAILED_0.json", "manifest.json",
    ]  # fmt: skip
    succeeded, failures, manifest = files.values()
    assert [each["Name"] for each in succeeded] == ["1", "3"]
    assert failures == [
        {"Input": "{}", "Name": "2", "Error": "E", "Cause": "C", "Status": "FAILED"}
    ]
    assert manifest["MapRunArn"] == MAP_RUN
    assert manifest["ResultFiles"]["PENDING"] == []
    for end, number in (("SUCCEEDED", 2), ("FAILED", 1)):
        (listed,) = manifest["ResultFiles"][end]
        assert len(files[listed["Key"]]) == number
