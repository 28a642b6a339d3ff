"""Whether a candidate may take the place of the base, in a word and the reasons for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any, Literal, TypeAlias

import numpy as np

from ragauge.comparison.difference import UNDECIDED, Difference, PairedRuns, change_texts
from ragauge.core.messages import Joined, Message
from ragauge.core.protocol import FAILURE, failures
from ragauge.core.ragged import IntArray
from ragauge.display.numbers import short_number
from ragauge.errors import worded
from ragauge.inference.tests import mcnemar
from ragauge.metrics.column import Column
from ragauge.results.result import Result

_FAR = 100
"""A number of samples this many times as great as that of now is not named."""
Decision: TypeAlias = Literal["ship", "do not ship", "better at a price", "cannot tell yet"]
_SHOWN: Mapping[Decision, str] = {
    "ship": "Ship",
    "do not ship": "Do not ship",
    "better at a price": "Better at a price",
    "cannot tell yet": "Cannot tell yet",
}


@dataclass(frozen=True)
class Verdict:
    """Whether a candidate may take the place of the base.

    ``do not ship`` where it is worse under a primary metric, or its system fails on more samples beyond chance; else
    ``ship`` where it is better under one; else ``cannot tell yet``. Where scores are better, and all that is worse are
    plain columns such as latency, in which lower is better, it is ``better at a price``: only people can weigh that.
    """

    run: str
    decision: Decision
    reasons: tuple[str, ...]
    """Sentences: what decided it, and the greatest loss that the samples still allow under a primary metric."""

    @property
    def sentence(self) -> str:
        """The decision and its reasons, with the name of the run."""
        reasons = Joined(self.reasons or [worded("no primary metric was compared")], "; ")
        return Message("{decision} ({run}): {reasons}", worded(_SHOWN[self.decision]), self.run, reasons)

    def to_dict(self) -> dict[str, Any]:
        """Return the verdict as JSON types."""
        return {"decision": self.decision, "reasons": list(map(str, self.reasons))}


def verdict(runs: PairedRuns, differences: Sequence[Difference], alpha: float) -> Verdict:
    """Return the verdict on the candidate of ``runs`` by its ``differences``, of which the primary ones count."""
    primary = [one for one in differences if one.primary and one.group is None]
    titles = {one.metric: runs.base[one.metric].title for one in primary}
    found = {outcome: [one for one in primary if one.outcome == outcome] for outcome in ("better", "worse")}
    reasons: list[str] = list(filter(None, [_more_failures(runs, alpha)]))
    decision: Decision = "ship" if found["better"] else "cannot tell yet"
    lower = [one for one in found["worse"] if one.direction == "lower"]
    costs = [one for one in lower if isinstance(runs.base.metrics[one.metric], Column)]
    if reasons or len(costs) < len(found["worse"]) or (costs and not found["better"]):
        decision = "do not ship"
    elif costs:
        decision = "better at a price"
    for template, some in (("worse under {metrics}", found["worse"]), ("better under {metrics}", found["better"])):
        if some:
            changes = [(titles[one.metric], *change_texts(one)[:2]) for one in some]
            reasons.append(Message(template, Joined([" ".join(filter(None, parts)) for parts in changes])))
    if primary and all(one.outcome == "equal" for one in primary):
        reasons.append(Message("no sample has another score under {metrics}", Joined(titles.values())))
    elif primary and max(one.units for one in primary) < 2:
        template = "too few samples or clusters have a score in both runs to test {metrics}"
        reasons.append(Message(template, Joined(titles.values())))
    if decision == "better at a price":
        reasons.append(worded("a rule of [gate] says how much of that is tolerated"))
    elif decision != "do not ship":
        reasons += _open(primary, titles, settle=decision == "cannot tell yet")
    return Verdict(runs.name, decision, tuple(reasons))


def _more_failures(runs: PairedRuns, alpha: float) -> str:
    """Return that the candidate's system fails on more samples, where that is more than chance; else nothing."""
    base, candidate = _failed(runs.base, runs.samples.base), _failed(runs.candidate, runs.samples.candidate)
    if candidate.sum() <= base.sum() or mcnemar(candidate.astype(np.float64) - base).p > alpha:
        return ""
    return Message(
        "fails on {n:,} of {total:,} samples (base: {base:,})", int(candidate.sum()), len(base), int(base.sum())
    )


def _failed(result: Result, rows: IntArray) -> IntArray:
    """Return 1 for each of the samples at ``rows`` (m,) on which the system failed, else 0."""
    if FAILURE not in result.data.columns:
        return np.zeros(len(rows), dtype=np.int64)
    return np.concatenate([failures(batch)[0] for batch in result.data.batches()])[rows].astype(np.int64)


def _open(primary: Sequence[Difference], titles: dict[str, str], *, settle: bool) -> Iterator[str]:
    """Yield the greatest loss that is still possible, and how many samples would settle what was seen."""
    tested = [one for one in primary if one.outcome in UNDECIDED]
    losses = {one.metric: -one.low if one.direction == "higher" else one.high for one in tested}
    possible = [one for one in tested if losses[one.metric] > 0]
    if possible:
        # In standard errors: metrics have other units.
        worst = max(possible, key=lambda one: losses[one.metric] / one.error)
        yield Message("{metric} may be worse by up to {loss}", titles[worst.metric], short_number(losses[worst.metric]))
    needed = {one.metric: one.samples_for(one.difference) for one in tested}
    needed = {one.metric: needed[one.metric] for one in tested if needed[one.metric] <= _FAR * one.scored}
    if settle and needed:
        metric = min(needed, key=needed.__getitem__)
        yield Message(
            "about {n:,} samples would show whether the difference seen under {metric} is real",
            ceil(needed[metric]),
            titles[metric],
        )
