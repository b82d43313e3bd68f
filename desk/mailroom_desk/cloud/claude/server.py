"""The server: Bedrock runtime's REST protocol, as boto3 speaks it.

`create_app(backend, ledger)` returns the ASGI application. Routes: Converse, InvokeModel, /health,
/faults.
Every answered call is written to the ledger. A BedrockError becomes an answer in Bedrock's
rest-json shape; anything else that goes wrong is an InternalServerException without details.
Document text is never logged.
"""

import json
import logging
import time
import uuid
from collections.abc import Awaitable, Callable
from dataclasses import replace
from decimal import Decimal
from typing import Any, Protocol

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from mailroom_desk.cloud.claude.backends import DEFAULT_MAX_TOKENS, Answer, Backend, Json
from mailroom_desk.cloud.claude.errors import (
    BedrockError,
    InternalServerException,
    PlannedError,
    ValidationException,
)
from mailroom_desk.cloud.claude.protocol.messages import to_converse, to_messages
from mailroom_desk.cloud.claude.protocol.usage import PromptCache, Usage, estimate_tokens
from mailroom_desk.cloud.claude.protocol.validation import check_converse
from mailroom_desk.cloud.claude.sabotage import sabotage
from mailroom_desk.cloud.fault_calls import answer_with, fault_route
from mailroom_desk.cloud.fault_choice import Faults
from mailroom_desk.cloud.faults import CLAUDE, Rule, error_statuses
from mailroom_desk.cloud.serving import Stopping

LOGGER = logging.getLogger(__name__)
ANSWERED_BY = "x-mailroom-answered-by"


class Records(Protocol):
    """The part of the ledger that the server needs."""

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
        """Write one entry."""


def create_app(
    backend: Backend,
    ledger: Records,
    clock: Callable[[], float] = time.monotonic,
    faults: Faults | None = None,
    stopping: Stopping | None = None,
) -> Starlette:
    """Return the application. `clock` gives seconds and drives the prompt cache."""
    plan = faults or Faults(CLAUDE)
    desk = _Desk(backend, ledger, PromptCache(clock), clock, plan, stopping or Stopping())
    return Starlette(
        routes=[
            Route("/health", _health),
            Route("/model/{model_id:path}/converse", desk.converse, methods=["POST"]),
            Route("/model/{model_id:path}/invoke", desk.invoke, methods=["POST"]),
            fault_route(plan),
        ],
    )


async def _health(_: Request) -> Response:
    return JSONResponse({"status": "ok"})


class _Desk:
    """The two operations, around one backend."""

    def __init__(
        self,
        backend: Backend,
        ledger: Records,
        cache: PromptCache,
        clock: Callable[[], float],
        faults: Faults,
        stopping: Stopping,
    ) -> None:
        self._backend = backend
        self._ledger = ledger
        self._cache = cache
        self._clock = clock
        self._faults = faults
        self._stopping = stopping

    async def converse(self, request: Request) -> Response:
        """Answer Converse."""
        model_id = request.path_params["model_id"]

        async def operation(body: Any) -> tuple[Json, Usage]:
            started = self._clock()
            answer, usage = await self._ask(request, "Converse", model_id, body)
            latency = max(1, round((self._clock() - started) * 1000))
            message = {"role": "assistant", "content": answer.content}
            reply: Json = {
                "output": {"message": message},
                "stopReason": answer.stop_reason,
                "usage": usage.as_converse(),
                "metrics": {"latencyMs": latency},
            }
            return reply, usage

        return await self._answer(request, "Converse", operation)

    async def invoke(self, request: Request) -> Response:
        """Answer InvokeModel with a Messages body."""
        model_id = request.path_params["model_id"]

        async def operation(body: Any) -> tuple[Json, Usage]:
            asked = to_converse(body)
            answer, usage = await self._ask(request, "InvokeModel", model_id, asked)
            message_id = f"msg_bdrk_{uuid.uuid4().hex[:24]}"
            # A state machine sees no headers: who answered must stand in the answer.
            return to_messages(answer, usage, self._backend.name, message_id), usage

        return await self._answer(request, "InvokeModel", operation)

    async def _ask(
        self, request: Request, operation: str, model_id: str, body: Any
    ) -> tuple[Answer, Usage]:
        """Validate, let the backend answer, count."""
        check_converse(body, model_id)
        started = self._clock()
        answer = await run_in_threadpool(self._backend.answer, body)
        document = _document_id(request, body) or ""
        fault = self._faults.of_call(operation, lambda: [document], "answer")
        if fault is not None:
            answer = replace(sabotage(answer, body, fault), usage=answer.usage)
        seconds = self._faults.draw(*self._faults.plan.answer_seconds, "answer", document)
        await self._stopping.pause(seconds - (self._clock() - started) if seconds else 0)
        if answer.usage is not None:
            return answer, answer.usage
        limit = body.get("inferenceConfig", {}).get("maxTokens", DEFAULT_MAX_TOKENS)
        if estimate_tokens(answer.content) > limit:
            answer = Answer(answer.content, "max_tokens")
        return answer, self._cache.measure(model_id, body, answer.content)

    async def _answer(
        self,
        request: Request,
        name: str,
        operation: Callable[[Any], Awaitable[tuple[Json, Usage]]],
    ) -> Response:
        """Run an operation with the faults of the plan."""
        raw = await request.body()
        body = _decoded(raw)

        async def answer() -> Response:
            return await self._carry_out(request, raw, name, operation)

        async def refuse(fault: Rule) -> Response:
            code, message = fault.parameters["code"], fault.parameters["message"]
            await note(code)
            return _error_response(PlannedError(code, message, error_statuses(CLAUDE, name)[code]))

        async def note(outcome: str) -> None:
            self._record(request, body, name, outcome, Decimal(0))

        fault = self._faults.of_call(name, lambda: [_document_id(request, body) or ""])
        return await answer_with(fault, request, self._stopping, answer, refuse, note)

    async def _carry_out(
        self,
        request: Request,
        raw: bytes,
        name: str,
        operation: Callable[[Any], Awaitable[tuple[Json, Usage]]],
    ) -> Response:
        """Run an operation, keep the ledger, and turn errors into Bedrock's shape."""
        body: Any = None
        try:
            body = _decode(raw)
            reply, usage = await operation(body)
        except BedrockError as error:
            self._record(request, body, name, error.code, Decimal(0))
            return _error_response(error)
        except Exception as failure:
            # Only the class is logged: a message could hold document text.
            LOGGER.error("%s failed with %s", name, type(failure).__name__)
            unknown = InternalServerException("The server failed on this request.")
            self._record(request, body, name, unknown.code, Decimal(0))
            return _error_response(unknown)
        self._record(request, body, name, "ok", usage.cost_usd)
        headers = {ANSWERED_BY: self._backend.name, "x-amzn-requestid": str(uuid.uuid4())}
        return JSONResponse(reply, headers=headers)

    def _record(
        self, request: Request, body: Any, operation: str, outcome: str, cost: Decimal
    ) -> None:
        self._ledger.record(
            CLAUDE,
            operation,
            document_id=_document_id(request, body),
            outcome=outcome,
            cost_usd=cost,
            detail=self._backend.name if outcome == "ok" else "",
        )


def _decode(raw: bytes) -> Any:
    try:
        return json.loads(raw)
    except ValueError as error:
        raise ValidationException("The request body is not valid JSON.") from error


def _decoded(raw: bytes) -> Any:
    """The body for counting and for the ledger, None where it cannot be read."""
    try:
        return json.loads(raw)
    except ValueError:
        return None


def _document_id(request: Request, body: Any) -> str | None:
    """The document of a call: Converse has metadata in the body, InvokeModel in a header."""
    metadata = body.get("requestMetadata") if isinstance(body, dict) else None
    if metadata is None:
        try:
            metadata = json.loads(request.headers.get("x-amzn-bedrock-request-metadata", "{}"))
        except ValueError:
            return None
    found = metadata.get("document_id") if isinstance(metadata, dict) else None
    return found if isinstance(found, str) else None


def _error_response(error: BedrockError) -> Response:
    headers = {"x-amzn-errortype": error.code, "x-amzn-requestid": str(uuid.uuid4())}
    return JSONResponse({"message": str(error)}, status_code=error.status, headers=headers)
