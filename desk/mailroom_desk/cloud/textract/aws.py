"""What is needed of S3 and SNS: look at a document, fetch it, write results, send notices."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from mailroom_desk.cloud.textract.errors import (
    DocumentTooLargeException,
    InternalServerError,
    InvalidS3ObjectException,
    UnsupportedDocumentException,
)
from mailroom_desk.cloud.textract.kinds import MAX_BYTES, MEGABYTE, SNIFFED_BYTES, kind_of

# The emulator's region and credentials.
REGION = "us-east-1"
CREDENTIAL = "test"
_SERVERS_OWN = 500


class Surroundings(Protocol):
    """The other services, as the jobs see them."""

    def check_document(self, s3_object: dict[str, str]) -> None: ...
    def fetch(self, s3_object: dict[str, str], path: Path) -> None: ...
    def write(self, bucket: str, key: str, body: bytes) -> None: ...
    def publish(self, topic_arn: str, message: dict[str, Any] | str) -> None: ...


def surroundings_at(endpoint_url: str) -> "AwsSurroundings":
    """Return the other services behind one endpoint."""
    import boto3
    from botocore.config import Config

    session = boto3.session.Session(
        aws_access_key_id=CREDENTIAL, aws_secret_access_key=CREDENTIAL, region_name=REGION
    )
    config = Config(
        s3={"addressing_style": "path"},
        retries={"mode": "standard", "total_max_attempts": 3},
        connect_timeout=5,
        read_timeout=30,
    )
    return AwsSurroundings(
        session.client("s3", endpoint_url=endpoint_url, config=config),
        session.client("sns", endpoint_url=endpoint_url, config=config),
    )


class AwsSurroundings:
    """The other services, through boto3's clients."""

    def __init__(self, s3: Any, sns: Any) -> None:
        self._s3 = s3
        self._sns = sns

    def check_document(self, s3_object: dict[str, str]) -> None:
        """Look at size and first bytes, as Textract does before it takes a job.

        Raises InvalidS3ObjectException, UnsupportedDocumentException, DocumentTooLargeException,
        or InternalServerError where S3 does not answer.
        """
        with _refused():
            where = _where(s3_object)
            size = self._s3.head_object(**where)["ContentLength"]
            if size == 0:
                raise UnsupportedDocumentException
            part = self._s3.get_object(**where, Range=f"bytes=0-{SNIFFED_BYTES - 1}")
            kind = kind_of(part["Body"].read(SNIFFED_BYTES))
        if kind is None:
            raise UnsupportedDocumentException
        if size > MAX_BYTES[kind]:
            limit = MAX_BYTES[kind] // MEGABYTE
            raise DocumentTooLargeException(
                f"The document is of {size} bytes; the limit for {kind} is {limit} MB"
            )

    def fetch(self, s3_object: dict[str, str], path: Path) -> None:
        """Copy the document to a file. Raises InvalidS3ObjectException, InternalServerError."""
        with _refused():
            body = self._s3.get_object(**_where(s3_object))["Body"]
            with path.open("wb") as file:
                for chunk in body.iter_chunks(MEGABYTE):
                    file.write(chunk)

    def write(self, bucket: str, key: str, body: bytes) -> None:
        """Write one output object. Raises InvalidS3ObjectException, InternalServerError."""
        with _refused():
            self._s3.put_object(Bucket=bucket, Key=key, Body=body)

    def publish(self, topic_arn: str, message: dict[str, Any] | str) -> None:
        """Send a notice, as JSON or as the text it is. Raises botocore's own errors."""
        text = message if isinstance(message, str) else json.dumps(message)
        self._sns.publish(TopicArn=topic_arn, Message=text)


@contextmanager
def _refused() -> Iterator[None]:
    """Tell what S3 refuses from its silence: an emulator that still starts has lost no document."""
    from botocore.exceptions import BotoCoreError, ClientError

    try:
        yield
    except ClientError as error:
        if error.response["ResponseMetadata"]["HTTPStatusCode"] >= _SERVERS_OWN:
            raise InternalServerError from error
        raise InvalidS3ObjectException from error
    except BotoCoreError as error:
        raise InternalServerError from error


def _where(s3_object: dict[str, str]) -> dict[str, str]:
    where = {"Bucket": s3_object["Bucket"], "Key": s3_object["Name"]}
    if "Version" in s3_object:
        where["VersionId"] = s3_object["Version"]
    return where
