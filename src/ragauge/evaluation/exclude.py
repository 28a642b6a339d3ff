"""Leaving samples out of a saved run afterwards: recorded in the run, shown in each table, and undone at any time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, TypeAlias

from ragauge.core.messages import Argument, Message, Spelled
from ragauge.core.options import checked_value
from ragauge.core.sample import ColumnNames
from ragauge.display.numbers import first_of
from ragauge.errors import DataError, OptionError, UsageError, did_you_mean
from ragauge.evaluation.evaluator import Evaluator
from ragauge.evaluation.summarize import Inference
from ragauge.results.commit import user_name
from ragauge.results.fingerprint import OUTPUT, TASK, fingerprint
from ragauge.results.left_out import LeftOut, left_out_of, manifest_without, sample_in_row, whole_manifest
from ragauge.results.replacing import replacing
from ragauge.results.result import Result, load, result_of
from ragauge.results.schema import manifest_bytes
from ragauge.results.storage import MANIFEST, SavedRun, read_manifest, read_run


def _numbers(rows: int | Iterable[int]) -> tuple[int, ...]:
    numbers = (rows,) if isinstance(rows, int) else tuple(rows)
    if not all(isinstance(one, int) and not isinstance(one, bool) and one > 0 for one in numbers):
        raise ValueError(numbers)
    return numbers


_Rows: TypeAlias = Annotated[tuple[int, ...], _numbers, "rows of the data, whole numbers from 1"]
_NAMED = Argument("ids", "ID"), Argument("rows", "N")


def exclude(
    directory: str | Path,
    ids: str | Iterable[str] = (),
    *,
    rows: int | Iterable[int] = (),
    why: str = "",
    who: str | None = None,
    undo: bool = False,
) -> Result:
    """Leave samples out of a saved run, whose tables are then computed without them, and say so.

    The run records who left them out, when and why. Nothing is removed from it, and nothing is scored again: the sums
    of the other samples give their scores and intervals.

    Args:
        directory: the saved run.
        ids: the id of a sample, or several.
        rows: their rows in the data, from 1, where they have no ids of their own.
        why: the reason, which each table shows.
        who: by default ``user.name`` of git, else the name of the user in the system.
        undo: take samples back that were left out; then ``why`` is not needed.

    Returns:
        The run as it is now.

    Raises:
        DataError: the directory is not a saved run, or is damaged; or a metric of it has another revision here.
        UnknownNameError: a metric of it cannot be built here, as that of a function.
        UsageError: the run holds no such sample, it is left out already, no other would be left, or there is no reason.

    >>> import ragauge, tempfile
    >>> rows = [{"id": name, "answer": name, "references": ["茶"]} for name in ("茶", "酒", "水")]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ragauge.evaluate(rows, "exact-match", resamples=0).save(f"{folder}/run")
    ...     without = exclude(f"{folder}/run", "酒", why="of another customer", who="Ann")
    ...     again = exclude(f"{folder}/run", "酒", undo=True)
    >>> without["exact-match"].value, without["exact-match"].total, again["exact-match"].total
    (0.5, 2, 3)
    """
    names = checked_value("exclude", "ids", ids, ColumnNames)
    if not undo and not (isinstance(why, str) and why.strip()):
        raise OptionError.value("exclude", "why", "the reason, as in 'the passage is of another customer'", why)
    folder = Path(directory)
    read_manifest(folder)
    # The manifest is read where no other process can change it meanwhile.
    with replacing(folder / MANIFEST) as new:
        manifest, samples, columns, evidence = read_run(folder)
        names = (*names, *[sample_in_row(samples, row) for row in checked_value("exclude", "rows", rows, _Rows)])
        if not names:
            raise UsageError("RG-EVAL-033 name the samples, by {ids} or {rows}", *_NAMED)
        before = left_out_of(manifest)
        now = _without(before, names, folder) if undo else _with(before, names, why.strip(), who or user_name(folder))
        whole = whole_manifest(manifest)
        _check_ids(result_of((whole, samples, columns, evidence)), now)
        new.write_bytes(manifest_bytes(_scored_without((whole, samples, columns, evidence), now) if now else whole))
    return load(folder)


def _with(before: Sequence[LeftOut], names: Iterable[str], why: str, who: str) -> list[LeftOut]:
    for one in before:
        if one.id in names:
            raise UsageError(
                "RG-EVAL-028 {sample!r} is left out already: {why}, by {who}. To change that, take it back first, "
                "with {undo}.",
                one.id,
                one.why,
                one.who,
                Argument("undo", value=True),
            )
    when = datetime.now(UTC).isoformat(timespec="seconds")
    return [*before, *(LeftOut(name, why, who, when) for name in dict.fromkeys(names))]


def _without(before: Sequence[LeftOut], names: Sequence[str], folder: Path) -> list[LeftOut]:
    there = [one.id for one in before]
    for name in names:
        if name not in there:
            shown = first_of(there) if there else Message("none")
            template = "RG-EVAL-029 {sample!r} is not left out of {run}; left out: {ids}"
            raise UsageError(template, name, folder, shown)
    return [one for one in before if one.id not in names]


def _check_ids(run: Result, left_out: Sequence[LeftOut]) -> None:
    """Raise UsageError where a run holds no such sample, or no other one."""
    ids = run.sample_ids().to_pylist()
    for one in left_out:
        if one.id not in ids:
            hint = did_you_mean(one.id, ids, otherwise="") or Message("; its ids are {ids}", first_of(ids))
            raise UsageError("RG-RUN-005 the run holds no sample {sample!r}{hint}", one.id, hint)
    if len(left_out) == len(ids):
        raise UsageError("RG-EVAL-030 without {ids} no sample would be left in the run; leave out fewer", first_of(ids))


def _scored_without(saved: SavedRun, left_out: Sequence[LeftOut]) -> dict[str, Any]:
    """Return the manifest of a whole run with the scores of the samples that remain, from the sums that it kept."""
    whole, *tables = saved
    entries = [asdict(one) for one in left_out]
    run = result_of(({**whole, "run": {**whole["run"], "left_out": entries}}, *tables))
    metrics = {name: run.metric(name) for name in run.metrics}
    for name, metric in metrics.items():
        if f"|revision={metric.revision}|" not in run[name].signature:
            raise DataError(
                "RG-EVAL-031 {metric} was computed by another revision, which this version of ragauge does not have; "
                "score the run again first: {call}",
                name,
                Spelled("ragauge.evaluate(run)", "ragauge score RUN"),
            )
        if hasattr(metric, "for_columns"):
            metrics[name] = metric.for_columns(run.data.columns)
    inference = Inference(**{field.name: run.options[field.name] for field in fields(Inference)})
    evaluator = Evaluator(metrics, tuple(run.options["by"]), run.options["cluster"], inference)
    signatures = {name: run[name].signature for name in metrics}
    result = evaluator.of_scores(run.data, run.columns, signatures=signatures)
    described = {
        "samples": run.samples,
        "task": fingerprint(run.data, TASK),
        "output": fingerprint(run.data, OUTPUT),
    }
    return manifest_without(whole, left_out, [score.to_dict() for score in result.table], described)
