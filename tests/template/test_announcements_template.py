"""Announcements as the template and the state machine have them: who may put, what is kept."""

from typing import Any

import contract
import pytest
from stack import known_names, resolve, resources, states, template

from mailroom.announce import DETAIL_TYPES
from mailroom.document import AT_REST, Status

NAMES = known_names()
PUTS = {
    name: state
    for name, state in states().items()
    if str(state.get("Resource", "")).endswith("events:putEvents")
}
ENDS = {"Announce": "STORED", "AnnounceReview": "IN_REVIEW", "AnnounceDeadLetter": "DEAD_LETTERED"}


def entry(state: dict[str, Any]) -> dict[str, Any]:
    (found,) = state["Parameters"]["Entries"]
    return dict(found)


def test_every_announcement_of_the_machine_is_known_here() -> None:
    assert set(PUTS) == set(ENDS)


@pytest.mark.parametrize(("name", "status"), ENDS.items())
def test_state_tells_exactly_what_the_contract_says(name: str, status: str) -> None:
    put = entry(PUTS[name])
    kind = DETAIL_TYPES[Status(status)]
    names = {each.removesuffix(".$") for each in put["Detail"]}

    assert (put["Source"], put["DetailType"]) == ("mailroom", kind)
    assert (put["Detail"]["version"], put["Detail"]["status"]) == ("1", status)
    assert names == set(contract.schema(f"{kind}-1")["properties"])


@pytest.mark.parametrize(("name", "status"), ENDS.items())
def test_mark_follows_the_announcement_and_is_that_of_its_status(name: str, status: str) -> None:
    mark = states()[PUTS[name]["Next"]]["Parameters"]
    values = mark["ExpressionAttributeValues"]

    assert {"S": status} in values.values()
    assert "attempt = :attempt" in mark["ConditionExpression"]
    assert "attribute_not_exists(announced_at)" in mark["ConditionExpression"]
    assert ("REMOVE open_shard" in mark["UpdateExpression"]) == (status in AT_REST)


def test_whoever_ends_an_attempt_may_announce_as_mailroom_on_its_own_bus_alone() -> None:
    may = {
        name: statement
        for kind in ("AWS::Serverless::Function", "AWS::Serverless::StateMachine")
        for name, properties in resources(kind).items()
        for policy in properties["Policies"]
        for statement in policy["Statement"]
        if statement["Action"] == "events:PutEvents"
    }

    who = {"IntakeFunction", "CloserFunction", "SweeperFunction", "DocumentStateMachine"}
    assert set(may) == who
    for statement in may.values():
        assert statement["Resource"] == {"Fn::GetAtt": ["Bus", "Arn"]}
        assert statement["Condition"] == {"StringEquals": {"events:source": "mailroom"}}


def test_archive_keeps_our_announcements_for_as_long_as_is_asked() -> None:
    (archive,) = resources("AWS::Events::Archive").values()

    assert archive["SourceArn"] == {"Fn::GetAtt": ["Bus", "Arn"]}
    assert archive["EventPattern"] == {"source": ["mailroom"]}
    assert resolve(archive["RetentionDays"], NAMES) == "90"
    # At most 48 characters, says the API reference, with the longest name that is allowed.
    assert len(resolve(archive["ArchiveName"], {**NAMES, "Name": "m" * 21})) <= 48
    assert template()["Outputs"]["EventBus"]["Value"] == {"Ref": "Bus"}
