"""What Mailroom asks, through the local Bedrock and each backend, to the API and back."""

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import boto3
import pytest
import uvicorn
from botocore.config import Config
from botocore.exceptions import ClientError
from claude_apis import LINE, SCHEMA, Api, api, converse, repair
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mailroom.classes import Classes, packaged_classes
from mailroom.llm.prompt import Frame, build
from mailroom_desk.cloud.claude.backends import Backend, Json
from mailroom_desk.cloud.claude.backends.anthropic import AnthropicBackend
from mailroom_desk.cloud.claude.backends.bedrock import BedrockBackend
from mailroom_desk.cloud.claude.backends.openai import OpenAIBackend
from mailroom_desk.cloud.claude.choice import choose
from mailroom_desk.cloud.claude.server import create_app

PROFILE = "global.anthropic.claude-haiku-4-5-20251001-v1:0"
INPUT = {"total": "1204.50", "line_items": [{"description": "Ä “b” \n", "amount": "-0.10"}]}
USAGE = {"input": 2000, "output": 30}


@dataclass(frozen=True)
class Road:
    """One backend: how it is made, what its API answers, and where the tools stand in a request."""

    make: Callable[[str], Backend]
    reply: Json
    tools: Callable[[Json], dict[str, Json]]
    texts: Callable[[Json], str]
    cost: Decimal


ROADS = {
    "anthropic": Road(
        lambda url: AnthropicBackend(choose("anthropic", url=url), "sk-ant-1"),
        {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "claude-haiku-4-5",
            "content": [{"type": "tool_use", "id": "toolu_1", "name": "invoice", "input": INPUT}],
            "stop_reason": "tool_use",
            "usage": {"input_tokens": USAGE["input"], "output_tokens": USAGE["output"]},
        },
        lambda body: {t["name"]: t["input_schema"] for t in body["tools"]},
        lambda body: body["messages"][0]["content"][0]["text"],
        Decimal("0.00215"),
    ),
    "bedrock": Road(
        lambda url: BedrockBackend(choose("bedrock"), endpoint_url=url),
        {
            "output": {
                "message": {
                    "role": "assistant",
                    "content": [
                        {"toolUse": {"toolUseId": "t1", "name": "invoice", "input": INPUT}}
                    ],
                }
            },
            "stopReason": "tool_use",
            "usage": {
                "inputTokens": USAGE["input"],
                "outputTokens": USAGE["output"],
                "totalTokens": 2030,
            },
            "metrics": {"latencyMs": 1},
        },
        lambda body: {
            t["toolSpec"]["name"]: t["toolSpec"]["inputSchema"]["json"]
            for t in body["toolConfig"]["tools"]
            if "toolSpec" in t
        },
        lambda body: body["messages"][0]["content"][0]["text"],
        Decimal("0.00215"),
    ),
    "openai": Road(
        lambda url: OpenAIBackend(choose("openai", model="llama3.1", url=url), ""),
        {
            "choices": [
                {
                    "finish_reason": "stop",
                    "message": {
                        "role": "assistant",
                        "content": None,
                        "tool_calls": [
                            {
                                "id": "call_1",
                                "type": "function",
                                "function": {"name": "invoice", "arguments": json.dumps(INPUT)},
                            }
                        ],
                    },
                }
            ],
            "usage": {"prompt_tokens": USAGE["input"], "completion_tokens": USAGE["output"]},
        },
        lambda body: {t["function"]["name"]: t["function"]["parameters"] for t in body["tools"]},
        lambda body: body["messages"][1]["content"],
        Decimal(0),
    ),
}


@dataclass
class FakeLedger:
    entries: list[Json] = field(default_factory=list)

    def record(self, service: str, operation: str, **entry: Any) -> None:
        self.entries.append({"operation": operation, **entry})


@dataclass
class Desk:
    """The local Bedrock in front of a backend."""

    road: Road
    api: Api
    client: Any
    ledger: FakeLedger
    name: str


@contextmanager
def serving(road: Road) -> Iterator[Desk]:
    with api() as theirs:
        ledger, backend = FakeLedger(), road.make(theirs.url)
        listener = socket.create_server(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(create_app(backend, ledger), log_level="error"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        client = boto3.client(
            "bedrock-runtime",
            endpoint_url=f"http://127.0.0.1:{listener.getsockname()[1]}",
            config=Config(retries={"total_max_attempts": 1}),
        )
        yield Desk(road, theirs, client, ledger, backend.name)
        client.close()
        server.should_exit = True
        thread.join()
        listener.close()


@pytest.fixture(scope="module", params=ROADS)
def running(request: pytest.FixtureRequest) -> Iterator[Desk]:
    with serving(ROADS[request.param]) as desk:
        yield desk


@pytest.fixture
def desk(running: Desk) -> Desk:
    running.api.replies.clear()
    running.api.asked.clear()
    running.ledger.entries.clear()
    running.api.will(running.road.reply)
    return running


def test_forced_tool_use_goes_there_and_comes_back_unharmed(desk: Desk) -> None:
    reply = desk.client.converse(modelId=PROFILE, **converse())

    [block] = reply["output"]["message"]["content"]
    assert (block["toolUse"]["name"], block["toolUse"]["input"]) == ("invoice", INPUT)
    assert reply["stopReason"] == "tool_use"
    assert (reply["usage"]["inputTokens"], reply["usage"]["outputTokens"]) == (2000, 30)
    headers = reply["ResponseMetadata"]["HTTPHeaders"]
    assert headers["x-mailroom-answered-by"] == desk.name


def test_ledger_charges_what_was_really_used(desk: Desk) -> None:
    desk.client.converse(modelId=PROFILE, **converse())
    [entry] = desk.ledger.entries
    assert entry == {
        "operation": "Converse",
        "document_id": "d-3141592653",
        "outcome": "ok",
        "cost_usd": desk.road.cost,
        "detail": desk.name,
    }


def test_ids_of_documents_stay_here(desk: Desk) -> None:
    desk.client.converse(modelId=PROFILE, **converse())
    [asked] = desk.api.asked
    assert "3141592653" not in json.dumps([asked.path, asked.headers, asked.body])


def test_answer_can_be_sent_back_for_repair(desk: Desk) -> None:
    first = desk.client.converse(modelId=PROFILE, **converse())["output"]["message"]
    use_id = first["content"][0]["toolUse"]["toolUseId"]
    again = repair(converse(), use_id)
    assert desk.client.converse(modelId=PROFILE, **again)["stopReason"] == "tool_use"
    assert "breaks the rule" in json.dumps(desk.api.asked[1].body)


def test_messages_body_works_as_well(desk: Desk) -> None:
    body = {
        "anthropic_version": "bedrock-2023-05-31",
        "max_tokens": 512,
        "temperature": 0,
        "stop_sequences": ["END"],
        "system": "You read business documents.",
        "messages": [{"role": "user", "content": LINE}],
        "tools": [{"name": "invoice", "description": "An invoice.", "input_schema": SCHEMA}],
        "tool_choice": {"type": "tool", "name": "invoice"},
    }
    reply = desk.client.invoke_model(modelId=PROFILE, body=json.dumps(body))
    message = json.loads(reply["body"].read())

    [block] = message["content"]
    assert (block["type"], block["name"], block["input"]) == ("tool_use", "invoice", INPUT)
    assert message["stop_reason"] == "tool_use"
    assert (message["usage"]["input_tokens"], message["usage"]["output_tokens"]) == (2000, 30)
    sent = json.dumps(desk.api.asked[0].body)
    assert '"END"' in sent
    assert '"temperature": 0' in sent
    assert desk.road.tools(desk.api.asked[0].body) == {"invoice": SCHEMA}


def test_error_reaches_the_caller_and_the_ledger(desk: Desk) -> None:
    desk.api.replies.clear()
    headers = {"x-amzn-errortype": "ThrottlingException", "retry-after": "9"}
    desk.api.will({"message": "Slow.", "error": {"message": "Slow."}}, 429, headers=headers)
    with pytest.raises(ClientError) as caught:
        desk.client.converse(modelId=PROFILE, **converse())
    assert caught.value.response["Error"]["Code"] == "ThrottlingException"
    assert desk.ledger.entries[0]["outcome"] == "ThrottlingException"


def test_withheld_answer_is_a_refusal_in_a_messages_answer(desk: Desk) -> None:
    withheld = {
        "stop_reason": "refusal",
        "content": [],
        "stopReason": "content_filtered",
        "choices": [{"finish_reason": "content_filter", "message": {"content": ""}}],
    }
    desk.api.replies.clear()
    desk.api.will({name: withheld.get(name, part) for name, part in desk.road.reply.items()})
    body = {
        "anthropic_version": "bedrock-2023-05-31",
        "max_tokens": 512,
        "messages": [{"role": "user", "content": LINE}],
    }
    reply = desk.client.invoke_model(modelId=PROFILE, body=json.dumps(body))
    assert json.loads(reply["body"].read())["stop_reason"] == "refusal"


CLASSES = packaged_classes()


@given(
    text=st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=300),
    kept=st.sets(st.sampled_from(sorted(CLASSES.by_name)), min_size=1),
    pick=st.booleans(),
)
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_every_prompt_arrives_with_all_schemas_and_the_whole_text(
    desk: Desk, text: str, kept: set[str], pick: bool
) -> None:
    classes = Classes("1", {name: CLASSES.by_name[name] for name in sorted(kept)})
    name = min(kept) if pick else ""
    asked = build(Frame("d1", 1, 1), text, classes, class_name=name).request
    desk.api.asked.clear()
    desk.client.converse(modelId=PROFILE, **asked)

    [arrived] = desk.api.asked
    assert desk.road.tools(arrived.body) == {
        tool["toolSpec"]["name"]: tool["toolSpec"]["inputSchema"]["json"]
        for tool in classes.tools()
        if "toolSpec" in tool
    }
    assert desk.road.texts(arrived.body) == asked["messages"][0]["content"][0]["text"]
