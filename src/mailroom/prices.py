"""What a document costs in USD, as AWS lists it for us-east-1; an estimate, not the bill."""

from collections.abc import Mapping
from decimal import Decimal

# Per page up to a million a month. Source: aws.amazon.com/textract/pricing, Analyze Document API.
_OCR_PAGE = {"FORMS": Decimal("0.05"), "TABLES": Decimal("0.015")}

# Per million tokens. Source: aws.amazon.com/bedrock/pricing, global endpoint. Cache writes cost
# 1.25 times and cache reads 0.1 times the input.
_MODELS = {
    "claude-haiku-4-5": (Decimal(1), Decimal(5)),
    "claude-sonnet-4-5": (Decimal(3), Decimal(15)),
    "claude-sonnet-4-6": (Decimal(3), Decimal(15)),
}
_CACHE_WRITE, _CACHE_READ = Decimal("1.25"), Decimal("0.1")
_MILLION = Decimal(1_000_000)


def ocr_price(pages: int, features: str) -> Decimal:
    """Reading so many pages with these comma-separated FeatureTypes."""
    return pages * sum((_OCR_PAGE.get(name, Decimal(0)) for name in features.split(",")), Decimal())


def model_price(model_id: str, usage: Mapping[str, int]) -> Decimal | None:
    """One answer, from Converse's `usage`; None for a model that has no price here."""
    prices = next((p for name, p in _MODELS.items() if name in model_id), None)
    if prices is None:
        return None
    per_input, per_output = prices
    weighted = (
        usage.get("inputTokens", 0) * per_input
        + usage.get("cacheWriteInputTokens", 0) * per_input * _CACHE_WRITE
        + usage.get("cacheReadInputTokens", 0) * per_input * _CACHE_READ
        + usage.get("outputTokens", 0) * per_output
    )
    return weighted / _MILLION


def estimate(model_id: str, input_tokens: int, output_tokens: int) -> Decimal:
    """What answers can cost, before they are asked for; nothing is taken to be cached.

    A model that has no price here is taken to be as dear as the dearest that has one.
    """
    usage = {"inputTokens": input_tokens, "outputTokens": output_tokens}
    known = model_price(model_id, usage)
    if known is not None:
        return known
    return max(model_price(name, usage) or Decimal() for name in _MODELS)
