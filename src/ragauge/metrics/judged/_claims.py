"""The claims of texts, and which passages support them, by a judge's verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from types import MappingProxyType
from typing import Any, ClassVar, Literal, cast

import numpy as np
import pyarrow as pa

from ragauge.core.batch import Batch
from ragauge.core.protocol import evidence
from ragauge.core.ragged import BoolArray, FloatArray, IntArray, Ragged, offsets_of
from ragauge.core.statistics import Rows
from ragauge.grounding.declining import unsaid
from ragauge.grounding.notes import UNSAID, meanings
from ragauge.metrics._sample_mean import rows_of
from ragauge.metrics.judged._base import reasons_of, with_question
from ragauge.metrics.judged._forms import CLAIMS, SUPPORT, citations
from ragauge.metrics.judged._verdicts import VerdictMetric
from ragauge.sentences import split

NOT_SUPPORTED = "the judge cites no passage for it"


@dataclass(frozen=True, eq=False)
class Claims:
    """The claims of m texts of n samples.

    Shapes: ``by_text``: m lists of str; ``texts`` (n + 1,): where each sample's texts begin. ``reasons``: why a sample
    has no claims, where the judge did not list them.
    """

    by_text: Ragged
    texts: IntArray
    reasons: Mapping[int, str]

    @property
    def by_sample(self) -> Ragged:
        """The claims of each sample, of all its texts: n lists of str."""
        return Ragged(self.by_text.values, self.by_text.offsets[self.texts])

    @property
    def failed(self) -> BoolArray:
        """Which samples have no claims because the judge did not list them, (n,)."""
        failed = np.zeros(len(self.texts) - 1, dtype=bool)
        failed[list(self.reasons)] = True
        return failed


@dataclass(frozen=True, eq=False)
class SupportMatrix:
    """Which passages support which claims of n samples, sample after sample, claim by claim.

    Shapes: ``claims`` and ``passages`` (n + 1,): where each sample's claims and passages begin, c and p in all;
    ``supports`` (sum of c_i * p_i,): how far, 0 or 1, or a probability.

    >>> matrix = SupportMatrix(np.array([0, 2]), np.array([0, 2]), np.array([True, False, False, False]))
    >>> matrix.by_claim(), matrix.by_passage()
    (array([1., 0.]), array([1., 0.]))
    """

    claims: IntArray
    passages: IntArray
    supports: FloatArray | BoolArray

    @cached_property
    def widths(self) -> IntArray:
        """The number of passages beside each claim, (c,)."""
        return np.repeat(np.diff(self.passages), np.diff(self.claims))

    @cached_property
    def claim(self) -> IntArray:
        """The claim of each value, among all claims."""
        return np.repeat(np.arange(self.claims[-1]), self.widths)

    @cached_property
    def passage(self) -> IntArray:
        """The passage of each value, among all passages."""
        first = np.repeat(self.passages[:-1], np.diff(self.claims))
        before = np.repeat(np.cumsum(self.widths) - self.widths, self.widths)
        return np.repeat(first, self.widths) + np.arange(len(self.supports)) - before

    def by_claim(self, of_passages: FloatArray | None = None) -> FloatArray:
        """Return how far the best passage supports each claim, (c,).

        ``of_passages`` (p,): how far each passage counts; None: all do.
        """
        supports = self.supports if of_passages is None else self.supports * of_passages[self.passage]
        return _most(self.claim, supports, int(self.claims[-1]))

    def by_passage(self) -> FloatArray:
        """Return how far each passage supports the claim that it supports best, (p,)."""
        return _most(self.passage, self.supports, int(self.passages[-1]))

    def shares_by_passage(self) -> FloatArray:
        """Return for each passage the share of its sample's claims that it supports, (p,); 0 without claims.

        Probabilities add up to the number of supported claims that is to be expected.
        """
        counts = np.bincount(self.passage, self.supports, int(self.passages[-1]))
        return np.asarray(counts / np.maximum(np.repeat(np.diff(self.claims), np.diff(self.passages)), 1))

    def first_passage(self) -> IntArray:
        """Return the first passage that supports each claim, (c,), among all passages; -1 where none does."""
        first = np.full(int(self.claims[-1]), -1, dtype=np.int64)
        # Later values overwrite earlier ones, so the first passage is written last.
        there = np.asarray(self.supports, dtype=bool)
        first[self.claim[there][::-1]] = self.passage[there][::-1]
        return first


def _most(places: IntArray, degrees: FloatArray | BoolArray, count: int) -> FloatArray:
    most = np.zeros(count)
    np.maximum.at(most, places, degrees)
    return most


@dataclass(frozen=True, eq=False)
class Supported:
    """Which passages support the claims of each sample; ``reasons``: why that is not known, by sample."""

    claims: Ragged
    passages: Sequence[Sequence[str]]
    matrix: SupportMatrix
    reasons: Mapping[int, str]


@dataclass(frozen=True, kw_only=True)
class ClaimMetric(VerdictMetric):
    """A judged metric that counts claims.

    Args:
        claims: ``sentences``: a text's sentences are its claims, without those that only say that something is not
            known: half the questions, and the same claims each time. ``judge``: the judge takes each text apart first.
    """

    claims: Literal["sentences", "judge"] = "sentences"
    revision: ClassVar[int] = 8

    @property
    def prompts_used(self) -> tuple[str, ...]:  # type: ignore[override]  # of the class where it is one for all options
        """The names of the prompts that it may use."""
        return ("support",) if self.claims == "sentences" else ("claims", "support")

    @property
    def notes(self) -> Mapping[str, str]:
        """The notes that may accompany a score, with their meanings."""
        return meanings(UNSAID) if self.claims == "sentences" else {}

    def skipped(self, batch: Batch, column: str) -> dict[str, IntArray]:
        """Return the count of sentences of ``column`` that claim nothing, and are left out, of each sample, (n,)."""
        if self.claims != "sentences":
            return {}
        return {UNSAID: batch.segments(column, split).lengths - self.claims_in(batch, column).by_sample.lengths}

    def rows(
        self,
        batch: Batch,
        value: FloatArray,
        claims_nothing: BoolArray,
        reasons: Mapping[int, str],
        parts: Mapping[str, FloatArray] = MappingProxyType({}),
        column: str = "answer",
    ) -> Rows:
        """Return rows of ``value`` (n,): undefined is what ``claims_nothing`` (n,), unless the judge failed on it."""
        undefined = np.array(claims_nothing)
        undefined[list(reasons)] = False
        return rows_of(value, undefined, reasons, self.skipped(batch, column), **parts)

    def claims_in(self, batch: Batch, column: str) -> Claims:
        """Return the claims of the texts of ``column``; where the judge is asked, of open samples alone."""
        if self.claims == "sentences":
            return batch.derived(("claims for judges", column), partial(_sentences, batch, column))
        whole = batch.segments(column)
        texts, owners = whole.strings.values.tolist(), whole.rows
        opened = self.open(batch)
        places = [place for place, text in enumerate(texts) if text.strip() and opened[owners[place]]]
        rows = owners[places].tolist()
        data = [
            {**question, "text": texts[place]}
            for question, place in zip(with_question(batch, rows), places, strict=True)
        ]
        replied = self.replies(batch, CLAIMS, rows, data)
        lists: list[list[str]] = [[] for _ in texts]
        for place, reply in zip(places, replied, strict=True):
            lists[place] = reply.value["claims"] if reply.ok else []
        return Claims(listed(lists), whole.offsets, reasons_of(rows, replied))

    def supported(self, batch: Batch, claims: Claims, passages: Sequence[Sequence[str]]) -> Supported:
        """Return which of a sample's ``passages`` support each of its claims; one question a sample."""
        by_sample = claims.by_sample
        has_text = [any(map(str.strip, texts)) for texts in passages]
        has_both = (by_sample.lengths > 0) & np.array(has_text, dtype=bool)
        rows = self.askable(batch, has_both & ~claims.failed)
        data: list[dict[str, Any]] = [
            {**question, "passages": list(passages[row]), "claims": own, "count": len(own)}
            for question, row in zip(with_question(batch, rows), rows, strict=True)
            for own in [by_sample[row].tolist()]
        ]
        replied = dict(zip(rows, self.replies(batch, SUPPORT, rows, data), strict=True))
        blocks = [np.zeros(0)]
        for row, (count, texts) in enumerate(zip(by_sample.lengths.tolist(), passages, strict=True)):
            reply = replied.get(row)
            known = reply is not None and reply.ok
            cited = citations(cast("Any", reply).value, len(texts)) if known else np.zeros((count, len(texts)))
            blocks.append(np.asarray(cited, dtype=np.float64).ravel())
        matrix = SupportMatrix(
            by_sample.offsets, offsets_of([len(texts) for texts in passages]), np.concatenate(blocks)
        )
        lost = {row: reply.reason for row, reply in replied.items() if not reply.ok}
        return Supported(by_sample, passages, matrix, {**claims.reasons, **lost})


def evidence_of(batch: Batch, support: Supported, what: str) -> pa.Table:
    """Return one row per claim, with the first passage that supports it; none of a sample that failed."""
    rows, first = support.claims.rows, support.matrix.first_passage()
    kept = np.flatnonzero(~np.isin(rows, list(support.reasons)))
    passages = [text for texts in support.passages for text in texts]
    places = first[kept].tolist()
    return evidence(
        batch,
        rows[kept],
        what=what,
        texts=support.claims.values[kept].tolist(),
        best=[passages[place] if place >= 0 else None for place in places],
        supported=[place >= 0 for place in places],
        why=[None if place >= 0 else NOT_SUPPORTED for place in places],
    )


def passages_of(batch: Batch, column: str = "contexts") -> list[list[str]]:
    """Return the passages of each sample; blank ones keep their place."""
    return [[text or "" for text in texts or []] for texts in batch.column(column).to_pylist()]


def listed(lists: Sequence[Sequence[str]]) -> Ragged:
    """Return lists of texts as one array of objects and offsets."""
    values = np.empty(sum(map(len, lists)), dtype=object)
    values[:] = [text for texts in lists for text in texts]
    return Ragged(values, offsets_of([len(texts) for texts in lists]))


def _sentences(batch: Batch, column: str) -> Claims:
    by_text = batch.segments(column, split).by_text().strings
    return Claims(by_text.where(~unsaid(by_text.values.tolist())), batch.segments(column).offsets, {})
