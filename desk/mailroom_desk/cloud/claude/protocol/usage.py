"""Count and price tokens.

Where the backend does not know them, tokens are estimated, not counted: four characters of the JSON
text make one token, rounded up (Anthropic's own rule of thumb for English). A prefix before a cache
point counts as written the first time and as read for five minutes after its last use, and only
from 4,096 tokens on, the least that Claude Haiku 4.5 caches. Claude sees tools, then system, then
messages: so do prefixes.
Prices: Claude Haiku 4.5 on Bedrock, USD per million tokens.
"""

import hashlib
import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

CHARACTERS_PER_TOKEN = 4
CACHE_SECONDS = 300
CACHE_MINIMUM_TOKENS = 4096
MILLION = Decimal(1_000_000)
INPUT_PRICE = Decimal("1.00")
OUTPUT_PRICE = Decimal("5.00")
CACHE_WRITE_PRICE = Decimal("1.25")
CACHE_READ_PRICE = Decimal("0.10")


@dataclass(frozen=True)
class Usage:
    """The tokens of one call. `input` is what was neither read from nor written to the cache.

    `charged_usd` is set where a real service counted them and has its own price.
    """

    input: int
    output: int
    cache_read: int = 0
    cache_write: int = 0
    charged_usd: Decimal | None = None

    @property
    def cost_usd(self) -> Decimal:
        """What the real service charges, or would charge, for this call."""
        if self.charged_usd is not None:
            return self.charged_usd
        return (
            self.input * INPUT_PRICE
            + self.output * OUTPUT_PRICE
            + self.cache_read * CACHE_READ_PRICE
            + self.cache_write * CACHE_WRITE_PRICE
        ) / MILLION

    def as_converse(self) -> dict[str, int]:
        """The `usage` of a Converse answer."""
        return {
            "inputTokens": self.input,
            "outputTokens": self.output,
            "totalTokens": self.input + self.output + self.cache_read + self.cache_write,
            "cacheReadInputTokens": self.cache_read,
            "cacheWriteInputTokens": self.cache_write,
        }


def estimate_tokens(value: Any) -> int:
    """Estimate the tokens of a JSON value or of a text. Nothing costs nothing."""
    if value is None:
        return 0
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return math.ceil(len(text) / CHARACTERS_PER_TOKEN)


class PromptCache:
    """Remembers which prefixes were sent in the last five minutes. `clock` gives seconds."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._used: dict[str, float] = {}

    def measure(self, model_id: str, request: dict[str, Any], output: Any) -> Usage:
        """Return the usage of a request and remember its cacheable prefixes."""
        now = self._clock()
        self._used = {k: at for k, at in self._used.items() if now - at < CACHE_SECONDS}
        total = read = cached = 0
        digest = hashlib.sha256(model_id.encode())
        for block in _blocks(request):
            if "cachePoint" not in block:
                total += estimate_tokens(block)
                digest.update(json.dumps(block, sort_keys=True).encode())
            elif total >= CACHE_MINIMUM_TOKENS:
                cached = total
                if digest.hexdigest() in self._used:
                    read = total
                self._used[digest.hexdigest()] = now
        return Usage(
            input=total - cached,
            output=estimate_tokens(output),
            cache_read=read,
            cache_write=cached - read,
        )


def _blocks(request: dict[str, Any]) -> list[dict[str, Any]]:
    """All blocks of the prompt, in the order in which Claude sees them."""
    tools = (request.get("toolConfig") or {}).get("tools", [])
    messages = [block for message in request["messages"] for block in message["content"]]
    return [*tools, *(request.get("system") or []), *messages]
