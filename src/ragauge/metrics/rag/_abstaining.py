"""What metrics of abstention share: which answers decline, which questions can be answered, and what they show."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar, cast

import numpy as np
import pyarrow as pa

from ragauge.core import compute as pc
from ragauge.core.arrow import to_arrow, to_numpy
from ragauge.core.batch import Batch
from ragauge.core.protocol import Metric, Needs, Stage, columns_read, evidence
from ragauge.core.ragged import BoolArray, FloatArray, IntArray
from ragauge.errors import DataError
from ragauge.grounding.claims import sentences_of
from ragauge.grounding.declining import unsaid
from ragauge.grounding.evasion import are_evasive, is_set
from ragauge.grounding.support.units import languages_of
from ragauge.metrics._sample_mean import SampleMean
from ragauge.sentences import split

_MARKS = {"answerable": True, "is_answerable": True, "is_impossible": False, "unanswerable": False}
"""Column that says which questions can be answered -> the mark of those that can."""
_OPPOSITE = "said by its opposite"
_MAY_BE_UNKNOWN = "refusals may be unknown"
_QUESTION = "[?？؟][\\s\"'”’»」）)]*$"


class Abstaining(SampleMean):
    """Base of the metrics of abstention; ``needs`` is of those that read which questions can be answered."""

    needs: ClassVar[Needs] = (*[("answer", name) for name in _MARKS], ("answer", "references"))
    stage: ClassVar[Stage] = "end-to-end"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    revision: ClassVar[int] = 6
    notes: ClassVar[Mapping[str, str]] = MappingProxyType(
        {
            _MAY_BE_UNKNOWN: "answers without a known refusal in a language that is none of the eleven told apart; "
            "refusals are known in these, and in Portuguese, Italian, Dutch, Turkish, Vietnamese, Indonesian and "
            "Polish",
            _OPPOSITE: "samples whose column is_impossible or unanswerable was read, as the opposite of answerable",
        }
    )

    def explain(self, batch: Batch) -> pa.Table:
        """Return one row per sentence of an answer; ``similarity`` is 1 for those that decline, else 0."""
        sentences = batch.segments("answer", split)
        texts = sentences.strings.values.tolist()
        return evidence(batch, sentences.rows, what="answer sentence", texts=texts, similarity=_declining(batch))


def declined(batch: Batch) -> FloatArray:
    """Return how far each answer declines, (n,): 1 if nothing else is in it, .5 if some sentences do, else 0.

    A question beside a sentence that declines is nothing else: "Can I help with anything more?"
    """
    sentences, some = sentences_of(batch, "answer", "skip")
    declining = _declining(batch)
    asking = to_numpy(pc.match_substring_regex(to_arrow(sentences.strings.values, pa.large_string()), _QUESTION))
    claims = np.bincount(sentences.rows, some & ~declining & ~asking, len(batch))
    declines = (np.bincount(sentences.rows, declining, len(batch)) > 0) | (sentences.lengths == 0)
    return np.where(declines, np.where(claims == 0, 1.0, 0.5), 0.0)


def _declining(batch: Batch) -> BoolArray:
    """Return which sentences of the answers decline, (s,)."""

    def make() -> BoolArray:
        return unsaid(batch.segments("answer", split).strings.values.tolist())

    return batch.derived("declining sentences", make)


def counts_of_notes(metric: Abstaining, batch: Batch) -> Mapping[str, IntArray]:
    """Return for each note its count in each sample, (n,)."""
    other = np.array([told == "other" for told in languages_of(batch.strings("answer"))], dtype=bool)
    opposite = not _MARKS.get(_column(metric, batch), True)
    return {
        _MAY_BE_UNKNOWN: (other & (declined(batch) == 0.0)).astype(np.int64),
        _OPPOSITE: np.full(len(batch), opposite, dtype=np.int64),
    }


def _column(metric: Abstaining, batch: Batch) -> str:
    """Return the column that says which questions can be answered; that of the answer where none is read."""
    return columns_read(cast("Metric", metric), batch.names)[-1]


def answerable(metric: Abstaining, batch: Batch) -> FloatArray:
    """Return 1 for questions that can be answered, else 0, (n,): as marked, or as a reference answers them.

    Raises:
        DataError: a mark says neither yes nor no.
    """
    column = _column(metric, batch)
    if column not in _MARKS:
        references = batch.strings("references")
        answering = np.array([bool(text.strip()) for text in references], dtype=bool) & ~are_evasive(references)
        return np.minimum(np.bincount(batch.owners("references"), answering, len(batch)), 1.0)
    marks = batch.column(column).to_pylist()
    # A row without a mark is missing, and does not count.
    values = [mark is not None and is_set(mark) for mark in marks]
    wrong = [(place, marks[place]) for place, value in enumerate(values) if value is None]
    if wrong:
        template = "RG-METRIC-020 column {column} must have true or false, yes or no, or 1 or 0 in each row; not {rows}"
        raise DataError(template, column, batch.named(wrong))
    return np.array([value == _MARKS[column] for value in values], dtype=np.float64)
