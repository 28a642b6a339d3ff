"""What every section is made of: the runs, their metrics, the samples they share, and the words."""

from __future__ import annotations

from dataclasses import dataclass

from ragauge.reporting.alignment import Aligned, aligned
from ragauge.reporting.asked import Asked, asked_of
from ragauge.reporting.run import Run
from ragauge.reporting.texts import Texts


@dataclass(frozen=True, eq=False)
class Subject:
    """Runs, the baseline first, and what is known of them together."""

    runs: tuple[Run, ...]
    asked: tuple[Asked, ...]
    found: Aligned
    texts: Texts

    @classmethod
    def of(cls, runs: tuple[Run, ...], texts: Texts) -> Subject:
        """Line up the metrics and the samples of ``runs``."""
        return cls(runs, asked_of(runs), aligned(runs), texts)

    @property
    def names(self) -> list[str]:
        """What the runs are called."""
        return [run.name for run in self.runs]
