"""The samples of a saved run as data to score again, and what the run says in place of arguments that were left out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

import pyarrow as pa

from ragauge.core.batch import Dataset
from ragauge.errors import DataError
from ragauge.evaluation.kept_metrics import metrics_of_run
from ragauge.evaluation.languages import left_open
from ragauge.evaluation.request import RunRequest
from ragauge.results.kept_run import kept_run
from ragauge.results.result import Result

Read: TypeAlias = Callable[..., Dataset]
"""Reads data as `ragauge.formats.read` does, with the same arguments."""
_OPTIONS = {"cluster": "cluster", "ci": "level", "interval": "interval", "resamples": "resamples", "seed": "seed"}
"""Argument of a run -> its name among the options of a result."""


def on_kept_run(request: RunRequest) -> RunRequest:
    """Return a request with the saved run that its data name; any other request as it is.

    Metrics, groups, cluster, language and intervals that the request leaves at their defaults are those of the run.

    Raises:
        DataError: the run is damaged.
        UnknownNameError: no metric is named, and one of the run cannot be built here, as that of a function.
        UsageError: the judge is another than that which judged samples of a run that is resumed.
    """
    run = kept_run(request.data) if request.run is None else None
    if run is None:
        return request
    own: dict[str, Any] = {argument: run.options[option] for argument, option in _OPTIONS.items()}
    own["by"] = tuple(run.options["by"])
    if request.preset is None and request.metrics is None:
        judge = request.shared.get("judge")
        own["metrics"] = metrics_of_run(run, judge, resume=bool(request.resume))
    used = {name: value for name, value in own.items() if getattr(request, name) == getattr(RunRequest, name)}
    known, lang = replace(request, data=run, **used), run.options.get("lang")
    metrics = known.requested_metrics
    if lang is None or request.lang is not None or not (metrics is None or left_open(metrics)):
        return known
    return replace(known, lang=lang)


def read_samples(source: object, read: Read, **reading: Any) -> Dataset:
    """Return samples as ``read`` does; those of a saved run have the columns that it knew them by.

    Raises:
        DataError: the data are wrong, or the run is damaged or kept no samples.
        ColumnError: ``mapping`` names a column that the data do not have.
    """
    run = kept_run(source)
    if run is None:
        return read(source, **reading)
    tables = [batch.table() for batch in run.data.batches()]
    if sum(map(len, tables)) < run.samples or not tables:
        raise DataError(
            "RG-EVAL-027 {source}: the run has scores and no samples; name the data that it scored", run.data.source
        )
    table = pa.concat_tables(tables, promote_options="permissive")
    data = read(table, **{**reading, "mapping": _mapping(run, table.column_names, reading["mapping"] or {})})
    notes = tuple(dict.fromkeys((*run.data.notes, *data.notes)))
    return replace(data, source=run.data.source, mapping={**run.data.mapping, **data.mapping}, notes=notes)


def _mapping(run: Result, columns: list[str], asked: Mapping[str, str]) -> dict[str, str]:
    """Return a mapping that keeps the ``columns`` as the run knew them, but for those that are ``asked`` for.

    A pair that made a column when the run was scored has been obeyed: its name in the source is gone.
    """
    new = {
        known: name for known, name in asked.items() if name in columns or run.data.mapping.get(known, known) != name
    }
    return {**{name: name for name in columns if name not in new and name not in new.values()}, **new}
