"""The Claude server on a free port, asked by boto3 as the functions ask it."""

import json
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

import boto3
import pytest
import uvicorn
from botocore.config import Config
from botocore.exceptions import ClientError
from botocore.validate import ParamValidator

from mailroom_desk.cloud.claude import errors
from mailroom_desk.cloud.claude.backends import Answer, Json
from mailroom_desk.cloud.claude.backends.offline import OfflineBackend
from mailroom_desk.cloud.claude.protocol.validation import check_converse, service_model
from mailroom_desk.cloud.claude.server import create_app

PROFILE = "global.anthropic.claude-haiku-4-5-20251001-v1:0"
ARN = f"arn:aws:bedrock:us-east-1:000000000000:inference-profile/{PROFILE}"
CLASSES = Path(__file__).parents[2] / "src/mailroom/classes.json"
INVOICE = """\
<document-9f2c4e0123456789 pages="1">
<page number="1">
<text>
Harbour Lights Ltd
INVOICE
Invoice No: HL-204
Date: 3 May 2024
Total: £12.00
</text>
</page>
</document-9f2c4e0123456789>"""


@dataclass
class FakeLedger:
    """Remembers what was recorded."""

    entries: list[dict[str, Any]] = field(default_factory=list)

    def record(
        self,
        service: str,
        operation: str,
        *,
        document_id: str | None,
        outcome: str,
        cost_usd: Decimal,
        detail: str = "",
    ) -> None:
        entry = {"service": service, "operation": operation, "document_id": document_id}
        self.entries.append(entry | {"outcome": outcome, "cost_usd": cost_usd, "detail": detail})


@dataclass
class SwitchedBackend:
    """The offline stand-in, until a test gives it an error or an answer."""

    name: str = "offline stand-in"
    error: Exception | None = None
    fixed: Answer | None = None

    def answer(self, request: Json) -> Answer:
        if self.error:
            raise self.error
        return self.fixed or OfflineBackend().answer(request)


@dataclass
class Desk:
    """A running server and a client for it."""

    client: Any
    ledger: FakeLedger
    backend: SwitchedBackend


@pytest.fixture(scope="module")
def running() -> Iterator[Desk]:
    ledger, backend = FakeLedger(), SwitchedBackend()
    listener = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(create_app(backend, ledger, lambda: 0.0), log_level="error")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    client = boto3.client(
        "bedrock-runtime",
        endpoint_url=f"http://127.0.0.1:{listener.getsockname()[1]}",
        region_name="us-east-1",
        aws_access_key_id="test",
        aws_secret_access_key="test",
        # The server is asked what boto3 itself would refuse as well.
        config=Config(retries={"total_max_attempts": 1}, parameter_validation=False),
    )
    yield Desk(client, ledger, backend)
    client.close()
    server.should_exit = True
    thread.join()
    listener.close()


@pytest.fixture
def desk(running: Desk) -> Desk:
    running.ledger.entries.clear()
    running.backend.error = running.backend.fixed = None
    return running


def tool(name: str, schema: Json | None = None) -> Json:
    spec = {"name": name, "description": name, "inputSchema": {"json": schema or SCHEMA}}
    return {"toolSpec": spec}


SCHEMA: Json = {"type": "object", "properties": {"total": {"type": "string", "format": "decimal"}}}


def request(**changes: Any) -> Json:
    plain: Json = {
        "modelId": PROFILE,
        "messages": [{"role": "user", "content": [{"text": INVOICE}]}],
        "toolConfig": {"tools": [tool("invoice"), tool("letter")], "toolChoice": {"any": {}}},
        "inferenceConfig": {"maxTokens": 4096, "temperature": 0},
        "requestMetadata": {"document_id": "d1", "attempt": "1"},
    }
    return {name: value for name, value in (plain | changes).items() if value is not None}


def test_converse_answer_keeps_botocores_output_shape(desk: Desk) -> None:
    reply = desk.client.converse(**request())

    shape = service_model().operation_model("Converse").output_shape
    metadata = reply.pop("ResponseMetadata")
    assert not ParamValidator().validate(reply, shape).has_errors()
    assert metadata["HTTPHeaders"]["x-mailroom-answered-by"] == "offline stand-in"
    use = reply["output"]["message"]["content"][0]["toolUse"]
    assert (reply["stopReason"], use["name"], use["input"]) == (
        "tool_use",
        "invoice",
        {"total": "12.00"},
    )


@pytest.mark.parametrize("model_id", [PROFILE, ARN])
def test_converse_model_id_with_colon_or_slash_is_accepted(desk: Desk, model_id: str) -> None:
    assert desk.client.converse(**request(modelId=model_id))["stopReason"] == "tool_use"


def test_converse_same_request_gives_the_same_answer(desk: Desk) -> None:
    first, second = (desk.client.converse(**request())["output"] for _ in range(2))
    assert first == second


def test_converse_forced_tool_is_used(desk: Desk) -> None:
    config = request()["toolConfig"] | {"toolChoice": {"tool": {"name": "letter"}}}
    content = desk.client.converse(**request(toolConfig=config))["output"]["message"]["content"]
    assert content[0]["toolUse"]["name"] == "letter"


def test_converse_answers_again_after_a_tool_result_with_an_error(desk: Desk) -> None:
    first = desk.client.converse(**request())["output"]["message"]
    use_id = first["content"][0]["toolUse"]["toolUseId"]
    result = {"toolUseId": use_id, "status": "error", "content": [{"text": "total: wrong"}]}
    repair = {"role": "user", "content": [{"toolResult": result}]}
    messages = [*request()["messages"], first, repair]
    assert desk.client.converse(**request(messages=messages))["stopReason"] == "tool_use"


def test_converse_answer_longer_than_max_tokens_stops_for_that_reason(desk: Desk) -> None:
    reply = desk.client.converse(**request(inferenceConfig={"maxTokens": 2}))
    assert reply["stopReason"] == "max_tokens"


def test_ledger_has_the_document_and_the_price_of_a_call(desk: Desk) -> None:
    usage = desk.client.converse(**request())["usage"]
    [entry] = desk.ledger.entries
    expected = Decimal(usage["inputTokens"] + 5 * usage["outputTokens"]) / 1_000_000
    assert entry == {
        "service": "bedrock-runtime",
        "operation": "Converse",
        "document_id": "d1",
        "outcome": "ok",
        "cost_usd": expected,
        "detail": "offline stand-in",
    }


USER = {"role": "user", "content": [{"text": "x"}]}
REFUSED: dict[str, tuple[Json, str]] = {
    "empty text": ({"messages": [{"role": "user", "content": [{"text": " "}]}]}, "is blank"),
    "no content": ({"messages": [{"role": "user", "content": []}]}, "content field"),
    "no message": ({"messages": []}, "at least one message"),
    "assistant first": (
        {"messages": [{"role": "assistant", "content": [{"text": "x"}]}]},
        "must start with a user message",
    ),
    "not alternating": ({"messages": [USER, USER]}, "alternate"),
    "unknown role": ({"messages": [{"role": "robot", "content": [{"text": "x"}]}]}, "enum"),
    "schema root": ({"toolConfig": {"tools": [tool("t", {"type": "array"})]}}, "object"),
    "choice without tools": ({"toolConfig": {"toolChoice": {"any": {}}}}, "tools"),
    "choice of an unknown tool": (
        {"toolConfig": {"tools": [tool("t")], "toolChoice": {"tool": {"name": "u"}}}},
        "not found",
    ),
    "tools of one name": ({"toolConfig": {"tools": [tool("t"), tool("t")]}}, "unique"),
    "tool name with a blank": ({"toolConfig": {"tools": [tool("a b")]}}, "pattern"),
    "temperature over 1": ({"inferenceConfig": {"temperature": 3}}, "temperature"),
    "max tokens of 0": ({"inferenceConfig": {"maxTokens": 0}}, "maxTokens"),
    "over 200,000 tokens": (
        {"messages": [{"role": "user", "content": [{"text": "x" * 800_004}]}]},
        "Input is too long for requested model.",
    ),
}


@pytest.mark.parametrize(("changes", "message"), REFUSED.values(), ids=list(REFUSED))
def test_converse_bad_request_is_a_validation_exception(
    desk: Desk, changes: Json, message: str
) -> None:
    with pytest.raises(desk.client.exceptions.ValidationException, match=message):
        desk.client.converse(**request(**changes))
    assert [e["outcome"] for e in desk.ledger.entries] == ["ValidationException"]
    assert desk.ledger.entries[0]["cost_usd"] == 0


@pytest.mark.parametrize("body", [[], {"messages": [USER], "temperature": 0}, {"messages": "x"}])
def test_check_converse_body_that_boto3_would_not_send_is_refused(body: Any) -> None:
    with pytest.raises(errors.ValidationException):
        check_converse(body, PROFILE)


@pytest.mark.parametrize(
    "error",
    [
        errors.ThrottlingException("Too many tokens, please wait before trying again."),
        errors.ModelErrorException("The model failed."),
        errors.ModelTimeoutException("Too slow."),
        errors.ModelNotReadyException("Loading."),
        errors.ServiceUnavailableException("Busy."),
        errors.InternalServerException("Broken."),
        errors.AccessDeniedException("No."),
        errors.ResourceNotFoundException("No such model."),
    ],
    ids=lambda error: error.code,
)
def test_backend_error_reaches_boto3_as_the_class_of_its_name(
    desk: Desk, error: errors.BedrockError
) -> None:
    desk.backend.error = error
    with pytest.raises(getattr(desk.client.exceptions, error.code)) as caught:
        desk.client.converse(**request())
    assert caught.value.response["Error"]["Message"] == str(error)
    assert caught.value.response["ResponseMetadata"]["HTTPStatusCode"] == error.status
    assert desk.ledger.entries[0]["outcome"] == error.code


def test_unexpected_failure_is_an_internal_error_without_details(desk: Desk) -> None:
    desk.backend.error = RuntimeError("secret text")
    with pytest.raises(desk.client.exceptions.InternalServerException) as caught:
        desk.client.converse(**request())
    assert "secret" not in str(caught.value)


def invoke(desk: Desk, model_id: str = PROFILE, **changes: Any) -> Json:
    body = {
        "anthropic_version": "bedrock-2023-05-31",
        "max_tokens": 500,
        "messages": [{"role": "user", "content": INVOICE}],
    }
    reply = desk.client.invoke_model(modelId=model_id, body=json.dumps(body | changes))
    answer: Json = json.loads(reply["body"].read())
    return answer


def test_invoke_model_without_tools_answers_with_text(desk: Desk) -> None:
    text = "The ferry was late. Nobody was hurt. The ferry sails again on Monday."
    answer = invoke(desk, messages=[{"role": "user", "content": text}])
    assert (answer["type"], answer["role"], answer["stop_reason"]) == (
        "message",
        "assistant",
        "end_turn",
    )
    assert answer["content"][0]["text"] in text
    assert answer["usage"]["input_tokens"] > 0
    assert desk.ledger.entries[0]["operation"] == "InvokeModel"


def test_invoke_model_with_tools_answers_with_a_tool_use(desk: Desk) -> None:
    tools = [{"name": "invoice", "description": "A bill.", "input_schema": SCHEMA}]
    answer = invoke(desk, ARN, tools=tools, tool_choice={"type": "any"}, system="Read.")
    [block] = answer["content"]
    assert (block["type"], block["name"], block["input"]) == (
        "tool_use",
        "invoice",
        {"total": "12.00"},
    )


@pytest.mark.parametrize(
    "changes",
    [
        {"max_tokens": 0},
        {"anthropic_version": "1"},
        {"messages": []},
        {"messages": [{"role": "user"}]},
        {"messages": [{"role": "user", "content": [{"type": "image"}]}]},
        {"unknown": 1},
    ],
)
def test_invoke_model_bad_body_is_a_validation_exception(desk: Desk, changes: Json) -> None:
    with pytest.raises(desk.client.exceptions.ValidationException):
        invoke(desk, **changes)


def test_invoke_model_body_that_is_no_json_is_a_validation_exception(desk: Desk) -> None:
    with pytest.raises(ClientError, match="ValidationException"):
        desk.client.invoke_model(modelId=PROFILE, body=b"{")


def test_converse_takes_the_projects_own_classes(desk: Desk) -> None:
    classes = json.loads(CLASSES.read_text())["classes"]
    tools = [
        {
            "toolSpec": {
                "name": c["name"],
                "description": c["description"],
                "inputSchema": {"json": c["schema"]},
            }
        }
        for c in classes
    ]
    config = {"tools": [*tools, {"cachePoint": {"type": "default"}}], "toolChoice": {"any": {}}}
    reply = desk.client.converse(**request(toolConfig=config))
    assert reply["output"]["message"]["content"][0]["toolUse"]["input"] == {
        "vendor_name": "Harbour Lights Ltd",
        "invoice_number": "HL-204",
        "invoice_date": "2024-05-03",
        "total": "12.00",
        "currency": "GBP",
    }
