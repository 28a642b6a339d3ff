"""The tests that sacrebleu, rouge-score and ir_measures ship, run on the drop-ins.

pip fetches the source of the release; nothing of it is part of this project. No release of pytrec_eval or
pytrec-eval-terrier in a package registry has tests in it, and trec_eval itself is in none: the numbers of its own tests
are compared in ``tests/parity/test_trec_eval.py`` and ``tests/compat/test_pytrec_eval.py``, where its files are there.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from tests.parity.shared import SHARED

pytestmark = pytest.mark.skipif(
    "RAGAUGE_FETCH" not in os.environ, reason="RAGAUGE_FETCH=1 fetches the peers' own tests"
)
# Puts a drop-in in the place of its peer, then runs pytest.
RUN = """
import importlib, sys
import pytest
name, modules, arguments = sys.argv[1], sys.argv[2].split(","), sys.argv[3:]
for module in modules:
    sys.modules[module] = importlib.import_module(f"ragauge.compat.{module}")
sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", "-p", "no:ragauge", "-c", "/dev/null", *arguments]))
"""


def source_of(release: str, folder: Path) -> Path:
    """Return the folder of the source of ``release``, fetched by pip."""
    name = release.partition("=")[0]
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", name, "-d", str(folder)]
    fetched = subprocess.run([*command, release], capture_output=True, text=True, check=False)
    archives = [*folder.glob("*.tar.gz")]
    assert archives, fetched.stderr
    with tarfile.open(archives[0]) as archive:
        archive.extractall(folder, filter="data")
    return folder / archives[0].name.removesuffix(".tar.gz")


def passed(folder: Path, name: str, modules: str, *arguments: str) -> str:
    """Run pytest on the tests of ``folder`` and return its last line."""
    command = [sys.executable, "-c", RUN, name, modules, *arguments]
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, encoding="utf-8")
    assert ran.returncode == 0, ran.stdout[-3000:] + ran.stderr[-3000:]
    return ran.stdout.strip().splitlines()[-1]


def test_sacrebleu(tmp_path: Path) -> None:
    """The other 18 of its 100 offline tests are of TER."""
    folder = source_of("sacrebleu==2.6.0", tmp_path)
    files = ("test/test_bleu.py", "test/test_chrf.py", "test/test_sentence_bleu.py")
    modules = "sacrebleu,sacrebleu.metrics,sacrebleu.compat"
    assert "82 passed" in passed(folder, "sacrebleu", modules, *files)


# Its tests of private functions, of texts that only its repository has, and of nltk's sentences, whose data no release
# of nltk has.
NOT_RUN = "LcsTable or UnionLcs or SummaryLevelLcs or Large and Lsum or ConfidenceIntervals or SentenceSplitting"
ROUGE_155 = SHARED / "rouge/rouge155.jsonl"


def test_rouge_score(tmp_path: Path) -> None:
    """28 of its 33 tests of scores and tokens, and 3 of 6 of means, are all that can be run.

    Six of them read texts with values of ROUGE-1.5.5, which its release lacks: they run where the shared data have
    these texts. Of the other 8, three call private functions, four read up to 250 texts that no registry has, and one
    needs the data of nltk's sentences.
    """
    folder = source_of("rouge-score==0.1.2", tmp_path)
    lines = ROUGE_155.read_text("utf-8").splitlines() if ROUGE_155.exists() else []
    texts = {one["id"]: one for one in map(json.loads, lines)}
    (data := folder / "rouge_score/testdata/pyrouge_files").mkdir(parents=True)
    for side in ("target", "prediction"):
        content = "".join([f"{texts[name][side]}\n" for name in ("g0", "g1")]) if texts else "text\n"
        for name in (side, f"{side}_large"):
            (data.parent / f"{name}.txt").write_text(content, encoding="utf-8")
        if texts:
            (data / f"{side}_multi.0.txt").write_text(texts["multi"][side], encoding="utf-8")
    (folder / "rouge_score").rename(folder / "own")
    for test in (folder / "own").glob("*_test.py"):
        text = test.read_text(encoding="utf-8").replace(
            "from rouge_score import test_util", "from own import test_util"
        )
        test.write_text(text, encoding="utf-8")
    modules = "rouge_score,rouge_score.rouge_scorer,rouge_score.scoring,rouge_score.tokenizers"
    files = ("own/rouge_scorer_test.py", "own/tokenizers_test.py", "own/scoring_test.py")
    chosen = f"not ({NOT_RUN}{'' if texts else ' or Against'})"
    assert f"{31 if texts else 25} passed" in passed(folder, "rouge_score", modules, *files, "-k", chosen)


# The release lacks the base class of its tests; this is what they call of it.
BASE = """
import unittest

class BaseMeasureTest(unittest.TestCase):
    def assertMetrics(self, first, second, not_equal=False):
        sides = [sorted((m.query_id, str(m.measure), round(m.value, 4)) for m in side) for side in (first, second)]
        (self.assertNotEqual if not_equal else self.assertEqual)(*sides)
"""


def test_ir_measures_on_the_drop_in(tmp_path: Path) -> None:
    """Its tests of pytrec_eval, and those that reach it by default; two others need libraries of other measures."""
    pytest.importorskip("ir_measures")
    folder = source_of("ir-measures==0.4.3", tmp_path)
    (folder / "tests/base.py").write_text(BASE)
    (folder / "tests/__init__.py").touch()
    names = ("accuracy", "aggregate", "gdeval", "judged", "measures", "providers", "pytrec_eval", "runtime", "util")
    files = [f"tests/test_{name}.py" for name in names]
    others = ("providers.py::TestPytrecEval::test_empty", "measures.py::TestMeasures::test_measures")
    deselected = [f"--deselect=tests/test_{test}" for test in others]
    assert "27 passed" in passed(folder, "ir_measures", "pytrec_eval", "--rootdir=.", *files, *deselected)
