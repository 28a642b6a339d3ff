"""Runs that are hard to show: hostile names, nothing scored, nothing in common, one sample, many runs."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest

import ragauge
from ragauge.core.registry import _entries
from ragauge.core.sample import Sample
from tests.repeats import others_long
from tests.reports.reading import Element, payload, read
from tests.reports.runs import make_result, make_run, rows

HOSTILE = (
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(1)</script>",
    '"><svg onload=alert(1)>',
    "' onmouseover='alert(1)",
    "</title></style><b>",
    "<!--",
    "]]>",
    "{{ 7 * 7 }}",
    "{n} {run}",
    "\x00\x1b[31m\u2028\u202e",
    "&lt;b&gt; &amp;",
    "javascript:alert(1)",
)

PLACES = (1, 5, 9, 13, 17, 21)
"""Where hostile texts are among the samples."""


def made(tmp_path: Path, runs: Any, **options: Any) -> Element:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return read(ragauge.report(runs, tmp_path / "report.html", force=True, **options))


def tags(page: Element) -> set[tuple[str, ...]]:
    """Return which elements with which attributes there are, texts of the page left out."""
    return {(one.tag, *sorted(name for name in one.attributes if not name.startswith("data-"))) for one in page.walk()}


@pytest.fixture(scope="module")
def harmless(tmp_path_factory: pytest.TempPathFactory) -> set[tuple[str, ...]]:
    runs = [make_result(rows(12, seed=seed), ["mrr", "token-f1"]) for seed in (1, 2)]
    return tags(made(tmp_path_factory.mktemp("harmless"), runs, names=["a", "b"]))


@pytest.mark.parametrize("texts", [HOSTILE[:6], HOSTILE[6:]])
def test_data_stay_text_wherever_they_stand(
    tmp_path: Path, harmless: set[tuple[str, ...]], texts: tuple[str, ...]
) -> None:
    runs = []
    for seed in (1, 2):
        samples = rows(24, seed=seed)
        for place, text in zip(PLACES, texts, strict=True):
            changes = {"question": text, "answer": text, text: text, "failure": text}
            samples[place] |= changes | {"id": text, "contexts": [text], "topic": text, "language": text}
            samples[place + 2] |= changes | {"references": [text], "topic": text + "!"}
        runs.append(make_result(samples, ["mrr", "token-f1"], by=["topic", "language", *texts]))
    names = [texts[0], f"{texts[1]} today"]
    page = made(tmp_path, runs, names=names)
    assert tags(page) <= harmless
    assert len(page.all("script")) == 3
    held = payload(page)
    assert held["runs"] == names
    assert {*texts} <= {*held["ids"]}
    assert [held["by_run"][0]["answers"][place] for place in PLACES] == [*texts]
    assert {*texts} <= {*held["columns"]}


def test_names_of_metrics_stay_text(tmp_path: Path, harmless: set[tuple[str, ...]], registered: None) -> None:
    @ragauge.metric(name="<img src=x onerror=alert(1)>", needs=("answer",), range=(0, 100))
    def length(sample: Sample) -> float:
        if "</script>" in (sample.answer or ""):
            raise ValueError(sample.answer)
        return float(len(sample.answer or ""))

    samples = rows(12)
    samples[0]["answer"] = "</script><b>"
    page = made(tmp_path, [ragauge.evaluate(samples, [length, "mrr", "token-f1"])] * 2, names=["a", "b"])
    assert tags(page) <= harmless
    assert "ValueError: </script><b>" in page.one("section", id="evaluated").line


def test_failures_of_a_metric_are_not_mixed_with_those_of_the_system(tmp_path: Path, registered: None) -> None:
    @ragauge.metric(needs=("answer",))
    def strict(sample: Sample) -> float:
        if sample.id == "q0":
            raise ValueError("no")
        return 1.0

    said = made(tmp_path, ragauge.evaluate(rows(12), [strict, "mrr"])).one("section", id="evaluated").line
    assert "the system did not answer 2 of 12 samples" in said
    assert "strict failed on 1 sample" in said
    assert "1 × ValueError: no" in said
    assert "mrr failed" not in said


CASES: dict[str, Any] = {
    "no failures": lambda: make_result(rows(12, failures=0)),
    "one sample": lambda: make_result(rows(1, failures=0)),
    "one sample, twice": lambda: [make_result(rows(1, failures=0))] * 2,
    "all undefined": lambda: ragauge.evaluate([{"relevance": {}, "retrieved": ["a"]}] * 2, "ndcg:undefined=skip"),
    "all failed": lambda: make_result([row | {"failure": "x"} for row in rows(5)]),
    "all failed, twice": lambda: [make_result([row | {"failure": "x"} for row in rows(5)])] * 2,
    "no intervals": lambda: make_result(rows(5), resamples=0),
    "no range": lambda: ragauge.evaluate(
        [{"x": float(i), "y": -i} for i in range(9)], ["column:name=x", "column:name=y"]
    ),
    "all the same": lambda: ragauge.evaluate([{"x": 3.0}] * 9, "column:name=x"),
    "huge": lambda: ragauge.evaluate([{"x": 1e13 * i} for i in range(9)], "column:name=x"),
    "tiny": lambda: ragauge.evaluate([{"x": 1e-13 * i} for i in range(9)], "column:name=x"),
    "NaN": lambda: ragauge.evaluate([{"x": float("nan")}, {"x": 1.0}, {"x": None}], "column:name=x"),
    "other metrics": lambda: [make_result(rows(6), [name]) for name in ("mrr", "rouge-l")],
    "other groups": lambda: [make_result(rows(6), ["mrr"], by=by) for by in ("topic", "language")],
    "three runs": lambda: [make_result(rows(9, seed=seed), ["mrr", "bleu"]) for seed in range(3)],
    "eight runs": lambda: [make_result(rows(6, seed=seed), ["mrr", "bleu"]) for seed in range(8)],
    "no language": lambda: ragauge.evaluate([{"answer": text, "references": ["a"]} for text in "ab"], ["bleu", "chrf"]),
    "long texts": lambda: ragauge.evaluate([{"answer": "word " * 40_000, "references": ["a"]}], "token-f1"),
    "no group": lambda: make_result([row | {"topic": None} for row in rows(6)], ["mrr"]),
    "many groups": lambda: make_result([row | {"g": i} for i, row in enumerate(rows(300))], ["mrr"], by="g"),
    "a run and its qrels": lambda: ragauge.evaluate(
        run={"q": {"a": 1.0, "b": 0.5}}, qrels={"q": {"b": 1}, "p": {"c": 1}}
    ),
}


@pytest.mark.parametrize("case", others_long(CASES, 12))
def test_it_can_be_shown(tmp_path: Path, case: str) -> None:
    language = ("en", "zh")[list(CASES).index(case) % 2]
    page = made(tmp_path, CASES[case](), language=language)
    assert page.one("html").attributes["lang"] == language
    assert "nan" not in page.one("main").line.lower().split()
    for figure in page.all("svg"):
        for one in figure.walk():
            assert not {"nan", "inf", "-inf"} & {str(value) for value in one.attributes.values()}


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"question": "another"}, "were scored on different questions or references"),
        ({"id": "x"}, "no sample in common"),
    ],
)
def test_runs_that_cannot_be_compared_are_shown_beside_each_other(tmp_path: Path, change: Any, problem: str) -> None:
    samples = rows(6)
    other = [row | {name: f"{value}{i}" for name, value in change.items()} for i, row in enumerate(samples)]
    page = made(tmp_path, [make_result(samples, ["mrr"]), make_result(other, ["mrr"])])
    assert problem in page.one("section", id="changes").line
    assert len(page.one("section", id="scores").all("tr")) == 3


def test_a_function_is_shown_where_it_is_not_known_any_more(tmp_path: Path, registered: None) -> None:
    @ragauge.metric(needs=("answer",))
    def odd_length(sample: Sample) -> float | None:
        return None if len(sample.answer or "") % 2 else 1.0

    ragauge.evaluate(rows(9), [odd_length, "mrr"]).save(tmp_path / "run")
    _entries.pop(("metric", "odd-length"))
    page = made(tmp_path, [tmp_path / "run"] * 2)
    held = payload(page)
    assert held["runs"] == ["run (1)", "run (2)"]
    assert held["metrics"][0]["range"] == [None, None]
    assert "undefined" in page.one("section", id="scores").line


def test_directories_of_one_name_are_told_apart(tmp_path: Path) -> None:
    runs = [make_run(tmp_path / name / "today", count=6, metrics=["mrr"]) for name in ("a", "b")]
    assert payload(made(tmp_path, runs))["runs"] == ["a/today", "b/today"]


def test_many_samples_take_seconds(tmp_path: Path) -> None:
    from time import process_time

    runs = [make_result(rows(1_000, seed=seed), ["mrr", "token-f1"]) for seed in (1, 2)]
    start = process_time()
    held = payload(made(tmp_path, runs))
    assert held["shown"] == 1_000
    assert process_time() - start < 6
