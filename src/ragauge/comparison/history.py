"""The call that shows each metric over saved runs, and which run moved it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

from ragauge.comparison.compare import compare, listed
from ragauge.comparison.pairing import headline
from ragauge.comparison.past_runs import Change, History, PastRun
from ragauge.comparison.primary import check_few, primary_metrics
from ragauge.core.messages import Argument, Counted, Joined, Message, is_of
from ragauge.core.options import check_path, checked_value
from ragauge.errors import ColumnError, DataError, OptionError, UsageError, did_you_mean
from ragauge.metrics.other_names import in_our_words, unknown_metric
from ragauge.results.left_out import left_out_in, note_on_left_out
from ragauge.results.result import Result, load
from ragauge.results.score import Score
from ragauge.results.storage import MANIFEST, read_manifest

By: TypeAlias = Literal["date", "tag", "commit"]
"""What a row stands for: each run, or the last run of each tag or commit."""


def history(
    *directories: str | Path,
    metrics: str | Iterable[str] = (),
    by: By = "date",
    baseline: str | Path | None = None,
    cluster: str | None = None,
    on: str = "id",
    primary: str | Iterable[str] = (),
    **options: Any,
) -> History:
    """Return each metric over saved runs, in the order of their time, with the change that each run brought.

    A run is compared with the last one before it that has the metric, and the last run with the first one, on the
    samples that both have scored: by paired tests and intervals, as `compare` does. Runs whose metrics were computed
    otherwise, or on other questions, are shown, and their change is not.

    Args:
        directories: saved runs, and folders that hold some at any depth.
        metrics: the metrics to show; by default all.
        by: ``date``: every run; ``tag`` or ``commit``: the last run of each, without those that have none.
        baseline: the folder, name or tag of one of the runs, which all others are compared with.
        cluster: the column of samples that belong together; by default that of the earlier run.
        on: the column to pair samples by, where their ids differ.
        primary: the metrics that are corrected together, apart from the others; by default as `compare` takes them.
        options: those of `compare`: test, correction, interval, level, alpha, trials, resamples, seed.

    Raises:
        UsageError: no directory is given, no run has one of ``metrics`` or ``primary``, or an option is wrong.
        ColumnError: no run has the column ``on`` or ``cluster``.
        DataError: there is no saved run in ``directories``, or the column ``on`` pairs no samples of any two runs.

    >>> import ragauge, tempfile
    >>> rows = [{"id": f"q{i}", "relevance": {"a": 1}} for i in range(12)]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for tag, ranking in (("bm25", ["b", "a"]), ("reranked", ["a", "b"])):
    ...         run = ragauge.evaluate([row | {"retrieved": ranking} for row in rows], "mrr", resamples=0)
    ...         run.save(f"{folder}/{tag}", tag=tag)
    ...     [change] = history(folder).moved()
    >>> change.base, change.run, change.difference.difference, change.difference.outcome
    ('bm25', 'reranked', 0.5, 'better')
    """
    checked_value("history", "by", by, By)
    runs, notes = _runs(directories)
    runs, left_out = _last_of_each(runs, by)
    requested = (metrics,) if isinstance(metrics, str) else tuple(metrics)
    there = dict.fromkeys(metric for run in runs for metric in run.scores)
    named = [_named(metric, there) for metric in requested]
    chosen = [_with_metrics(run, named) for run in runs] if requested else runs
    chosen = [run for run in chosen if run.scores]
    wanted = [_named(str(metric), there) for metric in listed("history", "primary", primary)]
    check_few(wanted)
    base = None if baseline is None else _baseline(chosen, baseline)
    damaged: dict[str, str] = {}
    pairs = _Pairs({"cluster": cluster, "on": on, **options}, wanted, all_named=bool(requested))
    changes, overall = _changes(chosen, base, pairs, damaged)
    chosen = [run for run in chosen if run.name not in damaged]
    if not chosen:
        raise DataError(next(iter(damaged.values())))
    left_out += [Message("RG-CMP-017 left out: {why}", why) for why in damaged.values()]
    _check_paired(changes, on)
    level = float(options.get("level", 0.95))
    return History(tuple(chosen), changes, (*notes, *left_out), level, overall, None if base is None else base.name)


def _baseline(runs: Sequence[PastRun], baseline: str | Path) -> PastRun:
    """Return the run that ``baseline`` names: by its folder, else by its name, else the last one of that tag."""
    check_path("history", "baseline", "a saved run", baseline)
    name, path = str(baseline), Path(baseline).resolve()
    ways = (
        [run.path.resolve() == path for run in runs],
        [run.name == name for run in runs],
        [run.tag == name for run in runs],
    )
    for way in ways:
        if any(way):
            return [run for run, named in zip(runs, way, strict=True) if named][-1]
    names = ", ".join(map(repr, [run.name for run in runs]))
    raise OptionError.value("history", "baseline", Message(_BASELINE, names), name)


_BASELINE = "one of these runs, or its folder or tag: {runs}"


def _named(metric: str, there: Collection[str]) -> str:
    """Return the name that the runs have for ``metric``, which may be named as another library does."""
    name = next((name for name in (metric, in_our_words(str(metric))) if name in there), None)
    if name is None:
        raise unknown_metric("of these runs", str(metric), there)
    return name


def _runs(directories: Sequence[str | Path]) -> tuple[list[PastRun], list[str]]:
    """Return the runs in and below ``directories`` by time, and a note on each folder that cannot be read."""
    paths: dict[Path, None] = {}
    for directory in directories:
        check_path("history", "directories", "directories of saved runs", directory)
        below = sorted(Path(directory).rglob(MANIFEST)) if Path(directory).is_dir() else []
        # Folders that are being written have a name that begins with a dot.
        paths |= dict.fromkeys(one.parent for one in below if not one.parent.name.startswith("."))
    manifests: dict[Path, Any] = {}
    notes: list[str] = []
    for path in paths:
        try:
            manifests[path] = read_manifest(path)
        except DataError as error:
            notes.append(Message("RG-CMP-017 left out: {why}", _one_line(error)))
    if not manifests:
        why = Message(" ({note})", notes[0]) if notes else ""
        shown = ", ".join(map(str, directories)) or "no directory"
        kind = DataError if directories else UsageError
        template = "RG-CMP-010 there is no saved run in {shown}{why}; ragauge score -o runs/today saves one"
        raise kind(Message(template, shown, why))
    names = _names(list(manifests))
    for path, manifest in manifests.items():
        notes += left_out_in(note_on_left_out(manifest), names[path])
    runs = [_past_run(path, names[path], manifest) for path, manifest in manifests.items()]
    return sorted(runs, key=lambda run: (run.created, run.name)), notes


def _one_line(error: DataError) -> str:
    """Return the message of an error, whose lines are the problems of a file, in one line."""
    message = error.message
    return Joined(message.parts[0], "; ") if isinstance(message, Joined) else "; ".join(message.splitlines())


def _past_run(path: Path, name: str, manifest: Mapping[str, Any]) -> PastRun:
    run = manifest["run"]
    scores = {one["metric"]: Score.from_dict(one) for one in manifest["metrics"] if one["group"] is None}
    samples = manifest["data"]["samples"]
    made_of = {key: run.get(key) for key in ("tag", "commit")}
    return PastRun(path=path, name=name, created=run["created"], samples=samples, scores=scores, **made_of)


def _names(paths: Sequence[Path]) -> dict[Path, str]:
    """Return the name of each folder below the one that all share."""
    whole = [path.resolve() for path in paths]
    shared = 0
    while all(len(one.parts) > shared + 1 and one.parts[shared] == whole[0].parts[shared] for one in whole):
        shared += 1
    return {path: "/".join(one.parts[shared:]) for path, one in zip(paths, whole, strict=True)}


def _last_of_each(runs: list[PastRun], by: By) -> tuple[list[PastRun], list[str]]:
    if by == "date":
        return runs, []
    last = {getattr(run, by): run for run in runs}
    without = sum(getattr(run, by) is None for run in runs)
    if without == len(runs):
        hint = (
            Message("; ragauge score --tag keeps one")
            if by == "tag"
            else Message("; runs that are scored in a repository have one")
        )
        raise UsageError("RG-CMP-002 no run has a {by}{hint}", by, hint)
    kept = [run for run in runs if last[getattr(run, by)] is run and getattr(run, by) is not None]
    earlier = len(runs) - without - len(kept)
    counts = ((without, f"without a {by}"), (earlier, f"that a later one of the same {by} replaces"))
    template = "RG-CMP-018 left out: {runs} {which}"
    return kept, [Message(template, Counted(count, "run"), Message(which)) for count, which in counts if count]


def _with_metrics(run: PastRun, metrics: Sequence[str]) -> PastRun:
    scores = {metric: score for metric, score in run.scores.items() if metric in metrics}
    known = {name: getattr(run, name) for name in ("path", "name", "created", "tag", "commit", "samples")}
    return PastRun(scores=scores, **known)


_Read: TypeAlias = tuple[PastRun, Result]


def _changes(
    runs: Sequence[PastRun], baseline: PastRun | None, pairs: _Pairs, damaged: dict[str, str]
) -> tuple[tuple[Change, ...], tuple[Change, ...]]:
    """Return the change of each run under each metric, and that of the last run against the first or the baseline.

    Only runs that still have to be compared are in memory. Runs that cannot be read are passed over, and why is put
    into ``damaged``, by their names.
    """
    changes: list[Change] = []
    first: dict[str, _Read] = (
        {} if baseline is None else dict.fromkeys(baseline.scores, (baseline, load(baseline.path)))
    )
    last: dict[str, _Read] = {}
    columns = {"id"}
    for run in runs:
        try:
            result = load(run.path)
        except DataError as error:
            damaged[run.name] = _one_line(error)
            continue
        columns |= set(result.data.columns)
        if run is not baseline:
            changes += pairs.changes(dict.fromkeys(run.scores, (run, result)), first if baseline else last)
            last |= dict.fromkeys(run.scores, (run, result))
            first = {metric: (run, result) for metric in run.scores if not baseline} | first
    for option in ("on", "cluster"):
        column = pairs.options[option]
        if column is not None and column not in columns:
            raise ColumnError(
                "RG-CMP-004 {option} of history must be a column; no run has {column!r}{hint}",
                option,
                column,
                did_you_mean(column, columns),
            )
    known = {(one.metric, one.base, one.run): one for one in changes}
    ends = {metric: (first[metric][0].name, run.name) for metric, (run, _) in last.items() if metric in first}
    new = {
        metric: last[metric] for metric, (base, run) in ends.items() if base != run and (metric, base, run) not in known
    }
    known |= {(one.metric, one.base, one.run): one for one in pairs.changes(new, first)}
    return tuple(changes), tuple([known[metric, *names] for metric, names in ends.items() if (metric, *names) in known])


@dataclass(frozen=True)
class _Pairs:
    """How two runs are compared."""

    options: Mapping[str, Any]
    wanted: Sequence[str]
    """The metrics that a user wants to be primary."""
    all_named: bool
    """Whether the metrics themselves were named: then all are primary."""

    def changes(self, runs: Mapping[str, _Read], bases: Mapping[str, _Read]) -> Iterator[Change]:
        """Yield the change of a run under each metric against a base, both by metrics."""
        alike: dict[tuple[str, str], list[str]] = {}
        for metric in runs:
            if metric in bases:
                alike.setdefault((bases[metric][0].name, runs[metric][0].name), []).append(metric)
        for metrics in alike.values():
            yield from self._of_two(runs[metrics[0]], bases[metrics[0]], metrics)

    def _of_two(self, candidate: _Read, before: _Read, metrics: Sequence[str]) -> Iterator[Change]:
        (run, result), (base, base_result) = candidate, before
        alike = [metric for metric in metrics if _identity(run.scores[metric]) == _identity(base.scores[metric])]
        for metric in metrics:
            if metric not in alike:
                reason: str = Message(
                    "RG-CMP-011 computed otherwise than in {name}: its signature is another", base.name
                )
                yield Change(metric, base.name, run.name, None, reason)
        if not alike:
            return
        wanted = [metric for metric in self.wanted if metric in alike]
        if not wanted and not self.all_named:
            wanted = [*primary_metrics(base_result, alike)]
        try:
            comparison = compare(base_result, result, metrics=alike, primary=wanted, **self.options)
        except OptionError:
            raise
        except (UsageError, DataError) as error:
            reason = Message(_NOT_COMPARED, base.name, headline(error))
            yield from (Change(metric, base.name, run.name, None, reason) for metric in alike)
            return
        for difference in comparison.table:
            yield Change(difference.metric, base.name, run.name, difference)


def _check_paired(changes: Sequence[Change], on: str) -> None:
    """Raise DataError where samples were to be paired by a column of the user's, and no two runs could be compared."""
    reasons = [one.reason.values["why"] for one in changes if is_of(one.reason, _NOT_COMPARED)]  # type: ignore[attr-defined]
    if on != "id" and reasons and not [one for one in changes if one.difference is not None]:
        raise DataError("RG-CMP-003 {on} pairs no samples: {reasons}", Argument("on", on), reasons[0])


_NOT_COMPARED = "RG-CMP-019 not compared with {name}: {why}"


def _identity(score: Score) -> str:
    return score.signature.partition("|ragauge=")[0]
