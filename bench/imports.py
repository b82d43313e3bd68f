"""How long each handler's import takes, as a ratio to boto3's alone. The design's bound is 1.3.

Run it with `python bench/imports.py`. Each figure is the fastest of several fresh interpreters, in
processor time: what else the machine does must not count.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
STAGES = ("intake", "ocr_done", "extract", "classify", "store")
TRIES = 9
BOUND = 1.3
_PROGRAM = """
import json, sys, time
start = time.process_time()
import {module}
print(json.dumps([time.process_time() - start, len(sys.modules)]))
"""


def main() -> int:
    """Print the table; 1 where a handler is over the bound."""
    alone, modules = fastest("boto3")
    print(f"{'boto3 alone':24}{alone * 1000:7.0f} ms {modules:5} modules")
    over = False
    for stage in STAGES:
        name = f"mailroom.{stage}"
        seconds, modules = fastest(name)
        ratio = seconds / alone
        over |= ratio > BOUND
        print(f"{name:24}{seconds * 1000:7.0f} ms {modules:5} modules {ratio:6.2f} x boto3")
    return int(over)


def fastest(module: str) -> tuple[float, int]:
    """Processor seconds of the fastest import, and how many modules are loaded after it."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    command = [sys.executable, "-c", _PROGRAM.format(module=module)]
    runs = []
    for _ in range(TRIES):
        done = subprocess.run(command, env=environment, capture_output=True, check=True)
        runs.append(json.loads(done.stdout))
    seconds, modules = min(runs)
    return float(seconds), int(modules)


if __name__ == "__main__":
    sys.exit(main())
