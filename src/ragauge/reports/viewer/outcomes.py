"""What each run changed, against the run before it on the same questions; computed aside, one after another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from ragauge.comparison.compare import compare
from ragauge.comparison.difference import UNDECIDED
from ragauge.errors import RagaugeError, excerpt
from ragauge.gates.check import by_rules
from ragauge.gates.configuration import primary_setting
from ragauge.gates.rules import gate_settings
from ragauge.reports.texts import PageText, message
from ragauge.reports.viewer.aside import Aside
from ragauge.reports.viewer.folders import Version, ViewedRun, check_inside
from ragauge.results.result import load


@dataclass(frozen=True)
class RunOutcome:
    """A sentence on a run; ``kind`` is better, worse, mixed, unclear or equal, and empty where nothing is decided.

    ``decision`` is the key of the verdict in words, as the report has it; empty where runs are not compared.
    """

    text: PageText
    kind: str = ""
    decision: str = ""


_Pair = tuple[str, Version, str, Version]
_WAITING = RunOutcome(message("view.outcome.waiting"))
_FIRST = RunOutcome(message("view.outcome.first"))
_BASE, _OTHER = RunOutcome(message("view.outcome.base")), RunOutcome(message("view.outcome.other"))


class RunOutcomes:
    """Compares runs aside; the newest first, each pair once."""

    def __init__(self) -> None:
        self._aside: Aside[_Pair, RunOutcome] = Aside(_outcome)

    def of(self, runs: Sequence[ViewedRun], pinned: ViewedRun | None = None) -> dict[str, RunOutcome]:
        """Return the outcome of each of all ``runs``, by key; what is not known yet is computed from now on.

        ``pinned``: the base of all; by default each is compared with the run before it.
        """
        before = bases(runs, pinned)
        pairs = {run.key: (run, before.get(run.key)) for run in runs if not run.problem}
        known = self._aside.known({_pair(run, base): (run, base) for run, base in pairs.values() if base is not None})
        alone = _FIRST if pinned is None else _OTHER
        found = {
            key: alone if base is None else known.get(_pair(run, base), _WAITING) for key, (run, base) in pairs.items()
        }
        return found if pinned is None else {**found, pinned.key: _BASE}


def bases(runs: Iterable[ViewedRun], pinned: ViewedRun | None = None) -> dict[str, ViewedRun]:
    """Return for each run, by key, the last run before it that has the same questions and one of its metrics.

    ``pinned``: instead the run that all others with the same questions and one of its metrics are compared with.
    """
    if pinned is not None:
        alike = [run for run in runs if run.task == pinned.task and run.scores.keys() & pinned.scores]
        return {run.key: pinned for run in alike if run.key != pinned.key and run.task}
    found: dict[str, ViewedRun] = {}
    last: dict[tuple[str, str], ViewedRun] = {}
    in_order = sorted((run for run in runs if run.task), key=_moment)
    for _, at_once in groupby(in_order, key=lambda run: run.created):
        named = [(run, [(run.task, metric) for metric in run.scores]) for run in at_once]
        for run, metrics in named:
            earlier = [last[one] for one in metrics if one in last]
            if earlier:
                found[run.key] = max(earlier, key=_moment)
        for run, metrics in named:
            last |= dict.fromkeys(metrics, run)
    return found


def _moment(run: ViewedRun) -> tuple[str, str]:
    return run.created, run.name


def _pair(run: ViewedRun, base: ViewedRun) -> _Pair:
    return run.key, run.version, base.key, base.version


def _outcome(run: ViewedRun, base: ViewedRun) -> RunOutcome:
    """Compare as ``ragauge compare`` does."""
    try:
        for one in (base, run):
            check_inside(one.path)
        primary = primary_setting(Path(), among=base.scores.keys() & run.scores)
        comparison = by_rules(compare(load(base.path), load(run.path), primary=primary), gate_settings(Path()))
        [verdict] = comparison.verdicts()
    except (RagaugeError, OSError, MemoryError) as error:
        why = excerpt((str(error) or type(error).__name__).splitlines()[0])
        return RunOutcome(message("view.outcome.problem", base=base.name, why=why))
    counts = Counter(one.outcome for one in comparison.table if one.primary)
    if counts["nothing"] == counts.total():
        return RunOutcome(message("view.outcome.nothing", base=base.name), "worse")
    better, worse = counts["better"], counts["worse"]
    kind = "mixed" if better and worse else "better" if better else "worse" if worse else "unclear"
    decision = f"view.decision.{verdict.decision.replace(' ', '-')}"
    values = {
        "base": base.name,
        "better": better,
        "worse": worse,
        "unclear": sum(counts[outcome] for outcome in UNDECIDED),
    }
    if (more := run.failed - base.failed) > 0:
        with_failures = "mixed" if better else "worse"
        return RunOutcome(message(f"view.outcome.{kind}.failed", failed=f"{more:,}", **values), with_failures, decision)
    if counts["equal"] == counts.total() - counts["nothing"]:
        return RunOutcome(message("view.outcome.equal", base=base.name), "equal", decision)
    return RunOutcome(message(f"view.outcome.{kind}", **values), kind, decision)
