"""Metrics of other packages: wheels that pip installed, found by their entry points."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

TOY = '''
"""Two metrics of a package that is not ragauge."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

import ragauge
from ragauge.core.registry import register
from ragauge.core.statistics import Rows, ratio


@register("toy-length", at="most", aliases=["toy-size"])
@dataclass(frozen=True, kw_only=True)
class ToyLength:
    """The length of the answer in characters, at most so many."""

    most: int = 100
    average: str = "samples"
    stage: ClassVar[str] = "generation"
    direction: ClassVar[str] = "lower"
    range: ClassVar[tuple[float, float]] = (0.0, 1000.0)
    revision: ClassVar[int] = 1
    needs: ClassVar[tuple[tuple[str, ...], ...]] = (("answer",),)

    def measure(self, batch):
        lengths = [min(len(answer or ""), self.most) for answer in batch.column("answer").to_pylist()]
        return Rows.of({"length": np.array(lengths), "count": np.ones(len(batch), int)})

    def score(self, totals):
        return ratio(totals["length"], totals["count"])


@ragauge.metric(needs=("answer",), range=(0, 1))
def toy_politeness(sample):
    """Whether the answer says please."""
    return "please" in sample.answer
'''

ROWS = [{"answer": "please wait"}, {"answer": "no"}, {"answer": None}]


def build(folder: Path, module: str, source: str) -> Path:
    """Put a module into a wheel with an entry point, in ``folder``."""
    wheel = folder / f"{module}-1.0-py3-none-any.whl"
    about = f"{module}-1.0.dist-info"
    files = {
        f"{module}.py": source,
        f"{about}/METADATA": f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n",
        f"{about}/WHEEL": "Wheel-Version: 1.0\nGenerator: a test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{about}/entry_points.txt": f"[ragauge.metrics]\n{module} = {module}\n",
    }
    files[f"{about}/RECORD"] = "".join(f"{name},,\n" for name in [*files, f"{about}/RECORD"])
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return wheel


def ragauge(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH", "")]))
    return subprocess.run(
        [sys.executable, "-m", "ragauge", *arguments],
        input="".join(json.dumps(row) + "\n" for row in ROWS),
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
        check=False,
    )


@pytest.fixture(scope="module")
def toys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("toys")
    site = folder / "site"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--target", str(site)]
    subprocess.run([*pip, str(build(folder, "toy_metrics", TOY))], check=True)
    return site


@pytest.mark.costly
def test_they_are_listed_and_explained(toys: Path) -> None:
    listed = ragauge(toys, "metrics").stdout
    assert "  toy-length[@most]" in listed
    assert re.search(r"toy-size\[@most\] += toy-length", listed)
    assert "Whether the answer says please." in listed
    explained = ragauge(toys, "metrics", "toy-length").stdout
    assert "The length of the answer in characters" in explained
    assert "most=a whole number (default 100)" in explained


def test_they_score_as_ours_do(toys: Path) -> None:
    done = ragauge(toys, "score", "-", "-m", "toy-size@5", "-m", "toy-politeness", "--output-format", "json")
    assert done.returncode == 0, done.stderr
    length, polite = json.loads(done.stdout)["metrics"]
    assert (length["value"], length["scored"], length["missing"], length["direction"]) == (3.5, 2, 1, "lower")
    assert length["signature"].startswith("toy-length|average=samples|most=5|revision=1|")
    assert (polite["value"], polite["stage"]) == (0.5, "generation")


def test_a_misspelt_one_is_suggested(toys: Path) -> None:
    done = ragauge(toys, "score", "-", "-m", "toy-lenght")
    assert (done.returncode, done.stderr) == (2, "error: unknown metric 'toy-lenght'; did you mean toy-length?\n")


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("import no_such_library", "No module named 'no_such_library'"),
        ("1 / 0", "ZeroDivisionError"),
        ("import ragauge\nragauge.metric(name='ndcg')(len)", "two metrics are named 'ndcg'"),
    ],
)
def test_a_broken_package_is_named_in_one_line(tmp_path: Path, source: str, says: str) -> None:
    """A metric that no module of ours registers may be in any package, so all are loaded then."""
    with zipfile.ZipFile(build(tmp_path, "broken_metrics", source)) as wheel:
        wheel.extractall(tmp_path / "site")
    done = ragauge(tmp_path / "site", "score", "-", "-m", "theirs")
    assert done.returncode == 2
    assert "broken_metrics" in done.stderr
    assert says in done.stderr
    assert len(done.stderr.splitlines()) == 1
