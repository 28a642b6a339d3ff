"""ROUGE-Lsum: ROUGE-L by sentence, where each sentence of the reference takes the union of its matches."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from ragauge import score
from ragauge.core.batch import Batch
from ragauge.core.ingredients import Vocabulary
from ragauge.core.ragged import Ragged
from ragauge.metrics.text.rouge_l import RougeL
from ragauge.metrics.text.rouge_lsum import RougeLsum


def test_sentences_in_another_order_lose_nothing() -> None:
    given = {"answer": "The cat sat.\nIt rained.", "references": ["It rained.\nThe cat sat."]}
    assert score("rouge-lsum", **given) == 1.0
    assert score("rouge-l", **given) < 1.0


def test_one_sentence_is_rouge_l() -> None:
    given = {"answer": "police kill the gunman", "references": ["police ended the gunman"]}
    assert score("rouge-lsum", **given) == score("rouge-l", **given)


@dataclass(frozen=True)
class Characters:
    """A tokenizer to which blanks are tokens, and which does not ask for those at the end of a text."""

    signature: str = "characters"

    def encode(self, texts: pa.Array, vocabulary: Vocabulary) -> Ragged:
        tokens = [list(text) for text in texts.to_pylist()]
        return Ragged.from_lengths(np.concatenate([vocabulary.codes(one) for one in tokens]), [*map(len, tokens)])


def test_blanks_at_the_end_are_no_tokens_as_in_rouge_l() -> None:
    batch = Batch(pa.table({"answer": ["tea \n"], "references": [["tea"]]}))
    for kind in (RougeL, RougeLsum):
        metric = kind(tokenizer=Characters(), case="keep", punctuation="keep")
        assert metric.score(metric.measure(batch)).tolist() == [1.0]
