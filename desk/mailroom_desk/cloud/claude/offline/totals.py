"""Subtotal, tax, tip and total, and what stands between: by label, position and arithmetic.

`read_totals(sheet)` tries the labelled candidates together and takes the set that adds up, unless
it stands at much weaker labels. What is missing is worked out from the other two and used only if
it is printed somewhere: nothing is invented.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from itertools import pairwise, product

from mailroom_desk.cloud.claude.offline.amounts import find_amounts
from mailroom_desk.cloud.claude.offline.labels import FIELDS
from mailroom_desk.cloud.claude.offline.sheet import Candidate, Sheet
from mailroom_desk.cloud.claude.offline.tax_tables import Share, shares
from mailroom_desk.cloud.claude.offline.words import phrase_pattern, plain

ADDS_UP_BONUS = 6.0
# Prices that include their tax: the sum before and after it is the same.
INCLUDES_TAX_BONUS = 2.5
CANDIDATES_TRIED = 12
MISSING_COST, MISSING_TOTAL_COST = 4.0, 8.0
# A total stands below what it adds up: among equal labels the later one wins.
LATER_BONUS = 1.5
# A total is seldom smaller than another amount at such a label.
SMALLER_COST = 0.6
# No tax is nearly as much as what it is paid for; of what is paid in all it is still less.
HIGHEST_RATE, HIGHEST_SHARE = Decimal("0.5"), Decimal("0.25")
# A row that sums the rates up is as sure as an amount beside its label; one rate's part is none.
SUMMED, ONE_RATE_COST = 1.0, 5.0
LONGEST_EXTRA = 60
NOTHING = Candidate("", MISSING_COST, 0)
NO_TOTAL = Candidate("", MISSING_TOTAL_COST, 0)


def read_totals(sheet: Sheet) -> dict[str, str]:
    """Return those of subtotal, tax, tip and total that were found.

    Shipping and discount have labels that stand beside many other amounts: they are given only
    where they close the gap between subtotal and total.
    """
    rates = shares(sheet)
    choices = [_candidates(sheet, name, rates) for name in ("subtotal", "tax", "tip", "total")]
    best = min(product(*choices), key=lambda chosen: _cost(chosen, choices[0][0]))
    names = ("subtotal", "tax", "tip", "total")
    found = {name: c.value for name, c in zip(names, best, strict=True) if c.value}
    found |= _between(sheet, found) or _worked_out(sheet, found)
    return _without_parts(found, rates)


def _without_parts(found: dict[str, str], rates: list[Share]) -> dict[str, str]:
    """Without what is of one rate alone, where several are printed and nothing is their sum."""
    if len(rates) < 2 or _adds_up(found):
        return found
    parts = {amount for share in rates for amount in (share.net, share.tax)}
    return {
        name: value
        for name, value in found.items()
        if name not in ("subtotal", "tax") or Decimal(value) not in parts
    }


def _adds_up(found: dict[str, str]) -> bool:
    if not found.keys() >= {"subtotal", "tax", "total"}:
        return False
    signs = {"subtotal": 1, "tax": 1, "tip": 1, "shipping": 1, "discount": -1}
    return Decimal(found["total"]) == sum(
        sign * Decimal(found.get(name, 0)) for name, sign in signs.items()
    )


def _between(sheet: Sheet, found: dict[str, str]) -> dict[str, str]:
    """Shipping, discount or both, where they make up what is missing to the total."""
    if not found.keys() >= {"subtotal", "total"}:
        return {}
    parts = (Decimal(found.get(name, 0)) for name in ("subtotal", "tax", "tip"))
    gap = Decimal(found["total"]) - sum(parts)
    if not gap:
        return {}
    printed = {
        name: ["", *dict.fromkeys([*labelled, *_in_lines_about(sheet, name)])]
        for name in ("shipping", "discount")
        for labelled in [[c.value for c in sheet.candidates(FIELDS[name])]]
    }
    for shipping, discount in product(printed["shipping"], printed["discount"]):
        if Decimal(shipping or 0) - abs(Decimal(discount or 0)) == gap:
            both = {"shipping": shipping, "discount": discount.removeprefix("-")}
            return {name: value for name, value in both.items() if value}
    return {}


def _in_lines_about(sheet: Sheet, name: str) -> Iterator[str]:
    """The amounts of lines that hold the word anywhere: "Launch discount (10% off)"."""
    word = re.compile("|".join(phrase_pattern(label) for label, _ in FIELDS[name].labels))
    for line, below in pairwise([*sheet.lines, ""]):
        if len(line) <= LONGEST_EXTRA and word.search(plain(line)):
            text = line if any(map(str.isalpha, below)) else f"{line} | {below}"
            found = find_amounts(text, sheet.locale.decimal_comma)
            yield from (amount.value for amount in found if amount.money)


def _candidates(sheet: Sheet, name: str, rates: list[Share]) -> list[Candidate]:
    last = max(1, len(sheet.lines))
    found: dict[str, Candidate] = {}
    for candidate in sheet.candidates(FIELDS[name]):
        bonus = LATER_BONUS * candidate.order / last if name == "total" else 0.0
        cost = candidate.cost - bonus
        known = found.get(candidate.value)
        if known is None or cost < known.cost:
            found[candidate.value] = Candidate(candidate.value, cost, candidate.order)
    if len(rates) > 1 and name in ("subtotal", "tax"):
        found = _by_rates(sheet, name, rates, found)
    ranked = sorted(found.values(), key=lambda c: c.cost)[:CANDIDATES_TRIED]
    if name == "total" and ranked:
        largest = max(Decimal(c.value) for c in ranked[:3])
        ranked = [
            c if Decimal(c.value) == largest else replace(c, cost=c.cost + SMALLER_COST)
            for c in ranked
        ]
    return [*ranked, NO_TOTAL if name == "total" else NOTHING]


def _by_rates(
    sheet: Sheet, name: str, rates: list[Share], found: dict[str, Candidate]
) -> dict[str, Candidate]:
    """The candidates, with the sum over all rates if it is printed; each rate's own costs more."""
    parts = [share.net if name == "subtotal" else share.tax for share in rates]
    judged = {
        value: replace(each, cost=each.cost + ONE_RATE_COST) if Decimal(value) in parts else each
        for value, each in found.items()
    }
    for at, line in enumerate(sheet.lines):
        for amount in find_amounts(line, sheet.locale.decimal_comma):
            if Decimal(amount.value) == sum(parts):
                known = judged.get(amount.value)
                cost = min(SUMMED, known.cost) if known else SUMMED
                judged[amount.value] = Candidate(amount.value, cost, at)
    return judged


def _cost(chosen: tuple[Candidate, ...], likely_subtotal: Candidate) -> float:
    subtotal, tax, tip, total = chosen
    cost = sum(candidate.cost for candidate in chosen)
    if not total.value or not subtotal.value:
        too_much = HIGHEST_SHARE * abs(Decimal(total.value or "Infinity"))
        return cost + MISSING_COST * (abs(Decimal(tax.value or 0)) > too_much)
    parts = sum(Decimal(c.value) for c in (subtotal, tax, tip) if c.value)
    if tax.value and abs(Decimal(tax.value)) > HIGHEST_RATE * abs(Decimal(subtotal.value)):
        return cost + MISSING_COST
    if parts == Decimal(total.value):
        cost -= ADDS_UP_BONUS if tax.value or tip.value else 0.0
    elif subtotal is likely_subtotal and tax.value and subtotal.value == total.value:
        cost -= INCLUDES_TAX_BONUS
    elif Decimal(total.value) < Decimal(subtotal.value):
        cost += 1.0
    if tax.value and Decimal(tax.value) >= Decimal(total.value) > 0:
        cost += MISSING_COST
    return cost


def _worked_out(sheet: Sheet, found: dict[str, str]) -> dict[str, str]:
    """The one of subtotal, tax and total that is missing, where it is printed."""
    amounts = {name: Decimal(value) for name, value in found.items()}
    tip = amounts.get("tip", Decimal(0))
    match amounts:
        case {"subtotal": subtotal, "tax": tax} if "total" not in amounts:
            name, value = "total", subtotal + tax + tip
        case {"total": total, "tax": tax} if "subtotal" not in amounts:
            name, value = "subtotal", total - tax - tip
        case {"total": total, "subtotal": subtotal} if "tax" not in amounts:
            name, value = "tax", total - subtotal - tip
        case _:
            return {}
    if value <= 0:
        return {}
    printed = (
        a.value for line in sheet.lines for a in find_amounts(line, sheet.locale.decimal_comma)
    )
    same = next((text for text in printed if Decimal(text) == value), None)
    return {name: same} if same else {}
