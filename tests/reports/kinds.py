"""Runs whose reports differ in kind: by name, the saved runs or results of each page, and the options of its report."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import ragauge
from ragauge.results.result import Result
from tests.comparison.test_history import save
from tests.reports.runs import FACTS, TOPICS, make_result, rows

LONG = "a run whose name is so long that no line of a legend holds it whole"
Given = tuple[Any, dict[str, Any]]


def pages(folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield the name and the page of each kind."""
    for kind in KINDS:
        for place, (runs, options) in enumerate(kind(folder)):
            name = f"{kind.__name__} {place}"
            yield name, ragauge.report(runs, folder / f"{name}.html", **options)


def one_of_each(folder: Path) -> Iterator[Given]:
    """Yield groups apart, many metrics, three unlike runs, many groups, and runs without intervals."""
    yield groups_apart(), {}
    yield many_metrics(), {"names": ["before", "after"]}
    yield three_runs(), {"names": ["first", "second", LONG], "language": "zh", "limit": 7, "metric": "token-f1"}
    yield many_groups(), {"limit": 3}
    yield without_intervals(), {}


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


def histories(folder: Path) -> Iterator[Given]:
    """Yield runs of which two moved a score and one cannot be compared, and runs that moved nothing."""
    rank = "first=column:name=rank,direction=lower"
    for place, (tag, first) in enumerate(
        (("bm25", 5), ("重排序", 30), (None, 31), ("wrong", 6), ("other judgements", 7))
    ):
        name, grade, metrics = f"run {place}", 2 if place == 4 else 1, ["mrr", "ndcg@1"] if place else ["mrr"]
        save(
            folder / "moved", name, first, day=place + 1, tag=tag, grade=grade, metrics=metrics, commit=f"{place}" * 40
        )
    yield folder / "moved" / "run 4", {"history": folder / "moved"}
    for place in range(2):
        samples = [{"id": str(i), "rank": i % 4} for i in range(10)]
        ragauge.evaluate(samples, rank).save(folder / "same" / f"same {place}")
        manifest = folder / "same" / f"same {place}" / "manifest.json"
        described = json.loads(manifest.read_text(encoding="utf-8"))
        described["run"] |= {"created": f"2026-11-{place + 10:02}T10:00:00+00:00"}
        described["run"].pop("commit", None)
        manifest.write_text(json.dumps(described), encoding="utf-8")
    yield folder / "same" / "same 1", {"history": folder / "same"}


def texts_only(_: Path) -> Iterator[Given]:
    """Passages without ids, found by their text; some samples have none, and one metric asks for another level."""
    samples = [{key: value for key, value in row.items() if key not in ("retrieved", "relevance", "retrieved_scores")}
               for row in rows(12, ("zh", "th", "ar", "en"), failures=0)]  # fmt: skip
    samples[3] |= {"contexts": [], "answer": ""}
    samples[5] |= {"contexts": None, "reference_contexts": None}
    samples[7] |= {"references": [], "language": None, "topic": ""}
    yield make_result(samples, ("context-precision", "recall@2", "groundedness")), {"language": "zh"}
    judged = rows(8, ("en", "ja"), failures=1)
    for place, row in enumerate(judged):
        row["relevance"] = {} if place == 2 else row["relevance"]
        row.pop("contexts")
    judged[4] |= {"retrieved": [], "retrieved_scores": []}
    yield make_result(judged, ("precision@2:level=2", "ndcg@1,3,10", "recall@3"), by="difficulty"), {}


def few_samples(_: Path) -> Iterator[Given]:
    """A run of one sample, one of which everything failed, and one in which nothing has a score."""
    one = [{"id": "only", "question": "为什么?", "answer": "因为", "references": ["因为"], "cost": 0.0000012}]
    metrics = ["exact-match", "column:name=cost,direction=lower"]
    yield ragauge.evaluate(one, metrics), {}
    samples = [{"id": f"{i}", "answer": "a", "references": ["a"], "g": "x" if i < 3 else None} for i in range(5)]
    failed = [{**row, "failure": "rate limit" if i else "timeout"} for i, row in enumerate(samples)]
    unscored = [{**row, "answer": None} for row in samples]
    yield ragauge.evaluate(failed, "exact-match", by="g"), {"language": "zh"}
    yield ragauge.evaluate(unscored, "exact-match", by="g"), {}
    yield [ragauge.evaluate(some, ["exact-match", "token-f1"], by="g") for some in (samples, failed)], {}
    yield [ragauge.evaluate(some, ["exact-match"], by="g") for some in (samples, samples)], {"language": "zh"}


def units(_: Path) -> Iterator[Given]:
    """Scores of 0 to 100, costs, latencies, large and negative numbers, of two groups that are equal and one apart."""
    named = {"percent": (0, 100), "cost": (0, None), "gain": (None, 9999), "tokens": (0, None), "ratio": (-1, 1)}
    samples: list[dict[str, Any]] = [
        {
            "id": f"s{i}", "group": "甲乙丙"[i % 3], "part": i % 2 == 0, "percent": 10 * (i % 3 == 2) + i % 7,
            "cost": 0.00013 * (1 + i % 5), "gain": (i % 9 - 4) * 1234.5, "tokens": 10_000 + 997 * (i % 11),
            "ratio": (i % 3 - 1) * 0.5,
        }
        for i in range(42)
    ]  # fmt: skip
    specs = [
        f"{name}=column:name={name}"
        + "".join(f",{end}={value}" for end, value in zip(("low", "high"), ends, strict=True) if value is not None)
        + (",direction=lower" if name in ("cost", "tokens") else "")
        for name, ends in named.items()
    ]
    first = ragauge.evaluate(samples, specs, by=["group", "part"], resamples=100)
    moved = [{**row, "cost": row["cost"] * 0.5, "percent": row["percent"] - 2} for row in samples]
    for row in moved[:9]:
        row["tokens"] = None
    second = ragauge.evaluate(moved, specs, by=["group", "part"], resamples=100, ci=0.99)
    yield first, {}
    yield [first, ragauge.evaluate(moved, specs, by=["group", "part"], resamples=100)], {"names": ["旧", "new"]}
    yield [first, second], {"metric": "tokens"}


def six_runs(_: Path) -> Iterator[Given]:
    """Six runs: two are equal, one scored other samples, one lacks a metric, and cutoffs differ."""
    runs: list[Result] = []
    for place, skill in enumerate((0.2, 0.2, 0.5, 0.9, 0.7, 0.6)):
        samples = rows(18, tuple(FACTS)[:3], seed=max(1, place), skill=skill, failures=place % 2)
        metrics = ["ndcg@1,3,5" if place % 2 else "ndcg@1,5", "token-f1", "column:name=latency,direction=lower"]
        kept = samples[4:] if place == 4 else samples
        runs.append(make_result(kept, metrics[: 1 if place == 5 else 3], by=["topic"], resamples=100))
    yield runs, {"names": ["a", "a again", "b", "最好", "d", "e"]}
    yield runs[:3], {"language": "zh", "limit": 5, "metric": "token-f1"}
    yield [runs[3], make_result(rows(9, ("ko",), seed=9, skill=0), ["token-f1"])], {}


def recipes(_: Path) -> Iterator[Given]:
    """Runs whose command and call name files, columns that are mapped, clusters, intervals and a seed of their own."""
    ranked = {f"q{i}": {f"d{k}": 9.5 - k for k in range(i % 4 + 1)} for i in range(9)}
    judged = {f"q{i}": {f"d{i % 3}": 1 + i % 2, "d7": 0} for i in range(9)}
    yield ragauge.evaluate(run=ranked, qrels=judged, metrics=["mrr", "map", "ndcg@3"]), {}
    samples = [
        {"id": f"q{i}", "antwort": "ja" if i % 3 else "nein", "references": ["ja"],
         "Sprache": ["de", "zh", None][i % 3], "haus": f"h{i // 2}"}
        for i in range(16)
    ]  # fmt: skip
    options: dict[str, Any] = {
        "map": {"answer": "antwort", "language": "Sprache"},
        "by": ["language"],
        "cluster": "haus",
    }
    for more in ({}, {"interval": "percentile", "resamples": 150, "seed": 7, "ci": 0.9}, {"resamples": 0}):
        yield ragauge.evaluate(samples, ["exact-match", "token-f1"], **options, **more), {"language": "zh"}
    with TemporaryDirectory() as folder, chdir(folder):
        for name, held in {"my run.json": ranked, "qrels.json": judged}.items():
            Path(name).write_text(json.dumps(held), encoding="utf-8")
        Path("data.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in samples), encoding="utf-8")
        yield ragauge.evaluate(run="my run.json", qrels="qrels.json", metrics="recall@2", interval="percentile"), {}
        yield ragauge.evaluate("data.jsonl", "exact-match", **options), {}


KINDS = (one_of_each, histories, texts_only, few_samples, units, six_runs, recipes)
