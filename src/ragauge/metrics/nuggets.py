"""Nuggets: the facts that an answer should state, how important each is, and whether an answer states it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np
import pyarrow as pa

from ragauge.core import compute as pc
from ragauge.core.arrow import filled, to_arrow, to_numpy
from ragauge.core.batch import Batch
from ragauge.core.messages import Joined
from ragauge.core.protocol import evidence
from ragauge.core.ragged import BoolArray, FloatArray, IntArray, Ragged
from ragauge.core.texts import Segments, objects_of
from ragauge.errors import DataError
from ragauge.metrics._sample_mean import shares_of, sums

COLUMN = "nuggets"
Importance: TypeAlias = Literal["all", "vital"]
PART = 0.5
"""What a nugget counts that an answer supports in part."""
ASSIGNMENTS: Mapping[str, float] = {"support": 1.0, "partial_support": PART, "not_support": 0.0}
"""How far an answer supports a nugget, by the words of TREC RAG and nuggetizer."""
_IMPORTANCE: Mapping[str, float] = {"vital": 1.0, "okay": 0.0}
_FIELDS = ("text", "importance", "assignment")
IN_PART = "the answer supports it in part"
_FORM = (
    "RG-METRIC-030 column {column} must have a list in each row, of texts or of objects with a text, and where it is "
    "known importance and assignment; not {rows}"
)


@dataclass(frozen=True, eq=False)
class Nuggets:
    """The m nuggets of n samples.

    Shapes: ``texts``: n lists of str. ``vital`` (m,): which are vital; the others are okay. ``given`` (m,): how far the
    answer supports each as the data say, 1, .5 or 0; NaN where they do not.
    """

    texts: Ragged
    vital: BoolArray
    given: FloatArray

    @property
    def open(self) -> BoolArray:
        """Which nuggets the data assign nothing to, (m,)."""
        return np.isnan(self.given)

    @cached_property
    def claims(self) -> Segments:
        """The open nuggets, each as one segment."""
        return Segments.whole(self.texts.where(self.open))

    def counted(self, importance: Importance) -> BoolArray:
        """Return which nuggets count, (m,)."""
        return self.vital if importance == "vital" else np.ones(len(self.vital), dtype=bool)

    def counts(self, places: IntArray, found: FloatArray, *, strict: bool) -> FloatArray:
        """Return what each nugget counts, (m,): ``found`` those at ``places``, else as the data assign it, or NaN.

        ``strict``: what the data say is supported in part counts 0.
        """
        given = np.where(self.given == PART, 0.0, self.given) if strict else self.given.copy()
        given[places] = found
        return given

    def value(self, counts: FloatArray, importance: Importance) -> tuple[FloatArray, BoolArray]:
        """Return the mean of what those nuggets count that count at all, and which samples have none, (n,) each.

        >>> nuggets = Nuggets(Ragged.of([["a", "b"], ["c"]]), np.array([True, False, False]), np.full(3, np.nan))
        >>> nuggets.value(np.array([0.5, 1.0, 1.0]), "vital")
        (array([0.5, 0. ]), array([False,  True]))
        """
        counted = self.counted(importance)
        return shares_of(counts, counted, self.texts.offsets), sums(counted, self.texts.offsets) == 0

    def explained(
        self,
        batch: Batch,
        counts: FloatArray,
        kept: BoolArray | None = None,
        best: Sequence[str | None] | None = None,
        similarity: FloatArray | None = None,
        why: Sequence[str | None] | None = None,
    ) -> pa.Table:
        """Return one row per nugget, with the sentence of the answer that supports it, or why none does.

        Shapes: all (m,). ``counts``: 1, .5 or 0, NaN where that is not known. ``kept``: the nuggets that have a row;
        None: all. ``best``, ``similarity``, ``why``: as of `ragauge.core.protocol.evidence`.
        """
        m, order, tables = len(counts), [], []
        degrees, places = counts.tolist(), np.arange(m)
        shown = [None] * m if best is None else best
        cosines = np.full(m, np.nan) if similarity is None else similarity
        reasons = [IN_PART if degrees[one] == PART else why[one] if why else None for one in range(m)]
        for what, chosen in (("vital nugget", self.vital), ("okay nugget", ~self.vital)):
            some = places[chosen if kept is None else chosen & kept]
            order.append(some)
            table = evidence(
                batch, self.texts.rows[some], what=what, texts=self.texts.values[some].tolist(),
                best=[shown[one] for one in some], similarity=cosines[some],
                supported=[None if np.isnan(degrees[one]) else degrees[one] == 1.0 for one in some],
                why=[reasons[one] for one in some],
            )  # fmt: skip
            tables.append(table)
        return pa.concat_tables(tables).take(to_arrow(np.argsort(np.concatenate(order)))).combine_chunks()


def nuggets_of(batch: Batch) -> Nuggets:
    """Return the column ``nuggets``: lists of objects with ``text``, ``importance`` and ``assignment``, or of texts.

    A list may be JSON, and one text is one nugget. Without an importance a nugget is vital, as for nuggetizer.

    Raises:
        DataError: a nugget has no text, another importance than vital or okay, or an assignment that is not known.
    """
    return batch.derived(COLUMN, lambda: _read(batch))


def may_be_several(batch: Batch) -> IntArray:
    """Return 1 for each sample whose nuggets are one text that a mark may part, else 0, (n,).

    >>> may_be_several(
    ...     Batch(pa.table({"nuggets": ["It is red~It is old", "It is red.", '["a;b"]', "1. A 2. B"]}))
    ... ).tolist()
    [1, 0, 0, 1]
    """
    column = batch.column(COLUMN)
    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        return np.zeros(len(batch), dtype=np.int64)
    found = pc.match_substring_regex(column, r"^\s*[^\s\[{].*([;；|~\n•]\s*|##|<br>| [/*#]+ |\s2[.)]\s*)\S")
    return to_numpy(filled(found, False)).astype(np.int64)  # noqa: FBT003


def _read(batch: Batch) -> Nuggets:
    column = batch.column(COLUMN)
    is_plain = pa.types.is_list(column.type) and pa.types.is_struct(column.type.value_type)
    column = column if is_plain else _objects(batch, column)
    items, lengths = pc.list_flatten(column), to_numpy(filled(pc.list_value_length(column), 0))
    texts, importance, assigned = (_field(items, name) for name in _FIELDS)
    rows = np.repeat(np.arange(len(batch)), lengths)
    blank = [place for place, text in enumerate(texts) if not isinstance(text, str) or not text.strip()]
    if blank:
        raise DataError(_FORM, COLUMN, batch.named([(rows[place], texts[place]) for place in blank]))
    vital = _numbers(batch, rows, "importance", importance, _IMPORTANCE, 1.0) > 0
    given = _numbers(batch, rows, "assignment", assigned, ASSIGNMENTS, np.nan)
    return Nuggets(Ragged.from_lengths(objects_of(texts), lengths), vital, given)


def _field(items: pa.Array, name: str) -> list[Any]:
    """Return a field of m objects; None where they have none of this name."""
    names = [field.name for field in items.type]
    values: list[Any] = pc.struct_field(items, [names.index(name)]).to_pylist() if name in names else []
    return values or [None] * len(items)


def _numbers(
    batch: Batch, rows: IntArray, field: str, words: Sequence[Any], known: Mapping[str, float], absent: float
) -> FloatArray:
    """Return the number of the word of each nugget, (m,); ``absent`` where it has none."""
    numbers = {word: known.get(str(word).strip().lower().replace(" ", "_")) for word in set(words)}
    numbers |= {None: absent, "": absent}
    wrong = [(rows[place], word) for place, word in enumerate(words) if numbers[word] is None]
    if wrong:
        template = "RG-METRIC-031 {field} of each nugget must be {allowed}; not {rows}"
        raise DataError(template, field, Joined(list(known), " or "), batch.named(wrong))
    return np.array([numbers[word] for word in words], dtype=np.float64)


def _objects(batch: Batch, column: pa.Array) -> pa.Array:
    """Return nuggets as lists of objects, of lists of texts, of texts, or of JSON; DataError for anything else."""
    lists: list[list[dict[str, Any]] | None] = []
    for row, value in enumerate(column.to_pylist()):
        several = _parsed(value) if isinstance(value, str) else [value] if isinstance(value, dict) else value
        if several is None:
            lists.append(None)
            continue
        each = [one if isinstance(one, dict) else {"text": one} for one in several]
        bad = [one for one in each if any(not isinstance(one.get(name), str | None) for name in _FIELDS)]
        if bad:
            raise DataError(_FORM, COLUMN, batch.named([(row, bad[0].get("text"))]))
        lists.append([{name: one.get(name) for name in _FIELDS} for one in each])
    return to_arrow(lists, pa.list_(pa.struct([(name, pa.string()) for name in _FIELDS])))


def _parsed(text: str) -> list[Any]:
    """Return the list or object that a text is as JSON; else the text as the only nugget."""
    try:
        found = json.loads(text) if text.lstrip()[:1] in ("[", "{") else text
    except (ValueError, RecursionError):
        return [text]
    return found if isinstance(found, list) else [found]
