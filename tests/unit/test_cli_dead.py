"""What failed or was lost, as a user finds it and tries it again. moto stands in for AWS."""

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import boto3
import pytest
from aws_fakes import CloudFormation, Functions, make_bucket_and_table
from botocore.stub import Stubber
from moto import mock_aws
from typer.testing import CliRunner, Result

from mailroom.aws.table import storable
from mailroom.document import document_id, shard, timestamp
from mailroom_desk.cli import app
from mailroom_desk.errors import RowsUnanswered
from mailroom_desk.landed import Statuses
from mailroom_desk.stack import Stack

BUCKET, TABLE = "mailroom-documents-1", "mailroom-documents"
INTAKE, SWEEPER = "mailroom-intake", "mailroom-sweeper"
FUNCTION_ARN = "arn:aws:lambda:us-east-1:123456789012:function"
STACK = "--stack=mailroom"

Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")

    def run(*arguments: str) -> Result:
        return CliRunner().invoke(app, [*arguments, STACK])

    return run


@pytest.fixture
def outputs(cloudformation: CloudFormation, functions: Functions) -> Iterator[dict[str, str]]:
    """A stack with its bucket, table, state machine and queue; gives its outputs."""
    with mock_aws():
        make_bucket_and_table(BUCKET, TABLE, "document_id", open="open_shard", days="day")
        definition = {"StartAt": "S", "States": {"S": {"Type": "Succeed"}}}
        machine = boto3.client("stepfunctions").create_state_machine(
            name="document",
            definition=json.dumps(definition),
            roleArn="arn:aws:iam::123456789012:role/x",
        )["stateMachineArn"]
        queue = boto3.client("sqs").create_queue(QueueName="undelivered")["QueueUrl"]
        cloudformation.stacks["mailroom"] = {
            "DocumentsBucket": BUCKET,
            "DocumentsTable": TABLE,
            "StateMachineArn": machine,
            "IntakeFunction": INTAKE,
            "SweeperFunction": SWEEPER,
            "UndeliveredQueueUrl": queue,
            "DeadLetterQueueUrl": queue,
        }
        yield cloudformation.stacks["mailroom"]


def _put(key: str, status: str = "DEAD_LETTERED", *, days_ago: int = 0, **values: Any) -> str:
    """A row of an object that is in the bucket."""
    version = boto3.client("s3").put_object(Bucket=BUCKET, Key=key, Body=b"%PDF-")["VersionId"]
    name = document_id(BUCKET, key, version)
    arrived = datetime.now(UTC) - timedelta(days=days_ago)
    row = {
        "document_id": name,
        "bucket": BUCKET,
        "key": key,
        "version_id": version,
        "status": status,
        "attempt": 1,
        "received_at": timestamp(arrived),
        "updated_at": timestamp(arrived),
        "open_shard": shard(name),
        "day": f"{arrived.date()}{shard(name)}",
        "timeline": [
            {"status": "RECEIVED", "at": timestamp(arrived)},
            {"status": status, "at": timestamp(arrived)},
        ],
        **values,
    }
    boto3.resource("dynamodb").Table(TABLE).put_item(Item=storable(row))
    return name


def _error(cause: str, stage: str = "Classify", error: str = "ModelThrottled") -> dict[str, str]:
    return {"stage": stage, "error": error, "cause": json.dumps({"errorMessage": cause})}


def _with_result(key: str, stage: str = "Classify", *, text: str | None = None) -> str:
    """A dead letter whose OCR result is there."""
    name = _put(key, job_id="job", error=_error("Too fast.", stage))
    body = text or json.dumps({"JobStatus": "SUCCEEDED", "Blocks": []})
    boto3.client("s3").put_object(Bucket=BUCKET, Key=f"textract/{name}/1/job/1", Body=body)
    return name


def _row(name: str) -> dict[str, Any]:
    row = boto3.resource("dynamodb").Table(TABLE).get_item(Key={"document_id": name})["Item"]
    return dict(row)


def _objects(result: Result) -> list[dict[str, Any]]:
    return [json.loads(line) for line in result.stdout.splitlines()]


@pytest.mark.parametrize(
    "command",
    ["dead list", "dead show", "dead redrive", "dead replay", "reconcile", "sweep"],
)
def test_help_of_a_command_has_an_example(run: Run, command: str) -> None:
    result = run(*command.split(), "--help")

    assert result.exit_code == 0
    assert f"Example: mailroom {command}" in result.stdout


def test_dead_list_groups_by_cause_without_numbers_and_ids(
    run: Run, outputs: dict[str, str]
) -> None:
    for number in (1, 2):
        _put(
            f"incoming/{number}.pdf",
            error=_error(f"Request {number}f00ba{number}4c: wait {number}.5 s."),
        )
    sample = _put("incoming/x.pdf", error=_error("It is locked.", "Extract", "OcrFailed"))
    _put("incoming/working.pdf", "WORKING")

    first, second = _objects(run("dead", "list", "--json"))

    assert (first["count"], first["cause"]) == (2, "Request #: wait # s.")
    assert first["sample"]["cause"] in {f"Request {n}f00ba{n}4c: wait {n}.5 s." for n in (1, 2)}
    assert second["sample"] == {
        "document_id": sample,
        "key": "incoming/x.pdf",
        "cause": "It is locked.",
    }
    assert (second["stage"], second["error"]) == ("Extract", "OcrFailed")


def test_dead_list_shows_old_letters_unless_days_say_otherwise(
    run: Run, outputs: dict[str, str]
) -> None:
    _put("incoming/old.pdf", days_ago=40, error=_error("Too fast."))
    _put("incoming/new.pdf", error=_error("Too fast."))

    (all_of_them,) = _objects(run("dead", "list", "--json"))
    (recent,) = _objects(run("dead", "list", "--json", "--days", "3"))

    assert (all_of_them["count"], recent["count"]) == (2, 1)
    assert all_of_them["oldest"] < all_of_them["newest"] == recent["newest"]
    assert "mailroom dead redrive --cause" in run("dead", "list").stdout


def test_dead_list_without_letters_says_so(run: Run, outputs: dict[str, str]) -> None:
    assert run("dead", "list").stdout == "There are no dead letters.\n"


def test_dead_show_tells_error_execution_timeline_and_what_a_redrive_does(
    run: Run, outputs: dict[str, str]
) -> None:
    name = _with_result("incoming/a.pdf")
    arn = f"arn:aws:states:us-east-1:123456789012:execution:document:{name}-1"
    boto3.resource("dynamodb").Table(TABLE).update_item(
        Key={"document_id": name},
        UpdateExpression="SET execution_arn = :arn",
        ExpressionAttributeValues={":arn": arn},
    )

    (told,) = _objects(run("dead", "show", name[:9], "--json"))
    text = run("dead", "show", "a.pdf").stdout

    assert told["console_url"].endswith(arn)
    assert told["error"]["cause"] == "Too fast."
    assert told["redrive"] == "Goes on from what Textract read in attempt 1."
    assert json.loads(told["cause_in_full"]) == {"errorMessage": "Too fast."}
    for part in ("Classify", "ModelThrottled", "Too fast.", arn, "DEAD_LETTERED", told["redrive"]):
        assert part in text


@pytest.mark.parametrize("command", ["show", "redrive --id"])
def test_dead_letter_that_is_none_is_an_error(
    run: Run, outputs: dict[str, str], command: str
) -> None:
    result = run("dead", *command.split(), "ffff")

    assert result.exit_code == 2
    assert "mailroom dead list" in result.stderr


@pytest.mark.parametrize("options", [(), ("--all", "--cause", "x"), ("--id", "x", "--all")])
def test_dead_redrive_wants_to_know_which_ones(
    run: Run, outputs: dict[str, str], options: tuple[str, ...]
) -> None:
    assert run("dead", "redrive", *options).exit_code == 2


def test_dead_redrive_of_a_cause_leaves_other_causes_alone(
    run: Run, outputs: dict[str, str]
) -> None:
    ours = _with_result("incoming/a.pdf")
    other = _put("incoming/b.pdf", error=_error("It is locked.", "Extract", "OcrFailed"))

    (done,) = _objects(run("dead", "redrive", "--cause", "ModelThrottled", "--json"))

    arn = done["execution_arn"]
    state = json.loads(boto3.client("stepfunctions").describe_execution(executionArn=arn)["input"])
    assert (done["document_id"], done["action"], done["outcome"]) == (ours, "resume", "started")
    assert (state["attempt"], state["ocr_attempt"], state["ocr_status"]) == (2, 1, "SUCCEEDED")
    assert (_row(ours)["status"], _row(ours)["attempt"]) == ("WORKING", 2)
    assert "error" not in _row(ours)
    assert _row(other)["status"] == "DEAD_LETTERED"


def test_dead_redrive_begins_with_the_object_where_textract_failed(
    run: Run, outputs: dict[str, str]
) -> None:
    name = _put("incoming/b.pdf", error=_error("It is locked.", "Extract", "OcrFailed"))

    (done,) = _objects(run("dead", "redrive", "--id", "b.pdf", "--json"))

    arn = done["execution_arn"]
    state = json.loads(boto3.client("stepfunctions").describe_execution(executionArn=arn)["input"])
    assert done["action"] == "from_object"
    assert state == {
        "bucket": BUCKET,
        "key": "incoming/b.pdf",
        "version_id": _row(name)["version_id"],
        "reprocess": True,
    }


@pytest.mark.parametrize(
    "text", ['{"JobStatus": "SUCC', '{"JobStatus": "SUCCEEDED", "NextToken": "more"}']
)
def test_dead_redrive_does_not_go_on_from_files_that_are_cut_or_missing(
    run: Run, outputs: dict[str, str], text: str
) -> None:
    _with_result("incoming/a.pdf", "Extract", text=text)

    (done,) = _objects(run("dead", "redrive", "--all", "--json", "--dry-run"))

    assert done["action"] == "from_object"


@pytest.mark.parametrize("reference", ["{id}", "{id:.8}", "a.pdf"])
def test_dead_redrive_twice_says_that_it_is_on_its_way(
    run: Run, outputs: dict[str, str], reference: str
) -> None:
    name = _with_result("incoming/a.pdf")
    options = ("--id", reference.format(id=name), "--json")

    first, second = (run("dead", "redrive", *options) for _ in range(2))

    assert _objects(first)[0]["outcome"] == "started"
    assert _objects(second)[0]["outcome"] == "already_on_its_way"
    assert (first.exit_code, second.exit_code) == (0, 0)
    assert _row(name)["attempt"] == 2


def test_dead_redrive_of_a_deleted_file_ends_with_1(run: Run, outputs: dict[str, str]) -> None:
    name = _put("incoming/a.pdf", error=_error("Gone.", "Intake", "SourceMissing"))
    boto3.client("s3").delete_object(
        Bucket=BUCKET, Key="incoming/a.pdf", VersionId=_row(name)["version_id"]
    )

    result = run("dead", "redrive", "--all")

    assert result.exit_code == 1
    assert "no longer in the bucket" in result.stdout


def test_dead_redrive_dry_run_does_nothing(run: Run, outputs: dict[str, str]) -> None:
    name = _with_result("incoming/a.pdf")
    before = _row(name)

    result = run("dead", "redrive", "--all", "--dry-run")

    assert "Goes on from what Textract read in attempt 1." in result.stdout
    assert "1 planned. Nothing was done." in result.stdout
    assert _row(name) == before


def _undelivered(outputs: dict[str, str], *bodies: str) -> None:
    for body in bodies:
        boto3.client("sqs").send_message(QueueUrl=outputs["UndeliveredQueueUrl"], MessageBody=body)


def _record(function: str, event: Any) -> str:
    return json.dumps(
        {
            "version": "1.0",
            "requestContext": {
                "functionArn": f"{FUNCTION_ARN}:{function}:$LATEST",
                "condition": "RetriesExhausted",
                "approximateInvokeCount": 3,
            },
            "requestPayload": event,
            "responsePayload": {"errorType": "StorageUnavailable"},
        }
    )


def _left(outputs: dict[str, str]) -> int:
    answer = boto3.client("sqs").get_queue_attributes(
        QueueUrl=outputs["UndeliveredQueueUrl"], AttributeNames=["ApproximateNumberOfMessages"]
    )
    return int(answer["Attributes"]["ApproximateNumberOfMessages"])


def test_dead_replay_gives_each_function_its_event_again(
    run: Run, outputs: dict[str, str], functions: Functions
) -> None:
    functions.code = {INTAKE: dict, "mailroom-ocr-done": dict}
    events = [{"Records": [1]}, {"Records": ["ü"]}]
    _undelivered(outputs, _record(INTAKE, events[0]), _record("mailroom-ocr-done", events[1]))

    result = run("dead", "replay", "--json")

    assert sorted(functions.invoked, key=str) == [
        (INTAKE, "Event", events[0]),
        ("mailroom-ocr-done", "Event", events[1]),
    ]
    assert {told["outcome"] for told in _objects(result)} == {"replayed"}
    assert (result.exit_code, _left(outputs)) == (0, 0)


@pytest.mark.parametrize(
    "body",
    [
        "no JSON",
        '{"Records": []}',
        '{"requestContext": {"functionArn": "mailroom-intake"}, "requestPayload": {}}',
        _record("payroll-pay-all", {}),
        _record("mailroom-unknown", {}),
        '{"detail-type": "Object Created"}',
    ],
)
def test_dead_replay_leaves_what_it_cannot_replay_in_the_queue(
    run: Run, outputs: dict[str, str], functions: Functions, body: str
) -> None:
    _undelivered(outputs, body)

    result = run("dead", "replay", "--json")

    (told,) = _objects(result)
    assert told["outcome"] == "left"
    assert told["sentence"]
    assert result.stderr == ""
    assert (functions.invoked, _left(outputs), result.exit_code) == ([], 1, 1)


def _undeliverable(outputs: dict[str, str], target: str, body: str) -> None:
    boto3.client("sqs").send_message(
        QueueUrl=outputs["UndeliveredQueueUrl"],
        MessageBody=body,
        MessageAttributes={"TARGET_ARN": {"DataType": "String", "StringValue": target}},
    )


def test_dead_replay_starts_the_machine_that_eventbridge_could_not_reach(
    run: Run, outputs: dict[str, str], functions: Functions
) -> None:
    machine = outputs["StateMachineArn"]
    functions.code = {"mailroom-closer": dict}
    _undeliverable(outputs, machine, '{"detail": {"object": {"key": "raw/ü.txt"}}}')
    _undeliverable(outputs, f"{FUNCTION_ARN}:mailroom-closer", '{"source": "aws.states"}')

    result = run("dead", "replay", "--json")

    assert (result.exit_code, _left(outputs)) == (0, 0)
    assert {told["function"] for told in _objects(result)} == {"document", "mailroom-closer"}
    states = boto3.client("stepfunctions")
    (started,) = states.list_executions(stateMachineArn=machine)["executions"]
    given = states.describe_execution(executionArn=started["executionArn"])["input"]
    assert json.loads(given) == {"detail": {"object": {"key": "raw/ü.txt"}}}
    assert functions.invoked == [("mailroom-closer", "Event", {"source": "aws.states"})]


@pytest.mark.parametrize(
    "target",
    [
        "arn:aws:states:us-east-1:123456789012:activity:document",
        "arn:aws:states:us-east-1:999999999999:stateMachine:document",
        f"{FUNCTION_ARN}:payroll-pay-all",
        "arn:aws:sqs:us-east-1:123456789012:mailroom-intake",
        "nonsense",
    ],
)
def test_dead_replay_gives_nothing_to_what_is_not_of_the_stack(
    run: Run, outputs: dict[str, str], functions: Functions, target: str
) -> None:
    _undeliverable(outputs, target, "{}")
    result = run("dead", "replay", "--json")
    (told,) = _objects(result)
    assert told["outcome"] == "left"
    assert (functions.invoked, _left(outputs), result.exit_code) == ([], 1, 1)


def test_dead_replay_takes_no_more_than_was_there_or_was_asked_for(
    run: Run, outputs: dict[str, str], functions: Functions
) -> None:
    functions.code = {INTAKE: dict}
    _undelivered(outputs, *(_record(INTAKE, {"number": number}) for number in range(15)))

    run("dead", "replay", "--max", "12")

    assert (len(functions.invoked), _left(outputs)) == (12, 3)


def test_reconcile_sums_up_and_takes_in_what_nobody_knows(
    run: Run, outputs: dict[str, str], functions: Functions
) -> None:
    _put("incoming/stored.pdf", "STORED")
    _put("incoming/held.pdf", "HELD")
    s3 = boto3.client("s3")
    s3.put_object(Bucket=BUCKET, Key="incoming/folder/")
    s3.put_object(Bucket=BUCKET, Key="text/other.jsonl")
    lost = s3.put_object(Bucket=BUCKET, Key="incoming/bon café +1%.pdf", Body=b"x")["VersionId"]
    s3.delete_object(Bucket=BUCKET, Key="incoming/bon café +1%.pdf")  # a marker; the version stays
    name = document_id(BUCKET, "incoming/bon café +1%.pdf", lost)
    functions.code[INTAKE] = lambda event: {
        "documents": [{"document_id": name, "key": event["key"], "status": "READING"}]
    }

    result = run("reconcile", "--grace", "0", "--json")

    (told,) = _objects(result)
    assert (told["landed"], told["stored"], told["held"], told["unaccounted"]) == (3, 1, 1, 1)
    (named,) = told["objects"]
    assert (named["document_id"], named["key"]) == (name, "incoming/bon café +1%.pdf")
    assert (named["taken_in"], named["error"]) == ("READING", None)
    assert named["age_s"] >= 0
    event = {"bucket": BUCKET, "key": "incoming/bon café +1%.pdf", "version_id": lost}
    assert functions.invoked == [(INTAKE, "RequestResponse", event)]
    assert result.exit_code == 1


def test_reconcile_without_taking_in_only_names_them(
    run: Run, outputs: dict[str, str], functions: Functions
) -> None:
    boto3.client("s3").put_object(Bucket=BUCKET, Key="incoming/lost.pdf", Body=b"x")

    result = run("reconcile", "--grace", "0", "--no-take-in")

    assert (result.exit_code, functions.invoked) == (1, [])
    assert "1 landed in the last 3 days = 1 unaccounted." in result.stdout
    assert "lost.pdf" in result.stdout


def test_reconcile_of_what_is_accounted_for_ends_with_0(run: Run, outputs: dict[str, str]) -> None:
    _put("incoming/stored.pdf", "STORED")
    boto3.client("s3").put_object(Bucket=BUCKET, Key="incoming/new.pdf", Body=b"x")

    result = run("reconcile")

    assert result.exit_code == 0
    assert "2 landed in the last 3 days = 1 stored + 1 too young + 0 unaccounted." in result.stdout


def test_reconcile_says_what_intake_could_not_take(
    run: Run, outputs: dict[str, str], functions: Functions
) -> None:
    boto3.client("s3").put_object(Bucket=BUCKET, Key="incoming/lost.pdf", Body=b"x")

    def fail(event: Any) -> None:
        raise TimeoutError("Too late.")

    functions.code[INTAKE] = fail

    result = run("reconcile", "--grace", "0")

    assert result.exit_code == 1
    assert "lost.pdf: mailroom-intake failed: Too late. (TimeoutError)" in result.stdout


def test_reconcile_of_a_bucket_without_versions_knows_objects_by_their_etag(
    run: Run, outputs: dict[str, str], functions: Functions
) -> None:
    s3 = boto3.client("s3")
    s3.create_bucket(Bucket="plain")
    outputs["DocumentsBucket"] = "plain"
    etag = s3.put_object(Bucket="plain", Key="incoming/a.pdf", Body=b"x")["ETag"].strip('"')
    name = document_id("plain", "incoming/a.pdf", etag)
    functions.code[INTAKE] = lambda event: {
        "documents": [{"document_id": name, "key": event["key"], "status": "READING"}]
    }

    (told,) = _objects(run("reconcile", "--grace", "0", "--json"))

    assert told["objects"][0]["taken_in"] == "READING"
    assert functions.invoked[0][2]["version_id"] is None


def test_reconcile_does_not_take_silence_of_dynamodb_for_a_missing_row() -> None:
    dynamodb = boto3.client("dynamodb")
    stack = Stack("mailroom", "us-east-1", BUCKET, TABLE, "arn", False, lambda _: dynamodb)
    busy = {"Responses": {}, "UnprocessedKeys": {TABLE: {"Keys": [{"document_id": {"S": "a"}}]}}}
    row = {"document_id": {"S": "a"}, "status": {"S": "STORED"}}
    pauses: list[float] = []
    with Stubber(dynamodb) as stub:
        stub.add_response("batch_get_item", busy)
        stub.add_response("batch_get_item", {"Responses": {TABLE: [row]}, "UnprocessedKeys": {}})
        found = Statuses(stack, pauses.append)({"a"})
        for _ in range(10):
            stub.add_response("batch_get_item", busy)
        with pytest.raises(RowsUnanswered):
            Statuses(stack, pauses.append)({"a"})

    assert found == {"a": "STORED"}
    assert max(pauses) <= 5


def test_sweep_prints_what_the_sweeper_did(
    run: Run, outputs: dict[str, str], functions: Functions
) -> None:
    functions.code[SWEEPER] = lambda event: {"released": 2, "announced": 1}

    assert _objects(run("sweep", "--json")) == [{"released": 2, "announced": 1}]
    assert "released" in run("sweep").stdout


def test_sweep_with_nothing_to_do_says_so(
    run: Run, outputs: dict[str, str], functions: Functions
) -> None:
    functions.code[SWEEPER] = lambda event: {}

    assert run("sweep").stdout == "Nothing has waited too long.\n"


def test_sweep_that_fails_says_why_and_ends_with_1(
    run: Run, outputs: dict[str, str], functions: Functions
) -> None:
    def fail(event: Any) -> None:
        raise KeyError("TABLE")

    functions.code[SWEEPER] = fail

    result = run("sweep")

    assert result.exit_code == 1
    assert result.stderr == "mailroom: mailroom-sweeper failed: 'TABLE' (KeyError)\n"


def test_stack_of_an_older_mailroom_is_told_to_be_deployed_again(
    run: Run, outputs: dict[str, str]
) -> None:
    del outputs["SweeperFunction"]

    result = run("sweep")

    assert result.exit_code == 2
    assert "no output SweeperFunction" in result.stderr
