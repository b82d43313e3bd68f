"""The Claude server under a fault plan, as boto3 sees it."""

import json
import socket
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ConnectionClosedError, ReadTimeoutError

from mailroom_desk.cloud.claude.backends import Answer, Json
from mailroom_desk.cloud.claude.server import create_app
from mailroom_desk.cloud.fault_choice import Faults
from mailroom_desk.cloud.fault_table import STOP_REASONS
from mailroom_desk.cloud.faults import CLAUDE, error_statuses, parse_plan
from mailroom_desk.cloud.ledger import Ledger
from mailroom_desk.cloud.serving import LocalServer, Stopping

PROFILE = "global.anthropic.claude-haiku-4-5-20251001-v1:0"
FIELDS = {"vendor": "Harbour", "invoice_date": "2024-05-03", "total": "12.00", "paid": "yes"}


class FixedBackend:
    """Always the same tool use."""

    name = "fixed"

    def answer(self, _: Json) -> Answer:
        use = {"toolUseId": "tooluse_1", "name": "invoice", "input": dict(FIELDS)}
        return Answer([{"toolUse": use}], "tool_use")


@dataclass
class Desk:
    """A running server, a client of little patience, and what stands in the ledger."""

    client: Any
    faults: Faults
    ledger: Ledger
    url: str

    def plan(self, *rules: Json, **plan: Any) -> None:
        named = [{"service": CLAUDE} | rule for rule in rules]
        self.faults.replace(parse_plan(json.dumps(plan | {"rules": named})))

    def ask(self, document: str = "d1") -> Json:
        tools = [
            {"toolSpec": {"name": name, "inputSchema": {"json": {"type": "object"}}}}
            for name in ("invoice", "letter")
        ]
        answer: Json = self.client.converse(
            modelId=PROFILE,
            messages=[{"role": "user", "content": [{"text": "Harbour"}]}],
            toolConfig={"tools": tools},
            requestMetadata={"document_id": document},
        )
        return answer

    def outcomes(self) -> list[tuple[str, bool]]:
        return [(entry.outcome, entry.cost_usd > 0) for entry in self.ledger.entries()]


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    faults, ledger, stopping = Faults(CLAUDE), Ledger(tmp_path / "ledger.db"), Stopping()
    app = create_app(FixedBackend(), ledger, faults=faults, stopping=stopping)
    server = LocalServer(app, port, stopping)
    listener = socket.create_server(("127.0.0.1", port))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    url = f"http://127.0.0.1:{port}"
    client = boto3.client(
        "bedrock-runtime",
        endpoint_url=url,
        region_name="us-east-1",
        aws_access_key_id="test",
        aws_secret_access_key="test",
        config=Config(retries={"total_max_attempts": 1}, read_timeout=1),
    )
    yield Desk(client, faults, ledger, url)
    client.close()
    server.should_exit = True
    thread.join()
    listener.close()


@pytest.mark.parametrize("code", error_statuses(CLAUDE, "Converse"))
def test_documented_error_of_the_plan_reaches_boto3_and_costs_nothing(
    desk: Desk, code: str
) -> None:
    desk.plan({"fault": "error", "code": code, "message": "so it is", "first": 1})
    with pytest.raises(getattr(desk.client.exceptions, code), match="so it is") as caught:
        desk.ask()
    status = caught.value.response["ResponseMetadata"]["HTTPStatusCode"]
    assert status == error_statuses(CLAUDE, "Converse")[code]
    desk.ask()
    assert desk.outcomes() == [(code, False), ("ok", True)]


def test_dropped_connection_is_closed_without_an_answer(desk: Desk) -> None:
    desk.plan({"fault": "dropped", "first": 1})
    with pytest.raises(ConnectionClosedError):
        desk.ask()
    desk.ask()
    assert desk.outcomes() == [("dropped", False), ("ok", True)]


def test_answer_lost_after_the_call_was_carried_out_is_paid(desk: Desk) -> None:
    desk.plan({"fault": "dropped", "after": True})
    with pytest.raises(ConnectionClosedError):
        desk.ask()
    assert desk.outcomes() == [("ok", True)]


def test_no_answer_lasts_until_the_caller_gives_up(desk: Desk) -> None:
    desk.plan({"fault": "no_answer"})
    with pytest.raises(ReadTimeoutError):
        desk.ask()
    assert desk.outcomes() == [("no_answer", False)]


def test_no_answer_is_cut_after_its_seconds(desk: Desk) -> None:
    desk.plan({"fault": "no_answer", "seconds": 0.05})
    with pytest.raises(ConnectionClosedError):
        desk.ask()


def test_slow_answer_comes_after_a_caller_of_less_patience_has_gone(desk: Desk) -> None:
    desk.plan({"fault": "slow", "seconds": 2, "documents": ["slow"]})
    with pytest.raises(ReadTimeoutError):
        desk.ask("slow1")
    assert desk.ask("quick")["stopReason"] == "tool_use"


def test_answer_takes_as_long_as_the_plan_says(desk: Desk) -> None:
    desk.plan(answer_seconds=[0.2, 0.3])
    assert desk.ask()["metrics"]["latencyMs"] >= 200


@pytest.mark.parametrize("reason", STOP_REASONS)
@pytest.mark.parametrize("content", ["empty", "partial"])
def test_any_stop_reason_comes_with_empty_or_partial_content(
    desk: Desk, reason: str, content: str
) -> None:
    desk.plan({"fault": "stop_reason", "reason": reason, "content": content})
    answer = desk.ask()
    blocks = answer["output"]["message"]["content"]
    assert answer["stopReason"] == reason
    kept = [block["toolUse"]["input"] for block in blocks]
    expected = {"vendor": "Harbour", "invoice_date": "2024-"}
    assert kept == ([] if content == "empty" else [expected])


def content_under(desk: Desk, fault: str) -> tuple[str, list[Json]]:
    desk.plan({"fault": fault})
    answer = desk.ask()
    return answer["stopReason"], answer["output"]["message"]["content"]


def test_broken_input_is_a_json_text_in_the_place_of_an_object(desk: Desk) -> None:
    _, [block] = content_under(desk, "broken_input")
    assert json.loads(block["toolUse"]["input"]) == FIELDS


def test_truncated_input_stops_for_max_tokens_in_the_middle_of_a_value(desk: Desk) -> None:
    reason, [block] = content_under(desk, "truncated_input")
    assert (reason, block["toolUse"]["input"]["invoice_date"]) == ("max_tokens", "2024-")


def test_wrong_types_are_no_texts(desk: Desk) -> None:
    _, [block] = content_under(desk, "wrong_types")
    values = block["toolUse"]["input"].values()
    assert [type(value) for value in values] == [dict, list, int, bool]


def test_off_list_class_was_not_offered(desk: Desk) -> None:
    _, [block] = content_under(desk, "off_list")
    assert block["toolUse"]["name"] == "warranty_card"


def test_invented_values_keep_their_form(desk: Desk) -> None:
    _, [block] = content_under(desk, "invented_values")
    invented = block["toolUse"]["input"]
    assert invented.keys() == FIELDS.keys()
    assert (invented["invoice_date"], invented["total"]) == ("1903-11-29", "987654321.09")
    assert not set(invented.values()) & set(FIELDS.values())


def test_two_tools_are_two_classes_with_two_ids(desk: Desk) -> None:
    _, blocks = content_under(desk, "two_tools")
    assert [block["toolUse"]["name"] for block in blocks] == ["invoice", "letter"]
    assert len({block["toolUse"]["toolUseId"] for block in blocks}) == 2


@pytest.mark.parametrize("fault", ["no_tool", "fenced_text"])
def test_answer_as_text_has_no_tool_use(desk: Desk, fault: str) -> None:
    reason, [block] = content_under(desk, fault)
    assert (reason, list(block)) == ("end_turn", ["text"])
    assert ("```json" in block["text"]) == (fault == "fenced_text")


def test_answer_fault_strikes_once_so_that_a_repair_succeeds(desk: Desk) -> None:
    desk.plan({"fault": "no_tool", "first": 1})
    assert [desk.ask()["stopReason"] for _ in range(2)] == ["end_turn", "tool_use"]


def call(desk: Desk, method: str, body: bytes | None = None) -> tuple[int, Json]:
    request = urllib.request.Request(f"{desk.url}/faults", body, method=method)
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error)


def test_plan_is_put_shown_with_its_hits_and_cleared(desk: Desk) -> None:
    plan = {"rules": [{"service": CLAUDE, "fault": "no_tool"}]}
    assert call(desk, "PUT", json.dumps(plan).encode()) == (200, {"plan": plan, "hits": [0]})
    desk.ask()
    assert call(desk, "GET") == (200, {"plan": plan, "hits": [1]})
    assert call(desk, "DELETE") == (200, {"plan": {}, "hits": []})
    assert desk.ask()["stopReason"] == "tool_use"


def test_plan_with_an_unknown_fault_is_refused_and_the_former_kept(desk: Desk) -> None:
    desk.plan({"fault": "no_tool"})
    status, answer = call(desk, "PUT", b'{"rules": [{"service": "textract", "fault": "fire"}]}')
    assert (status, "unknown fault 'fire'" in answer["message"]) == (400, True)
    assert desk.ask()["stopReason"] == "end_turn"


def test_invoke_model_has_the_faults_too(desk: Desk) -> None:
    code = "ServiceQuotaExceededException"
    desk.plan({"operation": "InvokeModel", "fault": "error", "code": code})
    with pytest.raises(desk.client.exceptions.ServiceQuotaExceededException):
        desk.client.invoke_model(modelId=PROFILE, body=b"{}")
    assert desk.outcomes() == [(code, False)]
    assert Decimal(0) == desk.ledger.entries()[0].cost_usd
