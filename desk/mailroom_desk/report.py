"""What the reports have in common: one HTML file each, without anything from elsewhere."""

import html
from collections.abc import Iterable, Sequence

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto;
       padding: 0 1rem; color: #222; }
table { border-collapse: collapse; margin: 1rem 0; }
td, th { padding: .2rem .8rem .2rem 0; text-align: left; border-bottom: 1px solid #ddd; }
.number { text-align: right; white-space: nowrap; } td.long { overflow-wrap: break-word; }
.wide { max-width: none; font-size: 13px; } .wide th { vertical-align: bottom; }
.upright { writing-mode: vertical-rl; transform: rotate(180deg); }
.no { color: #b3362c; font-weight: bold; } svg { width: 100%; height: auto; }
"""

STORED, DOUBT, FAILED = "#2e7d4f", "#c98a1b", "#b3362c"
"""Colours: what is well, what a person looks at, what is not."""


def shell(title: str, parts: Iterable[str], *, is_wide: bool = False) -> str:
    """The whole page. The title is text, the parts are HTML; wide tables want a wide page."""
    return "\n".join(
        [
            "<!doctype html><html lang='en'><meta charset='utf-8'>",
            f"<title>{html.escape(title)}</title><style>{_STYLE}</style>",
            f"<body class='{'wide' if is_wide else 'narrow'}'>",
            *parts,
            "</body></html>",
        ]
    )


def table(
    columns: Sequence[str], rows: Iterable[Sequence[object]], numbers: Iterable[str] = ()
) -> str:
    """A table of text. The columns named in `numbers` stand to the right."""
    right = {number for number, column in enumerate(columns) if column in set(numbers)}

    def line(cells: Sequence[object], tag: str) -> str:
        return "".join(
            f"<{tag} class='{'number' if number in right else 'long'}'>"
            f"{html.escape(str(cell))}</{tag}>"
            for number, cell in enumerate(cells)
        )

    body = "\n".join(f"<tr>{line(row, 'td')}</tr>" for row in rows)
    return f"<table><tr>{line(columns, 'th')}</tr>\n{body}</table>"
