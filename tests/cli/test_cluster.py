"""``ragauge score --engine``: what is refused before a cluster is started."""

from __future__ import annotations

import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from ragauge.cli import cluster
from ragauge.cli.cluster import _stopped
from ragauge.judges.relay import UNREACHED
from tests.engines.rows import table

from .running import here, write_rows

JUDGE = ("--judge", "http://localhost:1/v1", "--judge-model", "m", "--judge-cache", "none")
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
        (("--engine", "spark", "--embedding-cache", "c"), "--embedding-cache works in one process only; leave it out"),
        (("--engine", "spark", "--limit", "3"), "--limit has no effect on Parquet that a cluster reads; leave it out"),
        (("--engine", "ray", "--workers", "3"), "--workers is of one machine; leave it out"),
        (("--engine", "ray", *JUDGE, "--dry-run"), "--dry-run counts requests in one process; leave out --engine ray"),
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


def test_other_files_at_an_address_are_refused(tmp_path: Path, capsys: Captured) -> None:
    done = here(capsys, "score", "s3://回答/answers.jsonl", "--engine", "spark")
    assert done.code == 2
    assert "only Parquet is read at an address; write DATA as Parquet, or give a table to ragauge.engines.spark" in (
        done.err.replace("\n", " ")
    )
    done = here(capsys, "score", str(tmp_path / "none.parquet"), "--engine", "ray")
    assert (done.code, "none.parquet: file not found" in done.err) == (3, True)


@pytest.mark.parametrize("engine", ["spark", "ray"])
def test_wrong_rows_of_a_file_are_told_before_the_cluster_starts(engine: str, tmp_path: Path, capsys: Captured) -> None:
    path = tmp_path / "回答.jsonl"
    path.write_text('{"id": "a", "answer": "茶"}\n{"id": "a", "answer": "茶"}\n{"id"\n', encoding="utf-8")
    done = here(capsys, "score", path, "-m", "bleu", "--engine", engine)
    alone = here(capsys, "score", path, "-m", "bleu")
    assert (done.code, done.err) == (3, alone.err)


@pytest.mark.parametrize("suffix", ["parquet", "jsonl"])
def test_a_small_table_is_said_to_need_no_cluster(
    suffix: str, data: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    def ends(_master: str | None) -> None:
        raise _stopped("Ray", ValueError("no cluster here"))

    monkeypatch.setattr(cluster, "_ray", ends)
    path = (
        Path(data)
        if suffix == "parquet"
        else write_rows(tmp_path / "回答.jsonl", [{"answer": "茶", "references": ["茶"]}])
    )
    few = f"{20 if suffix == 'parquet' else 1} rows are few for a cluster: one process often scores them before Ray"
    done = here(capsys, "score", path, "-m", "bleu", "--engine", "ray")
    assert few in done.err
    assert done.code == 2
    monkeypatch.setattr(cluster, "_FEW", 1)
    assert "are few" not in here(capsys, "score", path, "-m", "bleu", "--engine", "ray").err


@pytest.mark.parametrize(("module", "engine"), [("pyspark", "spark"), ("ray", "ray")])
def test_the_library_is_missing(
    module: str, engine: str, data: str, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.setitem(sys.modules, "py4j", None)
    done = here(capsys, "score", data, "--engine", engine)
    assert done.code == 2
    assert f"pip install 'ragauge[{engine}]'" in done.err


def test_a_task_that_reaches_no_judge_is_told_in_one_line() -> None:
    unreached = "the process that asks the judge does not answer at 10.0.0.7:41: let it"
    text = f"An exception was thrown from the Python worker.\n  File x\nConnectionError: {UNREACHED} {unreached}\nby m"
    assert str(_stopped("Spark", RuntimeError(text))) == f"Spark stopped: {unreached}"
    assert str(_stopped("Ray", RuntimeError("\nActor died.\nmore"))) == "Ray stopped: Actor died."
