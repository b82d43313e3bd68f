"""The table of faults: at which point each strikes, and its parameters with their defaults."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

type Point = Literal["call", "job", "notice", "result", "answer"]


@dataclass(frozen=True)
class Fault:
    """One kind of fault. The type of a default is the type of the parameter."""

    point: Point
    defaults: Mapping[str, Any] = field(default_factory=dict)
    choices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


# botocore's StopReason, in the order of its model.
STOP_REASONS = (
    "end_turn",
    "tool_use",
    "max_tokens",
    "stop_sequence",
    "guardrail_intervened",
    "content_filtered",
    "malformed_model_output",
    "malformed_tool_use",
    "model_context_window_exceeded",
)
MESSAGE = "The fault plan of the local cloud asks for this error"

FAULTS: dict[str, Fault] = {
    "error": Fault("call", {"code": "", "message": MESSAGE}),
    "slow": Fault("call", {"seconds": 5.0}),
    "no_answer": Fault("call", {"seconds": 300.0, "after": False}),
    "dropped": Fault("call", {"after": False}),
    "failed": Fault("job", {"message": "The document could not be processed"}),
    "partial": Fault("job", {"pages": ()}),
    "never_ends": Fault("job"),
    "slow_job": Fault("job", {"seconds": 30.0}),
    "early": Fault("notice", {"seconds": 10.0}),
    "late": Fault("notice", {"seconds": 30.0}),
    "doubled": Fault("notice", {"copies": 2}),
    "lost": Fault("notice"),
    "foreign": Fault("notice", {"instead": False}),
    "malformed": Fault(
        "notice", {"form": "text", "instead": False}, {"form": ("text", "untagged")}
    ),
    "missing_file": Fault("result", {"part": 0}),
    "cut_file": Fault("result"),
    "open_ended": Fault("result"),
    "stop_reason": Fault(
        "answer",
        {"reason": "max_tokens", "content": "empty"},
        {"reason": STOP_REASONS, "content": ("empty", "partial")},
    ),
    "broken_input": Fault("answer"),
    "truncated_input": Fault("answer"),
    "wrong_types": Fault("answer"),
    "off_list": Fault("answer", {"tool": "warranty_card"}),
    "invented_values": Fault("answer"),
    "two_tools": Fault("answer"),
    "no_tool": Fault("answer"),
    "fenced_text": Fault("answer"),
}

# The operations that a rule can name, by service and point.
_MODEL_CALLS = ("Converse", "InvokeModel")
OPERATIONS: dict[tuple[str, Point], tuple[str, ...]] = {
    ("textract", "call"): ("StartDocumentAnalysis", "GetDocumentAnalysis"),
    ("textract", "job"): ("Job",),
    ("textract", "notice"): ("Notice",),
    ("textract", "result"): ("Result",),
    ("bedrock-runtime", "call"): _MODEL_CALLS,
    ("bedrock-runtime", "answer"): _MODEL_CALLS,
}
SELECTIONS = ("rate", "first", "count", "documents")
RANGES = ("job_seconds", "answer_seconds")
