"""The script that Mailroom replaces: one process, one document at a time, and it waits.

Lists a prefix, starts a Textract job for each object, asks every second whether it is done, asks
Claude, and writes a row. It has no retries, no review and no memory of where it was: that is how
such scripts look. The question to Claude is Mailroom's own, so that both ask the same.

`process_prefix` takes boto3's clients and returns the seconds of each document.
"""

import json
import time
from typing import Any

from mailroom.classes import packaged_classes
from mailroom.document import document_id
from mailroom.llm.prompt import Frame, build, render
from mailroom.ocr.assembly import Assembly

POLL_SECONDS = 1.0
MODEL = "global.anthropic.claude-haiku-4-5-20251001-v1:0"


def process_prefix(client: Any, bucket: str, prefix: str, table: str) -> list[float]:
    """Process every object under the prefix, one after the other."""
    seconds = []
    for page in (
        client("s3").get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=prefix)
    ):
        for listed in page.get("Contents", ()):
            began = time.monotonic()
            process(client, bucket, listed["Key"], listed["ETag"], table)
            seconds.append(time.monotonic() - began)
    return seconds


def process(client: Any, bucket: str, key: str, etag: str, table: str) -> None:
    """Read, wait, ask, write."""
    identity = document_id(bucket, key, etag)
    textract = client("textract")
    job = textract.start_document_analysis(
        DocumentLocation={"S3Object": {"Bucket": bucket, "Name": key}},
        FeatureTypes=["FORMS", "TABLES"],
        JobTag=f"{identity}.1",
    )["JobId"]
    while (answer := textract.get_document_analysis(JobId=job))["JobStatus"] == "IN_PROGRESS":
        time.sleep(POLL_SECONDS)
    pages = [answer]
    while "NextToken" in pages[-1]:
        pages.append(textract.get_document_analysis(JobId=job, NextToken=pages[-1]["NextToken"]))
    files = [json.dumps(each).encode() for each in pages]
    assembly = Assembly(len(files), lambda number: files[number - 1])
    text = "".join(map(render, assembly.pages()))
    frame = Frame(identity, 1, assembly.counts.pages_reported)
    request = build(frame, text, packaged_classes()).request
    told = client("bedrock-runtime").converse(modelId=MODEL, **request)
    use = next(
        part["toolUse"] for part in told["output"]["message"]["content"] if "toolUse" in part
    )
    client("dynamodb").put_item(
        TableName=table,
        Item={
            "document_id": {"S": identity},
            "key": {"S": key},
            "document_class": {"S": use["name"]},
            "fields": {"S": json.dumps(use["input"])},
        },
    )
