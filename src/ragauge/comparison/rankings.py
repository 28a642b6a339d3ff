"""How alike the rankings of two runs are, and whether metrics put runs in the same order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from math import fsum, nan
from typing import Any

import numpy as np
import pyarrow as pa

from ragauge.comparison.difference import Difference, PairedRuns
from ragauge.core import compute as pc
from ragauge.core.arrow import to_arrow, to_numpy
from ragauge.core.messages import Counted, Joined, Message
from ragauge.core.ragged import FloatArray, IntArray, Lists, Ragged, offsets_of
from ragauge.display.numbers import json_fields, short_number
from ragauge.inference.agreement import kendall
from ragauge.inference.rankings import SharedRanks
from ragauge.ranking.from_arrow import scores_beside
from ragauge.results.result import Result

P = 0.9
"""The probability of going on to the next rank: 86 % of the weight is on the first ten."""
DEPTH = 10


@dataclass(frozen=True)
class RankingLikeness:
    """How alike the rankings of two runs are: means over the questions of both."""

    run: str
    """The candidate."""
    rbo: float
    """Rank-biased overlap with p = .9 down to the end of the shorter ranking, extrapolated to all depths."""
    rbo_seen: float
    """The same without what is extrapolated: at least so much."""
    overlap: float
    """The share of the first ten that both have."""
    tau: float
    """Kendall's tau of the order of what both have; NaN where no question has two such documents."""
    questions: int
    ordered: int
    """Number of questions that tau is the mean of."""

    @property
    def sentence(self) -> str:
        """The same in words."""
        return Message(
            "Rankings of {run} beside the base: RBO {rbo}, overlap@10 {overlap}, Kendall's tau {tau} ({questions})",
            self.run,
            short_number(self.rbo),
            short_number(self.overlap),
            short_number(self.tau),
            Counted(self.questions, "question"),
        )


def ranking_likeness(runs: PairedRuns) -> RankingLikeness | None:
    """Return how alike the rankings of two runs are; None where not both kept rankings of the same questions."""
    base, candidate = _kept(runs.base, runs.samples.base), _kept(runs.candidate, runs.samples.candidate)
    if base is None or candidate is None:
        return None
    (one, of_one), (other, of_other) = base, candidate
    names = pa.concat_arrays([one.strings().cast(pa.large_string()), other.strings().cast(pa.large_string())])
    encoded = names.dictionary_encode()
    rising = np.argsort(to_numpy(pc.sort_indices(encoded.dictionary)))
    codes = rising[to_numpy(encoded.indices)]
    cut = len(one.values)
    ranked = (
        _ranked(Ragged(codes[:cut], one.offsets), *of_one),
        _ranked(Ragged(codes[cut:], other.offsets), *of_other),
    )
    asked = np.flatnonzero((ranked[0].lengths > 0) | (ranked[1].lengths > 0))
    if not len(asked):
        return None
    ranks = SharedRanks.of(*(each.take(asked) for each in ranked))
    tau = ranks.tau()
    ordered = int(np.isfinite(tau).sum())
    rbo, seen, overlap = (_mean(values) for values in (ranks.rbo_ext(P), ranks.rbo(P), ranks.overlap(DEPTH)))
    return RankingLikeness(runs.name, rbo, seen, overlap, _mean(tau[np.isfinite(tau)]), len(asked), ordered)


def _mean(values: FloatArray) -> float:
    """Return the mean, NaN of none, the same to the last bit in any order of the questions."""
    return fsum(values.tolist()) / len(values) if len(values) else nan


def _kept(result: Result, rows: IntArray) -> tuple[Lists, tuple[FloatArray, int]] | None:
    """Return the documents at ``rows`` (m,) of a run, their scores, and the sign of ids among equal scores."""
    if "retrieved" not in result.data.columns:
        return None
    taken = to_arrow(rows)
    ids = result.sample_ids().take(taken)
    lists = Lists.of(result.column("retrieved").take(taken), "retrieved", ids)
    scored = "retrieved_scores" in result.data.columns
    numbers = scores_beside(result.column("retrieved_scores").take(taken) if scored else None, lists, ids)
    ties = next((one.ties for one in result.metrics.values() if hasattr(one, "ties")), "docid-desc")
    return lists, (numbers, {"docid-desc": -1, "docid-asc": 1}.get(ties, 0))


def _ranked(documents: Ragged, scores: FloatArray, sign: int) -> Ragged:
    """Return the documents from the highest score on, of equal ones as ``sign`` says; each once, where it is best."""
    values, rows = documents.values, documents.rows
    if (scores[1:] >= scores[:-1])[rows[1:] == rows[:-1]].any():
        values = values[np.lexsort((sign * values, -scores, rows))]
    keys = rows * (int(values.max(initial=0)) + 1) + values
    first = np.zeros(len(values), dtype=bool)
    first[np.unique(keys, return_index=True)[1]] = True
    return Ragged(values[first], offsets_of(first)[documents.offsets])


@dataclass(frozen=True)
class OrderOfRuns:
    """Whether two metrics put the runs in the same order: Kendall's tau-b, -1 to 1."""

    metrics: tuple[str, str]
    tau: float


def orders_of_runs(differences: Sequence[Difference]) -> list[OrderOfRuns]:
    """Return Kendall's tau of the order of three and more runs by each two metrics that all have; least alike first.

    ``differences``: of all candidates from one base, over all samples. A pair is left out where all runs are equal
    under one of its metrics.
    """
    values: dict[str, list[float]] = {}
    for one in [one for one in differences if one.group is None]:
        sign = -1 if one.direction == "lower" else 1
        values.setdefault(one.metric, [sign * one.base]).append(sign * one.candidate)
    runs = max(map(len, values.values()), default=0)
    whole = {name: np.array(some) for name, some in values.items() if len(some) == runs and np.isfinite(some).all()}
    if runs < 3:
        return []
    ones = np.ones((1, runs))
    found = [
        OrderOfRuns((one, other), float(kendall(whole[one], whole[other], ones)[0]))
        for one, other in combinations(whole, 2)
    ]
    return sorted((one for one in found if np.isfinite(one.tau)), key=lambda one: one.tau)


def likenesses(candidates: Sequence[PairedRuns], differences: Sequence[Difference]) -> dict[str, Any]:
    """Return how alike rankings are, and the orders of runs by all metrics, as JSON types, where there are any.

    ``differences``: of all candidates from one base.
    """
    alike = [json_fields(asdict(one)) for one in map(ranking_likeness, candidates) if one is not None]
    orders = [{"metrics": list(one.metrics), "tau": one.tau} for one in orders_of_runs(differences)]
    return ({"rankings": alike} if alike else {}) | ({"orders": orders} if orders else {})


def sentences(candidates: Sequence[PairedRuns], differences: Sequence[Difference]) -> Iterator[str]:
    """Yield the same in words, the orders of runs by primary metrics alone."""
    yield from (one.sentence for one in map(ranking_likeness, candidates) if one is not None)
    orders = orders_of_runs([one for one in differences if one.primary])
    runs, base = len(candidates) + 1, candidates[0].base
    pairs = [
        Message("{metrics} {tau}", " / ".join(base[name].title for name in one.metrics), short_number(one.tau))
        for one in orders
    ]
    if orders and all(one.tau > 1 - 1e-9 for one in orders):
        yield Message("All primary metrics put the {n} runs in the same order", runs)
    elif orders:
        yield Message("Order of the {n} runs by two metrics, Kendall's tau: {pairs}", runs, Joined(pairs, "; "))
