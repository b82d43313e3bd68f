"""Ask a function of the stack, and wait for what it says."""

import json
from typing import Any

from mailroom_desk.errors import FunctionFailed
from mailroom_desk.stack import Stack


def ask(stack: Stack, name: str, event: Any) -> Any:
    """Invoke a function and return its answer. Raises FunctionFailed with the error it raised."""
    answer = stack.client("lambda").invoke(FunctionName=name, Payload=json.dumps(event).encode())
    told = json.loads(answer["Payload"].read() or b"null")
    if "FunctionError" not in answer:
        return told
    match told:
        case {"errorType": str(error), "errorMessage": str(message)}:
            raise FunctionFailed(f"{name} failed: {message} ({error})")
        case {"errorMessage": str(message)}:
            raise FunctionFailed(f"{name} failed: {message}")
    raise FunctionFailed(f"{name} failed, and did not say why. Look at its logs.")
