"""Requests checked against botocore's own model of the service.

botocore's validator checks members, types and smallest lengths; patterns, choices and largest
lengths, which the service also enforces, are checked here.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from mailroom_desk.cloud.textract.errors import InvalidParameterException, UnknownOperationException

OPERATIONS = ("StartDocumentAnalysis", "GetDocumentAnalysis")
# What this reader can find. The others are valid for Textract; to accept them would be untrue.
FEATURES = frozenset({"FORMS", "TABLES"})


def check(operation: str, request: Any) -> dict[str, Any]:
    """Return the request if the service would take it.

    Raises InvalidParameterException or UnknownOperationException.
    """
    if operation not in OPERATIONS:
        offered = ", ".join(OPERATIONS)
        raise UnknownOperationException(f"{operation} is not offered here, only {offered}")
    if not isinstance(request, dict):
        raise _invalid("not an object")
    from botocore.validate import ParamValidator

    shape = service_model().operation_model(operation).input_shape
    report = ParamValidator().validate(request, shape)
    if report.has_errors():
        raise _invalid(report.generate_report())
    for problem in _problems(request, shape, ""):
        raise _invalid(problem)
    _check_offer(operation, request)
    return request


@cache
def service_model() -> Any:
    """Load Textract's service model, once (about a tenth of a second)."""
    import botocore.session

    return botocore.session.get_session().get_service_model("textract")


def _invalid(problem: str) -> InvalidParameterException:
    return InvalidParameterException(f"Request has invalid parameters: {problem}")


def _problems(value: Any, shape: Any, name: str) -> Iterator[str]:
    if shape.type_name == "structure":
        for member, inner in value.items():
            yield from _problems(inner, shape.members[member], f"{name}.{member}".lstrip("."))
    elif shape.type_name == "list":
        for inner in value:
            yield from _problems(inner, shape.member, name)
    elif shape.type_name == "string":
        limits = shape.metadata
        if len(value) > limits.get("max", len(value)):
            yield f"{name} is longer than {limits['max']} characters"
        if value not in limits.get("enum", (value,)):
            yield f"{name} is none of {', '.join(limits['enum'])}"
        if "pattern" in limits and not re.fullmatch(limits["pattern"], value, re.DOTALL):
            yield f"{name} does not match {limits['pattern']}"


def _check_offer(operation: str, request: dict[str, Any]) -> None:
    if operation != "StartDocumentAnalysis":
        return
    if not request["DocumentLocation"].get("S3Object", {}).keys() >= {"Bucket", "Name"}:
        raise _invalid("DocumentLocation names no object")
    if not request["FeatureTypes"]:
        raise _invalid("FeatureTypes is empty")
    strangers = sorted(set(request["FeatureTypes"]) - FEATURES)
    if strangers:
        names = ", ".join(strangers)
        raise InvalidParameterException(f"The local Textract finds FORMS and TABLES, not {names}")
