"""Anthropic's API behind Converse, against a server that speaks it as its reference says."""

import threading
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest
from claude_apis import LINE, SCHEMA, Api, api, converse, repair

from mailroom_desk.cloud.claude import errors
from mailroom_desk.cloud.claude.backends.anthropic import AnthropicBackend
from mailroom_desk.cloud.claude.backends.temperature import TemperatureOptional
from mailroom_desk.cloud.claude.choice import choose

KEY = "sk-ant-secret-0042"
MESSAGE: dict[str, Any] = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "claude-haiku-4-5-20251001",
    "content": [
        {"type": "tool_use", "id": "toolu_01A", "name": "invoice", "input": {"total": "1204.50"}}
    ],
    "stop_reason": "tool_use",
    "stop_sequence": None,
    "usage": {
        "input_tokens": 100,
        "output_tokens": 20,
        "cache_read_input_tokens": 5000,
        "cache_creation_input_tokens": 40,
    },
}


@pytest.fixture
def service() -> Iterator[Api]:
    with api() as served:
        yield served


@pytest.fixture
def backend(service: Api) -> AnthropicBackend:
    return AnthropicBackend(choose("anthropic", url=service.url), KEY)


def failure(kind: str, message: str) -> dict[str, Any]:
    return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"}


def test_request_arrives_as_messages_with_tools_choice_and_cache_marks(
    service: Api, backend: AnthropicBackend
) -> None:
    service.will(MESSAGE)
    backend.answer(converse())

    [asked] = service.asked
    assert (asked.method, asked.path) == ("POST", "/v1/messages")
    assert asked.headers["authorization"] == f"Bearer {KEY}"
    assert asked.headers["anthropic-version"] == "2023-06-01"
    assert asked.body == {
        "model": "claude-haiku-4-5",
        "max_tokens": 4096,
        "temperature": 0,
        "system": [{"type": "text", "text": "You read business documents."}],
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": f"<text>\n{LINE}\n</text>"}]}
        ],
        "tools": [
            {"name": "invoice", "description": "A invoice.", "input_schema": SCHEMA},
            {
                "name": "letter",
                "description": "A letter.",
                "input_schema": SCHEMA,
                "cache_control": {"type": "ephemeral"},
            },
        ],
        "tool_choice": {"type": "any"},
    }


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        ({"tool": {"name": "letter"}}, {"type": "tool", "name": "letter"}),
        ({"any": {}}, {"type": "any"}),
        ({"auto": {}}, {"type": "auto"}),
    ],
)
def test_tool_choice_is_translated(
    service: Api, backend: AnthropicBackend, choice: Any, expected: Any
) -> None:
    service.will(MESSAGE)
    backend.answer(converse(toolConfig=converse()["toolConfig"] | {"toolChoice": choice}))
    assert service.asked[0].body["tool_choice"] == expected


def test_answer_comes_back_with_its_tool_use_and_what_it_really_used(
    service: Api, backend: AnthropicBackend
) -> None:
    service.will(MESSAGE)
    answer = backend.answer(converse())

    use = {"toolUseId": "toolu_01A", "name": "invoice", "input": {"total": "1204.50"}}
    assert (answer.content, answer.stop_reason) == ([{"toolUse": use}], "tool_use")
    assert answer.usage is not None
    assert answer.usage.as_converse() == {
        "inputTokens": 100,
        "outputTokens": 20,
        "totalTokens": 5160,
        "cacheReadInputTokens": 5000,
        "cacheWriteInputTokens": 40,
    }
    # Claude Haiku 4.5: 100 at 1 USD a million, 20 at 5, 5,000 at 0.10 and 40 at 1.25.
    assert answer.usage.cost_usd == Decimal("0.00075")


def test_repair_conversation_arrives_with_the_failed_result(
    service: Api, backend: AnthropicBackend
) -> None:
    service.will(MESSAGE)
    backend.answer(repair(converse(), "toolu_01A"))

    assert service.asked[0].body["messages"][1:] == [
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "Here:"},
                {
                    "type": "tool_use",
                    "id": "toolu_01A",
                    "name": "invoice",
                    "input": {"total": "12,0,0"},
                },
            ],
        },
        {
            "role": "user",
            "content": [
                {
                    "type": "tool_result",
                    "tool_use_id": "toolu_01A",
                    "is_error": True,
                    "content": [
                        {"type": "text", "text": "total breaks the rule 'format' of its schema."}
                    ],
                }
            ],
        },
    ]


def test_cache_point_of_an_hour_after_a_text_marks_that_text(
    service: Api, backend: AnthropicBackend
) -> None:
    service.will(MESSAGE)
    point = {"cachePoint": {"type": "default", "ttl": "1h"}}
    backend.answer(converse(system=[{"text": "one"}, point, {"text": "two"}]))

    assert service.asked[0].body["system"] == [
        {"type": "text", "text": "one", "cache_control": {"type": "ephemeral", "ttl": "1h"}},
        {"type": "text", "text": "two"},
    ]


@pytest.mark.parametrize(
    ("theirs", "converses"),
    [
        ("tool_use", "tool_use"),
        ("end_turn", "end_turn"),
        ("max_tokens", "max_tokens"),
        ("stop_sequence", "stop_sequence"),
        ("refusal", "content_filtered"),
        ("model_context_window_exceeded", "model_context_window_exceeded"),
        ("pause_turn", "pause_turn"),
        ("something_new", "something_new"),
        (None, "None"),
    ],
)
def test_stop_reason_is_translated_and_an_unknown_one_stays_unknown(
    service: Api, backend: AnthropicBackend, theirs: Any, converses: str
) -> None:
    service.will(MESSAGE | {"stop_reason": theirs})
    assert backend.answer(converse()).stop_reason == converses


def test_thoughts_and_blank_texts_are_no_content(service: Api, backend: AnthropicBackend) -> None:
    thought = {"type": "thinking", "thinking": "It may be a letter.", "signature": "x"}
    blocks = [thought, {"type": "text", "text": " "}, {"type": "text", "text": "A letter."}]
    service.will(MESSAGE | {"content": blocks, "stop_reason": "end_turn"})
    assert backend.answer(converse()).content == [{"text": "A letter."}]


@pytest.mark.parametrize(
    ("status", "kind", "expected"),
    [
        (400, "invalid_request_error", errors.ValidationException),
        (401, "authentication_error", errors.AccessDeniedException),
        (402, "billing_error", errors.AccessDeniedException),
        (403, "permission_error", errors.AccessDeniedException),
        (404, "not_found_error", errors.ResourceNotFoundException),
        (413, "request_too_large", errors.ValidationException),
        (429, "rate_limit_error", errors.ThrottlingException),
        (500, "api_error", errors.InternalServerException),
        (504, "timeout_error", errors.ModelTimeoutException),
        (529, "overloaded_error", errors.ServiceUnavailableException),
    ],
)
def test_error_is_translated_and_asked_once_only(
    service: Api, backend: AnthropicBackend, status: int, kind: str, expected: Any
) -> None:
    service.will(failure(kind, "What went wrong."), status)
    with pytest.raises(expected) as caught:
        backend.answer(converse())
    assert type(caught.value) is expected
    assert len(service.asked) == 1
    assert KEY not in str(caught.value)


def test_prompt_that_is_too_long_keeps_the_words_that_mailroom_knows(
    service: Api, backend: AnthropicBackend
) -> None:
    told = "prompt is too long: 214083 tokens > 200000 maximum"
    service.will(failure("invalid_request_error", told), 400)
    with pytest.raises(errors.ValidationException, match=f"^Input is too long.*{told}"):
        backend.answer(converse())


def test_throttle_notes_when_to_come_back(service: Api, backend: AnthropicBackend) -> None:
    service.will(failure("rate_limit_error", "Slow down."), 429, headers={"retry-after": "17"})
    with pytest.raises(errors.ThrottlingException, match=r"Slow down\. Retry after 17 s\."):
        backend.answer(converse())


def test_error_that_quotes_the_document_is_told_without_its_words(
    service: Api, backend: AnthropicBackend
) -> None:
    service.will(failure("invalid_request_error", f"cannot read '{LINE!r}'"), 400)
    with pytest.raises(errors.ValidationException) as caught:
        backend.answer(converse())
    assert "Pelican" not in str(caught.value)
    assert "answered 400" in str(caught.value)


def test_refused_key_names_the_variable_and_never_the_key(
    service: Api, backend: AnthropicBackend
) -> None:
    service.will(failure("authentication_error", f"invalid x-api-key {KEY}"), 401)
    with pytest.raises(errors.AccessDeniedException) as caught:
        backend.answer(converse())
    assert "ANTHROPIC_API_KEY" in str(caught.value)
    assert KEY not in str(caught.value)
    assert caught.value.__cause__ is None


def test_answer_that_does_not_come_is_a_time_out(service: Api) -> None:
    hold = threading.Event()
    service.will(MESSAGE, hold=hold)
    backend = AnthropicBackend(choose("anthropic", url=service.url), KEY, seconds=0.2)
    try:
        with pytest.raises(errors.ModelTimeoutException, match="gave no answer in time"):
            backend.answer(converse())
    finally:
        hold.set()


def test_broken_connection_names_the_address(service: Api, backend: AnthropicBackend) -> None:
    service.will(drop=True)
    with pytest.raises(errors.ServiceUnavailableException, match=service.url):
        backend.answer(converse())


def test_check_asks_for_the_model_and_nothing_that_costs(
    service: Api, backend: AnthropicBackend
) -> None:
    service.will({"id": "claude-haiku-4-5-20251001", "type": "model", "display_name": "Haiku"})
    backend.check()
    assert [(asked.method, asked.path) for asked in service.asked] == [
        ("GET", "/v1/models/claude-haiku-4-5")
    ]


def test_check_of_an_unknown_model_says_so(service: Api, backend: AnthropicBackend) -> None:
    service.will(failure("not_found_error", "model: claude-haiku-4-5"), 404)
    with pytest.raises(errors.ResourceNotFoundException, match="model: claude-haiku-4-5"):
        backend.check()


def test_model_without_a_temperature_is_asked_once_more_and_from_then_on_without(
    service: Api, backend: AnthropicBackend
) -> None:
    told = "`temperature` is deprecated for this model."
    service.will(failure("invalid_request_error", told), 400)
    service.will(MESSAGE)
    patient = TemperatureOptional(backend)

    assert [patient.answer(converse()).stop_reason for _ in range(2)] == ["tool_use"] * 2
    assert ["temperature" in asked.body for asked in service.asked] == [True, False, False]
    assert patient.name == f"anthropic claude-haiku-4-5 at {service.url.removeprefix('http://')}"


def test_other_refusals_are_not_asked_again(service: Api, backend: AnthropicBackend) -> None:
    service.will(failure("invalid_request_error", "max_tokens: must be positive"), 400)
    with pytest.raises(errors.ValidationException):
        TemperatureOptional(backend).answer(converse())
    assert len(service.asked) == 1


def test_content_that_cannot_be_passed_on_is_refused(backend: AnthropicBackend) -> None:
    image = {"image": {"format": "png", "source": {"bytes": "aGk="}}}
    with pytest.raises(errors.ValidationException, match="content of type image"):
        backend.answer(converse(messages=[{"role": "user", "content": [image]}]))


def test_input_that_is_no_object_can_still_be_sent_back(
    service: Api, backend: AnthropicBackend
) -> None:
    service.will(MESSAGE)
    backend.answer(repair(converse(), given='{"total": 1'))
    use = service.asked[0].body["messages"][1]["content"][1]
    assert use["input"] == {"input": '{"total": 1'}
