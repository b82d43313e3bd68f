"""The road under what the field brings: odd names, own outputs, odd notices, huge texts."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from faults import fail
from machines_on_moto import failure
from papers import INVOICE, INVOICE_PAGES
from road import PDF, Road, s3_event
from services import picks, refusal, response, result_files

from mailroom.document import INCOMING
from mailroom.errors import UnknownEvent

STATE_BYTES = 32 * 1024
ROW_BYTES = 400 * 1024
NAMES = [
    "this im + age.pdf", "a(1) c++.pdf", "10:47 café.pdf", "日本/請求.pdf", "a=b&c.pdf",
    "5%3A00.pdf", "cafe\u0301.pdf",
]  # fmt: skip


def raw_row(road: Road, identity: str) -> dict[str, Any]:
    """The row as DynamoDB has it, types and all."""
    key = {"document_id": {"S": identity}}
    item = road.dynamodb.get_item(TableName=road.names["DocumentsTable"], Key=key)["Item"]
    return dict(item)


def item_bytes(item: dict[str, Any]) -> int:
    """The size of an item: DynamoDB Developer Guide, "Item sizes and formats"."""
    return sum(len(name.encode()) + _value_bytes(value) for name, value in item.items())


def _value_bytes(value: dict[str, Any]) -> int:
    match value:
        case {"S": text}:
            return len(text.encode())
        case {"N": number}:
            return len(number) // 2 + 2
        case {"L": items}:
            return 3 + sum(1 + _value_bytes(item) for item in items)
        case {"M": items}:
            return 3 + len(items) + item_bytes(items)
    return 1


def assert_states_are_small(execution: Any) -> None:
    for name, payload in execution.payloads():
        assert len(payload.encode()) < STATE_BYTES, name


# -- names and versions ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_name_arrives_unchanged_at_textract_row_and_announcement(road: Road, name: str) -> None:
    identity = road.upload(INCOMING + name)
    road.read(identity, INVOICE_PAGES)

    (started,) = road.textract.started
    (event,) = road.announced()
    names = [
        started["DocumentLocation"]["S3Object"]["Name"],
        road.row(identity)["key"],
        event["detail"]["key"],
    ]
    assert names == [INCOMING + name] * 3


def test_object_overwritten_meanwhile_is_read_in_the_events_version(road: Road) -> None:
    key = "incoming/a bill.pdf"
    old = road.s3.put_object(Bucket=road.bucket, Key=key, Body=PDF)["VersionId"]
    road.s3.put_object(Bucket=road.bucket, Key=key, Body=PDF + b" newer")

    road.invoke("IntakeFunction", s3_event(road.bucket, key, old))

    (started,) = road.textract.started
    assert started["DocumentLocation"]["S3Object"]["Version"] == old
    (identity,) = road.rows()
    assert road.row(identity)["size"] == len(PDF)


def test_event_without_a_version_takes_the_version_that_is_there(road: Road) -> None:
    key = "incoming/a.pdf"
    version = road.s3.put_object(Bucket=road.bucket, Key=key, Body=PDF)["VersionId"]
    event = s3_event(road.bucket, key, version)
    del event["Records"][0]["s3"]["object"]["versionId"]

    road.invoke("IntakeFunction", event)

    (started,) = road.textract.started
    assert started["DocumentLocation"]["S3Object"]["Version"] == version


@pytest.mark.parametrize(
    "how", ["ObjectRemoved:Delete", "ObjectRemoved:DeleteMarkerCreated", "LifecycleExpiration:X"]
)
def test_removal_makes_no_run(road: Road, how: str) -> None:
    version = road.s3.put_object(Bucket=road.bucket, Key="incoming/a.pdf", Body=PDF)["VersionId"]
    event = s3_event(road.bucket, "incoming/a.pdf", version)
    event["Records"][0]["eventName"] = how

    assert road.invoke("IntakeFunction", event)["documents"] == []
    assert road.rows() == [] and road.textract.started == []


# -- the pipeline does not feed itself -------------------------------------------------------------


def test_every_object_of_a_run_replayed_as_new_makes_no_run(road: Road) -> None:
    identity = road.upload()
    road.read(identity, INVOICE_PAGES)
    listed = road.s3.list_object_versions(Bucket=road.bucket)["Versions"]
    own = [each for each in listed if not each["Key"].startswith(INCOMING)]
    kinds = {each["Key"].partition("/")[0] for each in own}
    assert kinds == {"textract", "text", "answers", "results"}

    for each in own:
        with pytest.raises(UnknownEvent):
            road.invoke("IntakeFunction", s3_event(road.bucket, each["Key"], each["VersionId"]))
    (document,) = (each for each in listed if each not in own)
    road.invoke("IntakeFunction", s3_event(road.bucket, document["Key"], document["VersionId"]))

    arn = road.names["StateMachine"]
    assert len(road.states.list_executions(stateMachineArn=arn)["executions"]) == 1
    assert len(road.textract.started) == len(road.claude.requests) == 1
    assert road.rows() == [identity]


def test_event_about_another_bucket_is_refused(road: Road) -> None:
    with pytest.raises(UnknownEvent):
        road.invoke("IntakeFunction", s3_event("somebody-elses", "incoming/a.pdf", "v1"))

    assert road.rows() == []


# -- Textract -------------------------------------------------------------------------------------


def test_results_are_read_without_one_call_that_textract_could_throttle(road: Road) -> None:
    identity = road.upload()
    road.textract.refusals = [refusal("ProvisionedThroughputExceededException")]

    execution = road.read(identity, [*INVOICE_PAGES, *([["more"] * 400] * 10)])

    assert len(road.keys(f"textract/{identity}/1/{road.row(identity)['job_id']}/")) > 5
    assert execution.states[-1] in ("MarkAnnounced", "MarkReview")
    assert len(road.textract.refusals) == 1, "nobody asked"
    assert road.waits == []


@pytest.mark.parametrize("status", ["FAILED", "Failed", "ERROR", None])
def test_notice_of_anything_but_success_ends_the_row_with_textracts_reason(
    road: Road, status: str | None
) -> None:
    road.textract.status_message = "The document has more than 3000 pages"
    identity = road.upload()
    job_id = road.row(identity)["job_id"]
    notice = {"JobId": job_id, "JobTag": f"{identity}.1", "Status": status}
    if status is None:
        del notice["Status"]
    record = {"EventSource": "aws:sns", "Sns": {"Message": json.dumps(notice)}}

    road.invoke("OcrDoneFunction", {"Records": [record]})
    execution = road.finished(f"{identity}-1")

    assert (execution.status, execution.error) == ("FAILED", "OcrFailed")
    row = road.row(identity)
    assert row["status"] == "DEAD_LETTERED"
    assert "more than 3000 pages" in row["error"]["cause"]


def test_number_that_ocr_did_not_see_is_missed_and_never_guessed(road: Road) -> None:
    pages = [[line.replace("93.50", "") for line in INVOICE_PAGES[0]]]
    road.claude.says(picks("invoice", {**INVOICE, "total": None}))
    honest = road.upload("incoming/1.pdf")
    road.read(honest, pages)
    road.claude.says(picks("invoice", INVOICE))
    guessed = road.upload("incoming/2.pdf", PDF + b"2")
    # Another text, so that the first answer is not taken again.
    road.read(guessed, [[*pages[0], "second copy"]])

    first, second = road.row(honest), road.row(guessed)
    assert first["status"] == second["status"] == "IN_REVIEW"
    assert "total" not in first["fields"]
    assert "No total was found." in first["reasons"]
    assert "The value of total does not stand in the document's words." in second["reasons"]


# -- executions -----------------------------------------------------------------------------------


def test_notice_repeated_while_the_run_goes_on_makes_one_execution(road: Road) -> None:
    identity = road.upload()
    job_id = road.write_results(identity, result_files(INVOICE_PAGES))
    for _ in range(3):
        road.notify(job_id)
    road.finished(f"{identity}-1")

    arn = road.names["StateMachine"]
    (run,) = road.states.list_executions(stateMachineArn=arn)["executions"]
    assert run["name"] == f"{identity}-1"
    assert len(road.announced()) == 1


def test_ten_refusals_for_want_of_concurrency_are_waited_out(road: Road) -> None:
    for state in ("Extract", "Classify", "Store"):
        fail(road, state, "Lambda.TooManyRequestsException", times=10)
    identity = road.upload()

    execution = road.read(identity, INVOICE_PAGES)

    assert execution.status == "SUCCEEDED", execution.cause
    assert len(road.waits) == 30
    assert len(road.claude.requests) == 1


def test_error_with_a_message_of_any_length_ends_the_run_and_the_row(road: Road) -> None:
    road.failures["ExtractFunction"] = [failure("ZeroDivisionError", "x" * 60_000)]
    identity = road.upload()

    execution = road.read(identity, INVOICE_PAGES)

    assert execution.status == "FAILED"
    assert road.row(identity)["status"] == "DEAD_LETTERED"
    assert item_bytes(raw_row(road, identity)) < ROW_BYTES
    (letter,) = road.dead_letters()
    assert letter["error"] == "ZeroDivisionError"


def test_refused_request_to_the_model_is_asked_once(road: Road) -> None:
    words = "The provided model identifier is invalid."
    code = {"x-amzn-errortype": "ValidationException"}
    road.claude.says(response(400, {"message": words}, code))
    identity = road.upload()

    execution = road.read(identity, INVOICE_PAGES)

    assert execution.error == "ServiceMisconfigured"
    assert words in road.row(identity)["error"]["cause"]
    assert len(road.claude.requests) == 1 and road.waits == []


# -- sizes ----------------------------------------------------------------------------------------


def long_text(road: Road) -> list[list[str]]:
    """Fifty pages, 5 MB."""
    return [["Invoice INV-3337", "x" * 100_000] for _ in range(50)]


def many_items(road: Road) -> list[list[str]]:
    """An answer of more than 2 MB in 2,000 lines, of which nothing stands in the document."""
    items = [{"description": "品" * 350 + str(n), "quantity": "1"} for n in range(2_000)]
    road.claude.says(picks("invoice", {**INVOICE, "line_items": items}))
    return INVOICE_PAGES


def long_reasons(road: Road) -> list[list[str]]:
    """An answer that breaks the schema in thousands of places."""
    wrong = {f"品{n}": "x" for n in range(5_000)}
    road.claude.says(picks("invoice", {**INVOICE, **wrong}))
    return INVOICE_PAGES


def test_page_longer_than_a_window_is_shown_in_parts(road: Road) -> None:
    identity = road.upload()

    road.read(identity, [["x" * 500_000]])

    row = road.row(identity)
    assert (row["pages"], row["pages_shown"]) == (1, 1)
    texts = [request["messages"][0]["content"][0]["text"] for request in road.claude.requests]
    windows = [text for text in texts if 'part="1/' not in text]
    assert len(windows) + 2 == len(texts)  # the first part is also the view
    assert len(row["reasons"]) < 30


@pytest.mark.parametrize("how", [long_text, many_items, long_reasons])
def test_huge_document_or_answer_fits_into_state_and_row(
    road: Road, how: Callable[[Road], list[list[str]]]
) -> None:
    identity = road.upload()

    execution = road.read(identity, how(road))

    assert execution.status == "SUCCEEDED", execution.cause
    assert_states_are_small(execution)
    row = road.row(identity)
    assert row["status"] == "IN_REVIEW"
    assert len(row["reasons"]) <= 30
    assert item_bytes(raw_row(road, identity)) < ROW_BYTES
    assert json.loads(road.object(row["fields_key"]))["document_class"] == "invoice"


def test_thousands_of_warnings_fit_into_state_and_row(road: Road) -> None:
    identity = road.upload()
    warnings = [{"ErrorCode": f"CODE_{n}", "Pages": [n]} for n in range(5_000)]
    (file,) = result_files(INVOICE_PAGES)
    road.notify(road.write_results(identity, [{**file, "Warnings": warnings}]), "PARTIAL_SUCCESS")

    execution = road.finished(f"{identity}-1")

    assert execution.status == "SUCCEEDED", execution.cause
    assert_states_are_small(execution)
    assert item_bytes(raw_row(road, identity)) < ROW_BYTES
