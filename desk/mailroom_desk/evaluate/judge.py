"""From a row and its result file to the judged document.

Comes in: the case, the row (None where there is none), what `classify` wrote in full.
Goes out: a `Document`.
"""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from mailroom.classes import Classes
from mailroom_desk.documents import Row, elapsed, is_final, status, why
from mailroom_desk.evaluate.manifest import Case
from mailroom_desk.evaluate.matching import Match, compare
from mailroom_desk.evaluate.results import Document, Value


def judge(
    case: Case, document_id: str, row: Row | None, result: Mapping[str, Any], classes: Classes
) -> Document:
    """Compare one document. Values count only once it has ended and where it is scored."""
    row = row or {}
    given = result.get("fields") or {}
    wanted, unasked = _asked(case, classes)
    is_judged = case.is_scored and is_final(row or None)
    return Document(
        name=case.name,
        document_id=document_id,
        status=status(row) if is_final(row or None) else None,
        is_scored=case.is_scored,
        expected_class=case.document_class,
        found_class=row.get("document_class"),
        ends=list(case.ends),
        why=why(row),
        confidence=_float(row.get("confidence")),
        pages=int(row["pages"]) if "pages" in row else None,
        seconds=elapsed(row) if is_final(row or None) else None,
        price_usd=_float(row.get("price_usd")),
        traits=dict(case.traits),
        values=_values(case, wanted, result, row, classes) if is_judged else [],
        unasked=unasked if is_judged else [],
        unchecked=len(given.keys() - case.fields.keys()) if is_judged else 0,
    )


def _asked(case: Case, classes: Classes) -> tuple[dict[str, Any], list[str]]:
    """The expected values that the class has fields for, and the names of the others."""
    schemas = _schemas(case.document_class, classes)
    wanted = {name: value for name, value in case.fields.items() if name in schemas}
    return wanted, [name for name in case.fields if name not in schemas]


def _schemas(name: str | None, classes: Classes) -> Mapping[str, Any]:
    found = classes.by_name.get(name or "")
    properties: Mapping[str, Any] = found.schema["properties"] if found else {}
    return properties


def _values(
    case: Case, wanted: dict[str, Any], result: Mapping[str, Any], row: Row, classes: Classes
) -> list[Value]:
    schemas = _schemas(case.document_class, classes)
    given = result.get("fields") or {}
    return [
        _value(match, result.get("evidence"), _float(row.get("confidence")))
        for match in compare(wanted, case.printed, given, schemas)
    ]


def _value(match: Match, evidence: Mapping[str, list[Any]] | None, document: float | None) -> Value:
    """With its evidence: places in the document, each with a confidence."""
    grounded, confidence = None, None
    if match.path is not None:
        confidence = document
        if evidence is not None:
            places = [
                place
                for path, found in evidence.items()
                if path == match.path or path.startswith(f"{match.path}.")
                for place in found
            ]
            grounded = bool(places)
            confidence = min((float(place["confidence"]) for place in places), default=0.0)
    return Value(match.field, match.outcome, match.expected, match.got, grounded, confidence)


def _float(value: Decimal | float | None) -> float | None:
    return None if value is None else float(value)
