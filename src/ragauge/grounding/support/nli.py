"""``nli``: a cross-encoder reads evidence and claim together and decides."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, ClassVar

import numpy as np

from ragauge.core.options import BatchSize, Range, Text
from ragauge.core.ragged import FloatArray, IntArray, Ragged
from ragauge.core.registry import ingredient
from ragauge.embedders.base import CUT, WINDOWS
from ragauge.errors import UsageError
from ragauge.grounding.support.cross_encoder import PairReader, logistic
from ragauge.grounding.support.pair_models import Backend
from ragauge.grounding.support.pairs import ClaimPairs

_ENTAILS = ("entailment", "entail", "entailed", "supported", "supports", "consistent", "factual")


@ingredient("support", "nli")
@dataclass(frozen=True)
class Nli(PairReader):
    """A claim is supported by evidence that entails it: the probability that a classifier gives to entailment.

    With several labels, the one is taken that the model's
    configuration calls entailment; with one, its logistic probability. Each distinct pair is read once. Evidence
    that is longer than the model reads beside the claim is read in windows, the highest of which counts: only a claim
    that is itself too long is cut.

    Args:
        model: a name on the Hugging Face hub, or a folder. With ``HF_HUB_OFFLINE=1`` the hub is not asked. With
            ``backend=onnx`` a folder that holds ``model.onnx``, or such a file, and ``tokenizer.json`` and
            ``config.json`` with it.
        backend: ``torch``: a CrossEncoder of sentence-transformers; ``onnx``: ONNX Runtime, which reads each pair
            alone, so that its probability is the same bits whatever is read with it.
        threshold: the lowest probability that counts as supported.
        label: the model's name of entailment; ``auto``: the one in its configuration.
        device: ``auto``, ``cpu``, ``cuda`` ...
        batch: pairs per forward pass, with ``torch``.

    Raises:
        OptionError: no model is named, or an option has a value that it does not take.
        MissingExtraError: sentence-transformers, or onnxruntime and tokenizers, are not installed.
        UsageError: the model cannot be loaded, or has no such label.

    Source: Reimers and Gurevych 2019, "Sentence-BERT"; entailment as support: Honovich et al. 2022, "TRUE:
    re-evaluating factual consistency evaluation".
    """

    option: ClassVar[str] = "support=nli"

    model: Annotated[str, Text("a name on the hub, or a folder, as in nli[model=cross-encoder/nli-deberta-v3-small]")]
    threshold: Annotated[float, Range(0, 1, above=True)] = 0.5
    label: str = "auto"
    backend: Backend = "torch"
    device: str = "auto"
    batch: BatchSize = 32

    @cached_property
    def signature(self) -> str:
        """The model by name and content, the label, the threshold."""
        return f"nli[{','.join(f'{key}={text}' for key, text in self.signed.items())},revision=1]"

    def degrees(self, claims: Ragged, evidence: Ragged) -> FloatArray:
        """Return the probability that each segment of evidence entails each claim; see `SupportModel` for the order."""
        claim, segment = ClaimPairs.of(claims.offsets, evidence.offsets).part(0, len(claims.values))
        pairs = zip(evidence.values[segment].tolist(), claims.values[claim].tolist(), strict=True)
        return self.read_pairs(list(pairs))

    def noted(self, claims: Ragged, evidence: Ragged) -> Mapping[str, IntArray]:
        """Return for each of n samples how much evidence is read in windows, and how many claims are cut; (n,) each."""
        windowed, cut = self.windowed_and_cut(evidence, claims)
        return {WINDOWS: windowed, CUT: cut}

    def probability(self, logits: FloatArray) -> FloatArray:
        """Return the probability of entailment of each pair, (p,), from the model's logits, (p, labels)."""
        if logits.shape[1] == 1:
            return logistic(logits[:, 0])
        powers = np.exp(logits - logits.max(axis=1, keepdims=True))
        return np.asarray((powers / powers.sum(axis=1, keepdims=True))[:, self._entailment])

    @cached_property
    def _entailment(self) -> int:
        """The number of the model's label that means entailment."""
        labels = self.loaded.labels
        for name in _ENTAILS if self.label == "auto" else (self.label.lower(),):
            if name in labels:
                return labels[name]
        known = ", ".join(sorted(labels))
        raise UsageError(
            "RG-SUPPORT-006 the model {model!r} has the labels {known}; name the one that means support: "
            "nli[label=...]",
            self.model,
            known,
        )
