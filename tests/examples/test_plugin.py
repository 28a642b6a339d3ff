"""The package of a metric: built, installed beside ragauge and found by its name."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.examples.running import EXAMPLES, shell

pytest.importorskip("hatchling", reason="the plugin is built by hatchling")

ROWS = [
    {"answer": "Yes [1], on Mondays [3].", "contexts": ["a", "b"]},
    {"answer": "是的【２】", "contexts": ["a", "b"]},
    {"answer": "نعم [٢]", "contexts": ["a", "b"]},
    {"answer": "No.", "contexts": ["a", "b"]},
]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("plugin") / "site"
    how = ["--quiet", "--no-index", "--no-deps", "--no-build-isolation", "--target", str(folder)]
    subprocess.run([sys.executable, "-m", "pip", "install", *how, str(EXAMPLES / "plugin")], check=True)
    return folder


def test_it_scores_and_explains_itself(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "cited.jsonl").write_text("\n".join(map(json.dumps, ROWS)), encoding="utf-8")
    path = os.pathsep.join(filter(None, [str(installed), os.environ.get("PYTHONPATH", "")]))
    scored = shell("ragauge score cited.jsonl -m cites-passages --output-format json", tmp_path, PYTHONPATH=path)
    assert scored.returncode == 0, scored.stderr
    [score] = json.loads(scored.stdout)["metrics"]
    assert (score["value"], score["scored"], score["stage"]) == (0.625, 4, "generation")
    listed = shell("ragauge metrics", tmp_path, PYTHONPATH=path).stdout
    assert "cites-passages" in listed
    assert "share of an answer's citations" in listed


def test_without_the_package_the_metric_is_unknown(tmp_path: Path) -> None:
    (tmp_path / "cited.jsonl").write_text(json.dumps(ROWS[0]), encoding="utf-8")
    refused = shell("ragauge score cited.jsonl -m cites-passages", tmp_path)
    assert (refused.returncode, refused.stderr[:38]) == (2, "error: unknown metric 'cites-passages'")
