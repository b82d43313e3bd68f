"""The report: one HTML file without anything from elsewhere, with a plot in SVG."""

import html
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from mailroom_desk.chaos import figures
from mailroom_desk.chaos.run import Result
from mailroom_desk.report import DOUBT, FAILED, STORED, shell

_COLOURS = {
    "STORED": STORED,
    "IN_REVIEW": DOUBT,
    "DEAD_LETTERED": FAILED,
    "REJECTED": "#7d5ba6",
    "DUPLICATE": "#5b7da6",
}
_OPEN = "#222222"
_ROW, _LABEL, _BAR = 22, 440, 460


def write_page(result: Result, path: Path) -> None:
    """Write the page."""
    path.write_text(page(result), encoding="utf-8")


def page(result: Result) -> str:
    """The page's text."""
    p50, p99 = figures.percentiles(result)
    verdict = "Every invariant holds." if result.holds else "An invariant is broken."
    documents = len(result.evidence.uploaded)
    statuses = {"all documents": figures.by_status(result)}
    trouble = html.escape(figures.trouble_line(result.evidence.trouble))
    return shell(
        f"Mailroom under chaos, seed {result.seed}",
        [
            f"<h1>{documents} documents under chaos, seed {result.seed}</h1>",
            f"<p><b>{verdict}</b> Time to the final status: p50 {p50:.1f} s, p99 {p99:.1f} s; "
            f"the run took {result.took:.0f} s. Besides the faults: {trouble}.</p>",
            _legend(),
            "<h2>By final status</h2>",
            _bars(statuses),
            "<h2>By fault</h2><p>A document may have met several.</p>",
            _bars(figures.by_fault(result)),
            "<h2>Time to final status</h2>",
            _times(result),
            "<h2>Invariants</h2><table>",
            *(
                f"<tr><td>{html.escape(each.name)}</td>"
                f"<td class='{'yes' if each.holds else 'no'}'>{'yes' if each.holds else 'NO'}</td>"
                f"<td>{html.escape('; '.join([*each.broken_by[:20], each.note]))}</td></tr>"
                for each in result.verdicts
            ),
            "</table>",
        ],
    )


def _legend() -> str:
    marks = (
        f"<span style='color:{colour}'>&#9632;</span> {status.lower().replace('_', ' ')}"
        for status, colour in _COLOURS.items()
    )
    return f"<p>{' &nbsp; '.join(marks)}</p>"


def _bars(groups: Mapping[str, Counter[str]]) -> str:
    """A stacked bar a group, as long as the group is large."""
    largest = max((counts.total() for counts in groups.values()), default=1)
    height = _ROW * len(groups)
    drawn = [f"<svg viewBox='0 0 {_LABEL + _BAR + 60} {height}' font-size='13'>"]
    for number, (name, counts) in enumerate(groups.items()):
        y, x = number * _ROW, float(_LABEL)
        drawn.append(
            f"<text x='{_LABEL - 8}' y='{y + 15}' text-anchor='end'>{html.escape(name)}</text>"
        )
        for status, count in sorted(counts.items(), key=_order):
            width = _BAR * count / largest
            drawn.append(
                f"<rect x='{x:.1f}' y='{y + 3}' width='{width:.1f}' height='{_ROW - 6}'"
                f" fill='{_COLOURS.get(status, _OPEN)}'><title>{status}: {count}</title></rect>"
            )
            x += width
        drawn.append(f"<text x='{x + 6:.1f}' y='{y + 15}'>{counts.total()}</text>")
    return "\n".join([*drawn, "</svg>"])


def _order(counted: tuple[str, int]) -> int:
    return list(_COLOURS).index(counted[0]) if counted[0] in _COLOURS else len(_COLOURS)


def _times(result: Result) -> str:
    """How many documents had ended after how many seconds, with p50 and p99 marked."""
    times = sorted(result.seconds.values())
    if not times:
        return "<p>No document has ended.</p>"
    width, height = _LABEL + _BAR, 200
    longest = max(times[-1], 1.0)
    points = " ".join(
        f"{width * seconds / longest:.1f},{height - height * number / len(times):.1f}"
        for number, seconds in enumerate(times, start=1)
    )
    p50, p99 = figures.percentiles(result)
    marks = "".join(
        f"<line x1='{width * value / longest:.1f}' x2='{width * value / longest:.1f}' y1='0'"
        f" y2='{height}' stroke='#b3362c' stroke-dasharray='4'/><text text-anchor='end'"
        f" x='{width * value / longest - 4:.1f}' y='{y}'>{name} {value:.1f} s</text>"
        for name, value, y in (("p50", p50, height - 10), ("p99", p99, height - 30))
    )
    return (
        f"<svg viewBox='0 -5 {width + 60} {height + 30}' font-size='13'>"
        f"<polyline points='0,{height} {points}' fill='none' stroke='#2e7d4f' stroke-width='2'/>"
        f"{marks}<text x='0' y='{height + 18}'>0 s</text><text x='{width}' text-anchor='end'"
        f" y='{height + 18}'>{longest:.0f} s</text></svg>"
    )
