"""What models that read two texts together share: pairs are read once, and long texts in windows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import ClassVar

import numpy as np

from ragauge.core.options import option_texts
from ragauge.core.ragged import FloatArray, IntArray, Ragged
from ragauge.embedders.base import Loading, shared, windows
from ragauge.grounding.support.pair_models import Backend, PairModel, identity_of, load_onnx, load_torch

# The most tokens that a model puts around and between two texts.
_SPECIAL = 4
# The fewest tokens of a long text that are worth reading.
_LEAST_ROOM = 8


class PairReader(Loading):
    """A frozen dataclass with the options ``model``, ``backend``, ``device`` and ``batch`` of a cross-encoder.

    Each distinct pair is read once. The long text of a pair is read in windows where the model cannot read it whole
    beside the short one, and the highest probability counts: only a short text that is itself too long is cut.
    """

    model: str
    backend: Backend
    device: str
    batch: int

    option: ClassVar[str]
    """How the model is asked for, as errors say it: ``support=nli``."""
    long_first: ClassVar[bool] = True
    """Whether the long text comes first in the pair."""

    def probability(self, logits: FloatArray) -> FloatArray:
        """Return the probability of each pair, (p,), from the model's logits, (p, labels)."""
        raise NotImplementedError

    def read_pairs(self, pairs: Sequence[tuple[str, str]]) -> FloatArray:
        """Return the probability of each pair of a long and a short text, (p,); NaN where the model gave none."""
        distinct = list(dict.fromkeys(pairs))
        probabilities = dict(zip(distinct, self._probabilities(distinct) if distinct else [], strict=True))
        return np.array([probabilities[pair] for pair in pairs], dtype=np.float64)

    def windowed_and_cut(self, long: Ragged, short: Ragged) -> tuple[IntArray, IntArray]:
        """Return for each of n samples how many long texts are read in windows, and how many short ones are cut."""
        most = self._most - _SPECIAL
        sizes, room = self._lengths(long), most - self._lengths(short)
        least = np.full(len(short), most, dtype=np.int64)
        np.minimum.at(least, short.rows, room)
        windowed = sizes > least[long.rows]
        return (
            np.bincount(long.rows[windowed], minlength=len(short)),
            np.bincount(short.rows[room < _LEAST_ROOM], minlength=len(short)),
        )

    def _lengths(self, texts: Ragged) -> IntArray:
        """Return how many tokens each text has, (m,)."""
        distinct = list(dict.fromkeys(texts.values.tolist()))
        counts = dict(zip(distinct, self._count(distinct) if distinct else [], strict=True))
        return np.array([counts[text] for text in texts.values.tolist()], dtype=np.int64)

    def _probabilities(self, pairs: Sequence[tuple[str, str]]) -> FloatArray:
        """Return the probability of each pair in its highest window."""
        cut = [self._in_windows(*pair) for pair in pairs]
        flat = [window for several in cut for window in several]
        starts = np.cumsum([0, *map(len, cut)])[:-1]
        return np.asarray(np.maximum.reduceat(self._read(flat), starts))

    def _in_windows(self, long: str, short: str) -> list[tuple[str, str]]:
        """Return windows of the long text, each of which is read whole beside the short one if that leaves room."""
        most = self._most
        if len(long) + len(short) < most - _SPECIAL:
            return [(long, short)]
        room = most - self._count([short])[0] - _SPECIAL
        cut, _ = windows([long], self._count, room) if room >= _LEAST_ROOM else ([long], None)
        return [(window, short) for window in cut]

    @property
    def _most(self) -> int:
        return self.loaded.most

    def _count(self, texts: Sequence[str]) -> list[int]:
        return self.loaded.count(texts)

    def _read(self, pairs: Sequence[tuple[str, str]]) -> FloatArray:
        """Return the probability of each pair, as far as the model reads it."""
        ordered = list(pairs) if self.long_first else [(short, long) for long, short in pairs]
        probabilities = self.probability(self.loaded.logits(ordered, self.batch))
        return np.where(np.isfinite(probabilities), probabilities, np.nan)

    @cached_property
    def loaded(self) -> PairModel:
        """The model, read once a process."""
        load: Callable[..., PairModel] = load_onnx if self.backend == "onnx" else load_torch
        return shared(load, self.model, self.option, self.device)

    @property
    def signed(self) -> dict[str, str]:
        """The options that decide a probability, with the model's identity; the backend where it is not torch."""
        options = {**option_texts(self, all_of_them=True), "model": identity_of(self.model, self.backend)}
        left_out = ("device", "batch", *(["backend"] if self.backend == "torch" else []))
        return {key: text for key, text in options.items() if key not in left_out}


def logistic(logits: FloatArray) -> FloatArray:
    """Return the logistic probability of each of ``logits``."""
    return np.asarray(1 / (1 + np.exp(-logits)))
