"""Which features of support agree with people: groundedness with each left out, on natural data.

    python benchmarks/ablation.py

Reads ragtruth, summedits, wice and entailment_cjk of shared/data (or $RAGAUGE_SHARED_DATA): the halves for
development, which are there to choose by. Printed is a Markdown table: the lines of code that only this feature needs,
and how much the area under the curve falls without it, in points, with an interval (95 %) of 1,000 resamples of
samples. A feature pays where the fall is above 0. The first row holds the areas of all features together, the second
those of n-gram recall alone as a fall.
"""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from unittest import mock

import numpy as np
from scipy.stats import rankdata

import ragauge
from ragauge.core.ragged import BoolArray, FloatArray
from ragauge.grounding.support import features

DATA = Path(os.environ.get("RAGAUGE_SHARED_DATA", Path(__file__).parents[2] / "shared/data"))
SUPPORT = Path(features.__file__).parent
RESAMPLES = 1000
LEFT_OUT = {
    "values": ("value_absent",), "names": ("name_absent",), "negations": ("not_added", "not_dropped"),
    "all three": features.AGAINST,
}  # fmt: skip
FILES = {
    "values": ("_conventions", "_date_words", "_dates", "_digits", "_months", "_numbers", "_ordinals", "_spelled",
               "_times", "_years"),
    "names": ("_absent", "_names"),
}  # fmt: skip
"""The modules that only one feature needs; those of negations are part of ``_features`` and ``_cues``."""

Labelled = tuple[list[dict[str, object]], BoolArray]


def main() -> None:
    """Print the table."""
    sets = dict(read())
    whole = {name: scores(rows, "groundedness") for name, (rows, _) in sets.items()}
    print(f"| left out | lines | {' | '.join(sets)} |\n|---|--:|{'---|' * len(sets)}")
    areas = [f"{100 * area(label, whole[name]):.1f}" for name, (_, label) in sets.items()]
    print(f"| nothing | | {' | '.join(areas)} |")
    recall = "groundedness:support=ngram-recall,soft=true"
    changed = {"all but n-gram recall": {name: scores(rows, recall) for name, (rows, _) in sets.items()}}
    for name, left_out in LEFT_OUT.items():
        model = features.model()
        less = replace(model, against={**model.against, **dict.fromkeys(left_out, 0.0)})
        with mock.patch.object(features, "model", return_value=less):
            changed[name] = {one: scores(rows, "groundedness") for one, (rows, _) in sets.items()}
    for name, own in changed.items():
        falls = [fall(label, whole[one], own[one]) for one, (_, label) in sets.items()]
        print(f"| {name} | {lines(FILES.get(name, ()))} | {' | '.join(falls)} |")


def read() -> Sequence[tuple[str, Labelled]]:
    """Return the sets: samples with an answer and passages, and whether people found the answer supported, (n,)."""
    wice = rows_of("wice")
    cjk = [row for row in rows_of("entailment_cjk") if row["label"] != "neutral"]
    sets = [
        *((name, labelled(rows_of(name), lambda row: row["supported"])) for name in ("ragtruth", "summedits")),
        ("wice supported", labelled(wice, lambda row: row["human"]["label"] == "supported")),
        ("wice in part", labelled(wice, lambda row: row["human"]["label"] != "not_supported")),
    ]
    for language in ("zh", "ja", "ko"):
        some = [row for row in cjk if row["set"] == language]
        sets.append((f"contradiction {language}", labelled(some, lambda row: row["label"] == "entailment")))
    return sets


def rows_of(name: str) -> list[dict[str, object]]:
    """Return the rows of the half for development."""
    with gzip.open(DATA / name / "dev.jsonl.gz", "rt", encoding="utf-8") as file:
        return list(map(json.loads, file))


def labelled(rows: Sequence[Mapping], supported) -> Labelled:
    """Return samples with their labels."""
    samples = [{"id": str(i), "answer": row["answer"], "contexts": row["contexts"]} for i, row in enumerate(rows)]
    return samples, np.array([bool(supported(row)) for row in rows])


def scores(samples: list[dict[str, object]], spec: str) -> FloatArray:
    """Return the scores, 0 where there is none: a sample that declines claims nothing."""
    return np.nan_to_num(np.asarray(ragauge.evaluate(samples, [spec], resamples=0).scores(spec), dtype=float))


def area(label: BoolArray, score: FloatArray) -> float:
    """Return the area under the curve."""
    ranks, right = rankdata(score), label.sum()
    return float((ranks[label].sum() - right * (right + 1) / 2) / (right * (len(label) - right)))


def fall(label: BoolArray, whole: FloatArray, less: FloatArray) -> str:
    """Return by how many points the area falls, with its interval."""
    draws = np.random.default_rng(1).integers(0, len(label), (RESAMPLES, len(label)))
    falls = [area(label[rows], whole[rows]) - area(label[rows], less[rows]) for rows in draws]
    low, high = np.percentile(falls, [2.5, 97.5])
    return f"{100 * (area(label, whole) - area(label, less)):+.1f} [{100 * low:+.1f}, {100 * high:+.1f}]"


def lines(modules: Sequence[str]) -> str:
    """Return how many lines some modules of support have together; nothing for none."""
    return (
        str(sum(len((SUPPORT / f"{name}.py").read_text("utf-8").splitlines()) for name in modules)) if modules else ""
    )


if __name__ == "__main__":
    main()
