"""Every ladder: one error, in one state or function, tried until it is over or given up.

Step Functions counts the attempts of a `Retry` rule, whichever of its errors used them up: the
ladders of one rule share their budget.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Any

from mailroom.errors import TransientError
from mailroom_desk.retries.definitions import (
    DOCUMENT,
    Function,
    Stack,
    all_states,
    leaves,
    raised_by,
)
from mailroom_desk.retries.price import answer_price, inline_price, lost_answers


class Family(StrEnum):
    """What is asked of a ladder depends on what is wrong."""

    THROTTLED = "throttled"
    UNAVAILABLE = "unavailable"
    PLATFORM = "platform"


LIMITS = {Family.THROTTLED: 6 * 3600, Family.UNAVAILABLE: 15 * 60, Family.PLATFORM: 30 * 60}
"""How long the waits of one ladder may take together, in seconds."""

MAX_EVENTS = 10_000
"""Of an execution's history. Step Functions ends an execution at 25,000."""

# Scheduled, started, failed; and a state is entered and left.
_EVENTS_A_TRY, _EVENTS_A_STATE = 3, 2
# Lambda's own waits: developer guide, "How Lambda handles errors and retries with asynchronous
# invocation". The function's errors wait one minute, then two; throttles and faults of Lambda
# from 1 second to 5 minutes, as long as the event is young enough.
_ASYNC_WAITS = (60, 120)
_ASYNC_LONGEST = 300
LAMBDA_BUSY = "Lambda: 429 or 5xx"
ANY_OTHER = "any other error"
# What a stage answers by itself: no try is used up.
_ANSWERED = {("mailroom.intake", "OcrThrottled"), ("mailroom.sweeper", "OcrThrottled")}
# What a service refuses for now, whatever it is asked for: Bedrock's quotas are as Textract's.
_THROTTLES = {"Lambda.TooManyRequestsException", "Bedrock.ThrottlingException"}
# Where the road of an error that stays leads, by the first of these states on it.
_AFTERWARDS = {
    DOCUMENT: {
        "DeadLetter": "dead letter",
        "DeadLetterMessage": "the message alone; a sweep ends the row",
        "Written?": "the row alone",
        "Unannounced": "the row has its end; closer or sweep announce it",
        "NotTakenIn": "the run fails with the reason",
        "Failed": "dead letter; closer or sweep announce it",
    },
    "summary": {
        "NotRegistered": "the run fails with the reason",
        "KeepFailure": "the row says FAILED, with the reason",
        "Failed": "the run fails; its row stays WORKING",
    },
}


@dataclass(frozen=True)
class Ladder:
    """`waits` are the longest ones; with jitter each lies between 0 and that."""

    where: str
    error: str
    family: Family
    attempts: int
    waits: tuple[float, ...]
    has_jitter: bool
    has_cap: bool
    is_lambdas: bool
    attempt_seconds: int
    price_usd: Decimal
    afterwards: str

    @property
    def longest_wait(self) -> float:
        """All waits together at most."""
        return sum(self.waits)

    @property
    def expected_wait(self) -> float:
        """All waits together in the mean: full jitter halves them."""
        return self.longest_wait / 2 if self.has_jitter else self.longest_wait

    @property
    def worst_seconds(self) -> float:
        """As if every try took all its time."""
        return self.longest_wait + self.attempts * self.attempt_seconds

    @property
    def events(self) -> int:
        """What the ladder adds to the history of an execution."""
        return 0 if self.is_lambdas else self.attempts * _EVENTS_A_TRY + _EVENTS_A_STATE

    def problems(self) -> list[str]:
        """What is wrong with it. Lambda's own waits can only be too long."""
        wrong = []
        if self.longest_wait > LIMITS[self.family]:
            wrong.append(f"waits {self.longest_wait:.0f} s, over {LIMITS[self.family]} s")
        if not self.is_lambdas and not self.has_jitter:
            wrong.append("no jitter")
        if not self.is_lambdas and not self.has_cap:
            wrong.append("no cap")
        if self.events > MAX_EVENTS:
            wrong.append(f"{self.events} events, over {MAX_EVENTS}")
        return wrong


def all_ladders(stack: Stack) -> list[Ladder]:
    """The ladders of the state machines, then those of the asynchronous functions."""
    found = list(state_ladders(stack))
    for name, function in stack.functions.items():
        if function.is_heard:
            found += _function_ladders(name, function)
    return found


def state_ladders(stack: Stack) -> Iterator[Ladder]:
    """One ladder for each error of each `Retry` rule, the documents' machine first."""
    for machine in sorted(stack.machines, key=lambda name: name != DOCUMENT):
        yield from _machine_ladders(stack, machine)


def _machine_ladders(stack: Stack, machine: str) -> Iterator[Ladder]:
    for name, state, siblings in all_states(stack.machines[machine]):
        function = stack.function_of(state) if "Resource" in state else None
        seconds = state.get("TimeoutSeconds", 0)
        for rule in state.get("Retry", ()):
            waits = _waits(rule)
            for error in rule["ErrorEquals"]:
                yield Ladder(
                    where=name if machine == DOCUMENT else f"{machine}: {name}",
                    error=error,
                    family=family_of(error),
                    attempts=len(waits) + 1,
                    waits=waits,
                    has_jitter=rule.get("JitterStrategy") == "FULL",
                    has_cap="MaxDelaySeconds" in rule,
                    is_lambdas=False,
                    attempt_seconds=min(seconds, function.timeout) if function else seconds,
                    price_usd=_price(stack, state, error, len(waits) + 1),
                    afterwards=_afterwards(machine, siblings, state),
                )


def worst_events(stack: Stack) -> int:
    """The history of a run in which every task climbs all its ladders, in the worst machine."""
    return max(_worst_events(machine) for machine in stack.machines.values())


def _worst_events(machine: dict[str, Any]) -> int:
    states = [state for _, state, _ in all_states(machine)]
    tries = sum(
        1 + sum(len(_waits(rule)) for rule in state.get("Retry", ()))
        for state in states
        if state["Type"] == "Task"
    )
    return tries * _EVENTS_A_TRY + len(states) * _EVENTS_A_STATE


def family_of(error: str) -> Family:
    """By its name: a service's refusal, a leaf of ours, or a name that AWS gives."""
    if error.endswith("Throttled") or error in _THROTTLES:
        return Family.THROTTLED
    return Family.PLATFORM if "." in error else Family.UNAVAILABLE


def _waits(rule: dict[str, Any]) -> tuple[float, ...]:
    """The longest waits of a rule; what it leaves out has the default of the States Language."""
    interval, rate = rule.get("IntervalSeconds", 1), rule.get("BackoffRate", 2.0)
    cap = rule.get("MaxDelaySeconds", float("inf"))
    return tuple(min(interval * rate**i, cap) for i in range(rule.get("MaxAttempts", 3)))


def _price(stack: Stack, state: dict[str, Any], error: str, attempts: int) -> Decimal:
    """What the answers can cost that a ladder of a state pays for and loses."""
    function = stack.function_of(state) if "Resource" in state else None
    if function:
        lost = lost_answers(error, attempts, function.stage)
        return lost * answer_price(stack.model_id) if lost else Decimal(0)
    return attempts * inline_price(stack.model_id, state, error)


def _afterwards(machine: str, states: dict[str, Any], state: dict[str, Any]) -> str:
    """In words; of a machine without words of its own, by what it ends with."""
    words = _AFTERWARDS.get(machine, {})
    catchers = state.get("Catch") or [{"Next": ""}]
    name = str(catchers[-1]["Next"])
    while name in states and name not in words and "Next" in states[name]:
        name = str(states[name]["Next"])
    if name in words:
        return words[name]
    ends_well = name in states and states[name]["Type"] != "Fail"
    return "the run goes on without it" if ends_well else "the run fails with the reason"


def _function_ladders(name: str, function: Function) -> Iterator[Ladder]:
    transient = [each for each in leaves(TransientError) if each in raised_by(function.stage)]
    own = [each for each in transient if (function.stage, each) not in _ANSWERED]
    roads = [(error, family_of(error), _ASYNC_WAITS[: function.retries]) for error in own]
    roads.append((ANY_OTHER, Family.UNAVAILABLE, _ASYNC_WAITS[: function.retries]))
    roads.append((LAMBDA_BUSY, Family.THROTTLED, _busy_waits(function.age_seconds)))
    for error, family, waits in roads:
        yield Ladder(
            where=name,
            error=error,
            family=family,
            attempts=len(waits) + 1,
            waits=waits,
            has_jitter=False,
            has_cap=True,
            is_lambdas=True,
            attempt_seconds=0 if error == LAMBDA_BUSY else function.timeout,
            price_usd=Decimal(0),
            afterwards="undelivered queue" if function.is_kept else "given up",
        )


def _busy_waits(age_seconds: int) -> tuple[int, ...]:
    """As many doubled waits as the event's age allows."""
    waits: list[int] = []
    wait = 1
    while sum(waits) + wait <= age_seconds:
        waits.append(wait)
        wait = min(wait * 2, _ASYNC_LONGEST)
    return tuple(waits)
