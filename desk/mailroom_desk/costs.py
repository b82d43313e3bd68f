"""What Mailroom's roads cost at AWS's list prices: counts, times prices, as `docs/costs.md` has it.

The counts are measured by tests (`tests/workflow/test_costs.py`); the seconds are an assumption.
`python -m mailroom_desk.costs --write` renews the tables of the page.
"""

import argparse
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal

from mailroom_desk.retries.definitions import PROJECT

PAGE = PROJECT / "docs" / "costs.md"
DATE = "30 November 2026"


@dataclass(frozen=True)
class Price:
    """What `per` of a unit cost in USD."""

    usd: Decimal
    per: int
    unit: str
    where: str

    def of(self, count: Decimal | int) -> Decimal:
        """The price of so many."""
        return self.usd * count / self.per


_MILLION = 1_000_000
PRICES = {
    "page": Price(Decimal("0.065"), 1, "page read with forms and tables", "textract"),
    "transition": Price(Decimal("0.025"), 1000, "state entered, Standard", "step-functions"),
    "express": Price(Decimal("1.00"), _MILLION, "Express execution", "step-functions"),
    "express-gb-s": Price(Decimal("0.00001667"), 1, "GB-second, Express", "step-functions"),
    "request": Price(Decimal("0.20"), _MILLION, "Lambda invocation", "lambda"),
    "gb-s": Price(Decimal("0.0000133334"), 1, "Lambda GB-second, arm64", "lambda"),
    "write": Price(Decimal("0.625"), _MILLION, "DynamoDB write unit (1 KB)", "dynamodb"),
    "read": Price(Decimal("0.125"), _MILLION, "DynamoDB read unit (4 KB)", "dynamodb"),
    "put": Price(Decimal("0.005"), 1000, "S3 PUT or LIST", "s3"),
    "get": Price(Decimal("0.0004"), 1000, "S3 GET or HEAD", "s3"),
    "event": Price(Decimal("1.00"), _MILLION, "event on a bus of one's own", "eventbridge"),
    "pipe": Price(Decimal("0.40"), _MILLION, "request of a pipe, after its filter", "eventbridge"),
    "schedule": Price(Decimal("1.00"), _MILLION, "start by Scheduler", "eventbridge"),
    "publish": Price(Decimal("0.50"), _MILLION, "SNS publication", "sns"),
    "message": Price(Decimal("0.40"), _MILLION, "SQS request", "sqs"),
}

CLAUDE_USD = Decimal("0.005")
"""A one-page invoice at Claude Haiku 4.5: 3,500 tokens in, 300 out, at 1 and 5 USD a million."""

ROADS: dict[str, tuple[str, tuple[str, ...]]] = {
    "main": (
        "statemachine/document.asl.json",
        ("Started?", "Extract", "Classify", "Confident?", "Store", "Announce", "MarkAnnounced"),
    ),
    "text": (
        "statemachine/summary.asl.json",
        (
            "Event?", "Identify", "Name", "Register", "Size?", "Read", "Text?", "Utf8?",
            "Summarise", "Answered?", "Take", "Keep",
        ),
    ),
    "digest": (
        "statemachine/digest.asl.json",
        ("Numbers", "Summarise", "Said?", "Said", "With", "Write", "Tell", "Kept?", "Done"),
    ),
}  # fmt: skip
"""Each machine's states on the road on which nothing goes wrong."""

SECONDS = {"Intake": "0.5", "OcrDone": "0.3", "Extract": "1", "Classify": "5", "Store": "0.3"}
"""How long each function is taken to run for a page: an assumption, no measurement on AWS."""

MEMORY_MB = {"Intake": 512, "OcrDone": 256, "Extract": 1769, "Classify": 1769, "Store": 256}

CALLS = {
    "s3.HeadObject": 1,
    "s3.GetObject": 9,
    "s3.ListObjectsV2": 1,
    "s3.PutObject": 4,
    "dynamodb.PutItem": 1,
    "dynamodb.UpdateItem": 5,
    "dynamodb.GetItem": 1,
    "dynamodb.Query": 8,
    "eventbridge.PutEvents": 1,
}
"""What functions and machine call for a page on the main road, free calls left out."""

ROW_KB = 2
"""The size of a row at rest, rounded up; each write is also one to two indexes."""

TEXTRACTS_FILES = 2
"""What Textract writes to the bucket on Mailroom's bill: a check and one file of results."""


def units(road: str = "main") -> dict[str, Decimal]:
    """What a document uses, by the names of `PRICES`."""
    transitions = Decimal(len(ROADS[road][1]))
    if road != "main":
        return {"transition": transitions}
    seconds = {name: Decimal(each) for name, each in SECONDS.items()}
    writes = CALLS["dynamodb.PutItem"] + CALLS["dynamodb.UpdateItem"]
    reads = CALLS["dynamodb.GetItem"] + Decimal(CALLS["dynamodb.Query"]) / 2
    return {
        "page": Decimal(1),
        "transition": transitions,
        "request": Decimal(len(SECONDS)),
        "gb-s": sum((seconds[name] * mb / 1024 for name, mb in MEMORY_MB.items()), Decimal()),
        "write": Decimal(writes * ROW_KB * 3),
        "read": reads,
        "put": Decimal(CALLS["s3.PutObject"] + CALLS["s3.ListObjectsV2"] + TEXTRACTS_FILES),
        "get": Decimal(CALLS["s3.GetObject"] + CALLS["s3.HeadObject"]),
        "event": Decimal(CALLS["eventbridge.PutEvents"]),
        "publish": Decimal(1),
    }


def price(used: Mapping[str, Decimal]) -> Decimal:
    """The price of some units in USD."""
    return sum((PRICES[name].of(count) for name, count in used.items()), Decimal())


def page_tables() -> dict[str, str]:
    """The tables of the page by name."""
    used = units()
    lines = [
        (PRICES[name].unit, _plain(count), _usd(PRICES[name].of(count) * 1000))
        for name, count in used.items()
    ]
    lines.insert(1, ("Claude's reading of a page", "1", _usd(CLAUDE_USD * 1000)))
    lines.append(("**together**", "", f"**{_usd((price(used) + CLAUDE_USD) * 1000)}**"))
    prices = [
        (each.unit, f"{each.usd} for {each.per:,}" if each.per > 1 else str(each.usd), each.where)
        for each in PRICES.values()
    ]
    roads = [
        (f"`{path}`", str(len(states)), _usd(PRICES["transition"].of(len(states)) * 1000))
        for path, states in ROADS.values()
    ]
    return {
        "document": _table(("Unit", "A document of one page", "USD for 1,000"), lines),
        "prices": _table(("Unit", "USD", "Price list"), prices),
        "roads": _table(("Machine", "States entered", "USD for 1,000 runs"), roads),
    }


def renewed(text: str) -> str:
    """The page with its tables as the code has them now."""
    for name, table in page_tables().items():
        start, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
        before, _, rest = text.partition(start)
        _, found, after = rest.partition(end)
        if found:
            text = f"{before}{start}\n{table}\n{end}{after}"
    return text


def _table(columns: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    head = list(columns)
    lines = [head, ["---"] * len(head), *map(list, rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _usd(amount: Decimal) -> str:
    return f"{amount:.2f}" if amount >= 1 else f"{amount:.4f}"


def _plain(count: Decimal) -> str:
    return f"{count:.1f}".removesuffix(".0")


def main() -> int:
    """Check the page, or write it; 1 where it is out of date."""
    parser = argparse.ArgumentParser(description="Check docs/costs.md against the code.")
    parser.add_argument("--write", action="store_true", help="write the tables anew")
    arguments = parser.parse_args()
    text = PAGE.read_text("utf-8")
    new = renewed(text)
    if arguments.write:
        PAGE.write_text(new, "utf-8")
        return 0
    return int(new != text)


if __name__ == "__main__":
    sys.exit(main())
