"""A currency stands on a document as its code, its sign or its name."""

import re
from collections.abc import Callable

from mailroom.verification.passages import Passage
from mailroom.verification.sought import Sought
from mailroom.verification.values import CODES

# Beside the code. One sign can stand for many currencies.
_SIGNS = {
    "EUR": "€|euros?",
    "GBP": "£|pounds? sterling",
    "JPY": "¥|￥|円|yen",
    "CNY": "¥|￥|元|圆|rmb",
    "INR": "₹|rs\\.?|rupees?",
    "CHF": "fr\\.|sfr|francs?",
    "BRL": "r\\$|reais|real",
    "KRW": "₩|원",
    "RUB": "₽|руб",
    "PLN": "zł",
    "CZK": "kč",
    "TRY": "₺",
    "UAH": "₴",
    "ILS": "₪",
    "THB": "฿",
    "VND": "₫",
    "PHP": "₱",
    "SEK": "kr",
    "NOK": "kr",
    "DKK": "kr",
    "ZAR": "r",
}
_DOLLARS = ("ARS", "CLP", "COP", "MXN", "TWD")  # written with "$", as all that end with D
_CODE = re.compile(rf"(?<![^\W\d_])(?:{CODES})(?![^\W\d_])")

_CODE_AT_AMOUNT = re.compile(rf"(?<![^\W\d_])({CODES})\s?[-(]?\d|\d[.,-]*\s?({CODES})(?![^\W\d_])")
_SHARED = ("\\$", "¥", "￥", "kr", "fr\\.", "r", "real")


class Currency:
    """One currency that an answer names."""

    def __init__(self, code: str, sought: Sought) -> None:
        self.sought = sought
        self._code = code
        signs = _SIGNS.get(code, "")
        if code.endswith("D") or code in _DOLLARS:
            signs = "|".join(filter(None, (signs, r"\$")))
        names = "|".join(filter(None, (re.escape(code), signs)))
        bare = "|".join(sign for sign in signs.split("|") if not re.search("[a-z]", sign))
        self._pattern = re.compile(
            rf"(?<![^\W\d_])(?:{names})(?![^\W\d_])|(?<=\d)(?:{names})(?![^\W\d_])"
            + (f"|{bare}" if bare else ""),
            re.IGNORECASE,
        )
        self._own_signs = [sign for sign in signs.split("|") if sign and sign not in _SHARED]
        self._codes: set[str] = set()
        self._at_amounts: set[str] = set()

    @property
    def others(self) -> bool:
        """The document's amounts are in another currency, by its code.

        A sign that several currencies share says nothing against that, nor does the own code in
        some other place.
        """
        if self._code in self._at_amounts:
            return False
        return bool(self._at_amounts) or (self._code not in self._codes and bool(self._codes))

    def look(self, passage: Passage, add: Callable[..., None]) -> None:
        """Find the currency in a passage."""
        if not passage.apart:
            text = passage.text
            self._codes.update(match[0] for match in _CODE.finditer(text))
            self._at_amounts.update(m[1] or m[2] for m in _CODE_AT_AMOUNT.finditer(text))
            if any(re.search(sign, text, re.IGNORECASE) for sign in self._own_signs):
                self._at_amounts.add(self._code)
        if not self.sought.places and (match := self._pattern.search(passage.text)):
            add(self.sought, passage.span(*match.span()))
