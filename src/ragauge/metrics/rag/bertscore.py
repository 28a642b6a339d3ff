"""``bertscore``: the cosines of each token with the most similar token of the other text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Annotated, ClassVar, Literal

import numpy as np

from ragauge.core.batch import Batch
from ragauge.core.options import BatchSize, Range, Text
from ragauge.core.protocol import Needs, Stage
from ragauge.core.ragged import FloatArray, Ragged
from ragauge.core.registry import register
from ragauge.core.statistics import Rows, Statistics, ratio
from ragauge.embedders.contextual import Contextual
from ragauge.errors import DataError, excerpt
from ragauge.metrics._sample_mean import SampleMean, best_of, rows_of, sums, taken

_NONE = "none"


@register("bertscore")
@dataclass(frozen=True, kw_only=True)
class BertScore(SampleMean):
    """BERTScore: the F of the cosines of each token with the most similar token of the other text.

    Formula:
        P = mean over tokens a of the answer of max over tokens r of the reference of cos(a, r)
        R = mean over tokens r of the reference of max over tokens a of the answer of cos(a, r)
        F = 2 P R / (P + R)

    Unit and range: a mean of cosines, -1 to 1, in practice far above 0: compare systems by it, and read no meaning into
    its height. Precision is the mean over the answer's tokens, recall over the reference's; the tokens that begin and
    end a text can be found but do not count. An empty answer scores 0. Of several references the one of highest F
    counts. Parts: ``precision``, ``recall``, and ``cut``: texts that are longer than the model reads, and were cut.

    ``undefined``: the sample has no reference that is not empty.

    Args:
        model: a name on the Hugging Face hub, or a folder; needs the extra ``st``.
        layer: whose hidden states are taken, from 0 on; bert-score's default is 9 for bert-base-multilingual-cased.
        idf: a file with one text a line; tokens weigh by how few of these texts have them. ``none``: all alike.
        device: ``auto``, ``cpu``, ``cuda`` ...
        batch: texts per forward pass.

    Raises:
        OptionError: no model is named, or an option has a value that it does not take.
        MissingExtraError: transformers is not installed.
        UsageError: the model cannot be loaded, or has fewer layers.
        DataError: the file of texts cannot be read.

    Not for: numbers of another model or layer, which are another metric; its height, since unrelated texts score
    far above 0; languages that the model was not trained on; and truth: 'is' and 'is not' lie close.

    Source: Zhang, Kishore, Wu, Weinberger and Artzi 2020, "BERTScore: evaluating text generation with BERT"; bert-score
    0.3.13, given the same model and layer. Deviations: idf is counted in a file, where bert-score counts it in the
    references of the call, so that a score would depend on the other samples; there is no rescaling.
    """

    model: Annotated[str, Text("a name on the hub, or a folder, as in bertscore:model=bert-base-multilingual-cased")]
    layer: Annotated[int, Range(0, 1000)] = 9
    idf: str = _NONE
    device: str = "auto"
    batch: BatchSize = 32
    average: Literal["samples"] = "samples"

    needs: ClassVar[Needs] = (("answer", "references"),)
    stage: ClassVar[Stage] = "generation"
    range: ClassVar[tuple[float, float]] = (-1.0, 1.0)

    @property
    def identity(self) -> str:
        """Name, model and layer, and the digest of the file of texts; not the device and the batch size."""
        idf = _NONE if self.idf == _NONE else sha256(self._lines.encode()).hexdigest()[:8]
        return f"bertscore|average=samples|idf={idf}|model={self.network.signature}|revision={self.revision}"

    @cached_property
    def network(self) -> Contextual:
        """The model up to its layer."""
        return Contextual(self.model, self.layer, self.device, self.batch)

    def measure(self, batch: Batch) -> Rows:
        """Return the F of each answer with its best reference."""
        answers, references = batch.segments("answer").not_blank, batch.segments("references").not_blank
        texts = list(dict.fromkeys([*answers.texts.tolist(), *references.texts.tolist()]))
        read = self._read(texts)
        place = {text: number for number, text in enumerate(texts)}
        answer_at = np.full(len(batch), -1, dtype=np.int64)
        answer_at[answers.rows] = [place[text] for text in answers.texts]
        reference_at = np.array([place[text] for text in references.texts], dtype=np.int64)
        pairs = zip(answer_at[references.rows], reference_at, strict=True)
        scores = _scored(np.array([read.compare(*pair) for pair in pairs]))
        best = best_of(scores["value"], references.rows, len(batch))
        columns = {name: taken(values, best) for name, values in scores.items()}
        cut = sums(read.cut[answer_at[answers.rows]], answers.offsets)
        cut += sums(read.cut[reference_at], references.offsets)
        return rows_of(columns.pop("value"), best < 0, {}, {}, **columns, cut=cut)

    def parts(self, totals: Statistics) -> Mapping[str, FloatArray]:
        """Return precision, recall, and the number of texts that were cut."""
        return {name: ratio(totals[name], totals["count"]) for name in ("precision", "recall", "cut")}

    @cached_property
    def _lines(self) -> str:
        try:
            return Path(self.idf).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise DataError(
                "RG-METRIC-009 cannot read the texts {idf!r} ({reason}); option idf of bertscore is a file of one "
                "text a line",
                self.idf,
                excerpt(str(error)),
            ) from None

    def _read(self, texts: Sequence[str]) -> _Read:
        tokens = self.network.tokens(texts)
        weights = self._weights()[tokens.values]
        return _Read(tokens, self.network.vectors(tokens), weights, self.network.cut(texts, tokens).astype(np.float64))

    def _weights(self) -> FloatArray:
        """Return the weight of each token of the vocabulary, (t,)."""
        size = self.network.size
        if self.idf == _NONE:
            weights = np.ones(size)
            weights[self.network.special] = 0.0
            return weights
        lines = [line for line in self._lines.splitlines() if line.strip()]
        tokens = self.network.tokens(lines)
        pairs = np.unique(np.column_stack([tokens.rows, tokens.values]), axis=0)
        return np.log((len(lines) + 1) / (np.bincount(pairs[:, 1], minlength=size) + 1))


@dataclass(frozen=True, eq=False)
class _Read:
    """n texts as the model reads them. Shapes: ``vectors`` (m, d) and ``weights`` (m,) of tokens; ``cut`` (n,)."""

    tokens: Ragged
    vectors: FloatArray
    weights: FloatArray
    cut: FloatArray

    def compare(self, answer: int, true: int) -> tuple[float, float]:
        """Return precision and recall of one text against another; 0 for none."""
        if answer < 0:
            return 0.0, 0.0
        one, other = (slice(*self.tokens.offsets[[text, text + 1]].tolist()) for text in (answer, true))
        alike = self.vectors[one] @ self.vectors[other].T
        return _mean(alike.max(axis=1), self.weights[one]), _mean(alike.max(axis=0), self.weights[other])


def _mean(values: FloatArray, weights: FloatArray) -> float:
    total = weights.sum()
    return float((values * weights).sum() / total) if total > 0 else 0.0


def _scored(sides: FloatArray) -> dict[str, FloatArray]:
    """Return F, precision and recall of m pairs, (m,) each, from their precision and recall, (m, 2)."""
    precision, recall = sides.reshape(-1, 2).T
    both = precision + recall
    f = np.divide(2 * precision * recall, both, out=np.zeros(len(both)), where=both != 0)
    return {"value": f.clip(-1.0, 1.0), "precision": precision, "recall": recall}
