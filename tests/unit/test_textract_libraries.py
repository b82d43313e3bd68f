"""On real responses Mailroom reads what Textract's own libraries read, but for what was decided."""

import importlib.util
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).parents[2] / "bench" / "textract_differences.py"
CORPUS = Path(__file__).parents[3] / "shared" / "corpus" / "textract"


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not there")
@pytest.mark.skipif(not importlib.util.find_spec("trp"), reason="the group bench is not installed")
@pytest.mark.filterwarnings("ignore")
def test_every_difference_to_the_libraries_was_decided(capsys: pytest.CaptureFixture[str]) -> None:
    spec = importlib.util.spec_from_file_location("textract_differences", BENCH)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)

    assert module.compare(CORPUS) == 0, capsys.readouterr().out
