"""What `mailroom chaos` judges by: each invariant must notice what breaks it."""

import json
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pypdfium2
import pytest

from mailroom_desk.chaos.figures import percentile
from mailroom_desk.chaos.invariants import Evidence, check
from mailroom_desk.chaos.papers import papers
from mailroom_desk.chaos.pdf import one_page
from mailroom_desk.chaos.plan import default_plan
from mailroom_desk.chaos.strikes import strikes
from mailroom_desk.chaos.trouble import Uploaded
from mailroom_desk.cloud.fault_table import FAULTS
from mailroom_desk.cloud.faults import CLAUDE, TEXTRACT, Plan, Rule, parse_plan
from mailroom_desk.cloud.ledger import LedgerEntry

GOOD, BAD = "a" * 40, "b" * 40
START = datetime(2026, 11, 30, 15, 0, tzinfo=UTC)
LOST_ANSWER = Rule(CLAUDE, "call", frozenset({"Converse"}), "dropped", {"after": True})
SERVER_KILLED = Counter({"killed claude": 1})


def entry(service: str, operation: str, outcome: str = "ok") -> LedgerEntry:
    return LedgerEntry(START, service, operation, GOOD, outcome, Decimal(0), "")


def row(status: str, *steps: tuple[str, int], **values: Any) -> dict[str, Any]:
    times = [
        {"status": each, "at": (START + timedelta(seconds=after)).isoformat()}
        for each, after in steps
    ]
    return {"status": status, "attempt": Decimal(1), "timeline": times, **values}


def unmarked(known: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in known.items() if name != "announced_at"}


ANSWER, JOB = entry(CLAUDE, "Converse"), entry(TEXTRACT, "AnalyzedPages")
STORED = row(
    *("STORED", ("RECEIVED", 0), ("STORED", 9), ("ANNOUNCED", 10)),
    stored_at="…",
    announced_at="…",
    fields={"total": "1"},
    document_class="invoice",
    price_usd=Decimal("0.07"),
)
REJECTED = row(
    *("REJECTED", ("REJECTED", 0), ("ANNOUNCED", 1)),
    announced_at="…",
    reasons=["The file is empty."],
)


def digest_of(rows: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """The day's numbers as a digest of these rows has them; no test row has a price of its own."""
    stored = Counter(row["document_class"] for row in rows.values() if row["status"] == "STORED")
    return {
        "landed": 2,
        "documents": len(rows),
        "unaccounted": 0,
        "stored": dict(stored),
        "dead": {},
        "waiting": {},
        "spent_usd": "0.07" if stored else "0",
    }


GOOD_STORED, BAD_REJECTED = (GOOD, 1, "STORED"), (BAD, 1, "REJECTED")
HEARD = Counter({GOOD_STORED: 2, BAD_REJECTED: 1})
EVIDENCE = Evidence(
    uploaded=[Uploaded(GOOD, "incoming/a", "1", "", 0.0), Uploaded(BAD, "b", "1", "empty", 0.0)],
    rows={GOOD: STORED, BAD: REJECTED},
    entries=[JOB, ANSWER, ANSWER],
    strikes={},
    heard=HEARD,
    premature=set(),
    unaccounted=[],
    changed_by_repeat=[],
    trouble=Counter(),
    limits={"RECEIVED": timedelta(minutes=1)},
    rows_in_all=2,
    digests=[digest_of({GOOD: STORED, BAD: REJECTED})],
)


def with_(**changes: Any) -> Evidence:
    """The good run with something changed; its digest tells of the rows that it then has."""
    if "rows" in changes:
        changes = {"digests": [digest_of(changes["rows"])], **changes}
    return replace(EVIDENCE, **changes)


def broken(evidence: Evidence) -> list[str]:
    return [verdict.name for verdict in check(evidence) if not verdict.holds]


def test_good_run_breaks_nothing() -> None:
    assert broken(EVIDENCE) == []


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"rows": {GOOD: STORED}, "heard": Counter([GOOD_STORED])}, "exactly one row"),
        ({"rows_in_all": 3}, "exactly one row"),
        (
            {
                "rows": {GOOD: row("HELD", reasons=["…"]), BAD: REJECTED},
                "heard": Counter([BAD_REJECTED]),
            },
            "final status",
        ),
        ({"rows": {GOOD: STORED, BAD: unmarked(REJECTED)}}, "final status"),
        ({"rows": {GOOD: STORED, BAD: {**REJECTED, "reasons": []}}}, "true reason"),
        ({"rows": {GOOD: STORED, BAD: {**REJECTED, "reasons": ["Too large."]}}}, "true reason"),
        (
            {
                "rows": {GOOD: REJECTED, BAD: REJECTED},
                "heard": Counter([(GOOD, 1, "REJECTED"), BAD_REJECTED]),
            },
            "given up",
        ),
        ({"heard": Counter([BAD_REJECTED])}, "was announced"),
        ({"heard": Counter([GOOD_STORED])}, "was announced"),
        ({"heard": HEARD + Counter([(BAD, 1, "STORED")])}, "before it was written"),
        ({"heard": HEARD + Counter([(GOOD, 2, "STORED")])}, "before it was written"),
        ({"premature": {GOOD}}, "before it was written"),
        ({"entries": [JOB, JOB]}, "Textract job"),
        ({"entries": [ANSWER] * 3}, "answers of Claude"),
        ({"unaccounted": ["incoming/c"]}, "unaccounted"),
        ({"changed_by_repeat": [GOOD]}, "last repeat"),
        (
            {"rows": {GOOD: {**STORED, "fields": {"t": "987654321.09"}}, BAD: REJECTED}},
            "invented",
        ),
        ({"digests": []}, "digest"),
        *(
            ({"digests": [{**EVIDENCE.digests[0], **wrong}]}, "digest")
            for wrong in (
                {"landed": 1},
                {"documents": 3},
                {"unaccounted": 1},
                {"stored": {"receipt": 1}},
                {"dead": {"OcrFailed in Extract": 1}},
                {"waiting": {"IN_REVIEW": {"documents": 1, "longest_hours": 0.1}}},
                {"spent_usd": "0.08"},
            )
        ),
    ],
)
def test_each_fault_of_a_run_breaks_its_invariant(changes: dict[str, Any], told: str) -> None:
    (name,) = broken(with_(**changes))

    assert told in name


def test_second_store_of_one_attempt_is_noticed() -> None:
    twice = [*STORED["timeline"], {"status": "STORED", "at": (START + timedelta(1)).isoformat()}]
    rows = {GOOD: {**STORED, "timeline": twice}, BAD: REJECTED}

    assert broken(with_(rows=rows)) == ["stored at most once an attempt"]


def test_row_that_was_open_past_its_limit_is_noticed() -> None:
    steps = (("RECEIVED", 0), ("STORED", 61), ("ANNOUNCED", 62))
    slow = {**STORED, "timeline": row("STORED", *steps)["timeline"]}

    assert broken(with_(rows={GOOD: slow, BAD: REJECTED})) == ["no row was open past its limit"]


@pytest.mark.parametrize(
    "changes",
    [
        {"strikes": {GOOD: [LOST_ANSWER]}},
        {"trouble": Counter({"killed classify": 1})},
        {"trouble": SERVER_KILLED},
    ],
)
def test_answer_that_was_lost_on_its_way_is_not_counted(changes: dict[str, Any]) -> None:
    assert broken(with_(entries=[ANSWER] * 3, **changes)) == []


def test_kill_of_another_stage_excuses_no_answer() -> None:
    trouble = Counter({"sandboxes killed": 5, "killed extract": 5})

    assert len(broken(with_(entries=[ANSWER] * 3, trouble=trouble))) == 1


def test_strikes_are_those_that_the_plan_names() -> None:
    rules: list[dict[str, Any]] = [
        {"service": TEXTRACT, "fault": "lost", "documents": [GOOD[:4]]},
        {"service": TEXTRACT, "fault": "failed", "documents": [BAD[:4]]},
        {"service": CLAUDE, "operation": "Converse", "fault": "slow", "first": 1},
    ]
    plan: Plan = parse_plan(json.dumps({"rules": rules}))
    entries = [entry(TEXTRACT, "StartDocumentAnalysis"), ANSWER, ANSWER]

    found = strikes(plan, entries, {GOOD: ("incoming/a", 1), BAD: ("b", 1)})

    assert {name: [rule.fault for rule in each] for name, each in found.items()} == {
        GOOD: ["slow", "lost"]
    }


def test_default_plan_has_every_kind_of_fault() -> None:
    assert {rule["fault"] for rule in default_plan(seed=1)["rules"]} == FAULTS.keys()


def test_documents_follow_from_the_seed_and_some_share_a_key() -> None:
    made = papers(200, seed=3)

    assert made == papers(200, seed=3)
    assert made != papers(200, seed=4)
    assert len({paper.key for paper in made}) < 200
    assert {paper.bad for paper in made} == {"", "empty", "Office", "password", "damaged"}


def test_made_page_has_its_text_in_a_text_layer() -> None:
    document = pypdfium2.PdfDocument(one_page([(54, 60, "Café (net) \\ total"), (54, 90, "9.50")]))

    with document:
        text = document[0].get_textpage().get_text_range()

    assert text.splitlines() == ["Café (net) \\ total", "9.50"]


@pytest.mark.parametrize(("share", "value"), [(50, 50.0), (99, 99.0), (100, 100.0)])
def test_percentile_is_the_nearest_rank(share: int, value: float) -> None:
    assert percentile([float(number) for number in range(1, 101)], share) == value
    assert percentile([], share) == 0.0
