"""The samples of a page in parts: an index, which its list needs, and chunks of what an opened sample shows.

A browser reads the index before the list is there, and the chunks after it. Each row of a chunk holds the passages that
no row before it has: texts that repeat each other stand close together, so that they are compressed well.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

Json = dict[str, Any]

CHUNK = 1_000  # samples; a browser reads so many in about 20 ms, in which a page does not answer
_BY_SAMPLE = ("references", "reference_contexts", "relevance")
_BY_RUN = ("contexts", "evidence", "parts", "reasons")


def in_chunks(payload: Json, size: int = CHUNK) -> Iterator[Any]:
    """Yield the index, and lists of at most ``size`` rows in the order of the samples.

    The index holds what has one value for each sample: ids, questions, languages, columns, answers and scores.
    """
    yield {
        **{name: value for name, value in payload.items() if name not in (*_BY_SAMPLE, "passages")},
        "by_run": [{name: run[name] for name in run if name not in _BY_RUN} for run in payload["by_run"]],
    }
    places: dict[int, int] = {}
    runs = [_by_sample(run) for run in payload["by_run"]]
    for start in range(0, payload["shown"], size):
        yield [_row(payload, runs, place, places) for place in range(start, min(start + size, payload["shown"]))]


def _by_sample(run: Json) -> Json:
    """Return the evidence and the reasons of a run by sample: the place of a sample as text -> metric -> value."""
    turned: dict[str, dict[str, Json]] = {"evidence": {}, "reasons": {}}
    for kind, by_place in turned.items():
        for metric, values in run[kind].items():
            for place, value in values.items():
                by_place.setdefault(place, {})[metric] = value
    return {**run, **turned}


def _row(payload: Json, runs: list[Json], place: int, places: dict[int, int]) -> Json:
    """Return what one sample has; ``places`` maps places of passages in the payload to those on the page, and grows."""
    before = len(places)
    by_run = [_of_run(run, place, places) for run in runs]
    new = [payload["passages"][old] for old in islice(reversed(places), len(places) - before)][::-1]
    shared = {name: payload[name][place] for name in _BY_SAMPLE if payload[name] is not None}
    return {name: value for name, value in {"passages": new, **shared, "by_run": by_run}.items() if value}


def _of_run(run: Json, place: int, places: dict[int, int]) -> Json:
    kinds = {
        "contexts": [_renumbered(context, places) for context in run["contexts"][place]],
        "evidence": run["evidence"].get(str(place)),
        "reasons": run["reasons"].get(str(place)),
        "parts": {metric: _at(parts, place) for metric, parts in run["parts"].items() if parts},
    }
    return {name: value for name, value in kinds.items() if value}


def _renumbered(context: Mapping[str, Any], places: dict[int, int]) -> Json:
    if "passage" not in context:
        return dict(context)
    return {**context, "passage": places.setdefault(context["passage"], len(places))}


def _at(parts: Mapping[str, list[Any]], place: int) -> Json:
    return {name: values[place] for name, values in parts.items()}
