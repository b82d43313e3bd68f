"""Where Mailroom reads a real Textract response otherwise than two libraries do.

Compared are the lines, their order, the form pairs and the cells. Three differences are known by
rule and set aside here: a merged cell is compared as one, at the place where it begins; check boxes
that Textractor keeps beside the pairs are put back; words inside a value are compared without their
order where Textractor sorts them by place. The rest is printed, with what was decided by looking at
the document. Ends with 1 where something is new.
"""

import json
import logging
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from mailroom.ocr.assembly import Assembly

type Finds = dict[str, list[tuple[Any, ...]]]

ORDER = "the lines' order"
COLUMNS = "two columns are read one after the other; the library reads across them"
FORM = "the lines of one box of the form stay level with their neighbours; no order is wrong"
LABELS = "each label comes before the value on its right; the library gives the upper edge first"
LAYOUT = "Textract's layout blocks decide: the sender's block, then the table beside it"
TABLE = "a table's lines stay together; the library puts a check box between its rows"
NO_KEY = "a value without a key is kept; the library drops it"
NOTHING = "a pair without key and value is left out"
MARKS = "marks stand before their words, as on the page; the library lists all marks first"
EDGES = "rows are read from the left; the library sorts by the exact upper edge"
DECIDED: dict[tuple[str, str], str] = {
    ("textractor", ORDER): EDGES,
    ("analyze_document_form_1005_signatures_queries", ORDER): FORM,
    ("analyze_document_multicolumn", ORDER): COLUMNS,
    ("analyze_document_patient_intake", "cells"): MARKS,
    ("analyze_document_signature_only", ORDER): COLUMNS,
    ("analyze_document_sliced_invoice_pdf", ORDER): LAYOUT,
    ("analyze_document_table_title", "pairs"): NOTHING,
    ("analyze_document_three_tables", ORDER): TABLE,
    ("analyze_document_three_tables", "pairs"): NO_KEY,
    ("analyze_document_three_tables_rotated_10", ORDER): TABLE,
    ("analyze_document_three_tables_rotated_180", ORDER): TABLE,
    ("analyze_document_three_tables_rotated_180", "pairs"): NO_KEY,
    ("analyze_document_three_tables_rotated_270", ORDER): TABLE,
    ("analyze_document_three_tables_rotated_270", "pairs"): NO_KEY,
    ("analyze_document_three_tables_rotated_90", ORDER): TABLE,
    ("analyze_document_two_column_header_footer", ORDER): COLUMNS,
    ("analyze_document_w2", ORDER): FORM,
    ("analyze_document_w2", "pairs"): f"{NO_KEY}; {NOTHING}",
    ("get_document_analysis_first_part_with_nexttoken", ORDER): TABLE,
    ("get_document_analysis_first_part_with_nexttoken", "pairs"): NO_KEY,
    ("get_document_analysis_german_table", ORDER): LABELS,
}
"""What was decided, by response or by library, beside the document's picture where there is one."""


def compare(corpus: Path) -> int:
    """Print every difference on the responses of a folder; 1 where one is not decided."""
    warnings.simplefilter("ignore")
    logging.getLogger("textractor").setLevel(logging.CRITICAL)
    undecided = compared = 0
    for path in sorted(corpus.glob("*.json")):
        response = json.loads(path.read_bytes())
        if not response.get("Blocks"):
            continue
        response.pop("NextToken", None)  # one of them is the first part of a longer result
        for library, read in LIBRARIES.items():
            for what, told in differences(response, read):
                decision = DECIDED.get((path.stem, what)) or DECIDED.get((library, what))
                undecided += decision is None
                print(f"{path.stem} · {library} · {what}: {decision or 'UNDECIDED'}")
                print("".join(f"    {line}\n" for line in told), end="")
            compared += 1
    print(f"{compared} comparisons, {undecided} undecided differences")
    return 1 if undecided else 0


def differences(
    response: dict[str, Any], read: Callable[[dict[str, Any]], Finds]
) -> Iterator[tuple[str, list[str]]]:
    """What differs, and up to five examples from either side."""
    theirs = read(json.loads(json.dumps(response)))
    ours = mailroom(response, sort=read is textractor)
    for what, found in ours.items():
        here, there = Counter(found), Counter(theirs[what])
        if here != there:
            only = [("ours", here - there), ("theirs", there - here)]
            yield what, [f"only {side}: {list(rest.elements())[:5]}" for side, rest in only if rest]
        elif what == "lines" and found != theirs[what]:
            at = next(
                n
                for n, pair in enumerate(zip(found, theirs[what], strict=True))
                if len(set(pair)) > 1
            )
            yield ORDER, [f"from line {at + 1}: ours {found[at]}, theirs {theirs[what][at]}"]


def mailroom(response: dict[str, Any], *, sort: bool) -> Finds:
    """What Mailroom finds; `sort` leaves the order of words inside a value out."""
    raw = json.dumps(response).encode()
    pages = list(Assembly(1, lambda _: raw).pages())
    return {
        "lines": [(page.number, line.text) for page in pages for line in page.lines],
        "pairs": [
            (page.number, _plain(pair.key, sort), _plain(pair.value, sort))
            for page in pages
            for pair in page.forms
        ],
        "cells": [
            (page.number, table, row, column, _plain(cell.text, sort))
            for page in pages
            for table, found in enumerate(_by_place(page.tables))
            for row, cells in enumerate(found.rows, start=1)
            for column, cell in enumerate(cells, start=1)
            if cell.text
        ],
    }


def response_parser(response: dict[str, Any]) -> Finds:
    """What amazon-textract-response-parser finds."""
    import trp

    finds: Finds = {"lines": [], "pairs": [], "cells": []}
    for number, page in enumerate(trp.Document(response).pages, start=1):
        finds["lines"] += [(number, line.text) for line in page.lines]
        for field in page.form.fields:
            key, value = ((side.text if side else "") for side in (field.key, field.value))
            finds["pairs"].append((number, _plain(key), _plain(value)))
        tables = sorted(page.tables, key=lambda t: _corner(t.geometry.boundingBox))
        for at, table in enumerate(tables):
            for cell in (cell for row in table.rows for cell in row.cells):
                if cell.text.strip() and not cell._isChildOfMergedCell:
                    place = (cell.rowIndex, cell.columnIndex)
                    finds["cells"].append((number, at, *place, _plain(cell.text)))
            for cell in table.merged_cells:
                if cell.text.strip():
                    place = (cell.rowIndex, cell.columnIndex)
                    finds["cells"].append((number, at, *place, _plain(cell.text)))
    return finds


def textractor(response: dict[str, Any]) -> Finds:
    """What amazon-textract-textractor finds."""
    from textractor.parsers.response_parser import parse

    finds: Finds = {"lines": [], "pairs": [], "cells": []}
    for number, page in enumerate(parse(response).pages, start=1):
        finds["lines"] += [(number, line.text) for line in page.lines]
        for pair in [*page.key_values, *page.checkboxes]:
            key = " ".join(word.text for word in pair.key)
            finds["pairs"].append((number, _plain(key, True), _plain(_value(pair), True)))
        for at, table in enumerate(sorted(page.tables, key=lambda t: (t.bbox.y, t.bbox.x))):
            for place, parts in _merged(table).items():
                finds["cells"].append((number, at, *place, _plain(" ".join(parts), True)))
    return finds


def _merged(table: Any) -> dict[tuple[int, int], list[str]]:
    """Textractor's cells by where they, or what they are merged into, begin."""
    groups: dict[str, list[Any]] = defaultdict(list)
    for cell in table.table_cells:
        groups[cell.parent_cell_id or cell.id].append(cell)
    found = {}
    for cells in groups.values():
        place = min(c.row_index for c in cells), min(c.col_index for c in cells)
        parts = [word.text for cell in cells for word in cell.words]
        parts += [_state(box) for cell in cells for box in cell.checkboxes]
        if parts:
            found[place] = parts
    return found


def _value(pair: Any) -> str:
    if pair.value is None:
        return ""
    boxes = [_state(child) for child in pair.value.children if hasattr(child, "is_selected")]
    return " ".join([*(word.text for word in pair.value.words), *boxes])


def _state(box: Any) -> str:
    return "SELECTED" if box.is_selected() else "NOT_SELECTED"


def _plain(text: str, sort: bool = False) -> str:
    marked = (
        text.replace("[X]", "SELECTED")
        .replace("[ ]", "NOT_SELECTED")
        .replace("SELECTED,", "SELECTED")
    )
    words = marked.split()
    return " ".join(sorted(words) if sort else words)


def _by_place(tables: list[Any]) -> list[Any]:
    return sorted(tables, key=lambda t: (t.box[1], t.box[0]))


def _corner(box: Any) -> tuple[float, float]:
    return (round(box.top, 4), round(box.left, 4))


LIBRARIES: dict[str, Callable[[dict[str, Any]], Finds]] = {
    "response-parser": response_parser,
    "textractor": textractor,
}
