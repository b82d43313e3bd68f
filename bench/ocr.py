"""RapidOCR and Tesseract on the same pages: how many characters, words and values are wrong.

    python bench/ocr.py [--pages 8] [--case NAME ...] [--scans 60] [--corpus FOLDER] [--json]

Errors are counted against the text layer of PDFs (those in samples/, and of the corpus where it is
there), which are drawn and spoiled with fixed seeds. Values are those that a person checked on the
corpus's scans. The better engine of a case has a tenth fewer errors; else they are called equal.
"""

import argparse
import csv
import json
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cv2
import pypdfium2
from ocr_engines import engines
from ocr_pages import CASES
from ocr_score import better, text_line
from ocr_texts import text_cases
from ocr_values import value_cases

from mailroom_desk.cloud.textract.text_layer import read_text_layer

SAMPLES = Path(__file__).parents[1] / "samples"
FEWEST_WORDS = 40
# Copies of others, damaged files, and a statement whose text layer holds the errors of an OCR.
_SKIPPED = ("odd_names", "pathological", "credit_union_5_pages")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--pages", type=int, default=8, help="of each case; 0 for none")
    parser.add_argument("--case", action="append", choices=CASES, help="all, unless named")
    parser.add_argument(
        "--scans", type=int, default=60, help="files with checked values; 0 for none"
    )
    parser.add_argument("--corpus", type=Path, default=Path("../shared/corpus"))
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found, notes = engines()
    rows = _manifest(options.corpus)
    if not rows:
        notes.append(f"Values are left out: there is no {options.corpus / 'manifest.csv'}.")
    pages = _layered_pages(rows, options.corpus, options.pages)
    texts = text_cases(found, pages, options.case or CASES) if pages else {}
    values = value_cases(found, rows, options.corpus, options.scans) if options.scans else {}
    if options.json:
        print(json.dumps({"text": texts, "values": values, "notes": notes}))
        return
    _print_texts(texts)
    _print_values(values)
    print("\n".join(notes))


def _manifest(corpus: Path) -> list[dict[str, str]]:
    path = corpus / "manifest.csv"
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as lines:
        return [row for row in csv.DictReader(lines) if not any(s in row["path"] for s in _SKIPPED)]


def _layered_pages(
    rows: Sequence[dict[str, str]], corpus: Path, most: int
) -> list[tuple[Path, int, str]]:
    """Pages with a text layer: each file's first one with enough words, classes by turns."""
    files = [(path, "en") for path in sorted(SAMPLES.glob("*.pdf"))]
    by_class: dict[str, list[tuple[Path, str]]] = defaultdict(list)
    for row in rows:
        if row["format"] == "PDF" and row["scanned"] == "no":
            by_class[row["class"]].append((corpus / row["path"], row["language"]))
    turns = max(map(len, by_class.values()), default=0)
    files += [each[turn] for turn in range(turns) for each in by_class.values() if turn < len(each)]
    own = [page for page in map(_first_page, files) if page]
    # Half of them from samples/, which everyone has, the other half from elsewhere.
    samples = [page for page in own if SAMPLES in page[0].parents]
    others = [page for page in own if SAMPLES not in page[0].parents]
    return (samples[: most if not others else most // 2] + others)[:most]


def _first_page(file: tuple[Path, str]) -> tuple[Path, int, str] | None:
    path, language = file
    try:
        document = pypdfium2.PdfDocument(path)
    except pypdfium2.PdfiumError:  # damaged or locked, as some samples are on purpose
        return None
    for number in range(min(len(document), 3)):
        page = read_text_layer(document[number])
        if page and page.turns == 0 and len(page.words) >= FEWEST_WORDS:
            return path, number, language
    return None


def _print_texts(cases: dict[str, dict[str, Any]]) -> None:
    names = list(next(iter(cases.values()), ()))
    print(f"{'':<34}" + "".join(f"{name:>28}" for name in names))
    print(f"{'':<34}" + f"{'characters  words  s/page':>28}" * len(names) + "  better")
    for case, found in cases.items():
        print(text_line(case, found))


def _print_values(groups: dict[str, dict[str, Any]]) -> None:
    for group, found in groups.items():
        share = {name: each["found"] / max(1, each["values"]) for name, each in found.items()}
        cells = [
            f"{each['found']:>7}/{each['values']:<4}{100 * share[name]:>7.1f} %"
            f"{each['seconds'] / each['files']:>6.1f}"
            for name, each in found.items()
        ]
        winner = better({name: 1 - found_share for name, found_share in share.items()})
        print(f"{'values, ' + group:<34}{''.join(cells)}  {winner}")


if __name__ == "__main__":
    # One picture at a time: OpenCV's own threads would blur the time of the engines.
    cv2.setNumThreads(1)
    main()
