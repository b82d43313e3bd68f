"""The default fault plan of a run: every kind of fault at a moderate rate."""

from typing import Any

from mailroom_desk.cloud.faults import CLAUDE, TEXTRACT

_START, _GET = "StartDocumentAnalysis", "GetDocumentAnalysis"

# Fault, its parameters, and the share of calls, jobs or answers that it strikes.
_TEXTRACT: list[tuple[str, dict[str, Any], float]] = [
    ("error", {"operation": _START, "code": "ThrottlingException"}, 0.05),
    ("error", {"operation": _START, "code": "ProvisionedThroughputExceededException"}, 0.03),
    ("error", {"operation": _START, "code": "InternalServerError"}, 0.03),
    ("slow", {"operation": _START, "seconds": 2}, 0.02),
    ("dropped", {"operation": _START}, 0.02),
    ("dropped", {"operation": _START, "after": True}, 0.03),
    ("no_answer", {"operation": _START, "seconds": 3}, 0.01),
    ("no_answer", {"operation": _START, "seconds": 3, "after": True}, 0.01),
    ("error", {"operation": _GET, "code": "ThrottlingException"}, 0.1),
    ("error", {"operation": _GET, "code": "InternalServerError"}, 0.1),
    ("dropped", {"operation": _GET}, 0.05),
    ("failed", {}, 0.02),
    ("partial", {}, 0.03),
    ("never_ends", {}, 0.01),
    ("slow_job", {"seconds": 15}, 0.03),
    ("early", {"seconds": 3}, 0.04),
    ("late", {"seconds": 20}, 0.03),
    ("doubled", {"copies": 3}, 0.05),
    ("lost", {}, 0.04),
    ("foreign", {}, 0.02),
    ("malformed", {}, 0.02),
    ("malformed", {"form": "untagged", "instead": True}, 0.01),
    ("missing_file", {}, 0.01),
    ("cut_file", {}, 0.01),
    ("open_ended", {}, 0.01),
]
_CLAUDE: list[tuple[str, dict[str, Any], float]] = [
    ("error", {"code": "ThrottlingException"}, 0.06),
    ("error", {"code": "ServiceUnavailableException"}, 0.03),
    ("error", {"code": "InternalServerException"}, 0.03),
    ("error", {"code": "ModelTimeoutException"}, 0.02),
    ("error", {"code": "ModelNotReadyException"}, 0.02),
    ("slow", {"seconds": 3}, 0.03),
    ("dropped", {}, 0.02),
    ("dropped", {"after": True}, 0.02),
    ("no_answer", {"seconds": 3}, 0.01),
    ("stop_reason", {"reason": "max_tokens", "content": "partial"}, 0.01),
    ("stop_reason", {"reason": "content_filtered"}, 0.01),
    ("stop_reason", {"reason": "malformed_tool_use"}, 0.01),
    ("broken_input", {}, 0.02),
    ("truncated_input", {}, 0.02),
    ("wrong_types", {}, 0.03),
    ("off_list", {}, 0.02),
    ("invented_values", {}, 0.03),
    ("two_tools", {}, 0.01),
    ("no_tool", {}, 0.02),
    ("fenced_text", {}, 0.02),
]


def default_plan(seed: int) -> dict[str, Any]:
    """The plan as JSON; quotas are small, so that documents are held."""
    rules = [_rule(TEXTRACT, *each) for each in _TEXTRACT]
    rules += [_rule(CLAUDE, *each) for each in _CLAUDE]
    return {
        "seed": seed,
        "open_jobs": 25,
        "starts_per_second": 10,
        "job_seconds": [0.2, 2],
        "answer_seconds": [0.1, 0.5],
        "rules": rules,
    }


def _rule(service: str, fault: str, parameters: dict[str, Any], rate: float) -> dict[str, Any]:
    return {"service": service, "fault": fault, **parameters, "rate": rate}
