"""Does the document write the day or the month first?

"03/04/2026" is two dates. The model picks one of them; whether it may is decided here, by the first
of these that speaks, and by nothing else:

1. Other dates in figures of the same document that can be read in one order only ("25/12/2026").
   Where some say day first and others month first, none of them counts.
2. Dots between the figures: they are written between day, month and year, in this order.
3. The country: words that only the addresses, tax numbers and currencies of some countries hold.
4. The language: months and common words of one that writes the day first.
5. English with a dollar sign, or with a state and a ZIP code of the United States: month first.

Where two countries or languages disagree, or nothing speaks, the date stays doubtful. So documents
of one country are decided, and an English text without any country, currency or clear date is not.
"""

import re
from collections.abc import Iterable

from mailroom.verification.values import DateAt, read_dates

DAY_FIRST, MONTH_FIRST = "dmy", "mdy"

# Country marks: names, tax numbers and currencies. Canada writes both, so it is in neither list.
_DAY_FIRST_COUNTRY = re.compile(
    r"£|€|₹|R\$|\b(?:EUR|GBP|AUD|NZD|INR|BRL|CHF|DKK|NOK|SEK|PLN|SGD|MXN|ZAR|AED|ABN|GSTIN|CNPJ|SIRET"
    r"|SIREN|United Kingdom|Great Britain|England|Scotland|Wales|Ireland|Australia|New Zealand"
    r"|India|Singapore|South Africa|Nigeria|Kenya|Germany|Deutschland|France|Spain|España|Italy"
    r"|Italia|Portugal|Brasil|Brazil|Netherlands|Nederland|Belgium|België|Belgique|Austria"
    r"|Österreich|Switzerland|Schweiz|Suisse|Ltd|GmbH|S\.?A\.?R\.?L|B\.V)\b"
)
_MONTH_FIRST_COUNTRY = re.compile(
    r"\b(?:USD|USA|U\.S\.A?|United States|EIN|SSN|ZIP)(?!\w)"
    r"|\b(?:A[KLRZ]|C[AOT]|D[CE]|FL|GA|HI|I[ADLN]|K[SY]|LA|M[ADEINOST]|N[CDEHJMVY]|O[HKR]|PA|RI"
    r"|S[CD]|T[NX]|UT|V[AT]|W[AIVY]),?\s+\d{5}(?:-\d{4})?\b"
)
_DAY_FIRST_WORDS = re.compile(
    r"\b(?:rechnung|datum|betrag|zahlbar|und|facture|montant|échéance|adresse|veuillez|le|les|des"
    r"|factura|fecha|importe|vencimiento|para|fattura|scadenza|importo|della|fatura|vencimento"
    r"|valor|factuur|bedrag|het|een|voor|januar|februar|märz|mai|juni|juli|oktober|dezember"
    r"|janvier|février|avril|juin|juillet|août|octobre|décembre|enero|febrero|marzo|abril|mayo"
    r"|junio|julio|agosto|octubre|diciembre|gennaio|febbraio|maggio|giugno|luglio|ottobre|dicembre"
    r"|janeiro|fevereiro|março|maio|junho|julho|outubro|dezembro|maart|mei)\b",
    re.IGNORECASE,
)
_LANGUAGE_WORDS = 3  # fewer are a name or a quotation in an English text


class DayOrder:
    """What the pages seen so far say."""

    def __init__(self) -> None:
        self._clear: set[str] = set()
        self._countries: set[str] = set()
        self._words = 0
        self._dollars = False

    def look(self, text: str, dates: Iterable[list[DateAt]]) -> None:
        """Take a page's text into account, and its dates: all readings of each."""
        for readings in dates:
            order = clear_order(readings)
            if order:
                self._clear.add(order)
        if _DAY_FIRST_COUNTRY.search(text):
            self._countries.add(DAY_FIRST)
        if _MONTH_FIRST_COUNTRY.search(text):
            self._countries.add(MONTH_FIRST)
        if self._words < _LANGUAGE_WORDS:
            self._words += len({match[0].casefold() for match in _DAY_FIRST_WORDS.finditer(text)})
        self._dollars = self._dollars or "$" in text

    def decided(self) -> str | None:
        """The order, or None where nothing decides."""
        for said in (self._clear, self._countries):
            if len(said) == 1:
                return next(iter(said))
        if self._words >= _LANGUAGE_WORDS:
            return DAY_FIRST
        return MONTH_FIRST if self._dollars and not self._countries else None


def date_groups(text: str) -> list[list[DateAt]]:
    """The dates of a text, all readings of each together; with dots the day comes first."""
    groups: dict[int, list[DateAt]] = {}
    for found in read_dates(text):
        groups.setdefault(found.start, []).append(found)
    for start, readings in groups.items():
        dotted = "." in text[start : readings[0].end]
        if dotted and any(reading.order == DAY_FIRST for reading in readings):
            groups[start] = [reading for reading in readings if reading.order != MONTH_FIRST]
    return list(groups.values())


def clear_order(readings: list[DateAt]) -> str | None:
    """The only order in which a date in figures can be read; None for dates that say nothing."""
    orders = {reading.order for reading in readings} & {DAY_FIRST, MONTH_FIRST}
    return orders.pop() if len(orders) == 1 else None
