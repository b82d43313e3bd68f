"""The contract of the announcements: the schemas of `docs/`, as a listener would use them."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import fastjsonschema

SCHEMAS = Path(__file__).parents[1] / "docs" / "schemas"


def keeps(event: dict[str, Any]) -> None:
    """Raise where an event breaks the contract, or tells more than the contract says."""
    assert event["source"] == "mailroom"
    detail = event["detail"]
    found = schema(f"{event['detail-type']}-{detail['version']}")
    _validator(found["title"])(detail)
    # A listener must not mind a new name; a name that nobody wrote down is a leak.
    assert set(detail) == set(found["properties"])


@cache
def schema(name: str) -> dict[str, Any]:
    """A schema by type and version: `schema("DocumentStored-1")`."""
    return dict(json.loads((SCHEMAS / f"{name}.json").read_text("utf-8")))


@cache
def _validator(title: str) -> Any:
    detail_type, _, version = title.partition(", version ")
    return fastjsonschema.compile(schema(f"{detail_type}-{version}"))
