"""A document laid out for reading: its evidence and its locale, shared by all field readers."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from mailroom_desk.cloud.claude.offline.evidence import Evidence
from mailroom_desk.cloud.claude.offline.labels import Field
from mailroom_desk.cloud.claude.offline.locale import Locale, read_locale
from mailroom_desk.cloud.claude.offline.mrz import read_mrz
from mailroom_desk.cloud.claude.offline.prompt import Document
from mailroom_desk.cloud.claude.offline.values import parse
from mailroom_desk.cloud.claude.offline.words import plain, squeeze

DOMAIN = re.compile(r"(?:@|www\.|https?://)([\w-]+(?:\.[\w-]+)*)\.[a-z]{2,}")


@dataclass(frozen=True)
class Candidate:
    """A parsed value at a label. `cost` is lower for what is more certain."""

    value: str
    cost: float
    order: int


class Sheet:
    """One document and what is known about it."""

    def __init__(self, document: Document, extra_labels: Iterable[str] = ()) -> None:
        self.document = document
        self.lines = document.lines
        self._extra_labels = tuple(extra_labels)

    @cached_property
    def evidence(self) -> Evidence:
        """The labelled texts."""
        return Evidence(self.document, self._extra_labels)

    @cached_property
    def locale(self) -> Locale:
        """Language, dates, amounts, currency."""
        return read_locale(self.document)

    @cached_property
    def mrz(self) -> dict[str, str]:
        """What a machine-readable zone says, by field."""
        return read_mrz(self.lines)

    @cached_property
    def text(self) -> str:
        """All lines as one text."""
        return "\n".join(self.lines)

    @cached_property
    def squeezed(self) -> str:
        """All lines as one text of letters and digits."""
        return squeeze(self.text)

    @cached_property
    def domains(self) -> frozenset[str]:
        """The e-mail and web domains on the paper, without their endings."""
        return frozenset(squeeze(match[1]) for match in DOMAIN.finditer(plain(self.text)))

    def candidates(self, field: Field) -> list[Candidate]:
        """The values of a field's kind at its labels, the most certain first."""
        found: list[Candidate] = []
        for hit in self.evidence.at(field):
            texts = (hit.text, *hit.others)
            values = (v for text in texts if (v := parse(field.kind, text, self.locale)))
            value = next(islice(values, hit.place, None), None)
            if value is not None:
                found.append(Candidate(value, hit.cost, hit.order))
        return found

    def first(self, field: Field) -> str | None:
        """The most certain value of a field at its labels."""
        found = self.candidates(field)
        return found[0].value if found else None

    def first_on_first_page(self, field: Field) -> str | None:
        """The same where it stands on the first page: "from" and "to" mean others on later ones."""
        end = len(self.document.pages[0].lines)
        return next((c.value for c in self.candidates(field) if c.order < end), None)
