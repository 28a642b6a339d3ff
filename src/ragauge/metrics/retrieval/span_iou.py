"""``span-iou``, ``span-recall``, ``span-precision``: the characters that retrieved chunks and references share."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Literal

import numpy as np

from ragauge.core.batch import Batch
from ragauge.core.options import Cutoff
from ragauge.core.protocol import Average, Direction, Needs, Stage
from ragauge.core.ragged import FloatArray, IntArray
from ragauge.core.registry import register
from ragauge.core.statistics import Rows, Statistics, Status
from ragauge.errors import DataError
from ragauge.metrics._object_lists import object_lists
from ragauge.metrics.retrieval._ranked import share

RETRIEVED, REFERENCE = "retrieved_spans", "reference_spans"
_LONGEST = 1 << 40
_FORM = "RG-METRIC-045 column {column} must list spans in each row, as {form}, with 0 <= start <= end; not {rows}"


@register(
    "span-iou",
    at="k",
    variants={"span-recall": {"of": "recall"}, "span-precision": {"of": "precision"}},
    meanings={
        "span-recall": "Span recall: the share of the characters of the reference spans that the retrieved chunks "
        "have.",
        "span-precision": "Span precision: the share of the characters of the retrieved chunks that the reference "
        "spans have.",
    },
)
@dataclass(frozen=True, kw_only=True)
class SpanIou:
    """Span IoU: the characters that retrieved chunks and reference spans share, of all that either has.

    Formula:
        span-iou = shared / (retrieved + reference - shared)
        span-recall = shared / reference; span-precision = shared / retrieved

    Chunks and references are spans ``[start, end)`` of documents, in characters, so that one set of references measures
    chunks of any size. In ``shared`` and ``reference`` a character counts once; in ``retrieved`` as often as it was
    retrieved, so that chunks that overlap cost what they repeat.

    The columns ``retrieved_spans``, best first, and ``reference_spans`` list in each row objects with ``document``,
    ``start`` and ``end``; without ``document`` all are of one document. A span may also be ``[start, end]``.

    Unit and range: a share of characters, 0 to 1. Nothing retrieved scores 0. ``undefined``: the sample has no
    reference span, or only empty ones.

    Args:
        of: ``iou``, ``recall`` or ``precision``.
        k: only the first k retrieved spans count; None: all.
        average: ``samples``: the mean of the samples' scores; ``pooled``: the score of the summed characters.

    Raises:
        DataError: a span is not two whole numbers with 0 <= start <= end.

    >>> import pyarrow as pa
    >>> found, wanted = [{"start": 0, "end": 80}, {"start": 60, "end": 100}], [{"start": 50, "end": 100}]
    >>> batch = Batch(pa.table({"id": ["q"], "retrieved_spans": [found], "reference_spans": [wanted]}))
    >>> [float(one.score(one.measure(batch).totals())) for one in map(_of, ("recall", "precision", "iou"))]
    [1.0, 0.4166666666666667, 0.4166666666666667]

    Not for: in which order chunks come (``ndcg``).

    Source: Smith and Troynikov 2024, "Evaluating chunking strategies for retrieval", and its chunking_evaluation, which
    also counts characters. Its precision omega is ``span-precision`` where all chunks that touch a reference are given
    as retrieved. Deviation: where references overlap, it counts what they share twice.
    """

    of: Literal["iou", "recall", "precision"] = "iou"
    k: Cutoff = None
    average: Average = "samples"

    direction: ClassVar[Direction] = "higher"
    revision: ClassVar[int] = 1
    stage: ClassVar[Stage] = "retrieval"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    needs: ClassVar[Needs] = ((RETRIEVED, REFERENCE),)

    def measure(self, batch: Batch) -> Rows:
        """Count characters: shared, retrieved and of the references."""
        (rows, documents, starts, ends), n = batch.derived("spans", partial(_spans, batch)), len(batch)
        places, is_reference = np.arange(len(rows)), documents % 2 == 1
        first = np.searchsorted(2 * rows + is_reference, 2 * rows)
        kept = is_reference | (places - first < (self.k or len(rows)))
        counted = [
            _covered(rows[some], documents[some] // 2, starts[some], ends[some], n)
            for some in (kept & ~is_reference, is_reference, kept)
        ]
        lengths = np.where(kept & ~is_reference, ends - starts, 0)
        retrieved = np.bincount(rows, lengths, n).astype(np.int64)
        shared = counted[0] + counted[1] - counted[2]
        status = np.where(counted[1] == 0, np.uint8(Status.UNDEFINED), np.uint8(Status.OK))
        columns = {"shared": shared, "retrieved": retrieved, "reference": counted[1]}
        return Rows.of({**columns, "count": np.ones(n, dtype=np.int64)}, status=status)

    def score(self, totals: Statistics) -> FloatArray:
        """Divide the characters that are shared."""
        shared = totals["shared"]
        of = {"recall": totals["reference"], "precision": totals["retrieved"]}
        return share(shared, of.get(self.of, totals["reference"] + totals["retrieved"] - shared), totals["count"])


def _of(of: Any) -> SpanIou:
    return SpanIou(of=of)


def _covered(rows: IntArray, documents: IntArray, starts: IntArray, ends: IntArray, n: int) -> IntArray:
    """Return how many characters the spans of each sample cover, each once, (n,)."""
    order = np.lexsort((starts, documents))
    rows, starts, ends = rows[order], starts[order], ends[order]
    # Documents lie one behind the other, so that the end so far of one is before all of the next.
    offset = documents[order] * (int(ends.max(initial=0)) + 1)
    until = np.maximum.accumulate(np.append(0, ends + offset))[:-1]
    return np.bincount(rows, np.maximum(ends + offset - np.maximum(starts + offset, until), 0), n).astype(np.int64)


def _spans(batch: Batch) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Return row, document, start and end of all spans, (m,), by row, those retrieved before the references.

    A document has a number of its own in each sample, twice it for a retrieved span and one more for a reference.
    """
    found: list[tuple[int, int, int, int]] = []
    numbers: dict[tuple[int, Any], int] = {}
    wrong: dict[str, list[tuple[int, object]]] = {RETRIEVED: [], REFERENCE: []}
    both = [object_lists(batch, name) for name in (RETRIEVED, REFERENCE)]
    for row, lists in enumerate(zip(*both, strict=True)):
        for side, (name, spans) in enumerate(zip(wrong, lists, strict=True)):
            for span in [None] if spans is None else _single(spans):
                document, start, end = _parts(span)
                if not (_whole(start) and _whole(end) and 0 <= start <= end < _LONGEST):
                    wrong[name].append((row, span))
                    continue
                number = numbers.setdefault((row, document), len(numbers))
                found.append((row, 2 * number + side, int(start), int(end)))
    for name, some in wrong.items():
        if some:
            raise DataError(_FORM, name, '{"document": "d1", "start": 0, "end": 80}', batch.named(some))
    columns = np.array(found, dtype=np.int64).reshape(-1, 4).T
    return columns[0], columns[1], columns[2], columns[3]


def _single(spans: list[Any]) -> list[Any]:
    """Return spans; two numbers are one."""
    return [spans] if len(spans) == 2 and all(map(_whole, spans)) else spans


def _parts(span: Any) -> tuple[Any, Any, Any]:
    if not isinstance(span, dict):
        return (None, *span) if isinstance(span, list) and len(span) == 2 else (None, None, None)
    document = next((span[name] for name in ("document", "id", "doc_id") if span.get(name) is not None), None)
    start, end = (
        next((span[name] for name in (one, f"{one}_index") if name in span), None) for one in ("start", "end")
    )
    return None if document is None else str(document), start, end


def _whole(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value == value // 1
