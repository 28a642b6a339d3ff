"""What became of right answers and of wrong ones from the first run to the one that a page speaks of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from markupsafe import Markup

from ragauge.comparison.primary import deciding_metric
from ragauge.core.arrow import to_arrow
from ragauge.core.ragged import BoolArray, IntArray
from ragauge.grounding.evasion import are_evasive
from ragauge.reports.charts.flows import Stream, flows
from ragauge.reports.listing import listing
from ragauge.reports.runs import AlignedMetric, Page, Run
from ragauge.reports.sections.changes import Changes
from ragauge.reports.texts import PageText, message

STATES = ("right", "wrong", "declined")
"""What an answer is; one of no score is -1, and of nothing here."""


@dataclass(frozen=True)
class Flow:
    """The states of all samples of a page in the first run and the shown one, and the rules by which they are told.

    ``states`` (2, n) are places in `STATES`, or -1 where a sample has no score.
    """

    rules: Sequence[PageText]
    states: IntArray
    page: Page
    names = STATES

    @cached_property
    def bands(self) -> list[Stream]:
        """The samples of each pair of states, those that became worse or better first."""
        both = (self.states >= 0).all(axis=0)
        before, after = self.states[:, both]
        counts = np.bincount(before * len(STATES) + after, minlength=len(STATES) ** 2).reshape(-1, len(STATES))
        pairs = sorted(np.argwhere(counts).tolist(), key=lambda pair: (pair[0] == pair[1], pair))
        return [Stream(old, new, int(counts[old, new]), self._address(old, new)) for old, new in pairs]

    @property
    def figure(self) -> Markup:
        """The bands, from the states before to those after; not for screen readers, who have the lines."""
        names = [self.page.names[run] for run in (0, self.page.shown)]
        return flows(self.page.texts, self.bands, [f"page.flow.{state}.n" for state in STATES], names)

    def codes(self, rows: IntArray) -> list[str]:
        """Return for both runs the states of the samples at ``rows`` (m,), a digit each; ``-`` for none."""
        return ["".join("-" if state < 0 else str(state) for state in run[rows].tolist()) for run in self.states]

    def _address(self, before: int, after: int) -> str:
        run = [("run", self.page.names[self.page.shown])] if len(self.page.runs) > 2 else []
        return listing(("flow", f"{STATES[before]} {STATES[after]}"), *run)


def flow(page: Page, changed: Changes | None) -> Flow | None:
    """Return the flow to the shown run; None of one run, and where no primary metric tells right answers from wrong.

    An answer is right from the middle of the metric's range on. It is declined where it is not right, and says that it
    does not know, is empty, or was not given.
    """
    if page.shown == 0 or changed is None or not changed.candidates:
        return None
    metrics = {
        metric.names[0] or "": metric
        for metric, one in changed.candidates[page.shown - 1].overall
        if one.primary and metric.bounded and not metric.pooled
    }
    name = deciding_metric(page.runs[0].result, list(metrics))
    if name is None:
        return None
    metric, middle = metrics[name], sum(metrics[name].range) / 2
    rules = [message(f"page.flow.rule.{metric.direction}", metric=metric.title, middle=f"{middle:g}")]
    if metric.stage == "generation":
        rules.append(message("page.flow.rule.declined"))
    states = [_states(page, run, metric, middle) for run in (0, page.shown)]
    return Flow(rules, np.stack(states), page)


def _states(page: Page, run: int, metric: AlignedMetric, middle: float) -> IntArray:
    """Return the state of each sample of the page in a run, (n,)."""
    places, scores = page.samples.places[run], metric.scores(run)
    if scores is None:
        return np.full(len(places), -1)
    scores = scores[places]
    right = scores >= middle if metric.direction == "higher" else scores <= middle
    declined = np.zeros(len(places), dtype=bool)
    if metric.stage == "generation":
        declined[~right] = _declined(page.runs[run], places[~right])
    unknown = ~np.isfinite(scores)
    return np.select([right, declined, unknown], [0, 2, -1], 1)


def _declined(run: Run, places: IntArray) -> BoolArray:
    """Return which of the answers at ``places`` (m,) are none, empty, or say that the system does not know, (m,)."""
    if "answer" not in run.result.data.columns:
        return np.zeros(len(places), dtype=bool)
    answers = [text or "" for text in run.result.column("answer").take(to_arrow(places)).to_pylist()]
    return np.array([not text.strip() for text in answers], dtype=bool) | are_evasive(answers)
