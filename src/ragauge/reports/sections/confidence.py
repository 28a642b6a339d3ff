"""What a system's confidence is worth: the risk of the answers that stay where the least sure ones are left out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from markupsafe import Markup

from ragauge.comparison.risk_coverage import RiskCoverage, risk_coverage
from ragauge.errors import UsageError
from ragauge.reports.charts.intervals import risks
from ragauge.reports.runs import AlignedMetric, Page

COLUMN = "confidence"
_MOST = 6


@dataclass(frozen=True)
class MetricConfidence:
    """A metric by the column of confidence: its figure, and the curve of each run by the place of the run."""

    metric: str
    figure: Markup
    by_run: Mapping[int, RiskCoverage]


def confidence(page: Page) -> list[MetricConfidence]:
    """Return the curves of the first metrics with a range of 0 to 1; none where no run has a column of confidence."""
    curves = {metric.title: _curves(page, metric) for metric in page.metrics if metric.range == (0.0, 1.0)}
    kept = [(title, by_run) for title, by_run in curves.items() if by_run][:_MOST]
    return [MetricConfidence(title, risks(page.texts, title, page.names, by_run), by_run) for title, by_run in kept]


def _curves(page: Page, metric: AlignedMetric) -> dict[int, RiskCoverage]:
    found = {}
    for place, (run, name) in enumerate(zip(page.runs, metric.names, strict=True)):
        if name is not None and run.result.data.known(COLUMN) in run.result.data.columns:
            try:
                found[place] = risk_coverage(run.result, name, COLUMN)
            except UsageError:  # a column of words, or no answer has both
                continue
    return found
