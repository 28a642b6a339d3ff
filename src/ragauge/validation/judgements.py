"""How far two sets of relevance judgements agree, as of people and of a judge, and what that does to systems."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import isnan, nan
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ragauge.core.arrow import to_arrow, to_numpy, whole
from ragauge.core.hashing import hash_strings
from ragauge.core.messages import Counted, Message
from ragauge.core.options import Range, checked_value
from ragauge.core.ragged import FloatArray, IntArray
from ragauge.core.statistics import ratio
from ragauge.display.html import Displayed
from ragauge.display.numbers import interval, json_fields, number, percentage
from ragauge.display.table import Block, Notes, Paragraph, Table, TableColumn, TableRow
from ragauge.engines.evaluate import evaluate
from ragauge.errors import DataError, UsageError
from ragauge.evaluation.summarize import Level, Replicates, Seed
from ragauge.formats.runs import read_qrels
from ragauge.inference.agreement import cohen_kappa, kendall, weighted_kappa
from ragauge.inference.intervals import NO_INTERVAL, percentile
from ragauge.metrics.parse import parse
from ragauge.validation.labels import replicate_weights


@dataclass(frozen=True)
class JudgementAgreement:
    """A measure of agreement, with its interval; NaN where it is not known."""

    measure: str
    value: float
    low: float
    high: float


@dataclass(frozen=True, eq=False, repr=False)
class JudgementComparison(Displayed):
    """Two sets of judgements beside each other."""

    agreements: tuple[JudgementAgreement, ...]
    """``same grade`` and ``same side`` (both relevant or neither), shares of the documents that both judged; ``kappa``,
    Cohen's, and ``weighted kappa``, with squared weights; of several systems ``tau-b`` of their orders."""
    systems: Mapping[str, tuple[float, float]]
    """The metric's mean over the queries that both judged, by the first judgements and by the second."""
    metric: str
    queries: int
    both: int
    """Documents that both judged."""
    first_alone: int
    second_alone: int
    level: float

    def __getitem__(self, measure: str) -> JudgementAgreement:
        return next(one for one in self.agreements if one.measure == measure)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON types."""
        fields = {name: value for name, value in vars(self).items() if name not in ("agreements", "systems")}
        systems = {name: {"first": first, "second": second} for name, (first, second) in self.systems.items()}
        return json_fields({**fields, "agreements": [json_fields(asdict(one)) for one in self.agreements]}) | {
            "systems": systems
        }

    def blocks(self) -> Iterator[Block]:
        """Yield what both judged, how far they agree, and the systems by each."""
        yield Paragraph(
            Message(
                "{both} of {queries} judged by both; {first:,} by the first alone, {second:,} by the second alone; "
                "{level} intervals, by query",
                Counted(self.both, "document"),
                Counted(self.queries, "query", "queries"),
                self.first_alone,
                self.second_alone,
                percentage(self.level),
            )
        )
        heads = (TableColumn("agreement", "name"), TableColumn("value", "number"), TableColumn("interval", "number"))
        rows = [
            TableRow((one.measure, number(one.value, one.low, one.high), interval(one.low, one.high)))
            for one in self.agreements
        ]
        yield Table(Message("how far the judgements agree"), heads, tuple(rows))
        if self.systems:
            heads = (TableColumn("system", "name"), TableColumn("first", "number"), TableColumn("second", "number"))
            order = sorted(self.systems.items(), key=lambda one: -one[1][0])
            rows = [TableRow((name, *map(number, means))) for name, means in order]
            yield Table(Message("{metric} of systems by each", self.metric), heads, tuple(rows))
        yield Notes(self.notes)

    @property
    def notes(self) -> tuple[Message, ...]:
        """Why numbers are not there."""
        lacking = [_LACKING[one.measure.removeprefix("weighted ")] for one in self.agreements if isnan(one.value)]
        return tuple(map(Message, dict.fromkeys([*([_ONE_QUERY] if self.queries == 1 else []), *lacking])))


_ONE_QUERY = "RG-NOTE-302 there are no intervals, as the documents that both judged are of one query"
_LACKING = {
    "kappa": "RG-NOTE-303 kappa is not defined where all grades are equal",
    "tau-b": "RG-NOTE-304 tau-b is not defined where all systems score the same by one of the judgements, or no query "
    "has a score of each system",
}


def judgements(
    first: Any,
    second: Any,
    runs: Sequence[Any] | Mapping[str, Any] = (),
    metric: str = "ndcg@10",
    *,
    relevant: float = 1.0,
    level: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
) -> JudgementComparison:
    """Return how far two sets of relevance judgements agree, and whether systems come in the same order by each.

    Args:
        first: judgements, of people for example, in any form that ``evaluate(qrels=...)`` reads.
        second: others of the same queries, as ``ragauge export --to "trec[what=qrels]"`` writes those of a judge.
        runs: rankings of systems, in any form that ``evaluate(run=...)`` reads; named by a mapping, or by their files.
        metric: the retrieval metric that orders the systems.
        relevant: the least grade of a relevant document, for the share on the same side.
        level: of the intervals; queries are their units.
        resamples: number of bootstrap replicates.
        seed: of the replicates.

    Raises:
        DataError: no document is in both, one has two grades in one of them, or a file cannot be read.
        UsageError: the metric does not score rankings.
        OptionError: an argument has a wrong value.

    >>> people = {"q1": {"a": 2, "b": 0}, "q2": {"c": 1, "d": 0}}
    >>> judge = {"q1": {"a": 3, "b": 0}, "q2": {"c": 1, "d": 1}}
    >>> runs = {"old": {"q1": {"b": 2, "a": 1}, "q2": {"c": 1}}, "new": {"q1": {"a": 2, "b": 1}, "q2": {"c": 1}}}
    >>> found = judgements(people, judge, runs)
    >>> found["same grade"].value, found["same side"].value, found["tau-b"].value
    (0.5, 0.75, 1.0)

    Source: the measures of agreement of UMBRELA (Upadhyay et al. 2024) and, for the order of systems, Kendall's tau as
    by Voorhees (1998), "Variations in relevance judgments and the measurement of retrieval effectiveness".
    """
    checked_value("judgements", "level", level, Level)
    checked_value("judgements", "resamples", resamples, Replicates)
    checked_value("judgements", "seed", seed, Seed)
    checked_value("judgements", "relevant", relevant, Annotated[float, Range()])
    if not any("retrieved" in columns for columns in parse(metric).needs):
        raise UsageError("RG-VALID-024 {metric} does not score rankings; name a metric that does, as ndcg@10", metric)
    left, right = _Grades.of(first), _Grades.of(second)
    places, others = left.shared(right)
    if not len(places):
        raise DataError("RG-VALID-022 the two sets of judgements have no document of the same query in common")
    x, y, queries = left.grades[places], right.grades[others], left.queries.take(to_arrow(places))

    def agreeing(weights: FloatArray) -> FloatArray:
        total = weights.sum(axis=1)
        sides = (x >= relevant) == (y >= relevant)
        shares = [ratio(weights @ (x == y), total), ratio(weights @ sides, total)]
        return np.stack([*shares, cohen_kappa(x, y, weights), weighted_kappa(x, y, weights)])

    keys = hash_strings(queries)
    units = len(np.unique(keys))
    observed = agreeing(np.ones((1, len(x))))[:, 0]
    drawn = np.concatenate([agreeing(weights) for weights in replicate_weights(keys, resamples, seed)], axis=1)
    limits = [percentile(own, level, units) if units > 1 else NO_INTERVAL for own in drawn]
    names = ("same grade", "same side", "kappa", "weighted kappa")
    agreed = [
        JudgementAgreement(name, float(value), *ends) for name, value, ends in zip(names, observed, limits, strict=True)
    ]
    named = runs if isinstance(runs, Mapping) else {_name(run, place): run for place, run in enumerate(runs, 1)}
    shared, scores = _scores([*named.values()], (first, second), metric)
    if len(named) > 1:
        agreed.append(_tau(shared, scores, level, resamples, seed))
    means = scores.mean(axis=2) if shared else np.full((len(named), 2), nan)
    systems = {
        name: (float(by_first), float(by_second)) for name, (by_first, by_second) in zip(named, means, strict=True)
    }
    counts = (units, len(x), len(left.grades) - len(x), len(right.grades) - len(x))
    return JudgementComparison(tuple(agreed), systems, metric, *counts, level)


@dataclass(frozen=True)
class _Grades:
    """The grades of n judged documents, (n,), with their queries and both names in one."""

    grades: FloatArray
    queries: pa.Array
    names: pa.Array

    @classmethod
    def of(cls, source: Any) -> _Grades:
        table = read_qrels(source).combine_chunks()
        lists = whole(table["relevance"])
        judged = lists.flatten()
        queries = whole(table["id"]).take(pc.list_parent_indices(lists)).cast(pa.string())
        documents, grades = judged.field("id").cast(pa.string()), to_numpy(judged.field("grade")).astype(np.float64)
        names = pc.binary_join_element_wise(queries, documents, "\0")
        codes = to_numpy(names.dictionary_encode().indices)
        first = np.unique(codes, return_index=True)[1]
        template = "RG-VALID-023 query {query!r}: document {document!r} is judged {first:g} and {second:g}"
        problems = [
            Message(template, queries[row].as_py(), documents[row].as_py(), grades[first[codes[row]]], grades[row])
            for row in np.flatnonzero(grades != grades[first[codes]]).tolist()
        ]
        if problems:
            raise DataError.of(source, problems, advice="Keep one judgement of each document.")
        kept = np.sort(first)
        return cls(grades[kept], queries.take(to_arrow(kept)), names.take(to_arrow(kept)))

    def shared(self, other: _Grades) -> tuple[IntArray, IntArray]:
        """Return the places of the documents that both have, here and in the other."""
        found = pc.index_in(self.names, other.names)
        places = np.flatnonzero(to_numpy(found.is_valid()))
        return places, to_numpy(found.take(to_arrow(places))).astype(np.int64)


def _name(run: Any, place: int) -> str:
    return str(run) if isinstance(run, str | Path) else str(place)


def _scores(runs: Sequence[Any], both: tuple[Any, Any], metric: str) -> tuple[list[str], FloatArray]:
    """Return the q queries that each run has a score for by both judgements, and these, (runs, 2, q)."""
    found: list[dict[str, float]] = []
    for run in runs:
        for qrels in both:
            result = evaluate(run=run, qrels=qrels, metrics=[parse(metric)], resamples=0)
            scores = result.scores(next(iter(result.metrics)))
            ids = result.sample_ids().to_pylist()
            found.append({name: score for name, score in zip(ids, scores.tolist(), strict=True) if not isnan(score)})
    shared = sorted(set.intersection(*map(set, found))) if found else []
    values = [[one[query] for query in shared] for one in found]
    return shared, np.array(values, dtype=np.float64).reshape(len(runs), 2, len(shared))


def _tau(shared: list[str], scores: FloatArray, level: float, resamples: int, seed: int) -> JudgementAgreement:
    """Return Kendall's tau-b of the systems' means by both judgements."""
    if not shared:
        return JudgementAgreement("tau-b", nan, *NO_INTERVAL)
    equal = np.ones((1, len(scores)))
    # The order of sums is that of means: all systems have the same weights.
    drawn = [
        kendall(sums[0], sums[1], equal)[0]
        for weights in replicate_weights(hash_strings(shared), resamples, seed)
        for sums in np.einsum("rq,sjq->rjs", weights, scores)
    ]
    by_first, by_second = scores.mean(axis=2).T
    value = float(kendall(by_first, by_second, equal)[0])
    limits = percentile(np.array(drawn), level, len(shared)) if len(shared) > 1 else NO_INTERVAL
    return JudgementAgreement("tau-b", value, *limits)
