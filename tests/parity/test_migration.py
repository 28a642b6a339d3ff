"""The migration pages, checked against libraries that the `test` extra does not install."""

from __future__ import annotations

import asyncio
import re
from random import Random
from typing import Any

import pytest

import ragauge
from tests.docs.blocks import ROOT, blocks

pytestmark = pytest.mark.filterwarnings("ignore")

ANSWER = "The tea house opens at nine. The garden has twelve tables. Monday is the day of rest."
REFERENCE = "The tea house opens at nine. It closes at ten in the evening. Tuesday is the day of music."
CHINESE = "听雨茶馆由林婉开办。"


def said_on(page: str) -> str:
    return (ROOT / "docs" / "migration" / page).read_text(encoding="utf-8")


def test_the_block_of_ranx_gives_what_the_page_says() -> None:
    pytest.importorskip("ranx")
    scope: dict[str, Any] = {}
    (block,) = [block for block in blocks(ROOT / "docs/migration/ranx.md") if "not run" in block.marks]
    exec(block.body, scope)  # noqa: S102 - the page's own block
    assert [round(float(score), 6) for score in scope["theirs"].values()] == [0.860388, 0.864957, 0.777778, 0.232323]


def of_ranx(measure: str, qrels: dict[str, dict[str, int]], run: dict[str, dict[str, float]]) -> float:
    ranx = pytest.importorskip("ranx")
    return round(float(ranx.evaluate(ranx.Qrels(qrels), ranx.Run(run), measure)), 4)


def test_how_ranx_breaks_ties() -> None:
    """Its compiled sort does; where numba does not compile, numpy's sort breaks them otherwise."""
    documents = [f"d{number:02}" for number in range(40)]
    tied = [{"q": dict.fromkeys(order, 1.0)} for order in (documents, documents[::-1])]
    assert {of_ranx("mrr", {"q": {"d05": 1}}, run) for run in tied} == {0.0385, 0.0714}


def test_where_ranx_differs() -> None:
    assert of_ranx("rbp.80", {"q": {"a": 3, "b": 2}}, {"q": {"a": 2.0, "b": 1.0}}) == 0.92
    assert str(of_ranx("bpref", {"q": {"a": 1}}, {"q": {"a": 1.0}})) == "nan"
    qrels = {"q1": {"a": 1, "b": 0, "c": 2}, "q2": {"d": 1}, "q3": {"e": 3}}
    run = {"q1": {"c": 9.0, "x": 8.0, "a": 3.0}, "q2": {"y": 2.0, "d": 1.0}, "q3": {"e": 1.0}}
    assert of_ranx("ndcg@10-l2", qrels, run) == 0.6667


def ragas_score(metric: str, **columns: Any) -> float:
    ragas = pytest.importorskip("ragas")
    metrics = pytest.importorskip("ragas.metrics")
    sample = ragas.SingleTurnSample(**columns)
    return float(asyncio.run(getattr(metrics, metric)().single_turn_ascore(sample)))


def test_what_ragas_makes_of_texts() -> None:
    rows = re.findall(r"^\| `(\w+)` \| ([.\d]+) \| ([.\d]+) \|$", said_on("ragas.md"), re.MULTILINE)
    assert len(rows) == 4
    for metric, first, chinese in rows:
        assert ragas_score(metric, response=ANSWER, reference=REFERENCE) == pytest.approx(float(first), abs=5e-5)
        assert ragas_score(metric, response=CHINESE, reference=CHINESE) == float(chinese)


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("RougeScore", "rouge-l:compat=rouge-score,stemmer=porter"),
        ("ChrfScore", "chrf"),
        ("NonLLMStringSimilarity", "edit-similarity:compat=ragas"),
    ],
)
def test_same_number_as_ragas(theirs: str, ours: str) -> None:
    expected = ragas_score(theirs, response=ANSWER, reference=REFERENCE)
    assert ragauge.score(ours, answer=ANSWER, references=REFERENCE) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(("answer", "reference"), [("a  b", "a b"), (" a\n", "a"), ("ＡＢ\t", "AB "), ("", " ")])
def test_same_string_similarity_as_ragas_whatever_the_white_space(answer: str, reference: str) -> None:
    expected = ragas_score("NonLLMStringSimilarity", response=answer, reference=reference)
    found = ragauge.score("edit-similarity:compat=ragas", answer=answer, references=reference)
    assert found == pytest.approx(expected, abs=1e-12)


def test_retrieval_by_ragas() -> None:
    texts = {
        "retrieved_contexts": ["It closes at ten.", "It rained.", "It opens at nine."],
        "reference_contexts": ["It opens at nine.", "It closes at ten."],
    }
    assert ragas_score("NonLLMContextPrecisionWithReference", **texts) == 0.8333333332916666
    assert ragas_score("NonLLMContextRecall", **texts) == ragauge.score(
        "recall:matcher=edit", contexts=texts["retrieved_contexts"], reference_contexts=texts["reference_contexts"]
    )
    ids = {"retrieved_context_ids": ["a", "x", "b"], "reference_context_ids": ["a", "b", "c"]}
    for theirs, ours in (("IDBasedContextPrecision", "precision"), ("IDBasedContextRecall", "recall")):
        score = ragauge.evaluate([ids], ours, resamples=0)[ours].value
        assert ragas_score(theirs, **ids) == pytest.approx(score, abs=1e-12)
    with pytest.raises(ValueError, match="empty"):
        ragas_score("NonLLMContextRecall", retrieved_contexts=[], reference_contexts=["It opens."])


@pytest.mark.parametrize("case", ["makes no claim", "names no entity", "nothing was retrieved"])
def test_the_page_of_ragas_names_the_cases_where_a_side_is_empty(case: str) -> None:
    assert re.search(rf"^\| .*{case} \| .*`\w+.* \| .+ \|$", said_on("ragas.md"), re.MULTILINE)


@pytest.mark.parametrize("measure", [
    "nDCG(gains={0:0,1:3,2:5,3:7})@10", "nDCG(cutoff=10)", "AP(rel=2,cutoff=20)", "RR(rel=3)", "P(rel=2)@5",
    "R(rel=2)@20", "Success(rel=3)@5", "Judged(cutoff=10)", "IPrec(rel=2)@0.5", "Bpref(rel=2)", "Rprec(rel=2)",
    "SetP(rel=2)", "SetR", "SetF", "nDCG(judged_only=True)@10", "P(judged_only=True)@5", "AP(judged_only=True)",
    "infAP(rel=2)",
])  # fmt: skip
def test_measures_as_ir_measures_writes_them(measure: str) -> None:
    reason = "pip install ir-measures, as the environment 'frameworks' does"
    library = pytest.importorskip("ir_measures", reason=reason)
    random = Random(5)  # noqa: S311 - made-up data
    run: dict[str, dict[str, float]] = {}
    qrels: dict[str, dict[str, int]] = {}
    for query in range(20):
        documents = random.sample(range(200), 50)
        judged = [*random.sample(documents, 12), *random.sample(range(200, 300), 4)]
        run[f"q{query}"] = {f"d{document}": 60.0 - rank for rank, document in enumerate(documents)}
        qrels[f"q{query}"] = {f"d{document}": random.randint(0, 3) for document in judged}
    [theirs] = library.calc_aggregate([library.parse_measure(measure)], qrels, run).values()
    [ours] = ragauge.evaluate(run=run, qrels=qrels, metrics=[measure], resamples=0).table
    assert ours.value == pytest.approx(theirs, abs=1e-12)
