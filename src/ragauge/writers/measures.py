"""A run's scores as named numbers and words, for targets that keep a flat table of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ragauge._version import __version__
from ragauge.results.result import Result
from ragauge.results.score import Score
from ragauge.writers.names import encodable
from ragauge.writers.writer import FinishedRun

_NUMBERS = ("low", "high", "coverage", "scored", "total", "undefined", "missing", "failed")


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
    for score in result.score_table().to_pylist():
        group = "" if score["by"] is None else f" by {score['by']}={score['group']}"
        for word, number in score_numbers(score).items():
            numbers.setdefault(f"{score['metric']}{group}{word and separator}{word}", number)
    return numbers


def score_numbers(score: Mapping[str, Any]) -> dict[str, float]:
    """Return the known numbers of a row of `Result.score_table`, each by its word; that of the mean is empty."""
    numbers = [("", score["value"]), *((name, score[name]) for name in _NUMBERS)]
    numbers.append(("undefined_scored", score["undefined_scored"] or None))
    # There may be many groups, so they get no more than this.
    if score["by"] is None:
        numbers += [(name, score[name]) for name in ("bound_low", "bound_high")]
        numbers += [*score["parts"], *score["noted"]]
    known: dict[str, float] = {}
    for word, number in numbers:
        if number is not None:
            known.setdefault(word, number)
    return known


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
    notes = ", ".join(filter(None, (score.compared_by, *score.notes)))
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
