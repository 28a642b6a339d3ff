"""Runs of Trackio, in its database on this machine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from ragauge.results.result import Result
from tests.writers.runs import LABELS, library, some_result

library("trackio")

# Trackio takes its folder when it is imported.
KEPT = """
import json, sys, trackio
runs = {name: [trackio.SQLiteStorage.get_logs("茶", name), trackio.SQLiteStorage.get_run_config("茶", name)]
        for name in trackio.SQLiteStorage.get_runs("茶")}
sys.stdout.write(json.dumps(runs))
"""
INSIDE = """
import ragauge, trackio
from tests.writers.runs import some_result
opened = trackio.init("p", name="mine", embed=False)
ragauge.export(some_result(), "trackio", project="茶", samples=False, name="r")
assert trackio.context_vars.current_run.get() is opened
trackio.finish()
"""


def python(folder: Path, *arguments: str) -> str:
    environment = {**os.environ, "TRACKIO_DIR": str(folder / "trackio"), "PYTHONUTF8": "1"}
    done = subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, encoding="utf-8", env=environment, check=True
    )
    return done.stdout


def test_a_run_is_kept(tmp_path: Path) -> None:
    result: Result = some_result()
    result.save(tmp_path / "run")
    said = python(
        tmp_path, "-m", "ragauge", "export", str(tmp_path / "run"), "--name", "今天", "--to", "trackio[project=茶]"
    )
    assert said == "trackio: run 今天 of project 茶; look at it with: trackio show\n"
    runs: dict[str, Any] = json.loads(python(tmp_path, "-c", KEPT))
    [[first, second], config] = runs["今天"]
    score = result["exact-match"]
    numbers = [first[f"exact-match{end}"] for end in ("", "/low", "/high", "/coverage", "/failed")]
    assert numbers == [score.value, score.low, score.high, 8 / 11, 1]
    assert first[LABELS[0]] == result[LABELS[0]].value
    rows = second["ragauge/samples"]["_value"]
    assert [row["exact-match|status"] for row in rows] == result.statuses("exact-match").tolist()
    assert rows[0]["answer"] == result.to_arrow()["answer"][0].as_py()
    page = tmp_path / "trackio" / "media" / second["ragauge/report"]["file_path"]
    assert "今天" in page.read_text(encoding="utf-8")
    assert config["ragauge"]["metrics"]["latency"]["direction"] == "lower"


def test_an_open_run_stays_open(tmp_path: Path) -> None:
    python(tmp_path, "-c", INSIDE)
    assert {*json.loads(python(tmp_path, "-c", KEPT))} == {"r"}
