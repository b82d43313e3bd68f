"""The classes file of a stack: which is in force, and how another one is put in its place."""

from dataclasses import dataclass

from botocore.exceptions import ClientError

from mailroom.classes import Classes, packaged_classes, parse
from mailroom.classes_file import CURRENT, problems, version_key
from mailroom_desk.errors import ClassesBroken
from mailroom_desk.stack import Stack

_MISSING = {"NoSuchKey", "404"}


@dataclass(frozen=True)
class InForce:
    """The classes that documents are read with, and where they come from: packaged or pushed."""

    classes: Classes
    origin: str


def in_force(stack: Stack) -> InForce:
    """What the stack reads documents with. Raises ClassesBroken where it could read none."""
    try:
        content = stack.client("s3").get_object(Bucket=stack.bucket, Key=CURRENT)["Body"].read()
    except ClientError as error:
        if error.response["Error"]["Code"] not in _MISSING:
            raise
        return InForce(packaged_classes(), "packaged")
    broken = problems(content)
    if broken:
        raise ClassesBroken(
            f"s3://{stack.bucket}/{CURRENT} breaks {len(broken)} rules, and no document can be "
            f"read with it. {broken[0]} Push a right one, or go back with: "
            "mailroom classes push --reset"
        )
    return InForce(parse(content), "pushed")


def push(stack: Stack, content: bytes) -> None:
    """Put a file in force that keeps all rules; it can be found by its version ever after."""
    s3 = stack.client("s3")
    for key in (version_key(parse(content).version), CURRENT):
        s3.put_object(Bucket=stack.bucket, Key=key, Body=content, ContentType="application/json")


def reset(stack: Stack) -> None:
    """Go back to the packaged classes; there may be nothing to go back from."""
    stack.client("s3").delete_object(Bucket=stack.bucket, Key=CURRENT)
