"""The same Textract results through Mailroom and through two libraries: time and peak memory.

    python bench/assembly.py [--pages 1 30 300 3000] [--corpus ../shared/corpus] [--repeat 3]
    python bench/assembly.py --compare --corpus ../shared/corpus

Each measurement runs in a process of its own. Time is processor time, the best of the repetitions,
and excludes imports; other work on the machine disturbs it less than the clock. Memory is the most
that the process ever held (VmHWM, Linux), all of it and above what the imports took. The measure
is `json.loads` of the standard library over the same bytes, one file at a time. Mailroom does more
than the others: it also encodes the pages and writes the text and the Markdown to files. The
libraries hold the whole document; a run that needs more than `--limit` bytes or `--patience`
seconds is shown as such. `--compare` lists where text, pairs and cells differ.
The libraries: `uv sync --group bench`.
"""

import argparse
import importlib
import json
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from textract_pages import write_job

TEXTRACTOR_PAGES = 300  # the longest document it is given: its time grows faster than the pages
_MIB = 1024 * 1024


def files_of(folder: Path) -> list[Path]:
    """The result files of a job, in the order of their numbers."""
    return sorted(folder.iterdir(), key=lambda path: int(path.name))


def standard_library(files: list[Path]) -> None:
    """The measure: parse each file, keep none."""
    for file in files:
        json.loads(file.read_bytes())


def mailroom(files: list[Path]) -> None:
    """What `extract` does between the bucket's reads and writes."""
    from mailroom import pages
    from mailroom.ocr import markdown
    from mailroom.ocr.assembly import Assembly

    assembly = Assembly(len(files), lambda number: files[number - 1].read_bytes())
    with tempfile.TemporaryFile() as text, tempfile.TemporaryFile() as readable:
        for page in assembly.pages():
            text.write(pages.encode(page) + b"\n")
            readable.write(markdown.render(page).encode())


def textractor(files: list[Path]) -> None:
    """amazon-textract-textractor: the document from one answer, then its text."""
    from textractor.parsers import response_parser

    document = response_parser.parse(_one_answer(files))
    assert document.text is not None


def response_parser(files: list[Path]) -> None:
    """amazon-textract-response-parser: the document from all answers, then its text."""
    import trp

    document = trp.Document([json.loads(file.read_bytes()) for file in files])
    assert all(page.text is not None for page in document.pages)


def _one_answer(files: list[Path]) -> dict[str, Any]:
    first, *more = (json.loads(file.read_bytes()) for file in files)
    for answer in more:
        first["Blocks"] += answer["Blocks"]
    first.pop("NextToken", None)
    return dict(first)


READERS: dict[str, tuple[Callable[[list[Path]], None], tuple[str, ...]]] = {
    "json.loads": (standard_library, ()),
    "Mailroom": (mailroom, ("mailroom.ocr.assembly", "mailroom.ocr.markdown")),
    "textract-textractor": (textractor, ("textractor.parsers.response_parser",)),
    "textract-response-parser": (response_parser, ("trp",)),
}


def work(name: str, folder: Path, limit: int) -> None:
    """In a process of its own: read the job, print what it took as JSON."""
    read, modules = READERS[name]
    for module in modules:
        importlib.import_module(module)
    jobs = [files_of(job) for job in sorted(folder.iterdir())]
    base = _peak()
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    clock, processor = time.perf_counter(), time.process_time()
    for files in jobs:
        read(files)
    print(
        json.dumps(
            {
                "processor": time.process_time() - processor,
                "clock": time.perf_counter() - clock,
                "peak": _peak(),
                "base": base,
            }
        )
    )


def _peak() -> int:
    """The most memory this process has held, in bytes: VmHWM is in KiB."""
    lines = Path("/proc/self/status").read_text("ascii").splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))


def measure(name: str, folder: Path, repeat: int, limit: int, patience: int) -> dict[str, Any]:
    """The best time and the greatest memory of some runs, or why there is none."""
    command = [sys.executable, __file__, "--worker", name, str(folder), "--limit", str(limit)]
    runs: list[dict[str, float]] = []
    for _ in range(repeat):
        try:
            run = subprocess.run(command, capture_output=True, text=True, timeout=patience)
        except subprocess.TimeoutExpired:
            return {"reason": f"over {patience} s"}
        if run.returncode:
            last = (run.stderr.strip().splitlines() or ["killed"])[-1]
            full = "MemoryError" in run.stderr or run.returncode < 0
            return {"reason": f"over {limit // _MIB:,} MiB" if full else last[:60]}
        runs.append(json.loads(run.stdout))
    best = {key: min(run[key] for run in runs) for key in ("processor", "clock")}
    return {**best, **{key: max(run[key] for run in runs) for key in ("peak", "base")}}


def rows(name: str, folder: Path, options: argparse.Namespace, pages: int) -> None:
    """One line of the table for each reader."""
    size = sum(path.stat().st_size for path in folder.glob("*/*"))
    standard = 0.0
    for reader in READERS:
        if reader == "textract-textractor" and pages > TEXTRACTOR_PAGES:
            told = {"reason": f"left out above {TEXTRACTOR_PAGES} pages"}
        else:
            repeat = 1 if pages > TEXTRACTOR_PAGES and "textract" in reader else options.repeat
            told = measure(reader, folder, repeat, options.limit, options.patience)
        start = f"{name:>14} {size / 1e6:8.1f} {reader:25}"
        if "reason" in told:
            print(f"{start} {told['reason']}", flush=True)
            continue
        standard = standard or told["processor"]
        print(
            f"{start} {told['processor']:10.3f} {told['clock']:9.3f} "
            f"{told['processor'] / standard:8.2f} {told['peak'] / _MIB:9.1f} "
            f"{(told['peak'] - told['base']) / _MIB:9.1f}",
            flush=True,
        )


def _copy_real(corpus: Path, folder: Path) -> int:
    """Each real response as a job of one file; one of them is the first part of a longer job."""
    count = 0
    for path in sorted(corpus.glob("*.json")):
        response = json.loads(path.read_bytes())
        if response.pop("NextToken", None) or response.get("Blocks"):
            job = folder / path.stem
            job.mkdir(parents=True)
            (job / "1").write_bytes(json.dumps(response).encode())
            count += 1
    return count


def main() -> int:
    """Print the table, or the differences."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pages", type=int, nargs="*", default=[1, 30, 300, 3000])
    parser.add_argument("--corpus", type=Path)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--limit", type=int, default=6 * 1024 * _MIB, help="bytes of memory")
    parser.add_argument("--patience", type=int, default=900, help="seconds for one run")
    parser.add_argument("--compare", action="store_true")
    parser.add_argument("--worker", nargs=2, metavar=("READER", "FOLDER"))
    options = parser.parse_args()
    if options.worker:
        work(options.worker[0], Path(options.worker[1]), options.limit)
        return 0
    if options.compare:
        from textract_differences import compare

        return compare(options.corpus / "textract")
    print(
        f"{'document':>14} {'MB':>8} {'reader':25} {'processor':>10} {'clock':>9} {'ratio':>8} "
        f"{'peak MiB':>9} {'above':>9}"
    )
    with tempfile.TemporaryDirectory() as scratch:
        if options.corpus:
            folder = Path(scratch) / "real"
            count = _copy_real(options.corpus / "textract", folder)
            rows(f"{count} real ones", folder, options, count)
        for pages in options.pages:
            folder = Path(scratch) / str(pages)
            write_job(folder / "job", pages)
            rows(f"{pages:,} pages", folder, options, pages)
            shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
