"""The base of metrics that count verdicts: a decision model's probabilities themselves, or what reaches a threshold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal, cast

import pyarrow as pa

from ragauge.core.batch import Batch
from ragauge.core.options import Range, check
from ragauge.core.protocol import name_of
from ragauge.core.statistics import Rows
from ragauge.errors import OptionError, UsageError
from ragauge.judges.calibration import HALF, Calibration, command_for
from ragauge.judges.question import decides
from ragauge.metrics.judged._base import JudgedMetric


@dataclass(frozen=True, kw_only=True)
class VerdictMetric(JudgedMetric):
    """A judged metric that counts what the judge says yes to.

    Args:
        threshold: the probability from which a decision model says yes; ``calibrated``: that of the sample's language
            in the file that ``calibration`` names, whose map is then not used. None: scores take the probabilities
            themselves, and evidence shows what has at least the calibrated one, or .5. A judge that writes says yes or
            no itself; ``calibrated`` is an error there.
    """

    threshold: Annotated[float, Range(0, 1, above=True)] | Literal["calibrated"] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        by_file = self.threshold == "calibrated"
        allowed = "a number above 0 and up to 1 without calibration=FILE, and calibrated beside it"
        check(self, "threshold", allowed, holds=self.threshold is None or by_file == (self.calibration is not None))
        if by_file and self.whole is None and not decides(self.judge):
            template = (
                "RG-JUDGE-087 threshold=calibrated of {metric} is that of a decision model, which gives probabilities; "
                "{judge} writes its verdicts itself. Leave threshold out: calibration={path} maps its scores"
            )
            raise OptionError(template, name_of(cast("Any", self)), str(self.judge), self.calibration)
        found = self.map_of_scores
        if by_file and decides(self.judge) and found and not found.thresholds:
            template = "RG-JUDGE-086 {path!r} has no thresholds of {metric}; learn them: {command}"
            path = cast("str", self.calibration)
            raise UsageError(template, path, found.metric, command_for(found.metric, path))

    @property
    def resolved(self) -> Mapping[str, str]:
        """As of any judged metric; without a threshold where there is none, or the judge writes its verdicts."""
        counts = self.threshold is not None and decides(self.judge)
        return {**super().resolved, **({} if counts else {"threshold": ""})}

    def explain(self, batch: Batch) -> pa.Table:
        """Return what the score rests on, as verdicts."""
        found = self.map_of_scores
        usual: Any = {"threshold": HALF, "calibration": None}
        if found and found.thresholds:
            usual = {"threshold": "calibrated"}
        return super(VerdictMetric, replace(self, **({} if self.threshold else usual))).explain(batch)

    def thresholds(self, batch: Batch, rows: Sequence[int]) -> Sequence[float | None]:
        """Return from which probability on a decision model says yes about each of samples ``rows``."""
        if self.threshold != "calibrated":
            return [self.threshold] * len(rows)
        found, languages = cast("Calibration", self.map_of_scores), self.languages(batch)
        return [found.threshold_of(languages[row]) for row in rows]

    def calibrated(self, batch: Batch, rows: Rows) -> Rows:
        """Return rows as they are where they count verdicts: the map is that of probabilities."""
        return rows if self.threshold is not None and decides(self.judge) else super().calibrated(batch, rows)
