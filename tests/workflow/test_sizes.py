"""A long document in a script of three bytes a character stays small on the way."""

import json

from papers import INVOICE
from road import Road
from services import picks

STATE_BYTES = 32 * 1024
ROW_BYTES = 400 * 1024
PAGES, ITEMS = 300, 2000


def test_long_document_travels_as_pointers(road: Road) -> None:
    goods = [f"品目{number:04d}" for number in range(ITEMS)]
    each = ITEMS // PAGES + 1
    pages = [
        [
            "請求書 INV-3337",
            *(f"{name} 1" for name in goods[start : start + each]),
            "合計 EUR 93.50",
        ]
        for start in range(0, PAGES * each, each)
    ]
    items = [{"description": name, "quantity": "1"} for name in goods]
    fields = {"invoice_number": "INV-3337", "total": "93.50", "currency": "EUR"}
    road.claude.says(picks("invoice", {**fields, "line_items": items}))
    identity = road.upload()

    execution = road.read(identity, pages)

    assert execution.status == "SUCCEEDED", execution.cause
    row = road.row(identity)
    assert row["pages"] == PAGES
    assert row["status"] == "STORED", row.get("reasons")
    for name, payload in execution.payloads():
        assert len(payload.encode()) < STATE_BYTES, name
    assert len(json.dumps(row, default=str, ensure_ascii=False).encode()) < ROW_BYTES
    assert row["fields"]["total"] == "93.50"
    assert json.loads(road.object(row["fields_key"]))["fields"]["line_items"] == items
    (event,) = road.announced()
    assert event["detail"]["fields"] == fields
    assert event["detail"]["results_key"] == row["fields_key"]


def test_long_texts_in_fields_stay_out_of_the_state(road: Road) -> None:
    name = "長い名前" * 5000
    road.claude.says(picks("invoice", {**INVOICE, "vendor_name": name}))
    identity = road.upload()

    execution = road.read(identity, [["Invoice INV-3337", name]])

    for state, payload in execution.payloads():
        assert len(payload.encode()) < STATE_BYTES, state
    row = road.row(identity)
    assert len(json.dumps(row, default=str, ensure_ascii=False).encode()) < ROW_BYTES
    assert json.loads(road.object(row["fields_key"]))["fields"]["vendor_name"] == name


def test_warnings_about_thousands_of_pages_stay_short(road: Road) -> None:
    identity = road.upload()
    pages = list(range(1, 3001))
    warnings = [{"ErrorCode": f"CODE_{i}", "Pages": pages} for i in range(10)]
    files = [{"DocumentMetadata": {"Pages": 3000}, "Blocks": [], "Warnings": warnings}]
    road.notify(road.write_results(identity, files), "PARTIAL_SUCCESS")
    execution = road.finished(f"{identity}-1")

    assert execution.status == "SUCCEEDED", execution.cause
    assert road.row(identity)["status"] == "IN_REVIEW"
    for state, payload in execution.payloads():
        assert len(payload.encode()) < STATE_BYTES, state
