"""A sample in one run, as it was kept: its texts, its evidence, and what is told of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any
from unicodedata import normalize

from ragauge.core.arrow import to_arrow
from ragauge.core.lazy import lazy_pattern
from ragauge.core.ragged import FloatArray, IntArray
from ragauge.grounding.evasion import are_evasive
from ragauge.grounding.support.units import languages_of
from ragauge.languages.scripts import shares
from ragauge.results.result import Result
from ragauge.results.storage import UnknownMetric

_TEXTS = ("question", "answer", "references", "contexts", "retrieved", "retrieved_scores", "relevance")
_SENTENCE = lazy_pattern(r"[.!?。！？\n]+")


@dataclass(frozen=True)
class KeptSample:
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
    languages: tuple[str, str]
    """Of the answer and the question, as `languages_of` tells them."""

    @property
    def answer(self) -> str:
        """The answer; empty where there is none."""
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
        """Return whether the passages have all sentences of a text, however they are parted and written."""
        return all(letters_of(sentence) in self._letters for sentence in _SENTENCE.split(passage))

    @cached_property
    def _letters(self) -> str:
        return "".join(map(letters_of, self.texts.get("contexts") or ()))


@lru_cache(maxsize=1 << 12)
def letters_of(text: str) -> str:
    """Return the letters and digits of a text, in lower case and in the form that looks alike."""
    return "".join(filter(str.isalnum, normalize("NFKC", text).casefold()))


def kept_samples(result: Result, rows: IntArray, beside: Result) -> Iterator[KeptSample]:
    """Yield the samples at ``rows`` (m,) of a run, with the evidence of metrics that ``beside`` has too."""
    names = [name for name in _TEXTS if name in result.data.columns]
    texts = {name: result.column(name).take(to_arrow(rows)).to_pylist() for name in names}
    ids = result.sample_ids().take(to_arrow(rows))
    shared = set(map(str, beside.metrics.values()))
    sides = {
        name: side
        for name, metric in result.metrics.items()
        if str(metric) in shared and (side := side_of(result, name)) is not None
    }
    evidence: dict[str, list[dict[str, Any]]] = {}
    for row in [] if result.evidence is None else result.evidence.of(ids, list(sides)).to_pylist():
        evidence.setdefault(row["id"], []).append(row)
    answers, questions = ([text or "" for text in texts.get(name, [""] * len(rows))] for name in ("answer", "question"))
    evasive, writing, asked = are_evasive(answers), shares(answers), shares(questions)
    spoken = list(zip(languages_of(answers), languages_of(questions), strict=True))
    failures = [result.reasons(name) for name in result.metrics]
    for place, (name, row) in enumerate(zip(ids.to_pylist(), rows.tolist(), strict=True)):
        of_sample = evidence.get(name, [])
        failed = next((reasons[row] for reasons in failures if row in reasons), None)
        yield KeptSample(
            {name: values[place] for name, values in texts.items()},
            # Passages that an answer does not use are no part of what it says.
            [one for one in of_sample if sides[one["metric"]] == "contexts" and one["what"].startswith("answer")],
            [one for one in of_sample if sides[one["metric"]] == "references"],
            failed,
            bool(evasive[place]),
            writing[place],
            asked[place],
            spoken[place],
        )


def side_of(result: Result, metric: str) -> str | None:
    """Return what a metric compares answers with: contexts or references; None: neither, or it is not known here."""
    if isinstance(result.metrics[metric], UnknownMetric):
        return None
    needs = {column for columns in result.metric(metric).needs for column in columns}
    return next((name for name in ("contexts", "references") if {"answer", name} <= needs), None)
