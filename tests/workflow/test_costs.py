"""The counts behind `docs/costs.md`, measured; and the page is what they give."""

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from itertools import pairwise
from typing import Any

import boto3
import pytest
from machines_on_moto import shared_session
from papers import INVOICE_PAGES
from road import Road
from stack import ROOT, functions

from mailroom.prices import model_price, ocr_price
from mailroom_desk import costs

# Of no price, or of the harness that waits.
FREE = ("textract.", "sfn.", "lambda.", "bedrock-runtime.")
OF_THE_MACHINE = ("dynamodb.UpdateItem", "eventbridge.PutEvents")


@contextmanager
def counted(road: Road) -> Iterator[Counter[str]]:
    """What functions and machine call; what the harness itself does is left out."""
    calls: Counter[str] = Counter()

    def note(event_name: str, **_: Any) -> None:
        operation = event_name.removeprefix("before-send.")
        if (road.in_handler or operation in OF_THE_MACHINE) and not operation.startswith(FREE):
            calls[operation] += 1

    boto3.client("events")  # the machine's own clients are others
    session = shared_session()
    emitters = [session.events, *(each.meta.events for each in session.clients.values())]
    for each in emitters:
        each.register_first("before-send", note)
    try:
        yield calls
    finally:
        for each in emitters:
            each.unregister("before-send", note)


def test_document_of_one_page_makes_the_calls_that_are_priced(road: Road) -> None:
    with counted(road) as calls:
        identity = road.upload()
        execution = road.read(identity, INVOICE_PAGES)

    assert execution.states == list(costs.ROADS["main"][1])
    assert [name.removesuffix("Function") for name in road.invoked] == list(costs.SECONDS)
    assert dict(calls) == costs.CALLS
    size = len(json.dumps(road.row(identity), default=str).encode())
    assert (costs.ROW_KB - 1) * 1024 < size <= costs.ROW_KB * 1024, size


def test_memory_is_that_of_the_template() -> None:
    memory = {
        name.removesuffix("Function"): each["MemorySize"] for name, each in functions().items()
    }
    assert costs.MEMORY_MB.items() <= memory.items()


@pytest.mark.parametrize("road_name", costs.ROADS)
def test_priced_road_is_one_that_the_machine_has(road_name: str) -> None:
    path, states = costs.ROADS[road_name]
    machine = json.loads((ROOT / path).read_text("utf-8"))
    assert machine["StartAt"] == states[0]
    for name, following in pairwise(states):
        state = machine["States"][name]
        choices = [choice["Next"] for choice in state.get("Choices", ())]
        assert following in (state.get("Next"), state.get("Default"), *choices), name
    last = machine["States"][states[-1]]
    assert last.get("End") or last["Type"] == "Succeed"


def test_prices_are_those_that_rows_are_priced_with() -> None:
    assert costs.PRICES["page"].usd == ocr_price(1, "FORMS,TABLES")
    usage = {"inputTokens": 3500, "outputTokens": 300}
    assert model_price("claude-haiku-4-5", usage) == costs.CLAUDE_USD


def test_page_is_what_the_code_says() -> None:
    text = costs.PAGE.read_text("utf-8")
    assert costs.renewed(text) == text, "run: python -m mailroom_desk.costs --write"
    assert all(f"<!-- {name} -->" in text for name in costs.page_tables())
    assert costs.DATE in text


def test_all_but_reading_is_less_than_a_hundredth() -> None:
    used = costs.units()
    whole = costs.price(used) + costs.CLAUDE_USD
    rest = costs.price({name: count for name, count in used.items() if name != "page"})
    assert rest < whole / 100
    assert whole > Decimal("0.07")


def test_choosing_quotes_the_prices_of_the_page() -> None:
    """What the guide says of transitions and totals follows from the same counts."""
    guide = (ROOT / "docs" / "choosing.md").read_text("utf-8")
    for name in costs.ROADS:
        transitions = costs.PRICES["transition"].of(len(costs.ROADS[name][1])) * 1000
        assert f"{transitions:.3f} USD" in guide, name
