"""What the page's script shows of each sample, columnar: see the files of ``assets/explorer`` for who reads it."""

from __future__ import annotations

import gzip
import json
from base64 import b64encode
from collections.abc import Sequence
from math import isfinite
from typing import Any

from ragauge.measuring import FAILURE
from ragauge.ragged import IntArray
from ragauge.reporting.alignment import Aligned
from ragauge.reporting.asked import Asked
from ragauge.reporting.choosing import SEED, Chosen
from ragauge.reporting.columns import Columns, samples_at
from ragauge.reporting.evidence import evidence
from ragauge.reporting.passages import passages
from ragauge.reporting.plain import numbers
from ragauge.reporting.run import Run
from ragauge.statistics import Status

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
