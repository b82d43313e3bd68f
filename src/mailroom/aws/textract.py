"""Textract: start a job, and ask why one failed. Results are read from the bucket."""

import hashlib
import json
from contextlib import AbstractContextManager
from typing import Any

from mailroom.aws.clients import client, faults
from mailroom.document import Work, job_tag, ocr_prefix
from mailroom.errors import (
    MailroomError,
    OcrFailed,
    OcrRefused,
    OcrThrottled,
    OcrUnavailable,
    ServiceMisconfigured,
    SourceUnreadable,
)

# Errors of StartDocumentAnalysis and GetDocumentAnalysis in Textract's API reference.
_ERRORS: dict[str, type[MailroomError]] = {
    "ThrottlingException": OcrThrottled,
    "ProvisionedThroughputExceededException": OcrThrottled,
    "LimitExceededException": OcrThrottled,
    "InternalServerError": OcrUnavailable,
    "UnsupportedDocumentException": OcrRefused,
    "BadDocumentException": OcrRefused,
    "DocumentTooLargeException": OcrRefused,
    "InvalidS3ObjectException": SourceUnreadable,
    "InvalidParameterException": ServiceMisconfigured,
    "IdempotentParameterMismatchException": ServiceMisconfigured,
    "InvalidKMSKeyException": ServiceMisconfigured,
    "AccessDeniedException": ServiceMisconfigured,
    "InvalidJobIdException": OcrFailed,
}


class Textract:
    """Asynchronous document analysis. Raises the errors in the table above."""

    def __init__(self) -> None:
        self._textract = client("textract")

    def start(
        self,
        document_id: str,
        attempt: int,
        *,
        bucket: str,
        key: str,
        version_id: str | None,
        features: str,
        topic_arn: str,
        role_arn: str,
    ) -> str:
        """Start the analysis of one object version and return the job id.

        The same request gives the same job: the token is a digest of all that may change.
        `features` is a comma-separated list of Textract's FeatureTypes.
        """
        source = {"Bucket": bucket, "Name": key}
        if version_id and version_id != "null":
            source["Version"] = version_id
        request: dict[str, Any] = {
            "DocumentLocation": {"S3Object": source},
            "FeatureTypes": features.split(","),
            "JobTag": job_tag(document_id, attempt),
            "NotificationChannel": {"SNSTopicArn": topic_arn, "RoleArn": role_arn},
            "OutputConfig": {"S3Bucket": bucket, "S3Prefix": ocr_prefix(document_id, attempt)},
        }
        token = hashlib.sha256(json.dumps(request, sort_keys=True).encode()).hexdigest()
        with self._faults():
            answer = self._textract.start_document_analysis(ClientRequestToken=token, **request)
        return str(answer["JobId"])

    def why_failed(self, work: Work) -> str:
        """Textract's own message about a job, or an empty text where it has none."""
        return self.status(work.job_id)[1]

    def status(self, job_id: str) -> tuple[str, str]:
        """A job's status and Textract's message about it. Raises OcrFailed for an unknown job."""
        with self._faults():
            answer = self._textract.get_document_analysis(JobId=job_id, MaxResults=1)
        return str(answer["JobStatus"]), str(answer.get("StatusMessage", ""))

    def _faults(self) -> AbstractContextManager[None]:
        return faults("Textract", _ERRORS, OcrUnavailable)
