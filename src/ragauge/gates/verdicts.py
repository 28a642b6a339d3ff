"""The verdict of a gate: that of the comparison with its baseline by its rules, or of the rules alone."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ragauge.comparison.compare import Run, compare
from ragauge.comparison.verdict import verdict_by_rules
from ragauge.core.messages import Message
from ragauge.errors import DataError, UsageError
from ragauge.gates.gate import Gate


def with_verdict(
    gate: Gate, run: Run, baseline: Run | None = None, *, on: str = "id", primary: Iterable[str] = ()
) -> Gate:
    """Return a gate with its verdict: that of `ragauge.compare`, by the rules of the gate.

    Without a baseline, and with one that cannot be compared (then a note says why), the rules alone decide.

    Args:
        gate: the checks of ``run``.
        run: a result or the directory of a saved run.
        baseline: the run that it is compared with.
        on: the column that pairs the samples, where their ids differ.
        primary: the metrics that the verdict rests on; those that the runs do not share are an error of `compare`.

    >>> import ragauge
    >>> result = ragauge.evaluate([{"answer": "yes", "references": ["yes"]}], "exact-match", resamples=0)
    >>> with_verdict(ragauge.gate(result, min={"exact-match": 0.6}), result).verdict.sentence
    'Ship (1 sample from list of dicts): all rules of [gate] hold (1)'
    """
    alone = replace(gate, verdict=verdict_by_rules(gate.run, gate.rules))
    if baseline is None:
        return alone
    try:
        compared = compare(baseline, run, on=on, primary=tuple(primary))
    except (UsageError, DataError) as error:
        return replace(alone, notes=(*gate.notes, Message("not compared with the baseline: {why}", error.message)))
    [one] = replace(compared, rules={compared.candidates[0].name: gate.rules}).verdicts()
    return replace(gate, verdict=replace(one, run=gate.run))
