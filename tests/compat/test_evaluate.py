"""The metrics with the one method of Hugging Face's evaluate, beside the libraries that it calls."""

from __future__ import annotations

import pytest

from ragauge.compat.evaluate import load
from ragauge.errors import DataError, UnknownNameError

PREDICTIONS = ["the cat sat on the mat", "猫坐在垫子上 2023", ""]
REFERENCES = [["a cat sat on the mat", "the cat sat"], ["一只猫在垫子上 2023"], ["nothing"]]


def test_bleu_and_chrf() -> None:
    sacrebleu = pytest.importorskip("sacrebleu")
    streams = [["a cat sat on the mat", "一只猫在垫子上 2023", "nothing"], ["the cat sat", None, None]]
    found = load("sacrebleu").compute(predictions=PREDICTIONS, references=REFERENCES, tokenize="zh")
    expected = sacrebleu.corpus_bleu(PREDICTIONS, streams, tokenize="zh")
    assert list(found) == ["score", "counts", "totals", "precisions", "bp", "sys_len", "ref_len"]
    for name, value in found.items():
        assert value == pytest.approx(getattr(expected, name), abs=1e-11)
    found = load("chrf").compute(predictions=PREDICTIONS, references=REFERENCES, word_order=2)
    assert list(found) == ["score", "char_order", "word_order", "beta"]
    assert found["score"] == pytest.approx(sacrebleu.corpus_chrf(PREDICTIONS, streams, word_order=2).score, abs=1e-11)


def test_rouge() -> None:
    peer = pytest.importorskip("rouge_score.rouge_scorer")
    types = ["rouge1", "rouge2", "rougeL", "rougeLsum"]
    scorer = peer.RougeScorer(types)
    scores = [scorer.score_multi(texts, prediction) for texts, prediction in zip(REFERENCES, PREDICTIONS, strict=True)]
    expected = {name: [score[name].fmeasure for score in scores] for name in types}
    rouge = load("rouge")
    assert rouge.compute(predictions=PREDICTIONS, references=REFERENCES, use_aggregator=False) == expected
    means = rouge.compute(predictions=PREDICTIONS, references=REFERENCES)
    assert means == pytest.approx({name: sum(each) / 3 for name, each in expected.items()}, abs=1e-15)
    assert rouge.compute(predictions=["a"], references=["a"], rouge_types=["rouge1"]) == {"rouge1": 1.0}


def test_errors() -> None:
    with pytest.raises(UnknownNameError, match="did you mean rouge"):
        load("rouges")
    with pytest.raises(DataError, match="got 2 and 1"):
        load("rouge").compute(predictions=["a", "b"], references=["a"])
    with pytest.raises(DataError, match="1 or more"):
        load("chrf").compute(predictions=[], references=[])
