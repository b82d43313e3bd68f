"""The protocol: AWS JSON 1.1 over HTTP, as boto3 speaks it, and /health."""

import json
import logging
import uuid
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from mailroom_desk.cloud.textract.errors import (
    InvalidParameterException,
    TextractError,
    UnknownOperationException,
)
from mailroom_desk.cloud.textract.service import Service

CONTENT_TYPE = "application/x-amz-json-1.1"
TARGET_PREFIX = "Textract."

log = logging.getLogger("mailroom.textract")


def make_app(service: Service) -> Starlette:
    """Return the application that answers for the service."""

    async def call(request: Request) -> Response:
        body = await request.body()
        target = request.headers.get("x-amz-target", "")
        try:
            answer = await run_in_threadpool(_call, service, target, body)
        except TextractError as error:
            if error.__cause__ and error.status == 500:
                log.error("%s failed", target, exc_info=error.__cause__)
            return _reply({"__type": error.code, "Message": str(error)}, error.status)
        return _reply(answer, 200)

    async def health(_: Request) -> Response:
        return JSONResponse({"status": "ok"})

    return Starlette(routes=[Route("/", call, methods=["POST"]), Route("/health", health)])


def _call(service: Service, target: str, body: bytes) -> dict[str, Any]:
    if not target.startswith(TARGET_PREFIX):
        raise UnknownOperationException("The header X-Amz-Target names no Textract operation")
    try:
        request = json.loads(body or b"{}")
    except ValueError as error:
        raise InvalidParameterException("Request has invalid parameters: not JSON") from error
    return service.call(target.removeprefix(TARGET_PREFIX), request)


def _reply(content: dict[str, Any], status: int) -> Response:
    return Response(
        json.dumps(content),
        status,
        {"x-amzn-RequestId": str(uuid.uuid4())},
        CONTENT_TYPE,
    )
