"""The comparisons of this folder on a few texts, runs and numbers that no earlier run saw: a new seed each time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests import fresh
from tests.parity.texts import Texts


@pytest.fixture
def seed() -> int:
    """Print the seed, which pytest shows with the failure, and return it."""
    print(f"repeat this with {fresh.VARIABLE}={fresh.seed()}")  # noqa: T201
    return fresh.seed()


@pytest.mark.parametrize("most", [1, 4])
def test_bleu_of_sacrebleu(seed: int, most: int) -> None:
    from tests.parity import test_sacrebleu as peer

    samples = Texts(seed=seed).samples(200, longest=14, most=most)
    peer.test_bleu_has_the_statistics_and_the_sentence_scores_of_sacrebleu(lambda: samples)


@pytest.mark.parametrize("row", range(5))
def test_chrf_of_sacrebleu(seed: int, row: int) -> None:
    from tests.parity import test_sacrebleu as peer

    samples = Texts(seed=seed + row).samples(60, longest=14, most=3)
    peer.test_chrf(*peer.CHRF[row], lambda: samples)


@pytest.mark.parametrize(("spec", "module", "name"), [
    ("13a", "13a", "Tokenizer13a"),
    ("intl", "intl", "TokenizerV14International"),
    ("sacrebleu-zh", "zh", "TokenizerZh"),
    ("char", "char", "TokenizerChar"),
])  # fmt: skip
def test_tokenizers_of_sacrebleu(seed: int, spec: str, module: str, name: str) -> None:
    from tests.parity import test_sacrebleu_tokenizers as peer
    from tests.tokenizers.samples import differing, mixed

    texts = [*mixed(seed, 300, peer.CHARACTERS, peer.SPACES, peer.MARKUP), *mixed(seed, 300, any_unicode())]
    assert differing(spec, texts, peer.sacrebleu(module, name)) == []


@pytest.mark.parametrize("method", range(8))
def test_bleu_of_nltk(seed: int, method: int) -> None:
    from tests.parity import test_nltk as peer

    samples = Texts(seed=seed, odd=0.02).samples(60, longest=9, most=3)
    peer.test_sentence_bleu(f"method{method}", peer.WEIGHTS[seed % len(peer.WEIGHTS)], samples)


@pytest.mark.parametrize("stemmer", ["none", "porter"])
def test_rouge_of_rouge_score(seed: int, stemmer: str) -> None:
    from tests.parity import test_rouge_score as peer

    peer.compare(Texts(seed=seed, newlines=0.1).samples(80, longest=20, most=3), stemmer)


@pytest.mark.parametrize("level", [1, 2])
def test_rankings_of_pytrec_eval(seed: int, level: int) -> None:
    from tests.parity import test_pytrec_eval as peer

    for number in range(5):
        peer.test_bits_of_every_query(seed + number, level)


@pytest.mark.parametrize("hmm", [True, False], ids=["hmm", "no hmm"])
def test_words_of_jieba(seed: int, *, hmm: bool) -> None:
    from tests.parity import test_jieba as peer
    from tests.tokenizers.samples import differing, mixed

    texts = mixed(seed, 400, peer.COMMON, peer.ASCII, peer.MARKS, peer.OTHERS, peer.EDGES, any_unicode())
    cut = peer.dictionary().lcut
    assert differing(f"zh[spaces=true,hmm={str(hmm).lower()}]", texts, lambda text: cut(text, HMM=hmm)) == []


def test_statistics_of_scipy(seed: int, stats: Any) -> None:
    from ragauge.inference.agreement import kendall, pearson, spearman
    from ragauge.inference.tests import wilcoxon

    rng = np.random.default_rng(seed)
    for n in rng.integers(5, 120, 10):
        x = rng.normal(size=n).round(int(rng.integers(0, 6)))
        y = (x + rng.normal(size=n)).round(int(rng.integers(0, 6)))
        if np.ptp(x) and np.ptp(y):
            weights = np.ones((1, n))
            for ours, theirs in ((pearson, stats.pearsonr), (spearman, stats.spearmanr), (kendall, stats.kendalltau)):
                assert ours(x, y, weights)[0] == pytest.approx(theirs(x, y)[0], rel=1e-8, abs=1e-11), ours
        ranks = rng.permutation(np.arange(1, min(n, 50) + 1)) * rng.choice([-1.0, 1.0], min(n, 50))
        assert wilcoxon(ranks).p == pytest.approx(stats.wilcoxon(ranks, method="exact").pvalue, rel=1e-10)


def test_distributions_of_scipy(seed: int, stats: Any) -> None:
    from ragauge.inference.tests import student
    from tests.inference.simulated import pair_of

    rng = np.random.default_rng(seed)
    for n in rng.integers(3, 300, 10):
        base, candidate = rng.random((2, n))
        pair, _ = pair_of(base, candidate)
        expected = stats.ttest_rel(candidate, base).pvalue
        assert student(pair.left_out, pair.observed).p == pytest.approx(expected, rel=1e-8)


def any_unicode() -> list[str]:
    return [chr(point) for point in (*range(1, 0xD800), *range(0xE000, 0x40000))]
