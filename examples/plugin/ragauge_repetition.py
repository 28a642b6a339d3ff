"""A metric of text: how much of an answer repeats itself."""

from dataclasses import dataclass, field
from functools import partial
from typing import ClassVar

import numpy as np
import numpy.typing as npt

import ragauge


@ragauge.register("repetition")
@dataclass(frozen=True)
class Repetition:
    """Repetition: the share of an answer's tokens that were in it before.

    Args:
        tokenizer: splits the answers into tokens.
    """

    tokenizer: ragauge.Tokenizer = field(default_factory=partial(ragauge.tokenizers.get, "auto"))
    average: ClassVar[ragauge.Average] = "pooled"
    needs: ClassVar[ragauge.Needs] = (("answer",),)
    stage: ClassVar[ragauge.Stage] = "generation"
    direction: ClassVar[ragauge.Direction] = "lower"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    revision: ClassVar[int] = 1

    def measure(self, batch: ragauge.Batch) -> ragauge.Rows:
        """Count the tokens of each answer, and those that were in it before."""
        tokens = batch.tokens("answer", self.tokenizer)
        repeated = [len(codes) - len(set(codes)) for codes in tokens.to_lists()]
        status = np.where(tokens.lengths > 0, ragauge.Status.OK, ragauge.Status.UNDEFINED)
        return ragauge.Rows.of({"repeated": repeated, "tokens": tokens.lengths}, status=status)

    def score(self, totals: ragauge.Statistics) -> npt.NDArray[np.float64]:
        """Divide the sums."""
        return totals["repeated"] / np.maximum(totals["tokens"], 1)
