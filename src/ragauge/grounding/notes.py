"""Notes beside a score, and the table of evidence that it rests on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np
import pyarrow as pa

from ragauge.core.batch import Batch
from ragauge.core.ingredients import Embedder, SupportModel
from ragauge.core.protocol import evidence as table_of
from ragauge.core.ragged import Array, BoolArray, IntArray
from ragauge.embedders.base import CUT, WINDOWS
from ragauge.embedders.lexical import Lexical
from ragauge.grounding.support.pairs import Best, ClaimPairs, Distinct
from ragauge.grounding.support.scorer import MOST_COMPARED, NOT_READ, Degrees
from ragauge.languages.scripts import overlap, shares

ACROSS = "across languages"
UNSAID = "nothing claimed"
UNCITED = "sentences without a citation"
DANGLING = "citations of no passage"
UNREAD = "citations not read"
FROM_ZERO = "answers whose markers count from 0"
UNMEASURED = "embedder not measured: calibrate"

_MEANING: Mapping[str, str] = MappingProxyType(
    {
        ACROSS: "samples whose texts are in different scripts or languages, where a lexical comparison says nothing; "
        "take embedder=blend",
        UNSAID: "sentences that greet, offer help or name a source, or only say that something is not said or known: "
        "they are not claims, and are left out",
        UNCITED: "they count as not supported",
        DANGLING: "numbers or names in markers that none of the passages has; they count as wrong citations",
        UNREAD: "entries of the column citations that are no objects with the text of a sentence and its citations, or "
        "whose text the answer does not have; they count for no sentence",
        FROM_ZERO: "they have [0], and no number as high as the number of passages: [0] is read as the first passage, "
        "[1] as the second",
        NOT_READ: "samples in no language that features are read in, or too short to tell which: they were compared by "
        "n-grams, and by numbers, dates and measures where CLDR has their language, without names and negations; take "
        "embedder=blend or support=nli[model=...]",
        UNMEASURED: "how the cosines of this embedder agree with people was not measured; compare scores with labels, "
        "as ragauge validate and ragauge calibrate do",
        WINDOWS: "they are longer than the model reads at once",
        CUT: "they are longer than the model reads, and their ends were not read",
    }
)
# Evidence of more segments of a sample is shown to this many characters, because repeating it takes quadratic memory.
_MOST_REPEATED = 100
_SHOWN = 1000
# The columns that may name the language of a sample's passages.
_LANGUAGES = ("context_language", "context_languages")


def compared_by(embedder: Embedder, support: SupportModel | None = None) -> str:
    """Return how texts are compared: by a model of support, by letters or by vectors; see `ragauge.core.protocol`."""
    if support is not None:
        return support.signature.partition("[")[0]
    return "lexical" if isinstance(embedder, Lexical) else "cosine"


def notes_of(embedder: Embedder, support: SupportModel | None = None) -> Mapping[str, str]:
    """Return the names and meanings of the notes on comparisons by ``embedder``, or by ``support`` if there is one."""
    names = [ACROSS] if isinstance(embedder, Lexical) else [WINDOWS]
    if support is not None:
        names = [WINDOWS, CUT] if hasattr(support, "noted") else []
    return meanings(*names)


def meanings(*names: str) -> dict[str, str]:
    """Return the meanings of notes by name."""
    return {name: _MEANING[name] for name in names}


def noted(
    batch: Batch, embedder: Embedder, degrees: Degrees, known: str, others: str, support: SupportModel | None = None
) -> dict[str, IntArray]:
    """Return for each note its count in each sample, (n,).

    Each text of column ``others`` was compared with those of ``known``, any of which will do: by ``support``, or else
    by ``embedder``. ``degrees`` is the result.
    """
    counts = dict(degrees.counts)
    if support is None and isinstance(embedder, Lexical):
        counts[ACROSS] = across(batch, known, others).astype(np.int64)
    return counts


def across(batch: Batch, known: str, others: str) -> BoolArray:
    """Return a mask of the samples with a text of ``others`` in another script or language than all of ``known``."""
    left, right = batch.segments(known), batch.segments(others)
    one, other = [
        batch.derived(("scripts", column), partial(shares, batch.segments(column).strings.values.tolist()))
        for column in (known, others)
    ]
    both = np.concatenate([one, other])
    # Rows of the few scripts that occur are sorted in a fraction of the time.
    alike = np.unique(both[:, both.any(axis=0)], axis=0, return_inverse=True)[1].ravel()
    known_shares = Distinct.by(alike[: len(one)], left.offsets)
    other_shares = Distinct.by(alike[len(one) :], right.offsets)
    pairs = ClaimPairs.up_to(MOST_COMPARED, other_shares, known_shares)
    shared = np.repeat(pairs.left_out, other_shares.lengths)
    for block in pairs.blocks(one.shape[1]):
        text, any_of = pairs.part(*block)
        overlaps = overlap(one[known_shares.first[any_of]], other[other_shares.first[text]])
        shared[text[overlaps]] = True
    shared = shared[other_shares.of]
    lettered = np.zeros(len(batch), dtype=bool)
    lettered[left.rows[one.any(axis=1)]] = True
    apart = ~shared & other.any(axis=1) & lettered[right.rows]
    differ = np.zeros(len(batch), dtype=bool)
    differ[right.rows[apart]] = True
    return differ | _tagged_differently(batch) if "contexts" in (known, others) else differ


def _tagged_differently(batch: Batch) -> BoolArray:
    """Return a mask of the samples whose data name another language for a passage than for the sample."""
    names = [name for name in _LANGUAGES if name in batch.names]
    if "language" not in batch.names or not names:
        return np.zeros(len(batch), dtype=bool)
    pairs = zip(batch.column("language").to_pylist(), batch.column(names[0]).to_pylist(), strict=True)
    return np.array([bool(_tags(one) and _tags(other) - _tags(one)) for one, other in pairs])


def _tags(value: Any) -> set[str]:
    """Return the languages of a tag or a list of tags, without script and region: ``zh`` of ``zh-Hant``."""
    tags = value if isinstance(value, list) else [value]
    return {str(tag).lower().replace("_", "-").partition("-")[0] for tag in tags if tag}


def evidence(
    batch: Batch,
    rows: IntArray,
    what: str,
    texts: Array,
    best: Best,
    others: Array,
    supported: BoolArray | None,
    why: Sequence[str | None] | None = None,
) -> pa.Table:
    """Return the table of `ragauge.core.protocol.evidence`, one row for each of s segments.

    Shapes: ``rows`` (s,), the sample of each segment; ``texts`` (s,) str; ``others`` (t,) str, the counterparts that
    ``best.place`` numbers; ``supported`` (s,), or None if the metric does not decide that.

    ``best`` and ``similarity`` are null where there is nothing to compare with. ``best`` is cut where it is long and
    that of many segments. Where the comparison failed, ``similarity`` and ``supported`` are null.
    """
    lost = best.failed if supported is None else best.failed & ~supported
    repeated = np.flatnonzero(np.bincount(best.place[best.place >= 0], minlength=len(others)) > _MOST_REPEATED)
    cut = {place: others[place][:_SHOWN] + "…" for place in repeated.tolist() if len(others[place]) > _SHOWN}
    counterparts = [cut.get(place, others[place]) if place >= 0 else None for place in best.place.tolist()]
    similarity = np.where((best.place >= 0) & ~lost, best.value, np.nan)
    decided = None if supported is None else np.where(lost, np.array(None), supported).tolist()
    shown = texts.tolist()
    return table_of(
        batch, rows, what=what, texts=shown, best=counterparts, similarity=similarity, supported=decided, why=why
    )
