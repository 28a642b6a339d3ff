"""``abstention``, ``over-refusal``: the answers that decline."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from ragauge.core.batch import Batch
from ragauge.core.protocol import Direction, Needs
from ragauge.core.registry import register
from ragauge.core.statistics import Rows
from ragauge.metrics._sample_mean import rows_of
from ragauge.metrics.rag._abstaining import Abstaining, answerable, counts_of_notes, declined


@register(
    "abstention",
    aliases=("abstained", "refusal-rate"),
    variants={"over-refusal": {"among": "answerable", "direction": "lower"}},
    meanings={
        "over-refusal": "Over-refusal: the share of the questions that can be answered whose answer declines; one in "
        "part counts half.",
    },
)
@dataclass(frozen=True, kw_only=True)
class Abstention(Abstaining):
    """Abstention: the share of the answers that decline to answer; those that decline in part count half.

    Formula:
        score = mean over samples of: 1 if the whole answer declines, 1/2 if some of its sentences do, else 0

    A sentence declines where it says nothing but that an answer is not given, of the system itself or of the material
    that it was given to answer from. A paper by its name alone ("the lease") declines where it lacks the answer to a
    question ("does not say whether"), and is a claim where it lacks a thing ("mentions no deadline"). That is
    recognised by words, in English, Chinese, Japanese, Korean, German, Spanish, French, Portuguese, Italian, Dutch,
    Russian, Arabic, Hindi, Thai, Turkish, Vietnamese, Indonesian and Polish; a note counts answers in other languages.

    Unit and range: a share, 0 to 1; neither end is better in itself (``direction``). An empty answer declines.

    ``over-refusal`` is the rate among the questions that can be answered: those with a true mark in the column
    ``answerable`` or ``is_answerable``, or a false one in ``is_impossible`` or ``unanswerable``, or else with a
    reference that is not empty and does not itself decline. The missed refusals are the rest of
    ``abstention:among=unanswerable``.

    ``undefined``: with ``among``, the question is one of the others.

    Args:
        among: the questions that count: ``all``, or those that are ``answerable`` or ``unanswerable``.
        direction: whether ``higher`` or ``lower`` counts as better where runs are compared.

    Raises:
        DataError: a mark says neither yes nor no.

    >>> import pyarrow as pa
    >>> metric = Abstention()
    >>> answers = ["At nine.", "资料里没有提到。", "The passages do not say when. It is in Hangzhou."]
    >>> batch = Batch(pa.table({"answer": answers}))
    >>> metric.score(metric.measure(batch)).tolist()
    [0.0, 1.0, 0.5]

    Not for: whether it was right to decline (``abstention-accuracy``), nor refusals in unusual words, of which more
    or fewer are found by language, as the guide on trust says.

    Source: the rates of Rajpurkar, Jia and Liang 2018, "Know what you don't know: unanswerable questions for SQuAD",
    where an empty answer declines; here an answer is a text.
    """

    among: Literal["all", "answerable", "unanswerable"] = "all"
    direction: Direction = "higher"  # type: ignore[misc]  # no direction is this metric's own
    average: Literal["samples"] = "samples"

    @property
    def needs(self) -> Needs:  # type: ignore[override]  # of the class where it reads which questions are answerable
        """The answer, and for ``among`` what says which questions can be answered."""
        return (("answer",),) if self.among == "all" else Abstaining.needs

    def measure(self, batch: Batch) -> Rows:
        """Return how far each answer declines."""
        left_out = np.zeros(len(batch), dtype=bool)
        if self.among != "all":
            left_out = answerable(self, batch) != (self.among == "answerable")
        return rows_of(np.where(left_out, 0.0, declined(batch)), left_out, {}, counts_of_notes(self, batch))
