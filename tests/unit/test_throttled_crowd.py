"""A crowd that is throttled at one moment, on a simulated clock: full jitter spreads it."""

import heapq
import random
from collections import Counter
from dataclasses import dataclass

import pytest

from mailroom.llm.prompt import MAX_TOKENS
from mailroom_desk.retries import LIMITS, Family, Ladder, state_ladders
from mailroom_desk.retries.definitions import read_stack

RUNS, CALLS_A_SECOND = 200, 5
LADDER = next(each for each in state_ladders(read_stack()) if each.error == "ModelThrottled")


@dataclass(frozen=True)
class Crowd:
    """How it went: runs that gave up, the last end in seconds, and all calls by second."""

    given_up: int
    last_end: float
    calls: Counter[int]

    @property
    def total(self) -> int:
        """All calls."""
        return self.calls.total()

    @property
    def busiest(self) -> int:
        """Calls of the busiest second after the one in which all began."""
        return max(number for second, number in self.calls.items() if second)


def simulate(ladder: Ladder, rng: random.Random | None) -> Crowd:
    """All runs call at 0; each second has room for a few. Without `rng` waits have no jitter."""
    due = [(0.0, run, 0) for run in range(RUNS)]
    calls, taken = Counter[int](), Counter[int]()
    given_up, last_end = 0, 0.0
    while due:
        now, run, refused = heapq.heappop(due)
        calls[int(now)] += 1
        if taken[int(now)] < CALLS_A_SECOND:
            taken[int(now)] += 1
            last_end = now
        elif refused == len(ladder.waits):
            given_up += 1
        else:
            longest = ladder.waits[refused]
            wait = rng.uniform(0, longest) if rng else longest
            heapq.heappush(due, (now + wait, run, refused + 1))
    return Crowd(given_up, last_end, calls)


TOGETHER = simulate(LADDER, None)
SEEDS = pytest.mark.parametrize("seed", range(10))


@SEEDS
def test_every_run_of_a_throttled_crowd_is_through_within_the_budget(seed: int) -> None:
    crowd = simulate(LADDER, random.Random(seed))
    assert crowd.given_up == 0
    assert crowd.last_end < LIMITS[Family.THROTTLED]


@SEEDS
def test_jitter_spreads_the_calls_of_a_throttled_crowd(seed: int) -> None:
    crowd = simulate(LADDER, random.Random(seed))
    assert crowd.busiest < 0.15 * crowd.total
    assert crowd.busiest < 0.5 * TOGETHER.busiest


@SEEDS
def test_jitter_saves_a_throttled_crowd_most_of_its_calls_and_its_time(seed: int) -> None:
    crowd = simulate(LADDER, random.Random(seed))
    assert crowd.total < 0.25 * TOGETHER.total
    assert crowd.last_end < 0.05 * TOGETHER.last_end


def test_crowd_without_jitter_comes_back_together() -> None:
    assert TOGETHER.busiest == RUNS - CALLS_A_SECOND


# -- a quota in tokens ----------------------------------------------------------------------------

DOCUMENTS, INPUT_TOKENS, ANSWER_TOKENS, ANSWER_SECONDS = 30, 6_000, 500, 4.0
TOKENS_A_MINUTE = 100_000
MODELS_MOST = 64_000
"""What Claude Haiku 4.5 can answer with at most. Source: Anthropic's model overview."""


def minutes_for_all(max_tokens: int, seed: int) -> tuple[float, int]:
    """Minutes until all documents are answered, and how many gave up.

    The quota is charged with input and `max_tokens` when a call begins, and gets back what the
    answer did not use when it ends (Bedrock user guide, "Token burndown rate").
    """
    rng = random.Random(seed)
    due = [(0.0, run, 0, 0) for run in range(DOCUMENTS)]
    tokens, then, last_end, given_up = float(TOKENS_A_MINUTE), 0.0, 0.0, 0
    charge = INPUT_TOKENS + max_tokens
    while due:
        now, run, refused, returned = heapq.heappop(due)
        tokens = min(TOKENS_A_MINUTE, tokens + (now - then) * TOKENS_A_MINUTE / 60 + returned)
        then = now
        if returned:
            last_end = now
        elif tokens >= charge:
            tokens -= charge
            heapq.heappush(due, (now + ANSWER_SECONDS, run, refused, max_tokens - ANSWER_TOKENS))
        elif refused == len(LADDER.waits):
            given_up += 1
        else:
            heapq.heappush(due, (now + rng.uniform(0, LADDER.waits[refused]), run, refused + 1, 0))
    return last_end / 60, given_up


@SEEDS
def test_all_documents_pass_through_a_quota_that_is_charged_beforehand(seed: int) -> None:
    minutes, given_up = minutes_for_all(MAX_TOKENS, seed)
    assert given_up == 0
    assert minutes < 6


def test_asking_for_the_models_most_would_take_several_times_as_long() -> None:
    ours = sum(minutes_for_all(MAX_TOKENS, seed)[0] for seed in range(10))
    most = sum(minutes_for_all(MODELS_MOST, seed)[0] for seed in range(10))
    print(f"{ours / 10:.1f} minutes with {MAX_TOKENS}, {most / 10:.1f} with {MODELS_MOST}")
    assert most > 2 * ours
