"""Write doubt down as reasons: what was not read, not shown, not found, or is not there.

No reason quotes a value. Any reason sends the document to a person.
"""

from dataclasses import dataclass
from typing import Any

from mailroom.blocks import Page
from mailroom.classes import DocumentClass
from mailroom.grounding import Words

_MAX_REASONS = 25


@dataclass(frozen=True)
class Verdict:
    """Reasons to doubt, and the confidence: from 0 to 1, from the document's words alone.

    The confidence is the mean over the fields of the OCR confidence of the words that hold them, 0
    for a value that stands nowhere; without fields, the mean over all words. The model has no say.
    """

    reasons: list[str]
    confidence: float


def verify(
    pages: list[Page], found: DocumentClass | None, fields: dict[str, Any], counts: dict[str, Any]
) -> Verdict:
    """Check conservation and grounding.

    `counts` holds pages_reported, pages_read, pages_shown, dangling and warnings.
    """
    words = Words(pages)
    reasons = _conservation(counts)
    sureness = []
    for name, value in fields.items():
        schema = found.schema["properties"][name] if found else {}
        sure = words.find(value, schema)
        if sure is None:
            reasons.append(f"The value of {name} does not stand in the document's words.")
        sureness.append(sure or 0.0)
    for name in found.needed if found else ():
        if name not in fields:
            reasons.append(f"No {name} was found.")
    confidence = sum(sureness) / len(sureness) if sureness else words.mean_confidence()
    return Verdict(reasons[:_MAX_REASONS], round(confidence, 4))


def _conservation(counts: dict[str, Any]) -> list[str]:
    reasons = []
    reported, read, shown = (counts[f"pages_{what}"] for what in ("reported", "read", "shown"))
    if read != reported:
        reasons.append(f"Textract reports {reported} pages; {read} were read.")
    if shown != read:
        reasons.append(f"{shown} of {read} pages were shown to the model.")
    if counts["dangling"]:
        reasons.append(f"{counts['dangling']} parts of Textract's result lead nowhere.")
    reasons += [f"Textract warns: {warning}." for warning in counts["warnings"]]
    return reasons
