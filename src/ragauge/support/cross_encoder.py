"""What models that read two texts together share: pairs are read once, and long texts in windows."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from ragauge.core.ragged import FloatArray, IntArray, Ragged
from ragauge.embedders._base import Loading, cannot_load, shared, windows
from ragauge.errors import MissingExtraError

# The most tokens that a model puts around and between two texts.
_SPECIAL = 4
# The fewest tokens of a long text that are worth reading.
_LEAST_ROOM = 8


class PairReader(Loading):
    """A frozen dataclass with the options ``model``, ``device`` and ``batch`` of a CrossEncoder.

    Each distinct pair is read once. The long text of a pair is read in windows where the model cannot read it whole
    beside the short one, and the highest probability counts: only a short text that is itself too long is cut.
    """

    model: str
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
        """The number of tokens that the model reads; tokenizers without a limit state a very large one."""
        return min(int(self.loaded.tokenizer.model_max_length), 1 << 30)

    def _count(self, texts: Sequence[str]) -> list[int]:
        tokens = self.loaded.tokenizer(list(texts), add_special_tokens=False, truncation=False, verbose=False)
        return [*map(len, tokens["input_ids"])]

    def _read(self, pairs: Sequence[tuple[str, str]]) -> FloatArray:
        """Return the probability of each pair, as far as the model reads it."""
        options = {"batch_size": self.batch, "activation_fn": lambda logits: logits, "show_progress_bar": False}
        ordered = list(pairs) if self.long_first else [(short, long) for long, short in pairs]
        logits = np.asarray(self.loaded.predict(ordered, **options), dtype=np.float64).reshape(len(pairs), -1)
        probabilities = self.probability(logits)
        return np.where(np.isfinite(probabilities), probabilities, np.nan)

    @cached_property
    def loaded(self) -> Any:
        """The CrossEncoder of sentence-transformers."""
        return shared(_load, self.model, self.option, self.device)


def logistic(logits: FloatArray) -> FloatArray:
    """Return the logistic probability of each of ``logits``."""
    return np.asarray(1 / (1 + np.exp(-logits)))


def _load(model: str, option: str, device: str) -> Any:
    try:
        from sentence_transformers import CrossEncoder
    except ImportError:
        raise MissingExtraError.of(option, "sentence-transformers", "st") from None
    try:
        return CrossEncoder(model, device=None if device == "auto" else device)
    except Exception as error:
        raise cannot_load(model, error) from error
