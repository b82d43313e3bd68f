"""Step Functions: start a document's execution, once."""

import json
from typing import Any

from botocore.exceptions import ClientError

from mailroom.aws.clients import client, error_code, faults
from mailroom.errors import MailroomError, ServiceMisconfigured, StorageUnavailable

# Errors of StartExecution in Step Functions' API reference.
_ERRORS: dict[str, type[MailroomError]] = {
    "ThrottlingException": StorageUnavailable,
    "ExecutionLimitExceeded": StorageUnavailable,
    "StateMachineDeleting": StorageUnavailable,
    "StateMachineDoesNotExist": ServiceMisconfigured,
    "AccessDeniedException": ServiceMisconfigured,
}


class Workflow:
    """One state machine. Raises StorageUnavailable, ServiceMisconfigured."""

    def __init__(self, state_machine_arn: str, api: Any = None) -> None:
        """`api` is a boto3 client of another session; the desk has its own."""
        self._arn = state_machine_arn
        self._states = api or client("stepfunctions")

    def start(self, name: str, state: dict[str, Any]) -> None:
        """Start the execution of this name, if it was never started.

        The name is the document's attempt and the input follows from it, so "already exists" says
        that this very execution runs or ran: nothing is left to do.
        """
        try:
            with faults("Step Functions", _ERRORS, StorageUnavailable):
                self._states.start_execution(
                    stateMachineArn=self._arn, name=name, input=json.dumps(state, sort_keys=True)
                )
        except ClientError as error:
            if error_code(error) != "ExecutionAlreadyExists":
                raise

    def status(self, name: str) -> tuple[str, str, str] | None:
        """Status, error and cause of an execution; None where none of this name was started."""
        try:
            with faults("Step Functions", _ERRORS, StorageUnavailable):
                answer = self._states.describe_execution(executionArn=self.execution_arn(name))
        except ClientError as error:
            if error_code(error) != "ExecutionDoesNotExist":
                raise
            return None
        return answer["status"], answer.get("error", ""), answer.get("cause", "")

    def execution_arn(self, name: str) -> str:
        """The ARN that an execution of this name has."""
        return f"{self._arn.replace(':stateMachine:', ':execution:')}:{name}"
