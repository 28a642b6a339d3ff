"""Pages of runs that most people never have: each is written whole, and compared with what it was.

``python -m tests.reports.more_kinds`` writes them anew, below ``more_kinds``.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory
from time import sleep
from typing import Any

import ragauge
from ragauge.reports.viewer.folders import ViewedRun
from ragauge.reports.viewer.outcomes import RunOutcomes, before
from ragauge.reports.viewer.pages import list_page, problem_page, state
from ragauge.reports.viewer.under_way import UnderWay
from ragauge.results.result import Result
from ragauge.results.storage import read_manifest
from tests.reports.drawn import HIDDEN, _one_figure_each, _samples, _shown
from tests.reports.runs import FACTS, make_result, rows

FOLDER = Path(__file__).with_name("more_kinds")


def texts_only() -> Iterator[tuple[Any, dict[str, Any]]]:
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


def few_samples() -> Iterator[tuple[Any, dict[str, Any]]]:
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


def units() -> Iterator[tuple[Any, dict[str, Any]]]:
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


def six_runs() -> Iterator[tuple[Any, dict[str, Any]]]:
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


def recipes() -> Iterator[tuple[Any, dict[str, Any]]]:
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


def chosen_samples() -> Iterator[tuple[Any, dict[str, Any]]]:
    """A page that shows some of the samples: failed ones first, then the worst in the direction of the metric."""
    samples = [
        {"id": f"n{i}", "v": None if i % 8 == 3 else (i * 7) % 30, "w": (i * 11) % 30,
         "failure": "broken" if i in (5, 22) else None}
        for i in range(30)
    ]  # fmt: skip
    result = ragauge.evaluate(samples, ["v=column:name=v,direction=lower", "w=column:name=w"], resamples=0)
    for limit, metric in ((1, None), (2, "w"), (7, "v"), (8, "w"), (29, None), (30, None)):
        yield result, {"limit": limit, "metric": metric}


def viewer(folder: Path) -> str:
    """The list of runs, and the state that its script asks for."""
    metrics = ["mrr", "token-f1", "ndcg@1,3", "recall@1,3,5", "column:name=latency,direction=lower"]
    runs = []
    for place, (name, skill) in enumerate(
        {"first <b>": 0.1, "第二": 0.9, "same": 0.9, "other": 0.5, "four": 0.1}.items()
    ):
        scored = metrics if place != 3 else ["exact-match"]
        samples = rows(14, ("en", "zh"), seed=place % 4 % 2, skill=skill, failures=0)
        make_result(samples, scored, by=[]).save(folder / name)
        manifest = json.loads(json.dumps(dict(read_manifest(folder / name))))
        manifest["run"] |= {
            "created": f"2026-03-0{place + 1}T1{place}:20:30+00:00",
            "tag": None if place % 2 else "标签",
        }
        runs.append(ViewedRun(f"{place:016x}", name, folder / name, (1, 2, place), manifest))
    runs.append(ViewedRun("f" * 16, "damaged", folder / "damaged", (0, 0, 0), {}, "damaged & gone"))
    outcomes = RunOutcomes()
    found = outcomes.of(runs)
    while any(one.text.key == "view.outcome.waiting" for one in found.values()):
        sleep(0.01)
        found = outcomes.of(runs)
    under_way = [
        UnderWay("a", "答案", "answers", 12_345, 2, 20_000, 3.4), UnderWay("b", "b", "answers", 3, 0, None, 119.9),
        UnderWay("c", "c", "parts", 1, 0, 4, 121.0), UnderWay("d", "d\udcff", "saving", 0, 0, None, 60.0),
        UnderWay("e", "e", "parts", 0, 7, None, 600.0),
    ]  # fmt: skip
    bases = [getattr(before(run, runs), "name", None) for run in runs]
    pages = [list_page(language, runs, found) for language in ("en", "zh")] + [list_page("en", [], {})]
    pages += [list_page("en", runs[:1], {}), problem_page("zh", "What is wrong?")]
    plain = json.dumps(state(runs, found, under_way), ensure_ascii=False, indent=1)
    return "\n".join([*map(_hidden, pages), json.dumps(bases, ensure_ascii=False), plain, ""])


def _hidden(page: str) -> str:
    return HIDDEN.sub("", page)


KINDS = {one.__name__: one for one in (texts_only, few_samples, units, six_runs, recipes, chosen_samples)}


def drawn(name: str, folder: Path) -> str:
    """Return the pages of a kind, with the samples that their script reads."""
    if name == "viewer":
        return viewer(folder)
    made: Callable[[], Iterator[tuple[Any, dict[str, Any]]]] = KINDS[name]
    pages = [ragauge.report(runs, folder / f"{place}.html", **options) for place, (runs, options) in enumerate(made())]
    shortened = _one_figure_each if name == "six_runs" else _lines
    return "".join(shortened(_shown(path)) + _samples(path) for path in pages)


def _lines(page: str) -> str:
    return page.replace("><", ">\n<")


NAMES = [*KINDS, "viewer"]

if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name in sys.argv[1:] or NAMES:
        with TemporaryDirectory() as made:
            FOLDER.joinpath(f"{name}.html").write_text(drawn(name, Path(made)), encoding="utf-8")
