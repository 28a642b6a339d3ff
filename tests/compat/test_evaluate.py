"""The metrics with the one method of Hugging Face's evaluate, beside the libraries that it calls."""

from __future__ import annotations

from collections import Counter
from functools import reduce
from math import exp, log
from operator import or_

import pytest

from ragauge.compat.evaluate import load
from ragauge.errors import DataError, UnknownNameError
from tests.parity.texts import Texts

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


def bleu_of_nmt(predictions, references, order: int, *, smooth: bool) -> dict[str, object]:
    """Return what bleu.py of tensorflow/nmt says of lists of tokens, stated here again."""
    matches, totals, length, shortest = [0] * order, [0] * order, 0, 0
    for words, others in zip(predictions, references, strict=True):
        length, shortest = length + len(words), shortest + min(map(len, others))
        for n in range(order):
            own, *theirs = (Counter(zip(*(text[i:] for i in range(n + 1)), strict=False)) for text in (words, *others))
            matches[n] += sum((own & reduce(or_, theirs)).values())
            totals[n] += own.total()
    precisions = [(m + smooth) / (t + smooth) if t + smooth else 0.0 for m, t in zip(matches, totals, strict=True)]
    mean = exp(sum(1 / order * log(p) for p in precisions)) if min(precisions) > 0 else 0
    ratio = length / shortest
    penalty = 1.0 if ratio > 1 else exp(1 - 1 / ratio)
    lengths = {"length_ratio": ratio, "translation_length": length, "reference_length": shortest}
    return {"bleu": mean * penalty, "precisions": precisions, "brevity_penalty": penalty, **lengths}


@pytest.mark.parametrize("smooth", [False, True])
@pytest.mark.parametrize("order", [1, 2, 4])
@pytest.mark.parametrize("n", [1, 20, 200])
def test_bleu(n: int, order: int, smooth: bool) -> None:
    tokenizer = pytest.importorskip("sacrebleu.tokenizers.tokenizer_13a").Tokenizer13a()

    def default(text: str) -> list[str]:
        words: list[str] = tokenizer(text.rstrip()).split()
        return words

    answers, references = Texts(seed=n + order).samples(n, longest=14, most=3)
    for cut in (None, list, str.split):
        tokens = cut or default
        expected = bleu_of_nmt(
            [tokens(text) for text in answers], [[tokens(text) for text in texts] for texts in references], order,
            smooth=smooth,
        )  # fmt: skip
        found = load("bleu").compute(
            predictions=answers, references=references, max_order=order, smooth=smooth, tokenizer=cut
        )
        assert found == expected


def test_bleu_of_nothing() -> None:
    for texts in ({"predictions": [""], "references": ["a"]}, {"predictions": ["a"], "references": [[""]]}):
        found = load("bleu").compute(**texts)
        assert (found["bleu"], found["length_ratio"], found["brevity_penalty"]) == (0.0, 0.0, 0.0)


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
