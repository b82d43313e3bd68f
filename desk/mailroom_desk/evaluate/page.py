"""The report: one HTML file without anything from elsewhere, with plots in SVG.

It shows the wrong values beside the expected ones: the documents are the user's own.
"""

import html
from collections.abc import Sequence
from pathlib import Path

from mailroom_desk.evaluate import figures, wording
from mailroom_desk.evaluate.changes import SIGNIFICANT, Change
from mailroom_desk.evaluate.figures import Bin
from mailroom_desk.evaluate.results import Document, Run
from mailroom_desk.report import FAILED, STORED, shell, table

_SIDE, _MARGIN = 420, 60
_SHOWN = 12  # names of documents in a cell


def write_page(run: Run, path: Path, compared: Sequence[Change] = ()) -> None:
    """Write the page."""
    path.write_text(page(run, compared), encoding="utf-8")


def page(run: Run, compared: Sequence[Change] = ()) -> str:
    """The page's text; with what changed, where there is a run to compare with."""
    judged = figures.scored(run.documents)
    title = f"Evaluation of {len(run.documents)} documents"
    return shell(
        title,
        [
            f"<h1>{title}</h1>",
            f"<p>{html.escape(run.manifest)}, {html.escape(run.began)}, "
            f"{run.took_s:.0f} s. Intervals: 95 %, Wilson.</p>",
            _listed(wording.headlines(run)),
            _listed(wording.notes(run)),
            *(_changes(compared) if compared else ()),
            "<h2>By class</h2>",
            _classes(figures.by_class(judged), all_of_them=judged),
            *(
                ["<h2>By class and source of the text</h2>", _classes(sources)]
                if (sources := figures.by_source(judged))
                else ()
            ),
            "<h2>Confusion matrix</h2>",
            "<p>Rows: what documents are. Columns: what they were taken for, or how they ended "
            "where no class was found.</p>",
            _confusion(judged),
            "<h2>Calibration</h2>",
            _calibration(figures.calibration(judged)),
            "<h2>By field</h2>",
            table(
                wording.FIELD_COLUMNS,
                [wording.field_row(*each) for each in figures.by_field(judged).items()],
                wording.FIELD_COLUMNS[1:],
            ),
            "<h2>Wrong values</h2>",
            _wrong_values(judged),
            "<h2>Wrong classes and ends</h2>",
            _wrong_documents(judged, wording.odd_ends(run.documents)),
        ],
        is_wide=True,
    )


def _listed(lines: Sequence[str]) -> str:
    return "<ul>" + "".join(f"<li>{html.escape(line)}</li>" for line in lines) + "</ul>"


def _classes(
    documents: dict[str, list[Document]], all_of_them: Sequence[Document] | None = None
) -> str:
    rows = [wording.class_row(name, each) for name, each in documents.items()]
    if all_of_them is not None:
        rows.append(wording.class_row("all", all_of_them))
    return table(wording.CLASS_COLUMNS, rows, wording.CLASS_COLUMNS[1:])


def _changes(compared: Sequence[Change]) -> list[str]:
    rows = [
        (
            each.name,
            wording.share(each.before),
            wording.share(each.after),
            _names(each.better),
            _names(each.worse),
            f"{each.p_value:.3f}{' *' if each.is_significant else ''}",
        )
        for each in compared
    ]
    return [
        "<h2>Against the earlier run</h2>",
        f"<p>McNemar's exact test; * is a difference with p below {SIGNIFICANT}.</p>",
        table(
            ("Measure", "Before", "After", "Better", "Worse", "p"), rows, ("Before", "After", "p")
        ),
    ]


def _names(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"{len(names)}: {'; '.join(names[:_SHOWN])}{more}" if names else "none"


def _confusion(documents: Sequence[Document]) -> str:
    matrix = figures.confusion(documents)
    columns = sorted({name for found in matrix.values() for name in found})
    heads = (f"<th><span class='upright'>{html.escape(name)}</span></th>" for name in columns)
    lines = [f"<table><tr><th></th>{''.join(heads)}</tr>"]
    for name, found in matrix.items():
        cells = [f"<tr><th>{html.escape(name)}</th>"]
        for column in columns:
            strength = found[column] / found.total()
            colour = STORED if column == name else FAILED
            shade = f"{colour}{round(25 + 120 * strength):02x}" if strength else "transparent"
            cells.append(
                f"<td class='number' style='background:{shade};padding:.2rem .8rem'>"
                f"{found[column] or ''}</td>"
            )
        lines.append("".join([*cells, "</tr>"]))
    return "\n".join([*lines, "</table>"])


def _calibration(bins: Sequence[Bin]) -> str:
    """Right share over confidence: a point a bin, as large as the bin, with its interval."""
    error = figures.calibration_error(bins)
    if error is None:
        return "<p>No values were given.</p>"
    most = max(each.right.of for each in bins)
    drawn = [
        f"<svg viewBox='0 0 {_SIDE + 2 * _MARGIN} {_SIDE + _MARGIN + 10}' font-size='13' "
        "style='max-width:34rem'>",
        f"<rect x='{_MARGIN}' y='10' width='{_SIDE}' height='{_SIDE}' fill='none' stroke='#999'/>",
        f"<line x1='{_x(0)}' y1='{_y(0)}' x2='{_x(1)}' y2='{_y(1)}' stroke='#999' "
        "stroke-dasharray='4'/>",
    ]
    for tick in (0, 0.25, 0.5, 0.75, 1):
        drawn.append(
            f"<text x='{_x(tick)}' y='{_SIDE + 28}' text-anchor='middle'>{tick:g}</text>"
            f"<text x='{_MARGIN - 6}' y='{_y(tick) + 4}' text-anchor='end'>{tick:g}</text>"
        )
    for each in bins:
        low, high = each.right.interval or (0, 1)
        x, y = _x(each.mean), _y(each.right.value or 0)
        drawn.append(
            f"<line x1='{x}' x2='{x}' y1='{_y(low)}' y2='{_y(high)}' stroke='{STORED}'/>"
            f"<circle cx='{x}' cy='{y}' r='{3 + 6 * (each.right.of / most) ** 0.5:.1f}' "
            f"fill='{STORED}'><title>{html.escape(wording.share(each.right))} of the values from "
            f"{each.low:g} to {each.high:g}</title></circle>"
        )
    middle = _MARGIN + _SIDE / 2
    drawn += [
        f"<text x='{middle}' y='{_SIDE + 50}' text-anchor='middle'>confidence</text>",
        f"<text transform='translate(16 {_SIDE / 2 + 10}) rotate(-90)' "
        "text-anchor='middle'>share right</text></svg>",
    ]
    rows = [
        (f"{each.low:g}–{each.high:g}", f"{each.mean:.3f}", wording.share(each.right))
        for each in bins
    ]
    return "\n".join(
        [
            f"<p>Given values by their confidence. Expected calibration error: {error:.3f}.</p>",
            *drawn,
            table(("Confidence", "Mean", "Right"), rows, ("Mean", "Right")),
        ]
    )


def _x(share: float) -> float:
    return round(_MARGIN + _SIDE * share, 1)


def _y(share: float) -> float:
    return round(10 + _SIDE * (1 - share), 1)


def _wrong_values(documents: Sequence[Document]) -> str:
    rows = [
        (
            each.document.name,
            each.value.field,
            _told(each.value.expected),
            _told(each.value.got),
            "NO REASON" if each.is_stored else "in review",
        )
        for each in wording.wrong_values(documents)
    ]
    return table(("Document", "Field", "Expected", "Got", ""), rows) if rows else "<p>None.</p>"


def _told(value: object) -> str:
    return "(not on the document)" if value is None else str(value)


def _wrong_documents(judged: Sequence[Document], odd: Sequence[Document]) -> str:
    rows = [
        (each.name, each.expected_class, each.found_class or "–", each.status, each.why)
        for each in judged
        if not each.class_is_right
    ] + [
        (each.name, " or ".join(each.ends), each.found_class or "–", each.status, each.why)
        for each in odd
    ]
    columns = ("Document", "Expected", "Found", "Status", "Why")
    return table(columns, rows) if rows else "<p>None.</p>"
