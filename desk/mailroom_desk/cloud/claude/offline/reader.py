"""The offline reader: choose among the offered tools, fill the chosen one's schema.

`choose_tool(document, tools)` returns the best of the tools; `fill(document, tool)` its arguments.
A field is read in three steps, and left out if none finds it: a reader that knows the field better
than its label does, the field's labels, a reader that guesses by position.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from mailroom_desk.cloud.claude.offline import (
    agreements,
    papers,
    parties,
    people,
    registrations,
    statements,
)
from mailroom_desk.cloud.claude.offline.classes import Tool, score_tools
from mailroom_desk.cloud.claude.offline.items import read_items
from mailroom_desk.cloud.claude.offline.labels import FIELDS, Field, Kind
from mailroom_desk.cloud.claude.offline.letterhead import SHIP_TO, letterhead
from mailroom_desk.cloud.claude.offline.prompt import Document
from mailroom_desk.cloud.claude.offline.sheet import Sheet
from mailroom_desk.cloud.claude.offline.totals import read_totals
from mailroom_desk.cloud.claude.offline.words import plain

__all__ = ["Tool", "choose_tool", "fill"]

type Reader = Callable[[Sheet], str | None]

MRZ_FIELDS = ("surname", "given_name", "document_number", "date_of_birth", "expiry_date")


def _from_mrz(name: str, sheet: Sheet) -> str | None:
    return sheet.mrz.get(name)


SUMS = frozenset(("subtotal", "tax", "tip", "shipping", "discount", "total"))
# What goes out is printed with a minus in some columns; the field's name says it already.
UNSIGNED = frozenset(("total_withdrawals",))
# Read before the labels are looked at.
BEFORE_LABELS: dict[str, Reader] = {
    "currency": lambda sheet: sheet.locale.currency,
    "vendor_name": parties.vendor,
    "customer_name": parties.customer,
    "ship_to_name": lambda sheet: parties.party_block(sheet, SHIP_TO)[0],
    "ship_to_company": lambda sheet: parties.party_block(sheet, SHIP_TO)[1],
    "ship_from_name": lambda sheet: parties.party_block(sheet, parties.SHIP_FROM)[0],
    "ship_from_company": lambda sheet: parties.party_block(sheet, parties.SHIP_FROM)[1],
    "email": people.email,
    "form": papers.form_number,
    "filing_status": papers.filing_status,
    "document_type": people.document_type,
    "issuer": people.issuer,
    "party_1": lambda sheet: agreements.parties(sheet)[0],
    "party_2": lambda sheet: agreements.parties(sheet)[1],
    "governing_law": papers.governing_law,
    "title": papers.title,
    "period_start": lambda sheet: papers.period(sheet)[0],
    "period_end": lambda sheet: papers.period(sheet)[1],
    "current_title": lambda sheet: people.current_position(sheet)[0],
    "current_employer": lambda sheet: people.current_position(sheet)[1],
    "education": people.education,
    "bank_name": parties.bank,
    "location": people.location,
    "website": people.website,
    "iban": registrations.iban,
    "vendor_vat": registrations.vendor_vat,
    "employee_name": people.employee_name,
    "taxpayer_name": partial(people.name_of_two_boxes, firsts="your first name and middle initial"),
    **{name: partial(_from_mrz, name) for name in MRZ_FIELDS},
    "surname": lambda sheet: _from_mrz("surname", sheet) or people.surnames(sheet),
}
# Read where no label has a value.
AFTER_LABELS: dict[str, Reader] = {
    "merchant_name": letterhead,
    "ship_from_company": parties.supplier,
    "buyer_name": letterhead,
    "sender_organisation": papers.sender_organisation,
    "document_number": people.document_number,
    "employee_name": people.addressee,
    "phone": people.phone,
    "name": people.resume_name,
    "surname": lambda sheet: people.licence_name(sheet, 1),
    "given_name": lambda sheet: people.licence_name(sheet, 2),
    "recipient": papers.recipient,
    "recipient_organisation": papers.recipient_organisation,
    "sender": papers.sender,
    "subject": papers.subject,
    "account_holder": lambda sheet: parties.account_holder(sheet) or people.addressee(sheet),
    "opening_balance": statements.opening_balance,
    "closing_balance": statements.closing_balance,
    "total_deposits": statements.deposits,
    "total_withdrawals": statements.withdrawals,
    "savings_account_number": lambda sheet: statements.savings(sheet)[0],
    "savings_balance": lambda sheet: statements.savings(sheet)[1],
    "statement_date": papers.first_date,
    "invoice_date": papers.first_date,
    "transaction_date": papers.till_date,
    "po_date": papers.first_date,
    "date": papers.first_date,
    "due_date": papers.due_date,
    "begin_date": lambda sheet: agreements.term(sheet)[0],
    "expiration_date": lambda sheet: agreements.term(sheet)[1],
    "effective_date": papers.agreement_date,
    "tax_year": papers.tax_year,
}
# Their names say nothing about where they stand.
NEVER_BY_NAME = frozenset(
    (
        "title",
        "form",
        "website",
        "location",
        "current_title",
        "current_employer",
        "education",
        "sender_organisation",
        "recipient_organisation",
        "document_type",
        "issuer",
        "currency",
        "party_1",
        "party_2",
        "iban",
        "vendor_vat",
        "filing_status",
        "tax_year",
    )
)


def choose_tool(document: Document, tools: list[Tool]) -> Tool:
    """Return the tool with the best score; the first offered wins a tie."""
    scores = score_tools(document, tools)
    return max(tools, key=lambda tool: scores[tool.name])


def fill(document: Document, tool: Tool) -> dict[str, Any]:
    """Return the arguments for a tool: only fields that were found."""
    properties: dict[str, dict[str, Any]] = tool.schema.get("properties", {})
    sheet = Sheet(document, (name.replace("_", " ") for name in properties))
    sums = read_totals(sheet) if "total" in properties else {}
    found: dict[str, Any] = {}
    for name, schema in properties.items():
        if schema.get("type") == "array":
            value: Any = read_items(sheet, list(schema.get("items", {}).get("properties", {})))
        elif name in SUMS and "total" in properties:
            value = sums.get(name)
        else:
            value = _typed(_read(sheet, name, schema), schema)
        if name in UNSIGNED and isinstance(value, str):
            value = value.removeprefix("-")
        if value not in (None, "", []):
            found[name] = value
    return found


def _read(sheet: Sheet, name: str, schema: dict[str, Any]) -> str | None:
    if "enum" in schema:
        return next((v for v in schema["enum"] if plain(str(v)) in plain(sheet.text)), None)
    before = BEFORE_LABELS.get(name)
    value = before(sheet) if before else None
    if value is None and name not in NEVER_BY_NAME:
        field = FIELDS.get(name) or Field(_kind(name, schema), ((name.replace("_", " "), 0),))
        value = sheet.first(field)
    after = AFTER_LABELS.get(name)
    if value is None and after:
        value = after(sheet)
    return value


def _kind(name: str, schema: dict[str, Any]) -> Kind:
    """The kind of a field nobody described: by its format or type, else by its name."""
    match schema.get("format"), schema.get("type"):
        case ("date" | "date-time", _):
            return "date"
        case ("decimal", _) | (_, "number" | "integer"):
            return "amount"
    endings: dict[str, Kind] = {
        "number": "id",
        "no": "id",
        "id": "id",
        "name": "party",
        "date": "date",
    }
    return endings.get(name.rsplit("_", 1)[-1], "text")


def _typed(value: str | None, schema: dict[str, Any]) -> str | int | float | None:
    """Numbers for schemas that ask for numbers; text for all others."""
    if value is None or schema.get("type") not in ("number", "integer"):
        return value
    return int(float(value)) if schema["type"] == "integer" else float(value)
