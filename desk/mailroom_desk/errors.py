"""What can go wrong at the desk, each said in one sentence with the next step."""


class DeskError(Exception):
    """The command cannot be carried out as it was asked. Its text is shown as it stands."""


class NoLocalCloud(DeskError):
    """No local cloud runs in the current folder."""


class StackNotFound(DeskError):
    """CloudFormation knows no stack of that name, or the stack is not Mailroom's."""


class DocumentNotFound(DeskError):
    """No document has that id or key."""


class AmbiguousDocument(DeskError):
    """Several documents have ids that begin so."""


class UnusableFile(DeskError):
    """A file cannot be sent."""


class UnusableManifest(DeskError):
    """What documents are expected to hold cannot be read."""


class UnusableList(DeskError):
    """A file lists no objects in a way that can be read."""


class UnusableEvent(DeskError):
    """A file holds no event in its envelope."""


class NotTakenIn(DeskError):
    """A run that was started by hand took nothing in."""


class SamplesNotFound(DeskError):
    """The sample documents are not on this machine."""


class NotADeadLetter(DeskError):
    """The document is not dead-lettered."""


class UnknownCause(DeskError):
    """No dead letter has that cause."""


class ClassesBroken(DeskError):
    """The classes file of the stack breaks a rule."""


class FunctionFailed(Exception):
    """A function of the stack was asked and ended with an error. Its text is shown as it stands."""


class RowsUnanswered(Exception):
    """DynamoDB did not answer for all rows, however often it was asked."""


class DigestFailed(Exception):
    """The digest's execution ended badly, or not in time."""
