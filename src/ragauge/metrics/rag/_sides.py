"""An answer held against each of its references, and each reference against the answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ragauge.core.ragged import Array, IntArray, Ragged
from ragauge.support.segments import Segments, alone, sentences_of, wholes_of, written

if TYPE_CHECKING:
    from ragauge.core.batch import Batch


@dataclass(frozen=True, eq=False)
class Sides:
    """Answer and reference of each of m pairs; a sample has as many pairs as references that are not empty.

    Shapes: ``owner`` (m,) rising: the sample of each pair; all segments are of m pairs. ``said`` and ``true`` are the
    sentences of answer and reference.
    """

    owner: IntArray
    said: Segments
    true: Segments
    answers: Segments
    references: Segments


def sides_of(batch: Batch) -> Sides:
    """Pair answers with references."""
    return batch.derived("sides", lambda: _sides(batch))


def _sides(batch: Batch) -> Sides:
    kept = written(wholes_of(batch, "references"))
    owner = kept.rows
    return Sides(
        owner,
        _repeated(sentences_of(batch, "answer"), owner),
        _sentences_of_kept(batch),
        _repeated(written(wholes_of(batch, "answer")), owner),
        Segments(np.arange(len(owner) + 1), kept.source, kept.starts, kept.ends, kept.texts),
    )


def _sentences_of_kept(batch: Batch) -> Segments:
    """Return the sentences of each reference that is not empty, a reference a list."""
    every = alone(sentences_of(batch, "references"))
    kept = [place for place, text in enumerate(every.texts.tolist()) if text.strip()]
    return _repeated(every, np.array(kept, dtype=np.int64))


def _repeated(segments: Segments, chosen: IntArray) -> Segments:
    """Return the segments of the ``chosen`` samples, in that order; the same sample may be chosen again."""
    places = Ragged(np.arange(len(segments)), segments.offsets).take(chosen)
    source = places.values
    # Each repetition is a text of its own, so that windows do not reach across.
    texts: Array = segments.texts[segments.source[source]]
    runs = np.cumsum(np.concatenate([[0], (np.diff(segments.source[source]) != 0) | (np.diff(places.rows) != 0)]))
    runs = runs[: len(source)].astype(np.int64)
    firsts = np.searchsorted(runs, np.arange(runs[-1] + 1 if len(runs) else 0))
    return Segments(places.offsets, runs, segments.starts[source], segments.ends[source], texts[firsts])
