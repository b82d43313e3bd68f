"""Backfill on the deployed template: objects that nobody was told of, by prefix and by manifest."""

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from mailroom.document import document_id
from mailroom_desk.cli import app
from mailroom_desk.cloud.ledger import Ledger
from mailroom_desk.cloud.state import Cloud
from mailroom_desk.rows import Rows
from mailroom_desk.stack import Stack, local_stack

SAMPLES = Path(__file__).parents[2] / "samples"
INVOICE = (SAMPLES / "INV-20931.pdf").read_bytes()
GOOD = int(os.environ.get("BACKFILL_DOCUMENTS", "60"))  # 297 takes six minutes
POISON = {
    "empty.pdf": b"",
    "torn.pdf": (SAMPLES / "truncated.pdf").read_bytes(),
    "locked.pdf": (SAMPLES / "locked.pdf").read_bytes(),
}
HOSTILE = "a\"b{}\\c' +%41 é.pdf"

SECONDS = 900  # a bound for a run that would otherwise hang, not a measurement

type Told = tuple[int, dict[str, Any]]


@pytest.fixture(scope="session")
def stack(cloud: Cloud) -> Stack:
    return local_stack(cloud.folder)


@pytest.fixture
def backfill(stack: Stack, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Told]:
    """`mailroom backfill … --json`: its exit code, and what it says."""
    monkeypatch.setattr("mailroom_desk.stack.local_stack", lambda: stack)

    def run(*arguments: str) -> Told:
        done = CliRunner().invoke(
            app, ["backfill", *arguments, "--timeout", str(SECONDS), "--json"]
        )
        assert done.stdout, done.output
        return done.exit_code, json.loads(done.stdout.splitlines()[-1])

    return run


@contextmanager
def nobody_told(stack: Stack) -> Iterator[None]:
    """What is uploaded meanwhile lies in the bucket as if it had come before Mailroom."""
    s3 = stack.client("s3")
    rules = s3.get_bucket_notification_configuration(Bucket=stack.bucket)
    rules.pop("ResponseMetadata")
    s3.put_bucket_notification_configuration(Bucket=stack.bucket, NotificationConfiguration={})
    try:
        yield
    finally:
        s3.put_bucket_notification_configuration(
            Bucket=stack.bucket, NotificationConfiguration=rules
        )


def lay(stack: Stack, objects: dict[str, bytes]) -> list[str]:
    """Put objects in the bucket; the ids that their documents would have."""
    s3, ids = stack.client("s3"), []
    with nobody_told(stack):
        for key, body in objects.items():
            put = s3.put_object(Bucket=stack.bucket, Key=key, Body=body)
            ids.append(document_id(stack.bucket, key, put["VersionId"]))
    return ids


def calls(cloud: Cloud) -> int:
    """How much was asked of Textract and Claude so far."""
    return len(Ledger(cloud.folder / "ledger.db").entries())


def test_documents_with_3_poisoned_among_them_are_stored_and_the_3_named(
    cloud: Cloud, stack: Stack, backfill: Callable[..., Told]
) -> None:
    good = {f"incoming/2019/{number:03}.pdf": INVOICE for number in range(GOOD)}
    poisoned = {f"incoming/2019/{name}": body for name, body in POISON.items()}
    ids = lay(stack, {**good, **poisoned})

    # More at a time than there are sandboxes would only make them take turns.
    code, told = backfill("--prefix", "incoming/2019/", "--concurrency", "6")

    assert code == 0, told
    assert told["statuses"] == {"STORED": GOOD, "DEAD_LETTERED": 2, "REJECTED": 1}
    assert (told["total"], told["done"], told["failed"]) == (GOOD + 3, GOOD, 3)
    assert {failure["key"] for failure in told["failures"]} == set(poisoned)
    reasons = {Path(each["key"]).name: each["why"] for each in told["failures"]}
    assert reasons["empty.pdf"] == "The file is empty."
    assert "password" in reasons["locked.pdf"]
    rows = Rows(stack).get_many(ids)
    assert sorted(row["status"] for row in rows.values()) == sorted(
        ["STORED"] * GOOD + ["DEAD_LETTERED"] * 2 + ["REJECTED"]
    )
    assert {int(row["attempt"]) for row in rows.values()} == {1}

    paid = calls(cloud)
    code, again = backfill("--prefix", "incoming/2019/")

    assert code == 0, again
    assert again["statuses"] == told["statuses"]
    assert again["followed"] == 0
    assert calls(cloud) == paid
    assert Rows(stack).get_many(ids) == rows


def test_more_failures_than_are_tolerated_fail_the_run_and_throw_nothing_away(
    stack: Stack, backfill: Callable[..., Told]
) -> None:
    prefix = "incoming/mostly empty/"
    objects = {f"{prefix}{number:02}.pdf": b"" for number in range(9)}
    *_, whole = lay(stack, {**objects, f"{prefix}whole.pdf": INVOICE})

    code, told = backfill("--prefix", prefix, "--tolerate", "50", "--concurrency", "2")

    assert (code, told["status"], told["error"]) == (1, "FAILED", "TooManyFailed")
    assert told["statuses"] == {"REJECTED": 9, "STORED": 1}
    assert (Rows(stack).get(whole) or {})["status"] == "STORED"
    counts = json.loads(told["cause"])
    assert (counts["succeeded"], counts["failed"], counts["total"]) == (1, 9, 10)


@pytest.mark.parametrize("suffix", [".csv", ".jsonl"])
def test_manifest_names_its_objects_and_a_dry_run_starts_nothing(
    cloud: Cloud, stack: Stack, backfill: Callable[..., Told], tmp_path: Path, suffix: str
) -> None:
    key = f"incoming/listed{suffix}/{HOSTILE}"
    gone = f"incoming/listed{suffix}/gone.pdf"
    identity, unlisted = lay(stack, {key: INVOICE, f"incoming/listed{suffix}/other.pdf": INVOICE})
    manifest = tmp_path / f"list{suffix}"
    if suffix == ".csv":
        quoted = key.replace('"', '""')
        manifest.write_text(f'key,why\n"{quoted}",old\n{gone},\n', "utf-8")
    else:
        manifest.write_text("".join(f"{json.dumps({'key': each})}\n" for each in (key, gone)))
    paid = calls(cloud)

    _, last = backfill("--manifest", str(manifest), "--dry-run")

    assert last == {"key": gone, "document_id": None, "status": None, "deed": "missing"}
    assert calls(cloud) == paid
    assert Rows(stack).get(identity) is None

    code, told = backfill("--manifest", str(manifest), "--tolerate", "50")

    assert code == 0, told
    assert told["statuses"] == {"REJECTED": 1, "STORED": 1}
    (failure,) = told["failures"]
    assert (failure["key"], failure["status"]) == (gone, "REJECTED")
    assert (Rows(stack).get(identity) or {})["key"] == key
    assert Rows(stack).get(unlisted) is None


def test_reprocess_makes_one_new_attempt(stack: Stack, backfill: Callable[..., Told]) -> None:
    (identity,) = lay(stack, {"incoming/once more/a.pdf": INVOICE})
    backfill("--prefix", "incoming/once more/")

    code, told = backfill("--prefix", "incoming/once more/", "--reprocess")

    assert (code, told["statuses"], told["followed"]) == (0, {"STORED": 1}, 1)
    row = Rows(stack).get(identity) or {}
    assert (int(row["attempt"]), row["status"]) == (2, "STORED")


def test_manifest_that_is_not_there_fails_the_run_with_the_reason(stack: Stack) -> None:
    from .machines import wait_for_end

    states = stack.client("stepfunctions")
    started = states.start_execution(
        stateMachineArn=stack.backfill_state_machine_arn,
        input=json.dumps({"manifest": "backfill/manifests/none.csv"}),
    )
    ended = wait_for_end(states, started["executionArn"])

    assert (ended["status"], ended["error"]) == ("FAILED", "NotRun")
    assert "none.csv" in ended["cause"]
