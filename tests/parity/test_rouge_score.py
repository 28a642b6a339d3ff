"""ROUGE against rouge-score 0.1.2, bit for bit, and against values of ROUGE-1.5.5."""

from __future__ import annotations

import gzip
import json

import numpy as np
import pytest

import ragauge
from tests.parity.shared import place
from tests.parity.texts import Texts, batch_of

rouge_scorer = pytest.importorskip("rouge_score.rouge_scorer")

NAMES = {
    "rouge-1": "rouge1",
    "rouge-2": "rouge2",
    "rouge-n@3": "rouge3",
    "rouge-l": "rougeL",
    "rouge-lsum": "rougeLsum",
}
STEMMERS = pytest.mark.parametrize("stemmer", ["none", "porter"])


def rows(spec: str, answers: list[str], references: list[list[str]]):
    metric = ragauge.parse(spec)
    measured = metric.measure(batch_of(answers, references))
    return {"fmeasure": metric.score(measured), **metric.parts(measured)}  # type: ignore[attr-defined]


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
    compare(Texts(seed=5, newlines=0.1).samples(800, longest=20, most=most), stemmer)


@STEMMERS
def test_bit_equal_on_long_texts(stemmer):
    compare(Texts(seed=6, newlines=0.02).samples(15, longest=200, most=2), stemmer)


@STEMMERS
def test_rouge_155(stemmer):
    lines = [json.loads(line) for line in place("rouge/rouge155.jsonl").read_text().splitlines()]
    chosen = [line for line in lines if line["stem"] == (stemmer == "porter")]
    for line in chosen:
        for name, expected in line["expected"].items():
            ours = {value: key for key, value in NAMES.items()}[name]
            spec = f"{ours}:compat=rouge-score,stemmer={stemmer}"
            found = rows(spec, [line["prediction"]], [[line["target"]]])
            for part, value in expected.items():
                assert found[part][0] == pytest.approx(value, abs=6e-6), (line["id"], name, part)
    assert chosen


# Mean per-document Spearman of ROUGE-1 with experts over all 100 articles, of which thirty are at hand.
PUBLISHED = {
    "mean": {"coherence": 0.169, "consistency": 0.160, "fluency": 0.116, "relevance": 0.328},
    "max": {"coherence": 0.189, "consistency": 0.174, "fluency": 0.146, "relevance": 0.288},
}


@pytest.mark.parametrize("combined", ["mean", "max"])
def test_summeval(combined, stats):
    with gzip.open(place("summeval/first30.jsonl.gz"), "rt") as lines:
        samples = [json.loads(line) for line in lines]
    texts = [sample["answer"] for sample in samples], [sample["references"] for sample in samples]
    scores = rows(f"rouge-1:compat=rouge-score,stemmer=porter,references={combined}", *texts)["fmeasure"]
    document = np.array([sample["doc_id"] for sample in samples])
    for quality, expected in PUBLISHED[combined].items():
        experts = np.array([sample["human"][quality] for sample in samples])
        places = [np.flatnonzero(document == name) for name in np.unique(document)]
        found = [stats.spearmanr(scores[at], experts[at]).statistic for at in places if np.ptp(experts[at]) > 0]
        assert np.mean(found) == pytest.approx(expected, abs=0.05)


def test_mean_over_references_is_the_mean_of_rouge_score():
    answers, references = Texts(seed=7).samples(300, longest=20, most=4)
    peer = rouge_scorer.RougeScorer(["rougeL"])
    expected = [
        np.mean([peer.score(reference, answer)["rougeL"].fmeasure for reference in several])
        for answer, several in zip(answers, references, strict=True)
    ]
    found = rows("rouge-l:compat=rouge-score,references=mean", answers, references)["fmeasure"]
    assert np.allclose(found, expected, rtol=0, atol=1e-15)
