"""Samples that were left out of a saved run afterwards: by whom, when and why. Nothing of them is removed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from ragauge.core import compute as pc
from ragauge.core.arrow import to_arrow, to_numpy
from ragauge.core.messages import Argument, Counted, Joined, Message, is_of
from ragauge.core.ragged import IntArray
from ragauge.errors import UsageError
from ragauge.results.evidence import StoredEvidence
from ragauge.results.score import SampleScores

LEFT_OUT = "RG-NOTE-047 left out: {n} ({samples})"
_MOST_NAMED = 5


@dataclass(frozen=True)
class LeftOut:
    """A sample that was left out. ``when``: in UTC, as ISO 8601 writes it."""

    id: str
    why: str
    who: str
    when: str


def left_out_of(manifest: Mapping[str, Any]) -> tuple[LeftOut, ...]:
    """Return the samples that were left out of the run with this manifest, in the order in which they were."""
    return tuple([LeftOut(**one) for one in manifest["run"].get("left_out", ())])


def whole_manifest(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Return the manifest as it was before any sample was left out.

    >>> changed = {"run": {"left_out": [{"id": "问1"}]}, "metrics": [], "data": {"samples": 1}}
    >>> whole_manifest({**changed, "whole": {"metrics": ["all"], "samples": 2}})
    {'run': {}, 'metrics': ['all'], 'data': {'samples': 2}}
    """
    before = dict(manifest.get("whole", {}))
    run = {name: value for name, value in manifest["run"].items() if name != "left_out"}
    rest = {name: value for name, value in manifest.items() if name != "whole"}
    metrics = before.pop("metrics", manifest["metrics"])
    return {**rest, "run": run, "metrics": metrics, "data": {**manifest["data"], **before}}


def manifest_without(
    manifest: Mapping[str, Any], left_out: Iterable[LeftOut], scores: list[dict[str, Any]], described: Mapping[str, Any]
) -> dict[str, Any]:
    """Return a whole manifest with samples that are left out.

    Args:
        manifest: as of `whole_manifest`.
        left_out: the samples.
        scores: those of the samples that remain.
        described: number and fingerprints of the samples that remain: ``samples``, ``task``, ``output``.
    """
    before = {"metrics": manifest["metrics"], **{name: manifest["data"][name] for name in described}}
    run = {**manifest["run"], "left_out": [asdict(one) for one in left_out]}
    return {**manifest, "run": run, "metrics": scores, "data": {**manifest["data"], **described}, "whole": before}


def places_kept(manifest: Mapping[str, Any], samples: pa.Table) -> IntArray:
    """Return the places in the data of the samples that were not left out, from 0."""
    ids = [one.id for one in left_out_of(manifest)]
    return np.flatnonzero(to_numpy(pc.invert(pc.is_in(samples["id"], value_set=to_arrow(ids, pa.string())))))


def sample_in_row(samples: pa.Table, row: int) -> str:
    """Return the id of the sample in a row of the data, from 1; UsageError where the data have no such row."""
    if row > len(samples):
        raise UsageError(
            "RG-CLI-048 the run has {rows}; got {row}", Counted(len(samples), "row"), Argument("rows", row)
        )
    return str(samples["id"][row - 1].as_py())


def remaining(
    manifest: Mapping[str, Any],
    samples: pa.Table,
    columns: Mapping[str, SampleScores],
    evidence: StoredEvidence | None,
) -> tuple[pa.Table, Mapping[str, SampleScores], StoredEvidence | None]:
    """Return the samples, scores and evidence of a run without the samples that were left out."""
    ids = [one.id for one in left_out_of(manifest)]
    if not ids:
        return samples, columns, evidence
    places = places_kept(manifest, samples)
    new_places = {int(place): row for row, place in enumerate(places)}

    def kept(column: SampleScores) -> SampleScores:
        return replace(
            column,
            scores=column.scores[places],
            status=column.status[places],
            defaulted=column.defaulted[places],
            parts={name: part[places] for name, part in column.parts.items()},
            statistics={name: numbers[places] for name, numbers in column.statistics.items()},
            reasons={new_places[place]: why for place, why in column.reasons.items() if place in new_places},
        )

    rest = None if evidence is None else replace(evidence, left_out=tuple(ids))
    return samples.take(to_arrow(places)), {name: kept(column) for name, column in columns.items()}, rest


def note_on_left_out(manifest: Mapping[str, Any]) -> tuple[Message, ...]:
    """Return a note with the samples that were left out of a run; none where there are none."""
    left_out = left_out_of(manifest)
    if not left_out:
        return ()
    named = [
        Message("{id}: {why}, by {who}, {day}", one.id, one.why, one.who, one.when.partition("T")[0])
        for one in left_out[:_MOST_NAMED]
    ]
    more = [Message("{n} more", len(left_out) - len(named))] if len(left_out) > len(named) else []
    return (Message(LEFT_OUT, len(left_out), Joined([*named, *more], "; ")),)


def left_out_in(notes: Iterable[str], run: str = "") -> list[str]:
    """Return those of the notes of a run that say which samples were left out; after its name, where it is given."""
    return [Message("{run}: {note}", run, note) if run else note for note in notes if is_of(note, LEFT_OUT)]
