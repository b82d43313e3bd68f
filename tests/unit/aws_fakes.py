"""What tests of the command line and of intake talk to: two services of our own, where moto's need
Docker or more packages, and a stack's bucket and table on moto."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any, NamedTuple
from urllib.parse import parse_qs, unquote

import boto3


class Answer(NamedTuple):
    status: int
    text: str
    headers: dict[str, str]


class CloudFormation:
    """DescribeStacks."""

    def __init__(self) -> None:
        self.stacks: dict[str, dict[str, str]] = {}

    def answer(self, path: str, headers: Any, body: bytes) -> Answer:
        name = parse_qs(body.decode())["StackName"][0]
        if name not in self.stacks:
            message = f"Stack with id {name} does not exist"
            error = f"<Code>ValidationError</Code><Message>{message}</Message>"
            return Answer(400, f"<ErrorResponse><Error>{error}</Error></ErrorResponse>", {})
        outputs = "".join(
            f"<member><OutputKey>{key}</OutputKey><OutputValue>{value}</OutputValue></member>"
            for key, value in self.stacks[name].items()
        )
        stack = f"<StackName>{name}</StackName><Outputs>{outputs}</Outputs>"
        text = (
            "<DescribeStacksResponse><DescribeStacksResult><Stacks><member>"
            f"{stack}</member></Stacks></DescribeStacksResult></DescribeStacksResponse>"
        )
        return Answer(200, text, {})


class Functions:
    """Invoke. Each function is a callable; what it raises is told as Lambda tells it."""

    def __init__(self) -> None:
        self.code: dict[str, Callable[[Any], Any]] = {}
        self.invoked: list[tuple[str, str, Any]] = []
        """Name, kind of invocation and event, in order."""

    def answer(self, path: str, headers: Any, body: bytes) -> Answer:
        name = unquote(path.split("/functions/")[1].split("/")[0])
        kind = headers.get("X-Amz-Invocation-Type", "RequestResponse")
        event = json.loads(body)
        if name not in self.code:
            error = {"Message": f"Function not found: {name}"}
            return Answer(404, json.dumps(error), {"x-amzn-errortype": "ResourceNotFoundException"})
        self.invoked.append((name, kind, event))
        if kind == "Event":
            return Answer(202, "", {})
        try:
            return Answer(200, json.dumps(self.code[name](event)), {})
        except Exception as error:
            told = {"errorMessage": str(error), "errorType": type(error).__name__}
            return Answer(200, json.dumps(told), {"X-Amz-Function-Error": "Unhandled"})


@contextmanager
def serving(fake: CloudFormation | Functions) -> Iterator[str]:
    """Serve a fake; gives its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            answer = fake.answer(self.path, self.headers, body)
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(answer.text.encode())))
            self.end_headers()
            self.wfile.write(answer.text.encode())

        def log_message(self, *_: Any) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def make_bucket_and_table(bucket: str, table: str, key: str, **indexes: str) -> None:
    """On moto: a bucket with versions, and a table with indexes (name: hash key) by arrival."""
    s3 = boto3.client("s3")
    s3.create_bucket(Bucket=bucket)
    s3.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Enabled"})
    boto3.client("dynamodb").create_table(
        TableName=table,
        BillingMode="PAY_PER_REQUEST",
        KeySchema=[{"AttributeName": key, "KeyType": "HASH"}],
        AttributeDefinitions=[
            {"AttributeName": name, "AttributeType": "S"}
            for name in (key, *indexes.values(), "received_at")
        ],
        GlobalSecondaryIndexes=[
            {
                "IndexName": index,
                "KeySchema": [
                    {"AttributeName": hash_key, "KeyType": "HASH"},
                    {"AttributeName": "received_at", "KeyType": "RANGE"},
                ],
                "Projection": {"ProjectionType": "ALL"},
            }
            for index, hash_key in indexes.items()
        ],
    )
