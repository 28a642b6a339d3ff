"""The samples as the page's script reads them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, time, timedelta
from decimal import Decimal
from functools import cache
from itertools import pairwise
from math import isfinite
from operator import gt
from typing import Any

import numpy as np
import pyarrow as pa

from ragauge.comparison.causes import Cause
from ragauge.comparison.difference import decimals
from ragauge.comparison.pairing import pairing_keys
from ragauge.core.arrow import to_arrow, to_numpy
from ragauge.core.batch import Batch
from ragauge.core.protocol import FAILURE, failure_reason
from ragauge.core.ragged import FloatArray, IntArray
from ragauge.core.sample import SCHEMA
from ragauge.core.statistics import Status
from ragauge.errors import worded
from ragauge.metrics.retrieval import Ranked
from ragauge.metrics.retrieval.precision import Precision
from ragauge.reports.json_columns import JsonColumn
from ragauge.reports.runs import SEED, Page, Run, Selection, primary_of
from ragauge.reports.segments import Reason, SegmentColumns, in_all_wordings
from ragauge.reports.texts import wordings
from ragauge.results.notes import restored

Json = dict[str, Any]

_PASSAGE_COLUMNS = ("id", "contexts", "reference_contexts", "retrieved", "retrieved_scores", "relevance")
# The column by which a run and its qrels are joined; readers of the samples learn nothing from it.
_JOINED = "in_run"


def payload(page: Page, selection: Selection, causes: Sequence[Cause] = (), flow: Sequence[str] = ()) -> Json:
    """Return the selected samples; each list has one entry for each of them.

    ``causes``: why the shown run is worse than the first, on some samples; ``flow``: the states of answers in
    both runs.
    """
    rows = [places[selection.rows] for places in page.samples.places]
    ids = page.samples.ids.take(to_arrow(selection.rows))
    passages: dict[str, int] = {}
    columns = Columns(page.runs, [samples_at(run, where) for run, where in zip(page.runs, rows, strict=True)])
    count = len(selection.rows)
    reason = cache(lambda why, packed: in_all_wordings(restored(why, packed)))
    by_run = [_of_run(page, run, where, columns, passages, reason) for run, where in enumerate(rows)]
    primary = primary_of(page)
    chosen = {"worst": selection.worst, "drawn": selection.drawn, "by": selection.by, "seed": SEED}
    return {
        "runs": page.names,
        "shown_run": page.shown,
        "metrics": [
            {
                "name": metric.title,
                "stage": metric.stage,
                "direction": metric.direction,
                "range": [end if isfinite(end) else None for end in metric.range],
                "decimals": decimals(metric.range),
                "primary": metric in primary,
            }
            for metric in page.metrics
        ],
        "by": selection.by,
        "total": len(page.samples),
        "shown": count,
        "chosen": None if selection.everything else chosen,
        "ids": ids.to_pylist(),
        "questions": columns.shared("question") or [None] * count,
        "languages": columns.shared("language"),
        "references": [texts or [] for texts in columns.shared("references") or [None] * count],
        "reference_contexts": _lists(columns.shared("reference_contexts")),
        "relevance": _lists(columns.shared("relevance")),
        **(_causes(page, rows[0], causes) if causes else {}),
        **({"flow": list(flow)} if flow else {}),
        "columns": columns.others(),
        "passages": list(passages),
        "by_run": by_run,
    }


def _causes(page: Page, rows: IntArray, causes: Sequence[Cause]) -> Json:
    """Return the cause of each of the samples at ``rows`` (m,) of the first run, with its sentence, and all names.

    Where the answer is contradicted, the sentence of it that is comes third.
    """
    known = {
        cause.id: [cause.why, wordings(cause.text), *([cause.sentence] if cause.sentence else [])] for cause in causes
    }
    keys = pairing_keys(page.runs[0].result, page.samples.on, page.runs[0].name).take(to_arrow(rows))
    names = {cause.why: wordings(worded(cause.why)) for cause in causes}
    return {"causes": [known.get(key) for key in keys.to_pylist()], "names_of_causes": names}


def _lists(column: list[Any] | None) -> list[Any] | None:
    return None if column is None else [items or [] for items in column]


def _of_run(page: Page, run: int, rows: IntArray, columns: Columns, passages: dict[str, int], reason: Reason) -> Json:
    answers, failure = columns.of(run, "answer"), columns.of(run, FAILURE)
    return {
        "answers": [None] * len(rows) if answers is None else answers.to_pylist(),
        "contexts": retrieved_passages(page.runs[run], columns.tables[run], passages),
        **_scores(page, run, rows),
        "failure": None if failure is None else [failure_reason(one) if one else None for one in failure.to_pylist()],
        "evidence": _evidence(page, run, rows, reason),
    }


def _scores(page: Page, run: int, rows: IntArray) -> Json:
    """Return scores, statuses, reasons and parts of the samples at ``rows`` (m,), each by the metric's title."""
    scores: Json = {}
    status: Json = {}
    reasons: Json = {}
    parts: Json = {}
    for metric in page.metrics:
        column, title = metric.column(run), metric.title
        if column is None:
            scores[title], status[title] = [None] * len(rows), [int(Status.MISSING)] * len(rows)
            reasons[title], parts[title] = {}, {}
            continue
        scores[title] = _written(column.scores[rows])
        status[title] = JsonColumn.of_numbers(range(len(Status)), column.status[rows].astype(np.int64))
        parts[title] = {name: _written(part[rows]) for name, part in column.parts.items()}
        known = column.reasons
        shown = np.flatnonzero(np.isin(rows, list(known))).tolist() if known else []
        reasons[title] = {str(i): known[int(rows[i])] for i in shown}
    return {"scores": scores, "status": status, "reasons": reasons, "parts": parts}


def _written(values: FloatArray) -> JsonColumn:
    """Return the column of ``values`` (n,), as `numbers`."""
    found, codes = np.unique(values, return_inverse=True)
    return JsonColumn.of_numbers(numbers(found), codes)


def _evidence(page: Page, run: int, rows: IntArray, reason: Reason) -> SegmentColumns | None:
    """Return the segments that scores rest on; None for a run without evidence."""
    source = page.runs[run]
    if source.result.evidence is None:
        return None
    metrics = {name: place for place, metric in enumerate(page.metrics) if (name := metric.names[run]) is not None}
    return SegmentColumns.of(source.result.evidence, source.result.sample_ids().take(to_arrow(rows)), metrics, reason)


def retrieved_passages(run: Run, samples: pa.Table, passages: dict[str, int]) -> list[list[Json]]:
    """Return the passages of m samples of a run in rank order, m lists, without what is not known of one.

    ``passage`` is the place of its text in ``passages``, to which new ones are added, so that the page holds each text
    once; ``relevant`` is decided as in the run's own retrieval metrics: by the grade of an id, else by the matcher of
    texts.
    """
    table = samples.select([name for name in _PASSAGE_COLUMNS if name in samples.column_names])
    metrics: Iterator[Any] = map(run.metric, run.result.metrics)
    own = next((metric for metric in metrics if isinstance(metric, Ranked)), Precision())
    matches = _matches(table, Precision(level=own.level, matcher=own.matcher))
    rows = zip(table.to_pylist(), matches, strict=True)
    return [_ranked(row, flags, own.level, passages) for row, flags in rows]


def _matches(table: pa.Table, metric: Precision) -> Iterator[list[bool]] | Sequence[list[bool]]:
    """Return, for each sample, a flag per text: it matches a reference passage. No flags where ids are judged."""
    names = set(table.column_names)
    if {"retrieved", "relevance"} <= names or not {"contexts", "reference_contexts"} <= names or not len(table):
        return [[] for _ in range(len(table))]
    judged = metric.views(Batch(table)).relevant.judged_ranks
    flags = (judged.grades >= metric.level).tolist()
    return (flags[start:end] for start, end in pairwise(judged.ranks.offsets.tolist()))


def _ranked(row: Mapping[str, Any], matches: Sequence[bool], level: float, passages: dict[str, int]) -> list[Json]:
    """Return the passages of one sample."""
    ids = row.get("retrieved") or []
    texts: list[Json] = [{"passage": passages.setdefault(text, len(passages))} for text in row.get("contexts") or []]
    if not ids:
        judged = row.get("reference_contexts") is not None and len(matches) == len(texts)
        return [{**text, "relevant": match} for text, match in zip(texts, matches, strict=True)] if judged else texts
    grades = {item["id"]: item["grade"] for item in row.get("relevance") or ()}
    scores = row.get("retrieved_scores") or []
    paired = len(texts) == len(ids)
    ranked = []
    for place in _order(ids, scores):
        one, grade = texts[place] if paired else {}, grades.get(ids[place])
        one["id"] = ids[place]
        if scores:
            one["score"] = scores[place] if isfinite(scores[place]) else str(scores[place])
        if grade is not None:
            one["grade"], one["relevant"] = grade, grade >= level
        ranked.append(one)
    return ranked if paired else [*ranked, *texts]


def _order(ids: Sequence[str], scores: Sequence[float]) -> list[int]:
    """Return places by falling score and, as trec_eval, by falling id among ties; without scores the input order."""
    if len(scores) != len(ids):
        return list(range(len(ids)))
    if all(map(gt, scores, scores[1:])):
        return list(range(len(ids)))
    by_id = sorted(range(len(ids)), key=lambda place: ids[place].encode(), reverse=True)
    return sorted(by_id, key=lambda place: -scores[place])


@dataclass(frozen=True, eq=False)
class Columns:
    """The columns of the same m samples in r runs, one table for each run."""

    runs: Sequence[Run]
    tables: Sequence[pa.Table]

    def of(self, run: int, name: str) -> pa.Array | None:
        """Return a column of a run, m values; None where the run has none of that name."""
        table = self.tables[run]
        return Batch(table).column(name) if name in table.column_names else None

    def shared(self, name: str) -> list[Any] | None:
        """Return the column of the first run that has it, as Python values."""
        columns = (self.of(run, name) for run in range(len(self.runs)))
        return next((column.to_pylist() for column in columns if column is not None), None)

    def others(self) -> dict[str, list[Any]]:
        """Return the user's own columns; where runs differ, one for each run, with its name in brackets."""
        names = dict.fromkeys(name for table in self.tables for name in table.column_names)
        columns: dict[str, list[Any]] = {}
        for name in names:
            if name in SCHEMA or name in (FAILURE, _JOINED):
                continue
            held = {run.name: self.of(place, name) for place, run in enumerate(self.runs)}
            by_run = {run: values(column) for run, column in held.items() if column is not None}
            first = next(iter(by_run.values()))
            same = all(one == first for one in by_run.values())
            columns |= {name: first} if same else {f"{name} ({run})": one for run, one in by_run.items()}
        return columns


def samples_at(run: Run, rows: IntArray) -> pa.Table:
    """Return the data of the samples at ``rows`` (m,), m rows; the data are read once."""
    parts, start = [], 0
    order = np.argsort(rows, kind="stable")
    rising = rows[order]
    for batch in run.result.data.batches():
        table = batch.table()
        inside = rising[(rising >= start) & (rising < start + len(table))] - start
        start += len(table)
        parts.append(table.take(to_arrow(inside)))
    return pa.concat_tables(parts, promote_options="permissive").take(to_arrow(np.argsort(order))).combine_chunks()


def values(column: pa.Array) -> list[str | float | bool | None]:
    """Return a column of any type as texts, numbers and booleans; lists and objects become texts of JSON."""
    kind = column.type
    if pa.types.is_boolean(kind) or pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return column.to_pylist()  # type: ignore[no-any-return]
    if pa.types.is_integer(kind):
        # A browser's numbers cannot hold longer integers, such as ids.
        return [str(value) if value is not None and abs(value) > 1 << 53 else value for value in column.to_pylist()]
    if pa.types.is_floating(kind):
        return [*numbers(np.asarray(to_numpy(column.cast(pa.float64())), dtype=np.float64))]
    return [None if value is None else _text(value) for value in column.to_pylist()]


def _text(value: object) -> str:
    if isinstance(value, date | time | timedelta | Decimal | bytes):
        return str(value)
    return json.dumps(value, ensure_ascii=False, default=str)


_DIGITS = 9
_TINY = -13  # powers of ten below which values are not rounded


def numbers(values: FloatArray) -> list[float | None]:
    """Return ``values`` (n,) to nine significant digits; None where they are not finite.

    >>> numbers(np.array([2 / 3, 0.1, np.nan, 123456.0, 1e-40]))
    [0.666666667, 0.1, None, 123456.0, 1e-40]
    """
    finite = np.isfinite(values)
    known = np.where(finite, values, 0.0)
    sizes = np.floor(np.log10(np.where(known == 0, 1.0, np.abs(known))))
    # Powers of ten above 22 are not exact floats, so rounding with them would add digits.
    grid = 10.0 ** np.clip(_DIGITS - 1 - sizes, 0, 22)
    rounded: list[float | None] = np.where(sizes < _TINY, known, np.rint(known * grid) / grid + 0.0).tolist()
    for place in np.flatnonzero(~finite).tolist():
        rounded[place] = None
    return rounded
