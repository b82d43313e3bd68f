"""What fields are called on paper, in English, German, French, Spanish, Italian, Dutch, Portuguese
and a little Japanese, Chinese and Arabic.

The tables hold one paragraph a field: `name (kind): label | label || weaker label`. The kind says
which parser reads the value; double bars begin the next, less certain tier. Labels are compared
without case, accents and signs. A field without a paragraph takes its kind from its schema and its
label from its own name.
"""

from dataclasses import dataclass
from typing import Literal, cast

from mailroom_desk.cloud.claude.offline.table_papers import PAPER_LABELS
from mailroom_desk.cloud.claude.offline.table_trade import OTHER_LABEL_TABLE, TRADE_LABELS
from mailroom_desk.cloud.claude.offline.words import word_set

type Kind = Literal[
    "date",
    "amount",
    "id",
    "document",
    "account",
    "party",
    "person",
    "text",
    "email",
    "phone",
    "tin",
]


@dataclass(frozen=True)
class Field:
    """How a field is found: the kind of its value, and its labels with their tiers from 0."""

    kind: Kind
    labels: tuple[tuple[str, int], ...]


def read_fields(table: str) -> dict[str, Field]:
    """Read a table of labels."""
    fields: dict[str, Field] = {}
    for paragraph in table.strip().split("\n\n"):
        head, _, labels = paragraph.partition("):")
        name, _, kind = head.partition(" (")
        tiers = enumerate(labels.split("||"))
        ranked = ((label.strip(), tier) for tier, text in tiers for label in text.split("|"))
        fields[name] = Field(cast(Kind, kind), tuple(ranked))
    return fields


FIELDS: dict[str, Field] = read_fields(TRADE_LABELS) | read_fields(PAPER_LABELS)
# Small words that may stand before a label: "your previous balance".
FILLERS = word_set("de el ihr ihre il la le our su the uw votre your")
# Labels that are also everyday words: they count only before a colon or alone on their line.
NEEDS_COLON = word_set(
    """
    a account address al amount an ate au balance bank bis born city class code company contact
    credits da dal data date de debits deposits desde du due employee employer exp for from
    hasta iss item items job le location method n naam name no nom nombre nome note notes
    number numero order page para payer payment period price rate re recipient ref reference
    savings subject surname tel time to tot type unit van vom von withdrawals
    """
)
# Labels of no field: they end a value and keep their place in a row of labels.
OTHER_LABELS = read_fields(f"other (text): {OTHER_LABEL_TABLE}")["other"].labels
