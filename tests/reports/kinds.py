"""Reports of each kind, small: what the pages of two runs and of one do not show."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import ragauge
from ragauge.results.result import Result
from tests.comparison.test_history import save
from tests.reports.runs import TOPICS, make_result, rows

LONG = "a run whose name is so long that no line of a legend holds it whole"


def kinds(folder: Path) -> Iterator[Path]:
    """Yield the page of each kind."""
    numbers = count()

    def page(runs: Any, **options: Any) -> Path:
        return ragauge.report(runs, folder / f"kind-{next(numbers)}.html", **options)

    yield page(groups_apart())
    yield page(many_metrics(), names=["before", "after"])
    yield page(three_runs(), names=["first", "second", LONG], language="zh", limit=7, metric="token-f1")
    yield page(many_groups(), limit=3)
    yield page(without_intervals())
    yield from history_pages(folder / "past", page)


def groups_apart() -> Result:
    """Of five metrics all set group b apart, and two group c; a fourth group is too small to be named."""
    samples = [
        {"id": f"{group}{place}", "group": group, **{f"m{k}": _low(group, k, place) for k in range(5)}}
        for group, size in (("a", 12), ("b", 6), ("c", 6), ("d", 3))
        for place in range(size)
    ]
    return ragauge.evaluate(samples, [f"m{k}=column:name=m{k},low=0,high=1" for k in range(5)], by="group")


def _low(group: str, metric: int, place: int) -> float:
    is_low = group in {"b", "d"} or (group == "c" and metric < 2)
    return (0.1 + metric / 50 if is_low else 0.8 + metric / 40) + place % 3 / 20


def many_metrics() -> list[Result]:
    """Of 16 metrics one rises on 9 samples of 12 and falls on 1, unclear after correction; one has no pair."""
    moves = {"m0": [0.1] * 9 + [-0.1] + [0.0] * 2, **{f"m{k}": [0.1, -0.1] * 6 for k in range(1, 15)}}
    base: list[dict[str, Any]] = [
        {"id": str(place), **{name: 0.5 + (place * k) % 7 / 50 for k, name in enumerate(moves)}} for place in range(12)
    ]
    moved = [{**row, **{name: row[name] + by[int(row["id"])] for name, by in moves.items()}} for row in base]
    unpaired = [[{**row, "m15": 0.2 if (place < 6) == early else None} for place, row in enumerate(some)]
                for some, early in ((base, True), (moved, False))]  # fmt: skip
    metrics = [f"m{k}=column:name=m{k},low=0,high=1" for k in range(16)]
    return [ragauge.evaluate(some, metrics, resamples=200) for some in unpaired]


def three_runs() -> list[Result]:
    """Three systems, not all asked the same; the last one failed in two ways, and was scored by more metrics."""
    metrics = ["ndcg@2", "mrr:ties=input", "token-f1", "bleu", "answer-similarity", "groundedness"]
    samples = [
        rows(24, ("en", "zh", "ru"), seed=seed, skill=skill, failures=0) for seed, skill in enumerate((0.2, 0.5, 0.9))
    ]
    for some in samples:
        for place, row in enumerate(some):
            row |= {"code": f"c{place % 23:02}", "topic": None if place % 5 == 0 else TOPICS[place % 4]}
    for place, reason in ((1, "timeout after 30 s"), (4, "timeout after 30 s"), (7, "refused")):
        samples[2][place]["failure"] = reason
    samples[1][9]["answer"] = None
    options: dict[str, Any] = {"by": ["language", "topic", "code"]}
    return [
        make_result(samples[0][1:], metrics, **options),
        make_result(samples[1], metrics, **options),
        make_result(samples[2][:-2], [*metrics, "rouge-l"], cluster="topic", ci=0.9, seed=3, **options),
    ]


def many_groups() -> Result:
    """203 groups, of which 24 are drawn and 200 listed."""
    samples = [{"id": f"q{i}", "tone": i % 7 - 3.5, "g": min(i, 202)} for i in range(206)]
    return ragauge.evaluate(samples, "column:name=tone", by="g", resamples=0)


def without_intervals() -> list[Result]:
    """Groups of which nobody can say whether they stand apart; one sample failed in the second run, and one is new."""
    samples = [{"id": str(i), "x": 1 + i % 3, "group": "ab"[i % 2]} for i in range(12)]
    runs = [samples, [{**samples[0], "failure": "late"}, *samples[1:], {"id": "new", "x": 2, "group": "a"}]]
    return [ragauge.evaluate(one, "column:name=x", by="group", resamples=0) for one in runs]


def history_pages(folder: Path, page: Any) -> Iterator[Path]:
    """One page of runs of which two moved a score and one cannot be compared, and one of runs that moved nothing."""
    rank = "first=column:name=rank,direction=lower"
    for place, (tag, first) in enumerate(
        (("bm25", 5), ("重排序", 30), (None, 31), ("wrong", 6), ("other judgements", 7))
    ):
        name, grade, metrics = f"run {place}", 2 if place == 4 else 1, ["mrr", "ndcg@1"] if place else ["mrr"]
        save(
            folder / "moved", name, first, day=place + 1, tag=tag, grade=grade, metrics=metrics, commit=f"{place}" * 40
        )
    yield page(folder / "moved" / "run 4", history=folder / "moved")
    for place in range(2):
        samples = [{"id": str(i), "rank": i % 4} for i in range(10)]
        ragauge.evaluate(samples, rank).save(folder / "same" / f"same {place}")
        manifest = folder / "same" / f"same {place}" / "manifest.json"
        described = json.loads(manifest.read_text(encoding="utf-8"))
        described["run"] |= {"created": f"2026-11-{place + 10:02}T10:00:00+00:00"}
        described["run"].pop("commit", None)
        manifest.write_text(json.dumps(described), encoding="utf-8")
    yield page(folder / "same" / "same 1", history=folder / "same")
