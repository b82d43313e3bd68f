"""Which faults of the plan met which document.

The servers choose by seed, rule, document and the number of the call or job, so the choice can be
made again from the plan and the ledger. A server that was killed counts calls from 0 again, and a
rule's `count` depends on the order: after a kill a strike may be missed or named too often.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from functools import partial

from mailroom_desk.cloud.fault_choice import Faults
from mailroom_desk.cloud.fault_table import Point
from mailroom_desk.cloud.faults import CLAUDE, TEXTRACT, Plan, Rule
from mailroom_desk.cloud.ledger import LedgerEntry

JOB_POINTS: tuple[Point, ...] = ("job", "notice", "result")
_CALLS = {
    TEXTRACT: ("StartDocumentAnalysis", "GetDocumentAnalysis"),
    CLAUDE: ("Converse",),
}


def strikes(
    plan: Plan, entries: Iterable[LedgerEntry], documents: Mapping[str, tuple[str, int]]
) -> dict[str, list[Rule]]:
    """The rules that struck each document. `documents` gives key and attempts by id."""
    found: dict[str, list[Rule]] = defaultdict(list)
    faults = {service: Faults(service, plan) for service in _CALLS}
    started: Counter[str] = Counter()
    for entry in entries:
        identity = entry.document_id
        if identity is None or identity not in documents:
            continue
        if entry.operation not in _CALLS.get(entry.service, ()):
            continue
        names = [identity, documents[identity][0]] if entry.service == TEXTRACT else [identity]
        asked: list[Point] = ["call"]
        if entry.service == CLAUDE and entry.outcome == "ok":
            asked.append("answer")
        if entry.operation == "StartDocumentAnalysis" and entry.outcome == "ok":
            started[identity] += 1
        for point in asked:
            rule = faults[entry.service].of_call(entry.operation, partial(list, names), point)
            if rule:
                found[identity].append(rule)
    for identity in started:
        key, attempts = documents[identity]
        for point in JOB_POINTS:
            for number in range(attempts):
                rule = faults[TEXTRACT].of_job(point, [identity, key], number)
                if rule:
                    found[identity].append(rule)
    return found


def name(rule: Rule) -> str:
    """The fault as a line of a table."""
    where = "Claude" if rule.service == CLAUDE else "Textract"
    code = rule.parameters.get("code") or rule.parameters.get("reason") or ""
    calls = sorted(each.removesuffix("DocumentAnalysis") for each in rule.operations)
    operation = ", ".join(calls) if rule.point == "call" else rule.point
    after = " after" if rule.parameters.get("after") else ""
    if rule.service == CLAUDE:
        operation = rule.point
    return f"{where} {operation}: {rule.fault}{after}{f' {code}' if code else ''}"
