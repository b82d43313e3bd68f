"""A server on this machine in place of somebody's API, and requests to ask of it."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Json = dict[str, Any]

LINE = "Harbour Lights Ltd owes 1,204.50 to Pelican Freight"
SCHEMA: Json = {
    "type": "object",
    "properties": {"total": {"type": "string", "format": "decimal"}},
    "additionalProperties": False,
}


@dataclass
class Reply:
    """What the API answers. `drop` closes the connection instead."""

    body: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    drop: bool = False
    hold: threading.Event | None = None


@dataclass
class Asked:
    """One request as it arrived."""

    method: str
    path: str
    headers: dict[str, str]
    body: Any


@dataclass
class Api:
    """The server: what it is to answer, the last reply again and again, and what it was asked."""

    url: str
    replies: list[Reply] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)

    def will(self, body: Any = None, status: int = 200, **options: Any) -> None:
        self.replies.append(Reply(body, status, **options))


@contextmanager
def api() -> Iterator[Api]:
    """Serve on a free port until the end of the block."""

    class Handler(BaseHTTPRequestHandler):
        def _answer(self) -> None:
            raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            body = json.loads(raw) if raw.startswith(b"{") else raw.decode()
            served.asked.append(Asked(self.command, self.path, headers, body))
            reply = served.replies.pop(0) if len(served.replies) > 1 else served.replies[0]
            if reply.hold is not None:
                reply.hold.wait()
            if reply.drop:
                self.close_connection = True
                return
            is_text = isinstance(reply.body, str)
            text = (reply.body if is_text else json.dumps(reply.body)).encode()
            self.send_response(reply.status)
            for name, value in ({"Content-Type": "application/json"} | reply.headers).items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        do_GET = do_POST = _answer

        def log_message(self, *_: Any) -> None: ...

    class Server(ThreadingHTTPServer):
        # A caller that waits no longer is no error.
        def handle_error(self, *_: Any) -> None: ...

    server = Server(("127.0.0.1", 0), Handler)
    served = Api(f"http://127.0.0.1:{server.server_address[1]}")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield served
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def tool(name: str, schema: Json = SCHEMA) -> Json:
    return {
        "toolSpec": {"name": name, "description": f"A {name}.", "inputSchema": {"json": schema}}
    }


def converse(**changes: Any) -> Json:
    """A Converse body as the functions send it."""
    request: Json = {
        "system": [{"text": "You read business documents."}],
        "messages": [{"role": "user", "content": [{"text": f"<text>\n{LINE}\n</text>"}]}],
        "toolConfig": {
            "tools": [tool("invoice"), tool("letter"), {"cachePoint": {"type": "default"}}],
            "toolChoice": {"any": {}},
        },
        "inferenceConfig": {"maxTokens": 4096, "temperature": 0},
        "requestMetadata": {"document_id": "d-3141592653", "attempt": "1"},
    }
    return request | changes


def repair(request: Json, tool_use_id: str = "use_1", given: Any = None) -> Json:
    """The request with a broken answer to it, and what is wrong with that."""
    use = {"toolUseId": tool_use_id, "name": "invoice", "input": given or {"total": "12,0,0"}}
    result = {
        "toolUseId": tool_use_id,
        "status": "error",
        "content": [{"text": "total breaks the rule 'format' of its schema."}],
    }
    return request | {
        "messages": [
            *request["messages"],
            {"role": "assistant", "content": [{"text": "Here:"}, {"toolUse": use}]},
            {"role": "user", "content": [{"toolResult": result}]},
        ]
    }
