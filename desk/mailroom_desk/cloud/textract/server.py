"""The protocol: AWS JSON 1.1 over HTTP, as boto3 speaks it; /health and /faults."""

import json
import logging
import uuid
from collections.abc import Callable
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from mailroom_desk.cloud.fault_calls import answer_with, fault_route
from mailroom_desk.cloud.faults import TEXTRACT, Rule, error_statuses
from mailroom_desk.cloud.serving import Stopping
from mailroom_desk.cloud.textract.errors import (
    InvalidParameterException,
    PlannedError,
    TextractError,
    UnknownOperationException,
)
from mailroom_desk.cloud.textract.service import Service

CONTENT_TYPE = "application/x-amz-json-1.1"
TARGET_PREFIX = "Textract."

log = logging.getLogger("mailroom.textract")


def make_app(service: Service, stopping: Stopping | None = None) -> Starlette:
    """Return the application that answers for the service, with the faults of its plan."""
    stop = stopping or Stopping()

    async def call(request: Request) -> Response:
        body = await request.body()
        target = request.headers.get("x-amz-target", "")
        operation = target.removeprefix(TARGET_PREFIX)

        async def answer() -> Response:
            return await answered(target, lambda: _call(service, target, body))

        async def refuse(fault: Rule) -> Response:
            code, message = fault.parameters["code"], fault.parameters["message"]
            await note(code)
            status = error_statuses(TEXTRACT, operation)[code]
            return _refusal(PlannedError(code, message, status))

        async def note(outcome: str) -> None:
            await run_in_threadpool(service.record, operation, _decoded(body), outcome)

        fault = await run_in_threadpool(
            service.faults.of_call, operation, lambda: service.names(_decoded(body))
        )
        return await answer_with(fault, request, stop, answer, refuse, note)

    async def answered(target: str, work: Callable[[], dict[str, Any]]) -> Response:
        try:
            answer = await run_in_threadpool(work)
        except TextractError as error:
            if error.__cause__ and error.status == 500:
                log.error("%s failed", target, exc_info=error.__cause__)
            return _refusal(error)
        return _reply(answer, 200)

    async def health(_: Request) -> Response:
        return JSONResponse({"status": "ok"})

    return Starlette(
        routes=[
            Route("/", call, methods=["POST"]),
            Route("/health", health),
            fault_route(service.faults),
        ]
    )


def _call(service: Service, target: str, body: bytes) -> dict[str, Any]:
    if not target.startswith(TARGET_PREFIX):
        raise UnknownOperationException("The header X-Amz-Target names no Textract operation")
    try:
        request = json.loads(body or b"{}")
    except ValueError as error:
        raise InvalidParameterException("Request has invalid parameters: not JSON") from error
    return service.call(target.removeprefix(TARGET_PREFIX), request)


def _decoded(body: bytes) -> Any:
    """The request for counting and for the ledger, None where it cannot be read."""
    try:
        return json.loads(body)
    except ValueError:
        return None


def _refusal(error: TextractError) -> Response:
    return _reply({"__type": error.code, "Message": str(error)}, error.status)


def _reply(content: dict[str, Any], status: int) -> Response:
    return Response(
        json.dumps(content),
        status,
        {"x-amzn-RequestId": str(uuid.uuid4())},
        CONTENT_TYPE,
    )
