"""A run's scores as named numbers and words, for targets that keep a flat table of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import isfinite
from typing import Any

from ragauge._version import __version__
from ragauge.results.result import Result
from ragauge.results.score import Score
from ragauge.writers.names import encodable
from ragauge.writers.writer import FinishedRun

_COUNTS = ("scored", "total", "undefined", "missing", "failed")


def measures(result: Result, separator: str) -> dict[str, float]:
    """Return each mean by its name, and by ``name + separator + word`` all that it takes to trust it.

    The words are ``low`` and ``high`` (the interval), ``coverage`` (scored / total, 0 to 1), the counts ``scored``,
    ``total``, ``undefined``, ``missing``, ``failed`` and, where it is not 0, ``undefined_scored``; for all samples also
    ``bound_low`` and ``bound_high`` (the means if all failed samples had scored the worst, or the best), each part of
    the score and each count of its notes. A number that is not known is left out: a metric without a scored sample has
    no mean, and its counts say so.

    >>> import ragauge
    >>> rows = [{"answer": "林婉", "references": ["林婉"]}, {"answer": "茶", "references": ["林婉"]}]
    >>> numbers = measures(ragauge.evaluate(rows, "exact-match"), ".")
    >>> numbers["exact-match"], numbers["exact-match.coverage"], numbers["exact-match.failed"]
    (0.5, 1.0, 0)
    """
    numbers: dict[str, float] = {}
    for score in result.table:
        name = score_name(score)
        for word, number in score_numbers(score):
            if isfinite(number):
                numbers.setdefault(f"{name}{separator}{word}" if word else name, number)
    return numbers


def score_numbers(score: Score) -> Iterator[tuple[str, float]]:
    """Yield the numbers of a score, each behind its word; that of the mean is empty."""
    yield "", score.value
    yield "low", score.low
    yield "high", score.high
    yield "coverage", score.scored / score.total if score.total else float("nan")
    yield from ((name, getattr(score, name)) for name in _COUNTS)
    if score.undefined_scored:
        yield "undefined_scored", score.undefined_scored
    # There may be many groups.
    if score.group is None:
        yield from zip(("bound_low", "bound_high"), score.bounds or (), strict=False)
        yield from score.parts.items()
        yield from score.noted.items()


def score_name(score: Score) -> str:
    """Return the metric's name, and of a group its column and value: ``ndcg@10 by lang=zh``."""
    if score.group is None:
        return score.metric
    [(column, value)] = score.group.items()
    return f"{score.metric} by {column}={value}"


def descriptions(result: Result) -> dict[str, Mapping[str, Any]]:
    """Return of each metric what is no number: direction, stage, average, signature and, if any, notes.

    >>> import ragauge
    >>> described = descriptions(ragauge.evaluate([{"answer": "a", "references": ["a"]}], "exact-match"))
    >>> described["exact-match"]["direction"]
    'higher'
    """
    return {score.metric: _described(score) for score in result.table if score.group is None}


def _described(score: Score) -> dict[str, Any]:
    words = {name: getattr(score, name) for name in ("direction", "stage", "average", "signature")}
    notes = ", ".join([*([score.compared_by] if score.compared_by else []), *score.notes])
    return {**words, **({"notes": notes} if notes else {})}


def known_of(run: FinishedRun) -> dict[str, Any]:
    """Return what is known of a run beside its scores: versions, data, tag, commit, and whether it passed its gate."""
    known = {name: run.manifest[name] for name in ("created", "tag", "commit") if name in run.manifest}
    gate = {} if run.gate is None else {"gate": "passed" if run.gate.passed else "failed"}
    options = {name: run.result.options[name] for name in ("level", "interval")}
    data = {"data": encodable(run.result.data.source), "samples": run.result.samples}
    return {"version": __version__, **known, **gate, **options, **data}


def config_of(run: FinishedRun) -> dict[str, Any]:
    """Return what is known of a run and of each metric, for the config of an experiment tracker."""
    metrics = {name: dict(words) for name, words in descriptions(run.result).items()}
    return {"ragauge": {**known_of(run), "metrics": metrics}}
