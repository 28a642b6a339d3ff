"""Whether two runs may be compared: the same metrics, asked of the same task."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from ragauge.comparing.pairs import Pairs, column
from ragauge.errors import UnknownNameError, UsageError
from ragauge.fingerprint import TASK, hash_column
from ragauge.result import Result

_SHOWN = 3


class Match(NamedTuple):
    """A metric that both runs have: the name that each has it under."""

    base: str
    candidate: str


def matched(
    base: Result, candidate: Result, wanted: Iterable[str], runs: tuple[str, str]
) -> tuple[list[Match], list[str]]:
    """Pair the metrics of two runs, and note what is in one only and which versions differ.

    Args:
        base: a run.
        candidate: another.
        wanted: the metrics to compare; none for all that both have.
        runs: what to call them.

    Raises:
        UnknownNameError: a run does not have a metric that is wanted.
        UsageError: the runs share no metric, or one was computed with other options or another revision.
    """
    asked = list(wanted)
    names = [base.name(name) for name in asked] or list(base.metrics)
    heads = {_head(candidate, name): name for name in candidate.metrics}
    by_identity = {_identity(candidate, name): name for name in candidate.metrics}
    found, only, differing = [], [], []
    for name in names:
        identity = _identity(base, name)
        if identity in by_identity:
            found.append(Match(name, by_identity[identity]))
        elif _head(base, name) in heads:
            differing.append(_difference(name, identity, _identity(candidate, heads[_head(base, name)]), runs))
        elif asked:
            raise UnknownNameError.of(f"metric in {runs[1]}:", name, candidate.metrics)
        else:
            only.append(name)
    if differing:
        raise UsageError("\n".join([*differing, "score both runs with the same options, or choose metrics with -m"]))
    if not found:
        message = f"the runs share no metric: {runs[0]} has {', '.join(base.metrics)}; {runs[1]} has "
        raise UsageError(message + ", ".join(candidate.metrics))
    taken = {match.candidate for match in found}
    rest = [name for name in candidate.metrics if name not in taken and not asked]
    return found, [*_absent(only, runs[0]), *_absent(rest, runs[1]), *_versions(base, candidate, found, runs)]


def check_task(base: Result, candidate: Result, pairs: Pairs, runs: tuple[str, str]) -> list[str]:
    """Note which task columns only one run has.

    Raises:
        UsageError: paired samples differ in what was asked or how it is judged.
    """
    notes: list[str] = []
    problems: list[str] = []
    for name in TASK:
        there = [name in result.data.columns for result in (base, candidate)]
        if all(there):
            problems += _changed(name, base, candidate, pairs)
        elif any(there):
            notes.append(f"only {runs[there.index(True)]} has the column {name}")
    if problems:
        advice = "runs can be compared only where question, references and relevance are the same; score both again"
        heading = f"{runs[0]} and {runs[1]} are of different tasks:"
        raise UsageError("\n".join([heading, *(f"  {problem}" for problem in problems), advice]))
    return notes


def _changed(name: str, base: Result, candidate: Result, pairs: Pairs) -> Iterator[str]:
    left = hash_column(column(base, name))[pairs.base]
    right = hash_column(column(candidate, name))[pairs.candidate]
    places = np.flatnonzero(left != right)
    if len(places):
        ids = ", ".join(repr(pairs.names[int(place)].as_py()) for place in places[:_SHOWN])
        more = ", ..." if len(places) > _SHOWN else ""
        yield f"{name} differs in {len(places)} of {len(pairs)} samples: {ids}{more}"


def _signature(result: Result, name: str) -> tuple[str, str]:
    """Return what was computed, and by which versions, as it was recorded then."""
    identity, _, versions = result[name].signature.rpartition("|ragauge=")
    return identity, "ragauge=" + versions.partition(" #")[0]


def _identity(result: Result, name: str) -> str:
    return _signature(result, name)[0]


def _head(result: Result, name: str) -> str:
    """Return the metric without its options: ``ndcg@10``."""
    return result.metrics[name].partition(":")[0]


def _difference(name: str, left: str, right: str, runs: tuple[str, str]) -> str:
    mine, theirs = left.split("|"), right.split("|")
    said = [", ".join(part for part in parts if part not in other) for parts, other in ((mine, theirs), (theirs, mine))]
    return f"{name} is not the same number in both runs: {said[0] or '-'} in {runs[0]}, {said[1] or '-'} in {runs[1]}"


def _absent(names: list[str], run: str) -> list[str]:
    return [f"only {run} has {', '.join(names)}"] if names else []


def _versions(base: Result, candidate: Result, found: list[Match], runs: tuple[str, str]) -> list[str]:
    pairs = {(_signature(base, match.base)[1], _signature(candidate, match.candidate)[1]) for match in found}
    return [
        f"other versions: {runs[0]} has {old.replace('|', ', ')}; {runs[1]} has {new.replace('|', ', ')}"
        for old, new in sorted(pairs)
        if old != new
    ]
