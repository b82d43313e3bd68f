"""Servers of OpenAI's API answer: `--claude openai`, Ollama on this machine unless told otherwise.

A Converse request becomes a chat completion with functions, and comes back as Converse. Cache
points and `requestMetadata` are not sent. Servers differ in what they follow:

- One that ignores `tool_choice` may answer in words: they are passed on, and end as `end_turn`.
- Arguments that are no JSON stay the text that they are, for Mailroom's reader to find broken.
- One that cuts a prompt to its context without a word is found out by the tokens that it counts.

Source: OpenAI's API reference, "Create chat completion"; Ollama's "OpenAI compatibility".
"""

import json
from typing import Any

import httpx

from mailroom_desk.cloud.claude.backends import Answer, Json
from mailroom_desk.cloud.claude.backends.chat import from_completion, to_completion_request
from mailroom_desk.cloud.claude.backends.upstream import (
    ANSWER_SECONDS,
    CHECK_SECONDS,
    CONNECT_SECONDS,
    TOO_LONG,
    Refusal,
    texts,
    too_slow,
    translated,
    unreachable,
)
from mailroom_desk.cloud.claude.choice import KEYS, OPENAI, ClaudeChoice
from mailroom_desk.cloud.claude.errors import (
    BedrockError,
    ModelErrorException,
    ResourceNotFoundException,
    ValidationException,
)

# Languages take two to five characters a token. A server that counts so few has not read it all.
MOST_CHARACTERS_PER_TOKEN = 8
_MODELS_SHOWN = 8
# OpenAI's newer models refuse the name that all other servers know.
_OWN_HOST, _OWN_LIMIT, _LIMIT = "api.openai.com", "max_completion_tokens", "max_tokens"


class OpenAIBackend:
    """The backend behind `--claude openai`. Without a key, none is sent."""

    def __init__(self, choice: ClaudeChoice, key: str, *, seconds: float = ANSWER_SECONDS) -> None:
        self.name = choice.name
        self._model = choice.model or ""
        self._url = choice.url or ""
        self._host = choice.host
        self._client = httpx.Client(
            timeout=httpx.Timeout(seconds, connect=CONNECT_SECONDS),
            headers={"Authorization": f"Bearer {key}"} if key else {},
        )

    def check(self) -> None:
        """Ask which models there are, which costs nothing. Raises a BedrockError."""
        reply = self._send("GET", "/v1/models", None, timeout=CHECK_SECONDS)
        listed = reply.get("data") if isinstance(reply, dict) else None
        names = [str(model.get("id")) for model in listed or [] if isinstance(model, dict)]
        # Ollama lists "llama3.1:latest" and answers to "llama3.1".
        if names and not {self._model, f"{self._model}:latest"} & set(names):
            there = ", ".join(names[:_MODELS_SHOWN]) + (" …" if names[_MODELS_SHOWN:] else "")
            raise ResourceNotFoundException(
                f"{self._host} has no model {self._model}. It has: {there}"
            )

    def answer(self, request: Json) -> Answer:
        """Send the request as a chat completion. Raises a BedrockError."""
        limit = _OWN_LIMIT if self._host == _OWN_HOST else _LIMIT
        body = to_completion_request(request, self._model, limit)
        answer = from_completion(self._send("POST", "/v1/chat/completions", request, json=body))
        self._refuse_what_was_cut(body, answer)
        return answer

    def _send(self, method: str, path: str, request: Json | None, **options: Any) -> Any:
        url = f"{self._url}{path}"
        try:
            reply = self._client.request(method, url, **options)
        except httpx.ConnectTimeout:
            raise unreachable(self._url) from None
        except httpx.TimeoutException:
            raise too_slow(self._url) from None
        except httpx.TransportError:
            raise unreachable(self._url) from None
        try:
            told = reply.json()
        except ValueError:
            told = None
        failure = told.get("error") if isinstance(told, dict) else None
        if not reply.is_success or failure:
            raise self._translated(reply, failure, request)
        if told is None:
            raise ModelErrorException(f"The answer of {self._host} to {method} {path} is no JSON.")
        return told

    def _translated(
        self, reply: httpx.Response, failure: Any, request: Json | None
    ) -> BedrockError:
        said = failure if isinstance(failure, dict) else {"message": failure or ""}
        # Gateways answer 200 and put the status of what is behind them into the code.
        code = said.get("code")
        status = code if reply.is_success and isinstance(code, int) else reply.status_code
        refusal = Refusal(
            500 if status < 300 else status,
            str(said.get("message") or ""),
            str(code or said.get("type") or ""),
            reply.headers.get("retry-after", ""),
        )
        return translated(refusal, self._host, KEYS[OPENAI], request)

    def _refuse_what_was_cut(self, body: Json, answer: Answer) -> None:
        if answer.usage is None:
            return
        read = answer.usage.input + answer.usage.cache_read
        schemas = json.dumps(body.get("tools", []), ensure_ascii=False)
        sent = sum(map(len, texts(body["messages"]))) + len(schemas)
        if read * MOST_CHARACTERS_PER_TOKEN < sent:
            raise ValidationException(
                f"{TOO_LONG} {self._host} read {read} tokens of {sent} characters and left out the "
                "rest. Give the model a longer context, in Ollama with OLLAMA_CONTEXT_LENGTH."
            )
