"""Two bank statements: three scanned pages in one TIFF file, and one page of PDF."""

from collections.abc import Sequence
from decimal import Decimal
from typing import NamedTuple

from maker.money import us
from maker.scanner import as_fax_tiff, rasterise
from maker.sheet import GREY, MARGIN, Column, Sheet


class Movement(NamedTuple):
    """A day (month/day), what happened, and the amount: negative if money left."""

    day: str
    words: str
    amount: str


CHECKING_OPENING = Decimal("18420.77")
CHECKING = [
    Movement("09/01", "Rent, Mill Street workshop", "-3150.00"),
    Movement("09/01", "Deposit, branch 014", "2480.00"),
    Movement("09/02", "Card purchase, Dovetail Hardware", "-214.63"),
    Movement("09/03", "Check 2107", "-860.00"),
    Movement("09/03", "Incoming transfer, Larkspur Hotels", "6725.00"),
    Movement("09/04", "Electricity, Tri-County Power", "-412.18"),
    Movement("09/08", "Card purchase, Ridgeway Lumber", "-1936.40"),
    Movement("09/08", "Check 2108", "-345.50"),
    Movement("09/09", "Deposit, branch 014", "1190.00"),
    Movement("09/10", "Water and sewer, City of Ferndell", "-96.75"),
    Movement("09/11", "Payroll, 5 employees", "-8214.09"),
    Movement("09/11", "Payroll taxes", "-2377.61"),
    Movement("09/14", "Incoming transfer, Oakhollow School District", "12350.00"),
    Movement("09/14", "Card purchase, Finishline Coatings", "-587.22"),
    Movement("09/15", "Insurance, Harborlight Mutual", "-640.00"),
    Movement("09/15", "Check 2109", "-1275.00"),
    Movement("09/16", "Deposit, branch 014", "3305.50"),
    Movement("09/17", "Card purchase, Pinecrest Fuel", "-158.94"),
    Movement("09/18", "Telephone and internet", "-131.49"),
    Movement("09/21", "Incoming transfer, Larkspur Hotels", "4480.00"),
    Movement("09/21", "Card purchase, Ridgeway Lumber", "-2204.87"),
    Movement("09/22", "Check 2111", "-512.30"),
    Movement("09/23", "Equipment lease, planer 24 in", "-745.00"),
    Movement("09/24", "Deposit, branch 014", "965.00"),
    Movement("09/25", "Payroll, 5 employees", "-8214.09"),
    Movement("09/25", "Payroll taxes", "-2377.61"),
    Movement("09/28", "Incoming transfer, Bluestem Interiors", "7940.00"),
    Movement("09/28", "Card purchase, Dovetail Hardware", "-88.15"),
    Movement("09/29", "Check 2112", "-430.00"),
    Movement("09/30", "Service fee", "-18.00"),
    Movement("09/30", "Interest paid", "3.42"),
]
CHECKING_ON_PAGE_1 = 15

PERSONAL_OPENING = Decimal("3205.14")
PERSONAL = [
    Movement("08 Jun", "Salary, Heron Bay Museum Trust", "2846.50"),
    Movement("09 Jun", "Standing order, rent", "-1120.00"),
    Movement("11 Jun", "Card, Greenlane Grocers", "-84.37"),
    Movement("15 Jun", "Card, Coastline Rail", "-46.80"),
    Movement("17 Jun", "Direct debit, Heron Bay Gas", "-61.25"),
    Movement("19 Jun", "Cash withdrawal, Quay Street", "-100.00"),
    Movement("22 Jun", "Card, Tidewater Books", "-38.98"),
    Movement("24 Jun", "Transfer from savings", "500.00"),
    Movement("26 Jun", "Card, Greenlane Grocers", "-91.06"),
    Movement("29 Jun", "Direct debit, council tax", "-143.00"),
    Movement("30 Jun", "Credit interest", "1.12"),
]


def scanned_statement() -> bytes:
    """Three pages: a summary, the movements, and a page of checks and notices."""
    sheet = Sheet("", face="Vera")
    came_in, went_out = _sums(CHECKING)
    closing = CHECKING_OPENING + came_in - went_out

    _statement_header(sheet, 1)
    holder = ["Fernwood Joinery LLC", "26 Mill Street", "Ferndell, PA 15999"]
    sheet.lines(MARGIN, 132, holder, size=10)
    facts = [
        ("Account Number:", "000 4471 9920"),
        ("Statement Date:", "09/30/2026"),
        ("Statement Period:", "09/01/2026 - 09/30/2026"),
    ]
    sheet.pairs(306, 132, facts, gap=118, size=9)
    sheet.text(MARGIN, 200, "Account Summary", size=12, bold=True)
    summary = [
        ["Opening Balance on 09/01/2026", f"${us(CHECKING_OPENING)}"],
        ["Total Deposits and Credits", f"${us(came_in)}"],
        ["Total Withdrawals and Debits", f"${us(went_out)}"],
        ["Closing Balance on 09/30/2026", f"${us(closing)}"],
    ]
    sheet.table(
        MARGIN, 210, [Column("Business Checking", 354), Column("Amount", 150, "right")], summary
    )
    rows = _with_balance(CHECKING, CHECKING_OPENING)
    sheet.text(MARGIN, 330, "Transactions", size=12, bold=True)
    y = sheet.table(MARGIN, 340, CHECKING_COLUMNS, rows[:CHECKING_ON_PAGE_1])
    sheet.text(sheet.right, y + 20, "Continued on page 2", align="right")
    sheet.next_page()

    _statement_header(sheet, 2)
    sheet.text(MARGIN, 132, "Transactions (continued)", size=12, bold=True)
    y = sheet.table(MARGIN, 142, CHECKING_COLUMNS, rows[CHECKING_ON_PAGE_1:])
    sheet.text(MARGIN, y + 22, "Closing Balance", bold=True)
    sheet.text(sheet.right - 5, y + 22, us(closing), bold=True, align="right")
    sheet.next_page()

    _statement_header(sheet, 3)
    sheet.text(MARGIN, 132, "Checks Paid", size=12, bold=True)
    checks = [
        [m.words.removeprefix("Check "), m.day, us(-Decimal(m.amount))]
        for m in CHECKING
        if m.words.startswith("Check ")
    ]
    columns = [Column("Number", 90), Column("Date", 90), Column("Amount", 110, "right")]
    y = sheet.table(MARGIN, 142, columns, checks)
    sheet.text(MARGIN, y + 40, "Important Information", size=12, bold=True)
    for notice in BANK_NOTICES:
        y = sheet.paragraph(MARGIN, y + 60, sheet.right - MARGIN, notice, size=9.5) - 48
    return as_fax_tiff(rasterise(sheet.pdf(), 200), dpi=200)


def digital_statement() -> bytes:
    """One page on A4, amounts in pounds, money in and money out in columns of their own."""
    sheet = Sheet("Statement of account", paper="a4")
    came_in, went_out = _sums(PERSONAL)
    sheet.box(MARGIN, 40, 34, 34, fill="#5b2a86")
    sheet.text(MARGIN + 17, 64, "H", size=20, bold=True, align="center", color="#ffffff")
    sheet.text(MARGIN + 44, 58, "Harrowgate Savings Bank", size=15, bold=True, color="#5b2a86")
    sheet.text(MARGIN + 44, 72, "12 Quay Street, Heron Bay HB1 0ZZ", size=8.5, color=GREY)
    sheet.text(sheet.right, 60, "Statement of Account", size=14, align="right")
    sheet.rule(MARGIN, 88, sheet.right, weight=1, color="#5b2a86")
    sheet.lines(MARGIN, 122, ["Ms Odile Farrant", "Flat 3, 41 Lantern Row", "Heron Bay HB2 0ZZ"])
    facts = [
        ("Account number:", "00123987"),
        ("Sort code:", "00-00-00"),
        ("Statement date:", "30 June 2026"),
        ("Period:", "1 June 2026 to 30 June 2026"),
    ]
    sheet.pairs(310, 122, facts, gap=92)

    x = MARGIN
    for label, amount in (
        ("Opening balance", PERSONAL_OPENING),
        ("Money in", came_in),
        ("Money out", went_out),
        ("Closing balance", PERSONAL_OPENING + came_in - went_out),
    ):
        sheet.box(x, 196, 114, 44, fill="#f1ebf6")
        sheet.text(x + 8, 213, label, size=8.5, color=GREY)
        sheet.text(x + 8, 230, f"£{us(amount)}", size=11.5, bold=True)
        x += 124.3

    columns = [
        Column("Date", 56),
        Column("Description", 207),
        Column("Money out", 72, "right"),
        Column("Money in", 72, "right"),
        Column("Balance", 80, "right"),
    ]
    rows = [["01 Jun", "Opening balance", "", "", us(PERSONAL_OPENING)]]
    rows += [
        [day, words, "" if paid_in else amount, amount if paid_in else "", balance]
        for (day, words, amount, balance), paid_in in zip(
            _with_balance(PERSONAL, PERSONAL_OPENING, signed=False),
            [Decimal(m.amount) > 0 for m in PERSONAL],
            strict=True,
        )
    ]
    y = sheet.table(MARGIN, 262, columns, rows, shade="#e4d9ee", row_height=20)
    notice = (
        "Please check this statement and tell us within 60 days if anything looks wrong. Interest "
        "is worked out daily and paid on the last working day of the month at 0.40% gross a year."
    )
    sheet.paragraph(MARGIN, y + 30, sheet.right - MARGIN, notice, size=8.5, leading=12)
    return sheet.pdf()


CHECKING_COLUMNS = [
    Column("Date", 56),
    Column("Description", 258),
    Column("Amount", 90, "right"),
    Column("Balance", 100, "right"),
]

BANK_NOTICES = [
    "Please examine this statement at once. Errors in electronic transfers must be reported within "
    "60 days of the statement date, by phone at (412) 555-0190 or in writing to the address above.",
    "From November 1, 2026 the monthly service fee of a Business Checking account is waived when "
    "the average daily balance is $10,000.00 or more.",
    "Our branches are closed on Columbus Day. Cash machines and online banking stay open.",
]


def _statement_header(sheet: Sheet, page: int) -> None:
    sheet.text(MARGIN, 62, "First Ferndell Community Bank", size=15, bold=True)
    sheet.text(MARGIN, 77, "100 Courthouse Square, Ferndell, PA 15999", size=8.5)
    sheet.text(sheet.right, 62, "BANK STATEMENT", size=12, bold=True, align="right")
    sheet.text(sheet.right, 77, f"Page {page} of 3", size=9, align="right")
    sheet.rule(MARGIN, 90, sheet.right, weight=1.5)


def _sums(movements: Sequence[Movement]) -> tuple[Decimal, Decimal]:
    """All that came in, and all that went out, both positive."""
    amounts = [Decimal(movement.amount) for movement in movements]
    came_in = sum((amount for amount in amounts if amount > 0), Decimal())
    return came_in, came_in - sum(amounts, Decimal())


def _with_balance(
    movements: Sequence[Movement], opening: Decimal, *, signed: bool = True
) -> list[list[str]]:
    """The movements as rows, each with the balance after it."""
    rows = []
    balance = opening
    for day, words, amount in movements:
        balance += Decimal(amount)
        shown = Decimal(amount) if signed else abs(Decimal(amount))
        rows.append([day, words, us(shown), us(balance)])
    return rows
