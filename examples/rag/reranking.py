"""Re-ranking: a second, dearer look at the few texts that the index found."""

from collections.abc import Callable, Sequence

import bm25s
import numpy as np
from sklearn.feature_extraction.text import HashingVectorizer

from ragauge.embedders import get

Scorer = Callable[[str, Sequence[str]], list[float]]
"""A question and n texts -> n scores, higher for what fits better."""


def lexical(question: str, texts: Sequence[str]) -> list[float]:
    """Score by ragauge's lexical embedder: shared character n-grams, weighed by how rare they are in large corpora."""
    vectors = get("lexical").encode([question, *texts], "passage")
    places = np.arange(len(texts))
    return vectors.cosine(np.zeros_like(places), places + 1).tolist()


class Bm25:
    """BM25 over character n-grams, with rarities of the corpus itself."""

    def __init__(self, corpus: Sequence[str]) -> None:
        """Learn rarities from the texts of ``corpus``, which are also the ones that can be scored."""
        self._cut = HashingVectorizer(analyzer="char_wb", ngram_range=(2, 4)).build_analyzer()
        self._place = {text: place for place, text in enumerate(corpus)}
        self._bm25 = bm25s.BM25()
        self._bm25.index([self._cut(text) for text in corpus], show_progress=False)

    def __call__(self, question: str, texts: Sequence[str]) -> list[float]:
        """Score texts of the corpus."""
        known = [ngram for ngram in self._cut(question) if ngram in self._bm25.vocab_dict]
        scores = self._bm25.get_scores(known) if known else np.zeros(len(self._place))
        return [float(scores[self._place[text]]) for text in texts]
