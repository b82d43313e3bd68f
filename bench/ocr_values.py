"""Values that a person checked on the corpus's scans: how many stand in what an engine reads."""

import json
import sys
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import date
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from ocr_engines import Engine
from ocr_score import Score, processor_seconds

from mailroom.verification.values import amounts_in, dates_in
from mailroom_desk.cloud.textract.documents import pages_of

MOST_PAGES_OF_A_SCAN = 3


def value_cases(
    found: dict[str, Engine], rows: Sequence[dict[str, str]], corpus: Path, most: int
) -> dict[str, dict[str, Any]]:
    """How many values each engine's text holds, by the kind of scan."""
    chosen = _by_turns(rows)[:most]
    scores: dict[str, dict[str, Score]] = defaultdict(lambda: {name: Score() for name in found})
    for row in chosen:
        expected = json.loads(row["expected_fields"])
        wanted = list(_expected(expected))
        for name, engine in found.items():
            began = processor_seconds()
            told = _text_of(corpus / row["path"], engine, row["language"])
            took = processor_seconds() - began
            hits = sum(any(_stands(form, told) for form in forms) for forms in wanted)
            for group in _kinds(row):
                score = scores[group][name]
                score.values += len(wanted)
                score.found += hits
                score.seconds += took
                score.files += 1
        told_of = ", ".join(f"{s.found}/{s.values} {n}" for n, s in scores["all"].items())
        print(
            f"{scores['all']['RapidOCR'].files} of {len(chosen)} scans: {told_of}", file=sys.stderr
        )
    return {
        group: {
            name: {"found": s.found, "values": s.values, "files": s.files, "seconds": s.seconds}
            for name, s in scores[group].items()
        }
        for group in sorted(scores)
    }


def _by_turns(rows: Sequence[dict[str, str]]) -> list[dict[str, str]]:
    """The scans with checked values, one of each kind after the other: a few hold all kinds."""
    groups: dict[str, list[dict[str, str]]] = defaultdict(list)
    for row in rows:
        if row["scanned"] == "yes" and list(_expected(json.loads(row["expected_fields"] or "{}"))):
            groups[" ".join(_kinds(row))].append(row)
    turns = max(map(len, groups.values()), default=0)
    return [each[turn] for turn in range(turns) for each in groups.values() if turn < len(each)]


def _kinds(row: dict[str, str]) -> Iterator[str]:
    """The groups that a scan belongs to."""
    notes, language = row["notes"].casefold(), row["language"]
    yield "all"
    yield "english" if language.startswith("en") and "+" not in language else f"language {language}"
    if "handwrit" in notes:
        yield "handwriting"
    if "photo" in notes.split("with cartoon photo")[0]:
        yield "photo"
    if "born-digital raster" in notes:
        yield "raster of a digital page"


def _expected(fields: dict[str, Any]) -> Iterator[list[str]]:
    """Each checked value in the forms that may stand on the page."""
    printed = fields.get("printed") or {}
    for name, value in fields.items():
        if isinstance(value, str) and name not in ("expect", "password", "currency"):
            yield [value, *([printed[name]] if isinstance(printed.get(name), str) else [])]


def _text_of(path: Path, engine: Engine, language: str) -> str:
    """The words of the first pages, row by row."""
    lines: list[str] = []
    for number, page in enumerate(pages_of(path, lambda pixels: engine(pixels, language))):
        if number >= MOST_PAGES_OF_A_SCAN:
            break
        row: list[Any] = []
        for word in sorted(page.words, key=lambda word: word.box.middle):
            if row and not word.box.shares_row_with(row[-1].box):
                lines.append(_row_text(row))
                row = []
            row.append(word)
        lines.append(_row_text(row))
    return "\n".join(lines)


def _row_text(row: Sequence[Any]) -> str:
    return " ".join(word.text for word in sorted(row, key=lambda word: word.box.left))


def _stands(value: str, text: str) -> bool:
    """Whether a value stands in the text: as it is, spaces and case aside, or as what it means."""
    if _squeezed(value) in _squeezed(text):
        return True
    try:
        amount = Decimal(value)
    except InvalidOperation:
        pass
    else:
        return any(found == abs(amount) for found, _ in amounts_in(text))
    try:
        day = date.fromisoformat(value)
    except ValueError:
        return False
    return any(found == day for found, _ in dates_in(text))


def _squeezed(text: str) -> str:
    return "".join(unicodedata.normalize("NFKC", text).casefold().split())
