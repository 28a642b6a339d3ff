"""What every metric makes of some hard samples: ``python -m tests.metrics.stood`` writes stood.txt anew.

Each metric as it is, with each choice of its options and with other numbers; those that ask a judge have one whose
replies follow from the question alone.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import MISSING
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa

from ragauge.core import registry
from ragauge.core.batch import Batch
from ragauge.core.options import default_of, option_fields
from ragauge.core.protocol import Explained
from ragauge.core.registry import entries
from ragauge.core.spec import write
from ragauge.core.statistics import Status
from ragauge.evaluation.partial import measure_cells
from tests.conformance.samples import SCHEMA
from tests.golden.measured import NEEDS_A_MODEL, specs, varied
from tests.metrics.judged.toys import NEEDED, ToyJudge
from tests.stood import Case, Stood, rounded

STOOD = Stood(Path(__file__).with_name("stood.txt"))
ROWS = [json.loads(line) for line in Path(__file__).with_name("samples.jsonl").read_text("utf-8").splitlines()]
RANKS: list[tuple[Any, Any, Any]] = [
    (["d1", "d2", "d3", "d4"], [4.0, 3.0, 2.0, 1.0], {"d1": 1, "d3": 2}),
    (["d1", "d2", "d3"], [1.0, 1.0, 1.0], {"d3": 3, "d9": 1}),
    (["d2", "d1"], [0.5, 2.5], {"d1": 1, "d2": 0, "d5": 2}),
    ([], [], {"d1": 1}),
    (["d1"], [1.0], {}),
    (["d1", "d2"], [1.0, 0.0], {"d1": 0, "d2": -1}),
    ([f"d{i}" for i in range(30)], [float(-i) for i in range(30)], {f"d{i}": i % 4 for i in range(0, 40, 3)}),
    (["d3", "d1", "d2", "d7"], [9.0, 8.0, 8.0, 7.0], {"d1": 2, "d2": 2, "d7": 0.5}),
    (["a"], [0.0], {"a": 1}),
    (["a", "b", "c", "d", "e"], [5.0, 4.0, 3.0, 2.0, 1.0], {"e": 4, "a": -2}),
    (["x", "y"], [2.0, 1.0], {"z": 1}),
    (None, None, None),
]


def judgements(grades: dict[str, float] | None) -> list[dict[str, Any]] | None:
    """Return grades of documents as a row of `relevance`."""
    return None if grades is None else [{"id": name, "grade": float(grade)} for name, grade in grades.items()]


def batches() -> tuple[Batch, Batch]:
    """Return the samples, and the same without ids of documents, so that relevance comes from texts."""
    rows = [
        {**row, "id": f"s{place}", "retrieved": ids, "retrieved_scores": scores, "relevance": judgements(grades)}
        for place, (row, (ids, scores, grades)) in enumerate(zip(ROWS, RANKS, strict=True))
    ]
    table = pa.Table.from_pylist(rows, schema=SCHEMA)
    return Batch(table), Batch(table.drop_columns(["retrieved", "retrieved_scores", "relevance"]))


def every_spec() -> dict[str, list[str]]:
    """Return the specs of each metric: as it is, with each choice, and with other numbers."""
    found: dict[str, list[str]] = {}
    for spec in specs():
        found.setdefault(spec.partition(":")[0].partition("@")[0], []).append(spec)
    for name, entry in entries("metric").items():
        if name in NEEDS_A_MODEL and name != "bertscore" and entry.alias_of is None:
            needed = ",".join(f"{key}={value}" for key, value in NEEDED.get(name, {}).items())
            plain = f"{name}:{needed}" if needed else name
            found[name] = [plain, *varied(plain, entry)]
    for name, several in found.items():
        plain = several[0]
        joint = "," if ":" in plain else ":"
        several += [f"{plain}{joint}{field}={value}" for field, value in _others(name)]
    return found


def _others(name: str) -> Iterator[tuple[str, str]]:
    """Yield other values of options that are numbers."""
    entry = entries("metric")[name]
    for field in option_fields(entry.cls):
        if field.default is MISSING and field.default_factory is MISSING:
            continue
        default = default_of(field)
        if field.name in entry.fixed:
            continue
        if isinstance(default, int | float) and not isinstance(default, bool):
            for other in (default + 1, default / 2, 0):
                yield field.name, write(other)


def measured(spec: str, batch: Batch) -> Any:
    """Return what a metric makes of each sample: its score or status, its parts, what is noted, and its evidence."""
    metric = registry.parse(spec, {"judge": ToyJudge()})
    cells = measure_cells(metric, batch)
    reasons = cells.sums.reasons
    scores = [
        rounded(score) if status == Status.OK else f"{Status(status).name.lower()} {reasons.get(row, '')}".strip()
        for row, (score, status) in enumerate(zip(cells.scores.tolist(), cells.sums.status.tolist(), strict=True))
    ]
    parts = {name: [rounded(one) for one in part.tolist()] for name, part in cells.parts.items()}
    noted = {name: counts.tolist() for name, counts in metric.measure(batch).noted.items()}
    evidence = rounded(metric.explain(batch).to_pylist()) if isinstance(metric, Explained) else None
    return scores, parts, noted, evidence, metric.range, metric.direction


def _group(name: str, wanted: list[str]) -> None:
    def cases() -> Iterator[Case]:
        with_ids, without = batches()
        for spec in wanted:
            yield spec, partial(measured, spec, with_ids)
            if not spec.startswith("column"):
                yield f"{spec} without ids", partial(measured, spec, without)

    STOOD.groups[name] = cases


for _name, _wanted in every_spec().items():
    _group(_name, _wanted)


if __name__ == "__main__":
    STOOD.write()
