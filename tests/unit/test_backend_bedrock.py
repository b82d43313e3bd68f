"""Bedrock behind the local Bedrock, against a server that speaks Converse."""

import threading
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from claude_apis import Api, api, converse, repair

from mailroom_desk.cloud.claude import errors
from mailroom_desk.cloud.claude.backends.bedrock import BedrockBackend
from mailroom_desk.cloud.claude.choice import ClaudeUnusable, choose

USE = {"toolUseId": "tooluse_A1", "name": "invoice", "input": {"total": "1204.50"}}
REPLY: dict[str, Any] = {
    "output": {"message": {"role": "assistant", "content": [{"toolUse": USE}]}},
    "stopReason": "tool_use",
    "usage": {
        "inputTokens": 100,
        "outputTokens": 20,
        "totalTokens": 5160,
        "cacheReadInputTokens": 5000,
        "cacheWriteInputTokens": 40,
    },
    "metrics": {"latencyMs": 812},
}
IDENTITY = """\
<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
<GetCallerIdentityResult><Arn>arn:aws:iam::123456789012:user/x</Arn><UserId>A</UserId>
<Account>123456789012</Account></GetCallerIdentityResult></GetCallerIdentityResponse>"""
DENIED = """\
<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><Error><Type>Sender</Type>
<Code>InvalidClientTokenId</Code><Message>The security token is invalid.</Message></Error>
</ErrorResponse>"""
XML = {"Content-Type": "text/xml"}


@pytest.fixture
def service() -> Iterator[Api]:
    with api() as served:
        yield served


@pytest.fixture
def backend(service: Api) -> BedrockBackend:
    return BedrockBackend(choose("bedrock"), endpoint_url=service.url)


def test_request_arrives_as_it_is_without_its_metadata(
    service: Api, backend: BedrockBackend
) -> None:
    service.will(REPLY)
    backend.answer(converse())

    [asked] = service.asked
    model = "global.anthropic.claude-haiku-4-5-20251001-v1%3A0"
    assert (asked.method, asked.path) == ("POST", f"/model/{model}/converse")
    expected = converse()
    del expected["requestMetadata"]
    assert asked.body == expected


def test_repair_conversation_arrives_as_it_is(service: Api, backend: BedrockBackend) -> None:
    service.will(REPLY)
    conversation = repair(converse(), "tooluse_A1")
    backend.answer(conversation)
    assert service.asked[0].body["messages"] == conversation["messages"]


def test_answer_comes_back_with_what_it_really_used(service: Api, backend: BedrockBackend) -> None:
    service.will(REPLY)
    answer = backend.answer(converse())

    assert (answer.content, answer.stop_reason) == ([{"toolUse": USE}], "tool_use")
    assert answer.usage is not None
    assert answer.usage.as_converse() == REPLY["usage"]
    assert answer.usage.cost_usd == Decimal("0.00075")


@pytest.mark.parametrize("reason", ["guardrail_intervened", "malformed_tool_use", "something_new"])
def test_stop_reason_is_passed_on(service: Api, backend: BedrockBackend, reason: str) -> None:
    service.will(REPLY | {"stopReason": reason})
    assert backend.answer(converse()).stop_reason == reason


@pytest.mark.parametrize(
    ("status", "code", "expected"),
    [
        (400, "ValidationException", errors.ValidationException),
        (403, "AccessDeniedException", errors.AccessDeniedException),
        (403, "ExpiredTokenException", errors.AccessDeniedException),
        (403, "UnrecognizedClientException", errors.AccessDeniedException),
        (404, "ResourceNotFoundException", errors.ResourceNotFoundException),
        (408, "ModelTimeoutException", errors.ModelTimeoutException),
        (424, "ModelErrorException", errors.ModelErrorException),
        (429, "ThrottlingException", errors.ThrottlingException),
        (429, "ModelNotReadyException", errors.ModelNotReadyException),
        (400, "ServiceQuotaExceededException", errors.ThrottlingException),
        (500, "InternalServerException", errors.InternalServerException),
        (503, "ServiceUnavailableException", errors.ServiceUnavailableException),
        (502, "SomethingNew", errors.ServiceUnavailableException),
        (418, "SomethingNew", errors.ValidationException),
    ],
)
def test_error_keeps_its_name_and_is_asked_once_only(
    service: Api, backend: BedrockBackend, status: int, code: str, expected: Any
) -> None:
    service.will({"message": "Why."}, status, headers={"x-amzn-errortype": code})
    with pytest.raises(expected, match=r"Why\.") as caught:
        backend.answer(converse())
    assert type(caught.value) is expected
    assert len(service.asked) == 1


def test_refused_credentials_say_where_they_come_from(
    service: Api, backend: BedrockBackend
) -> None:
    headers = {"x-amzn-errortype": "UnrecognizedClientException"}
    service.will({"message": "The security token is invalid."}, 403, headers=headers)
    with pytest.raises(errors.AccessDeniedException, match=r"come from env.*--claude-profile"):
        backend.answer(converse())


def test_answer_that_does_not_come_is_a_time_out(service: Api) -> None:
    hold = threading.Event()
    service.will(REPLY, hold=hold)
    backend = BedrockBackend(choose("bedrock"), endpoint_url=service.url, seconds=0.2)
    try:
        with pytest.raises(errors.ModelTimeoutException):
            backend.answer(converse())
    finally:
        hold.set()


def test_nobody_listening_names_the_address() -> None:
    with api() as gone:
        address = gone.url
    with pytest.raises(errors.ServiceUnavailableException, match=address):
        BedrockBackend(choose("bedrock"), endpoint_url=address).answer(converse())


def test_picture_is_refused(backend: BedrockBackend) -> None:
    image = {"image": {"format": "png", "source": {"bytes": "aGk="}}}
    with pytest.raises(errors.ValidationException, match="content of type image"):
        backend.answer(converse(messages=[{"role": "user", "content": [image]}]))


def test_check_asks_whose_credentials_these_are(service: Api, backend: BedrockBackend) -> None:
    service.will(IDENTITY, headers=XML)
    backend.check()
    assert "Action=GetCallerIdentity" in service.asked[0].body


def test_check_with_wrong_credentials_says_so(service: Api, backend: BedrockBackend) -> None:
    service.will(DENIED, 403, headers=XML)
    with pytest.raises(errors.AccessDeniedException, match="InvalidClientTokenId"):
        backend.check()


def test_addresses_of_the_local_cloud_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:4566")
    monkeypatch.setenv("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", "http://127.0.0.1:4567")
    backend = BedrockBackend(choose("bedrock", region="eu-central-1"))
    assert backend._bedrock.meta.endpoint_url == (
        "https://bedrock-runtime.eu-central-1.amazonaws.com"
    )


def test_profile_brings_its_own_credentials_and_region(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, service: Api
) -> None:
    config = tmp_path / "config"
    config.write_text(
        "[profile paper]\nregion = eu-west-3\n"
        "aws_access_key_id = AKIAPAPER\naws_secret_access_key = s\n"
    )
    monkeypatch.setenv("AWS_CONFIG_FILE", str(config))
    monkeypatch.delenv("AWS_DEFAULT_REGION")
    service.will(REPLY)
    BedrockBackend(choose("bedrock", profile="paper"), endpoint_url=service.url).answer(converse())
    signed = service.asked[0].headers["authorization"]
    assert "Credential=AKIAPAPER/" in signed
    assert "/eu-west-3/bedrock/" in signed


def test_unknown_profile_and_missing_region_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ClaudeUnusable, match=r"nobody.*aws configure list-profiles"):
        BedrockBackend(choose("bedrock", profile="nobody"))
    monkeypatch.delenv("AWS_DEFAULT_REGION")
    with pytest.raises(ClaudeUnusable, match="--claude-region"):
        BedrockBackend(choose("bedrock"))
