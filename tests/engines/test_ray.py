"""Rows of a Ray Dataset are scored to the same bits as in one process, by a real Ray."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import ragauge
from ragauge.errors import ColumnError, DataError, OptionError

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
ray = pytest.importorskip("ray", reason="pip install ray[data], as the environment 'engines' does")

from ragauge.engines import ray as engine  # noqa: E402 - after the library that it needs

from .ending import ends_a_worker  # noqa: E402 - likewise


@pytest.fixture(scope="module")
def armed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("armed") / "armed"


@pytest.fixture(scope="module")
def data(armed: Path) -> Iterator[Any]:
    with pytest.MonkeyPatch.context() as patch:
        for_workers(patch, armed)
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        ray.init(
            num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR",
            object_store_memory=200 << 20,
        )  # fmt: skip
        from ray import data

        data.DataContext.get_current().enable_progress_bars = False
        logging.getLogger("ray.data").setLevel(logging.ERROR)
        yield data
        ray.shutdown()


@pytest.fixture(scope="module")
def here() -> ragauge.Result:
    return ragauge.evaluate(table(), METRICS, **OPTIONS)


@pytest.mark.parametrize("partitions", [1, 2, 16])
def test_the_same_bits_as_in_one_process(partitions: int, data: Any, here: ragauge.Result) -> None:
    shuffled = table().take(np.random.default_rng(partitions).permutation(400))
    rows = data.from_arrow(shuffled).repartition(partitions)
    result, scores = engine.evaluate(rows, METRICS, check_ids=False, **OPTIONS)
    assert scores is None
    assert repr(result.table) == repr(here.table)


def test_every_metric_that_asks_no_judge_has_the_bits_of_one_process(data: Any) -> None:
    rows, metrics = rows_with_all_columns(1), metrics_without_a_judge()
    options: dict[str, Any] = {"by": "language", "resamples": 20}
    alone = ragauge.evaluate(rows, metrics, **options)
    result, _ = engine.evaluate(data.from_arrow(rows).repartition(2), metrics, check_ids=False, **options)
    assert repr(result.table) == repr(alone.table)


def test_scores_of_each_row_by_an_actor(data: Any, here: ragauge.Result) -> None:
    rows = data.from_arrow(table()).repartition(3)
    result, scores = engine.evaluate(rows, METRICS, scores=True, check_ids=False, actors=1, **OPTIONS)
    assert repr(result.table) == repr(here.table)
    assert scores is not None
    assert by_id(pa.concat_tables(ray.get(scores.to_arrow_refs()))) == sample_scores(table())


def test_a_worker_that_is_killed_counts_once(data: Any, armed: Path) -> None:
    rows = table()
    alone = ragauge.evaluate(rows, [ends_a_worker, "bleu"])
    armed.touch()
    result, _ = engine.evaluate(data.from_arrow(rows).repartition(4), [ends_a_worker, "bleu"], check_ids=False)
    assert not armed.exists()
    assert repr(result.table) == repr(alone.table)


def test_rows_without_ids_and_each_by_its_language(data: Any) -> None:
    the_engine_makes_ids_and_knows_languages(engine.evaluate, lambda rows: data.from_arrow(rows).repartition(3))


def test_tasks_ask_a_judge_through_one_process(data: Any, tmp_path: Path) -> None:
    rows = data.from_arrow(table()).repartition(4)
    the_engine_asks_a_judge(engine.evaluate, rows, ["--engine", "ray"], tmp_path)


def test_errors(data: Any) -> None:
    frame = data.from_arrow(pa.table({"id": ["a", "b"], "answer": ["x", "y"]}))
    with pytest.raises(ColumnError, match="bleu needs the columns answer and references; references not found"):
        engine.evaluate(frame, "bleu")
    with pytest.raises(DataError, match="two rows have the id 'a'; ids must be unique"):
        engine.evaluate(frame.union(frame), "column:name=answer")
    with pytest.raises(OptionError, match=r"'dataset' of ray\.evaluate must be a Dataset of Ray Data; got 'Table'"):
        engine.evaluate(pa.table({"id": ["a"]}), "bleu")
    many = pa.table({"id": [f"q{i % 1995}" for i in range(2000)], "seconds": [1.0] * 2000})
    with pytest.raises(DataError, match="5 problems\n  several rows have the id 'q0'"):
        engine.evaluate(data.from_arrow(many), "column:name=seconds")


def test_the_command(data: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It comes last, because it ends the cluster."""
    the_command_prints_what_one_process_prints(["--engine", "ray"], tmp_path, capsys)
