"""Textract and Claude as small fakes behind boto3.

They answer at botocore's own `before-send` hook, so that our requests are built and checked, and
the answers parsed, by the real client; nothing of ours is replaced.
"""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any

from botocore.awsrequest import AWSPreparedRequest, AWSResponse

MAX_BLOCKS = 1000
MODEL_USAGE = {
    "inputTokens": 1000,
    "outputTokens": 200,
    "totalTokens": 1200,
    "cacheReadInputTokens": 0,
    "cacheWriteInputTokens": 0,
}


class _Body(BytesIO):
    def stream(self, **_: Any) -> Any:
        yield self.read()


def response(
    status: int, body: dict[str, Any] | bytes, headers: dict[str, str] | None = None
) -> AWSResponse:
    """An answer as botocore reads it off the wire."""
    raw: Any = _Body(body if isinstance(body, bytes) else json.dumps(body).encode())
    return AWSResponse("https://fake.invalid/", status, headers or {}, raw)


def refusal(code: str, status: int = 400) -> AWSResponse:
    """An error in the JSON protocols' shape."""
    body = {"__type": code, "message": f"{code}, says the fake"}
    return response(status, body, {"x-amzn-errortype": code, "x-amzn-requestid": "r"})


def s3_refusal(code: str, status: int) -> AWSResponse:
    """An error as S3 writes it."""
    return response(status, _xml_error(code).encode(), {"x-amz-request-id": "r"})


def sns_refusal(code: str, status: int) -> AWSResponse:
    """An error in the shape of SNS's protocol."""
    body = f"<ErrorResponse>{_xml_error(code)}<RequestId>r</RequestId></ErrorResponse>"
    return response(status, body.encode())


def _xml_error(code: str) -> str:
    return f"<Error><Code>{code}</Code><Message>{code}, says the fake</Message></Error>"


@dataclass
class FakeTextract:
    """Starts jobs, gives the same job for the same token, and tells why one failed."""

    started: list[dict[str, Any]] = field(default_factory=list)
    jobs: dict[str, dict[str, Any]] = field(default_factory=dict)
    refusals: list[AWSResponse] = field(default_factory=list)
    status_message: str = "The document is encrypted"

    def answer(self, event_name: str, request: AWSPreparedRequest, **_: Any) -> AWSResponse:
        """Answer one call."""
        if self.refusals:
            return self.refusals.pop(0)
        asked = json.loads(request.body)  # type: ignore[arg-type]
        if event_name.endswith("StartDocumentAnalysis"):
            self.started.append(asked)
            job_id = hashlib.sha256(asked["ClientRequestToken"].encode()).hexdigest()
            self.jobs[job_id] = asked
            return response(200, {"JobId": job_id})
        return response(200, {"JobStatus": "FAILED", "StatusMessage": self.status_message})


type Prepared = (
    AWSResponse | dict[str, Any] | Callable[[dict[str, Any]], AWSResponse | dict[str, Any]]
)


@dataclass
class FakeClaude:
    """Gives the prepared answers in turn, and then the last of them for ever.

    An answer can be a function of the request: windows are asked for in threads, in any order.
    """

    answers: list[Prepared] = field(default_factory=list)
    requests: list[dict[str, Any]] = field(default_factory=list)

    def says(self, *answers: Prepared) -> None:
        """What to answer from now on."""
        self.answers = list(answers)

    def answer(self, request: AWSPreparedRequest, **_: Any) -> AWSResponse:
        """Answer one Converse call."""
        asked = json.loads(request.body)  # type: ignore[arg-type]
        self.requests.append(asked)
        prepared = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if callable(prepared):
            prepared = prepared(asked)
        return prepared if isinstance(prepared, AWSResponse) else response(200, prepared)


def picks(
    name: str, arguments: Any, *, stop_reason: str = "tool_use", text: str = ""
) -> dict[str, Any]:
    """An answer in which Claude picks a tool."""
    content: list[dict[str, Any]] = [{"text": text}] if text else []
    content.append({"toolUse": {"toolUseId": "tooluse_1", "name": name, "input": arguments}})
    return converse(content, stop_reason)


def converse(content: list[dict[str, Any]], stop_reason: str) -> dict[str, Any]:
    """Converse's answer around some content."""
    return {
        "output": {"message": {"role": "assistant", "content": content}},
        "stopReason": stop_reason,
        "usage": MODEL_USAGE,
        "metrics": {"latencyMs": 1200},
    }


def result_files(
    pages: list[list[str]], *, tables: list[list[list[str]]] | None = None
) -> list[dict[str, Any]]:
    """What Textract writes for pages of lines: files of at most 1,000 blocks each.

    `tables` holds one table of rows for each of the first pages.
    """
    blocks: list[dict[str, Any]] = []

    def add(kind: str, page: int, children: list[str], **more: Any) -> str:
        identity = f"{kind.lower()}-{len(blocks)}"
        relations = [{"Type": "CHILD", "Ids": children}] if children else []
        block = {"Id": identity, "BlockType": kind, "Page": page, "Confidence": 99.0}
        blocks.append({**block, "Relationships": relations, **more})
        return identity

    def words(text: str, page: int) -> list[str]:
        return [add("WORD", page, [], Text=word) for word in text.split()]

    for number, lines in enumerate(pages, start=1):
        children = [add("LINE", number, words(line, number), Text=line) for line in lines]
        for table in (tables or [])[number - 1 : number]:
            cells = [
                add("CELL", number, words(cell, number), RowIndex=row, ColumnIndex=column)
                for row, line in enumerate(table, start=1)
                for column, cell in enumerate(line, start=1)
            ]
            children.append(add("TABLE", number, cells))
        add("PAGE", number, children)
    parts = [blocks[at : at + MAX_BLOCKS] for at in range(0, len(blocks), MAX_BLOCKS)] or [[]]
    files: list[dict[str, Any]] = [
        {
            "JobStatus": "SUCCEEDED",
            "DocumentMetadata": {"Pages": len(pages)},
            "Blocks": part,
            "NextToken": "more",
        }
        for part in parts
    ]
    del files[-1]["NextToken"]
    return files
