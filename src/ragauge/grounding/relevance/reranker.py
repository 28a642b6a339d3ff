"""``reranker``: a cross-encoder reads question and passage together and says how relevant the passage is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, ClassVar

import numpy as np

from ragauge.core.options import BatchSize, Text
from ragauge.core.ragged import FloatArray, IntArray, Ragged
from ragauge.core.registry import ingredient
from ragauge.embedders.base import CUT, WINDOWS
from ragauge.errors import UsageError
from ragauge.grounding.support.cross_encoder import PairReader, logistic
from ragauge.grounding.support.pair_models import Backend


@ingredient("relevance", "reranker")
@dataclass(frozen=True)
class Reranker(PairReader):
    """The probability that a reranker, a cross-encoder with one output, gives to a passage beside the question.

    The model's output passes a logistic function, as most rerankers are
    trained. Each distinct pair is read once. A passage that is longer than the model reads beside the question is read
    in windows, the highest of which counts: only a question that is itself too long is cut.

    Args:
        model: a name on the Hugging Face hub, or a folder. With ``HF_HUB_OFFLINE=1`` the hub is not asked. With
            ``backend=onnx`` a folder that holds ``model.onnx``, or such a file, and ``tokenizer.json`` with it, and
            ``config.json`` where the model states there how much it reads.
        backend: ``torch``: a CrossEncoder of sentence-transformers; ``onnx``: ONNX Runtime, which reads each pair
            alone, so that its probability is the same bits whatever is read with it.
        device: ``auto``, ``cpu``, ``cuda`` ...
        batch: pairs per forward pass, with ``torch``.

    Raises:
        OptionError: no model is named, or an option has a value that it does not take.
        MissingExtraError: sentence-transformers, or onnxruntime and tokenizers, are not installed.
        UsageError: the model cannot be loaded, or has several outputs.

    Source: Nogueira and Cho 2019, "Passage re-ranking with BERT"; sentence-transformers' ``CrossEncoder``.
    """

    option: ClassVar[str] = "relevance=reranker"
    long_first: ClassVar[bool] = False

    model: Annotated[str, Text("a name on the hub, or a folder, as in reranker[model=BAAI/bge-reranker-v2-m3]")]
    backend: Backend = "torch"
    device: str = "auto"
    batch: BatchSize = 32

    @cached_property
    def signature(self) -> str:
        """The model by name and content."""
        return f"reranker[{','.join(f'{key}={text}' for key, text in self.signed.items())},revision=1]"

    def probabilities(self, questions: Ragged, passages: Ragged) -> FloatArray:
        """Return the probability of each passage, (m,); 0 for blank passages; see `ragauge.RelevanceModel`."""
        question = np.full(len(questions), None, dtype=object)
        question[questions.rows] = questions.values
        rows, values = passages.rows, np.zeros(len(passages.values))
        read = [
            place for place, text in enumerate(passages.values) if text.strip() and question[rows[place]] is not None
        ]
        values[read] = self.read_pairs([(passages.values[place], question[rows[place]]) for place in read])
        return values

    def noted(self, questions: Ragged, passages: Ragged) -> Mapping[str, IntArray]:
        """Return for each of n samples how many passages are read in windows, and how many questions cut; (n,) each."""
        windowed, cut = self.windowed_and_cut(passages, questions)
        return {WINDOWS: windowed, CUT: cut}

    def probability(self, logits: FloatArray) -> FloatArray:
        """Return the logistic probability of each pair, (p,), from the model's logits, (p, 1)."""
        if logits.shape[1] != 1:
            raise UsageError(
                "RG-SUPPORT-002 the model {model!r} has {shape} outputs; a reranker has one: take a cross-encoder "
                "that was trained to rank passages",
                self.model,
                logits.shape[1],
            )
        return logistic(logits[:, 0])
