"""The runs of a report, with their metrics and samples lined up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import isfinite
from os import PathLike
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import numpy as np
import pyarrow as pa

from ragauge.comparison.pairing import pairing_keys
from ragauge.comparison.primary import deciding_metric, primary_metrics
from ragauge.core import compute as pc
from ragauge.core.arrow import to_arrow, to_numpy
from ragauge.core.hashing import hash_strings, splitmix64
from ragauge.core.messages import Counted, Spelled
from ragauge.core.options import Range, check_path, checked_value
from ragauge.core.protocol import Direction, Metric, Stage, failures
from ragauge.core.ragged import FloatArray, IntArray
from ragauge.errors import UnknownNameError, UsageError
from ragauge.reports.texts import Texts, meanings
from ragauge.results.result import Result, load
from ragauge.results.score import SampleScores, Score, shown_name
from ragauge.results.storage import UnknownMetric, read_manifest

RunLike: TypeAlias = Result | str | PathLike[str]  # a result, or the directory of a saved one


@dataclass(frozen=True, eq=False)
class Page:
    """All that the sections of a page need: its runs, the baseline first, what they share, and its texts."""

    runs: tuple[Run, ...]
    metrics: tuple[AlignedMetric, ...]
    samples: AlignedSamples
    texts: Texts
    rules: Mapping[str, Any] = field(default_factory=dict)
    """Arguments of `ragauge.gate`, by which verdicts are made."""
    primary: tuple[str, ...] = ()
    """The metrics that verdicts rest on, where a user names them."""
    project: str = ""
    """The name that the page begins with."""
    shown: int = 0
    """The place of the run that the page speaks of: of several candidates the one that ranks first."""

    @classmethod
    def of(cls, runs: tuple[Run, ...], texts: Texts, on: str = "id", **asked: Any) -> Page:
        """Line up the metrics of ``runs``, and their samples by the column ``on``; ``asked``: the other fields."""
        return cls(runs, aligned_metrics(runs), aligned_samples(runs, on), texts, shown=len(runs) - 1, **asked)

    @property
    def names(self) -> list[str]:
        """The names of the runs."""
        return [run.name for run in self.runs]


@dataclass(frozen=True, eq=False)
class Run:
    """A result and its name; ``manifest`` is empty where it was not read from disk."""

    name: str
    result: Result
    manifest: Mapping[str, Any]

    @cached_property
    def reasons(self) -> Counter[str]:
        """On how many samples the system failed, by the reason."""
        return Counter(reason for batch in self.result.data.batches() for reason in failures(batch)[1].values())

    @property
    def failed(self) -> int:
        """On how many samples the system failed."""
        return self.reasons.total()

    def metric(self, name: str) -> Metric | None:
        """Return the metric called ``name``; None where it cannot be built here, as that of a function."""
        metric = self.result.metrics[name]
        return None if isinstance(metric, UnknownMetric) else metric


def load_runs(runs: RunLike | Iterable[RunLike], names: Sequence[str] = ()) -> tuple[Run, ...]:
    """Return ``runs``, the baseline first, loaded from disk where they are directories; errors as of `report`."""
    several = list(runs) if isinstance(runs, Iterable) and not isinstance(runs, Result | str | PathLike) else [runs]
    for run in several:
        if not isinstance(run, Result):
            check_path("report", "runs", "a result, the directory of a saved run, or several of them", run)
    if not several:
        raise UsageError("RG-REPORT-003 runs must hold a result or the directory of a saved run; got none")
    named = list(names) or default_names([None if isinstance(run, Result) else Path(run) for run in several])
    if len(named) != len(several) or len(set(named)) != len(named):
        got = ", ".join(map(repr, named))
        raise UsageError(
            "RG-REPORT-004 {names} must give each run a name of its own; got {got} for {runs}",
            Spelled("names", "--name"),
            got,
            Counted(len(several), "run"),
        )
    return tuple(
        Run(name, run, {}) if isinstance(run, Result) else Run(name, load(Path(run)), read_manifest(Path(run)))
        for name, run in zip(named, several, strict=True)
    )


def default_names(directories: Sequence[Path | None]) -> list[str]:
    """Return the shortest ends of the paths that differ, of at most three folders; results are numbered.

    >>> default_names([Path("runs/today")]), default_names([Path("a/today"), Path("b/today"), None])
    (['today'], ['a/today', 'b/today', 'run 3'])
    >>> default_names([Path("today"), Path("today")])
    ['today (1)', 'today (2)']
    """
    parts = [
        (f"run {place}",) if directory is None else directory.resolve().parts
        for place, directory in enumerate(directories, 1)
    ]
    names = [part[-1] for part in parts]
    for depth in range(2, 4):
        names = [
            "/".join(part[-depth:]) if names.count(name) > 1 and parts.count(part) == 1 else name
            for part, name in zip(parts, names, strict=True)
        ]
    return [f"{name} ({place})" if names.count(name) > 1 else name for place, name in enumerate(names, 1)]


@dataclass(frozen=True, eq=False)
class AlignedMetric:
    """A metric of one run or of several. ``names`` holds its name in each run, None where a run does not have it."""

    title: str
    compared_by: str
    stage: Stage
    direction: Direction
    range: tuple[float, float]  # infinite where there is no end, or it is unknown, as for a saved metric of a function
    names: tuple[str | None, ...]
    runs: tuple[Run, ...]
    pooled: bool

    @property
    def bounded(self) -> bool:
        """Whether both ends of the range are known."""
        return isfinite(self.range[0]) and isfinite(self.range[1])

    @property
    def meanings(self) -> tuple[str, str]:
        """What it is, in one sentence, in each language of the page."""
        run, name = next((run, name) for run, name in zip(self.runs, self.names, strict=True) if name is not None)
        return meanings(run.result.metrics[name])

    @property
    def everywhere(self) -> bool:
        """Whether all runs have it."""
        return None not in self.names

    def score(self, run: int) -> Score | None:
        """Return the score of a run over all its samples."""
        name = self.names[run]
        return None if name is None else self.runs[run].result[name]

    def column(self, run: int) -> SampleScores | None:
        """Return scores, statuses, reasons and parts of a run's samples, or None."""
        name = self.names[run]
        return None if name is None else self.runs[run].result.columns[name]

    def scores(self, run: int) -> FloatArray | None:
        """Return the score of each sample of a run, (n,), or None."""
        column = self.column(run)
        return None if column is None else column.scores

    def groups(self, run: int, by: str) -> dict[Any, Score]:
        """Return the score of each group of a run, by the value of column ``by``; empty where it has no groups."""
        name, result = self.names[run], self.runs[run].result
        return result.groups(name, by) if name is not None and by in result.options["by"] else {}


def aligned_metrics(runs: tuple[Run, ...]) -> tuple[AlignedMetric, ...]:
    """Return the metrics of all ``runs`` in their order; other options make another metric."""
    names_of: dict[tuple[str, int], list[str | None]] = {}
    for place, run in enumerate(runs):
        seen: Counter[str] = Counter()
        for name in run.result.metrics:
            identity = run.result[name].signature.rpartition("|ragauge=")[0]
            names_of.setdefault((identity, seen[identity]), [None] * len(runs))[place] = name
            seen[identity] += 1
    metrics: dict[str, AlignedMetric] = {}
    for names in names_of.values():
        run, name = next((run, name) for run, name in zip(runs, names, strict=True) if name is not None)
        score, ends, title = run.result[name], run.result.range(name), shown_name(name)
        while title in metrics:
            title = f"{title} ({run.name})"
        pooled = score.average == "pooled"
        shared = (score.compared_by, score.stage, score.direction, ends)
        metrics[title] = AlignedMetric(title, *shared, tuple(names), runs, pooled)
    return tuple(metrics.values())


@dataclass(frozen=True, eq=False)
class AlignedSamples:
    """The samples that all runs have, in the order of the first."""

    ids: pa.Array  # n texts, those of the first run
    on: str  # the column that they are lined up by
    places: IntArray  # (r, n) the place of each sample in each run
    left_out: tuple[int, ...]  # (r,) how many samples of each run another one lacks

    def __len__(self) -> int:
        return len(self.ids)


def aligned_samples(runs: Sequence[Run], on: str = "id") -> AlignedSamples:
    """Return the samples that all ``runs`` have by the column ``on``, maybe none; errors as of `pairing_keys`."""
    keys = [pairing_keys(run.result, on, run.name) for run in runs]
    shared = keys[0]
    for other in keys[1:]:
        shared = shared.filter(pc.is_in(shared, value_set=other))
    places = [to_numpy(pc.index_in(shared, value_set=own)).astype(np.int64) for own in keys]
    ids = runs[0].result.sample_ids().take(to_arrow(places[0]))
    return AlignedSamples(ids, on, np.stack(places), tuple(len(own) - len(shared) for own in keys))


SEED = 0


@dataclass(frozen=True, eq=False)
class Selection:
    """``rows`` (m,): rising places among the aligned samples; ``worst`` of them by ``by``, ``drawn`` of the rest."""

    rows: IntArray
    by: str
    worst: int
    drawn: int
    everything: bool


def select(page: Page, limit: int, metric: str | None = None) -> Selection:
    """Return at most ``limit`` samples: half of them the worst in the shown run, half drawn by a hash of their ids.

    The worst are those by ``metric``, by default the primary one that tells best whether an answer is right.
    """
    checked_value("the report", "limit", limit, Annotated[int, Range(1), "a whole number from 1"])
    by, count = _ordering(page, metric), len(page.samples)
    if count <= limit:
        return Selection(np.arange(count), by.title, count, 0, everything=True)
    keys = splitmix64(hash_strings(page.samples.ids) ^ np.uint64(SEED))
    worst = np.lexsort((keys, -badness(page, by)))[: (limit + 1) // 2]
    rest = np.setdiff1d(np.arange(count), worst, assume_unique=True)
    drawn = rest[np.argsort(keys[rest], kind="stable")][: limit // 2]
    return Selection(np.sort(np.concatenate([worst, drawn])), by.title, len(worst), len(drawn), everything=False)


def badness(page: Page, by: AlignedMetric) -> FloatArray:
    """Return `SampleScores.badness` of the shown run for the samples of the page, (n,)."""
    bad: FloatArray = page.runs[page.shown].result.columns[by.names[page.shown] or ""].badness(by.direction)
    return np.asarray(bad[page.samples.places[page.shown]], dtype=np.float64)


def primary_of(page: Page) -> list[AlignedMetric]:
    """Return the metrics that carry verdicts, of those that all runs have or else of the shown run's."""
    in_shown = {name: one for one in page.metrics if (name := one.names[page.shown]) is not None}
    shared = [name for name, one in in_shown.items() if one.everywhere] or list(in_shown)
    wanted = page.primary if all(name in shared for name in page.primary) else ()
    return [in_shown[name] for name in primary_metrics(page.runs[page.shown].result, shared, wanted)]


def _ordering(page: Page, metric: str | None) -> AlignedMetric:
    in_shown = {name: one for one in page.metrics if (name := one.names[page.shown]) is not None}
    result = page.runs[page.shown].result
    if metric is None:
        primary = {one.names[page.shown] or "": one for one in primary_of(page)}
        return primary[deciding_metric(result, list(primary)) or next(iter(primary))]
    try:
        name = result.name(metric)
    except UnknownNameError:
        raise
    except UsageError:
        raise UnknownNameError.of("metric of this run:", metric, result.metrics) from None
    return in_shown[name]
