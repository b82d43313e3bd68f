"""Every error that a service model lists has a name of ours, of the right family."""

from collections.abc import Mapping
from typing import Any

import pytest
from botocore.exceptions import (
    ClientError,
    ConnectTimeoutError,
    EndpointConnectionError,
    ReadTimeoutError,
)
from botocore.session import get_session

from mailroom.aws import claude, queue, table, textract, workflow
from mailroom.aws.clients import faults
from mailroom.errors import (
    MailroomError,
    OcrUnavailable,
    PermanentError,
    TransientError,
)

# What the adapters decide on themselves, or what their own requests cannot bring about.
DECIDED = {
    ("bedrock-runtime", "AccessDeniedException"),  # by its words: a grant can still be on its way
    ("stepfunctions", "ExecutionAlreadyExists"),
    ("dynamodb", "ConditionalCheckFailedException"),
}
IMPOSSIBLE = {
    ("stepfunctions", "InvalidArn"),
    ("stepfunctions", "InvalidExecutionInput"),
    ("stepfunctions", "InvalidName"),
    ("stepfunctions", "ValidationException"),
    ("stepfunctions", "KmsAccessDeniedException"),
    ("stepfunctions", "KmsInvalidStateException"),
    ("stepfunctions", "KmsThrottlingException"),
    ("dynamodb", "ItemCollectionSizeLimitExceededException"),
    ("dynamodb", "ReplicatedWriteConflictException"),
    ("sqs", "InvalidMessageContents"),
    ("sqs", "UnsupportedOperation"),
    ("sqs", "InvalidAddress"),
    ("sqs", "InvalidSecurity"),
    ("sqs", "KmsAccessDenied"),
    ("sqs", "KmsDisabled"),
    ("sqs", "KmsInvalidKeyUsage"),
    ("sqs", "KmsInvalidState"),
    ("sqs", "KmsNotFound"),
    ("sqs", "KmsOptInRequired"),
    ("sqs", "KmsThrottled"),
}
CALLS: list[tuple[str, Mapping[str, type[MailroomError]], tuple[str, ...]]] = [
    ("textract", textract._ERRORS, ("StartDocumentAnalysis", "GetDocumentAnalysis")),
    ("bedrock-runtime", claude._ERRORS, ("Converse",)),
    ("dynamodb", table._ERRORS, ("GetItem", "PutItem", "UpdateItem")),
    ("stepfunctions", workflow._ERRORS, ("StartExecution",)),
    ("sqs", queue._ERRORS, ("SendMessage",)),
]


def modelled(service: str, operations: tuple[str, ...]) -> dict[str, bool]:
    """The codes of a service model's errors, and whether it calls them retryable."""
    model = get_session().get_service_model(service)
    shapes = [shape for name in operations for shape in model.operation_model(name).error_shapes]
    codes = {}
    for shape in shapes:
        error = shape.metadata.get("error", {})
        code = error.get("code") or shape.name
        again = bool(shape.metadata.get("retryable")) or error.get("httpStatusCode", 400) >= 500
        codes[code] = again or "hrottl" in code
    return codes


@pytest.mark.parametrize(("service", "errors", "operations"), CALLS, ids=lambda v: str(v)[:12])
def test_every_modelled_error_has_a_name(
    service: str, errors: Mapping[str, type[MailroomError]], operations: tuple[str, ...]
) -> None:
    codes = {(service, code) for code in modelled(service, operations)}
    short = {(s, code.rpartition(".")[2]) for s, code in codes}
    named = {(service, code.rpartition(".")[2]) for code in errors}

    assert short - named - DECIDED - IMPOSSIBLE == set()


@pytest.mark.parametrize(("service", "errors", "operations"), CALLS, ids=lambda v: str(v)[:12])
def test_retryable_errors_are_transient_and_only_they(
    service: str, errors: Mapping[str, type[MailroomError]], operations: tuple[str, ...]
) -> None:
    for code, again in modelled(service, operations).items():
        if again and code in errors:
            assert issubclass(errors[code], TransientError), code
    for code in ("AccessDeniedException", "ValidationException", "ResourceNotFoundException"):
        if (service, code) not in DECIDED:
            assert issubclass(errors.get(code, PermanentError), PermanentError)


def client_error(code: str, status: int) -> ClientError:
    response: Any = {
        "Error": {"Code": code, "Message": "m" * 5_000},
        "ResponseMetadata": {"HTTPStatusCode": status},
    }
    return ClientError(response, "Operation")


def raised(error: Exception) -> Exception:
    try:
        with faults("Textract", textract._ERRORS, OcrUnavailable):
            raise error
    except Exception as caught:
        return caught


@pytest.mark.parametrize(
    "error",
    [
        client_error("SomethingNew", 503),
        ReadTimeoutError(endpoint_url="http://x"),
        ConnectTimeoutError(endpoint_url="http://x"),
        EndpointConnectionError(endpoint_url="http://x"),
    ],
)
def test_faults_lost_connections_and_server_faults_are_transient(error: Exception) -> None:
    assert type(raised(error)) is OcrUnavailable


def test_faults_unknown_error_passes_through_unchanged() -> None:
    error = client_error("SomethingNew", 400)

    assert raised(error) is error


def test_faults_message_is_cut() -> None:
    assert len(str(raised(client_error("BadDocumentException", 400)))) < 400
