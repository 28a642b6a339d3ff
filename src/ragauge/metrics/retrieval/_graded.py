"""What metrics of graded gains share: the gain of a grade."""

from __future__ import annotations

from dataclasses import dataclass

from ragauge.metrics.retrieval._gains import Gain
from ragauge.metrics.retrieval._options import check_number
from ragauge.metrics.retrieval._ranked import Averaged


@dataclass(frozen=True, kw_only=True)
class Graded(Averaged):
    """A metric of the discounted gains of a ranking.

    Args:
        gain: ``linear``: the grade; ``exp``: 2^grade - 1; or pairs grade:gain joined by ``/``, other grades being
            linear. A negative grade gains 0.
        k: the cutoff; None: there is none.
    """

    gain: Gain = "linear"
    k: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        table = self.gain if isinstance(self.gain, tuple) else ()
        known = isinstance(self.gain, tuple) or self.gain in ("linear", "exp")
        fair = len(dict(table)) == len(table) and all(grade >= 0 and worth >= 0 for grade, worth in table)
        allowed = "linear or exp or pairs grade:gain joined by '/', each grade once and nothing below 0"
        check_number(self, "gain", allowed, holds=known and fair)
