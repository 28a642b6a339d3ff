"""The samples that the page holds: lined up, complete, and the same numbers as in the run."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

import ragauge
from ragauge.core.batch import Batch
from ragauge.core.statistics import Rows, Statistics, Status
from ragauge.results.result import load
from ragauge.results.score import shown_name
from tests.reports.reading import payload, read
from tests.reports.runs import make_result, make_run, rows, two_runs


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return two_runs(tmp_path_factory.mktemp("runs"))


@pytest.fixture(scope="module")
def held(runs: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Any:
    return payload(read(ragauge.report(runs, tmp_path_factory.mktemp("page") / "report.html")))


def made(tmp_path: Path, runs: Any, **options: Any) -> Any:
    return payload(read(ragauge.report(runs, tmp_path / "report.html", force=True, **options)))


def test_what_stands_in_it(held: Any) -> None:
    assert held["runs"] == ["yesterday", "today"]
    assert (held["total"], held["shown"], held["chosen"]) == (40, 40, None)
    assert held["ids"] == [f"q{i}" for i in range(40)]
    assert held["languages"] == ["en", "zh", "ar"] * 13 + ["en"]
    assert held["questions"][1] == "灯笼放在哪里？"
    assert held["references"][1] == ["灯笼放在101号房间。"]
    assert held["relevance"][1] == [{"id": "d1-0", "grade": 2}, {"id": "d1-5", "grade": 1}, {"id": "d1-4", "grade": 0}]
    assert held["columns"]["topic"][2:4] == ['tools "new" & old', "🗺️ maps"]
    assert set(held["columns"]) == {"topic", "difficulty", "latency (yesterday)", "latency (today)"}
    latency = {"name": "latency (column)", "stage": "end-to-end", "direction": "lower", "range": [None, None]}
    assert held["metrics"][-1] == {**latency, "decimals": 2, "primary": True}


def test_scores_statuses_reasons_and_parts_are_those_of_the_run(held: Any, runs: tuple[Path, Path]) -> None:
    for place, run in enumerate(runs):
        result, of_run = ragauge.load(run), held["by_run"][place]
        assert set(of_run["scores"]) == set(map(shown_name, result.metrics))
        for name in result.metrics:
            title = shown_name(name)
            scores = np.array([np.nan if score is None else score for score in of_run["scores"][title]])
            np.testing.assert_allclose(scores, result.scores(name), rtol=1e-8)
            assert [Status(state).name.lower() for state in of_run["status"][title]] == result.statuses(name).tolist()
            assert of_run["reasons"][title] == {"19": "timeout after 30 s", "39": "timeout after 30 s"}
            assert set(of_run["parts"][title]) == set(result.parts(name))
        assert [why for why in of_run["failure"] if why] == ["timeout after 30 s"] * 2


def test_passages_stand_in_the_order_of_their_ranks_with_what_is_known_of_them(held: Any) -> None:
    by_id = {row["id"]: row for row in rows(seed=2, skill=0.8)}
    for name, passages in zip(held["ids"], held["by_run"][1]["contexts"], strict=True):
        row = by_id[name]
        assert [passage["id"] for passage in passages] == row["retrieved"]
        assert [passage["text"] for passage in passages] == row["contexts"]
        grades = [row["relevance"].get(key) for key in row["retrieved"]]
        assert [passage.get("grade") for passage in passages] == grades
        relevant = [None if grade is None else grade >= 1 for grade in grades]
        assert [passage["relevant"] for passage in passages] == relevant


@pytest.mark.parametrize("ties", ["scores", "equal"])
def test_relevant_passages_make_the_metrics_of_the_run(tmp_path: Path, ties: str) -> None:
    samples = rows(30, failures=0)
    luck = np.random.default_rng(3)
    for row in samples:
        drawn = luck.permutation(len(row["retrieved"])) if ties == "scores" else luck.integers(0, 2, 5)
        row["retrieved_scores"] = [float(score) for score in drawn]
    result = make_result(samples, ["precision@3", "mrr"])
    found = made(tmp_path, result)["by_run"][0]
    precision = [sum(bool(one["relevant"]) for one in passages[:3]) / 3 for passages in found["contexts"]]
    np.testing.assert_allclose(precision, result.scores("precision@3"))


def test_passages_without_ids_are_relevant_where_a_reference_passage_matches(tmp_path: Path) -> None:
    hidden = {"retrieved", "retrieved_scores", "relevance"}
    samples = [{name: value for name, value in row.items() if name not in hidden} for row in rows(20, failures=0)]
    result = make_result(samples, ["precision@3"])
    found = made(tmp_path, result)["by_run"][0]["contexts"]
    precision = [sum(one["relevant"] for one in passages[:3]) / 3 for passages in found]
    np.testing.assert_allclose(precision, result.scores("precision@3"))
    assert 0 < sum(precision) < 20


def test_passages_that_nobody_judged_are_neither(tmp_path: Path) -> None:
    samples = [{"id": "q", "answer": "a", "contexts": ["a", "b"]}]
    found = made(tmp_path, make_result(samples, ["groundedness"]))["by_run"][0]["contexts"]
    assert found == [[{"text": "a", "relevant": None}, {"text": "b", "relevant": None}]]


class IsWorded(str):
    """Equals the wordings of a text, English first and then Chinese."""

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        english, chinese = other if isinstance(other, list) else ("", "")
        return bool(english == str(self) and re.search("[\u4e00-\u9fff]", chinese))


def test_evidence_is_that_of_the_saved_run(held: Any, runs: tuple[Path, Path]) -> None:
    for place, run in enumerate(runs):
        found, loaded = held["by_run"][place]["evidence"], load(run)
        assert set(found) == {"groundedness", "context-precision"}
        for row, name in enumerate(held["ids"]):
            wanted: dict[str, list[dict[str, Any]]] = {}
            for piece in loaded.explain(name).to_pylist():
                metric, _ = piece.pop("metric"), piece.pop("id")
                if (why := piece["why"]) is not None:
                    piece["why"] = IsWorded(why)
                piece["what"] = IsWorded(piece["what"])
                wanted.setdefault(metric, []).append(
                    piece | {"similarity": pytest.approx(piece["similarity"], abs=5e-5)}
                )
            assert {metric: found[metric][str(row)] for metric in found if str(row) in found[metric]} == wanted


def test_similarities_have_four_digits(held: Any) -> None:
    evidence = [held["by_run"][0]["evidence"][name] for name in ("groundedness", "context-precision")]
    found = [piece["similarity"] for of_samples in evidence for pieces in of_samples.values() for piece in pieces]
    known = [value for value in found if value is not None]
    assert [round(value, 4) for value in known] == known
    assert any(round(value, 3) != value for value in known)


def test_a_result_that_was_not_saved_has_the_same_evidence(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", count=9)
    saved = made(tmp_path, run)["by_run"][0]["evidence"]
    assert saved["groundedness"]
    assert made(tmp_path, make_result(rows(9)))["by_run"][0]["evidence"] == saved


def test_runs_are_lined_up_by_id_and_what_is_left_out_is_said(tmp_path: Path) -> None:
    before, after = make_result(rows(12)), make_result(list(reversed(rows(20)[5:])))
    page = read(ragauge.report([before, after], tmp_path / "report.html", names=["a", "b"]))
    held = payload(page)
    assert held["ids"] == [f"q{i}" for i in range(5, 12)]
    assert held["by_run"][0]["answers"] == held["by_run"][1]["answers"]
    said = page.one("section", id="evaluated").line
    assert "7 samples are in all runs" in said
    assert "a has 5 samples that another run lacks." in said
    assert "b has 8 samples that another run lacks." in said
    lacking = "Samples that one of the runs lacks are not listed."
    assert lacking in page.one("section", id="samples").line
    whole = read(ragauge.report([before, before], tmp_path / "whole.html", names=["a", "b"]))
    assert lacking not in whole.one("section", id="samples").line


def test_metrics_of_other_options_are_other_metrics(tmp_path: Path) -> None:
    runs = [make_result(rows(6), ["rouge-l:tokenizer=char", "mrr"]), make_result(rows(6), ["rouge-l", "mrr"])]
    page = read(ragauge.report(runs, tmp_path / "report.html", names=["a", "b"]))
    held = payload(page)
    assert [one["name"] for one in held["metrics"]] == ["rouge-l:tokenizer=char", "mrr", "rouge-l"]
    assert held["by_run"][1]["scores"]["rouge-l:tokenizer=char"] == [None] * 6
    assert held["by_run"][1]["status"]["rouge-l:tokenizer=char"] == [Status.MISSING] * 6
    assert "Only in b, or with other options there: rouge-l" in page.one("section", id="evaluated").line


def test_scores_of_passages_may_be_infinite(tmp_path: Path) -> None:
    row = {"id": "q", "retrieved": ["a", "b"], "retrieved_scores": [-float("inf"), 1.0], "relevance": {"a": 1}}
    found = made(tmp_path, make_result([row], ["mrr"]))["by_run"][0]["contexts"]
    assert [(one["id"], one["score"]) for one in found[0]] == [("b", 1.0), ("a", "-inf")]


def test_columns_of_any_type_are_texts_numbers_or_booleans(tmp_path: Path) -> None:
    row = {"id": "q", "answer": "a", "references": ["a"], "meta": {"x": [1]}, "tags": ["p"], "long": 2**53 + 1}
    found = made(tmp_path, make_result([row | {"b": True, "nan": float("nan"), "n": 2**53}], ["exact-match"]))[
        "columns"
    ]
    assert found == {
        "meta": ['{"x": [1]}'], "tags": ['["p"]'], "long": [str(2**53 + 1)], "b": [True], "nan": [None],
        "n": [2**53],
    }  # fmt: skip


def test_a_passage_is_held_once_for_all_samples_and_runs(tmp_path: Path) -> None:
    samples = [{"id": f"q{i}", "answer": "a", "contexts": ["the same", f"passage {i}"]} for i in range(4)]
    page = read(ragauge.report([make_result(samples, ["groundedness"])] * 2, tmp_path / "report.html"))
    held = payload(page)
    assert held["passages"] == ["the same", "passage 0", "passage 1", "passage 2", "passage 3"]
    for run in held["by_run"]:
        assert [[one["text"] for one in found] for found in run["contexts"]] == [row["contexts"] for row in samples]


@dataclass(frozen=True)
class OfWords:
    """A metric of someone's own, whose options are called as those of retrieval metrics."""

    level: str = "low"
    matcher: str = "none"
    average: ClassVar[ragauge.Average] = "pooled"
    needs: ClassVar[ragauge.Needs] = (("answer",),)
    stage: ClassVar[ragauge.Stage] = "generation"
    direction: ClassVar[ragauge.Direction] = "higher"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    revision: ClassVar[int] = 1

    def measure(self, batch: Batch) -> Rows:
        """Return 1 for each sample."""
        return Rows.of({"words": [1.0] * len(batch)})

    def score(self, totals: Statistics) -> Any:
        """Return the sum as it is."""
        return totals["words"]


def test_options_of_ones_own_metric_do_not_say_which_passage_is_relevant(tmp_path: Path) -> None:
    sample = {"answer": "a", "contexts": ["ein langer Satz", "x"], "reference_contexts": ["ein langer Satz"]}
    result = ragauge.evaluate([sample], [OfWords(), "mrr"], resamples=0)
    (passages,) = made(tmp_path, result)["by_run"][0]["contexts"]
    assert [passage.get("relevant") for passage in passages] == [True, False]
