"""Rules of a gate that may be checked after each answer, and questions that are asked until these are decided."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from math import nan
from typing import Any

import numpy as np
import pyarrow as pa

from ragauge.comparison.comparison import Comparison
from ragauge.core.arrow import to_arrow
from ragauge.core.hashing import combine, hash_strings
from ragauge.core.messages import Argument, Message
from ragauge.core.ragged import BoolArray, FloatArray, IntArray
from ragauge.core.statistics import Status
from ragauge.errors import UsageError
from ragauge.evaluation.kept_samples import read_samples
from ragauge.formats import read
from ragauge.gates.gate import Check, Gate
from ragauge.inference.sequential import confidence_sequence, decided_after
from ragauge.results.result import Result
from ragauge.systems.measures import MEASURED
from ragauge.systems.outputs import GIVEN

_CONTRADICTED = (
    "the samples contradict one another: in the order drawn by their ids, the first ones and all of them say opposite "
    "things, as where ids go with scores; check all of them without {option}"
)
_FIRST = 10
"""Questions of the first round; each further round has half as many again."""


def sequential_check(check: Check, against: Result | Comparison, level: float) -> Check:
    """Return a check of ``min``, ``max`` or ``max_drop`` that a confidence sequence has decided, or not yet.

    Samples count in the order drawn by their ids, so that the order of a file, as of right answers first, decides
    nothing. One that the system failed on counts as the worst score; one that is undefined is left out. The rule fails
    undecided where no mean fits all looks, or where the samples as a whole are on the other side of the limit.

    Args:
        check: of the value alone.
        against: the run, or for a drop its comparison with the baseline.
        level: of this rule alone, at all looks together.

    Raises:
        UsageError: the run has clusters, or the metric has no score of single samples within a range.
    """
    run = against if isinstance(against, Result) else against.candidates[0].candidate
    if run.options.get("cluster") is not None:
        template = "RG-EVAL-040 {given} takes each sample for itself, and this run has clusters by {column}"
        raise UsageError(template, Argument("sequential", value=True), run.options["cluster"])
    drop = check.unit == "drop"
    sign = 1.0 if drop or run[check.metric].direction == "higher" else -1.0
    width = 0.0 if isinstance(against, Result) else against.candidates[0].metrics[0].width
    low, high = (-width, width) if drop else sorted(sign * end for end in run.range(check.metric))
    if not np.isfinite(high - low) or run[check.metric].average == "pooled":
        template = "RG-EVAL-041 {given} needs scores of single samples within a range, and {metric} has none"
        raise UsageError(template, Argument("sequential", value=True), check.metric)
    # Higher is better, from 0 to 1.
    values = (np.nan_to_num(sign * _values(check.metric, against), nan=low) - low) / (high - low)
    limit = ((-check.limit if drop else sign * check.limit) - low) / (high - low)
    after = decided_after(values, min(max(limit, 0.0), 1.0), level)
    sequence = confidence_sequence(values, level)
    ends = [low + end * (high - low) for end in sequence]
    first, last = (-ends[1], -ends[0]) if drop or sign < 0 else ends
    why = "" if after > 0 else Message("beyond the limit after {n:,} samples", -after)
    undecided = after == 0
    if undecided:
        why = Message("not decided after {n:,} samples", len(values))
    if sequence[0] > sequence[1] or after * (np.mean(values) - limit if after else 0.0) < 0:
        after, first, last, why = 0, nan, nan, Message(_CONTRADICTED, Argument("sequential", value=True))
        undecided = False
    rule = Message("{rule}, at every look", check.rule)
    return replace(check, rule=rule, low=first, high=last, lost=0, decided=after, undecided=undecided, why=why)


def _values(metric: str, against: Result | Comparison) -> FloatArray:
    """Return the scores, or the gains on the baseline, in the order drawn; NaN where the system failed."""
    if isinstance(against, Result):
        column, order = against.columns[against.name(metric)], drawn_order(against.sample_ids())
        return _known(column.scores[order], column.status[order] != Status.UNDEFINED, column.status[order] == Status.OK)
    runs = against.candidates[0]
    [paired] = [one for one in runs.metrics if one.name == runs.base.name(metric)]
    order = drawn_order(runs.candidate.sample_ids().take(to_arrow(runs.samples.candidate)))
    known = (paired.status[0] == Status.OK) & (paired.status[1] != Status.UNDEFINED)
    return _known(paired.gain[order], known[order], paired.ok[order])


def _known(values: FloatArray, known: BoolArray, scored: BoolArray) -> FloatArray:
    return np.where(scored, values, nan)[known]


def drawn_order(ids: pa.Array) -> IntArray:
    """Return the places of n samples in the order drawn by a hash of their ids, (n,): the same in every file order.

    >>> drawn_order(pa.array(["q1", "q2", "q3"])), drawn_order(pa.array(["q3", "q2", "q1"]))
    (array([0, 2, 1]), array([2, 0, 1]))
    """
    return np.argsort(combine(hash_strings(ids), hash_strings(["order"])), kind="stable")


def until_decided(
    evaluate: Callable[..., Result], check: Callable[[Result], Gate], options: Mapping[str, Any]
) -> Result:
    """Ask questions in rounds, in an order drawn by their ids, until no rule of a gate is open; return the last result.

    A round keeps the answers of those before; questions that failed are asked again.

    Args:
        evaluate: `ragauge.evaluate` with what keeps answers.
        check: the gate, with ``sequential``.
        options: further arguments of ``evaluate``: ``data`` are the questions.
    """
    own = {name: dict(options.get(name) or {}) for name in ("map", "split")}
    given = {name: {key: value for key, value in pairs.items() if key in _BY_SYSTEM} for name, pairs in own.items()}
    asked = {name: {key: value for key, value in pairs.items() if key not in _BY_SYSTEM} for name, pairs in own.items()}
    how = {name: options.get(name) for name in ("limit", "format", "encoding")}
    questions = read_samples(options["data"], read, mapping=asked["map"], split=asked["split"], **how)
    table = pa.concat_tables([batch.table() for batch in questions.batches()], promote_options="permissive")
    table = table.take(to_arrow(drawn_order(table["id"].combine_chunks())))
    rest = {**options, **given, **dict.fromkeys(how), "resume": options.get("resume", False)}
    count = min(_FIRST, len(table))
    while True:
        result = evaluate(**{**rest, "data": table.slice(0, count)})
        checks = [one for one in check(result).checks if one.unit in ("score", "drop")]
        if count == len(table) or any(one.decided < 0 for one in checks) or all(one.decided > 0 for one in checks):
            break
        rest["resume"], count = True, min(len(table), count * 3 // 2)
    template = "RG-NOTE-160 {n:,} of {total:,} questions were asked, in an order drawn by their ids: {outcome}"
    decided = any(one.decided < 0 for one in checks) or all(one.decided > 0 for one in checks)
    note = Message(template, count, len(table), Message("the rules are decided" if decided else "a rule is still open"))
    data = replace(result.data, source=questions.source, notes=(*result.data.notes, note))
    return replace(result, data=data)


_BY_SYSTEM = frozenset((*GIVEN, *MEASURED))
