"""What a system's confidence is worth: the risk of the answers that stay where the least sure ones are left out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from ragauge.core.arrow import to_numpy
from ragauge.core.messages import Counted, Message
from ragauge.core.ragged import FloatArray
from ragauge.display.html import Displayed
from ragauge.display.numbers import bar, json_fields, number, percentage
from ragauge.display.table import Block, Paragraph, Table, TableColumn, TableRow
from ragauge.errors import ColumnError, UsageError, did_you_mean
from ragauge.results.result import Result, loaded
from ragauge.results.score import shown_name

_SHOWN = tuple(place / 10 for place in range(10, 0, -1))
_WIDTH = 20


@dataclass(frozen=True, eq=False, repr=False)
class RiskCoverage(Displayed):
    """The curve of one metric by one column of confidence."""

    metric: str
    confidence: str
    coverage: FloatArray
    """Shares of the answers, 1/n to 1: the most confident ones."""
    risk: FloatArray
    """The mean loss of so many answers, 0 to 1; the loss is how far the score is from the metric's best."""
    area: float
    """The mean of ``risk`` over all coverages: the area under the curve, lower is better."""
    best: float
    """The area if the confidence ordered the answers by their loss."""
    left_out: int
    """Answers without a score or without a confidence."""

    @property
    def whole(self) -> float:
        """The risk of all answers, which is also the area that a confidence worth nothing has on average."""
        return float(self.risk[-1])

    def at(self, coverage: float) -> float:
        """Return the risk of the most confident answers that are at least this share of all."""
        return float(self.risk[min(int(np.ceil(coverage * len(self.risk) - 1e-9)), len(self.risk)) - 1])

    def to_dict(self) -> dict[str, Any]:
        """Return the curve as JSON types."""
        curve = {"coverage": self.coverage.tolist(), "risk": self.risk.tolist(), "whole": self.whole}
        return json_fields({**asdict(self), **curve})

    def blocks(self) -> Iterator[Block]:
        """Yield the area, and the curve in ten rows."""
        template = (
            "{metric} by {confidence}, {n:,} answers: area under the risk-coverage curve {area} ({whole} where the "
            "confidence says nothing, at best {best}); lower is better"
        )
        numbers = [number(one) for one in (self.area, self.whole, self.best)]
        name = shown_name(self.metric)
        yield Paragraph(Message(template, name, self.confidence, len(self.risk), numbers[0], numbers[1], numbers[2]))
        heads = (TableColumn("coverage", "number"), TableColumn("risk", "number"), TableColumn("", "name"))
        rows = [(one, self.at(one)) for one in _SHOWN]
        drawn = [bar(risk, (risk, risk), (0.0, 1.0), _WIDTH) for _, risk in rows]
        cells = [(percentage(one), number(risk), line) for (one, risk), line in zip(rows, drawn, strict=True)]
        yield Table(Message("risk of the most confident answers"), heads, tuple(map(TableRow, cells)))
        if self.left_out:
            yield Paragraph(
                Message("RG-NOTE-222 {answers} without a score or a confidence", Counted(self.left_out, "answer"))
            )


@dataclass(frozen=True, eq=False, repr=False)
class RiskCoverages(Displayed):
    """The curves of several metrics by one column of confidence."""

    curves: tuple[RiskCoverage, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the curves as JSON types."""
        return {"curves": [one.to_dict() for one in self.curves]}

    def blocks(self, *, verbose: bool = False) -> Iterator[Block]:
        """Yield one row a metric; of one metric, and with ``verbose``, the curves."""
        if verbose or len(self.curves) == 1:
            for one in self.curves:
                yield from one.blocks()
            return
        template = "risk of the answers of highest {confidence}, and the area under its curve; lower is better"
        shown = (1.0, 0.8, 0.5, 0.2)
        heads = ("area", Message("confidence says nothing"), Message("at best"), *map(percentage, shown))
        rows = [
            TableRow((shown_name(one.metric), *map(number, (one.area, one.whole, one.best, *map(one.at, shown)))))
            for one in self.curves
        ]
        columns = (TableColumn("metric", "name"), *[TableColumn(head, "number") for head in heads])
        yield Table(Message(template, self.curves[0].confidence), columns, tuple(rows))


def risk_coverages(result: Result, confidence: str) -> RiskCoverages:
    """Return the curves of the metrics of ``result`` that have a range of 0 to 1; errors as of `risk_coverage`."""
    names = [name for name in result.metrics if result.range(name) == (0.0, 1.0)] or [next(iter(result.metrics))]
    return RiskCoverages(tuple(risk_coverage(result, name, confidence) for name in names))


def risk_coverage(run: Result | str | Path, metric: str | None = None, confidence: str = "confidence") -> RiskCoverage:
    """Return the risk-coverage curve of a run: what is left at risk where the least confident answers are withheld.

    Answers with the same confidence count as in a random order, so that the curve does not hang on the order of rows.

    Args:
        run: a result, or the directory of a saved run.
        metric: one of the run's, with a range of 0 to 1; by default the first.
        confidence: the column of how sure the system was, higher is surer.

    Raises:
        ColumnError: the run has no column of that name.
        UsageError: the column has no numbers, no answer has both, or the metric has another range.

    Source: El-Yaniv and Wiener 2010; the area as AURC of Geifman, Uziel and El-Yaniv 2019, over all coverages.

    >>> import ragauge
    >>> rows = [{"answer": a, "references": ["tea"], "confidence": c} for a, c in [("tea", 0.9), ("ale", 0.2)]]
    >>> curve = risk_coverage(ragauge.evaluate(rows, "exact-match"))
    >>> curve.risk.tolist(), curve.area, curve.whole
    ([0.0, 0.5], 0.25, 0.5)
    """
    result = loaded(run, "risk_coverage", "run")
    name = next(iter(result.keys())) if metric is None else result.name(metric)
    column = result.data.known(confidence)
    if column not in result.data.columns:
        hint = did_you_mean(confidence, result.data.columns)
        raise ColumnError("RG-METRIC-065 the run has no column {column!r} of confidence{hint}", confidence, hint)
    if result.range(name) != (0.0, 1.0):
        raise UsageError("RG-METRIC-066 {metric} has no range of 0 to 1, which the risk is read from", shown_name(name))
    try:
        sure = to_numpy(result.column(column).cast(pa.float64()).fill_null(np.nan))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise UsageError("RG-METRIC-067 the column {column} must have numbers, the higher the surer", column) from None
    scores = result.scores(name)
    known = ~(np.isnan(scores) | np.isnan(sure))
    if not known.any():
        raise UsageError("RG-METRIC-068 no answer has both a score of {metric} and {column}", shown_name(name), column)
    loss = scores[known] if result[name].direction == "lower" else 1.0 - scores[known]
    risk = _curve(loss, sure[known])
    n = len(loss)
    best = float(_curve(loss, -loss).mean())
    return RiskCoverage(name, column, np.arange(1, n + 1) / n, risk, float(risk.mean()), best, int((~known).sum()))


def _curve(loss: FloatArray, sure: FloatArray) -> FloatArray:
    """Return the mean loss of the 1 to n surest answers, (n,), those that are equally sure in a random order."""
    _, group = np.unique(-sure, return_inverse=True)
    sizes = np.bincount(group)
    means = np.bincount(group, loss) / sizes
    return np.asarray(np.cumsum(np.repeat(means, sizes)) / np.arange(1, len(loss) + 1))
