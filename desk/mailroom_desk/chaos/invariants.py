"""What must hold after every run, judged from the rows, the ledger and what was announced.

`check` returns one `Verdict` an invariant, with the documents that break it.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from itertools import pairwise
from typing import Any

from mailroom.document import ENDS, Status
from mailroom_desk.chaos.trouble import Uploaded
from mailroom_desk.cloud.claude.sabotage import INVENTED_DATE, INVENTED_DECIMAL, INVENTED_TEXT
from mailroom_desk.cloud.faults import Rule
from mailroom_desk.cloud.ledger import LedgerEntry
from mailroom_desk.documents import timeline, why

# A first answer, and a repaired one where the first broke its schema (see `mailroom.classify`).
# Each is written down before it is used, so that no retry asks for it again.
ANSWERS_AN_ATTEMPT = 2
# One job an attempt: its token is the same in every retry (see `mailroom.aws.textract`).
CHARGES_AN_ATTEMPT = 1
# Calls that were under way in a server when it was killed, and that it may have charged for:
# as many as there are sandboxes.
IN_A_SERVER = 12

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Verdict:
    """One invariant: what it says, and who breaks it. `note` is a figure that goes with it."""

    name: str
    broken_by: Sequence[str] = ()
    note: str = ""

    @property
    def holds(self) -> bool:
        return not self.broken_by


@dataclass(frozen=True)
class Evidence:
    """All that a run leaves behind."""

    uploaded: Sequence[Uploaded]
    rows: Mapping[str, Row]
    entries: Sequence[LedgerEntry]
    strikes: Mapping[str, Sequence[Rule]]
    heard: Counter[tuple[str, int, str]]
    """How often each end was announced: document, attempt and status."""
    premature: set[str]
    unaccounted: Sequence[str]
    changed_by_repeat: Sequence[str]
    trouble: Counter[str]
    limits: Mapping[str, timedelta]
    """How long a row may have a status, its owner's limit and the sweep's delay included."""
    rows_in_all: int
    digests: Sequence[Mapping[str, Any]]
    """The numbers that the digest told, a day each."""


def check(evidence: Evidence) -> list[Verdict]:
    """Judge a run."""
    return [
        _one_row_each(evidence),
        _all_at_rest(evidence),
        _true_reasons(evidence),
        _no_harm_without_cause(evidence),
        _stored_once(evidence),
        _nothing_invented(evidence),
        _announced(evidence),
        _not_announced_before(evidence),
        _jobs_paid_once(evidence),
        _answers_within_bound(evidence),
        _within_limits(evidence),
        Verdict("nothing in the bucket is unaccounted for", evidence.unaccounted),
        Verdict("a last repeat of every event changed nothing", evidence.changed_by_repeat),
        _digest_is_the_table(evidence),
    ]


def _one_row_each(evidence: Evidence) -> Verdict:
    ids = [each.document_id for each in evidence.uploaded]
    lost = [name for name in ids if name not in evidence.rows]
    if evidence.rows_in_all > len(ids):
        lost.append(f"{evidence.rows_in_all - len(ids)} rows too many")
    return Verdict("every document has exactly one row (0 lost)", lost, f"{len(ids)} documents")


def _all_at_rest(evidence: Evidence) -> Verdict:
    still = [
        name
        for name, row in evidence.rows.items()
        if row["status"] not in ENDS or "announced_at" not in row
    ]
    return Verdict("every row is in a final status (0 open)", still)


def _true_reasons(evidence: Evidence) -> Verdict:
    bad = {each.document_id: each.bad for each in evidence.uploaded}
    wrong = []
    for name, row in evidence.rows.items():
        told = why(row)
        if row["status"] in ("STORED", "DUPLICATE"):
            continue
        names_it = bad[name].lower() in told.lower() or evidence.strikes.get(name)
        if not told or "No cause was given" in told or (bad[name] and not names_it):
            wrong.append(name)
    return Verdict("what was not stored has a true reason", wrong)


def _no_harm_without_cause(evidence: Evidence) -> Verdict:
    bad = {each.document_id for each in evidence.uploaded if each.bad}
    harmed = [
        name
        for name, row in evidence.rows.items()
        if row["status"] in ("DEAD_LETTERED", "REJECTED")
        and name not in bad
        and not evidence.strikes.get(name)
    ]
    return Verdict("no healthy document without a fault was given up", harmed)


def _stored_once(evidence: Evidence) -> Verdict:
    twice = [
        name
        for name, row in evidence.rows.items()
        if sum(step.status == "STORED" for step in timeline(row)) > int(row["attempt"])
    ]
    stored = sum(row["status"] == "STORED" for row in evidence.rows.values())
    return Verdict("stored at most once an attempt", twice, f"{stored} stored")


def _nothing_invented(evidence: Evidence) -> Verdict:
    invented = {INVENTED_DATE, INVENTED_DECIMAL, INVENTED_TEXT}
    stored = [
        name
        for name, row in evidence.rows.items()
        if row["status"] == "STORED" and any(each in str(row.get("fields")) for each in invented)
    ]
    return Verdict("no value that the model invented was stored", stored)


def _announced(evidence: Evidence) -> Verdict:
    missing = [
        name
        for name, row in evidence.rows.items()
        if row["status"] in ENDS and not evidence.heard[_end(name, row)]
    ]
    repeats = sum(count - 1 for count in evidence.heard.values())
    return Verdict("every end was announced", missing, f"{repeats} announced again")


def _not_announced_before(evidence: Evidence) -> Verdict:
    """What the row did not say when it was heard, or says otherwise for the same attempt."""
    ends = {_end(name, row) for name, row in evidence.rows.items()}
    now = {name: int(row["attempt"]) for name, row in evidence.rows.items()}
    wrong = {
        name
        for name, attempt, status in evidence.heard
        if attempt >= now.get(name, 0) and (name, attempt, status) not in ends
    }
    return Verdict(
        "nothing was announced before it was written", sorted(evidence.premature | wrong)
    )


def _end(name: str, row: Row) -> tuple[str, int, str]:
    return name, int(row["attempt"]), str(row["status"])


def _jobs_paid_once(evidence: Evidence) -> Verdict:
    """Pages are charged when a job ends; a killed server may end the jobs in its hands again."""
    charged = Counter(e.document_id for e in evidence.entries if e.operation == "AnalyzedPages")
    over = _excess(evidence, charged, CHARGES_AN_ATTEMPT)
    allowed = evidence.trouble["killed textract"] * IN_A_SERVER
    broken = list(over) if sum(over.values()) > allowed else []
    note = f"{sum(charged.values())} jobs charged, {sum(over.values())} of them again"
    return Verdict("one Textract job is paid for an attempt", broken, note)


def _answers_within_bound(evidence: Evidence) -> Verdict:
    """Two answers an attempt, plus those that were lost after they were paid for.

    Lost are the answers that the plan cuts off after the call was carried out; those that a
    killed `classify` had not written down yet, one a kill; those that a killed server was sending.
    """
    paid = Counter(
        e.document_id for e in evidence.entries if e.operation == "Converse" and e.outcome == "ok"
    )
    for name, rules in evidence.strikes.items():
        cut = sum(
            rule.service != "textract" and bool(rule.parameters.get("after")) for rule in rules
        )
        paid[name] = max(paid[name] - cut, 0)
    over = _excess(evidence, paid, ANSWERS_AN_ATTEMPT)
    allowed = evidence.trouble["killed classify"] + evidence.trouble["killed claude"] * IN_A_SERVER
    broken = list(over) if sum(over.values()) > allowed else []
    note = f"{sum(paid.values())} answers used, {sum(over.values())} over, {allowed} may be lost"
    return Verdict("at most two answers of Claude are paid for an attempt", broken, note)


def _excess(evidence: Evidence, paid: Mapping[str | None, int], bound: int) -> dict[str, int]:
    """By how much documents are over what their attempts may cost."""
    excess = {
        name: paid.get(name, 0) - bound * int(row["attempt"]) for name, row in evidence.rows.items()
    }
    return {name: number for name, number in excess.items() if number > 0}


def _within_limits(evidence: Evidence) -> Verdict:
    longest: dict[str, timedelta] = defaultdict(timedelta)
    late = []
    for name, row in evidence.rows.items():
        for status, seconds in spans(row):
            longest[status] = max(longest[status], seconds)
            if seconds > evidence.limits.get(status, timedelta.max):
                late.append(f"{name} {status} {seconds.total_seconds():.0f} s")
    note = ", ".join(f"{each} {span.total_seconds():.0f} s" for each, span in longest.items())
    return Verdict("no row was open past its limit", late, f"longest: {note}")


def _digest_is_the_table(evidence: Evidence) -> Verdict:
    """The numbers that people get are those of the rows; of a table without rows there are none."""
    rows = evidence.rows.values()
    statuses = Counter(str(row["status"]) for row in rows)
    table = {
        "landed": len(evidence.uploaded),
        "documents": len(rows),
        "unaccounted": 0,
        "stored": Counter(str(row["document_class"]) for row in rows if _is(row, Status.STORED)),
        "dead": statuses[Status.DEAD_LETTERED],
        "in review": statuses[Status.IN_REVIEW],
        "spent": sum((Decimal(row.get("price_usd", 0)) for row in rows), Decimal()),
    }
    days = evidence.digests
    last = days[-1]["waiting"] if days else {}
    told = {
        **{name: sum(day[name] for day in days) for name in ("landed", "documents", "unaccounted")},
        "stored": sum((Counter(day["stored"]) for day in days), Counter()),
        "dead": sum(sum(day["dead"].values()) for day in days),
        "in review": last.get(Status.IN_REVIEW, {}).get("documents", 0),
        "spent": sum((Decimal(day["spent_usd"]) for day in days), Decimal()),
    }
    wrong = [
        f"{name}: {told[name]} for {table[name]}" for name in table if told[name] != table[name]
    ]
    return Verdict("the digest says what the table says", wrong, f"{told['landed']} landed")


def _is(row: Row, status: Status) -> bool:
    return bool(row["status"] == status)


def spans(row: Row) -> Iterable[tuple[str, timedelta]]:
    """How long the row had each status; the last one has no end and is left out."""
    steps = [(str(e["status"]), datetime.fromisoformat(e["at"])) for e in row["timeline"]]
    for (status, since), (_, until) in pairwise(steps):
        yield status, until - since
