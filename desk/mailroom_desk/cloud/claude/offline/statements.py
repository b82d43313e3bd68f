"""Balances, sums and savings of bank statements that no label names in full.

`opening_balance`, `closing_balance`, `deposits`, `withdrawals`, `savings` each take a sheet. A
balance is known by its day where a statement calls both alike: "Saldo al 31/03/2025".
"""

import re
from collections.abc import Iterator
from itertools import pairwise

from mailroom_desk.cloud.claude.offline.amounts import find_amounts
from mailroom_desk.cloud.claude.offline.dates import find_dates, without_dates
from mailroom_desk.cloud.claude.offline.sheet import Sheet
from mailroom_desk.cloud.claude.offline.values import account_number, first_amount
from mailroom_desk.cloud.claude.offline.words import plain

BALANCE = re.compile(r"\b(?:\w+ )?(?:balance|saldo|solde|kontostand)\b")
# The balance of a customer who owes: the amount itself has no minus.
OWED = re.compile(r"\bdebiteur|\bdeudor|\bdebet\b|\bsoll\b|\d\s?s$|\boverdrawn\b|\d\s?dr?\.?$")
SUM_OF_ALL = re.compile(r"^\W*(?:sub)?(?:total|totaal|umsatz|umsatze|summe|suma|somma)")
OUT = re.compile(
    r"\b(?:debits?|debito|belastung\w*|soll|lastschrift\w*|uscite|addebit\w*|dare|af|cargos?|debe|"
    r"money out|paid out|withdrawals?|payments)\b"
)
IN = re.compile(
    r"\b(?:credits?|credito|gutschrift\w*|haben|entrate|accredit\w*|avere|bij|abonos?|haber|"
    r"money in|paid in|deposits?|receipts)\b"
)
SAVINGS = re.compile(r"\b(?:savings?|spar\w*|epargne|livret|ahorros?|risparmio|spaar\w*)\b")


def opening_balance(sheet: Sheet) -> str | None:
    """The balance of the first day of those that have one."""
    dated = _dated_balances(sheet)
    first = min((day for day, _ in dated), default=None)
    return next((amount for day, amount in dated if day == first), None)


def closing_balance(sheet: Sheet) -> str | None:
    """The balance of the last day of those that have one."""
    dated = _dated_balances(sheet)
    last = max((day for day, _ in dated), default=None)
    return next((amount for day, amount in dated if day == last), None)


def deposits(sheet: Sheet) -> str | None:
    """The sum under the column of what came in."""
    return _sum_of_column(sheet, IN, OUT)


def withdrawals(sheet: Sheet) -> str | None:
    """The sum under the column of what went out."""
    return _sum_of_column(sheet, OUT, IN)


def savings(sheet: Sheet) -> tuple[str | None, str | None]:
    """Number and balance of the savings account in a list of accounts."""
    for table in sheet.document.tables:
        for name, *cells in table:
            number = next((found for cell in cells if (found := account_number(cell))), None)
            if number and len(cells) > 1 and SAVINGS.search(plain(name)):
                return number, first_amount(cells[-1], sheet.locale)
    return None, None


def _dated_balances(sheet: Sheet) -> list[tuple[str, str]]:
    """Days and balances, in the order of the paper; none where all are of one day."""
    found = list(_balances(sheet))
    return found if len({day for day, _ in found}) > 1 else []


def _balances(sheet: Sheet) -> Iterator[tuple[str, str]]:
    for line, below in pairwise([*sheet.lines, ""]):
        days = find_dates(line, sheet.locale.day_first)
        if len(days) != 1 or not BALANCE.match(plain(line)):
            continue
        own = without_dates(line, sheet.locale.day_first)
        text = own if find_amounts(own, sheet.locale.decimal_comma) else below
        amount = _only_amount(text, sheet) if text is below else first_amount(own, sheet.locale)
        if amount:
            is_owed = OWED.search(plain(f"{line} {text}")) and not amount.startswith("-")
            yield days[0], f"-{amount}" if is_owed else amount


def _only_amount(text: str, sheet: Sheet) -> str | None:
    """The amount of a line that holds nothing else but a currency or a sign."""
    return first_amount(text, sheet.locale) if sum(map(str.isalpha, text)) <= 3 else None


def _sum_of_column(sheet: Sheet, wanted: re.Pattern[str], other: re.Pattern[str]) -> str | None:
    """The amount in the row of the sums; both columns must be there, so that they are movements."""
    for table in sheet.document.tables:
        heads = [plain(cell) for cell in table[0]]
        column = next((at for at, head in enumerate(heads) if wanted.search(head)), None)
        if column is None or not any(map(other.search, heads)):
            continue
        for row in table[1:]:
            if any(SUM_OF_ALL.match(plain(cell)) for cell in row):
                return first_amount(row[column], sheet.locale)
    return None
