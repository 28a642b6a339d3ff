"""``ragauge score --engine``: a Parquet table, a real Spark and a real Ray, and what one process prints."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import ragauge
from ragauge.cli import cluster
from ragauge.errors import UsageError

from .rows import for_workers, table

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]
MODULES = {"spark": "pyspark", "ray": "ray"}
MASTERS = {"spark": ["--master", "local[2]"], "ray": []}


def called(arguments: list[str]) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "RAY_USAGE_STATS_ENABLED": "0"}
    line = [sys.executable, "-m", "ragauge", *arguments]
    return subprocess.run(line, capture_output=True, text=True, env=environment, check=False, timeout=240)


@pytest.mark.parametrize("engine", MODULES)
def test_the_command_prints_what_one_process_prints(
    engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip(MODULES[engine], reason=f"pip install {MODULES[engine]}, as the environment 'engines' does")
    if engine == "spark" and shutil.which("java") is None:
        pytest.skip("there is no Java, which the environment 'engines' installs")
    for_workers(monkeypatch, tmp_path / "armed")
    folder, scores = tmp_path / "回答", tmp_path / "scores.parquet"
    folder.mkdir()
    for part in range(2):
        pq.write_table(table().slice(part * 200, 200), folder / f"{part}.parquet")
    command = ["score", str(folder), "-m", "bleu", "-m", "ndcg@10", "--by", "lang", "--output-format", "csv"]
    more = ["--engine", engine, *MASTERS[engine], "--per-sample", str(scores)]
    pq.write_table(table(), tmp_path / "whole.parquet")
    done = called([*command, *more])
    alone = called(["score", str(tmp_path / "whole.parquet"), *command[2:]])
    assert (done.returncode, alone.returncode) == (0, 0), done.stderr
    assert done.stdout == alone.stdout
    assert f"400 samples from {folder}" in done.stderr
    here = ragauge.evaluate(table(), ["bleu", "ndcg@10"])
    written = pq.read_table(scores).sort_by("id")
    wanted = dict(zip(table()["id"].to_pylist(), here.scores("bleu").tolist(), strict=True))
    for name, struct in zip(written["id"].to_pylist(), written["bleu"].to_pylist(), strict=True):
        assert struct["score"] == wanted[name] or struct["score"] is None


def test_there_is_no_java(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyspark", reason="pip install pyspark, as the environment 'engines' does")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    session = cluster._spark("x", None, None)
    with pytest.raises(UsageError, match="Spark needs Java 17 or newer, and there is none"), session:
        pass
