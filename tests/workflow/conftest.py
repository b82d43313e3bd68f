"""One stack on moto a test."""

from collections.abc import Iterator

import pytest
from papers import INVOICE
from road import Road, open_road
from services import picks


@pytest.fixture
def road(monkeypatch: pytest.MonkeyPatch) -> Iterator[Road]:
    """The main road; Claude finds an invoice, all of it in the document."""
    with open_road(monkeypatch) as road:
        road.claude.says(picks("invoice", INVOICE))
        yield road
