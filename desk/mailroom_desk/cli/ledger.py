"""`mailroom ledger`: what the local stand-ins were asked."""

from collections import defaultdict
from collections.abc import Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from mailroom_desk.cloud.ledger import LedgerEntry

_ID_SHOWN = 8


def ledger(
    as_json: Annotated[
        bool, typer.Option("--json", help="One JSON object a call on stdout, nothing else there.")
    ] = False,
) -> None:
    """List the calls to the local Textract and Claude, and what AWS would have charged.

    Both are stand-ins on this machine, and nothing is charged, unless [bold]up --claude[/] let a
    real model answer. The ledger is kept when the cloud
    stops; delete .mailroom/ to begin a new one.

    Example: [bold]mailroom ledger[/]
    """
    from mailroom_desk.cli import screen
    from mailroom_desk.cloud.folder import Folder
    from mailroom_desk.cloud.ledger import Ledger
    from mailroom_desk.errors import NoLocalCloud
    from mailroom_desk.stack import HOME

    path = Folder(HOME).ledger
    if not path.exists():
        raise NoLocalCloud("There is no ledger here yet. Start a local cloud with: mailroom up")
    entries = Ledger(path).entries()
    if as_json:
        for entry in entries:
            screen.emit(_as_object(entry))
        return
    if not entries:
        typer.echo("Nothing was asked yet. Send a document with: mailroom send FILE")
        return
    _draw(entries)


def _as_object(entry: "LedgerEntry") -> dict[str, Any]:
    return {
        "at": entry.at.isoformat(),
        "service": entry.service,
        "operation": entry.operation,
        "document_id": entry.document_id,
        "outcome": entry.outcome,
        "cost_usd": float(entry.cost_usd),
        "detail": entry.detail,
    }


def _draw(entries: "Sequence[LedgerEntry]") -> None:
    from mailroom_desk.cli import screen, views
    from mailroom_desk.cli.document_view import dollars

    console = screen.out()
    calls = views.table("Call", "Time", "Document", "Outcome", "Real price", right=("Real price",))
    for entry in entries:
        calls.add_row(
            screen.plain(" ".join(filter(None, (_name(entry), entry.detail)))),
            f"{entry.at.astimezone():%m-%d %H:%M:%S}",
            (entry.document_id or "")[:_ID_SHOWN],
            screen.plain(entry.outcome, "" if entry.outcome == "ok" else "red"),
            dollars(entry.cost_usd) if entry.cost_usd else "",
        )
    console.print(calls)
    totals = views.table(
        "In all", "Calls", "Errors", "Real price", right=("Calls", "Errors", "Real price")
    )
    for name, calls_of_one in sorted(_by_name(entries).items()):
        errors = sum(entry.outcome != "ok" for entry in calls_of_one)
        totals.add_row(name, str(len(calls_of_one)), str(errors), dollars(_sum(calls_of_one)))
    console.print(totals)
    console.print(screen.plain(_charge(entries)))


def _charge(entries: "Sequence[LedgerEntry]") -> str:
    from mailroom_desk.cli.document_view import dollars
    from mailroom_desk.cli.views import STAND_IN
    from mailroom_desk.cloud.faults import CLAUDE

    real = [e for e in entries if e.service == CLAUDE and e.detail and STAND_IN not in e.detail]
    rest = [entry for entry in entries if entry not in real]
    told = (
        f"These are calls to the local stand-ins: nothing was charged. The real Textract and "
        f"Claude would have charged {dollars(_sum(rest))} for them."
    )
    if not real:
        return told
    who = ", ".join(sorted({entry.detail for entry in real}))
    return (
        f"{len(real)} of these calls were answered by {who}, for {dollars(_sum(real))} by the list "
        f"prices that Mailroom knows; it knows none of models other than Claude. The other calls "
        f"went to local stand-ins, which charge nothing; the real services would have charged "
        f"{dollars(_sum(rest))} for them."
    )


def _name(entry: "LedgerEntry") -> str:
    return f"{entry.service} {entry.operation}"


def _by_name(entries: "Sequence[LedgerEntry]") -> "dict[str, list[LedgerEntry]]":
    groups: dict[str, list[LedgerEntry]] = defaultdict(list)
    for entry in entries:
        groups[_name(entry)].append(entry)
    return groups


def _sum(entries: "Sequence[LedgerEntry]") -> Decimal:
    return sum((entry.cost_usd for entry in entries), Decimal())
