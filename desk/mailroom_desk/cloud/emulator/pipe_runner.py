"""Runs the pipes that are deployed: takes from their sources, delivers to their targets.

What became of a pipe's events is told in DescribePipe's `StateReason` and in the log. AWS keeps no
count of what a filter left out; here it is counted.
"""

import json
import logging
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from ministack.core.responses import request_scope
from ministack.services import dynamodb
from ministack.services import pipes as service

from mailroom_desk.cloud.emulator import pipe_events

_STREAM_BATCH, _QUEUE_BATCH = 100, 10
# Of one pipe, before the others have their turn; the poll comes again within a second.
_BATCHES_AT_A_TIME = 50
# Read records that are kept, for whoever else looks at the stream.
_RECORDS_KEPT = 200

_log = logging.getLogger("pipes")


class UndeliverableError(Exception):
    """The target did not take it."""


@dataclass
class _Pipe:
    """A running pipe, and what became of its events since the emulator started."""

    record: dict[str, Any]
    account: str = ""
    region: str = ""
    filtered_out: int = 0
    delivered: int = 0
    dead: int = 0
    failures: int = 0
    failing_since: float = 0.0
    last_error: str = ""

    @property
    def source(self) -> str:
        return str(self.record["Source"])

    @property
    def target(self) -> str:
        return str(self.record["Target"])

    @property
    def takes_batches(self) -> bool:
        """A state machine gets all events of a batch as one list, also a single one."""
        return self.target.split(":")[2] == "states"

    def parameters(self, name: str) -> dict[str, Any]:
        return dict(self.record["SourceParameters"].get(name) or {})

    def is_new(self, record: dict[str, Any]) -> bool:
        """Whether a record comes after the last one that the pipe is done with."""
        last = self.record.get("LastSequenceNumber", "")
        return bool(record["dynamodb"]["SequenceNumber"] > last)

    def passes(self, event: dict[str, Any]) -> bool:
        filters = self.parameters("FilterCriteria").get("Filters") or []
        return pipe_events.passes([each["Pattern"] for each in filters], event)

    def input_of(self, event: dict[str, Any]) -> str:
        template = self.record["TargetParameters"].get("InputTemplate")
        if not template:
            return json.dumps(event, ensure_ascii=False)
        now = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
        return pipe_events.render(
            template,
            event,
            {
                "aws.pipes.pipe-arn": self.record["Arn"],
                "aws.pipes.pipe-name": self.record["Name"],
                "aws.pipes.source-arn": self.source,
                "aws.pipes.target-arn": self.target,
                "aws.pipes.event.ingestion-time": now,
            },
        )

    def tell(self) -> None:
        """Say on the pipe, and in the log, what became of its events."""
        told = (
            f"{self.delivered} delivered, {self.filtered_out} filtered out, "
            f"{self.dead} dead-lettered"
        )
        told += f"; last error: {self.last_error}" if self.last_error else ""
        if self.record.get("StateReason") != told:
            self.record["StateReason"] = told
            _log.info("Pipe %s: %s", self.record["Name"], told)


class Runner:
    """Runs all pipes, one after another, whenever ministack's poller asks."""

    def __init__(self, clients: Callable[[str], Any] | None = None) -> None:
        self._client = clients or _clients()
        self._known: dict[str, _Pipe] = {}

    def poll(self) -> None:
        """Let every pipe that runs take what its source has."""
        for account, region, record in list(service._iter_all_pipes()):
            if record.get("CurrentState") != "RUNNING" or "SourceParameters" not in record:
                continue
            pipe = self._known.get(record["Arn"])
            if pipe is None or pipe.record is not record:
                pipe = self._known[record["Arn"]] = _Pipe(record, account, region)
            with request_scope(account, region):
                try:
                    self._run(pipe)
                except Exception as error:  # one pipe must not hold up the others
                    told = f"{type(error).__name__}: {error}"
                    if told != pipe.last_error:  # it may come every second
                        _log.exception("Pipe %s", record["Name"])
                    pipe.last_error = told
                pipe.tell()

    def _run(self, pipe: _Pipe) -> None:
        match pipe.source.split(":")[2]:
            case "dynamodb":
                self._run_stream(pipe)
            case "sqs":
                self._run_queue(pipe)
            case other:
                pipe.last_error = f"{other} as a source is not run here"

    # -- a table's stream: in order, and nothing is passed over

    def _run_stream(self, pipe: _Pipe) -> None:
        parsed = service._dynamodb_stream_source(pipe.source)
        if parsed is None:
            return
        table, scope = parsed[1], {"account_id": pipe.account, "region": pipe.region}
        arn = pipe.record["Arn"]
        size = int(pipe.parameters("DynamoDBStreamParameters").get("BatchSize", _STREAM_BATCH))
        for _ in range(_BATCHES_AT_A_TIME):
            first = dynamodb.stream_start_position(table, **scope)
            end = dynamodb.stream_end_position(table, **scope)
            position = max(int(service._positions.get(arn, 0)), first)
            if position > end:  # a crash has cost the end of the stream, not the pipe's memory
                position = first
            records = dynamodb.stream_records_since(table, position, size, **scope)
            if not records:
                break
            for taken in self._deliver_records(pipe, records):
                position += taken
                service._positions[arn] = position
            if pipe.failures:
                break
        self._forget_read_records(table, pipe)

    def _deliver_records(self, pipe: _Pipe, records: list[dict[str, Any]]) -> Iterator[int]:
        """Deliver in order; yields how many records are done with, and ends at one that failed."""
        for group in [records] if pipe.takes_batches else [[record] for record in records]:
            fresh = [record for record in group if pipe.is_new(record)]
            passed = [record for record in fresh if pipe.passes(record)]
            if passed and not self._deliver(pipe, passed) and not self._given_up(pipe, passed):
                return
            pipe.failures = 0
            pipe.filtered_out += len(fresh) - len(passed)
            if fresh:
                pipe.record["LastSequenceNumber"] = fresh[-1]["dynamodb"]["SequenceNumber"]
            yield len(group)

    def _given_up(self, pipe: _Pipe, records: list[dict[str, Any]]) -> bool:
        """Whether a record that was not taken is tried no more, and its dead letter is sent."""
        now = time.time()
        pipe.failing_since = pipe.failing_since if pipe.failures else now
        pipe.failures += 1
        stream = pipe.parameters("DynamoDBStreamParameters")
        tries = int(stream.get("MaximumRetryAttempts", -1))
        age = int(stream.get("MaximumRecordAgeInSeconds", -1))
        born = records[0]["dynamodb"].get("ApproximateCreationDateTime", pipe.failing_since)
        if 0 <= tries < pipe.failures:
            condition = "RetryAttemptsExhausted"
        elif 0 <= age < now - float(born):
            condition = "MaximumRecordAgeExceeded"
        else:
            return False
        queue = (stream.get("DeadLetterConfig") or {}).get("Arn")
        if queue:
            letter = _dead_letter(pipe, records, condition)
            try:
                self._send(queue, json.dumps(letter), {})
            except Exception as error:
                pipe.last_error = f"the dead letter was not taken: {error}"
        pipe.dead += len(records)
        _log.warning("Pipe %s gave up: %s", pipe.record["Name"], pipe.last_error)
        return True

    def _forget_read_records(self, table: str, pipe: _Pipe) -> None:
        """A stream would grow for a day, with two copies of each row that was written."""
        positions = [
            int(service._positions.get(record["Arn"], 0))
            for account, region, record in service._iter_all_pipes()
            if (account, region) == (pipe.account, pipe.region)
            and f":table/{table}/" in record["Source"]
        ]
        place = (pipe.account, pipe.region, table)
        records = dynamodb._stream_records.get_scoped(*place) or []
        trimmed = dynamodb._stream_trimmed.get_scoped(*place, 0)
        surplus = min(min(positions) - trimmed - _RECORDS_KEPT, len(records))
        if surplus > 0:
            del records[:surplus]
            dynamodb._stream_trimmed.set_scoped(*place, trimmed + surplus)

    # -- a queue: what was delivered or filtered out is deleted, the rest comes again

    def _run_queue(self, pipe: _Pipe) -> None:
        api = self._client("sqs")
        url = _queue_url(pipe.source)
        size = int(pipe.parameters("SqsQueueParameters").get("BatchSize", _QUEUE_BATCH))
        for _ in range(_BATCHES_AT_A_TIME):
            answer = api.receive_message(
                QueueUrl=url,
                MaxNumberOfMessages=min(size, _QUEUE_BATCH),
                MessageSystemAttributeNames=["All"],
                MessageAttributeNames=["All"],
            )
            events = [
                pipe_events.of_message(message, pipe.source)
                for message in answer.get("Messages", ())
            ]
            if not events:
                break
            passed = [event for event in events if pipe.passes(event)]
            # Those that did not pass are done with, as those that were delivered.
            done = [event for event in events if event not in passed]
            pipe.filtered_out += len(done)
            for group in [passed] if pipe.takes_batches else [[event] for event in passed]:
                if group and self._deliver(pipe, group):
                    done += group
            if done:
                api.delete_message_batch(
                    QueueUrl=url,
                    Entries=[
                        {"Id": str(number), "ReceiptHandle": event["receiptHandle"]}
                        for number, event in enumerate(done)
                    ],
                )

    # -- the targets

    def _deliver(self, pipe: _Pipe, events: list[dict[str, Any]]) -> bool:
        from botocore.exceptions import BotoCoreError, ClientError

        try:
            inputs = [pipe.input_of(event) for event in events]
            self._hand_over(pipe, events, inputs)
        except (
            *(UndeliverableError, pipe_events.InvalidInputError, BotoCoreError, ClientError),
        ) as error:
            pipe.last_error = str(error)
            _log.warning("Pipe %s: %s", pipe.record["Name"], error)
            return False
        pipe.delivered += len(events)
        return True

    def _hand_over(self, pipe: _Pipe, events: list[dict[str, Any]], inputs: list[str]) -> None:
        parameters = pipe.record["TargetParameters"]
        match pipe.target.split(":")[2]:
            case "states":
                batch = [pipe_events.as_json(each) for each in inputs]
                self._client("stepfunctions").start_execution(
                    stateMachineArn=pipe.target, input=json.dumps(batch, ensure_ascii=False)
                )
            case "sns":
                self._client("sns").publish(TopicArn=pipe.target, Message=inputs[0])
            case "sqs":
                queue = parameters.get("SqsQueueParameters") or {}
                known = ("MessageGroupId", "MessageDeduplicationId")
                self._send(pipe.target, inputs[0], {k: queue[k] for k in known if k in queue})
            case "events":
                self._put(pipe, events[0], inputs[0])
            case other:
                raise UndeliverableError(f"{other} as a target is not run here")

    def _send(self, queue_arn: str, body: str, more: dict[str, str]) -> None:
        self._client("sqs").send_message(QueueUrl=_queue_url(queue_arn), MessageBody=body, **more)

    def _put(self, pipe: _Pipe, event: dict[str, Any], detail: str) -> None:
        bus = pipe.record["TargetParameters"].get("EventBridgeEventBusParameters") or {}
        entry = {
            "EventBusName": pipe.target,
            "Source": bus.get("Source", f"Pipe {pipe.record['Name']}"),
            "DetailType": bus.get("DetailType", f"Event from {event['eventSource']}"),
            "Detail": detail,
            "Resources": bus.get("Resources", []),
        }
        answer = self._client("events").put_events(Entries=[entry])
        if answer["FailedEntryCount"]:
            raise UndeliverableError(json.dumps(answer["Entries"]))


def _dead_letter(pipe: _Pipe, records: list[dict[str, Any]], condition: str) -> dict[str, Any]:
    """What AWS sends about records that were given up: where they are, not what is in them."""
    changes = [record["dynamodb"] for record in records]
    times = [
        datetime.fromtimestamp(change.get("ApproximateCreationDateTime", 0), UTC).isoformat()
        for change in (changes[0], changes[-1])
    ]
    return {
        "context": {"partnerResourceArn": pipe.record["Arn"], "condition": condition},
        "version": "1.0",
        "timestamp": datetime.now(UTC).isoformat(),
        "DDBStreamBatchInfo": {
            "shardId": "shardId-00000000000000000000-00000000",
            "startSequenceNumber": changes[0]["SequenceNumber"],
            "endSequenceNumber": changes[-1]["SequenceNumber"],
            "approximateArrivalOfFirstRecord": times[0],
            "approximateArrivalOfLastRecord": times[1],
            "batchSize": len(records),
            "streamArn": pipe.source,
        },
    }


def _queue_url(arn: str) -> str:
    account, name = arn.split(":")[4:6]
    return f"{os.environ['AWS_ENDPOINT_URL']}/{account}/{name}"


def _clients() -> Callable[[str], Any]:
    """Clients of this emulator itself, made when they are first needed."""
    made: dict[str, Any] = {}

    def client(name: str) -> Any:
        if name not in made:
            import boto3
            from botocore.config import Config

            make: Any = boto3.client
            made[name] = make(
                name,
                endpoint_url=os.environ["AWS_ENDPOINT_URL"],
                config=Config(retries={"total_max_attempts": 1}, read_timeout=30),
            )
        return made[name]

    return client
