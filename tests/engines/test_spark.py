"""Rows of a Spark DataFrame are scored to the same bits as in one process, by a real Spark."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import ragauge
from ragauge.cli.cluster import _spark
from ragauge.errors import ColumnError, DataError, OptionError, UsageError

from .rows import (
    METRICS,
    OPTIONS,
    by_id,
    for_workers,
    metrics_without_a_judge,
    rows_with_all_columns,
    sample_scores,
    table,
    the_command_prints_what_one_process_prints,
    the_engine_asks_a_judge,
    the_engine_makes_ids_and_knows_languages,
)

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]
sql = pytest.importorskip("pyspark.sql", reason="pip install pyspark, as the environment 'engines' does")
if shutil.which("java") is None:
    pytest.skip("there is no Java, which the environment 'engines' installs", allow_module_level=True)

from ragauge.engines import spark as engine  # noqa: E402 - after the library that it needs

from .ending import ends_a_worker  # noqa: E402 - likewise


@pytest.fixture(scope="module")
def armed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("armed") / "armed"


@pytest.fixture(scope="module")
def session(armed: Path) -> Iterator[Any]:
    with pytest.MonkeyPatch.context() as patch:
        for_workers(patch, armed)
        settings = {
            "spark.ui.enabled": "false", "spark.driver.memory": "1g", "spark.sql.shuffle.partitions": "2",
            "spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1", "spark.log.level": "OFF",
            "spark.ui.showConsoleProgress": "false",
        }  # fmt: skip
        builder = sql.SparkSession.builder.master("local[2,2]")
        for name, value in settings.items():
            builder = builder.config(name, value)
        session = builder.getOrCreate()
        yield session
        session.stop()


@pytest.fixture(scope="module")
def here() -> ragauge.Result:
    return ragauge.evaluate(table(), METRICS, **OPTIONS)


@pytest.mark.parametrize("partitions", [1, 2, 16])
def test_the_same_bits_as_in_one_process(partitions: int, session: Any, here: ragauge.Result) -> None:
    rows = session.createDataFrame(table()).orderBy(sql.functions.rand(partitions)).repartition(partitions)
    result, scores = engine.evaluate(rows, METRICS, check_ids=False, **OPTIONS)
    assert scores is None
    assert repr(result.table) == repr(here.table)
    assert "unused columns: unread" in result.data.notes


def test_every_metric_that_asks_no_judge_has_the_bits_of_one_process(session: Any) -> None:
    rows, metrics = rows_with_all_columns(1), metrics_without_a_judge()
    options: dict[str, Any] = {"by": "language", "resamples": 20}
    alone = ragauge.evaluate(rows, metrics, **options)
    frame = session.createDataFrame(rows).repartition(2)
    result, _ = engine.evaluate(frame, metrics, check_ids=False, **options)
    assert repr(result.table) == repr(alone.table)


def test_scores_of_each_row(session: Any, here: ragauge.Result) -> None:
    rows = session.createDataFrame(table()).repartition(3)
    result, scores = engine.evaluate(rows, METRICS, scores=True, check_ids=False, **OPTIONS)
    assert repr(result.table) == repr(here.table)
    assert scores is not None
    assert by_id(scores.toArrow()) == sample_scores(table())


def test_a_worker_that_is_killed_counts_once(session: Any, armed: Path) -> None:
    rows = table()
    alone = ragauge.evaluate(rows, [ends_a_worker, "bleu"])
    armed.touch()
    result, scores = engine.evaluate(
        session.createDataFrame(rows).repartition(4), [ends_a_worker, "bleu"], scores=True, check_ids=False
    )
    assert not armed.exists()
    assert repr(result.table) == repr(alone.table)
    assert scores is not None
    assert scores.count() == len(rows)


def test_all_wrong_rows_are_named_by_their_ids(session: Any) -> None:
    kind = pa.map_(pa.string(), pa.float64())
    grades = [[("d1", float("nan") if i in (1100, 1500) else 1.0)] for i in range(1600)]
    rows = pa.table(
        {"编号": [f"q-{i}" for i in range(1600)], "retrieved": [["d1"]] * 1600, "relevance": pa.array(grades, kind)}
    )
    frame = session.createDataFrame(rows)
    with pytest.raises(DataError) as caught:
        engine.evaluate(frame, "mrr", map={"id": "编号"}, check_ids=False)
    assert caught.value.exit_code == 3
    for name in ("q-1100", "q-1500"):
        assert f"the row with id '{name}': relevance must have a finite number as grade" in str(caught.value)


def test_rows_without_ids_and_each_by_its_language(session: Any) -> None:
    the_engine_makes_ids_and_knows_languages(engine.evaluate, lambda rows: session.createDataFrame(rows).repartition(3))


def test_tasks_ask_a_judge_through_one_process(session: Any, tmp_path: Path) -> None:
    rows = session.createDataFrame(table()).repartition(4)
    the_engine_asks_a_judge(engine.evaluate, rows, ["--engine", "spark", "--master", "local[2]"], tmp_path)


def test_errors(session: Any) -> None:
    frame = session.createDataFrame(pa.table({"id": ["a", "b"], "answer": ["x", "y"]}))
    with pytest.raises(ColumnError, match="bleu needs the columns answer and references; references not found"):
        engine.evaluate(frame, "bleu")
    with pytest.raises(DataError, match="two rows have the id 'a'; ids must be unique"):
        engine.evaluate(frame.union(frame), "column:name=answer")
    many = pa.table({"id": [f"q{i % 1995}" for i in range(2000)], "seconds": [1.0] * 2000})
    with pytest.raises(DataError, match="5 problems\n  several rows have the id 'q0'"):
        engine.evaluate(session.createDataFrame(many), "column:name=seconds")
    with pytest.raises(OptionError, match="evaluate on a cluster has no option 'bye'; did you mean by"):
        engine.evaluate(frame, "bleu", bye="x")  # type: ignore[call-arg]
    with pytest.raises(OptionError, match=r"'df' of spark\.evaluate must be a DataFrame of Spark; got 'Table'"):
        engine.evaluate(pa.table({"id": ["a"]}), "bleu")


def test_the_command_without_java(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    opened = _spark(None)
    with pytest.raises(UsageError, match="Spark needs Java 17 or newer, and there is none"), opened:
        pass


def test_the_command(session: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It comes last, because it ends the session."""
    the_command_prints_what_one_process_prints(["--engine", "spark", "--master", "local[2]"], tmp_path, capsys)
