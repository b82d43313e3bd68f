"""What the template must have, or must not have, against known failures of such stacks."""

import json
from pathlib import Path
from typing import Any

from stack import ASL, ROOT, functions, resources, states, template

QUEUES, TOPICS = "AWS::SQS::Queue", "AWS::SNS::Topic"
SOURCES = [*sorted((ROOT / "src").rglob("*.py")), ASL]


def texts() -> dict[Path, str]:
    return {path: path.read_text("utf-8") for path in SOURCES}


def test_trigger_takes_every_way_of_creation_and_every_suffix() -> None:
    (trigger,) = resources("AWS::S3::Bucket")["Documents"]["NotificationConfiguration"][
        "LambdaConfigurations"
    ]
    assert trigger["Event"] == "s3:ObjectCreated:*"
    assert [rule["Name"] for rule in trigger["Filter"]["S3Key"]["Rules"]] == ["prefix"]


def test_no_topic_or_queue_has_a_key_that_a_publisher_would_need_rights_for() -> None:
    """Textract's role, S3 and EventBridge publish here; SQS's own encryption asks for no right."""
    for name, topic in resources(TOPICS).items():
        assert "KmsMasterKeyId" not in topic, name
    for name, queue in resources(QUEUES).items():
        assert "KmsMasterKeyId" not in queue, name
        assert queue["SqsManagedSseEnabled"] is True, name


def test_nothing_polls_a_queue_and_nothing_reserves_concurrency() -> None:
    """No visibility, no batches and no receives to get wrong: documents are held as rows."""
    assert resources("AWS::Lambda::EventSourceMapping") == {}
    for name, function in functions().items():
        kinds = {event["Type"] for event in function.get("Events", {}).values()}
        assert kinds <= {"SNS", "EventBridgeRule", "Schedule"}, name
        assert "ReservedConcurrentExecutions" not in function, name
        assert "DeadLetterQueue" not in function, name
    for path, text in texts().items():
        assert "receive_message" not in text and "batchItemFailures" not in text, path


def test_asynchronous_functions_say_how_often_and_how_long_they_are_tried() -> None:
    asynchronous = {n: f for n, f in functions().items() if "EventInvokeConfig" in f}
    assert asynchronous
    for name, function in asynchronous.items():
        config = function["EventInvokeConfig"]
        assert 0 <= config["MaximumRetryAttempts"] <= 2, name
        assert 60 <= config["MaximumEventAgeInSeconds"] <= 21_600, name
        assert config["DestinationConfig"]["OnFailure"], name


def test_every_target_of_a_rule_keeps_what_it_could_not_deliver() -> None:
    rules = [
        event["Properties"]
        for function in functions().values()
        for event in function.get("Events", {}).values()
        if event["Type"] in ("EventBridgeRule", "Schedule")
    ]
    rules += [
        target
        for rule in resources("AWS::Events::Rule").values()
        for target in rule.get("Targets", ())
    ]
    assert rules
    for rule in rules:
        key = "DeadLetterConfig"
        assert rule[key]["Arn"], rule


def test_index_keys_are_names_that_the_code_makes_and_no_document_can_empty() -> None:
    keys = {
        each["AttributeName"]
        for index in resources("AWS::DynamoDB::Table")["DocumentsTable"]["GlobalSecondaryIndexes"]
        for each in index["KeySchema"]
    }
    assert keys == {"open_shard", "day", "received_at"}


def test_no_row_expires_so_no_time_can_be_in_the_wrong_unit() -> None:
    for name, table in resources("AWS::DynamoDB::Table").items():
        assert "TimeToLiveSpecification" not in table, name


def test_no_write_counts_so_no_count_can_drift() -> None:
    """Counters need ADD, or an attribute plus something; rows have neither."""
    for path, text in texts().items():
        assert "ADD #" not in text and "ADD :" not in text and '"ADD ' not in text, path
    for name, state in states().items():
        expression = state.get("Parameters", {}).get("UpdateExpression", "")
        assert " + " not in expression and " - " not in expression, name


def test_no_task_waits_for_a_token_that_a_worker_could_outlive() -> None:
    for name, state in states().items():
        assert "waitForTaskToken" not in state.get("Resource", ""), name
    for path, text in texts().items():
        assert "send_task_" not in text, path


def test_no_rule_rewrites_an_event_by_template() -> None:
    assert "InputTransformer" not in json.dumps(template(), default=str)


def test_machine_waits_nowhere_and_maps_nothing_inline() -> None:
    kinds: set[Any] = {state["Type"] for state in states().values()}
    assert kinds <= {"Task", "Choice", "Pass", "Succeed", "Fail"}
