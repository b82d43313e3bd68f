"""Servers of OpenAI's API behind Converse, against one that speaks it as the references say."""

import json
import threading
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest
from claude_apis import LINE, SCHEMA, Api, api, converse, repair

from mailroom_desk.cloud.claude import errors
from mailroom_desk.cloud.claude.backends import Json
from mailroom_desk.cloud.claude.backends.openai import OpenAIBackend
from mailroom_desk.cloud.claude.choice import choose

KEY = "sk-proj-secret-0042"


@pytest.fixture
def service() -> Iterator[Api]:
    with api() as served:
        yield served


@pytest.fixture
def backend(service: Api) -> OpenAIBackend:
    return backend_of(service)


def backend_of(service: Api, key: str = "", **options: Any) -> OpenAIBackend:
    return OpenAIBackend(
        choose("openai", model="llama3.1", url=f"{service.url}/v1/"), key, **options
    )


def call(arguments: Any = '{"total": "1204.50"}', name: str = "invoice", **changes: Any) -> Json:
    function = {"name": name, "arguments": arguments}
    return {"id": "call_a1", "type": "function", "function": function} | changes


def completion(
    *calls: Json, content: Any = None, finish_reason: Any = "tool_calls", usage: Any = None,
    **message: Any,
) -> Json:  # fmt: skip
    said = {"role": "assistant", "content": content, **message}
    if calls:
        said["tool_calls"] = list(calls)
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "llama3.1",
        "choices": [{"index": 0, "message": said, "finish_reason": finish_reason}],
        "usage": usage,
    }


def test_request_arrives_as_a_chat_completion_with_functions(
    service: Api, backend: OpenAIBackend
) -> None:
    service.will(completion(call()))
    backend.answer(converse())

    [asked] = service.asked
    assert (asked.method, asked.path) == ("POST", "/v1/chat/completions")
    assert "authorization" not in asked.headers
    assert asked.body == {
        "model": "llama3.1",
        "max_tokens": 4096,
        "temperature": 0,
        "stream": False,
        "messages": [
            {"role": "system", "content": "You read business documents."},
            {"role": "user", "content": f"<text>\n{LINE}\n</text>"},
        ],
        "tools": [
            {
                "type": "function",
                "function": {"name": name, "description": f"A {name}.", "parameters": SCHEMA},
            }
            for name in ("invoice", "letter")
        ],
        "tool_choice": "required",
    }


def test_key_is_sent_as_a_bearer(service: Api) -> None:
    service.will(completion(call()))
    backend_of(service, KEY).answer(converse())
    assert service.asked[0].headers["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        ({"tool": {"name": "letter"}}, {"type": "function", "function": {"name": "letter"}}),
        ({"any": {}}, "required"),
        ({"auto": {}}, "auto"),
        (None, "auto"),
    ],
)
def test_tool_choice_is_translated(
    service: Api, backend: OpenAIBackend, choice: Any, expected: Any
) -> None:
    service.will(completion(call()))
    tools = converse()["toolConfig"]["tools"]
    backend.answer(converse(toolConfig={"tools": tools, "toolChoice": choice}))
    assert service.asked[0].body["tool_choice"] == expected


def test_answer_comes_back_with_its_tool_use_and_what_the_server_counted(
    service: Api, backend: OpenAIBackend
) -> None:
    counted = {
        "prompt_tokens": 900,
        "completion_tokens": 20,
        "prompt_tokens_details": {"cached_tokens": 640},
    }
    service.will(completion(call(), usage=counted))
    answer = backend.answer(converse())

    use = {"toolUseId": "call_a1", "name": "invoice", "input": {"total": "1204.50"}}
    assert (answer.content, answer.stop_reason) == ([{"toolUse": use}], "tool_use")
    assert answer.usage is not None
    assert (answer.usage.input, answer.usage.cache_read, answer.usage.output) == (260, 640, 20)
    assert answer.usage.cost_usd == Decimal(0)


def test_server_that_counts_nothing_leaves_the_usage_open(
    service: Api, backend: OpenAIBackend
) -> None:
    service.will(completion(call()))
    assert backend.answer(converse()).usage is None


def test_repair_conversation_arrives_with_the_failed_result(
    service: Api, backend: OpenAIBackend
) -> None:
    service.will(completion(call()))
    backend.answer(repair(converse(), "call_a1"))

    [said, result] = service.asked[0].body["messages"][2:]
    assert (said["role"], said["content"]) == ("assistant", "Here:")
    [sent] = said["tool_calls"]
    assert (sent["id"], sent["type"], sent["function"]["name"]) == (
        "call_a1",
        "function",
        "invoice",
    )
    assert json.loads(sent["function"]["arguments"]) == {"total": "12,0,0"}
    assert result == {
        "role": "tool",
        "tool_call_id": "call_a1",
        "content": "Error:\ntotal breaks the rule 'format' of its schema.",
    }


def test_arguments_that_are_no_json_stay_a_text_and_go_back_as_they_came(
    service: Api, backend: OpenAIBackend
) -> None:
    broken = '{"total": "1204.50"'
    service.will(completion(call(broken)))
    [block] = backend.answer(converse()).content
    assert block["toolUse"]["input"] == broken

    backend.answer(repair(converse(), given=broken))
    [sent] = service.asked[1].body["messages"][2]["tool_calls"]
    assert sent["function"]["arguments"] == broken


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [({"total": "1.00"}, {"total": "1.00"}), ("", {}), (None, {}), ("[1]", [1])],
)
def test_arguments_in_other_forms_are_kept(
    service: Api, backend: OpenAIBackend, arguments: Any, expected: Any
) -> None:
    service.will(completion(call(arguments)))
    assert backend.answer(converse()).content[0]["toolUse"]["input"] == expected


def test_server_that_ignores_the_choice_is_passed_on_as_words(
    service: Api, backend: OpenAIBackend
) -> None:
    service.will(completion(content="It is an invoice.", finish_reason="stop"))
    answer = backend.answer(converse())
    assert (answer.content, answer.stop_reason) == ([{"text": "It is an invoice."}], "end_turn")


@pytest.mark.parametrize(
    ("calls", "theirs", "converses"),
    [
        ((call(),), "tool_calls", "tool_use"),
        ((call(),), "stop", "tool_use"),  # OpenAI's own word where a function is named
        ((call(),), "length", "max_tokens"),
        ((call(),), "content_filter", "content_filtered"),
        ((call(),), "something_new", "something_new"),
        ((call(),), None, "None"),
        ((), "stop", "end_turn"),
        ((), "length", "max_tokens"),
        ((), "tool_calls", "malformed_tool_use"),
    ],
)
def test_stop_reason_is_translated_and_an_unknown_one_stays_unknown(
    service: Api, backend: OpenAIBackend, calls: Any, theirs: Any, converses: str
) -> None:
    service.will(completion(*calls, finish_reason=theirs))
    assert backend.answer(converse()).stop_reason == converses


def test_refusal_is_filtered_content(service: Api, backend: OpenAIBackend) -> None:
    service.will(completion(finish_reason="stop", refusal="I cannot help with that."))
    answer = backend.answer(converse())
    assert answer.stop_reason == "content_filtered"
    assert answer.content == [{"text": "I cannot help with that."}]


def test_ids_and_names_that_converse_does_not_take_are_made_fit(
    service: Api, backend: OpenAIBackend
) -> None:
    service.will(completion(call(name="functions.invoice", id="call:1"), call(id=None)))
    first, second = (block["toolUse"] for block in backend.answer(converse()).content)
    assert first["name"] == "functions_invoice"
    assert first["toolUseId"] != second["toolUseId"]
    assert all(use["toolUseId"].startswith("tooluse_") for use in (first, second))


@pytest.mark.parametrize(
    ("status", "error", "expected"),
    [
        (400, {"message": "Bad.", "type": "invalid_request_error"}, errors.ValidationException),
        (401, {"message": f"Incorrect API key: {KEY}"}, errors.AccessDeniedException),
        (403, {"message": "Not here."}, errors.AccessDeniedException),
        (404, {"message": "model 'llama3.1' not found"}, errors.ResourceNotFoundException),
        (413, {"message": "Too much."}, errors.ValidationException),
        (422, {"message": "Odd."}, errors.ValidationException),
        (429, {"message": "Slow."}, errors.ThrottlingException),
        (429, {"message": "Paid?", "code": "insufficient_quota"}, errors.AccessDeniedException),
        (500, {"message": "Oh."}, errors.InternalServerException),
        (503, {"message": "Loading."}, errors.ServiceUnavailableException),
        (504, {"message": "Late."}, errors.ModelTimeoutException),
        (302, {"message": "Moved."}, errors.ServiceUnavailableException),
        (200, {"message": "Behind me.", "code": 429}, errors.ThrottlingException),
        (200, {"message": "Behind me."}, errors.InternalServerException),
        (500, "a text", errors.InternalServerException),
    ],
)
def test_error_is_translated_and_asked_once_only(
    service: Api, status: int, error: Any, expected: Any
) -> None:
    service.will({"error": error}, status)
    with pytest.raises(expected) as caught:
        backend_of(service, KEY).answer(converse())
    assert type(caught.value) is expected
    assert len(service.asked) == 1
    assert KEY not in str(caught.value)


def test_error_page_of_a_proxy_is_an_error_too(service: Api, backend: OpenAIBackend) -> None:
    service.will("<html>Bad gateway</html>", 502)
    with pytest.raises(errors.ServiceUnavailableException, match="answered 502"):
        backend.answer(converse())


@pytest.mark.parametrize("body", ["<html>Welcome</html>", {"status": "ok"}, {"choices": []}, []])
def test_answer_that_is_no_completion_is_the_models_error(
    service: Api, backend: OpenAIBackend, body: Any
) -> None:
    service.will(body)
    with pytest.raises(errors.ModelErrorException):
        backend.answer(converse())


@pytest.mark.parametrize(
    "error",
    [
        {"message": "This model's maximum context length is 8192 tokens.", "code": 400},
        {"message": "Shorten it.", "code": "context_length_exceeded"},
        {"message": "the request exceeds the available context size", "code": 400},
    ],
)
def test_prompt_that_is_too_long_gets_the_words_that_mailroom_knows(
    service: Api, backend: OpenAIBackend, error: Json
) -> None:
    service.will({"error": error}, 400)
    with pytest.raises(errors.ValidationException, match=r"^Input is too long"):
        backend.answer(converse())


def test_prompt_that_was_cut_without_a_word_is_found_out(
    service: Api, backend: OpenAIBackend
) -> None:
    long = converse(messages=[{"role": "user", "content": [{"text": f"{LINE}\n" * 1000}]}])
    service.will(completion(call(), usage={"prompt_tokens": 2050, "completion_tokens": 9}))
    with pytest.raises(errors.ValidationException, match=r"^Input is too long .* 2050 tokens of"):
        backend.answer(long)

    # English takes about four characters a token.
    service.replies.clear()
    service.will(completion(call(), usage={"prompt_tokens": 12_000, "completion_tokens": 9}))
    assert backend.answer(long).stop_reason == "tool_use"


def test_error_that_quotes_the_document_is_told_without_its_words(
    service: Api, backend: OpenAIBackend
) -> None:
    quoted = [{"loc": ["body", "messages"], "input": {"content": f"<text>\n{LINE}"}}]
    service.will({"error": {"message": json.dumps(quoted)}}, 400)
    with pytest.raises(errors.ValidationException) as caught:
        backend.answer(converse())
    assert "Harbour" not in str(caught.value)


def test_answer_that_does_not_come_is_a_time_out(service: Api) -> None:
    hold = threading.Event()
    service.will(completion(call()), hold=hold)
    try:
        with pytest.raises(errors.ModelTimeoutException):
            backend_of(service, seconds=0.2).answer(converse())
    finally:
        hold.set()


def test_nobody_listening_names_the_address() -> None:
    with api() as gone:
        address = gone.url
    with pytest.raises(errors.ServiceUnavailableException, match=f"no answer from {address}"):
        backend_of(gone).answer(converse())


@pytest.mark.parametrize("listed", ["llama3.1", "llama3.1:latest"])
def test_check_finds_the_model_in_the_servers_list(service: Api, listed: str) -> None:
    service.will({"object": "list", "data": [{"id": "qwen3"}, {"id": listed}]})
    backend_of(service).check()
    assert [(asked.method, asked.path) for asked in service.asked] == [("GET", "/v1/models")]


def test_check_of_an_unknown_model_names_those_that_there_are(service: Api) -> None:
    service.will({"object": "list", "data": [{"id": "qwen3"}, {"id": "gemma3"}]})
    with pytest.raises(errors.ResourceNotFoundException, match="It has: qwen3, gemma3"):
        backend_of(service).check()


def test_check_with_a_wrong_key_names_the_variable(service: Api) -> None:
    service.will({"error": {"message": f"Incorrect API key provided: {KEY}"}}, 401)
    with pytest.raises(errors.AccessDeniedException, match="OPENAI_API_KEY") as caught:
        backend_of(service, KEY).check()
    assert KEY not in str(caught.value)


def test_name_says_the_model_and_the_server(service: Api) -> None:
    assert backend_of(service).name == f"openai llama3.1 at {service.url.removeprefix('http://')}"
