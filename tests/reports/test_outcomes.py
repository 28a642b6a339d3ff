"""The run that each run of the viewer is compared with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ragauge.reports.viewer.folders import ViewedRun
from ragauge.reports.viewer.outcomes import bases


class CountedRun(ViewedRun):
    """A run that counts how often its time is read."""

    reads = 0

    @property
    def created(self) -> str:
        type(self).reads += 1
        return super().created


def run(number: int, created: str, task: str, metrics: list[str]) -> CountedRun:
    scores: list[dict[str, Any]] = [
        {"metric": name, "group": None, "value": 0.5, "total": 9, "counts": {"ok": 9}, "average": "samples"}
        for name in metrics
    ]
    manifest = {"run": {"created": created}, "data": {"task": task, "samples": 9}, "metrics": scores}
    viewed = CountedRun(f"{number:016x}", f"run {number:05}", Path(f"run-{number}"), (0, 0, 0), manifest)
    viewed.__dict__["scores"] = dict.fromkeys(metrics)
    return viewed


def drawn(seed: int, n: int) -> list[CountedRun]:
    random = np.random.default_rng(seed)
    return [
        run(
            number,
            f"2026-01-{int(random.integers(1, max(2, n // 3))):02}",
            str(random.choice(["a", "b", ""])),
            [name for name in ("mrr", "bleu", "map") if random.random() < 0.5],
        )
        for number in range(n)
    ]


def found_one_by_one(runs: list[CountedRun]) -> dict[str, str]:
    """Return the base of each run by its definition: each run is held against all others."""
    found = {}
    for one in runs:
        earlier = [
            other
            for other in runs
            if other.created < one.created and other.task == one.task != "" and {*one.scores} & {*other.scores}
        ]
        if earlier:
            found[one.key] = max(earlier, key=lambda other: (other.created, other.name)).key
    return found


def test_the_base_is_the_last_earlier_run_on_the_same_questions_with_a_metric_in_common() -> None:
    for seed in range(60):
        runs = drawn(seed, n=4 + seed % 20)
        assert {key: base.key for key, base in bases(runs).items()} == found_one_by_one(runs)


def test_the_time_of_each_run_is_read_a_few_times_however_many_there_are() -> None:
    runs = [run(number, f"2026-{number:05}", "a", ["mrr"]) for number in range(500)]
    CountedRun.reads = 0
    assert bases(runs)[runs[-1].key] is runs[-2]
    assert CountedRun.reads <= 5 * len(runs)
