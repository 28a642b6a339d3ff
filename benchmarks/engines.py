"""Seconds that Spark or Ray take on this machine, their start apart, beside one process with the same rows.

    python benchmarks/engines.py --engine spark --rows 20000

Rows are short answers in English with two references and graded documents; the result must be equal bit by bit.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from typing import Any

import numpy as np
import pyarrow as pa

import ragauge

METRICS = ("bleu", "rouge-l", "token-f1", "ndcg@10")


def rows(count: int) -> pa.Table:
    """Return ``count`` rows of 8 to 30 words drawn with the same seed."""
    draw = np.random.default_rng(7)
    words = np.array([f"word{i}" for i in range(2000)])

    def texts(number: int) -> list[str]:
        return [" ".join(words[draw.zipf(1.3, size) % 2000]) for size in draw.integers(8, 30, number)]

    references = list(map(list, zip(texts(count), texts(count), strict=True)))
    kind = pa.map_(pa.string(), pa.float64())
    return pa.table(
        {"id": [f"q{i}" for i in range(count)], "answer": texts(count), "references": references,
         "retrieved": [[f"d{one}" for one in draw.permutation(20)[:10]] for _ in range(count)],
         "relevance": pa.array([[(f"d{i % 20}", 1.0), (f"d{i % 7}x", 2.0)] for i in range(count)], kind)}
    )  # fmt: skip


def on_spark(table: pa.Table) -> tuple[float, float, Any]:
    from pyspark.sql import SparkSession

    from ragauge.engines.spark import evaluate

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    start = time.perf_counter()
    builder = SparkSession.builder.master("local[2]").config("spark.driver.bindAddress", "127.0.0.1")
    session = builder.config("spark.driver.host", "127.0.0.1").config("spark.log.level", "ERROR").getOrCreate()
    frame = session.createDataFrame(table)
    frame.count()
    started = time.perf_counter()
    result, _ = evaluate(frame, METRICS)
    seconds = time.perf_counter() - started
    session.stop()
    return started - start, seconds, result


def on_ray(table: pa.Table) -> tuple[float, float, Any]:
    import ray

    from ragauge.engines.ray import evaluate

    start = time.perf_counter()
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    ray.data.DataContext.get_current().enable_progress_bars = False
    dataset = ray.data.from_arrow(table)
    started = time.perf_counter()
    result, _ = evaluate(dataset, METRICS)
    seconds = time.perf_counter() - started
    ray.shutdown()
    return started - start, seconds, result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--engine", choices=("spark", "ray"), default="spark")
    parser.add_argument("--rows", type=int, default=20_000)
    arguments = parser.parse_args()
    table = rows(arguments.rows)
    start = time.perf_counter()
    alone = ragauge.evaluate(table, METRICS)
    one_process = time.perf_counter() - start
    started, seconds, result = {"spark": on_spark, "ray": on_ray}[arguments.engine](table)
    figures = {"rows": arguments.rows, "one process": one_process, "start": started, "scored": seconds}
    shown = {name: round(value, 1) for name, value in figures.items()}
    print(json.dumps({"engine": arguments.engine, **shown, "equal": repr(result.table) == repr(alone.table)}))


if __name__ == "__main__":
    main()
