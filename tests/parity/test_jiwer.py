"""WER, MER, WIL and CER against jiwer 4.0.0, sample by sample and of the corpus."""

from __future__ import annotations

import numpy as np
import pytest

import ragauge
from tests import fresh
from tests.parity.texts import Texts, batch_of
from tests.repeats import others_long

jiwer = pytest.importorskip("jiwer")

PAIRS = 2_000


def pairs(seed: int, n: int) -> tuple[list[str], list[list[str]]]:
    """Return texts whose white space is single spaces, and none at the ends, which jiwer would take off."""
    answers, references = Texts(seed=seed).samples(n)
    return [" ".join(text.split()) for text in answers], [[" ".join(text.split())] for (text,) in references]


@pytest.mark.parametrize("seed", others_long([fresh.seed(), 7]), ids=["fresh", "known"])
@pytest.mark.parametrize("name", ["wer", "mer", "wil", "cer"])
def test_every_sample_and_the_corpus(name: str, seed: int) -> None:
    samples = pairs(seed, PAIRS)
    theirs = getattr(jiwer, name)
    metric = ragauge.parse(f"{name}:compat=jiwer")
    rows = metric.measure(batch_of(*samples))
    expected = [theirs(references[0], answer) for answer, references in zip(*samples, strict=True)]
    assert np.array_equal(metric.score(rows), expected)
    whole = theirs([references[0] for references in samples[1]], samples[0])
    assert metric.score(rows.totals()) == pytest.approx(whole, rel=1e-15)


@pytest.mark.parametrize("name", ["wer", "mer", "wil", "cer"])
def test_long_texts_are_aligned_alike(name: str) -> None:
    source = Texts(seed=11)
    reference = " ".join(source.text(4_000).split())
    answer = " ".join(source.like(reference).split())
    assert ragauge.score(f"{name}:compat=jiwer", answer=answer, references=reference) == pytest.approx(
        getattr(jiwer, name)(reference, answer), rel=1e-15
    )
