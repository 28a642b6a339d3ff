"""The protocols of a metric, and of what it may add: parts, notes, evidence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias, runtime_checkable

from ragauge.core.ragged import FloatArray
from ragauge.core.statistics import Rows, Statistics

if TYPE_CHECKING:
    import pyarrow as pa

    from ragauge.core.batch import Batch

Average: TypeAlias = Literal["samples", "pooled"]
Direction: TypeAlias = Literal["higher", "lower"]
Stage: TypeAlias = Literal["retrieval", "generation", "end-to-end"]
Needs: TypeAlias = tuple[tuple[str, ...], ...]

STAGES: tuple[Stage, ...] = ("retrieval", "generation", "end-to-end")


class Metric(Protocol):
    """A measurement of samples whose statistics add.

    From ``measure`` and ``score`` come per-sample scores, the corpus score, groups, bootstrap intervals and shards,
    with no further code in the metric. An implementation is a frozen dataclass in one file, registered with
    `ragauge.register`; its fields are its options, its text form, its help and its signature.
    """

    @property
    def average(self) -> Average:
        """``samples``: the mean of per-sample scores; ``pooled``: the score of the summed statistics."""
        ...

    @property
    def needs(self) -> Needs:
        """Alternatives of column sets, best first; one of them must be there."""
        ...

    @property
    def stage(self) -> Stage:
        """Which part of a RAG system it measures."""
        ...

    @property
    def direction(self) -> Direction:
        """Whether higher or lower is better."""
        ...

    @property
    def range(self) -> tuple[float, float]:
        """The lowest and the highest score there can be."""
        ...

    @property
    def revision(self) -> int:
        """Raised when the numbers change for the same options."""
        ...

    def measure(self, batch: Batch) -> Rows:
        """Return the statistics of each sample; pure."""
        ...

    def score(self, totals: Statistics) -> FloatArray:
        """Turn statistics with any leading axes into scores of those axes; NaN where there is no value."""
        ...


@runtime_checkable
class Detailed(Protocol):
    """A metric that has parts: precision and recall beside F, BLEU's brevity penalty."""

    def parts(self, totals: Statistics) -> Mapping[str, FloatArray]:
        """Return named parts of the score, each with the leading axes of ``totals``."""
        ...


@runtime_checkable
class Noted(Protocol):
    """A metric whose scores must not be read without a word beside them."""

    @property
    def notes(self) -> Mapping[str, str]:
        """The notes beside each score: name -> meaning.

        A name among ``Rows.noted`` stands there with its count, where that is not 0; any other always.
        """
        ...


@runtime_checkable
class Explained(Protocol):
    """A metric that can show what its score rests on."""

    def explain(self, batch: Batch) -> pa.Table:
        """Return one row per segment of evidence: which sentence, which passage, which similarity."""
        ...
