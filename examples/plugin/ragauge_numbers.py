"""A metric with evidence: whether the numbers in an answer are in a passage."""

import re
from dataclasses import dataclass

import numpy as np

import ragauge

NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


@ragauge.register("number-support")
@dataclass(frozen=True)
class NumberSupport:
    """The share of an answer's numbers that are in one of its passages."""

    needs, range, revision = (("answer", "contexts"),), (0.0, 1.0), 1
    average, direction, stage = "samples", "higher", "generation"

    def measure(self, batch):
        """Count the numbers of each answer, and those that a passage has."""
        numbers, found = counts = np.zeros((2, len(batch)))
        for row, _, passage in numbers_of(batch):
            counts[:, row] += 1, passage is not None
        status = np.where(numbers > 0, ragauge.Status.OK, ragauge.Status.UNDEFINED)
        return ragauge.Rows.of({"numbers": numbers, "found": found}, status=status)

    def score(self, totals):
        """Divide the sums."""
        return totals["found"] / np.maximum(totals["numbers"], 1)

    def explain(self, batch):
        """Return a row per number: the passage that has it, and whether there is one."""
        rows, texts, best = list(zip(*numbers_of(batch), strict=True)) or ([], [], [])
        found = [passage is not None for passage in best]
        return ragauge.evidence(batch, rows, what="number", texts=texts, best=best, similarity=found, supported=found)


def numbers_of(batch):
    """Return of each number in an answer the sample, the number, and the first passage that has it, or None."""
    samples = zip(batch.column("answer").to_pylist(), batch.column("contexts").to_pylist(), strict=True)
    return [
        (row, number, next((text for text in passages or [] if number in NUMBER.findall(text)), None))
        for row, (answer, passages) in enumerate(samples)
        for number in NUMBER.findall(answer or "")
    ]
