"""What a ladder can cost at most, on top of the answers that a document needs.

Assumptions, all of them on the dear side:

* Every answer is as dear as one can be: the model sees all that its window takes, the tools are
  written to the cache anew, and the answer is as long as it may be.
* Textract's refusals cost nothing, and a start that is repeated gives the same job: its token is a
  digest of the request. Result files are read as often as one likes.
* An answer is written down before it is used, so no try pays for it again. What a try can lose are
  the answers that were under way, or not yet written, when the try ended: as many as are asked for
  at a time, though only long documents have more than one.
"""

import json
from decimal import Decimal
from typing import Any

from mailroom.classes import packaged_classes
from mailroom.llm.prompt import MAX_TOKENS
from mailroom.llm.reading import CONCURRENT_CALLS, MODEL_TOKENS
from mailroom.prices import model_price
from mailroom_desk.retries.definitions import modules_of

_CHARACTERS_A_TOKEN = 2.5
# The model refused, the function was never reached, or all answers are kept: none can be lost.
_NOTHING_LOST = {
    "ModelThrottled",
    "ModelAccessDenied",
    "ReadingUnfinished",
    "Lambda.TooManyRequestsException",
}
_MODEL = "mailroom.aws.claude"
_INVOKE = "bedrock:invokeModel"
# A refusal, as the state machine's own call names it.
_REFUSED = "Bedrock.ThrottlingException"
# A state's parameters hold no more: AWS Step Functions Developer Guide, "Service quotas".
_PAYLOAD_BYTES = 256 * 1024


def answer_price(model_id: str) -> Decimal:
    """The dearest answer in USD; 0 for a model without a price here."""
    tools = tool_tokens()
    usage = {
        "inputTokens": MODEL_TOKENS - tools - MAX_TOKENS,
        "cacheWriteInputTokens": tools,
        "outputTokens": MAX_TOKENS,
    }
    return model_price(model_id, usage) or Decimal(0)


def tool_tokens() -> int:
    """What the classes take of the window, at as few characters a token as tables of numbers."""
    return int(len(json.dumps(packaged_classes().tools())) / _CHARACTERS_A_TOKEN)


def lost_answers(error: str, attempts: int, stage: str | None) -> int:
    """How many answers can be paid and lost when all attempts end in this error."""
    if stage is None or error in _NOTHING_LOST:
        return 0
    asks = any(module.__name__ == _MODEL for module in modules_of(stage))
    return attempts * CONCURRENT_CALLS if asks else 0


def inline_price(model_id: str, state: dict[str, Any], error: str) -> Decimal:
    """The dearest answer that a state asks for without a function, if this error can lose it."""
    if not str(state.get("Resource", "")).endswith(_INVOKE) or error == _REFUSED:
        return Decimal(0)
    usage = {
        "inputTokens": int(_PAYLOAD_BYTES / _CHARACTERS_A_TOKEN),
        "outputTokens": int(state["Parameters"].get("Body", {}).get("max_tokens", MAX_TOKENS)),
    }
    return model_price(model_id, usage) or Decimal(0)
