"""The result that `classify` wrote in full: the row leaves long lists out, and has no evidence."""

import json
from collections.abc import Mapping
from typing import Any

from botocore.exceptions import ClientError

from mailroom_desk.stack import Stack

_GONE = {"NoSuchKey", "AccessDenied"}


def whole_result(stack: Stack, row: Mapping[str, Any]) -> dict[str, Any] | None:
    """The result file of a row; None where it has none, or S3 has it no longer."""
    if not row.get("fields_key"):
        return None
    try:
        answer = stack.client("s3").get_object(Bucket=row["bucket"], Key=row["fields_key"])
        result: dict[str, Any] = json.loads(answer["Body"].read())
    except ClientError as error:
        if error.response["Error"]["Code"] not in _GONE:
            raise
        return None
    return result
