"""The launcher's pipes: filters, templates, counts, retries and dead letters, without a cloud."""

import itertools
import json
import time
from collections.abc import Iterator
from typing import Any

import pytest
from botocore.exceptions import ClientError
from ministack.core.responses import get_account_id, get_region
from ministack.services import budgets as budget_service
from ministack.services import dynamodb, eventbridge, sqs
from ministack.services import pipes as service
from stack import ROOT, known_names, resolve, resources

from mailroom_desk.cloud.emulator import budgets, pipe_events, pipes, rule_targets
from mailroom_desk.cloud.emulator.pipe_events import InvalidInputError, passes, render
from mailroom_desk.cloud.emulator.pipe_runner import _RECORDS_KEPT, Runner

TOPIC = "arn:aws:sns:us-east-1:000000000000:people"
QUEUE = "arn:aws:sqs:us-east-1:000000000000:orders"
DEAD = "arn:aws:sqs:us-east-1:000000000000:dead"
MACHINE = "arn:aws:states:us-east-1:000000000000:stateMachine:fulfil"
STREAM = "arn:aws:dynamodb:us-east-1:000000000000:table/documents/stream/2026-11-30"
SEQUENCE = itertools.count(1)
HOSTILE = "a\"b{}\\c\n<$.x>'ü.pdf"


# -- filters and templates ------------------------------------------------------------------------


def message(body: str, **more: Any) -> dict[str, Any]:
    answered = {"MessageId": "m", "ReceiptHandle": f"r-{body[:20]}", "Body": body, "MD5OfBody": "0"}
    return answered | more


def event(body: str) -> dict[str, Any]:
    return pipe_events.of_message(message(body), QUEUE)


@pytest.mark.parametrize(
    ("pattern", "body", "passed"),
    [
        ({"body": {"total": [{"numeric": [">", 0]}]}}, '{"total": 5}', True),
        ({"body": {"total": [{"numeric": [">", 0]}]}}, '{"total": -5}', False),
        ({"body": {"total": [{"exists": True}]}}, "no JSON at all", False),
        ({"body": {"total": [{"exists": False}]}}, "no JSON at all", False),
        ({"body": ["no JSON at all"]}, "no JSON at all", True),
        ({"body": ["x"]}, '{"total": 5}', False),
        ({"eventSource": ["aws:sqs"]}, "no JSON at all", True),
    ],
)
def test_filter_looks_into_a_body_that_is_json_and_drops_what_is_not(
    pattern: dict[str, Any], body: str, passed: bool
) -> None:
    assert passes([json.dumps(pattern)], event(body)) is passed


def test_without_a_filter_everything_passes_and_of_several_one_is_enough() -> None:
    ones = [json.dumps({"body": {"kind": [kind]}}) for kind in ("a", "b")]
    assert passes([], event("anything"))
    assert passes(ones, event('{"kind": "b"}'))
    assert not passes(ones, event('{"kind": "c"}'))


def test_value_in_a_template_is_json_whatever_is_in_it() -> None:
    body = json.dumps({"name": HOSTILE, "lines": [{"sku": "1"}, {"sku": "2"}], "total": 10.1})
    template = (
        '{"name": <$.body.name>, "lines": <$.body.lines>, "second": <$.body.lines[1].sku>,'
        ' "all": <$.body.lines[*].sku>, "total": <$.body.total>, "none": <$.body.none>,'
        ' "pipe": <aws.pipes.pipe-name>, "said": "order of <$.body.total>", "lt": "a < b"}'
    )
    rendered = render(template, event(body), {"aws.pipes.pipe-name": "orders"})
    assert json.loads(rendered) == {
        "name": HOSTILE,
        "lines": [{"sku": "1"}, {"sku": "2"}],
        "second": "2",
        "all": ["1", "2"],
        "total": 10.1,
        "none": None,
        "pipe": "orders",
        "said": "order of 10.1",
        "lt": "a < b",
    }


def test_value_inside_a_text_is_bare_so_that_quotes_in_it_break_the_json() -> None:
    with pytest.raises(InvalidInputError):
        render('{"name": "<$.body.name>"}', event(json.dumps({"name": 'a"b'})), {})


def test_free_text_stays_text_with_everything_bare() -> None:
    body = json.dumps({"name": HOSTILE, "lines": [1, {"a": "b"}]})
    rendered = render("New: <$.body.name>, <$.body.lines>, <$.none>.", event(body), {})
    assert rendered == f"New: {HOSTILE}, [1, {{a: b}}], ."


def test_single_path_gives_the_value_and_the_event_variable_the_event() -> None:
    assert json.loads(render("<$.body>", event('{"a": 1}'), {})) == {"a": 1}
    assert render("<$.body>", event("plain"), {}) == "plain"
    assert json.loads(render("<aws.pipes.event.json>", event("plain"), {})) == event("plain")


# -- the runner -----------------------------------------------------------------------------------


class Services:
    """The services that a runner calls, in memory; `refuse` makes a target fail."""

    def __init__(self) -> None:
        self.messages: list[dict[str, Any]] = []
        self.deleted: list[str] = []
        self.sent: dict[str, list[Any]] = {}
        self.refuse: int = 0

    def __call__(self, name: str) -> "Services":
        return self

    def _take(self, place: str, what: Any) -> None:
        if self.refuse:
            self.refuse -= 1
            raise ClientError({"Error": {"Code": "Down", "Message": "not now"}}, "Call")
        self.sent.setdefault(place, []).append(what)

    def receive_message(self, **request: Any) -> dict[str, Any]:
        batch = self.messages[: request["MaxNumberOfMessages"]]
        del self.messages[: len(batch)]
        return {"Messages": batch} if batch else {}

    def delete_message_batch(self, **request: Any) -> None:
        self.deleted += [entry["ReceiptHandle"] for entry in request["Entries"]]

    def send_message(self, **request: Any) -> None:
        self.sent.setdefault("sqs", []).append(request)

    def publish(self, **request: Any) -> None:
        self._take("sns", request["Message"])

    def start_execution(self, **request: Any) -> None:
        self._take("states", json.loads(request["input"]))

    def put_events(self, **request: Any) -> dict[str, Any]:
        self._take("events", request["Entries"][0])
        return {"FailedEntryCount": 0}


@pytest.fixture
def services(monkeypatch: pytest.MonkeyPatch) -> Iterator[Services]:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
    for store in (service._pipes, service._positions, dynamodb._stream_records):
        store.clear()
    dynamodb._stream_trimmed.clear()
    yield Services()
    for store in (service._pipes, service._positions, dynamodb._stream_records):
        store.clear()
    dynamodb._stream_trimmed.clear()


def deploy(source: str, target: str, **more: Any) -> dict[str, Any]:
    record = {
        "Name": "pipe",
        "Arn": "arn:aws:pipes:us-east-1:000000000000:pipe/pipe",
        "Source": source,
        "Target": target,
        "CurrentState": "RUNNING",
        "SourceParameters": {},
        "TargetParameters": {},
        **more,
    }
    service._pipes["pipe"] = record
    return record


def write(number: int, new: str, old: str | None = None, **more: Any) -> None:
    """A record on the stream: a row whose status was `old` and is `new`."""
    image = {"document_id": {"S": str(number)}, "key": {"S": f"incoming/{number} {HOSTILE}"}}
    change: dict[str, Any] = {
        "Keys": {"document_id": {"S": str(number)}},
        "NewImage": image | {"status": {"S": new}, "updated_at": {"S": "2026-11-30T10:00:00Z"}},
        "SequenceNumber": f"{next(SEQUENCE):05}",
        "ApproximateCreationDateTime": 4_000_000_000,
        **more,
    }
    if old is not None:
        change["OldImage"] = image | {"status": {"S": old}}
    place = (get_account_id(), get_region(), "documents")
    records = dynamodb._stream_records.get_scoped(*place)
    if records is None:
        records = []
        dynamodb._stream_records.set_scoped(*place, records)
    kind = "INSERT" if old is None else "MODIFY"
    records.append({"eventName": kind, "eventSource": "aws:dynamodb", "dynamodb": change})


def test_queue_gives_a_state_machine_its_batch_as_one_list_and_deletes_what_is_done(
    services: Services,
) -> None:
    filters = {"Filters": [{"Pattern": json.dumps({"body": {"total": [{"exists": True}]}})}]}
    record = deploy(
        QUEUE,
        MACHINE,
        SourceParameters={"FilterCriteria": filters},
        TargetParameters={"InputTemplate": '{"total": <$.body.total>}'},
    )
    services.messages = [message('{"total": 1}'), message("no JSON"), message('{"total": 2}')]
    Runner(services).poll()
    assert services.sent == {"states": [[{"total": 1}, {"total": 2}]]}
    assert len(services.deleted) == 3
    assert record["StateReason"] == "2 delivered, 1 filtered out, 0 dead-lettered"


def test_single_message_is_a_list_as_well_and_comes_whole_without_a_template(
    services: Services,
) -> None:
    deploy(QUEUE, MACHINE)
    services.messages = [message('{"total": 1}')]
    Runner(services).poll()
    (((only,),),) = services.sent.values()
    assert only == event('{"total": 1}')


def test_message_that_the_target_refuses_stays_in_the_queue(services: Services) -> None:
    record = deploy(QUEUE, MACHINE)
    services.messages, services.refuse = [message("one")], 1
    Runner(services).poll()
    assert services.deleted == [] and services.sent == {}
    assert "last error" in record["StateReason"]


def test_pipe_whose_filter_is_not_known_yet_takes_nothing(services: Services) -> None:
    del deploy(QUEUE, MACHINE)["SourceParameters"]
    services.messages = [message("one")]
    Runner(services).poll()
    assert len(services.messages) == 1


def test_stopped_pipe_takes_nothing(services: Services) -> None:
    deploy(QUEUE, MACHINE, CurrentState="STOPPED")
    services.messages = [message("one")]
    Runner(services).poll()
    assert len(services.messages) == 1


def test_stream_that_fails_goes_on_with_the_same_record_and_repeats_none(
    services: Services,
) -> None:
    deploy(STREAM, TOPIC, TargetParameters={"InputTemplate": "<$.dynamodb.Keys.document_id.S>"})
    runner = Runner(services)
    for number in range(3):
        write(number, "STORED")
    services.refuse = 2
    for _ in range(3):
        runner.poll()
    assert services.sent == {"sns": ["0", "1", "2"]}


def test_record_that_no_try_delivers_is_dead_lettered_by_its_place_and_the_rest_goes_on(
    services: Services,
) -> None:
    parameters = {"MaximumRetryAttempts": 2, "DeadLetterConfig": {"Arn": DEAD}}
    record = deploy(
        STREAM,
        TOPIC,
        SourceParameters={"DynamoDBStreamParameters": parameters},
        TargetParameters={"InputTemplate": "<$.dynamodb.Keys.document_id.S>"},
    )
    runner = Runner(services)
    write(1, "STORED")
    write(2, "STORED")
    services.refuse = 3  # a try and two retries
    for _ in range(3):
        runner.poll()
    assert services.sent["sns"] == ["2"]
    (letter,) = services.sent["sqs"]
    assert letter["QueueUrl"].endswith("/000000000000/dead")
    told = json.loads(letter["MessageBody"])
    assert told["context"]["condition"] == "RetryAttemptsExhausted"
    info = told["DDBStreamBatchInfo"]
    assert info["startSequenceNumber"] == info["endSequenceNumber"]
    assert (info["batchSize"], info["streamArn"]) == (1, STREAM)
    assert HOSTILE not in letter["MessageBody"], "a dead letter has no content"
    assert record["StateReason"].startswith("1 delivered, 0 filtered out, 1 dead-lettered")


def test_record_that_is_too_old_is_given_up(services: Services) -> None:
    parameters = {"MaximumRecordAgeInSeconds": 60, "DeadLetterConfig": {"Arn": DEAD}}
    deploy(STREAM, TOPIC, SourceParameters={"DynamoDBStreamParameters": parameters})
    write(1, "STORED", ApproximateCreationDateTime=time.time() - 90)
    services.refuse = 1
    Runner(services).poll()
    assert "MaximumRecordAgeExceeded" in services.sent["sqs"][0]["MessageBody"]


def test_stream_that_began_anew_is_read_from_its_beginning(services: Services) -> None:
    record = deploy(STREAM, TOPIC)
    service._positions[record["Arn"]] = 4_000
    write(1, "STORED")
    record["LastSequenceNumber"] = f"{next(SEQUENCE):05}"
    write(2, "STORED")
    Runner(services).poll()
    assert len(services.sent["sns"]) == 1, "what was delivered before is not delivered again"


def test_streams_are_saved_and_restored_with_the_tables(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("get_state", "_restore_state"):
        monkeypatch.setattr(dynamodb, name, getattr(dynamodb, name))
    pipes._keep_streams()
    write(1, "STORED")
    saved = dynamodb.get_state()
    dynamodb._stream_records.clear()
    dynamodb._restore_state(saved)
    deploy(STREAM, TOPIC)
    Runner(services).poll()
    assert len(services.sent["sns"]) == 1


def test_stream_forgets_what_was_read(services: Services) -> None:
    deploy(STREAM, TOPIC)
    runner = Runner(services)
    for number in range(_RECORDS_KEPT + 150):
        write(number, "STORED")
    runner.poll()
    write(9_999, "STORED")
    runner.poll()
    place = (get_account_id(), get_region(), "documents")
    assert len(dynamodb._stream_records.get_scoped(*place)) <= _RECORDS_KEPT + 1
    assert len(services.sent["sns"]) == _RECORDS_KEPT + 151


# -- the pipe of the template ---------------------------------------------------------------------


def people_pipe() -> dict[str, Any]:
    (pipe,) = resources("AWS::Pipes::Pipe").values()
    names = known_names(**{"DocumentsTable.StreamArn": STREAM, "PeopleTopic": TOPIC})
    return dict(resolve(pipe, names))


AT_WORK = ["RECEIVED", "READING", "WORKING", "HELD", "STORED", "REJECTED", "DUPLICATE"]


@pytest.mark.parametrize("status", ["IN_REVIEW", "DEAD_LETTERED"])
def test_people_are_told_once_for_each_change_into_a_status_that_needs_them(
    services: Services, status: str
) -> None:
    parameters = ("SourceParameters", "TargetParameters")
    pipe = people_pipe()
    deploy(pipe["Source"], pipe["Target"], **{key: pipe[key] for key in parameters})
    write(1, "RECEIVED")  # a new row
    write(1, "WORKING", "RECEIVED")
    write(1, status, "WORKING")  # told
    write(1, status, status)  # the announced mark, a touch: any other write to such a row
    write(1, "RECEIVED", status)  # a person has redriven it
    write(1, status, "RECEIVED")  # told again: it is another attempt
    for quiet in AT_WORK:
        write(2, quiet, "WORKING")
    Runner(services).poll()
    sentence = (
        f"The document incoming/1 {HOSTILE} needs a person: it is {status} since "
        "2026-11-30T10:00:00Z. To see why, and what was read: mailroom show 1"
    )
    assert services.sent == {"sns": [sentence, sentence]}


def test_change_from_one_status_that_needs_a_person_to_the_other_is_told(
    services: Services,
) -> None:
    pipe = people_pipe()
    deploy(STREAM, TOPIC, SourceParameters=pipe["SourceParameters"])
    write(1, "DEAD_LETTERED", "IN_REVIEW")
    Runner(services).poll()
    assert len(services.sent["sns"]) == 1


def test_sentence_names_the_document_and_has_no_content_of_it() -> None:
    template = people_pipe()["TargetParameters"]["InputTemplate"]
    used = {part.split(">")[0] for part in template.split("<$.dynamodb.NewImage.")[1:]}
    assert used == {"key.S", "status.S", "updated_at.S", "document_id.S"}
    assert "\n" not in template and not template.startswith(("{", "[", '"'))


# -- rules and budgets ----------------------------------------------------------------------------


def test_dead_letter_queue_of_a_rule_needs_a_policy_for_that_rule(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (policy,) = [
        each for each in resources("AWS::SQS::QueuePolicy").values()
        if each["Queues"] == [{"Ref": "Undelivered"}]
    ]  # fmt: skip
    names = known_names(**{"Undelivered.Arn": DEAD, "AWS::AccountId": "000000000000"})
    queue = {"attributes": {"Policy": json.dumps(resolve(policy["PolicyDocument"], names))}}
    monkeypatch.setattr(sqs, "_queue_by_arn", lambda arn: queue if arn == DEAD else None)
    rules = "arn:aws:events:us-east-1:000000000000:rule"
    assert rule_targets.may_send(DEAD, f"{rules}/mailroom-RawTextRule")
    assert not rule_targets.may_send(DEAD, f"{rules}/other-Rule")
    assert not rule_targets.may_send(QUEUE, f"{rules}/mailroom-RawTextRule")
    queue["attributes"] = {}
    assert not rule_targets.may_send(DEAD, f"{rules}/mailroom-RawTextRule")


@pytest.fixture
def deliveries(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Any]]:
    """`rule_targets` as installed, with dead letters caught; ministack's own back at the end."""
    caught: list[Any] = []
    for name in ("stepfunctions", "lambda", "sns", "sqs"):
        attribute = f"_dispatch_to_{name}"
        monkeypatch.setattr(eventbridge, attribute, getattr(eventbridge, attribute))
    monkeypatch.setattr(eventbridge, "_invoke_target", eventbridge._invoke_target)
    monkeypatch.setattr(rule_targets, "_send_dead_letter", lambda *args: caught.append(args))
    monkeypatch.setattr(rule_targets, "_PAUSE_SECONDS", 0.0)

    class Now:
        """A thread that runs at once."""

        def __init__(self, target: Any, args: Any, daemon: bool) -> None:
            self.start = lambda: target(*args)

    monkeypatch.setattr(rule_targets.threading, "Thread", Now)
    rule_targets.install()
    yield caught


EVENT = {"Source": "mailroom", "DetailType": "DocumentStored", "Detail": '{"a": 1}', "Time": 1}
RULE = {"Name": "r", "Arn": "arn:aws:events:us-east-1:000000000000:rule/r"}


def deliver(arn: str) -> None:
    target = {"Id": "t", "Arn": arn, "DeadLetterConfig": {"Arn": DEAD}}
    eventbridge._invoke_target(target | {"RetryPolicy": {"MaximumRetryAttempts": 2}}, EVENT, RULE)


@pytest.mark.parametrize(
    "arn",
    [
        MACHINE,
        TOPIC,
        QUEUE,
        "arn:aws:lambda:us-east-1:000000000000:function:none",
    ],
)
def test_target_that_is_not_there_gets_no_second_try_and_leaves_a_dead_letter(
    deliveries: list[Any], arn: str
) -> None:
    deliver(arn)
    ((queue, target, rule, event, failure, tried),) = deliveries
    assert (queue, target["Arn"], rule, tried) == (DEAD, arn, RULE, 0)
    assert failure.code == "NO_RESOURCE"
    assert event["detail"] == {"a": 1} and event["detail-type"] == "DocumentStored"


def test_target_that_is_down_is_tried_again_within_the_policy(
    deliveries: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = [(500, {}, b"down"), (500, {}, b"down"), (200, {}, b"{}")]
    from ministack.services import stepfunctions

    monkeypatch.setattr(stepfunctions, "_resolve_state_machine_arn", lambda arn: arn)
    monkeypatch.setattr(stepfunctions, "_start_execution", lambda data: answers.pop(0))
    deliver(MACHINE)
    assert answers == [] and deliveries == []
    answers += [(500, {}, b"down")] * 4
    deliver(MACHINE)
    assert len(answers) == 1, "one try, and the two of the policy"
    ((*_, failure, tried),) = deliveries
    assert (failure.lasting, tried) == (False, 2)


def test_target_in_which_something_breaks_is_tried_again(
    deliveries: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    from ministack.services import sns

    def breaks(*arguments: Any) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr(sns, "publish_internal", breaks)
    deliver(TOPIC)
    ((*_, failure, tried),) = deliveries
    assert (failure.code, failure.lasting, tried) == ("INTERNAL_ERROR", False, 2)


def test_budget_of_the_template_is_made_changed_and_deleted() -> None:
    (budget,) = resources("AWS::Budgets::Budget").values()
    properties = resolve(budget, known_names(PeopleTopic=TOPIC))
    try:
        name, _ = budgets._create("Budget", properties, "mailroom")
        assert budget_service._budgets[name]["BudgetLimit"] == {"Amount": "100", "Unit": "USD"}
        changed = properties | {"Budget": properties["Budget"] | {"TimeUnit": "ANNUALLY"}}
        budgets._update(name, properties, changed, "mailroom")
        assert budget_service._budgets[name]["TimeUnit"] == "ANNUALLY"
        budgets._delete(name, changed)
        assert "mailroom" not in budget_service._budgets
    finally:
        budget_service._budgets.clear()


def test_emulator_installs_what_runs_pipes_and_rules() -> None:
    main = (ROOT / "desk/mailroom_desk/cloud/emulator/__main__.py").read_text("utf-8")
    for module in ("pipes", "rule_targets", "budgets", "alarms"):
        assert f"    {module}.install()" in main
