"""Every Retry rule of the machine is walked: once for each error it names, once to its end."""

from itertools import pairwise
from typing import Any

import pytest
from faults import DRIVES, FAILURES, NOT_ON_MOTO, drive, fail
from papers import INVOICE_PAGES
from road import Road
from services import refusal
from stack import states

RULES = [
    pytest.param(name, rule, id=f"{name}-{rule['ErrorEquals'][0]}")
    for name, state in states().items()
    for rule in state.get("Retry", ())
]
ERRORS = [
    pytest.param(name, rule, error, id=f"{name}-{error}")
    for name, state in states().items()
    for rule in state.get("Retry", ())
    for error in rule["ErrorEquals"]
    if error not in NOT_ON_MOTO
]


def longest_wait(rule: dict[str, Any], attempt: int) -> float:
    """What the rule allows before an attempt, counted from 0: full jitter goes from 0 to it."""
    grown = rule["IntervalSeconds"] * rule["BackoffRate"] ** attempt
    return float(min(grown, rule["MaxDelaySeconds"]))


def test_every_state_with_a_rule_can_be_driven() -> None:
    assert {name for name, state in states().items() if "Retry" in state} == set(DRIVES)


@pytest.mark.parametrize(("state", "rule", "error"), ERRORS)
def test_error_that_is_retried_is_over_after_one_wait(
    road: Road, state: str, rule: dict[str, Any], error: str
) -> None:
    fail(road, state, error, times=1)
    execution = drive(road, state)

    assert len(road.waits) == 1
    assert 0 <= road.waits[0] <= longest_wait(rule, 0)
    assert execution.states.count(state) == 1
    assert execution.states[-1] == DRIVES[state].end
    assert road.row(execution.document_id)["status"] == DRIVES[state].status


@pytest.mark.parametrize(("state", "rule"), RULES)
def test_error_that_stays_is_tried_as_often_as_the_rule_says(
    road: Road, state: str, rule: dict[str, Any]
) -> None:
    error = next(name for name in rule["ErrorEquals"] if name not in NOT_ON_MOTO)
    fail(road, state, error, times=rule["MaxAttempts"] + 1)
    execution = drive(road, state)

    assert len(road.waits) == rule["MaxAttempts"]
    for attempt, wait in enumerate(road.waits):
        assert 0 <= wait <= longest_wait(rule, attempt)
    assert len(set(road.waits)) > 1, "no jitter"
    assert all(longest_wait(rule, a) <= longest_wait(rule, b) for a, b in pairwise(range(60)))
    assert execution.status == "FAILED"
    assert error in FAILURES[state](road, execution)


def test_refusals_of_the_services_meet_the_rules_that_are_meant_for_them(road: Road) -> None:
    identity = road.upload()
    road.claude.says(
        refusal("ThrottlingException", 429),
        refusal("ServiceUnavailableException", 503),
        road.claude.answers[0],
    )
    execution = road.read(identity, INVOICE_PAGES)

    assert execution.status == "SUCCEEDED", execution.cause
    throttled, unavailable = states()["Classify"]["Retry"][:2]
    assert road.waits[0] <= longest_wait(throttled, 0)
    assert road.waits[1] <= longest_wait(unavailable, 0)
    assert len(road.waits) == 2
    assert road.invoked.count("ClassifyFunction") == 3


def test_throttled_start_of_a_job_holds_the_document_and_costs_no_try(road: Road) -> None:
    road.textract.refusals = [refusal("LimitExceededException")]
    road.s3.put_object(Bucket=road.bucket, Key="incoming/x.pdf", Body=b"%PDF-1.7")
    execution = road.start("by-hand", {"bucket": road.bucket, "key": "incoming/x.pdf"})

    assert execution.output["documents"][0]["status"] == "HELD"
    assert road.waits == []


def test_failed_start_of_a_job_gives_the_lease_back(road: Road) -> None:
    road.textract.refusals = [refusal("InternalServerError", 500) for _ in range(2)]
    road.s3.put_object(Bucket=road.bucket, Key="incoming/x.pdf", Body=b"%PDF-1.7")
    execution = road.start("by-hand", {"bucket": road.bucket, "key": "incoming/x.pdf"})

    assert execution.output["documents"][0]["status"] == "READING"
    assert len(road.waits) == 2
    assert len(road.textract.started) == 1
