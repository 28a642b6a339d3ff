"""A run on disk: a manifest, the samples, their scores, and the evidence if there is any.

``samples.parquet`` holds the columns of the data alone and ``scores.parquet`` one column per metric, row by row beside
it, so that no name of a column can be taken for a score.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from math import inf
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa

from ragauge._version import __version__
from ragauge.core import compute as pc
from ragauge.core.arrow import to_arrow, to_numpy
from ragauge.core.batch import Dataset
from ragauge.core.loading import checking_code, refuse_code
from ragauge.core.messages import Argument, Message, Spelled
from ragauge.core.options import check_path
from ragauge.core.protocol import Metric
from ragauge.core.ragged import FloatArray
from ragauge.core.statistics import Status
from ragauge.errors import DataError, RagaugeError, UsageError, did_you_mean, worded
from ragauge.metrics.parse import parse
from ragauge.results.evidence import StoredEvidence, version_of
from ragauge.results.replacing import check_place, kept, regular_file, replacing
from ragauge.results.schema import (
    EVIDENCE,
    SAMPLES,
    SCORES,
    damaged,
    digest,
    manifest_bytes,
    manifest_problems,
    open_table,
    readable,
    write_tables,
)
from ragauge.results.score import SampleScores


@dataclass(frozen=True)
class UnknownMetric:
    """A metric of a saved run that cannot be built here, such as that of a function: its spec, without its code."""

    spec: str
    range: tuple[float, float] = (-inf, inf)

    def __str__(self) -> str:
        return self.spec


def metric_of(spec: str) -> Metric | UnknownMetric:
    """Return the metric of a saved run that ``spec`` names; no code is run for it, because the run may be another's."""
    try:
        with checking_code(refuse_code):
            return parse(spec)
    except RagaugeError:
        return UnknownMetric(spec)


FORMAT = 2
"""Version of the layout; raised whenever it changes."""

MANIFEST = "manifest.json"
_MOST_NAMED = 5
"""Runs that an error names."""
_STATES = [status.name.lower() for status in Status]
_ROWS = 1 << 16
"""Rows of scores that are written at a time."""
_ATTEMPTS = 5
"""Times that a run is read again where another process replaced it meanwhile."""


def write_run(
    directory: Path,
    described: Mapping[str, Any],
    data: Dataset,
    columns: Mapping[str, SampleScores],
    evidence: StoredEvidence | None,
    *,
    force: bool,
) -> None:
    """Write a run beside ``directory`` and rename it, so that a run is there whole or not at all.

    ``described`` is what the manifest holds beside format, version and time: ``metrics`` (name -> spec) under ``run``.
    UsageError where the directory exists without ``force``, or cannot be written.
    """
    with replacing(directory, partial(check_free, directory, force=force)) as folder:
        folder.mkdir()
        write_tables((batch.table() for batch in data.batches()), folder / SAMPLES)
        write_tables(score_tables_of(columns, data.rows), folder / SCORES)
        if evidence is not None:
            evidence.write(folder / EVIDENCE)
        # Runs of one script follow each other within a second, and ragauge history puts them in their order.
        created = datetime.now(UTC).isoformat(timespec="microseconds")
        files = {path.name: digest(path) for path in sorted(folder.iterdir())}
        run = {"format": FORMAT, "ragauge": __version__, "created": created, **described["run"], "files": files}
        (folder / MANIFEST).write_bytes(manifest_bytes({**described, "run": run}))


SavedRun: TypeAlias = tuple[dict[str, Any], pa.Table, dict[str, SampleScores], StoredEvidence | None]
"""The manifest, data, scores and evidence of a run."""


def read_run(directory: str | Path) -> SavedRun:
    """Read the manifest, data, results and evidence of a saved run; DataError for no run, another format, or damage."""
    check_path("load", "directory", "the directory of a saved run", directory)
    folder = Path(directory)
    for _ in range(_ATTEMPTS):
        manifest = read_manifest(folder)
        try:
            return manifest, *_read_tables(folder, manifest)
        except DataError:
            # Another process has replaced the run meanwhile.
            if manifest == read_manifest(folder):
                raise
    raise DataError("RG-RUN-010 {directory} is replaced all the time; wait for the processes that write it", directory)


def _read_tables(
    folder: Path, manifest: Mapping[str, Any]
) -> tuple[pa.Table, dict[str, SampleScores], StoredEvidence | None]:
    samples = _read_table(folder / SAMPLES, manifest).select(manifest["data"]["columns"])
    scores = _read_table(folder / SCORES, manifest)
    with readable(folder / SCORES):
        columns = {name: sample_scores_of(scores.column(name)) for name in manifest["run"]["metrics"]}
    if EVIDENCE not in manifest["run"]["files"]:
        return samples, columns, None
    evidence = folder / EVIDENCE
    version = version_of(evidence.stat()) if evidence.exists() else None
    open_table(evidence, manifest)
    return samples, columns, StoredEvidence(evidence.absolute(), version)


def _read_table(path: Path, manifest: Mapping[str, Any]) -> pa.Table:
    file = open_table(path, manifest)
    with readable(path):
        table = file.read()
        table.validate(full=True)
    return table


def read_manifest(directory: Path) -> dict[str, Any]:
    """Read ``manifest.json`` of a saved run, or raise the error of `read_run`."""
    try:
        text = regular_file(directory / MANIFEST).read_text(encoding="utf-8")
        manifest: dict[str, Any] = json.loads(text)
        written, version = manifest["run"]["format"], manifest["run"]["ragauge"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise _no_run(directory, missing=isinstance(error, FileNotFoundError)) from None
    if isinstance(written, bool) or not isinstance(written, int):
        problem = Message("{place} must be {allowed}; got {got}", "run.format", worded("a whole number"), repr(written))
        raise damaged(directory / MANIFEST, [problem])
    if written != FORMAT:
        newer = Message("which is newer than {own}; install that version", __version__)
        older = Message("whose runs have another format; score the data again with ragauge {own}", __version__)
        raise DataError(
            "RG-RUN-012 {directory} was written by ragauge {version}, {what}",
            directory,
            version,
            newer if written > FORMAT else older,
        )
    problems = manifest_problems(manifest)
    if problems:
        raise damaged(directory / MANIFEST, problems)
    return manifest


def _no_run(directory: Path, *, missing: bool) -> DataError:
    """Return the error of a folder whose manifest is missing or cannot be read."""
    if (directory / SCORES).is_file():
        problem = Message("the file is missing") if missing else Message("its content is not what was saved")
        return damaged(directory / MANIFEST, [problem])
    old = kept(directory)
    if old is not None:
        return DataError(
            "RG-RUN-013 {directory} was being replaced by a process that was killed; the run is kept as {old}; "
            "rename that folder to {directory}",
            directory,
            old,
        )
    return DataError(
        "RG-RUN-011 {directory} is not a saved run; give a directory that {call} wrote{near}",
        directory,
        Spelled("Result.save", "ragauge score -o"),
        _near(directory),
    )


def check_free(directory: Path, *, force: bool) -> None:
    """Raise UsageError where ``directory`` cannot be made, or exists and must not be replaced."""
    if directory.exists() and not force:
        raise UsageError(
            "RG-RUN-014 {directory} already exists. Name another directory, or pass {force} to replace it.",
            directory,
            Argument("force", value=True),
        )
    check_place(directory)
    if directory.exists():
        names = {path.name for path in directory.iterdir()} if directory.is_dir() else {directory.name}
        foreign = sorted(names - {MANIFEST, SAMPLES, SCORES, EVIDENCE})
        if foreign:
            raise UsageError(
                "RG-RUN-015 {directory} is not only a saved run (it has {other}), so {force} does not replace it",
                directory,
                foreign[0],
                Argument("force", value=True),
            )


def _near(directory: Path) -> str:
    """Return how a file becomes a run, or which run in ``directory`` or beside it may be meant, or all beside it."""
    if directory.is_file():
        return f": ragauge score {directory} -o runs/today"
    within = _runs_in(directory)
    if within:
        return Message("; it is a folder of runs: {names}", ", ".join(within[:_MOST_NAMED]))
    beside = _runs_in(directory.parent) or _runs_in(directory.parent / "runs")
    return did_you_mean(str(directory), beside, otherwise="") or did_you_mean("", beside[:_MOST_NAMED])


def _runs_in(folder: Path) -> list[str]:
    try:
        return sorted(str(one) for one in folder.iterdir() if (one / MANIFEST).is_file())
    except OSError:
        return []


def score_tables_of(columns: Mapping[str, SampleScores], samples: int) -> Iterator[pa.Table]:
    """Yield the results of ``samples`` samples, some rows at a time: for each metric a column of structs."""
    for start in range(0, max(samples, 1), _ROWS):
        structs = [_struct(column, slice(start, start + _ROWS)) for column in columns.values()]
        yield pa.Table.from_arrays(structs, names=list(columns))


def _struct(column: SampleScores, rows: slice) -> pa.StructArray:
    """Return score, status, reason, parts and statistics of some samples under one metric."""
    count = len(column.scores[rows])
    reasons = [column.reasons.get(place) for place in range(rows.start, rows.start + count)] if column.reasons else []
    fields = {
        "score": _nullable(column.scores[rows]),
        "status": to_arrow(_STATES).take(to_arrow(column.status[rows])),
        "defaulted": to_arrow(column.defaulted[rows]),
        "reason": to_arrow(reasons, pa.string()) if reasons else pa.nulls(count, pa.string()),
    }
    if column.parts:
        parts = [_nullable(part[rows]) for part in column.parts.values()]
        fields["parts"] = pa.StructArray.from_arrays(parts, names=list(column.parts))
    sums = [to_arrow(numbers[rows]) for numbers in column.statistics.values()]
    fields["statistics"] = pa.StructArray.from_arrays(sums, names=list(column.statistics))
    return pa.StructArray.from_arrays(list(fields.values()), names=list(fields))


def _nullable(numbers: FloatArray) -> pa.Array:
    return to_arrow(numbers, mask=np.isnan(numbers))


def sample_scores_of(struct: pa.ChunkedArray) -> SampleScores:
    """Return the results under one metric from its column of `score_tables_of`; ValueError for a damaged one."""
    fields = _unpacked(struct)
    states = pc.index_in(fields["status"], to_arrow(_STATES))
    nulls = [name for name in ("status", "defaulted", "statistics") if fields[name].null_count]
    if states.null_count or nulls:
        raise ValueError(f"a null where a value must be, in {nulls[0]}" if nulls else "an unknown status")
    return SampleScores(
        to_numpy(fields["score"]),
        to_numpy(states).astype(np.uint8),
        to_numpy(fields["defaulted"]),
        {name: to_numpy(part) for name, part in _unpacked(fields["parts"]).items()} if "parts" in fields else {},
        {name: to_numpy(numbers) for name, numbers in _unpacked(fields["statistics"]).items()},
        _reasons(fields["reason"]),
    )


def _reasons(reasons: pa.ChunkedArray) -> dict[int, str]:
    """Return the reasons by their place; most runs have none."""
    if reasons.null_count == len(reasons):
        return {}
    return {place: reason for place, reason in enumerate(reasons.to_pylist()) if reason is not None}


def _unpacked(struct: pa.ChunkedArray) -> dict[str, pa.ChunkedArray]:
    return dict(zip([field.name for field in struct.type], struct.flatten(), strict=True))
