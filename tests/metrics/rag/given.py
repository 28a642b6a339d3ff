"""Degrees and vectors that a test gives, so that only the formula is tested."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from ragauge.core.batch import Batch
from ragauge.core.ingredients import Role
from ragauge.core.protocol import Metric
from ragauge.core.ragged import FloatArray, Ragged
from ragauge.embedders.dense import DenseVectors
from ragauge.evaluation.partial import Cells, measure_cells

TEXTS = ("references", "contexts", "reference_contexts", "generated_questions")


@dataclass(frozen=True)
class Marked:
    """Gives each pair (claim, evidence) its known degree, and 0 to any other."""

    known: Mapping[tuple[str, str], float]
    threshold: float = 0.5
    signature: str = "marked"

    def __hash__(self) -> int:
        return id(self)

    def degrees(self, claims: Ragged, evidence: Ragged) -> FloatArray:
        pairs = [
            self.known.get((claim, segment), 0.0)
            for claimed, offered in zip(claims.to_lists(), evidence.to_lists(), strict=True)
            for claim in claimed
            for segment in offered
        ]
        return np.array(pairs, dtype=np.float64)


@dataclass(frozen=True)
class Rated:
    """Gives each passage its known probability, and 0 to any other."""

    known: Mapping[str, float]
    signature: str = "rated"
    first: int | None = None

    def __hash__(self) -> int:
        return id(self)

    def probabilities(self, questions: Ragged, passages: Ragged) -> FloatArray:
        assert len(questions) == len(passages)
        return np.array([self.known.get(text, 0.0) for text in passages.values.tolist()[: self.first]])


@dataclass(frozen=True)
class Placed:
    """Gives each text its known vector; a text without one fails. Notes what it was asked for."""

    vectors: Mapping[str, tuple[float, ...]]
    signature: str = "placed"
    symmetric: bool = True
    asked: list[str] = field(default_factory=list)
    roles: dict[str, Role] = field(default_factory=dict)

    def __hash__(self) -> int:
        return id(self)

    def encode(self, texts: Sequence[str], role: Role) -> DenseVectors:
        self.asked.extend(texts)
        self.roles.update(dict.fromkeys(texts, role))
        width = max(map(len, self.vectors.values()), default=1)
        values = np.array([self.vectors.get(text, (0.0,) * width) for text in texts], dtype=np.float32)
        lost = {place: f"no vector for {text}" for place, text in enumerate(texts) if text not in self.vectors}
        return DenseVectors(values.reshape(len(texts), width), lost)


def batch_of(*rows: Mapping[str, Any]) -> Batch:
    names = dict.fromkeys(name for row in rows for name in row)
    columns = {
        name: pa.array([row.get(name) for row in rows], pa.list_(pa.string()) if name in TEXTS else None)
        for name in names
    }
    return Batch(pa.table({"id": [f"s{place}" for place in range(len(rows))], **columns}))


def cells(metric: Metric, *rows: Mapping[str, Any]) -> Cells:
    return measure_cells(metric, batch_of(*rows))


def scores(metric: Metric, *rows: Mapping[str, Any]) -> list[float]:
    return [float(score) for score in cells(metric, *rows).scores]
