"""``ragauge score --engine``: what is refused before a cluster is started."""

from __future__ import annotations

import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.engines.rows import table

from .running import here

Captured = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("data") / "回答.parquet"
    pq.write_table(table(20), path)
    return str(path)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--master", "local[2]"), "--master is the address of a cluster: it needs --engine spark or --engine ray"),
        (("--engine", "spark", "-o", "runs"), "-o saves a run with its samples, which stay on the cluster"),
        (
            ("--engine", "spark", "--limit", "3"),
            "--limit works in one process only; leave it out, or leave out --engine",
        ),
        (("--engine", "ray", "--workers", "3"), "--workers is of one machine; leave it out"),
        (("--engine", "ray", "--judge", "http://localhost:1/v1"), "a judge is asked in one process only"),
        (("--engine", "ray", "--per-sample", "s.csv"), "--engine ray writes the scores of samples as Parquet"),
    ],
)
def test_what_works_in_one_process_only(
    arguments: tuple[str, ...], message: str, data: str, tmp_path: Path, capsys: Captured
) -> None:
    given = [str(tmp_path / one) if one in ("runs", "s.csv") else one for one in arguments]
    done = here(capsys, "score", data, "-m", "bleu", *given)
    assert done.code == 2
    assert message in done.err.replace("\n", " ")


def test_other_files_are_refused(tmp_path: Path, capsys: Captured) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text("{}")
    done = here(capsys, "score", str(path), "--engine", "spark")
    assert done.code == 2
    assert "--engine spark reads Parquet; write DATA as Parquet, or give a table to ragauge.engines.spark.evaluate" in (
        done.err.replace("\n", " ")
    )
    done = here(capsys, "score", str(tmp_path / "none.parquet"), "--engine", "ray")
    assert (done.code, "none.parquet: file not found" in done.err) == (3, True)


@pytest.mark.parametrize(("module", "engine"), [("pyspark", "spark"), ("ray", "ray")])
def test_the_library_is_missing(
    module: str, engine: str, data: str, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.setitem(sys.modules, "py4j", None)
    done = here(capsys, "score", data, "--engine", engine)
    assert done.code == 2
    assert f"pip install 'ragauge[{engine}]'" in done.err
