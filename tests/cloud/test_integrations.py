"""The service integrations that Mailroom's state machines use, and those the launcher adds."""

import json
import uuid

from mailroom_desk.cloud.state import Cloud

from .machines import machine, run, task


def test_put_events_with_a_refused_entry_fails_the_task(cloud: Cloud) -> None:
    entry = {"Source": "aws.s3", "DetailType": "t", "Detail": {}, "EventBusName": cloud.bus}
    step = task("arn:aws:states:::events:putEvents", Parameters={"Entries": [entry]})
    with machine(cloud, {"A": step}) as arn:
        ended = run(cloud, arn)
    assert (ended["status"], ended["error"]) == ("FAILED", "EventBridge.FailedEntry")


def test_put_events_with_a_good_entry_succeeds(cloud: Cloud) -> None:
    entry = {"Source": "test", "DetailType": "t", "Detail": {"a": 1}, "EventBusName": cloud.bus}
    step = task("arn:aws:states:::events:putEvents", Parameters={"Entries": [entry]})
    with machine(cloud, {"A": step}) as arn:
        output = json.loads(run(cloud, arn)["output"])
    assert output["FailedEntryCount"] == 0


def test_update_item_against_its_condition_has_the_optimised_integrations_name(
    cloud: Cloud,
) -> None:
    parameters = {
        "TableName": cloud.table,
        "Key": {"document_id": {"S": uuid.uuid4().hex}},
        "UpdateExpression": "SET announced_at = :now",
        "ConditionExpression": "attribute_exists(document_id)",
        "ExpressionAttributeValues": {":now": {"S.$": "$$.State.EnteredTime"}},
    }
    step = task("arn:aws:states:::dynamodb:updateItem", Parameters=parameters)
    with machine(cloud, {"A": step}) as arn:
        assert run(cloud, arn)["error"] == "DynamoDB.ConditionalCheckFailedException"


def test_send_message_with_an_object_body_sends_json(cloud: Cloud) -> None:
    client = cloud.client("sqs")
    url = client.create_queue(QueueName=f"test-{uuid.uuid4().hex[:12]}")["QueueUrl"]
    body = {"execution.$": "$$.Execution.Id", "stage": "Store"}
    step = task(
        "arn:aws:states:::sqs:sendMessage", Parameters={"QueueUrl": url, "MessageBody": body}
    )
    with machine(cloud, {"A": step}) as arn:
        ended = run(cloud, arn)
    message = client.receive_message(QueueUrl=url, WaitTimeSeconds=5)["Messages"][0]
    client.delete_queue(QueueUrl=url)
    assert json.loads(message["Body"]) == {"execution": ended["executionArn"], "stage": "Store"}


def test_fail_takes_error_and_cause_from_the_input_through_intrinsics(cloud: Cloud) -> None:
    states = {
        "A": {
            "Type": "Pass",
            "Parameters": {
                "error.$": 'States.JsonMerge(States.StringToJson(\'{"Cause":""}\'), $, false)'
            },
            "Next": "B",
        },
        "B": {
            "Type": "Fail",
            "ErrorPath": "$.error.Error",
            "CausePath": "States.JsonToString($.error)",
        },
    }
    with machine(cloud, states) as arn:
        ended = run(cloud, arn, {"Error": "Torn"})
    assert ended["error"] == "Torn"
    assert json.loads(ended["cause"]) == {"Cause": "", "Error": "Torn"}


def test_s3_objects_are_written_and_read_by_the_sdk_integration(cloud: Cloud) -> None:
    place = {"Bucket": cloud.bucket, "Key": "text/test é.json"}
    put = task("arn:aws:states:::aws-sdk:s3:putObject", Parameters=place | {"Body": {"a": 1}})
    get = task("arn:aws:states:::aws-sdk:s3:getObject", Parameters=place)
    put.pop("End")
    with machine(cloud, {"Put": put | {"Next": "Get"}, "Get": get}) as arn:
        output = json.loads(run(cloud, arn)["output"])
    assert json.loads(output["Body"]) == {"a": 1}


def test_s3_object_that_is_not_there_has_the_sdk_integrations_name(cloud: Cloud) -> None:
    place = {"Bucket": cloud.bucket, "Key": "text/none"}
    with machine(
        cloud, {"A": task("arn:aws:states:::aws-sdk:s3:getObject", Parameters=place)}
    ) as a:
        assert run(cloud, a)["error"] == "S3.NoSuchKeyException"


def test_bedrock_invoke_model_reaches_the_local_claude_and_names_its_errors(cloud: Cloud) -> None:
    parameters = {"ModelId": "no-such-model", "Body": {"messages": []}}
    step = task("arn:aws:states:::bedrock:invokeModel", Parameters=parameters)
    with machine(cloud, {"A": step}) as arn:
        ended = run(cloud, arn)
    assert ended["error"].startswith("Bedrock.")
    assert ended["error"].endswith("Exception")
