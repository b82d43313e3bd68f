"""Find a value again in the document's own words, by the format it has.

Comes in: the pages. Goes out, for each value: the OCR confidence (0 to 1) of the words it stands
in, or None where it stands nowhere.
"""

import unicodedata
from datetime import date
from decimal import Decimal
from functools import cached_property
from typing import Any

from mailroom.blocks import Page
from mailroom.classes import Schema
from mailroom.values import amounts_in, dates_in

# What stands on documents for a currency, beside its code. "$" is one sign of many currencies.
_SIGNS = {
    "EUR": ("€", "euro"),
    "GBP": ("£",),
    "JPY": ("¥", "￥", "円"),
    "CNY": ("¥", "￥", "元"),
    "INR": ("₹", "rs", "rupees"),
    "CHF": ("fr",),
    "BRL": ("r$",),
    "KRW": ("₩",),
}
_SHORT = 4  # shorter values must be words of their own: "12" stands in too many numbers


class Words:
    """The words of a document, ready to be looked through."""

    def __init__(self, pages: list[Page]) -> None:
        self._passages = [passage for page in pages for passage in _passages(page)]
        self._confidence = {
            _squeezed(word): confidence / 100 for page in pages for word, confidence in page.words
        }

    def find(self, value: Any, schema: Schema) -> float | None:
        """How sure the words are that hold a value; None where no words do.

        A list or an object is as sure as its least sure part.
        """
        match schema:
            case {"type": "array", "items": items}:
                return _least([self.find(item, items) for item in value])
            case {"type": "object", "properties": properties}:
                return _least([self.find(v, properties.get(k, {})) for k, v in value.items()])
            case {"format": "decimal"}:
                return self._sureness(self._amounts.get(abs(Decimal(value))))
            case {"format": "date"}:
                return self._sureness(self._dates.get(date.fromisoformat(value)))
            case {"format": "currency"}:
                return self._currency(value)
        return self._text(str(value))

    def mean_confidence(self) -> float:
        """Of all words, 0 to 1."""
        return sum(self._confidence.values()) / max(len(self._confidence), 1)

    @cached_property
    def _amounts(self) -> dict[Decimal, str]:
        return {amount: source for p in self._passages for amount, source in amounts_in(p)}

    @cached_property
    def _dates(self) -> dict[date, str]:
        return {found: source for p in self._passages for found, source in dates_in(p)}

    @cached_property
    def _spaced(self) -> str:
        return " ".join(["", *(_spaced(passage) for passage in self._passages), ""])

    @cached_property
    def _squeezed(self) -> str:
        return "\n".join(_squeezed(passage) for passage in self._passages)

    def _text(self, value: str) -> float | None:
        squeezed = _squeezed(value)
        found = f" {_spaced(value)} " in self._spaced
        if not found and len(squeezed) >= _SHORT:  # OCR and PDF text lose and add spaces
            found = squeezed in self._squeezed
        return self._sureness(value) if squeezed and found else None

    def _currency(self, code: str) -> float | None:
        signs = (code.casefold(), *_SIGNS.get(code, ()))
        dollar = code.endswith("D") and "$" in self._raw
        present = dollar or any(
            sign in self._raw if not sign.isalpha() else f" {sign} " in self._spaced
            for sign in signs
        )
        return self.mean_confidence() if present else None

    @cached_property
    def _raw(self) -> str:
        return "\n".join(self._passages).casefold()

    def _sureness(self, source: str | None) -> float | None:
        """The least confidence of a text's words; where OCR cut them otherwise, the mean."""
        if source is None:
            return None
        known = [self._confidence.get(_squeezed(word)) for word in source.split()]
        return min((sure for sure in known if sure is not None), default=self.mean_confidence())


def _passages(page: Page) -> list[str]:
    """The page's text, and what forms and tables hold together that lines tear apart."""
    cells = [cell for table in page.tables for row in table for cell in row]
    values = [value for _, value in page.forms]
    return [page.text, *(passage for passage in (*values, *cells) if passage)]


def _spaced(text: str) -> str:
    """Letters and digits in one form and case; all else is a space."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    return " ".join("".join(c if c.isalnum() else " " for c in plain).split())


def _squeezed(text: str) -> str:
    return _spaced(text).replace(" ", "")


def _least(found: list[float | None]) -> float | None:
    sure = [each for each in found if each is not None]
    return min(sure, default=None) if len(sure) == len(found) else None
