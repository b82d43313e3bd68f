"""Bedrock's errors, as the server answers them.

    BedrockError
    ├── ValidationException        400  the request is wrong; the same one will fail again
    ├── AccessDeniedException      403
    ├── ResourceNotFoundException  404
    ├── ModelTimeoutException      408
    ├── ModelErrorException        424  the model failed on this request
    ├── ThrottlingException        429
    ├── ModelNotReadyException     429
    ├── InternalServerException    500
    └── ServiceUnavailableException 503

The class name is the wire name; PlannedError has the one that the fault plan says.
Status codes: Bedrock's API reference, "Converse", Errors.
"""

from http import HTTPStatus


class BedrockError(Exception):
    """An error with a wire name (the class's) and an HTTP status."""

    status = HTTPStatus.INTERNAL_SERVER_ERROR

    @property
    def code(self) -> str:
        """The name that boto3 turns into an exception class."""
        return type(self).__name__


class ValidationException(BedrockError):
    """The request breaks a rule of the API."""

    status = HTTPStatus.BAD_REQUEST


class AccessDeniedException(BedrockError):
    """The caller may not use this model."""

    status = HTTPStatus.FORBIDDEN


class ResourceNotFoundException(BedrockError):
    """There is no such model."""

    status = HTTPStatus.NOT_FOUND


class ModelTimeoutException(BedrockError):
    """The model took too long."""

    status = HTTPStatus.REQUEST_TIMEOUT


class ModelErrorException(BedrockError):
    """The model failed on this request."""

    status = HTTPStatus.FAILED_DEPENDENCY


class ThrottlingException(BedrockError):
    """Too many requests."""

    status = HTTPStatus.TOO_MANY_REQUESTS


class ModelNotReadyException(BedrockError):
    """The model is being loaded."""

    status = HTTPStatus.TOO_MANY_REQUESTS


class InternalServerException(BedrockError):
    """The service failed."""

    status = HTTPStatus.INTERNAL_SERVER_ERROR


class PlannedError(BedrockError):
    """An error that the fault plan asks for, by its code."""

    def __init__(self, code: str, message: str, status: int) -> None:
        super().__init__(message)
        self._code = code
        self.status = HTTPStatus(status)

    @property
    def code(self) -> str:
        """The code of the plan."""
        return self._code


class ServiceUnavailableException(BedrockError):
    """The service is not there."""

    status = HTTPStatus.SERVICE_UNAVAILABLE
