"""Which samples the page holds: all, or the worst by one metric and a random part of the rest."""

from __future__ import annotations

import gzip
import json
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from ragauge.core.batch import Batch
from ragauge.core.hashing import hash_strings, splitmix64
from ragauge.core.measure import FAILURE
from ragauge.core.ragged import FloatArray, IntArray
from ragauge.core.statistics import Status
from ragauge.errors import OptionError, UnknownNameError, UsageError
from ragauge.metrics.retrieval.precision import Precision
from ragauge.reports.evidence import evidence
from ragauge.reports.metrics import Asked, metric_of
from ragauge.reports.run import Aligned, Columns, Run, numbers, samples_at

if TYPE_CHECKING:
    import pyarrow as pa

SEED = 0


@dataclass(frozen=True, eq=False)
class Chosen:
    """``rows`` (m,): places among the aligned samples, rising; ``worst`` of them by ``by``, ``drawn`` of the rest."""

    rows: IntArray
    by: str
    worst: int
    drawn: int
    everything: bool


def choose(found: Aligned, asked: Sequence[Asked], limit: int, metric: str | None = None) -> Chosen:
    """Choose at most ``limit`` samples: half of them the worst in the last run, half drawn by a hash of their ids.

    Args:
        found: the samples of all runs.
        asked: the metrics of all runs.
        limit: at least 1.
        metric: what they are worst by; the first metric that the last run has, unless said otherwise.

    Raises:
        OptionError: the limit is below 1.
        UnknownNameError: the last run has no such metric.
    """
    if limit < 1:
        raise OptionError.value("the report", "limit", "a whole number from 1", limit)
    by = _ordering(asked, metric)
    if len(found) <= limit:
        return Chosen(np.arange(len(found)), by.title, len(found), 0, everything=True)
    keys = splitmix64(hash_strings(found.ids) ^ np.uint64(SEED))
    worst = np.lexsort((keys, -badness(by, found)))[: (limit + 1) // 2]
    rest = np.setdiff1d(np.arange(len(found)), worst, assume_unique=True)
    drawn = rest[np.argsort(keys[rest], kind="stable")][: limit // 2]
    return Chosen(np.sort(np.concatenate([worst, drawn])), by.title, len(worst), len(drawn), everything=False)


def badness(by: Asked, found: Aligned) -> FloatArray:
    """Say how bad each sample is in the last run, (n,): failed is the worst, no score for another reason the best."""
    name = by.names[-1]
    column = by.runs[-1].result.columns[name or ""]
    scores, status = column.scores[found.places[-1]], column.status[found.places[-1]]
    signed = scores if by.direction == "lower" else -scores
    return np.where(status == Status.FAILED, np.inf, np.where(np.isnan(scores), -np.inf, signed))


def _ordering(asked: Sequence[Asked], metric: str | None) -> Asked:
    there = [one for one in asked if one.names[-1] is not None]
    if metric is None:
        return there[0]
    result = there[0].runs[-1].result
    try:
        name = result.name(metric)
    except UnknownNameError:
        raise
    except UsageError:
        raise UnknownNameError.of("metric of this run:", metric, result.metrics) from None
    return next(one for one in there if one.names[-1] == name)


_READ = ("id", "contexts", "reference_contexts", "retrieved", "retrieved_scores", "relevance")

Passage = dict[str, Any]


def passages(run: Run, samples: pa.Table) -> list[list[Passage]]:
    """Return the passages of m samples of a run, m lists.

    ``relevant`` is judged as the run's own retrieval metrics do: by the grade of an id, else by the matcher of texts.
    """
    table = samples.select([name for name in _READ if name in samples.column_names])
    judge = _judge(run)
    matched = _matched(table, judge)
    return [list(_ranked(row, flags, judge.level)) for row, flags in zip(table.to_pylist(), matched, strict=True)]


def _judge(run: Run) -> Precision:
    """Take level and matcher of the run's first retrieval metric that has them."""
    for name in run.result.metrics:
        metric: Any = metric_of(run, name)
        if hasattr(metric, "level") and hasattr(metric, "matcher"):
            return Precision(level=metric.level, matcher=metric.matcher)
    return Precision()


def _matched(table: pa.Table, judge: Precision) -> Iterator[list[bool]] | Sequence[list[bool]]:
    """Say which texts match a reference passage, by sample; nothing where ids are judged or there is no reference."""
    names = set(table.column_names)
    if {"retrieved", "relevance"} <= names or not {"contexts", "reference_contexts"} <= names or not len(table):
        return [[] for _ in range(len(table))]
    found = judge.views(Batch(table)).relevant.of
    flags = (found.grades >= judge.level).tolist()
    offsets = found.ranks.offsets.tolist()
    return (flags[start:end] for start, end in pairwise(offsets))


def _ranked(row: Mapping[str, Any], matched: Sequence[bool], level: float) -> Iterator[Passage]:
    """Yield the passages of one sample."""
    texts, ids = row.get("contexts") or [], row.get("retrieved") or []
    if not ids:
        judged = row.get("reference_contexts") is not None and len(matched) == len(texts)
        for place, text in enumerate(texts):
            yield {"text": text, "relevant": matched[place] if judged else None}
        return
    grades = {item["id"]: item["grade"] for item in row.get("relevance") or ()}
    scores = row.get("retrieved_scores") or []
    paired = len(texts) == len(ids)
    for place in _order(ids, scores):
        grade = grades.get(ids[place])
        yield {
            "id": ids[place],
            **({"text": texts[place]} if paired else {}),
            **({"score": scores[place] if isfinite(scores[place]) else str(scores[place])} if scores else {}),
            **({"grade": grade, "relevant": grade >= level} if grade is not None else {"relevant": None}),
        }
    for text in [] if paired else texts:
        yield {"text": text, "relevant": None}


def _order(ids: Sequence[str], scores: Sequence[float]) -> list[int]:
    """Return the places by falling score, of equal ones the greater id first, as trec_eval; without scores as given."""
    if len(scores) != len(ids):
        return list(range(len(ids)))
    by_id = sorted(range(len(ids)), key=lambda place: ids[place].encode(), reverse=True)
    return sorted(by_id, key=lambda place: -scores[place])


Json = dict[str, Any]


def encoded(payload: Json) -> str:
    """Return ``payload`` as base64 of gzip of JSON, the same at every call."""
    text = json.dumps(payload, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return b64encode(gzip.compress(text.encode(), compresslevel=6, mtime=0)).decode("ascii")


def payload(runs: Sequence[Run], asked: Sequence[Asked], found: Aligned, chosen: Chosen) -> Json:
    """Return what the page holds of the ``chosen`` samples; lists have one entry for each."""
    import pyarrow as pa

    rows = [places[chosen.rows] for places in found.places]
    ids = found.ids.take(pa.array(chosen.rows))
    held: dict[str, int] = {}
    columns = Columns(runs, [samples_at(run, where) for run, where in zip(runs, rows, strict=True)])
    count = len(chosen.rows)
    by_run = [
        {**_of_run(run, place, asked, where, columns, held), "evidence": _evidence(run, place, asked, ids, where)}
        for place, (run, where) in enumerate(zip(runs, rows, strict=True))
    ]
    return {
        "runs": [run.name for run in runs],
        "metrics": [_metric(one) for one in asked],
        "total": len(found),
        "shown": count,
        "chosen": None if chosen.everything else _chosen(chosen),
        "ids": ids.to_pylist(),
        "questions": columns.shared("question") or [None] * count,
        "languages": columns.shared("language"),
        "references": [given or [] for given in columns.shared("references") or [None] * count],
        "reference_contexts": _lists(columns.shared("reference_contexts")),
        "relevance": _lists(columns.shared("relevance")),
        "columns": columns.others(),
        "passages": list(held),
        "by_run": by_run,
    }


def _metric(one: Asked) -> Json:
    ends = [end if isfinite(end) else None for end in one.range]
    return {"name": one.title, "stage": one.stage, "direction": one.direction, "range": ends}


def _chosen(chosen: Chosen) -> Json:
    return {"worst": chosen.worst, "drawn": chosen.drawn, "by": chosen.by, "seed": SEED}


def _lists(column: list[Any] | None) -> list[Any] | None:
    return None if column is None else [given or [] for given in column]


def _of_run(
    run: Run, place: int, asked: Sequence[Asked], rows: IntArray, columns: Columns, held: dict[str, int]
) -> Json:
    answers, failure = columns.of(place, "answer"), columns.of(place, FAILURE)
    return {
        "answers": [None] * len(rows) if answers is None else answers.to_pylist(),
        "contexts": [[_once(one, held) for one in found] for found in passages(run, columns.tables[place])],
        "scores": {one.title: _scores(one, place, rows) for one in asked},
        "status": {one.title: _status(one, place, rows) for one in asked},
        "reasons": {one.title: _reasons(one, place, rows) for one in asked},
        "parts": {one.title: _parts(one, place, rows) for one in asked},
        "failure": None if failure is None else [str(why) if why else None for why in failure.to_pylist()],
    }


def _once(passage: Json, held: dict[str, int]) -> Json:
    """Put the text of a passage among those ``held``, unless it is there, and name its place."""
    if "text" not in passage:
        return passage
    text = passage.pop("text")
    return {"passage": held.setdefault(text, len(held)), **passage}


def _scores(one: Asked, place: int, rows: IntArray) -> list[float | None]:
    scores = one.scores(place)
    return [None] * len(rows) if scores is None else numbers(scores[rows])


def _status(one: Asked, place: int, rows: IntArray) -> list[int]:
    name = one.names[place]
    if name is None:
        return [int(Status.MISSING)] * len(rows)
    states: list[int] = one.runs[place].result.columns[name].status[rows].tolist()
    return states


def _reasons(one: Asked, place: int, rows: IntArray) -> dict[str, str]:
    name = one.names[place]
    known = {} if name is None else one.runs[place].result.columns[name].reasons
    return {str(row): known[sample] for row, sample in enumerate(rows.tolist()) if sample in known} if known else {}


def _parts(one: Asked, place: int, rows: IntArray) -> dict[str, list[float | None]]:
    name = one.names[place]
    if name is None:
        return {}
    return {part: numbers(given[rows]) for part, given in one.runs[place].result.columns[name].parts.items()}


def _evidence(run: Run, place: int, asked: Sequence[Asked], ids: Any, rows: IntArray) -> Json:
    titles = {one.names[place]: one.title for one in asked}
    return {titles[name]: pieces for name, pieces in evidence(run, ids, rows).items() if name in titles}
