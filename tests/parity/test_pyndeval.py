"""Equal to pyndeval 0.0.8 (ndeval 4.5) for each question, but for the rounding of sums."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ragauge
from tests import fresh

pyndeval = pytest.importorskip("pyndeval")

CUTOFFS = (1, 2, 5, 10, 20)
DOCUMENTS = [*(f"d{number}" for number in range(30)), "é1", "文2", "Ω3"]


def random_run(seed: int) -> tuple[list[tuple[str, str, float]], list[tuple[str, str, str, int]]]:
    """A run with ties and missing questions; judgements with grades from -1 to 2, some questions with none relevant."""
    random = np.random.default_rng(seed)
    run: list[tuple[str, str, float]] = []
    qrels = []
    for question in map(str, range(40)):
        found = random.permutation(DOCUMENTS)[: random.integers(1, 28)].tolist()
        scores = np.round(random.normal(size=len(found)), int(random.integers(0, 3))).tolist()
        run += [(question, *pair) for pair in zip(found, scores, strict=True)] if random.random() > 0.15 else []
        for subtopic in map(str, range(random.integers(1, 6))):
            judged = random.permutation(DOCUMENTS)[: random.integers(1, 15)].tolist()
            grades = random.choice([-1, 0, 0, 1, 2], size=len(judged)) if random.random() > 0.1 else [0] * len(judged)
            qrels += [(question, subtopic, one, int(grade)) for one, grade in zip(judged, grades, strict=True)]
    return run, qrels


@pytest.mark.parametrize("seed", [7, fresh.seed()], ids=["known", "fresh"])
@pytest.mark.parametrize("alpha", [0.5, 0.3, 0.9])
def test_each_question_of_files_as_of_trec(seed: int, alpha: float, tmp_path: Path) -> None:
    run, qrels = random_run(seed)
    (tmp_path / "run").write_text("".join(f"{q} Q0 {d} 0 {score} t\n" for q, d, score in run), encoding="utf-8")
    (tmp_path / "qrels").write_text("".join(" ".join(map(str, one)) + "\n" for one in qrels), encoding="utf-8")
    ours = {f"{name}@{k}": f"{spec}@{k}:ties=docid-asc" for k in CUTOFFS for name, spec in (
        ("alpha-nDCG", "alpha-ndcg"), ("ERR-IA", "err-ia"), ("strec", "st-recall"))}  # fmt: skip
    ours = {name: spec if name[0] == "s" else f"{spec},alpha={alpha}" for name, spec in ours.items()}
    # At 1 it does not divide by the highest value, the number of subtopics.
    del ours["ERR-IA@1"]
    theirs = pyndeval.ndeval(qrels, run, measures=list(ours), alpha=alpha)
    result = ragauge.evaluate(run=tmp_path / "run", qrels=tmp_path / "qrels", metrics=list(ours.values()), resamples=0)
    questions = result.sample_ids().to_pylist()
    assert len(theirs) < len(questions) == 40
    for name, spec in ours.items():
        wanted = [min(theirs[one][name], 1.0) if one in theirs else 0.0 for one in questions]
        np.testing.assert_allclose(result.scores(spec), wanted, rtol=1e-12, atol=0, err_msg=name)


def test_a_run_as_rows_and_judgements_of_each_kind_score_alike() -> None:
    run, qrels = random_run(3)
    rows: dict[str, dict[str, Any]] = {q: {"id": q, "retrieved": {}, "subtopics": []} for q, *_ in qrels}
    for question, document, score in run:
        rows[question]["retrieved"][document] = score
    for question, subtopic, document, grade in qrels:
        rows[question]["subtopics"].append({"id": document, "subtopic": subtopic, "grade": grade})
    specs = ["alpha-ndcg@5", "alpha-ndcg", "err-ia@5", "st-recall@5"]
    found = [{"qid": q, "docno": d, "score": score} for q, d, score in run]
    results = [
        ragauge.evaluate(list(rows.values()), specs, resamples=0),
        ragauge.evaluate(run=found, qrels=[pyndeval.SubtopicQrel(*one) for one in qrels], metrics=specs, resamples=0),
    ]
    for spec in specs:
        one, other = (
            dict(zip(result.sample_ids().to_pylist(), result.scores(spec), strict=True)) for result in results
        )
        assert one == other
