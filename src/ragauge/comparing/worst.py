"""The samples that fell most, with their texts."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ragauge.comparing.cells import Cells
from ragauge.comparing.pairs import Pairs
from ragauge.ragged import IntArray
from ragauge.result import Result

_TEXTS = ("question", "answer", "references")


@dataclass(frozen=True)
class Fall:
    """A sample on which the candidate is worse than the base."""

    metric: str
    run: str
    id: str
    base: float
    candidate: float
    question: str | None
    base_answer: str | None
    candidate_answer: str | None
    references: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the fall as JSON types."""
        return asdict(self) | {"references": list(self.references)}


def falls(cells: Cells, base: Result, candidate: Result, pairs: Pairs, run: str, count: int) -> list[Fall]:
    """Return up to ``count`` samples whose score fell, the greatest fall first, equal ones by their ids."""
    gain = np.nan_to_num(cells.gain)
    names = np.array(pairs.names.to_pylist(), dtype=object)
    fallen = np.flatnonzero(gain < 0)
    chosen = sorted(fallen.tolist(), key=lambda place: (gain[place].round(12), names[place]))[:count]
    before = _texts(base, pairs.base[chosen])
    after = _texts(candidate, pairs.candidate[chosen])
    return [
        Fall(
            cells.name,
            run,
            str(names[place]),
            float(cells.scores[0, place]),
            float(cells.scores[1, place]),
            old.get("question"),
            old.get("answer"),
            new.get("answer"),
            tuple(old.get("references") or ()),
        )
        for place, old, new in zip(chosen, before, after, strict=True)
    ]


def _texts(result: Result, places: IntArray) -> list[dict[str, Any]]:
    """Read the texts of the samples at ``places``, in that order."""
    wanted = [name for name in _TEXTS if name in result.data.columns]
    found: dict[int, dict[str, Any]] = {}
    start = 0
    for batch in result.data.batches():
        inside = [place for place in places.tolist() if start <= place < start + len(batch)]
        if inside:
            table = batch.table().select(wanted).take([place - start for place in inside])
            found |= dict(zip(inside, table.to_pylist() or [{}] * len(inside), strict=True))
        start += len(batch)
    return [found[place] for place in places.tolist()]
