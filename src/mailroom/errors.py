"""What can go wrong, by name.

Step Functions matches a Lambda's error by the bare class name, without inheritance, so the leaves
are an interface: `statemachine/document.asl.json` names them. The two families are for Python.

    MailroomError
    ├── TransientError            worth another try
    │   ├── OcrThrottled          Textract: too fast, or too many open jobs
    │   ├── OcrUnavailable        Textract: 5xx, time-out, no connection
    │   ├── OcrResultsIncomplete  a result file of the job is not there
    │   ├── ModelThrottled        Bedrock: too many requests or tokens
    │   ├── ModelUnavailable      Bedrock: 5xx, time-out, not ready, no connection
    │   ├── ModelFailed           Bedrock: the model itself failed at the request
    │   ├── ModelAccessDenied     Bedrock: the account has no access to the model, or not yet
    │   ├── ReadingUnfinished     the function's time ends before the document does; goes on
    │   └── StorageUnavailable    S3, DynamoDB, SQS or Step Functions: throttled, 5xx, no connection
    └── PermanentError            another try changes nothing
        ├── UnknownEvent          an event of a shape nobody promised
        ├── UnknownDocument       a notice about a document that has no row
        ├── SourceMissing         the object, or this version of it, is gone
        ├── SourceUnreadable      Textract cannot read the object, though it is there
        ├── OcrRefused            Textract will not take the document
        ├── OcrFailed             Textract took the document and could not read it
        ├── ServiceMisconfigured  access, parameters, model id: the stack is wrong, not the document
        ├── ClassesInvalid        the classes file in the bucket breaks a rule
        ├── ModelInputTooLong     more than the model can see
        └── Superseded            a newer attempt, or somebody else, owns the row
"""


class MailroomError(Exception):
    """Base of all named errors. The message is one sentence for people, without document text."""


class TransientError(MailroomError):
    """Worth another try."""


class PermanentError(MailroomError):
    """Another try changes nothing."""


class OcrThrottled(TransientError):
    """Textract refuses for now: too many calls a second, or too many open jobs."""


class OcrUnavailable(TransientError):
    """Textract did not answer, or answered with a fault of its own."""


class OcrResultsIncomplete(TransientError):
    """The job is said to be done, but not all of its result files are there."""


class ModelThrottled(TransientError):
    """Bedrock refuses for now: too many requests or tokens."""


class ModelUnavailable(TransientError):
    """Bedrock did not answer, or answered with a fault of its own."""


class ModelFailed(TransientError):
    """The model took the request and failed at it; what fails each time is the request's fault."""


class ModelAccessDenied(TransientError):
    """The account may not use the model, or not yet: a grant takes up to 15 minutes to arrive."""


class ReadingUnfinished(TransientError):
    """The function's time ends between two answers; those it has are kept, the next try goes on."""


class StorageUnavailable(TransientError):
    """S3, DynamoDB, SQS or Step Functions did not answer, throttled, or failed."""


class UnknownEvent(PermanentError):
    """The event has a shape that nothing in the template sends."""


class UnknownDocument(PermanentError):
    """A notice names a document that has no row."""


class SourceMissing(PermanentError):
    """The object, or the version that the event names, is not in the bucket."""


class SourceUnreadable(PermanentError):
    """Textract cannot read the object: rights, key or region; it hides which."""


class OcrRefused(PermanentError):
    """Textract will not take the document: type, size, damage."""


class OcrFailed(PermanentError):
    """Textract took the document and ended without a result."""


class ServiceMisconfigured(PermanentError):
    """The stack is wrong, not the document: rights, parameters, model id."""


class ClassesInvalid(PermanentError):
    """The classes file in the bucket breaks a rule; `mailroom classes check` names all of them."""


class ModelInputTooLong(PermanentError):
    """The request is longer than the model can see."""


class Superseded(PermanentError):
    """The row belongs to a newer attempt, or has already come to rest."""
