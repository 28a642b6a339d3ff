"""Why samples got worse: the first cause that rankings, answers and the kept evidence of two runs show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal, TypeAlias

import numpy as np

from ragauge.comparison.difference import PairedRuns
from ragauge.core.arrow import to_arrow
from ragauge.core.messages import Counted, Joined, Message
from ragauge.core.ragged import FloatArray, IntArray
from ragauge.core.statistics import Status
from ragauge.display.numbers import printable
from ragauge.errors import worded
from ragauge.grounding.evasion import are_evasive
from ragauge.languages.scripts import overlap, scripts, shares
from ragauge.metrics.column import Column
from ragauge.results.result import Result
from ragauge.results.storage import UnknownMetric

Why: TypeAlias = Literal[
    "failed",
    "other language",
    "passage lost",
    "declined",
    "contradicted",
    "added",
    "rank fell",
    "reference alone",
    "unexplained",
]
"""The causes, in the order in which they are looked for: what comes first in a pipeline explains what follows."""

_RIVAL = "the passage has {rival} where the claim has {claimed}"
_NEGATIONS = (
    "the claim has a negation, the passage has none there",
    "the passage has a negation there, the claim has none",
)
_AGAINST_PASSAGE = (
    "the answer has {claimed} where the passage has {rival}",
    "the answer says the opposite of the passage: {text}",
)
_AGAINST_REFERENCE = (
    "the answer has {claimed} where the reference has {rival}",
    "the answer says the opposite of the reference: {text}",
)
_ALIKE = 0.5
"""The share of a sentence's pairs of letters that a text has which contradicts it; others are about other things."""
_ENOUGH = 8
"""Letters of an answer from which on the lack of kana tells something."""
_TEXTS = ("question", "answer", "references", "contexts", "retrieved", "retrieved_scores", "relevance")
_SHOWN = 80
"""Characters of a sentence that are shown."""


@dataclass(frozen=True)
class Cause:
    """Why a candidate is worse on a sample.

    ``why`` is one of `Why`; ``text`` a sentence that names the passage, the values or the sentence that decided.
    """

    run: str
    id: str
    why: Why
    text: str
    metrics: tuple[str, ...]
    """The metrics under which the sample is worse."""


def counted_causes(found: Sequence[Cause], worse: int) -> str:
    """Return on how many samples a candidate is worse, and how many of ``found`` have each cause, the most first."""
    counts = Counter(one.why for one in found).most_common()
    reasons = Joined([Message("{n:,} {cause}", count, worded(why)) for why, count in counts])
    samples = Counted(worse, "sample")
    if len(found) < worse:
        return Message("Worse on {samples}, of the first {n:,}: {causes}", samples, len(found), reasons)
    return Message("Worse on {samples}: {causes}", samples, reasons)


def worse_samples(runs: PairedRuns, metrics: Collection[str]) -> dict[int, list[str]]:
    """Return the samples on which the candidate is worse, by place, and under which metrics.

    A sample is worse where its score fell under one of ``metrics`` that is no plain column, or where the candidate
    failed.
    """
    worse: dict[int, list[str]] = {}
    for metric in runs.metrics:
        if metric.name not in metrics or isinstance(runs.base.metrics[metric.name], Column):
            continue
        gone = (metric.status[0] == Status.OK) & (metric.status[1] == Status.FAILED)
        for place in np.flatnonzero((metric.gain < 0) | gone).tolist():
            worse.setdefault(place, []).append(metric.name)
    return dict(sorted(worse.items()))


def causes(runs: PairedRuns, worse: Mapping[int, Sequence[str]]) -> list[Cause]:
    """Return the cause of each of the `worse_samples`, in their order.

    Nothing is scored again: without metrics that keep evidence, such as groundedness, what an answer says beside its
    passages is not seen.
    """
    places = np.array(list(worse), dtype=np.int64)
    before = _sides(runs.base, runs.samples.base[places])
    after = _sides(runs.candidate, runs.samples.candidate[places])
    ids = runs.samples.names.take(to_arrow(places)).to_pylist()
    found = []
    for place, name, old, new in zip(places.tolist(), ids, before, after, strict=True):
        stages = {runs.base[metric].stage for metric in worse[place]}
        why, text = _Change(old, new, generation="generation" in stages).cause()
        found.append(Cause(runs.name, name, why, text, tuple(worse[place])))
    return found


@dataclass(frozen=True)
class _Side:
    """A sample in one run: its texts, and the evidence of what its answer says, by what it was compared with."""

    texts: Mapping[str, Any]
    beside_passages: Sequence[Mapping[str, Any]]
    beside_references: Sequence[Mapping[str, Any]]
    failure: str | None
    evasive: bool
    writing: FloatArray
    """The share of each script among the letters of the answer, of `shares`."""
    asked: FloatArray
    """The same of the question."""

    @property
    def answer(self) -> str:
        return self.texts.get("answer") or ""

    @property
    def unsupported(self) -> list[Mapping[str, Any]]:
        """What the answer says without its passages."""
        return [row for row in self.beside_passages if row["supported"] is False]

    @cached_property
    def ranks(self) -> dict[str, int]:
        """The rank of each relevant document that was retrieved, from 1; with equal scores as they were given."""
        retrieved, scores = self.texts.get("retrieved") or [], self.texts.get("retrieved_scores")
        order = sorted(range(len(retrieved)), key=lambda place: -scores[place]) if scores else range(len(retrieved))
        relevant = {one["id"] for one in self.texts.get("relevance") or [] if one["grade"] > 0}
        return {retrieved[place]: rank for rank, place in enumerate(order, 1) if retrieved[place] in relevant}

    def holds(self, passage: str) -> bool:
        """Return whether a part of a passage is among the passages."""
        return any(_bare(passage) in _bare(one) for one in self.texts.get("contexts") or ())


def _bare(text: str) -> str:
    return "".join(text.split())


def _shared(claim: str, text: str) -> float:
    """Return the share of the pairs of neighbouring letters of a claim that a text has too."""
    own, other = ({*pairwise(letters)} for letters in map(_letters, (claim, text)))
    return len(own & other) / max(len(own), 1)


def _letters(text: str) -> str:
    return "".join(one for one in text.casefold() if one.isalnum())


def _sides(result: Result, rows: IntArray) -> Iterator[_Side]:
    """Yield the samples at ``rows`` (m,) of a run."""
    names = [name for name in _TEXTS if name in result.data.columns]
    texts = {name: result.column(name).take(to_arrow(rows)).to_pylist() for name in names}
    ids = result.sample_ids().take(to_arrow(rows))
    evidence: dict[str, list[dict[str, Any]]] = {}
    for row in [] if result.evidence is None else result.evidence.rows(ids):
        evidence.setdefault(row["id"], []).append(row)
    sides = {name: _side_of(result, name) for name in result.metrics}
    answers, questions = ([text or "" for text in texts.get(name, [""] * len(rows))] for name in ("answer", "question"))
    evasive, writing, asked = are_evasive(answers), shares(answers), shares(questions)
    failures = [result.reasons(name) for name in result.metrics]
    for place, (name, row) in enumerate(zip(ids.to_pylist(), rows.tolist(), strict=True)):
        of_sample = evidence.get(name, [])
        failed = next((reasons[row] for reasons in failures if row in reasons), None)
        yield _Side(
            {name: values[place] for name, values in texts.items()},
            [one for one in of_sample if sides.get(one["metric"]) == "contexts"],
            [one for one in of_sample if sides.get(one["metric"]) == "references"],
            failed,
            bool(evasive[place]),
            writing[place],
            asked[place],
        )


def _side_of(result: Result, metric: str) -> str | None:
    """Return the column that a metric compares answers with: contexts or references, if it is known here."""
    if isinstance(result.metrics[metric], UnknownMetric):
        return None
    needs = {column for columns in result.metric(metric).needs for column in columns}
    return next((name for name in ("contexts", "references") if {"answer", name} <= needs), None)


@dataclass(frozen=True)
class _Change:
    """A sample before and after; ``generation``: a metric of the answer fell, not of the retrieval alone."""

    old: _Side
    new: _Side
    generation: bool

    def cause(self) -> tuple[Why, str]:
        """Return the first cause that is found, and its sentence."""
        if self.new.failure is not None and self.old.failure is None:
            return "failed", Message("failed: {reason}", _cut(self.new.failure))
        found = self._answer() if self.generation else self._ranking()
        return found or ("unexplained", Message("nothing that was kept explains it"))

    def _answer(self) -> tuple[Why, str] | None:
        return (
            self._other_language()
            or self._lost()
            or self._declined()
            or self._contradicted()
            or self._added()
            or self._reference_alone()
        )

    def _ranking(self) -> tuple[Why, str] | None:
        before, after = self.old.ranks, self.new.ranks
        gone = [name for name in before if name not in after]
        if gone:
            name = min(gone, key=before.__getitem__)
            template = "passage {name} is no longer retrieved; its rank was {rank}"
            return "passage lost", Message(template, printable(name), before[name])
        fell = [name for name in before if after[name] > before[name]]
        if fell:
            name = min(fell, key=before.__getitem__)
            template = "the rank of passage {name} fell from {before} to {after}"
            return "rank fell", Message(template, printable(name), before[name], after[name])
        return None

    def _other_language(self) -> tuple[Why, str] | None:
        before, after = self.old.writing, self.new.writing
        asked = self.new.asked if self.new.asked.any() else before
        if not before.any() or not after.any():
            return None
        same = overlap(np.stack([after, after]), np.stack([before, asked])).any()
        # Chinese and Japanese share characters, but Japanese is hardly written without kana.
        han, *kana = map(scripts().names.index, ("han", "hiragana", "katakana"))
        has_kana = [bool(one[kana].any()) for one in (before, after, asked)]
        both = before[han] > 0 and after[han] > 0
        turned = both and has_kana[0] == has_kana[2] != has_kana[1] and len(_letters(self.new.answer)) >= _ENOUGH
        if same and not turned:
            return None
        return "other language", Message("the answer is in another language: {text}", _cut(self.new.answer))

    def _lost(self) -> tuple[Why, str] | None:
        """The passage that the answer rested on is gone, or all that are relevant, and the answer suffers from it."""
        rested = [row["best"] for row in self.old.beside_passages if row["supported"] and row["best"]]
        gone = [passage for passage in rested if not self.new.holds(passage)]
        if rested and len(gone) < len(rested):
            return None
        found = self._ranking()
        if found is not None and found[0] == "passage lost" and (gone or not self.new.ranks):
            return found
        if gone and self.new.texts.get("contexts") is not None and not self.new.ranks:
            return "passage lost", Message("the passage is gone that the answer rested on: {text}", _cut(gone[0]))
        return None

    def _declined(self) -> tuple[Why, str] | None:
        if not self.new.evasive or self.old.evasive:
            return None
        return "declined", Message("the answer declines: {text}", _cut(self.new.answer))

    def _contradicted(self) -> tuple[Why, str] | None:
        """A sentence that was not there before has another value than the passage, or than the reference."""
        sides = (
            (self.old.beside_passages, self.new.beside_passages, *_AGAINST_PASSAGE),
            (self.old.beside_references, self.new.beside_references, *_AGAINST_REFERENCE),
        )
        for before, after, template, opposite in sides:
            known = {row["text"] for row in before}
            for row in after:
                new = row["supported"] is False and row["text"] not in known and row["what"].startswith("answer")
                if not new or _shared(row["text"], row["best"] or "") < _ALIKE:
                    continue
                if isinstance(row["why"], Message) and row["why"].template == _RIVAL:
                    values = row["why"].values
                    return "contradicted", Message(template, values["claimed"], values["rival"])
                if row["why"] in _NEGATIONS:
                    return "contradicted", Message(opposite, _cut(row["text"]))
        return None

    def _added(self) -> tuple[Why, str] | None:
        known = {row["text"] for row in self.old.unsupported}
        new = [row["text"] for row in self.new.unsupported if row["text"] not in known]
        if len(self.new.unsupported) <= len(self.old.unsupported) or not new:
            return None
        return "added", Message("no passage supports: {text}", _cut(new[0]))

    def _reference_alone(self) -> tuple[Why, str] | None:
        if not self.new.beside_passages or self.new.unsupported or self.new.answer == self.old.answer:
            return None
        lacking = [row for row in self.new.beside_references if row["what"].startswith("reference")]
        text = next((row["text"] for row in lacking if row["supported"] is False), self.new.answer)
        return "reference alone", Message("its passages support the answer; the reference has: {text}", _cut(text))


def _cut(text: str) -> str:
    short = " ".join(text[: _SHOWN + 1].split())
    return printable(short if len(text) <= _SHOWN else f"{short[:_SHOWN]}…")
