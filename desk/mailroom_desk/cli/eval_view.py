"""The figures of an evaluation on the screen."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from mailroom_desk.cli import screen, views
from mailroom_desk.evaluate import figures, wording

if TYPE_CHECKING:
    from rich.console import Console

    from mailroom_desk.evaluate.changes import Change
    from mailroom_desk.evaluate.results import Document, Run

_SHOWN = 20  # documents of each kind


def draw(console: "Console", run: "Run") -> None:
    """Tables by class, source and field, the confusions, the calibration, and what went wrong."""
    judged = figures.scored(run.documents)
    rows = [wording.class_row(name, each) for name, each in figures.by_class(judged).items()]
    rows.append(wording.class_row("all", judged))
    _table(console, wording.CLASS_COLUMNS, rows)
    if sources := figures.by_source(judged):
        views.heading(console, "By class and source of the text")
        source_rows = [wording.class_row(name, each) for name, each in sources.items()]
        _table(console, wording.CLASS_COLUMNS, source_rows)
    views.heading(console, "By field")
    field_rows = [wording.field_row(*each) for each in figures.by_field(judged).items()]
    _table(console, wording.FIELD_COLUMNS, field_rows)
    _draw_confusion(console, judged)
    _draw_calibration(console, judged)
    _draw_wrong(console, judged, wording.odd_ends(run.documents))
    console.print()
    for line in (*wording.headlines(run), *wording.notes(run)):
        console.print(screen.plain(line), soft_wrap=True)


def draw_changes(console: "Console", compared: "Sequence[Change]") -> None:
    """What changed against an earlier run."""
    if not compared:
        return
    views.heading(console, "Against the earlier run")
    for each in compared:
        sure = "significant" if each.is_significant else "not significant"
        console.print(
            screen.plain(
                f"{each.name}: {wording.percent(each.before.value)} before, "
                f"{wording.percent(each.after.value)} now, of {each.after.of}; "
                f"{len(each.better)} better, {len(each.worse)} worse, "
                f"p = {each.p_value:.3f} ({sure})"
            ),
            soft_wrap=True,
        )
        for mark, style, names in (("+", "green", each.better), ("-", "red", each.worse)):
            _listed(console, [f"{mark} {name}" for name in names], style)


def _table(console: "Console", columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    drawn = views.table(*columns, right=columns[1:])
    for row in rows:
        drawn.add_row(*map(screen.plain, row))
    console.print(drawn)


def _draw_confusion(console: "Console", judged: "Sequence[Document]") -> None:
    wrong = [
        f"{expected} taken for {found}: {number}"
        for expected, counts in figures.confusion(judged).items()
        for found, number in counts.most_common()
        if found != expected
    ]
    views.heading(console, "Confusions" if wrong else "No class was confused with another")
    _listed(console, wrong)


def _draw_calibration(console: "Console", judged: "Sequence[Document]") -> None:
    bins = figures.calibration(judged)
    error = figures.calibration_error(bins)
    if error is None:
        return
    views.heading(console, f"Calibration (expected error {error:.3f})")
    rows = [
        (f"{each.low:g}–{each.high:g}", f"{each.mean:.3f}", wording.share(each.right))
        for each in bins
    ]
    _table(console, ("Confidence", "Mean", "Right"), rows)


def _draw_wrong(
    console: "Console", judged: "Sequence[Document]", odd: "Sequence[Document]"
) -> None:
    """Names of documents and fields; the values stand on the page and in the JSON."""
    stored = [
        f"{each.document.name}: {each.value.field}"
        for each in wording.wrong_values(judged)
        if each.is_stored
    ]
    if stored:
        views.heading(console, "Wrong, and stored without a reason")
        _listed(console, stored, "red")
    if odd:
        views.heading(console, "Ended otherwise than expected")
        _listed(
            console, [f"{each.name}: {each.status}, not {' or '.join(each.ends)}" for each in odd]
        )


def _listed(console: "Console", lines: Sequence[str], style: str = "") -> None:
    for line in lines[:_SHOWN]:
        console.print(screen.plain(f"  {line}", style), soft_wrap=True)
    if len(lines) > _SHOWN:
        console.print(f"  and {len(lines) - _SHOWN} more")
