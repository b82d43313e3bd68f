"""The ledger of the local cloud's calls."""

import subprocess
import sys
from decimal import Decimal
from pathlib import Path

from mailroom_desk.cloud.ledger import Ledger

WRITER = """
import sys
from decimal import Decimal
from pathlib import Path
from mailroom_desk.cloud.ledger import Ledger
ledger = Ledger(Path(sys.argv[1]))
for _ in range(25):
    ledger.record("textract", "Get", document_id=None, outcome="ok", cost_usd=Decimal("0.1"))
"""


def test_ledger_returns_what_was_recorded_in_order(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "deep" / "ledger.db")
    ledger.record(
        "textract",
        "AnalyzedPages",
        document_id="abc",
        outcome="ok",
        cost_usd=Decimal("0.195"),
        detail="3 pages",
    )
    ledger.record(
        "bedrock", "Converse", document_id=None, outcome="ThrottlingException", cost_usd=Decimal(0)
    )
    first, second = Ledger(tmp_path / "deep" / "ledger.db").entries()
    assert (first.service, first.operation, first.document_id) == (
        "textract",
        "AnalyzedPages",
        "abc",
    )
    assert (first.cost_usd, first.detail) == (Decimal("0.195"), "3 pages")
    assert (second.document_id, second.outcome) == (None, "ThrottlingException")
    assert first.at.utcoffset() is not None
    assert first.at <= second.at


def test_ledger_keeps_the_entries_of_processes_that_write_at_once(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    command = [sys.executable, "-c", WRITER, str(path)]
    writers = [subprocess.Popen(command) for _ in range(3)]
    assert [writer.wait() for writer in writers] == [0, 0, 0]
    entries = Ledger(path).entries()
    assert len(entries) == 75
    assert sum(entry.cost_usd for entry in entries) == Decimal("7.5")
