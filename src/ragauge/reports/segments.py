"""The evidence of a run on the samples of a page, by column: each value is a place among the values that differ."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any, Self, TypeAlias

import numpy as np
import pyarrow as pa

from ragauge.core import compute as pc
from ragauge.core.arrow import scalar, to_arrow, to_numpy, whole
from ragauge.core.ragged import IntArray, Ragged
from ragauge.reports.json_columns import JsonColumn
from ragauge.reports.texts import wordings
from ragauge.results.evidence import StoredEvidence

Reason: TypeAlias = Callable[[Any, Any], Any]
_TEXTS = ("what", "text", "best", "why", "message")
_NUMBERS = ("metric", "similarity", "supported")


@dataclass(frozen=True, eq=False)
class SegmentColumns:
    """The segments that the scores of m samples of a run rest on.

    ``rows``: those of each sample among the n of ``codes``, which are ``metric`` (its place on the page), ``what``,
    ``text``, ``best``, ``similarity``, ``supported`` and ``why``. A code is a place in the list of that name in
    ``values``; texts of our own are worded there, as one text or as one in each language.
    """

    rows: Ragged
    codes: Mapping[str, IntArray]
    values: Mapping[str, Sequence[Any]]

    @classmethod
    def of(cls, evidence: StoredEvidence, ids: pa.Array, metrics: Mapping[str, int], reason: Reason) -> Self:
        """Return the segments of the samples ``ids`` (m,) under ``metrics``, whose places are given by name.

        ``reason`` makes what is shown of a text of ``why`` and of the message that was packed with it.
        """
        table = evidence.of(ids, list(metrics), coded=_TEXTS)
        sample = to_numpy(pc.index_in(pc.cast(table["id"], ids.type), value_set=ids)).astype(np.int64)
        counts = np.bincount(sample, minlength=len(ids))
        coded = {name: _coded(table, name) for name in ("metric", "what", "text", "best", "similarity", "supported")}
        places = [metrics[name] for name in coded["metric"][1]]
        what = list(map(cache(in_all_wordings), coded["what"][1]))
        similarity = [None if value is None else round(value, 4) for value in coded["similarity"][1]]
        shown: dict[str, list[Any]] = {"metric": places, "what": what, "similarity": similarity}
        coded |= {name: (coded[name][0], values) for name, values in shown.items()}
        coded["why"] = _reasons(table, reason)
        return cls(
            Ragged.from_lengths(np.argsort(sample, kind="stable"), counts),
            {name: codes for name, (codes, _) in coded.items()},
            {name: values for name, (_, values) in coded.items()},
        )

    def at(self, places: Sequence[int]) -> Self:
        """Return the segments of the samples at ``places``, in their order."""
        return replace(self, rows=self.rows.take(places))

    def column(self, name: str) -> tuple[Sequence[Any], IntArray]:
        """Return the values that differ, and the place among them of each segment, those of a sample together."""
        return self.values[name], self.codes[name][self.rows.values]

    def distinct(self, name: str) -> tuple[list[tuple[int, Any]], IntArray]:
        """Return each text of a sample once, as (place of the sample, text), and which of these each segment has."""
        values, codes = self.column(name)
        keys = self.rows.rows * len(values) + codes
        found, which = np.unique(keys, return_inverse=True)
        samples, first = np.divmod(found, max(len(values), 1))
        own = np.array(values, dtype=object)[first]
        return list(zip(samples.tolist(), own.tolist(), strict=True)), which

    @cached_property
    def numbers(self) -> Mapping[str, JsonColumn]:
        """The columns of numbers and booleans, of the n segments."""
        return {name: JsonColumn.of_numbers(self.values[name], self.codes[name]) for name in _NUMBERS}


def in_all_wordings(text: str | None) -> str | tuple[str, ...] | None:
    """Return a text of our own in all its wordings, where these differ."""
    return text if text is None or len(shown := wordings(text)) == 1 else tuple(shown)


def _coded(table: pa.Table, name: str) -> tuple[IntArray, list[Any]]:
    """Return the code of each value of a column, (n,), and the values, which may be None; one None without a column."""
    if name not in table.column_names:
        return np.zeros(len(table), dtype=np.int64), [None]
    found = whole(table[name])
    found = found if pa.types.is_dictionary(found.type) else found.dictionary_encode()
    codes = pc.fill_null(found.indices, scalar(len(found.dictionary), found.indices.type))
    return to_numpy(codes).astype(np.int64), [*found.dictionary.to_pylist(), *([None] if found.null_count else [])]


def _reasons(table: pa.Table, reason: Reason) -> tuple[IntArray, list[Any]]:
    (why, texts), (message, messages) = _coded(table, "why"), _coded(table, "message")
    # In the order in which they first come, which takes no sorting.
    encoded = to_arrow(why * len(messages) + message).dictionary_encode()
    pairs, codes = to_numpy(encoded.dictionary), to_numpy(encoded.indices).astype(np.int64)
    places = zip(*(places.tolist() for places in np.divmod(pairs, max(len(messages), 1))), strict=True)
    return codes, [reason(texts[one], messages[other]) for one, other in places]
