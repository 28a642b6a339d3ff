"""Each distinct pair of a passage and a reference, once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ragauge.ingredients import Vocabulary
from ragauge.ragged import Ragged

if TYPE_CHECKING:
    from ragauge.ragged import BoolArray, IntArray

Form = Callable[[str], str]


@dataclass(frozen=True, eq=False)
class Pairs:
    """The pairs of texts to compare: p distinct ones without empty texts, for c cells of all samples' matrices.

    ``forms``: the distinct normalised texts. ``left`` and ``right``: (p,) places in ``forms``, of passages and of
    references. ``place``: (c,) the pair of each cell, -1 where a text is empty.
    """

    forms: Sequence[str]
    left: IntArray
    right: IntArray
    place: IntArray

    @classmethod
    def of(cls, retrieved: Ragged, references: Ragged, form: Form) -> Pairs:
        """Pair each passage of a sample with each of its references."""
        forms, passages, others = _coded(retrieved, references, form)
        left, right = _crossed(retrieved, references)
        left, right = passages[left], others[right]
        full = (left > 0) & (right > 0)
        keys, place = np.unique(left[full] * len(forms) + right[full], return_inverse=True)
        places = np.full(len(full), -1, dtype=np.int64)
        places[full] = place
        return cls(forms, keys // len(forms), keys % len(forms), places)

    def __len__(self) -> int:
        return len(self.left)

    def texts(self) -> tuple[list[str], list[str]]:
        """Return the passages and the references of the distinct pairs, p each."""
        forms = self.forms
        return [forms[code] for code in self.left.tolist()], [forms[code] for code in self.right.tolist()]

    def spread(self, matches: BoolArray) -> BoolArray:
        """Turn an answer for each pair, (p,), into one for each cell, (c,): False where a text is empty."""
        return np.asarray(np.append(matches, False)[self.place], dtype=bool)


def _coded(retrieved: Ragged, references: Ragged, form: Form) -> tuple[list[str], IntArray, IntArray]:
    """Number the distinct forms of all texts, the empty one 0."""
    texts = Vocabulary()
    codes = texts.codes([*retrieved.values.tolist(), *references.values.tolist()])
    forms = Vocabulary()
    forms.codes([""])
    recoded = forms.codes([form(text) for text in texts.words]).astype(np.int64)[codes]
    return forms.words, recoded[: len(retrieved.values)], recoded[len(retrieved.values) :]


def _crossed(retrieved: Ragged, references: Ragged) -> tuple[Any, Any]:
    """Return, for each cell, the flat place of its passage and of its reference: (c,) each."""
    wide = references.lengths[retrieved.rows]
    left = np.repeat(np.arange(len(wide)), wide)
    cells = Ragged.from_lengths(left, wide)
    return left, cells.positions + np.repeat(references.offsets[:-1][retrieved.rows], wide)
