"""Token F1 and exact match against SQuAD's evaluate-v1.1.py and evaluate-v2.0.py, whose rules are stated here again.

The scripts are in no package registry.
"""

from __future__ import annotations

import re
import string
from collections import Counter

import pytest

import ragauge
from ragauge.core.batch import Batch
from ragauge.core.text_batch import batch_of_texts
from tests.tokenizers.samples import mixed

ODD = [*"aAtT.,'-ßİΣé \t\n\u3000\xa0“猫", "the", "The ", "an", " a ", "U.S.", "no answer", "It's", "Ａ"]


def normalised(text: str) -> str:
    kept = "".join(char for char in text.lower() if char not in string.punctuation)
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", kept).split())


def f1(answer: str, reference: str, *, version: int) -> float:
    """Return F1 of one pair; in version 2 two texts of which nothing is left match."""
    prediction, truth = normalised(answer).split(), normalised(reference).split()
    if version == 2 and not (prediction and truth):
        return float(prediction == truth)
    same = sum((Counter(prediction) & Counter(truth)).values())
    if same == 0:
        return 0.0
    precision, recall = same / len(prediction), same / len(truth)
    return 2 * precision * recall / (precision + recall)


def batch() -> tuple[Batch, list[tuple[str, list[str]]]]:
    texts = mixed(11, 3000, ODD, longest=7)
    samples = [(answer, [*pair]) for answer, *pair in zip(texts[::3], texts[1::3], texts[2::3], strict=True)]
    samples += [("", [""]), ("the", ["..."]), ("", ["the", "a b"]), ("a", ["b"])]
    return batch_of_texts([answer for answer, _ in samples], [references for _, references in samples]), samples


@pytest.mark.parametrize(("preset", "version"), [("squad1", 1), ("squad", 2)])
def test_token_f1(preset: str, version: int) -> None:
    metric = ragauge.parse(f"token-f1:compat={preset}")
    given, samples = batch()
    expected = [max(f1(answer, one, version=version) for one in references) for answer, references in samples]
    assert {0.0, 1.0} < {*expected}
    assert metric.score(metric.measure(given)).tolist() == pytest.approx(expected, abs=1e-15)


def test_exact_match() -> None:
    metric = ragauge.parse("exact-match:compat=squad")
    given, samples = batch()
    expected = [any(normalised(answer) == normalised(one) for one in references) for answer, references in samples]
    assert metric.score(metric.measure(given)).tolist() == [*map(float, expected)]


def test_both_sides_without_a_token() -> None:
    texts = {"answer": "the", "references": ["..."]}
    assert ragauge.score("token-f1:compat=squad", **texts) == 1.0
    assert ragauge.score("token-f1:compat=squad1", **texts) == 0.0
