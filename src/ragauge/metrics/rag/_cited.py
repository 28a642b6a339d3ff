"""Sentences of answers with the passages that they cite: what these support together, alone, and without each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
import pyarrow as pa

from ragauge.core.arrow import to_arrow
from ragauge.core.batch import Batch
from ragauge.core.protocol import Needs, Stage, columns_read
from ragauge.core.protocol import evidence as table_of
from ragauge.core.ragged import Array, BoolArray, FloatArray, IntArray, Ragged
from ragauge.core.statistics import Rows
from ragauge.core.texts import Segments, objects_of
from ragauge.embedders.lexical import Lexical
from ragauge.grounding.cited import UNCITED as CITES_NOTHING
from ragauge.grounding.cited import cited_in
from ragauge.grounding.notes import ACROSS, DANGLING, FROM_ZERO, UNCITED, UNREAD, UNSAID, across, meanings
from ragauge.grounding.support.pairs import Best
from ragauge.metrics._sample_mean import rows_of, sums
from ragauge.metrics.rag._supported import Windowed
from ragauge.sentences import split

_PART = 0.5
"""What support in part counts, and the share of the threshold from which it is such."""
_LEFT_OUT = "it claims nothing, and is left out"
_DANGLING = "it points at no passage"
_TOGETHER = "what the sentence cites does not support it"
_SUPERFLUOUS = "it does not support the sentence alone, and the others support it without it"


@dataclass(frozen=True, eq=False)
class Verdicts:
    """Claims and texts, p pairs, with the weight of each (p,), whether it is supported, and what is unknown."""

    best: Best
    windows: Array
    weight: FloatArray
    supported: BoolArray
    unknown: BoolArray
    reasons: Mapping[int, str]
    counts: Mapping[str, IntArray]


@dataclass(frozen=True, eq=False)
class Cited:
    """The s sentences of n answers and their c citations.

    Shapes: ``counted`` (s,): which sentences count; ``sentence`` and ``passage`` (c,): of each citation, -1 where it
    points at no passage; ``together`` judges the sentences, ``alone`` the citations; ``needed`` (c,): the others do
    not support the sentence without it; ``unknown`` (s,); ``unread`` (n,): entries of the column ``citations``;
    ``from_zero`` (n,): whether numbers count from 0.
    """

    sentences: Segments
    counted: BoolArray
    sentence: IntArray
    passage: IntArray
    together: Verdicts
    alone: Verdicts
    needed: BoolArray
    unknown: BoolArray
    unread: IntArray
    from_zero: IntArray
    by_itself: bool = False
    """Whether a citation counts by what it supports alone."""

    @property
    def uncited(self) -> FloatArray:
        """The share of the sentences that count which cite nothing, by sample, (n,)."""
        bare = np.bincount(self.sentence, minlength=len(self.sentences)) == 0
        return self._mean(bare.astype(np.float64), self.sentences.rows, self.counted)

    @property
    def dangling(self) -> FloatArray:
        """The share of citations that point at no passage, by sample, (n,); 0 where there is none."""
        rows = self.sentences.rows[self.sentence]
        return self._mean((self.passage < 0).astype(np.float64), rows, np.ones(len(rows), dtype=bool))

    @property
    def right(self) -> FloatArray:
        """The weight of each citation, (c,): that of its sentence where it supports it alone or is needed, else 0.

        ``by_itself``: how far it supports the sentence alone.
        """
        if self.by_itself:
            return np.where(self.passage >= 0, self.alone.weight, 0.0)
        fits = (self.passage >= 0) & (self.alone.supported | self.needed) & self.together.supported[self.sentence]
        return np.where(fits, self.together.weight[self.sentence], 0.0)

    @property
    def recall(self) -> FloatArray:
        """The mean weight of the sentences that count, by sample, (n,)."""
        return self._mean(self.together.weight, self.sentences.rows, self.counted)

    @property
    def precision(self) -> FloatArray:
        """The mean weight of the citations of sentences that count, by sample, (n,); 0 where there is none."""
        return self._mean(self.right, self.sentences.rows[self.sentence], self.counted[self.sentence])

    def _mean(self, weight: FloatArray, rows: IntArray, kept: BoolArray) -> FloatArray:
        n = len(self.sentences.offsets) - 1
        number = np.bincount(rows[kept], minlength=n)
        return np.asarray(np.bincount(rows[kept], weight[kept], n) / np.maximum(number, 1))


@dataclass(frozen=True, kw_only=True)
class CitationMetric(Windowed):
    """A metric of citations: its value of each sample comes from the support of sentences by what they cite.

    Args:
        soft: ``false``: support counts 0 or 1. ``graded``: it counts from 0 to 1 around the threshold, half at it.
            ``steps``: as in the support evaluation of TREC RAG it counts 1 from the threshold on, .5 from half of it
            on, else 0, and of citations each counts by what it supports alone; where people of TREC looked at the first
            citation of a sentence, all count here.
    """

    soft: Literal[False, "graded", "steps"] = False  # type: ignore[assignment]  # of these metrics alone

    stage: ClassVar[Stage] = "generation"
    needs: ClassVar[Needs] = (("answer", "contexts", "retrieved"), ("answer", "contexts"))
    revision: ClassVar[int] = 12
    bounds_undefined: ClassVar[bool] = True
    explained: ClassVar[str] = "answer sentence"

    def counts(self, best: Best) -> FloatArray:
        """Return the weight of each segment in the share, (s,)."""
        if self.soft != "steps":
            return super().counts(best)
        limit = self.scorer.resolved_threshold.value
        return np.where(best.reaches(limit), 1.0, np.where(best.reaches(limit * _PART), _PART, 0.0))

    def value(self, cited: Cited) -> FloatArray:
        """Return the value of each sample, (n,)."""
        raise NotImplementedError

    def measure(self, batch: Batch) -> Rows:
        """Return the value of each answer."""
        cited = self.cited(batch)
        sentences = cited.sentences
        lost = np.unique(sentences.rows[cited.unknown & cited.counted]).tolist()
        reasons = {row: cited.together.reasons.get(row) or cited.alone.reasons.get(row, "no answer") for row in lost}
        rows, n, counted = sentences.rows, len(batch), cited.counted
        has = np.bincount(cited.sentence, minlength=len(sentences)) > 0
        dangling = np.bincount(rows[cited.sentence[cited.passage < 0]], minlength=n)
        counts = {
            UNSAID: np.bincount(rows[~counted], minlength=n),
            UNCITED: np.bincount(rows[counted & ~has], minlength=n),
            DANGLING: dangling,
            UNREAD: cited.unread,
            FROM_ZERO: cited.from_zero,
        }
        for name, each in cited.together.counts.items():
            counts[name] = np.bincount(rows[each > 0], minlength=n).clip(max=1)
        if self.model is None and isinstance(self.embedder, Lexical):
            counts[ACROSS] = across(batch, "answer", "contexts").astype(np.int64)
        undefined = sums(counted, sentences.offsets) == 0
        return rows_of(self.value(cited), undefined, reasons, counts, **self.shares(cited))

    def shares(self, _cited: Cited) -> dict[str, FloatArray]:
        """Return the parts of the score by name, (n,) each."""
        return {}

    @property
    def notes(self) -> Mapping[str, str]:
        """The notes that may accompany a score, with their meanings."""
        return {**super().notes, **meanings(UNSAID, UNCITED, DANGLING, UNREAD, FROM_ZERO)}

    def cited(self, batch: Batch) -> Cited:
        """Return sentences and citations, judged once for all metrics of the same options."""
        return batch.derived(("cited", self.identity.partition("[")[2]), lambda: self._cited(batch))

    def explain(self, batch: Batch) -> pa.Table:
        """Return a row per sentence of the answer, and one per citation: what supports it, or why it does not count."""
        cited = self.cited(batch)
        texts, rows, whole = cited.sentences.windows(1).values, cited.sentences.rows, cited.together
        has = np.bincount(cited.sentence, minlength=len(texts)) > 0
        why = [
            _LEFT_OUT if not counted else CITES_NOTHING if not some else None if held else _TOGETHER
            for counted, some, held in zip(cited.counted, has, whole.supported, strict=True)
        ]
        held = [one if counted else None for one, counted in zip(whole.supported.tolist(), cited.counted, strict=True)]
        offsets = batch.segments("contexts").offsets
        numbers = (cited.passage - offsets[rows[cited.sentence]] + 1).tolist()
        right = cited.right > 0
        whys = [
            _DANGLING if place < 0 else None if good else _SUPERFLUOUS if joint else _TOGETHER
            for place, good, joint in zip(cited.passage, right, whole.supported[cited.sentence], strict=True)
        ]
        marks = [f"[{number}] " if place >= 0 else "" for number, place in zip(numbers, cited.passage, strict=True)]
        cites = [f"{mark}{text}" for mark, text in zip(marks, texts[cited.sentence], strict=True)]
        order = np.argsort(np.concatenate([np.arange(len(texts)), cited.sentence]), kind="stable")
        first = table_of(
            batch, rows, what="answer sentence", texts=texts.tolist(), best=_shown(whole),
            similarity=_degrees(whole), supported=held, why=why,
        )  # fmt: skip
        second = table_of(
            batch, rows[cited.sentence], what="citation", texts=cites, best=_shown(cited.alone),
            similarity=_degrees(cited.alone), supported=right.tolist(), why=whys,
        )  # fmt: skip
        return pa.concat_tables([first, second]).take(to_arrow(order)).combine_chunks()

    def _cited(self, batch: Batch) -> Cited:
        found = cited_in(batch, by_ids="retrieved" in columns_read(self, batch.names))
        sentences, sentence, passage = found.sentences, found.sentence, found.passage
        count = len(sentences)
        contexts = batch.segments("contexts").texts
        groups = [tuple[int, ...]()] * count
        for one, place in zip(sentence.tolist(), passage.tolist(), strict=True):
            groups[one] += (place,) if place >= 0 else ()
        together = self._verdicts(batch, np.arange(count), groups, sentences, contexts)
        single = [(place,) if place >= 0 else () for place in passage.tolist()]
        alone = self._verdicts(batch, sentence, single, sentences, contexts)
        # Only where the sentence is supported, and not by the citation alone, does it matter what the others do.
        asked = np.flatnonzero(together.supported[sentence] & ~alone.supported & (passage >= 0))
        others = [tuple(p for p in groups[sentence[one]] if p != passage[one]) for one in asked.tolist()]
        rest = self._verdicts(batch, sentence[asked], others, sentences, contexts)
        needed = np.zeros(len(sentence), dtype=bool)
        needed[asked] = ~rest.supported
        unknown = together.unknown.copy()
        for judged, places in ((alone, sentence), (rest, sentence[asked])):
            unknown[places[judged.unknown]] = True
        whole = sentences, found.counted, sentence, passage, together, alone, needed, unknown
        return Cited(*whole, found.unread, found.from_zero, self.soft == "steps")

    def _verdicts(
        self, batch: Batch, sentence: IntArray, groups: Sequence[tuple[int, ...]], sentences: Segments, contexts: Array
    ) -> Verdicts:
        """Return how each group of passages, joined as one text, supports its sentence."""
        offsets = np.arange(len(groups) + 1)
        joined = objects_of(["\n".join(contexts[place] for place in group) for group in groups])
        claims = Segments.whole(Ragged(sentences.strings.values[sentence], offsets))
        evidence = Segments.whole(Ragged(joined, offsets)).split(split)
        degrees = self.degrees(batch, claims, evidence, self.width)
        best = degrees.by_claim
        limit = self.scorer.resolved_threshold.value
        unknown = best.failed if self.softness else best.unknown(limit)
        rows = sentences.rows[sentence]
        reasons = {int(rows[number]): why for number, why in degrees.reasons.items()}
        windows = evidence.windows(self.shown).values
        return Verdicts(best, windows, self.counts(best), best.reaches(limit), unknown, reasons, degrees.counts)


def _shown(judged: Verdicts) -> list[str | None]:
    return [judged.windows[place] if place >= 0 else None for place in judged.best.place.tolist()]


def _degrees(judged: Verdicts) -> FloatArray:
    return np.where((judged.best.place >= 0) & ~judged.unknown, judged.best.value, np.nan)
