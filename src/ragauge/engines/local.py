"""This process alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ragauge.core.batch import Dataset
from ragauge.engines.plan import Plan, asks_judge, with_vectors
from ragauge.evaluation.evaluator import Progress
from ragauge.formats import read
from ragauge.results.result import Result


@dataclass(frozen=True)
class OneProcess:
    """The engine of a run without workers; ``session``: of its judges, which stays open; None: one for each run."""

    session: object = None

    def read(self, source: object, **reading: Any) -> Dataset:
        """Read samples as `ragauge.formats.read` does."""
        return read(source, **reading)

    def run(self, plan: Plan, data: Dataset, progress: Progress | None) -> Result:
        """Return the scores of ``data``."""
        data = with_vectors(data, plan.store())
        if not asks_judge(plan.evaluator.metrics):
            return plan.evaluator.run(data, progress)
        from ragauge.engines.judging import evaluate_with_judge

        return evaluate_with_judge(plan.evaluator, data, self.session, progress)
