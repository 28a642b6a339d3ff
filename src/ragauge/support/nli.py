"""``nli``: a cross-encoder reads evidence and claim together and decides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any

import numpy as np

from ragauge.core.options import BatchSize, Range, Text, option_texts
from ragauge.core.ragged import FloatArray, IntArray, Ragged
from ragauge.core.registry import ingredient
from ragauge.embedders._base import CUT, WINDOWS, Loading, cannot_load, model_identity, shared, windows
from ragauge.errors import MissingExtraError, UsageError
from ragauge.support.pairs import ClaimPairs

# The most tokens that a model puts around and between two texts.
_SPECIAL = 4
# The fewest tokens of evidence that are worth reading.
_LEAST_ROOM = 8
_ENTAILS = ("entailment", "entail", "entailed", "supported", "supports", "consistent", "factual")


@ingredient("support", "nli")
@dataclass(frozen=True)
class Nli(Loading):
    """A claim is supported by evidence that entails it: the probability that a classifier gives to entailment.

    The model is a CrossEncoder of sentence-transformers. With several labels, the one is taken that the model's
    configuration calls entailment; with one, its logistic probability. Each distinct pair is read once. Evidence
    that is longer than the model reads beside the claim is read in windows, the highest of which counts: only a claim
    that is itself too long is cut.

    Args:
        model: a name on the Hugging Face hub, or a folder. With ``HF_HUB_OFFLINE=1`` the hub is not asked.
        threshold: the lowest probability that counts as supported.
        label: the model's name of entailment; ``auto``: the one in its configuration.
        device: ``auto``, ``cpu``, ``cuda`` ...
        batch: pairs per forward pass.

    Raises:
        OptionError: no model is named, or an option has a value that it does not take.
        MissingExtraError: sentence-transformers is not installed.
        UsageError: the model cannot be loaded, or has no such label.

    Source: Reimers and Gurevych 2019, "Sentence-BERT"; entailment as support: Honovich et al. 2022, "TRUE:
    re-evaluating factual consistency evaluation".
    """

    model: Annotated[str, Text("a name on the hub, or a folder")]
    threshold: Annotated[float, Range(0, 1, above=True)] = 0.5
    label: str = "auto"
    device: str = "auto"
    batch: BatchSize = 32

    @cached_property
    def signature(self) -> str:
        """The model by name and content, the label, the threshold."""
        options = {**option_texts(self, all_of_them=True), "model": model_identity(self.model)}
        kept = {key: text for key, text in options.items() if key not in ("device", "batch")}
        return f"nli[{','.join(f'{key}={text}' for key, text in kept.items())},revision=1]"

    def degrees(self, claims: Ragged, evidence: Ragged) -> FloatArray:
        """Return the probability that each segment of evidence entails each claim; see `SupportModel` for the order."""
        claim, segment = ClaimPairs.of(claims.offsets, evidence.offsets).part(0, len(claims.values))
        pairs = list(zip(evidence.values[segment].tolist(), claims.values[claim].tolist(), strict=True))
        distinct = list(dict.fromkeys(pairs))
        probabilities = dict(zip(distinct, self._probabilities(distinct) if distinct else [], strict=True))
        return np.array([probabilities[pair] for pair in pairs], dtype=np.float64)

    def noted(self, claims: Ragged, evidence: Ragged) -> Mapping[str, IntArray]:
        """Return for each of n samples how much evidence is read in windows, and how many claims are cut; (n,) each."""
        most = self._most - _SPECIAL
        claimed, shown = (self._lengths(texts) for texts in (claims, evidence))
        longest = np.zeros(len(claims), dtype=np.int64)
        np.maximum.at(longest, claims.rows, claimed)
        windowed = shown + longest[evidence.rows] > most
        cut = most - claimed < _LEAST_ROOM
        return {
            WINDOWS: np.bincount(evidence.rows[windowed], minlength=len(claims)),
            CUT: np.bincount(claims.rows[cut], minlength=len(claims)),
        }

    def _lengths(self, texts: Ragged) -> IntArray:
        """Return how many tokens each text has, (m,)."""
        distinct = list(dict.fromkeys(texts.values.tolist()))
        counts = dict(zip(distinct, self._count(distinct) if distinct else [], strict=True))
        return np.array([counts[text] for text in texts.values.tolist()], dtype=np.int64)

    def _probabilities(self, pairs: Sequence[tuple[str, str]]) -> FloatArray:
        """Return the probability of entailment of each pair in its highest window; NaN where the model gave none."""
        cut = [self._in_windows(*pair) for pair in pairs]
        flat = [window for several in cut for window in several]
        starts = np.cumsum([0, *map(len, cut)])[:-1]
        return np.asarray(np.maximum.reduceat(self._read(flat), starts))

    def _in_windows(self, evidence: str, claim: str) -> list[tuple[str, str]]:
        """Return windows of evidence, each of which is read whole beside the claim if the claim leaves room."""
        most = self._most
        if len(evidence) + len(claim) < most - _SPECIAL:
            return [(evidence, claim)]
        room = most - self._count([claim])[0] - _SPECIAL
        cut, _ = windows([evidence], self._count, room) if room >= _LEAST_ROOM else ([evidence], None)
        return [(window, claim) for window in cut]

    @property
    def _most(self) -> int:
        """The number of tokens that the model reads; tokenizers without a limit state a very large one."""
        return min(int(self._loaded.tokenizer.model_max_length), 1 << 30)

    def _count(self, texts: Sequence[str]) -> list[int]:
        tokens = self._loaded.tokenizer(list(texts), add_special_tokens=False, truncation=False, verbose=False)
        return [*map(len, tokens["input_ids"])]

    def _read(self, pairs: Sequence[tuple[str, str]]) -> FloatArray:
        """Return the probability of entailment of each pair, as far as the model reads it."""
        options = {"batch_size": self.batch, "activation_fn": lambda logits: logits, "show_progress_bar": False}
        logits = np.asarray(self._loaded.predict(pairs, **options), dtype=np.float64).reshape(len(pairs), -1)
        if logits.shape[1] == 1:
            probabilities = 1 / (1 + np.exp(-logits[:, 0]))
        else:
            powers = np.exp(logits - logits.max(axis=1, keepdims=True))
            probabilities = (powers / powers.sum(axis=1, keepdims=True))[:, self._entailment]
        return np.where(np.isfinite(probabilities), probabilities, np.nan)

    @cached_property
    def _loaded(self) -> Any:
        return shared(_load, self.model, self.device)

    @cached_property
    def _entailment(self) -> int:
        """The number of the model's label that means entailment."""
        labels = {str(name).lower(): int(place) for name, place in self._loaded.config.label2id.items()}
        for name in _ENTAILS if self.label == "auto" else (self.label.lower(),):
            if name in labels:
                return labels[name]
        known = ", ".join(sorted(labels))
        message = f"the model {self.model!r} has the labels {known}; name the one that means support: nli[label=...]"
        raise UsageError(message)


def _load(model: str, device: str) -> Any:
    try:
        from sentence_transformers import CrossEncoder
    except ImportError:
        raise MissingExtraError.of("support=nli", "sentence-transformers", "st") from None
    try:
        return CrossEncoder(model, device=None if device == "auto" else device)
    except Exception as error:
        raise cannot_load(model, error) from error
