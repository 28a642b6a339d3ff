"""The differences of a run from its baseline, by the run's own names of metrics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from ragauge.comparison.compare import compare
from ragauge.comparison.comparison import left_out
from ragauge.comparison.difference import Difference
from ragauge.display.numbers import percentage
from ragauge.errors import DataError, UsageError
from ragauge.writers.writer import FinishedRun


@dataclass(frozen=True)
class Differences:
    """Metric -> its difference from the baseline; ``notes`` say what cannot be compared, or must be known."""

    by_metric: Mapping[str, Difference] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    verdict: tuple[str, ...] = ()
    """The verdict in a sentence, and why samples got worse; by the rules of the run's gate where it has one."""
    method: str = ""
    """How a difference is decided, in words; empty where there is none."""


def differences(run: FinishedRun) -> Differences:
    """Return the differences of ``run`` from its baseline: none where it has no baseline, or shares no metric with it.

    They are those of `ragauge.compare` with its own options: paired by id, corrected by Holm over the metrics.
    """
    if run.baseline is None:
        return Differences()
    try:
        primary = [name for name in run.primary if name in run.baseline.metrics and name in run.result.metrics]
        comparison = compare(run.baseline, run.result, primary=primary)
    except (UsageError, DataError) as error:
        return Differences(notes=(f"not compared with the baseline: {' '.join(str(error).split())}",))
    base = comparison.candidates[0].base
    specs = {str(metric): name for name, metric in run.result.metrics.items()}
    by_metric = {
        name: one
        for one in comparison.table
        if one.group is None and (name := specs.get(str(base.metrics[one.metric]))) is not None
    }
    options = comparison.options
    method = (
        f"paired {' and '.join(dict.fromkeys(one.test for one in by_metric.values()))} of the samples scored in both "
        f"runs, {percentage(options['level'])} intervals, better or worse where p, corrected by Holm over the metrics, "
        f"is at most {options['alpha']:g}"
    )
    [one] = replace(
        comparison, rules={} if run.gate is None else {comparison.candidates[0].name: run.gate.rules}
    ).verdicts()
    said = replace(one, run=run.name).sentence, comparison.counted_causes(one.run)
    fewer = [f"paired samples: {words}" for words in left_out(list(by_metric.values()), base)]
    return Differences(by_metric, (*comparison.notes, *fewer), tuple(filter(None, said)), method)
