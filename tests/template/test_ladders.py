"""The budgets of the retry ladders, and the page that is made from them.

Time-outs of clients, functions and states: `test_template.py`. Which error is retried where:
`test_state_machine.py`.
"""

import copy
import dataclasses
import re
from decimal import Decimal
from typing import Any

import pytest
from stack import ROOT, functions, resources, states, template

from mailroom.classes import packaged_classes
from mailroom.document import Status
from mailroom.errors import PermanentError, TransientError
from mailroom.llm.prompt import MAX_TOKENS
from mailroom.llm.reading import CONCURRENT_CALLS, MODEL_TOKENS, text_limit
from mailroom_desk.retries.definitions import DOCUMENT, all_states, leaves, read_stack
from mailroom_desk.retries.ladders import (
    LAMBDA_BUSY,
    LIMITS,
    MAX_EVENTS,
    Family,
    Ladder,
    all_ladders,
    state_ladders,
    worst_events,
)
from mailroom_desk.retries.page import PAGE, duration, renewed
from mailroom_desk.retries.price import answer_price, tool_tokens

STACK = read_stack()
LADDERS = all_ladders(STACK)
OF_STATES = list(state_ladders(STACK))
PAGE_TEXT = PAGE.read_text("utf-8")


def ladder(where: str, error: str) -> Ladder:
    (found,) = (each for each in LADDERS if (each.where, each.error) == (where, error))
    return found


def changed(state: str, rule: int, **fields: Any) -> list[str]:
    """What is wrong with the ladders of a rule after a change; None takes a field away."""
    machine = copy.deepcopy(STACK.machine)
    retry = machine["States"][state]["Retry"][rule]
    for name, value in fields.items():
        retry[name] = value
        if value is None:
            del retry[name]
    wrong = state_ladders(dataclasses.replace(STACK, machines={DOCUMENT: machine}))
    return [problem for each in wrong for problem in each.problems()]


# -- budgets --------------------------------------------------------------------------------------


@pytest.mark.parametrize("each", LADDERS, ids=lambda each: f"{each.where}-{each.error}")
def test_ladder_stays_in_the_budget_of_its_family(each: Ladder) -> None:
    assert each.problems() == []


def test_budgets_are_the_stated_ones() -> None:
    assert {str(family): duration(limit) for family, limit in LIMITS.items()} == {
        "throttled": "6 h",
        "unavailable": "15 min",
        "platform": "30 min",
    }


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"JitterStrategy": None}, "no jitter"),
        ({"JitterStrategy": "NONE"}, "no jitter"),
        ({"MaxDelaySeconds": None, "MaxAttempts": 5}, "no cap"),
        ({"MaxAttempts": 90}, r"waits \d+ s, over 21600 s"),
        ({"IntervalSeconds": 0, "MaxAttempts": 4000}, r"12005 events, over 10000"),
    ],
)
def test_ladder_that_breaks_a_rule_is_found(fields: dict[str, Any], problem: str) -> None:
    (found,) = changed("Classify", 0, **fields)
    assert re.fullmatch(problem, found)


@pytest.mark.parametrize(
    ("error", "limit"), [("ModelUnavailable", 900), ("Lambda.ServiceException", 1800)]
)
def test_each_family_has_a_limit_of_its_own(error: str, limit: int) -> None:
    rules = [rule["ErrorEquals"] for rule in states()["Classify"]["Retry"]]
    rule = next(at for at, errors in enumerate(rules) if error in errors)
    found = changed("Classify", rule, MaxAttempts=40)
    assert found
    assert all(problem.endswith(f"over {limit} s") for problem in found)


def test_what_a_rule_leaves_out_has_the_default_of_the_states_language() -> None:
    machine = {"States": {"A": {"Type": "Task", "Resource": "x", "Catch": [{"Next": "Failed"}]}}}
    machine["States"]["A"]["Retry"] = [{"ErrorEquals": ["Lambda.Unknown"]}]
    (found,) = state_ladders(dataclasses.replace(STACK, machines={DOCUMENT: machine}))
    assert found.waits == (1, 2, 4)
    assert found.problems() == ["no jitter", "no cap"]


def test_longest_ladder_outlasts_a_throttle_of_hours_and_ends_before_its_execution() -> None:
    longest = max(OF_STATES, key=lambda each: each.longest_wait)
    print(f"{longest.where}, {longest.error}: {duration(longest.longest_wait)} at most")
    assert longest.family == Family.THROTTLED
    assert longest.expected_wait > 3600
    assert longest.worst_seconds < STACK.machine["TimeoutSeconds"]


def test_access_that_was_just_granted_is_waited_for() -> None:
    """Bedrock's own messages name 2 to 15 minutes."""
    access = ladder("Classify", "ModelAccessDenied")
    assert access.longest_wait == 15 * 60
    assert access.attempts < 10


def test_reading_that_ran_out_of_time_goes_on_at_once() -> None:
    unfinished = ladder("Classify", "ReadingUnfinished")
    assert max(unfinished.waits) <= 5
    assert unfinished.worst_seconds < STACK.machine["TimeoutSeconds"] / 10


def test_history_of_the_worst_run_stays_far_below_the_services_limit() -> None:
    assert max(each.events for each in OF_STATES) < worst_events(STACK) < MAX_EVENTS


# -- the table holds everything -------------------------------------------------------------------


def test_every_error_of_every_rule_has_a_ladder() -> None:
    named = [
        (name if machine == DOCUMENT else f"{machine}: {name}", error)
        for machine, definition in STACK.machines.items()
        for name, state, _ in all_states(definition)
        for rule in state.get("Retry", ())
        for error in rule["ErrorEquals"]
    ]
    assert sorted((each.where, each.error) for each in OF_STATES) == sorted(named)
    assert {"document", "summary"} <= set(STACK.machines)


def test_states_inside_of_maps_and_branches_have_ladders_too() -> None:
    inner = {"Type": "Task", "Resource": "x", "Retry": [{"ErrorEquals": ["Lambda.Unknown"]}]}
    part = {"StartAt": "B", "States": {"B": inner}}
    for outer in ({"ItemProcessor": part}, {"Iterator": part}, {"Branches": [part]}):
        machine = {"States": {"A": {"Type": "Map", **outer}}}
        (found,) = state_ladders(dataclasses.replace(STACK, machines={"backfill": machine}))
        assert (found.where, found.afterwards) == ("backfill: B", "the run fails with the reason")


def test_every_asynchronous_function_has_its_ladders() -> None:
    expected = {name for name, each in functions().items() if "EventInvokeConfig" in each}
    assert {each.where for each in LADDERS if each.is_lambdas} == expected


def test_what_comes_after_is_said_in_words() -> None:
    names = {name for each in STACK.machines.values() for name, _, _ in all_states(each)}
    assert not {each.afterwards for each in LADDERS} & names
    assert ladder("summary: Summarise", "Bedrock.ThrottlingException").afterwards == (
        "the row says FAILED, with the reason"
    )
    assert ladder("Extract", "OcrThrottled").afterwards == "dead letter"
    assert ladder("IntakeFunction", LAMBDA_BUSY).afterwards == "undelivered queue"


def test_a_throttled_start_of_a_job_uses_up_no_try() -> None:
    assert ("IntakeFunction", "OcrThrottled") not in {(each.where, each.error) for each in LADDERS}


# -- prices ---------------------------------------------------------------------------------------


def test_only_lost_answers_of_the_model_cost_anything() -> None:
    answer = answer_price(STACK.model_id)
    for each in LADDERS:
        machine, _, _ = each.where.rpartition(": ")
        if machine:  # a machine that asks for its answers itself
            assert not each.price_usd or "Bedrock." in each.error or "Timeout" in each.error
        else:
            assert each.price_usd in (0, answer * each.attempts * CONCURRENT_CALLS)
            assert not each.price_usd or each.where == "Classify"


def test_answer_that_a_machine_asks_for_itself_is_lost_but_by_a_refusal() -> None:
    assert ladder("summary: Summarise", "Bedrock.ThrottlingException").price_usd == 0
    lost = ladder("summary: Summarise", "Bedrock.InternalServerException")
    # A full payload at a dollar a million tokens.
    assert Decimal("0.10") < lost.price_usd / lost.attempts < Decimal("0.12")
    assert ladder("summary: Read", "S3.SdkClientException").price_usd == 0


def test_a_refusal_costs_nothing_and_a_lost_answer_its_price() -> None:
    for error in ("ModelThrottled", "ModelAccessDenied", "ReadingUnfinished"):
        assert ladder("Classify", error).price_usd == 0
    lost = 9 * CONCURRENT_CALLS
    assert ladder("Classify", "ModelUnavailable").price_usd == lost * answer_price(STACK.model_id)


def test_dearest_answer_holds_the_longest_prompt() -> None:
    assert text_limit(packaged_classes()) + tool_tokens() + 2 * MAX_TOKENS < MODEL_TOKENS
    assert answer_price(STACK.model_id) > Decimal("0.2")  # the window alone, at a dollar a million
    assert answer_price("a model without a price") == 0


# -- the page -------------------------------------------------------------------------------------


def test_page_is_what_code_and_state_machine_say_now() -> None:
    assert renewed(PAGE_TEXT, STACK) == PAGE_TEXT, "run: python -m mailroom_desk.retries --write"


def test_renewing_the_page_twice_changes_nothing_and_keeps_the_rest() -> None:
    start, end = "# Title\n", "\n## After\n"
    made = PAGE_TEXT.index("<!-- Made"), PAGE_TEXT.index("## What the two")
    page = f"{start}{PAGE_TEXT[slice(*made)]}{end}"
    assert renewed(renewed(page, STACK), STACK) == page


def test_page_explains_every_error() -> None:
    for name in (*leaves(TransientError), *leaves(PermanentError)):
        assert re.search(rf"^\| {name} \| (yes|no) \| [A-Z]", PAGE_TEXT, re.M), name


def test_page_has_a_row_for_every_status_and_every_alarm() -> None:
    assert sorted(re.findall(r"^\| `([A-Z_]+)` \|", PAGE_TEXT, re.M)) == sorted(Status)
    alarms = {
        each["AlarmName"]["Fn::Sub"].replace("${Name}", "<name>")
        for each in resources("AWS::CloudWatch::Alarm").values()
    }
    rows = re.findall(r"^\| (`<name>-[^|]+) \|", PAGE_TEXT, re.M)
    assert {name for row in rows for name in re.findall(r"`([^`]+)`", row)} == alarms


def test_page_names_only_parameters_and_tests_that_exist() -> None:
    named = set(re.findall(r"`([A-Z][A-Za-z]+(?:Minutes|Schedule|PerSweep))`", PAGE_TEXT))
    assert named <= set(template()["Parameters"])
    assert named >= {name for name in template()["Parameters"] if name.endswith("LimitMinutes")}
    for path in re.findall(r"`(tests/[a-z_/.]+)`", PAGE_TEXT):
        assert (ROOT / path).exists(), path
