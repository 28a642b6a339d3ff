"""Evidence: kept in the saved run, shown sample by sample."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

import ragauge
from ragauge.embedders.lexical import Lexical
from ragauge.embedders.sparse import SparseVectors
from ragauge.errors import DataError, UsageError
from ragauge.metrics.rag.semantic_similarity import SemanticSimilarity
from ragauge.results.result import load
from tests.approved import pattern
from tests.cli.running import here
from tests.metrics.judged.toys import ScriptedJudge, made, support
from tests.metrics.rag.given import Marked, Placed, batch_of

METRICS = ["groundedness", "context-precision", "context-utilization", "context-recall", "context-relevancy"]
METRICS += ["answer-relevancy", "answer-correctness", "semantic-similarity"]
ROWS: list[dict[str, Any]] = [
    {
        "id": "tea",
        "question": "谁开了这家茶馆？",
        "answer": "林婉开了这家茶馆。它有一个花园。",
        "contexts": ["林婉在1990年开了这家茶馆。", "天下雨了。"],
        "references": ["林婉开了这家茶馆。"],
    },
    {"id": "bare", "question": "Why?", "answer": "", "contexts": [], "references": ["Because."]},
    {"id": "null", "question": None, "answer": None, "contexts": None, "references": None},
]


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    ragauge.evaluate(ROWS, METRICS, resamples=0, evidence=True).save(tmp_path / "run")
    return tmp_path / "run"


@pytest.mark.parametrize("spec", METRICS)
def test_evidence_of_a_measured_batch_costs_no_second_comparison(spec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    for owner, name in ((Lexical, "encode"), (Marked, "degrees"), (SparseVectors, "cosine")):
        monkeypatch.setattr(owner, name, _counted(getattr(owner, name), calls))
    metric: Any = ragauge.parse(spec)
    for one in (metric, replace(metric, support=Marked({})) if hasattr(metric, "support") else metric):
        calls.clear()
        batch = batch_of(*ROWS)
        one.measure(batch)
        assert calls
        calls.clear()
        assert len(one.explain(batch)) > 0
        assert not calls


def _counted(method: Any, calls: list[str]) -> Any:
    def counting(*arguments: Any) -> Any:
        calls.append(method.__name__)
        return method(*arguments)

    return counting


def test_evidence_by_an_embedder_that_is_registered_nowhere_is_kept(tmp_path: Path) -> None:
    placed = Placed({"The cat sat.": (1.0, 0.0), "A cat sat down.": (1.0, 0.1)})
    rows = [{"id": "cat", "answer": "The cat sat.", "references": ["A cat sat down."]}]
    metric = SemanticSimilarity(embedder=placed)
    ragauge.evaluate(rows, metric, resamples=0, evidence=True).save(tmp_path / "run")
    (row,) = load(tmp_path / "run").explain("cat").to_pylist()
    assert (row["text"], row["best"]) == ("The cat sat.", "A cat sat down.")


def test_one_row_per_sentence_or_passage(saved: Path) -> None:
    table = load(saved).explain("tea")
    assert table.column_names == ["metric", "id", "what", "text", "best", "similarity", "supported", "why"]
    of_answer = [row for row in table.to_pylist() if row["metric"] == "groundedness"]
    assert [row["text"] for row in of_answer] == ["林婉开了这家茶馆。", "它有一个花园。"]
    assert [row["supported"] for row in of_answer] == [True, False]
    assert of_answer[0]["best"] == "林婉在1990年开了这家茶馆。"
    assert set(table["metric"].to_pylist()) == set(METRICS)


def test_a_score_can_be_computed_again_from_its_evidence(saved: Path) -> None:
    result = ragauge.load(saved)
    evidence = load(saved).explain("tea").to_pylist()
    probabilities = [row["similarity"] for row in evidence if row["metric"] == "context-relevancy"]
    assert sum(probabilities) / len(probabilities) == result.scores("context-relevancy")[0]
    similarities = [row["similarity"] for row in evidence if row["metric"] == "groundedness"]
    assert np.mean(similarities) == result.scores("groundedness")[0]


def test_what_has_no_counterpart_has_no_similarity(saved: Path) -> None:
    rows = load(saved).explain("bare").to_pylist()
    assert {row["metric"] for row in rows} == {"context-recall", "answer-correctness"}
    assert all(row["best"] is None and row["similarity"] is None and row["supported"] is False for row in rows)


def test_samples_and_runs_without_evidence(saved: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=pattern("metrics.the_run_holds_no_sample_te_did")):
        load(saved).explain("te")
    with pytest.raises(DataError, match="is not a saved run"):
        load(tmp_path).explain("tea")
    ragauge.evaluate(ROWS, ["token-f1"], resamples=0).save(tmp_path / "other")
    assert not (tmp_path / "other" / "evidence.parquet").exists()
    with pytest.raises(UsageError, match="Score a metric that keeps some, such as groundedness"):
        load(tmp_path / "other").explain("tea")


def test_a_run_with_evidence_can_be_replaced(saved: Path) -> None:
    ragauge.evaluate(ROWS, METRICS, resamples=0, evidence=True).save(saved, force=True)
    assert pq.read_metadata(saved / "evidence.parquet").num_rows > 10


def test_from_the_command_line(saved: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ran = here(capsys, "explain", saved, "--id", "tea", "-m", "groundedness")
    assert ran.code == 0, ran.err
    assert ran.out.splitlines() == [
        "tea",
        "  question  谁开了这家茶馆？",
        "  answer    林婉开了这家茶馆。它有一个花园。",
        "groundedness  0.4887",
        "  yes answer sentence: 林婉开了这家茶馆。",
        "     0.98  林婉在1990年开了这家茶馆。",
        "  no  answer sentence: 它有一个花园。",
        "     0.00  林婉在1990年开了这家茶馆。",
        "           few of the claim's words are in the passage",
    ]
    as_json = json.loads(here(capsys, "explain", saved, "--id", "tea", "--output-format", "json").out)
    assert as_json == load(saved).explain("tea").to_pylist()
    assert here(capsys, "explain", saved, "--id", "nobody").code == 2
    assert here(capsys, "explain", saved, "--id", "tea", "-m", "bleu").code == 2


def test_a_run_without_evidence_shows_texts_and_scores(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [
        {"question": "谁？", "answer": "陈雨", "reference": "林婉"},
        {"question": "何时？", "answer": "1990", "reference": "1990"},
    ]
    ragauge.evaluate(rows, "exact-match").save(tmp_path / "run")
    named = here(capsys, "explain", tmp_path / "run", "--row", 1)
    worst = here(capsys, "explain", tmp_path / "run")
    for shown in (named, worst):
        assert shown.code == 0
        for text in ("(row 1)", "谁？", "陈雨", "林婉", "exact-match  0.0000"):
            assert text in shown.out
        assert "1990" not in shown.out
        assert "the run has no evidence" in shown.err
    assert here(capsys, "explain", tmp_path / "run", "--id", "nobody").code == 2
    assert here(capsys, "explain", tmp_path / "run", "--row", 1, "--output-format", "json").code == 2


def test_without_an_id_the_lowest_samples_are_explained(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    passages = {"a": "雨。", "b": "天下雨了。", "c": "天下雨了，风很大。", "d": "茶很好。", "e": "天下雨"}
    rows = [
        {"id": name, "question": "今天？", "answer": "天下雨了。", "contexts": [text]}
        for name, text in passages.items()
    ]
    result = ragauge.evaluate(rows, "groundedness", resamples=0, evidence=True)
    result.save(tmp_path / "run")
    scores = dict(zip(passages, result.scores("groundedness").tolist(), strict=True))
    lowest = sorted(passages, key=scores.__getitem__)
    ran = here(capsys, "explain", tmp_path / "run")
    assert (ran.code, ran.err) == (0, "worst under groundedness:\n")
    assert [line for line in ran.out.splitlines() if line in passages] == lowest[:3]
    assert ran.out.startswith(f"{lowest[0]}\n  question  今天？\n  answer    天下雨了。\ngroundedness  0.")
    found = here(capsys, "explain", tmp_path / "run", "--worst", 2, "--output-format", "json").json
    assert list(dict.fromkeys(row["id"] for row in found)) == lowest[:2]
    both = here(capsys, "explain", tmp_path / "run", "--worst", 1, "--id", "a")
    assert (both.code, both.err) == (
        2,
        "error: --id and --row name samples and --worst finds them; pass one of them\n",
    )


def test_several_samples_are_explained_in_the_order_of_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [{"id": name, "answer": "天下雨了。", "contexts": ["雨。"]} for name in ("一", "二", "三")]
    ragauge.evaluate(rows, "groundedness", resamples=0, evidence=True).save(tmp_path / "run")
    found = here(capsys, "explain", tmp_path / "run", "--id", "三", "--id", "一", "--row", 2, "--output-format", "json")
    assert list(dict.fromkeys(row["id"] for row in found.json)) == ["三", "一", "二"]
    unknown = here(capsys, "explain", tmp_path / "run", "--id", "三", "--id", "四")
    assert (unknown.code, unknown.out) == (2, "")


def test_where_lower_is_better_the_worst_samples_have_the_highest_scores(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def cites(_prompt: str, message: str) -> Any:
        passages, _, claims = message.partition("Claims:")
        return support([1] if "rained" not in claims or "rained" in passages else [])

    opened = "Lin Wan opened it."
    rows = [
        {"id": "clean", "answer": opened, "contexts": [opened], "references": [opened]},
        {"id": "noisy", "answer": "It rained.", "contexts": [f"It rained. {opened}"], "references": [opened]},
    ]
    metric = made("judged-noise-sensitivity", ScriptedJudge(cites))
    result = ragauge.evaluate(rows, {"noise": metric}, resamples=0, evidence=True)
    assert result.scores("noise").tolist() == [0.0, 1.0]
    result.save(tmp_path / "run")
    assert here(capsys, "explain", tmp_path / "run").out.splitlines()[0] == "noisy"


@pytest.mark.costly
def test_samples_that_failed_come_last_and_their_reasons_are_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def system(question: str) -> dict[str, object]:
        if question == "b":
            raise TimeoutError("no answer within 30 s")
        return {"answer": "It rains.", "contexts": ["It snows."]}

    questions = [{"id": name, "question": name} for name in "abc"]
    result = ragauge.evaluate(questions, "groundedness", system=system, evidence=True, resamples=0)
    result.save(tmp_path / "run")
    ran = here(capsys, "explain", tmp_path / "run")
    assert "1 failed: TimeoutError: no answer within 30 s" in ran.err
    assert ran.out.startswith("a\n  question  a\n  answer    It rains.\ngroundedness  0.")
    assert ran.out.endswith("\n\nb\n  question  b\ngroundedness  failed: TimeoutError: no answer within 30 s\n")


def test_a_run_whose_answers_are_all_empty_is_explained_by_its_statuses(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [{"id": str(place), "answer": "", "contexts": ["It rains."], "references": ["Rain."]} for place in range(3)]
    ragauge.evaluate(rows, ["groundedness", "token-f1"], resamples=0, evidence=True).save(tmp_path / "run")
    ran = here(capsys, "explain", tmp_path / "run", "--id", "1")
    assert (ran.code, ran.out.splitlines()[:2]) == (0, ["1", "  answer    "])
    assert "groundedness  undefined" in ran.out.splitlines()
    assert here(capsys, "explain", tmp_path / "run").code == 0


def test_a_metric_without_evidence_names_those_that_have(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ragauge.evaluate(ROWS, [*METRICS, "token-f1"], resamples=0, evidence=True).save(tmp_path / "run")
    ran = here(capsys, "explain", tmp_path / "run", "-m", "token-f1")
    assert ran.code == 2
    assert ran.err.startswith("error: token-f1 has no evidence; metrics of this run that have: ")


def test_a_score_without_evidence_is_said(saved: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ran = here(capsys, "explain", saved, "--id", "bare", "-m", "groundedness", "-m", "context-recall")
    assert "groundedness  undefined" in ran.out.splitlines()
    assert "context-recall  0.0000" in ran.out.splitlines()


def test_evidence_of_many_segments_is_cut() -> None:
    passage = "The tea house has " + ", ".join(f"room {number}" for number in range(400)) + "."
    answers = {"many": " ".join(f"It has room {number}." for number in range(101)), "few": "It has room 1."}
    rows = [{"id": name, "answer": answer, "contexts": [passage]} for name, answer in answers.items()]
    result = ragauge.evaluate(rows, "groundedness", resamples=0, evidence=True)
    assert result.explain("few").column("best").to_pylist() == [passage]
    assert result.explain("many").column("best").to_pylist() == [passage[:1000] + "…"] * 101


def test_what_each_part_of_a_blend_found(tmp_path: Path) -> None:
    rows = [
        {"id": "a", "question": "Where is it?", "answer": "In Paris.", "references": ["It is in Paris.", "Rome"]},
        {"id": "b", "question": "Где это?", "answer": "В Париже.", "references": ["It is in Paris."]},
        {"id": "c", "question": "Πού είναι;", "answer": "Στο Παρίσι.", "references": ["Στο Παρίσι."]},
        {"id": "d", "question": "Where?", "answer": "Paris", "references": []},
    ]
    metrics = ["semantic-similarity:embedder=blend", "answer-relevancy:embedder=blend", "exact-match"]
    result = ragauge.evaluate(rows, metrics, resamples=0, evidence=True)
    result.save(tmp_path / "run")
    for run in (result, ragauge.load(tmp_path / "run")):
        every = [row for name in "abc" for row in run.explain(name).to_pylist()]
        assert all("similarity use" in row for row in every)
        found = {row["id"]: row for row in every if row["metric"] == metrics[0]}
        lexical, use = ([found[name][f"similarity {part}"] for name in "abc"] for part in ("lexical", "use"))
        assert (lexical[1], use[2]) == (None, None)
        assert found["a"]["similarity"] == pytest.approx((lexical[0] + use[0]) / 2)
        assert found["b"]["similarity"] == use[1] > 0.5
        assert found["c"]["similarity"] == lexical[2] == 1
        assert [row["similarity use"] for row in run.explain("d").to_pylist() if row["best"] is None] == [None]
