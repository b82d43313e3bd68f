"""What a ladder can cost at most, on top of the answers that a document needs.

Assumptions, all of them on the dear side:

* Every answer is as dear as one can be: the model sees all that its window takes, the tools are
  written to the cache anew, and the answer is as long as it may be.
* Textract's refusals cost nothing, and a start that is repeated gives the same job: its token is a
  digest of the request. Result files are read as often as one likes.
* An answer is written down before it is used, so no try pays for it again. What a try can lose is
  the one answer that was under way, or was not yet written, when the try ended.
"""

import json
from decimal import Decimal

from mailroom.classes import packaged_classes
from mailroom.prices import model_price
from mailroom.prompt import MAX_TOKENS
from mailroom_desk.retries.definitions import modules_of

WINDOW_TOKENS = 200_000
"""What Claude Haiku sees at most, see `prompt.MAX_CHARACTERS`. More is refused, unpaid."""

_CHARACTERS_A_TOKEN = 2.5
# The model or the function was never reached: no answer can have been under way.
_NOTHING_ASKED = {"ModelThrottled", "Lambda.TooManyRequestsException"}
_MODEL = "mailroom.aws.claude"


def answer_price(model_id: str) -> Decimal:
    """The dearest answer in USD; 0 for a model without a price here."""
    tools = tool_tokens()
    usage = {
        "inputTokens": WINDOW_TOKENS - tools - MAX_TOKENS,
        "cacheWriteInputTokens": tools,
        "outputTokens": MAX_TOKENS,
    }
    return model_price(model_id, usage) or Decimal(0)


def tool_tokens() -> int:
    """What the classes take of the window, at as few characters a token as tables of numbers."""
    return int(len(json.dumps(packaged_classes().tools())) / _CHARACTERS_A_TOKEN)


def lost_answers(error: str, attempts: int, stage: str | None) -> int:
    """How many answers can be paid and lost when all attempts end in this error."""
    if stage is None or error in _NOTHING_ASKED:
        return 0
    asks = any(module.__name__ == _MODEL for module in modules_of(stage))
    return attempts if asks else 0
