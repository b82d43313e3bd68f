"""What Bedrock and models are known to do to those who ask them, and what Mailroom makes of it."""

import json
from collections.abc import Iterator
from io import BytesIO
from typing import Any

import pytest
from botocore.awsrequest import AWSResponse
from botocore.exceptions import (
    ConnectionClosedError,
    ConnectTimeoutError,
    EndpointConnectionError,
    ReadTimeoutError,
    ResponseStreamingError,
)
from services import converse, picks, response

from mailroom.aws.claude import READ_SECONDS, Claude
from mailroom.aws.clients import client
from mailroom.classes import packaged_classes
from mailroom.errors import (
    MailroomError,
    ModelAccessDenied,
    ModelFailed,
    ModelInputTooLong,
    ModelThrottled,
    ModelUnavailable,
    ServiceMisconfigured,
)
from mailroom.llm.answer import read
from mailroom.llm.prompt import MAX_TOKENS, Frame, Prompt, build

CLASSES = packaged_classes()
PROFILE = "eu.anthropic.claude-haiku-4-5-20251001-v1:0"
ROLE = "arn:aws:sts::123456789012:assumed-role/mailroom-ClassifyFunctionRole-1ABC/mailroom-classify"
REQUEST = {"messages": [{"role": "user", "content": [{"text": "x"}]}]}


class Wire:
    """What Bedrock sends back, at botocore's own hook before anything is sent."""

    def __init__(self) -> None:
        self.answer: AWSResponse | Exception | None = None
        self.sent: list[dict[str, Any]] = []

    def __call__(self, request: Any, **_: Any) -> AWSResponse | None:
        self.sent.append(json.loads(request.body))
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


@pytest.fixture
def wire(monkeypatch: pytest.MonkeyPatch) -> Iterator[Wire]:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-central-1")
    client.cache_clear()
    wire = Wire()
    events = client("bedrock-runtime", read_seconds=READ_SECONDS).meta.events
    events.register("before-send.bedrock-runtime.Converse", wire)
    yield wire
    client.cache_clear()


def refused(wire: Wire, code: str, words: str, status: int = 400) -> MailroomError:
    """What `ask` makes of a refusal; the call was made once."""
    body, headers = {"message": words}, {"x-amzn-errortype": code}
    wire.answer = response(status, body, headers)
    with pytest.raises(MailroomError) as raised:
        Claude(PROFILE).ask(REQUEST)
    assert len(wire.sent) == 1
    return raised.value


# -- the wrong model ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "status", "words"),
    [
        (
            "ValidationException", 400,
            "Invocation of model ID anthropic.claude-haiku-4-5-20251001-v1:0 with on-demand "
            f"throughput isn{apostrophe}t supported. Retry your request with the ID or ARN of an "
            "inference profile that contains this model.",
        )
        for apostrophe in ("'", "\u2019")
    ] + [
        ("ValidationException", 400, "The provided model identifier is invalid."),
        ("ResourceNotFoundException", 404, "This model version has reached the end of its life."),
        ("ValidationException", 400, "This model version has reached the end of its life."),
        (
            "ResourceNotFoundException", 404,
            "Access denied. This Model is marked by provider as Legacy and you have not been "
            "actively using the model in the last 30 days.",
        ),
        ("ResourceNotFoundException", 404, ""),
    ],
)  # fmt: skip
def test_model_that_cannot_be_used_is_a_wrong_configuration_with_the_next_step(
    wire: Wire, code: str, status: int, words: str
) -> None:
    error = refused(wire, code, words, status)

    assert type(error) is ServiceMisconfigured
    for told in ("model configuration is wrong", "ModelId", "inference profile", PROFILE, code):
        assert told in str(error)


# -- access ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "status", "words"),
    [
        (
            "AccessDeniedException", 403,
            "Model access is denied due to IAM user or service role is not authorized to perform "
            "the required AWS Marketplace actions (aws-marketplace:ViewSubscriptions, "
            "aws-marketplace:Subscribe) to enable access to this model. If you recently fixed this "
            "issue, try again after 2 minutes.",
        ),
        (
            "AccessDeniedException", 403,
            f"Model access is denied due to User: {ROLE} is not authorized to perform: "
            "aws-marketplace:ViewSubscriptions on resource: * because no identity-based policy "
            "allows the aws-marketplace:ViewSubscriptions action.",
        ),
        (
            "AccessDeniedException", 403,
            "You don\u2019t have access to the model with the specified model ID.",
        ),
        (
            "ResourceNotFoundException", 404,
            "Model use case details have not been submitted for this account. Fill out the "
            "Anthropic use case details form before using the model.",
        ),
    ],
)  # fmt: skip
def test_access_that_the_account_lacks_is_waited_for_and_said(
    wire: Wire, code: str, status: int, words: str
) -> None:
    error = refused(wire, code, words, status)

    assert type(error) is ModelAccessDenied
    for told in (PROFILE, "grant", "15 minutes", "redrive", code):
        assert told in str(error)


@pytest.mark.parametrize(
    "why",
    ["because no identity-based policy allows the bedrock:InvokeModel action",
     "with an explicit deny in a service control policy"],
)  # fmt: skip
def test_right_that_the_stack_or_the_organisation_withholds_is_not_waited_for(
    wire: Wire, why: str
) -> None:
    model = "arn:aws:bedrock:eu-west-3::foundation-model/anthropic.claude-haiku-4-5-20251001-v1:0"
    words = f"User: {ROLE} is not authorized to perform: bedrock:InvokeModel on {model} {why}"

    error = refused(wire, "AccessDeniedException", words, 403)

    assert type(error) is ServiceMisconfigured
    assert "in every region of its profile" in str(error) and "eu-west-3" in str(error)


# -- other refusals -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "status", "kind"),
    [
        ("ThrottlingException", 429, ModelThrottled),
        ("ThrottlingException", 400, ModelThrottled),
        ("ServiceQuotaExceededException", 400, ModelThrottled),
        ("ModelNotReadyException", 429, ModelUnavailable),
        ("ModelTimeoutException", 408, ModelUnavailable),
        ("InternalServerException", 500, ModelUnavailable),
        ("ServiceUnavailableException", 503, ModelUnavailable),
        ("SomethingNewException", 529, ModelUnavailable),
        ("ModelErrorException", 424, ModelFailed),
        ("RequestEntityTooLargeException", 413, ModelInputTooLong),
    ],
)
def test_refusal_is_known_by_its_code_whatever_its_status(
    wire: Wire, code: str, status: int, kind: type[MailroomError]
) -> None:
    assert type(refused(wire, code, "Too many tokens, please wait.", status)) is kind


@pytest.mark.parametrize(
    "words",
    [
        "Input is too long for requested model.",
        "prompt is too long: 250000 tokens > 200000 maximum",
        "input length and `max_tokens` exceed context limit: 199000 + 4096 > 200000",
        "Value at 'body' failed to satisfy constraint: Member must have length less than or equal "
        "to 25000000",
    ],
)
def test_request_that_is_too_long_is_one_error_in_every_wording(wire: Wire, words: str) -> None:
    assert type(refused(wire, "ValidationException", words)) is ModelInputTooLong


def test_request_that_is_wrong_in_another_way_is_not_blamed_on_the_model_id(wire: Wire) -> None:
    error = refused(wire, "ValidationException", "text content blocks must be non-empty")

    assert type(error) is ServiceMisconfigured
    assert "ModelId" not in str(error)


@pytest.mark.parametrize(
    "lost",
    [
        ReadTimeoutError(endpoint_url="https://x"),
        ConnectTimeoutError(endpoint_url="https://x"),
        EndpointConnectionError(endpoint_url="https://x"),
        ConnectionClosedError(endpoint_url="https://x"),
        ResponseStreamingError(error="cut"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_lost_connection_is_worth_another_try(wire: Wire, lost: Exception) -> None:
    wire.answer = lost
    with pytest.raises(ModelUnavailable):
        Claude(PROFILE).ask(REQUEST)
    assert len(wire.sent) == 1


# -- answers of odd shapes ------------------------------------------------------------------------


def asked(wire: Wire, body: dict[str, Any]) -> dict[str, Any]:
    wire.answer = response(200, body)
    return Claude(PROFILE).ask(REQUEST)


SHAPES: dict[str, dict[str, Any]] = {
    "no output": {"stopReason": "refusal", "usage": {}, "metrics": {}},
    "no content": converse([], "refusal"),
    "content of null": {**converse([], "guardrail_intervened"), "output": {"message": {}}},
    "an empty text": converse([{"text": ""}], "content_filtered"),
    "a partial tool call": picks("invoice", {}, stop_reason="guardrail_intervened"),
    "a block of a new kind": converse([{"reasoningContent": {"redactedContent": "eA=="}}], "pause"),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_answer_without_an_answer_is_kept_as_json_and_read_as_a_problem(
    wire: Wire, shape: str
) -> None:
    kept = json.loads(json.dumps(asked(wire, SHAPES[shape])))

    found = read(kept, CLASSES)
    assert found.problems and not found.repairable
    assert found.document_class is None and found.fields == {}


@pytest.mark.parametrize("body", [b"<html>", b"", b"{}", b'{"output": {"message"'])
def test_body_that_is_no_answer_of_converse_is_worth_another_try(wire: Wire, body: bytes) -> None:
    raw: Any = BytesIO(body)
    raw.stream = lambda **_: iter([raw.read()])
    wire.answer = AWSResponse("https://fake.invalid/", 200, {}, raw)

    with pytest.raises(ModelUnavailable):
        Claude(PROFILE).ask(REQUEST)


@pytest.mark.parametrize(
    ("assessment", "acted"),
    [
        ({}, False),
        ({"topicPolicy": {"topics": [{"name": "n", "type": "DENY", "action": "NONE"}]}}, False),
        ({"topicPolicy": {"topics": [{"name": "n", "type": "DENY", "action": "BLOCKED"}]}}, True),
        (
            {
                "sensitiveInformationPolicy": {
                    "piiEntities": [{"match": "m", "type": "NAME", "action": "ANONYMIZED"}],
                    "regexes": [],
                }
            },
            True,
        ),
    ],
)
def test_guardrail_that_acted_is_seen_in_the_trace_whatever_the_stop_reason(
    wire: Wire, assessment: dict[str, Any], acted: bool
) -> None:
    trace = {"guardrail": {"outputAssessments": {"g": [assessment]}}}
    kept = asked(wire, {**picks("letter", {"sender": "{NAME}"}), "trace": trace})

    found = read(kept, CLASSES)
    assert kept["guardrail"] is acted
    assert bool(found.problems) is acted
    assert not found.repairable
    assert "m" not in json.dumps(kept["guardrail"])


def test_usage_and_who_answered_are_kept(wire: Wire) -> None:
    body = picks("letter", {})
    wire.answer = response(200, body, {"x-mailroom-answered-by": "a stand-in"})

    kept = Claude(PROFILE).ask(REQUEST)

    assert kept["usage"]["inputTokens"] == body["usage"]["inputTokens"]
    assert (kept["answered_by"], kept["latency_ms"]) == ("a stand-in", 1200)


# -- what is asked, and asked again ---------------------------------------------------------------


def prompt() -> Prompt:
    return build(Frame("d" * 40, 1, 1), "<page/>", CLASSES)


def test_most_tokens_of_an_answer_are_far_from_the_models_most() -> None:
    """The quota is charged with them before the answer is there; the model could give 64,000."""
    asked_for = prompt().request["inferenceConfig"]["maxTokens"]
    assert asked_for == MAX_TOKENS <= 64_000 / 8


def test_root_of_every_tool_is_an_object() -> None:
    for tool in prompt().request["toolConfig"]["tools"]:
        if "toolSpec" in tool:
            schema = tool["toolSpec"]["inputSchema"]["json"]
            assert schema["type"] == "object" and "$schema" not in schema
            assert not {"oneOf", "anyOf", "allOf", "$ref"} & set(json.dumps(schema).split('"'))


ODD_CONTENTS: dict[str, list[dict[str, Any]]] = {
    "a tool call": picks("invoice", {"total": "x"}, text="So:")["output"]["message"]["content"],
    "a tool call and an empty text": [{"text": " "}, *picks("invoice", {})["output"]["message"]
                                      ["content"]],
    "two calls of one id": [*picks("invoice", {})["output"]["message"]["content"]] * 2,
    "arguments that are text": picks("invoice", "[]")["output"]["message"]["content"],
    "a name that is none": picks("an invoice!", {})["output"]["message"]["content"],
    "no id": [{"toolUse": {"name": "invoice", "input": {}}}],
    "text": [{"text": '{"name": "invoice"'}],
}  # fmt: skip


@pytest.mark.parametrize("content", ODD_CONTENTS.values(), ids=ODD_CONTENTS)
def test_repair_sends_back_only_what_bedrock_takes(
    wire: Wire, content: list[dict[str, Any]]
) -> None:
    repair = prompt().repair(content, ["total breaks a rule."])

    wire.answer = response(200, picks("invoice", {}))
    Claude(PROFILE).ask(repair.request)  # botocore checks it against the service's model

    user, assistant, again = wire.sent[0]["messages"]
    assert [each["role"] for each in (user, assistant, again)] == ["user", "assistant", "user"]
    assert user == prompt().request["messages"][0]
    assert "total breaks a rule." in json.dumps(again)
    ids = [block["toolUse"]["toolUseId"] for block in assistant["content"] if "toolUse" in block]
    answered = [
        block["toolResult"]["toolUseId"] for block in again["content"] if "toolResult" in block
    ]
    assert ids == answered and len(ids) == len(set(ids))
    for block in (*assistant["content"], *again["content"]):
        assert block.get("text", "x").strip(), "an empty block"
        assert isinstance(block.get("toolUse", {}).get("input", {}), dict)
