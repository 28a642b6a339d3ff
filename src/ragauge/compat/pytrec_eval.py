"""The calls of pytrec_eval: ``from ragauge.compat import pytrec_eval``.

Facts of pytrec-eval-terrier 0.5.11, which computes by trec_eval 9. Numbers are equal to the last bit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import TypeVar

import numpy as np
import pyarrow as pa

from ragauge.compat._few_rankings import scores_of_few
from ragauge.core.batch import Batch
from ragauge.core.lazy import lazy_pattern
from ragauge.core.protocol import Metric
from ragauge.core.ragged import FloatArray
from ragauge.core.statistics import Rows
from ragauge.core.text_batch import NO_COLUMNS
from ragauge.errors import DataError, did_you_mean
from ragauge.metrics.parse import parse
from ragauge.ranking import DictRankings

__all__ = [
    "RelevanceEvaluator",
    "compute_aggregated_measure",
    "parse_qrel",
    "parse_run",
    "supported_measures",
    "supported_nicknames",
]

__version__ = "0.5.11"
"""The version of pytrec-eval-terrier that this is equal to; ir_measures asks for it."""

Number = TypeVar("Number", int, float)
Scores = Mapping[str, Mapping[str, float]]
_CUTOFFS = ("5", "10", "15", "20", "30", "100", "200", "500", "1000")
_LEVELS = tuple(f"{level / 10:.2f}" for level in range(11))
# Measure -> our metric, and the parameters that it has by default.
_PLAIN: Mapping[str, str] = MappingProxyType(
    {
        "11pt_avg": "iprec:rounding=up", "Rprec": "r-precision", "bpref": "bpref", "infAP": "infap", "map": "map",
        "ndcg": "ndcg", "recip_rank": "mrr", "set_P": "precision", "set_recall": "recall",
    }
)  # fmt: skip
_WITH_PARAMETERS: Mapping[str, tuple[str, tuple[str, ...]]] = MappingProxyType(
    {
        "P": ("precision@{}", _CUTOFFS),
        "iprec_at_recall": ("iprec@{}:rounding=up", _LEVELS),
        "map_cut": ("map@{}", _CUTOFFS),
        "ndcg_cut": ("ndcg@{}", _CUTOFFS),
        "recall": ("recall@{}", _CUTOFFS),
        "success": ("hit-rate@{}", ("1", "5", "10")),
    }
)
# trec_eval takes the logarithm of no smaller value.
_SMALLEST = 0.00001
_LOGARITHMS: Mapping[str, str] = MappingProxyType({"gm_bpref": "bpref", "gm_map": "map"})


def _divided(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    return np.where(denominator > 0, numerator / np.maximum(denominator, 1), 0.0)


# Measure -> it, from the counts of `f1`: hits, places (all that were retrieved), relevant, count.
_OF_COUNTS: Mapping[str, Callable[[Rows], FloatArray]] = MappingProxyType(
    {
        "num_q": lambda rows: rows["count"],
        "num_rel": lambda rows: rows["relevant"],
        "num_rel_ret": lambda rows: rows["hits"],
        "num_ret": lambda rows: rows["places"],
        "set_map": lambda rows: _divided(rows["hits"] ** 2, rows["places"] * rows["relevant"]),
        "set_relative_P": lambda rows: _divided(rows["hits"], np.minimum(rows["places"], rows["relevant"])),
        "utility": lambda rows: 2 * rows["hits"] - rows["places"],
    }
)

_SET_F = "set_F"
supported_measures = frozenset({*_PLAIN, *_WITH_PARAMETERS, *_OF_COUNTS, *_LOGARITHMS, _SET_F})
"""The measures that `RelevanceEvaluator` computes."""
supported_nicknames: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "official": frozenset(
            {"P", "Rprec", "bpref", "gm_map", "iprec_at_recall", "map", "num_q", "num_rel", "num_rel_ret", "num_ret"}
            | {"recip_rank"}
        ),
        "set": frozenset(name for name in supported_measures if name.startswith(("set_", "num_")) or name == "utility"),
        "all_trec": supported_measures,
    }
)
"""Names of several measures: those of trec_eval that are supported here."""


def parse_run(f_run: Iterable[str]) -> dict[str, dict[str, float]]:
    """Read the lines of a TREC run, ``query Q0 document rank score name``: query -> document -> score.

    Raises:
        DataError: a line has another number of fields, a score is not a number, or a document comes twice in a query.

    >>> parse_run(["q1 Q0 d1 1 2.5 bm25"])
    {'q1': {'d1': 2.5}}
    """
    return _parsed(f_run, "run", fields=6, place=4, number=float)


def parse_qrel(f_qrel: Iterable[str]) -> dict[str, dict[str, int]]:
    """Read the lines of TREC judgements, ``query 0 document grade``: query -> document -> grade.

    Raises:
        DataError: a line has another number of fields, a grade is not a whole number, or a document comes twice in
            a query.

    >>> parse_qrel(["q1 0 d1 2"])
    {'q1': {'d1': 2}}
    """
    return _parsed(f_qrel, "qrels", fields=4, place=3, number=int)


def _parsed(
    lines: Iterable[str], name: str, *, fields: int, place: int, number: Callable[[str], Number]
) -> dict[str, dict[str, Number]]:
    rows: dict[str, dict[str, Number]] = {}
    for at, line in enumerate(lines, 1):
        parts = line.split()
        if len(parts) != fields:
            raise DataError(
                "RG-COMPAT-002 {name}: line {at} must have {fields} fields; got {n}", name, at, fields, len(parts)
            )
        query, document = parts[0], parts[2]
        row = rows.setdefault(query, {})
        if document in row:
            raise DataError(
                "RG-COMPAT-003 {name}: line {at}: document {document!r} is in query {query!r} twice",
                name,
                at,
                document,
                query,
            )
        try:
            row[document] = number(parts[place])
        except ValueError:
            raise DataError(
                "RG-COMPAT-004 {name}: line {at}: {parts!r} is not a number", name, at, parts[place]
            ) from None
    return rows


def compute_aggregated_measure(measure: str, values: Sequence[float]) -> float:
    """Return the sum of counts (``num_...``), e to the mean of logarithms (``gm_...``), or the mean of ``values``.

    >>> compute_aggregated_measure("num_ret", [2, 3]), compute_aggregated_measure("map", [0.0, 1.0])
    (5.0, 0.5)
    """
    if measure.startswith("num_"):
        return float(np.sum(values))
    mean = np.mean(values)
    return float(np.exp(mean) if measure.startswith("gm_") else mean)


class RelevanceEvaluator:
    """Scores of rankings, by query and measure.

    Args:
        query_relevance: query -> document -> grade; a query without judgements is left out.
        measures: names such as ``map``, ``ndcg_cut.10``, ``P_5,10`` or ``official``; see `supported_measures`.
        relevance_level: the grade from which a document is relevant.
        judged_docs_only_flag: leave documents without a judgement out of the rankings.

    Raises:
        ValueError: a measure is not supported.
        TypeError: ids, grades or scores are of another type.

    >>> evaluator = RelevanceEvaluator({"q1": {"a": 1, "b": 0}}, {"map", "ndcg_cut.1,10"})
    >>> evaluator.evaluate({"q1": {"a": 0.5, "b": 0.9}})["q1"]["map"]
    0.5
    """

    def __init__(
        self,
        query_relevance: Scores,
        measures: Iterable[str],
        relevance_level: int = 1,
        judged_docs_only_flag: bool = False,
    ) -> None:
        self._qrels = {query: judged for query, judged in query_relevance.items() if judged}
        self._judged_only = judged_docs_only_flag
        self._measures: dict[str, tuple[Metric, Read]] = {}
        metrics: dict[str, Metric] = {}
        names = {each for name in measures for each in supported_nicknames.get(name, (name,))}
        for measure, parameters in sorted(_by_measure(names).items()):
            for full_name, spec, read in _measures_of(measure, parameters):
                colon = "," if ":" in spec else ":"
                written = f"{spec}{colon}score_dtype=float32,level={relevance_level}"
                if written not in metrics:
                    metrics[written] = parse(written)
                self._measures[full_name] = metrics[written], read

    def evaluate(self, scores: Scores) -> dict[str, dict[str, float]]:
        """Return query -> measure -> score, for the queries that both ``scores`` and the judgements have.

        Args:
            scores: query -> document -> score.

        Raises:
            TypeError: an id is not a string, or a score or a grade not a number.
        """
        queries = [query for query in self._qrels if query in scores]
        if not queries or not self._measures:
            return {query: {} for query in queries}
        qrels = {query: self._qrels[query] for query in queries}
        run = {query: self._ranking(query, scores[query]) for query in queries}
        return self._of_few(run, qrels) or self._of_many(run, qrels)

    def _of_few(self, run: Scores, qrels: Scores) -> dict[str, dict[str, float]] | None:
        """Return the scores of few queries; None where arrays have to count."""
        if not all(read is _score for _, read in self._measures.values()) or {*map(type, qrels)} != {str}:
            return None
        metrics = [metric for metric, _ in self._measures.values()]
        rows = scores_of_few(metrics, list(run.values()), list(qrels.values()))
        return None if rows is None else self._named(qrels, rows)

    def _of_many(self, run: Scores, qrels: Scores) -> dict[str, dict[str, float]]:
        queries = list(qrels)
        rankings = DictRankings(run, qrels)
        batch = Batch(NO_COLUMNS, lazy=_UNREAD, n=len(queries)).given("rankings", rankings)
        rows: dict[Metric, Rows] = {}
        try:
            for metric, _ in self._measures.values():
                if metric not in rows:
                    rows[metric] = metric.measure(batch)
        except DataError as error:
            raise TypeError(str(error)) from None
        columns = [read(metric, rows[metric]).tolist() for metric, read in self._measures.values()]
        return self._named(queries, zip(*columns, strict=True))

    def _named(self, queries: Iterable[str], rows: Iterable[Iterable[float]]) -> dict[str, dict[str, float]]:
        named = zip(queries, rows, strict=True)
        return {query: dict(zip(self._measures, row, strict=True)) for query, row in named}

    def _ranking(self, query: str, scores: Mapping[str, float]) -> Mapping[str, float]:
        if not self._judged_only:
            return scores
        # A document with a negative grade was pooled, and not judged.
        judged = self._qrels[query]
        return {document: score for document, score in scores.items() if judged.get(document, -1) >= 0}


Read = Callable[[Metric, Rows], FloatArray]
"""Returns a measure of n queries from the statistics of a metric."""


def _not_read(_most: int | None) -> pa.Array:
    raise AssertionError("rankings are read from the dicts")


_UNREAD = {"retrieved": _not_read, "relevance": _not_read}
# As pytrec_eval: the name of a measure, a point or an underscore, then parameters joined by commas.
_PARAMETERS = lazy_pattern(r"(?P<name>.+?)[._](?P<values>[0-9]+(?:\.[0-9]+)?(?:,[0-9]+(?:\.[0-9]+)?)*)")


def _by_measure(names: Iterable[str]) -> dict[str, set[str]]:
    """Return the parameters of each measure that ``names`` name; of a measure without any, an empty set."""
    parameters: dict[str, set[str]] = {}
    for name in names:
        match = None if name in supported_measures else _PARAMETERS.fullmatch(name)
        measure = name if match is None else match["name"]
        if measure not in (supported_measures if match is None else {*_WITH_PARAMETERS, _SET_F}):
            raise ValueError(f"unsupported measure {name!r}{did_you_mean(name, supported_measures)}")
        parameters.setdefault(measure, set()).update(() if match is None else match["values"].split(","))
    return parameters


def _measures_of(measure: str, parameters: set[str]) -> list[tuple[str, str, Read]]:
    """Return what is reported for ``measure``: full name, spec of ours, and how it is read."""
    if measure == _SET_F:
        # pytrec_eval sorts the parameters as texts, and trec_eval reads the first.
        return [(measure, "f1", partial(_weighted_f, weight=float(min(parameters, default="1"))))]
    if measure in _PLAIN:
        return [(measure, _PLAIN[measure], _score)]
    if measure in _OF_COUNTS:
        return [(measure, "f1", lambda _, rows: _OF_COUNTS[measure](rows))]
    if measure in _LOGARITHMS:
        return [(measure, _LOGARITHMS[measure], _logarithm)]
    spec, defaults = _WITH_PARAMETERS[measure]
    values = sorted(parameters, key=float) or defaults
    # trec_eval names levels of recall with two digits, and cuts no digit off the value that it computes with.
    shown = [f"{float(value):.2f}" if measure == "iprec_at_recall" else value for value in values]
    return [(f"{measure}_{one}", spec.format(value), _score) for one, value in zip(shown, values, strict=True)]


def _score(metric: Metric, rows: Rows) -> FloatArray:
    return metric.score(rows)


def _logarithm(metric: Metric, rows: Rows) -> FloatArray:
    """Return the logarithm of each query's score, by the C library as trec_eval."""
    return np.array([math.log(max(score, _SMALLEST)) for score in metric.score(rows).tolist()])


def _weighted_f(_: Metric, rows: Rows, *, weight: float) -> FloatArray:
    """Return F of all that was retrieved; ``weight`` is the square of beta, as trec_eval takes it."""
    precision, recall = (_divided(rows["hits"], rows[of]) for of in ("places", "relevant"))
    below = weight * precision + recall
    return np.where(below > 0, (weight + 1.0) * precision * recall / np.where(below > 0, below, 1.0), 0.0)
