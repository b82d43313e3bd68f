"""The tables as Markdown, between two marks of `docs/operations.md`."""

from collections.abc import Iterable, Sequence
from itertools import groupby
from pathlib import Path

from mailroom.errors import PermanentError, TransientError
from mailroom.llm.prompt import MAX_TOKENS
from mailroom.llm.reading import CONCURRENT_CALLS, MODEL_TOKENS
from mailroom_desk.retries.definitions import (
    PROJECT,
    Stack,
    leaves,
    meaning,
    raised_by,
    service_codes,
)
from mailroom_desk.retries.ladders import LIMITS, MAX_EVENTS, Ladder, all_ladders, worst_events
from mailroom_desk.retries.price import answer_price

PAGE = PROJECT / "docs" / "operations.md"
BEGIN = "<!-- Made by `python -m mailroom_desk.retries --write`; do not edit. -->"
END = "<!-- End of what is made. -->"
_WAITS_SHOWN = 4


def write(stack: Stack, page: Path = PAGE) -> bool:
    """Put the tables into the page; whether they changed it."""
    old = page.read_text("utf-8")
    new = renewed(old, stack)
    page.write_text(new, "utf-8")
    return new != old


def renewed(page: str, stack: Stack) -> str:
    """The page with the tables as they are now."""
    before, _, rest = page.partition(BEGIN)
    after = rest.partition(END)[2]
    return f"{before}{BEGIN}\n\n{markdown(stack)}\n{END}{after}"


def markdown(stack: Stack) -> str:
    """Budgets, ladders, and the errors by name."""
    limits = _table(
        ("Family", "All waits of one ladder together"),
        ((family, f"at most {duration(seconds)}") for family, seconds in LIMITS.items()),
    )
    ladders = _table(
        (
            "Where", "Error", "Tries", "Longest waits (s)", "Waits: most / mean", "One try",
            "Worst time", "Worst price", "Then",
        ),
        (_row(group) for group in grouped(all_ladders(stack))),
    )  # fmt: skip
    note = (
        f"Worst price: answers that were paid for and lost, at {answer_price(stack.model_id):.3f} "
        f"USD each, as if the model saw {MODEL_TOKENS:,} tokens and answered with {MAX_TOKENS:,}, "
        f"and each try lost {CONCURRENT_CALLS} of them, as only that of a long document can. "
        f"A run in which every task climbs all its ladders has {worst_events(stack):,} events in "
        f"its history; the limit set here is {MAX_EVENTS:,}, and AWS's is 25,000."
    )
    return "\n".join((limits, ladders, note, "", _errors(stack)))


def grouped(ladders: Iterable[Ladder]) -> list[list[Ladder]]:
    """Ladders that differ in nothing but the error's name, together."""
    return [list(group) for _, group in groupby(ladders, key=_figures)]


def first_waits(ladder: Ladder) -> str:
    """The waits in short: `5, 10, 20, 40 … 300`."""
    shown = [f"{wait:g}" for wait in ladder.waits]
    if len(shown) > _WAITS_SHOWN + 1:
        return f"{', '.join(shown[:_WAITS_SHOWN])} … {shown[-1]}"
    return ", ".join(shown) or "none"


def waits_in_all(ladder: Ladder) -> str:
    """At most, and in the mean where the waits are jittered."""
    most = duration(ladder.longest_wait)
    return f"{most} / {duration(ladder.expected_wait)}" if ladder.has_jitter else most


def price(ladder: Ladder) -> str:
    """The worst price; nothing is worth a bare 0."""
    return f"{ladder.price_usd:.2f} USD" if ladder.price_usd else "0"


def duration(seconds: float) -> str:
    """Whole units, the two largest."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    units = [(hours, "h"), (minutes, "min"), (rest, "s")]
    shown = [f"{number} {unit}" for number, unit in units if number][:2]
    return " ".join(shown) or "0 s"


def _figures(ladder: Ladder) -> tuple[object, ...]:
    return (
        ladder.where, ladder.waits, ladder.has_jitter, ladder.attempt_seconds, ladder.price_usd,
        ladder.afterwards,
    )  # fmt: skip


def _row(group: Sequence[Ladder]) -> tuple[str, ...]:
    ladder = group[0]
    return (
        ladder.where,
        "<br>".join(each.error for each in group),
        str(ladder.attempts),
        first_waits(ladder),
        waits_in_all(ladder),
        duration(ladder.attempt_seconds),
        duration(ladder.worst_seconds),
        price(ladder),
        ladder.afterwards,
    )


def _errors(stack: Stack) -> str:
    codes: dict[str, dict[str, list[str]]] = {}
    for error, adapter, code in service_codes():
        codes.setdefault(error, {}).setdefault(adapter, []).append(code)
    stages = {function.stage: raised_by(function.stage) for function in stack.functions.values()}
    rows = (
        (
            name,
            "yes" if family is TransientError else "no",
            meaning(error),
            ", ".join(s.rpartition(".")[2] for s, raised in stages.items() if name in raised),
            "<br>".join(f"{a}: {', '.join(found)}" for a, found in codes.get(name, {}).items()),
        )
        for family in (TransientError, PermanentError)
        for name, error in leaves(family).items()
    )
    return _table(
        (
            "Error",
            "Another try?",
            "What it means",
            "Stages that know it",
            "Made of (adapter: code)",
        ),
        rows,
    )


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)
