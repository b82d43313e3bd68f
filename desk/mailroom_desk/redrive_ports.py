"""What `redrive` needs of a deployed stack: the bucket and the state machine."""

import json
from typing import Any

from botocore.exceptions import ClientError

from mailroom.aws.workflow import Workflow
from mailroom_desk.dead_letters import table_of
from mailroom_desk.redrive import Redriver, Row
from mailroom_desk.stack import Stack

_READABLE = {"SUCCEEDED", "PARTIAL_SUCCESS"}
# HeadObject has no body: its codes are numbers. 405: the version is a delete marker.
_NOT_THERE = {"404", "405", "NoSuchKey", "NoSuchVersion", "MethodNotAllowed"}
# An execution that is over, or older than the 90 days that Step Functions remembers.
_OVER = {"ExecutionDoesNotExist", "ValidationException"}


def redriver(stack: Stack) -> Redriver:
    """A redriver for this stack."""
    return Redriver(table_of(stack), StackObjects(stack), StackRuns(stack))


class StackObjects:
    """The bucket."""

    def __init__(self, stack: Stack) -> None:
        self._bucket = stack.bucket
        self._s3 = stack.client("s3")

    def job_status(self, files: str, *, thorough: bool) -> str | None:
        """The job's status, as its first result file has it; None where that is of no use.

        `thorough` reads all of them: none may be missing or cut off.
        """
        names = ["1"]
        if thorough:
            pages = self._s3.get_paginator("list_objects_v2")
            listing = pages.paginate(Bucket=self._bucket, Prefix=files)
            keys = [item["Key"] for page in listing for item in page.get("Contents", ())]
            names = [name for key in keys if (name := key.removeprefix(files)).isdecimal()]
            names.sort(key=int)
            if names != [str(number + 1) for number in range(len(names))]:
                return None
        parts = [self._part(f"{files}{name}") for name in names]
        if not parts or None in parts or (thorough and (parts[-1] or {}).get("NextToken")):
            return None
        status = str((parts[0] or {}).get("JobStatus", ""))
        return status if status in _READABLE else None

    def is_there(self, row: Row) -> bool:
        """Whether the object is there; where no version names it, its ETag must be the row's."""
        version_id = row.get("version_id")
        try:
            head = self._s3.head_object(
                Bucket=row["bucket"],
                Key=row["key"],
                **({"VersionId": version_id} if version_id else {}),
            )
        except ClientError as error:
            if error.response["Error"]["Code"] not in _NOT_THERE:
                raise
            return False
        return bool(version_id) or head["ETag"].strip('"') == row.get("etag")

    def _part(self, key: str) -> dict[str, Any] | None:
        try:
            body = self._s3.get_object(Bucket=self._bucket, Key=key)["Body"].read()
            part: dict[str, Any] = json.loads(body)
        except ValueError:
            return None
        except ClientError as error:
            if error.response["Error"]["Code"] not in _NOT_THERE:
                raise
            return None
        return part


class StackRuns(Workflow):
    """The state machine, and the end of what still runs."""

    def __init__(self, stack: Stack) -> None:
        super().__init__(stack.state_machine_arn, stack.client("stepfunctions"))
        self._api = stack.client("stepfunctions")

    def stop(self, execution_arn: str) -> None:
        """End an execution; one that is over or unknown is left alone."""
        try:
            self._api.stop_execution(
                executionArn=execution_arn, error="Redriven", cause="A new attempt takes over."
            )
        except ClientError as error:
            if error.response["Error"]["Code"] not in _OVER:
                raise
