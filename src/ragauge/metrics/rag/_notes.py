"""What must be read beside a score, and what the score rests on."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from ragauge.core.evidence import evidence as table_of
from ragauge.core.ragged import Ragged
from ragauge.embedders._scripts import overlap, shares
from ragauge.embedders._windows import CUT, WINDOWS
from ragauge.embedders.lexical import Lexical

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

    from ragauge.core.batch import Batch
    from ragauge.core.ingredients import Embedder, SupportModel
    from ragauge.core.ragged import Array, BoolArray, FloatArray, IntArray
    from ragauge.support.pairs import Best
    from ragauge.support.scorer import Degrees

LEXICAL = "lexical"
ACROSS = "across languages"

_MEANING: Mapping[str, str] = MappingProxyType(
    {
        LEXICAL: "wording is compared, not meaning",
        ACROSS: (
            "samples whose texts are in different scripts or languages, where a lexical comparison says nothing; "
            "use embedder=st"
        ),
        WINDOWS: "they are longer than the model reads at once",
        CUT: "they are longer than the model reads, and their ends were not read",
    }
)
# Beside the language of a sample, that of its passages.
_LANGUAGES = ("context_language", "context_languages")


def notes_of(embedder: Embedder, support: SupportModel | None = None) -> Mapping[str, str]:
    """Return what can be noted of comparisons by ``embedder``, or by a ``support`` in its place, and what it means."""
    names = [LEXICAL, ACROSS] if isinstance(embedder, Lexical) else [WINDOWS]
    if support is not None:
        names = [WINDOWS, CUT] if hasattr(support, "noted") else []
    return {name: _MEANING[name] for name in names}


def noted(
    batch: Batch, embedder: Embedder, degrees: Degrees, known: str, others: str, support: SupportModel | None = None
) -> dict[str, IntArray]:
    """Return the counts of each sample, (n,).

    Args:
        batch: n samples.
        embedder: what compared them.
        degrees: what came of it.
        known: the column of texts any of which will do.
        others: the column of texts each of which is held against those.
        support: what compared them in place of ``embedder``.
    """
    found = dict(degrees.noted)
    if support is None and isinstance(embedder, Lexical):
        found[ACROSS] = across(batch, known, others).astype(np.int64)
    return found


def across(batch: Batch, known: str, others: str) -> BoolArray:
    """Say in which samples a text of ``others`` is in another script or language than every text of ``known``, (n,)."""
    left, right = batch.segments(known).strings, batch.segments(others).strings
    one, other = _shares(batch, known), _shares(batch, others)
    pairs = _pairs(left, right)
    alike = overlap(one[pairs[0]], other[pairs[1]])
    best = np.zeros(len(right.values))
    np.maximum.at(best, pairs[1], alike)
    lettered = np.zeros(len(batch), dtype=bool)
    lettered[left.rows[one.any(axis=1)]] = True
    apart = ~best.astype(bool) & other.any(axis=1) & lettered[right.rows]
    found = np.zeros(len(batch), dtype=bool)
    found[right.rows[apart]] = True
    return found | _said_to_differ(batch) if "contexts" in (known, others) else found


def _pairs(left: Ragged, right: Ragged) -> tuple[IntArray, IntArray]:
    """Return each text of a sample on the left with each on the right, as places."""
    lengths = left.lengths[right.rows]
    second = np.repeat(np.arange(len(right.values)), lengths)
    within = Ragged.from_lengths(np.empty(0), lengths).offsets[:-1]
    first = np.arange(len(second)) - np.repeat(within - left.offsets[:-1][right.rows], lengths)
    return first, second


def _shares(batch: Batch, column: str) -> FloatArray:
    return batch.derived(("scripts", column), lambda: shares(batch.segments(column).strings.values.tolist()))


def _said_to_differ(batch: Batch) -> BoolArray:
    """Say where the data name another language for a passage than for the sample."""
    names = [name for name in _LANGUAGES if name in batch.names]
    if "language" not in batch.names or not names:
        return np.zeros(len(batch), dtype=bool)
    pairs = zip(batch.column("language").to_pylist(), batch.column(names[0]).to_pylist(), strict=True)
    return np.array([bool(_tags(one) and _tags(other) - _tags(one)) for one, other in pairs])


def _tags(cell: Any) -> set[str]:
    """Return the languages of a cell, without script and region: ``zh`` of ``zh-Hant``."""
    several = cell if isinstance(cell, list) else [cell]
    return {str(tag).lower().replace("_", "-").partition("-")[0] for tag in several if tag}


def evidence(
    batch: Batch, rows: IntArray, what: str, texts: Array, best: Best, others: Array, support: BoolArray | None
) -> pa.Table:
    """Return one row per segment.

    Args:
        batch: n samples.
        rows: (u,) the sample of each segment.
        what: what the segments are, as ``answer sentence``.
        texts: (u,) str.
        best: the best counterpart of each segment.
        others: (v,) str: what ``best.place`` counts.
        support: (u,) whether the segment is supported or relevant; None where nothing is decided.

    Returns:
        Columns ``id``, ``what``, ``text``, ``best`` (null where there is nothing to compare with), ``similarity``
        (null there, and where there was no answer) and ``support`` (null where there was no answer, or nothing is
        decided).
    """
    there = best.place >= 0
    lost = best.failed if support is None else best.failed & ~support
    found: list[Any] = [None] * len(rows)
    for segment in np.flatnonzero(there).tolist():
        found[segment] = others[best.place[segment]]
    supported = None if support is None else np.where(lost, np.array(None), support).tolist()
    similarity = np.where(there & ~lost, best.value, np.nan)
    return table_of(
        batch, rows, what=what, texts=texts.tolist(), best=found, similarity=similarity, supported=supported
    )
