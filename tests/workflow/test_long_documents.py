"""Documents of up to 3,000 pages, along the real road: read whole, or said what was not."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from botocore.awsrequest import AWSResponse
from machines_on_moto import Execution
from papers import INVOICE, INVOICE_PAGES
from road import Road
from services import picks, response

STATE_BYTES = 32 * 1024
SPACE = {"Latin": "filling" * 40, "Chinese": "請求書明細" * 40}
"""One word, so that these documents are long and quickly made."""


def paper(pages: int, filling: str = SPACE["Latin"]) -> list[list[str]]:
    """An invoice with one item a page and its total at the end."""
    body = [[f"{number:04d}-Item {number}.00", filling] for number in range(1, pages + 1)]
    body[0][:0] = ["Northwind Paper Ltd", "Invoice INV-3337"]
    body[-1].append(f"Total EUR {pages * (pages + 1) // 2}.00")
    return body


def items(*numbers: int) -> list[dict[str, str]]:
    return [{"description": f"{number:04d}-Item", "amount": f"{number}.00"} for number in numbers]


def text_of(request: dict[str, Any]) -> str:
    return str(request["messages"][0]["content"][0]["text"])


def pages_in(request: dict[str, Any]) -> list[int]:
    return [int(number) for number in re.findall(r'<page number="(\d+)"', text_of(request))]


def honest(request: dict[str, Any]) -> dict[str, Any]:
    """Gives what stands on the pages that it sees."""
    text = text_of(request)
    fields: dict[str, Any] = {}
    if number := re.search(r"Invoice (INV-\d+)", text):
        fields |= {"vendor_name": "Northwind Paper Ltd", "invoice_number": number[1]}
    if total := re.search(r"Total EUR ([\d.]+)", text):
        fields |= {"total": total[1], "currency": "EUR"}
    found = re.findall(r"(\d+)-Item ", text)
    return picks("invoice", {**fields, "line_items": items(*map(int, found))})


def windows_of(road: Road) -> list[list[int]]:
    """The pages of each call that had the class given, in the document's order."""
    with_class = (r for r in road.claude.requests if "tool" in r["toolConfig"]["toolChoice"])
    return sorted(pages_in(request) for request in with_class)


def result_of(road: Road, identity: str) -> dict[str, Any]:
    return dict(json.loads(road.object(f"results/{identity}/1.json")))


def assert_small(execution: Execution) -> None:
    for state, payload in execution.payloads():
        assert len(payload.encode()) < STATE_BYTES, state


@pytest.mark.parametrize(
    ("pages", "script"), [(400, "Chinese"), (3000, "Latin")], ids=["400 Chinese", "3000 Latin"]
)
def test_every_page_is_shown_once_and_every_item_is_there_in_order(
    road: Road, pages: int, script: str
) -> None:
    filling = SPACE[script] * (2 if script == "Chinese" else 1)
    road.claude.says(honest)
    identity = road.upload()

    execution = road.read(identity, paper(pages, filling))

    assert execution.status == "SUCCEEDED", execution.cause
    assert_small(execution)
    windows = windows_of(road)
    assert len(windows) > 1
    assert [page for window in windows for page in window] == list(range(1, pages + 1))
    result = result_of(road, identity)
    assert result["fields"] == {
        "vendor_name": "Northwind Paper Ltd",
        "invoice_number": "INV-3337",
        "total": f"{pages * (pages + 1) // 2}.00",
        "currency": "EUR",
        "line_items": items(*range(1, pages + 1)),
    }
    assert (result["pages_shown"], result["pages"]) == (pages, pages)
    assert (result["windows"], result["calls"]) == (len(windows), len(windows) + 1)
    assert result["reasons"] == []
    assert road.row(identity)["status"] == "STORED"
    assert "evidence" not in road.row(identity)


def test_windows_that_disagree_send_the_document_to_a_person_and_nothing_is_summed(
    road: Road,
) -> None:
    def misled(request: dict[str, Any]) -> dict[str, Any]:
        return picks("invoice", {"total": f"{pages_in(request)[0]}.00", "currency": "EUR"})

    road.claude.says(misled)
    identity = road.upload()

    execution = road.read(identity, paper(400, SPACE["Chinese"] * 2))

    assert execution.status == "SUCCEEDED", execution.cause
    row = road.row(identity)
    assert row["status"] == "IN_REVIEW"
    assert row["fields"]["total"] == "1.00"
    first, second, *_ = windows_of(road)
    assert any(
        reason.startswith(
            f"The values of total on pages 1-{first[-1]} and on pages {second[0]}-{second[-1]}"
        )
        for reason in row["reasons"]
    )


def test_reading_cut_off_by_time_goes_on_and_pays_no_window_twice(road: Road) -> None:
    road.claude.says(honest)
    identity = road.upload()
    road.millis_left = [300_000, 300_000, 1000]

    execution = road.read(identity, paper(400, SPACE["Chinese"] * 2))

    assert execution.status == "SUCCEEDED", execution.cause
    assert road.row(identity)["status"] == "STORED", road.row(identity).get("reasons")
    assert road.invoked.count("ClassifyFunction") == 2
    asked = [text_of(request) for request in road.claude.requests]
    assert len(asked) == len(set(asked)) == result_of(road, identity)["calls"]
    assert len(result_of(road, identity)["fields"]["line_items"]) == 400


def test_throttled_window_is_asked_for_again_and_the_others_are_not(road: Road) -> None:
    refused: list[int] = []

    def throttled_once(request: dict[str, Any]) -> AWSResponse | dict[str, Any]:
        if pages_in(request)[0] > 1 and not refused:
            refused.append(1)
            headers = {"x-amzn-errortype": "ThrottlingException"}
            return response(429, {"message": "Too many tokens"}, headers)
        return honest(request)

    road.claude.says(throttled_once)
    identity = road.upload()

    execution = road.read(identity, paper(400, SPACE["Chinese"] * 2))

    assert execution.status == "SUCCEEDED", execution.cause
    asked = [text_of(request) for request in road.claude.requests]
    assert len(asked) == len(set(asked)) + 1
    assert len(result_of(road, identity)["fields"]["line_items"]) == 400


def too_long_above(pages: int) -> Callable[[dict[str, Any]], AWSResponse | dict[str, Any]]:
    def say(request: dict[str, Any]) -> AWSResponse | dict[str, Any]:
        if len(pages_in(request)) > pages:
            headers = {"x-amzn-errortype": "ValidationException"}
            return response(400, {"message": "Input is too long for requested model."}, headers)
        return honest(request)

    return say


def test_document_that_the_model_finds_too_long_is_read_in_smaller_windows(road: Road) -> None:
    road.claude.says(too_long_above(3))
    identity = road.upload()

    execution = road.read(identity, paper(10, "x"))

    assert execution.status == "SUCCEEDED", execution.cause
    assert road.row(identity)["status"] == "STORED", road.row(identity).get("reasons")
    assert result_of(road, identity)["fields"]["line_items"] == items(*range(1, 11))


def test_page_that_the_model_refuses_alone_goes_to_a_person_as_not_shown(road: Road) -> None:
    road.claude.says(too_long_above(0))
    identity = road.upload()

    execution = road.read(identity, INVOICE_PAGES)

    assert execution.status == "SUCCEEDED", execution.cause
    row = road.row(identity)
    assert row["status"] == "IN_REVIEW"
    assert (row["pages"], row["pages_shown"]) == (1, 0)
    assert "0 of 1 pages were shown to the model." in row["reasons"]


def test_document_above_the_price_limit_is_viewed_and_the_row_says_what_was_not_shown(
    road: Road,
) -> None:
    road.names["MaxDocumentUsd"] = "0.1"
    road.claude.says(honest)
    identity = road.upload()

    execution = road.read(identity, paper(400, SPACE["Chinese"] * 2))

    assert execution.status == "SUCCEEDED", execution.cause
    (request,) = road.claude.requests
    shown = len(pages_in(request))
    row = road.row(identity)
    assert row["status"] == "IN_REVIEW"
    assert row["document_class"] == "invoice"
    assert 1 < row["pages_shown"] == shown < 400
    assert f"{shown} of 400 pages were shown to the model." in row["reasons"]
    assert any("USD, more than the 0.1 USD" in reason for reason in row["reasons"])


@pytest.mark.parametrize("count", [0, 1, 2])
def test_line_items_stay_lists_on_the_row_however_few(road: Road, count: int) -> None:
    rows = items(*range(1, count + 1))
    total = {name: INVOICE[name] for name in ("total", "currency")}
    road.claude.says(picks("invoice", {**total, "line_items": rows}))
    identity = road.upload()

    lines = [f"{row['description']} {row['amount']}" for row in rows]
    road.read(identity, [[*INVOICE_PAGES[0], *lines]])

    assert road.row(identity)["fields"].get("line_items", []) == rows


def test_classes_pushed_to_the_bucket_are_used_without_a_deploy_and_named_on_the_row(
    road: Road,
) -> None:
    note = {
        "name": "note",
        "description": "A note.",
        "needed": [],
        "schema": {
            "type": "object",
            "properties": {"number": {"type": "string", "description": "Its number."}},
        },
    }
    body = json.dumps({"version": "notes", "classes": [note]}).encode()
    road.s3.put_object(Bucket=road.bucket, Key="classes/current.json", Body=body)
    road.claude.says(picks("note", {"number": "INV-3337"}))
    identity = road.upload()

    execution = road.read(identity, INVOICE_PAGES)

    assert execution.status == "SUCCEEDED", execution.cause
    row = road.row(identity)
    assert (row["status"], row["document_class"]) == ("STORED", "note"), row.get("reasons")
    assert re.fullmatch(r"notes\+[0-9a-f]{12}", row["classes_version"])


def test_classes_file_that_breaks_a_rule_dead_letters_with_the_rule_and_no_model_is_asked(
    road: Road,
) -> None:
    body = json.dumps({"version": "1", "classes": [{"name": "note"}]}).encode()
    road.s3.put_object(Bucket=road.bucket, Key="classes/current.json", Body=body)
    identity = road.upload()

    execution = road.read(identity, INVOICE_PAGES)

    assert (execution.status, execution.error) == ("FAILED", "ClassesInvalid")
    assert "note: description is missing." in execution.cause
    assert road.row(identity)["status"] == "DEAD_LETTERED"
    assert road.claude.requests == []
