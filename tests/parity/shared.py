"""Real data that is not part of the project: tests skip without it, and fail where a part of it is gone."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ragauge.formats.runs import read_qrels, read_run

Table = dict[str, dict[str, float]]

ASKED_FOR = os.environ.get("RAGAUGE_SHARED_DATA")
SHARED = Path(ASKED_FOR or Path(__file__).parents[2].parent / "shared" / "data")


def place(name: str) -> Path:
    """Return a file or folder of the shared data."""
    path = SHARED / name
    if path.exists():
        return path
    if ASKED_FOR or SHARED.parent.is_dir():
        pytest.fail(f"{name} is missing in {SHARED}: these checks run nowhere else, so they are not skipped")
    pytest.skip(f"no {name} in {SHARED}; set RAGAUGE_SHARED_DATA to the folder that holds it")


def run_of(path: Path) -> Table:
    rows = read_run(path).to_pylist()
    return {row["id"]: dict(zip(row["retrieved"], row["retrieved_scores"], strict=True)) for row in rows}


def qrels_of(path: Path) -> Table:
    return {row["id"]: {x["id"]: x["grade"] for x in row["relevance"]} for row in read_qrels(path).to_pylist()}
