"""Tokens: estimated, cached for five minutes, priced."""

from decimal import Decimal
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from mailroom_desk.cloud.claude.protocol.usage import PromptCache, Usage, estimate_tokens

LONG, SHORT = "x" * 4 * 5000, "x" * 4 * 1000


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def request(tool_text: str) -> dict[str, Any]:
    spec = {"toolSpec": {"name": "t", "description": tool_text}}
    return {
        "toolConfig": {"tools": [spec, {"cachePoint": {"type": "default"}}]},
        "messages": [{"role": "user", "content": [{"text": "hello"}]}],
    }


def test_prompt_cache_long_prefix_is_written_once_then_read() -> None:
    cache = PromptCache(Clock())
    first, second = (cache.measure("m", request(LONG), "out") for _ in range(2))
    assert first.cache_write > 5000 and first.cache_read == 0
    assert (second.cache_read, second.cache_write) == (first.cache_write, 0)
    assert first.input == second.input < 20


def test_prompt_cache_reading_renews_the_five_minutes() -> None:
    clock = Clock()
    cache = PromptCache(clock)
    reads = []
    for clock.now in (0, 299, 598, 898):
        reads.append(cache.measure("m", request(LONG), "out").cache_read > 0)
    assert reads == [False, True, True, False]


def test_prompt_cache_short_prefix_is_plain_input() -> None:
    cache = PromptCache(Clock())
    for _ in range(2):
        usage = cache.measure("m", request(SHORT), "out")
        assert usage.input > 1000 and usage.cache_write == usage.cache_read == 0


def test_prompt_cache_of_another_model_is_not_shared() -> None:
    cache = PromptCache(Clock())
    cache.measure("one", request(LONG), "out")
    assert cache.measure("two", request(LONG), "out").cache_read == 0


def test_usage_cost_adds_the_four_prices() -> None:
    usage = Usage(input=1_000_000, output=1_000_000, cache_read=1_000_000, cache_write=1_000_000)
    assert usage.cost_usd == Decimal("7.35")


@given(st.text(), st.text())
def test_estimate_tokens_of_a_whole_is_at_most_the_sum_of_its_parts(one: str, two: str) -> None:
    assert estimate_tokens(one + two) <= estimate_tokens(one) + estimate_tokens(two)
