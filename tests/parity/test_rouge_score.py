"""ROUGE against rouge-score 0.1.2, bit for bit, and against values of ROUGE-1.5.5."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import numpy as np
import pytest
from tests.parity.texts import Texts, batch_of

import ragauge

rouge_scorer = pytest.importorskip("rouge_score.rouge_scorer")

NAMES = {
    "rouge-1": "rouge1",
    "rouge-2": "rouge2",
    "rouge-n@3": "rouge3",
    "rouge-l": "rougeL",
    "rouge-lsum": "rougeLsum",
}
STEMMERS = pytest.mark.parametrize("stemmer", ["none", "porter"])
SHARED = Path(os.environ.get("RAGAUGE_SHARED_DATA", Path(__file__).parents[2].parent / "shared" / "data"))


def shared(name: str) -> Path:
    path = SHARED / name
    if not path.exists():
        pytest.skip(f"{name} is not there; set RAGAUGE_SHARED_DATA to the folder that holds it")
    return path


def rows(spec: str, answers: list[str], references: list[list[str]]):
    metric = ragauge.parse(spec)
    measured = metric.measure(batch_of(answers, references))
    return {"fmeasure": metric.score(measured), **metric.parts(measured)}


def compare(samples, stemmer: str) -> None:
    answers, references = samples
    peer = rouge_scorer.RougeScorer(list(NAMES.values()), use_stemmer=stemmer == "porter")
    expected = [peer.score_multi(several, answer) for answer, several in zip(answers, references, strict=True)]
    for ours, theirs in NAMES.items():
        values = rows(f"{ours}:compat=rouge-score,stemmer={stemmer}", answers, references)
        for part, scores in values.items():
            assert scores.tolist() == [getattr(score[theirs], part) for score in expected], (ours, part)


@STEMMERS
@pytest.mark.parametrize("most", [1, 4], ids=["one reference", "several"])
def test_bit_equal(stemmer, most):
    compare(Texts(seed=5, newlines=0.1).samples(2_500, longest=25, most=most), stemmer)


@STEMMERS
def test_bit_equal_on_long_texts(stemmer):
    compare(Texts(seed=6, newlines=0.02).samples(25, longest=220, most=2), stemmer)


@STEMMERS
def test_rouge_155(stemmer):
    lines = [json.loads(line) for line in shared("rouge/rouge155.jsonl").read_text().splitlines()]
    chosen = [line for line in lines if line["stem"] == (stemmer == "porter")]
    for line in chosen:
        for name, expected in line["expected"].items():
            ours = {value: key for key, value in NAMES.items()}[name]
            spec = f"{ours}:compat=rouge-score,stemmer={stemmer}"
            found = rows(spec, [line["prediction"]], [[line["target"]]])
            for part, value in expected.items():
                assert found[part][0] == pytest.approx(value, abs=6e-6), (line["id"], name, part)
    assert chosen


@pytest.mark.parametrize(("references", "limits"), [("mean", (0.10, 0.30)), ("max", (0.12, 0.30))])
def test_summeval_agrees_with_experts(references, limits):
    """The rank correlation with experts lies where it is known to lie for all articles; these are thirty of them."""
    stats = pytest.importorskip("scipy.stats")
    with gzip.open(shared("summeval/first30.jsonl.gz"), "rt") as lines:
        samples = [json.loads(line) for line in lines]
    batch = [sample["answer"] for sample in samples], [sample["references"] for sample in samples]
    scores = rows(f"rouge-1:compat=rouge-score,stemmer=porter,references={references}", *batch)["fmeasure"]
    documents = np.unique([sample["doc_id"] for sample in samples], return_inverse=True)[1]
    experts = np.array([sample["human"]["relevance"] for sample in samples])
    taus = [
        stats.spearmanr(scores[documents == document], experts[documents == document]).statistic
        for document in range(documents.max() + 1)
    ]
    low, high = limits
    assert low < np.nanmean(taus) < high + 0.15
