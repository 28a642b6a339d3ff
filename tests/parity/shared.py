"""Real data that is not part of the project; tests that read it skip where it is absent."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ragauge.formats.trec import read_qrels, read_run

Table = dict[str, dict[str, float]]

SHARED = Path(os.environ.get("RAGAUGE_SHARED_DATA", Path(__file__).parents[2].parent / "shared" / "data"))


def folder(name: str) -> Path:
    path = SHARED / name
    if not path.is_dir():
        pytest.skip(f"no {name} in {SHARED}; set RAGAUGE_SHARED_DATA to the folder that holds it")
    return path


def run_of(path: Path) -> Table:
    rows = read_run(path).to_pylist()
    return {row["id"]: dict(zip(row["retrieved"], row["retrieved_scores"], strict=True)) for row in rows}


def qrels_of(path: Path) -> Table:
    return {row["id"]: {x["id"]: x["grade"] for x in row["relevance"]} for row in read_qrels(path).to_pylist()}
