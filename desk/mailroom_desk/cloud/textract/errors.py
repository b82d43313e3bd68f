"""The errors the service answers with, by the names of the service model."""


class TextractError(Exception):
    """An error of the protocol: its class's name is the code, its message the sentence."""

    status = 400

    @property
    def code(self) -> str:
        """The code a client sees."""
        return type(self).__name__


class InvalidParameterException(TextractError):
    """The request breaks the service model, or asks for what is not offered here."""


class IdempotentParameterMismatchException(TextractError):
    """A ClientRequestToken was used before with another request."""

    def __init__(self) -> None:
        super().__init__(
            "A ClientRequestToken was used with parameters that differ from its first use"
        )


class InvalidS3ObjectException(TextractError):
    """The object, or the place for the output, cannot be reached."""

    def __init__(self) -> None:
        super().__init__(
            "Unable to get object metadata from S3."
            " Check object key, region and/or access permissions."
        )


class UnsupportedDocumentException(TextractError):
    """The bytes are of no kind that Textract reads."""

    def __init__(self) -> None:
        super().__init__("Request has unsupported document format")


class DocumentTooLargeException(TextractError):
    """The document is over the size limit of its kind."""


class InvalidJobIdException(TextractError):
    """No such job, or none of the last seven days."""

    def __init__(self) -> None:
        super().__init__("Request has invalid Job Id")


class LimitExceededException(TextractError):
    """Too many jobs are open."""

    def __init__(self) -> None:
        super().__init__("Open jobs exceed maximum concurrent job limit")


class ProvisionedThroughputExceededException(TextractError):
    """Too many calls in a second."""

    def __init__(self) -> None:
        super().__init__("Provisioned rate exceeded")


class PlannedError(TextractError):
    """An error that the fault plan asks for, by its code."""

    def __init__(self, code: str, message: str, status: int) -> None:
        super().__init__(message)
        self._code = code
        self.status = status

    @property
    def code(self) -> str:
        """The code of the plan."""
        return self._code


class UnknownOperationException(TextractError):
    """The operation is none of this server's."""


class InternalServerError(TextractError):
    """The server's own fault, or that of the services behind it: another try may succeed."""

    status = 500

    def __init__(self) -> None:
        super().__init__("The local Textract met an error of its own; its log says which")
