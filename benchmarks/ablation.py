"""Which features of support agree with people, and which degree tells supported claims from others, on natural data.

    python benchmarks/ablation.py [calibration]

Reads ragtruth, summedits, wice and entailment_cjk of shared/data (or $RAGAUGE_SHARED_DATA): the halves for
development, which are there to choose by. Printed is a Markdown table: the lines of code that only this feature needs,
and how much the area under the curve falls without it, in points, with an interval (95 %) of 1,000 resamples of
samples. A feature pays where the fall is above 0. The first row holds the areas of all features together, the second
those of n-gram recall alone as a fall.

``calibration`` prints three tables on claims: the threshold of the best balanced accuracy beside .5; the curve, which
is the share of claims of about one score that people found supported; and the power of degrees that has .5 tell
claims best, chosen on half of the samples and tried on the others. A score is the degree to the power that
groundedness takes. Of entailment_cjk nothing is chosen. In each set,
and each of its parts, supported claims and others weigh the same. Which claims they are:

wice                 its claims of the half to choose by, supported against all others
summedits            the least supported sentence of each summary
ragtruth             sentences of answers. People marked answers, not sentences, so those of an answer that is wrong
                     somewhere count as unsupported. This lowers all figures and leaves the best threshold where it is
                     (Menon et al. 2015), as far as supported sentences of both kinds of answers have like degrees
zh, ja, ko           entailed sentences against contradicted and neutral ones
probes               claims of the development half, in eleven languages
"""

from __future__ import annotations

import gzip
import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from unittest import mock

import numpy as np
import probes
import pyarrow as pa

import ragauge
from ragauge.core.batch import Batch
from ragauge.core.ragged import BoolArray, FloatArray, IntArray
from ragauge.grounding.support import features
from ragauge.metrics.rag.groundedness import Groundedness

DATA = Path(os.environ.get("RAGAUGE_SHARED_DATA", Path(__file__).parents[2] / "shared/data"))
SUPPORT = Path(features.__file__).parent
RESAMPLES = 1000
LEFT_OUT = {
    "values": ("value_absent",), "names": ("name_absent",), "negations": ("not_added", "not_dropped"),
    "replaced words": ("replaced",), "all four": features.AGAINST,
}  # fmt: skip
FILES = {
    "values": ("_conventions", "_date_words", "_dates", "_digits", "_months", "_numbers", "_ordinals", "_spelled",
               "_times", "_years"),
    "names": ("_absent", "_names"), "replaced words": ("_replaced",),
}  # fmt: skip
"""The modules that only one feature needs; those of negations are part of ``_features`` and ``_cues``."""

AT_ONCE = 256
THRESHOLDS = np.arange(0.02, 0.99, 0.01)
DEGREES = np.arange(0.6, 0.96, 0.05)
POWERS = (1, 2, 3, 4, 5, 6, 7, 8)
CHOSEN_ON = {"ragtruth": 0.25, "summedits": 0.25, "wice": 0.25, "probes": 0.25}
"""The sets whose accuracies a power is judged by, with their weights."""

Labelled = tuple[list[dict[str, object]], BoolArray]


def main() -> None:
    """Print what is wanted."""
    if sys.argv[1:] == ["calibration"]:
        calibration()
    else:
        ablation()


def ablation() -> None:
    """Print the table of features."""
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
    from scipy.stats import rankdata

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


# --- calibration -----------------------------------------------------------------------------------------------------
@dataclass(frozen=True, eq=False)
class Claims:
    """Degrees of k claims, whether people found them supported, weights, and the half of the samples, (k,) each."""

    degree: FloatArray
    supported: BoolArray
    weight: FloatArray
    half: BoolArray

    @classmethod
    def of(cls, degree: FloatArray, supported: BoolArray, part: Sequence[str], passages: Sequence[str]) -> Claims:
        """Return claims of parts of a set; those of one passage are in one half."""
        _, group, size = np.unique(
            [f"{one}, {label}" for one, label in zip(part, supported, strict=True)],
            return_inverse=True,
            return_counts=True,
        )
        digest = {text: sha256(text.encode()).digest()[1] % 2 == 1 for text in passages}
        return cls(degree, supported, 1 / (len(size) * size[group]), np.array([digest[text] for text in passages]))

    def of_half(self, half: int) -> Claims:
        """Return the claims of a half."""
        kept = self.half == half
        return Claims(self.degree[kept], self.supported[kept], self.weight[kept], self.half[kept])

    def accuracy(self, threshold: float, power: float = features.POWER) -> float:
        """Return the balanced accuracy of a threshold of degrees raised to a power, in percent."""
        right = (self.degree**power >= threshold) == self.supported
        return 100 * float(
            np.mean([np.average(right[some], weights=self.weight[some]) for some in (self.supported, ~self.supported)])
        )


def calibration() -> None:
    """Print thresholds, the curve, and the power."""
    sets = dict(claims())
    print("| claims | n | best threshold | accuracy there | at .5 | error of the curve |\n|---|--:|--:|--:|--:|--:|")
    for name, one in sets.items():
        accuracies = [one.accuracy(threshold) for threshold in THRESHOLDS]
        best, there = THRESHOLDS[int(np.argmax(accuracies))], max(accuracies)
        _, error = curve(one)
        shown = "" if name == "ragtruth" else f"{100 * error:.1f}"
        print(f"| {name} | {len(one.degree)} | {best:.2f} | {there:.1f} | {one.accuracy(0.5):.1f} | {shown} |")
    curves = {name: curve(one)[0] for name, one in sets.items() if name != "ragtruth"}
    print(f"\n| score | {' | '.join(curves)} |\n|---|{'--:|' * len(curves)}")
    for place in range(10):
        shares = [f"{100 * share[place]:.0f}" if share[place] >= 0 else "" for share in curves.values()]
        print(f"| {place / 10:.1f} to {(place + 1) / 10:.1f} | {' | '.join(shares)} |")
    chosen = {name: sets[name] for name in CHOSEN_ON}
    print(f"\n| power | {' | '.join(map(str, POWERS))} |\n|---|{'--:|' * len(POWERS)}")
    for title, own in (
        ("all", chosen),
        *((f"half {half + 1}", {name: one.of_half(half) for name, one in chosen.items()}) for half in (0, 1)),
    ):
        means = [sum(CHOSEN_ON[name] * one.accuracy(0.5, power) for name, one in own.items()) for power in POWERS]
        print(f"| {title} | {' | '.join(f'{mean:.1f}' for mean in means)} |")
    print(f"\n| threshold of degrees | {' | '.join(f'{one:.2f}' for one in DEGREES)} |\n|---|{'--:|' * len(DEGREES)}")
    for name, own in chosen.items():
        print(f"| {name} | {' | '.join(f'{own.accuracy(one, 1):.1f}' for one in DEGREES)} |")


def curve(one: Claims) -> tuple[list[float], float]:
    """Return the shares of supported claims by tenths of the score, -1 without claims, and the expected error."""
    score = features.share_supported(one.degree)
    tenth = np.minimum((10 * score).astype(int), 9)
    shares, error = [], 0.0
    for place in range(10):
        some = tenth == place
        weight = one.weight[some].sum()
        shares.append(float(one.weight[some & one.supported].sum() / weight) if weight else -1.0)
        error += abs(float(one.weight[some] @ (score[some] - one.supported[some])))
    return shares, error / float(one.weight.sum())


def claims() -> Iterator[tuple[str, Claims]]:
    """Yield the claims of each set."""
    answers = rows_of("ragtruth")
    degree, sample = degrees(answers)
    own = [answers[place] for place in sample]
    supported = np.array([row["supported"] for row in own])
    yield "ragtruth", Claims.of(degree, supported, [row["set"] for row in own], [row["contexts"][0] for row in own])
    cjk = rows_of("entailment_cjk")
    wice = [
        {**row, "set": "", "supported": row["human"]["label"] == "supported"}
        for row in rows_of("wice")
        if sha256(row["id"].encode()).digest()[0] % 2 == 0
    ]
    pairs = [pair for pair in probes.pairs(probes.LANGUAGES, (0,)) if pair.kind in probes.KINDS]
    probed = [
        {"answer": claim, "contexts": [pair.passage], "set": pair.kind, "supported": not place}
        for pair in pairs
        for place, claim in enumerate(pair.claims)
    ]
    for name, rows in (
        ("summedits", rows_of("summedits")),
        ("wice", wice),
        *((one, [row for row in cjk if row["set"] == one]) for one in ("zh", "ja", "ko")),
        ("probes", probed),
    ):
        degree, sample = degrees(rows)
        least = np.full(len(rows), 1.0)
        np.minimum.at(least, sample, degree)
        claiming = np.unique(sample)
        kept = [rows[place] for place in claiming]
        supported = np.array([row["supported"] for row in kept])
        passages = [row["contexts"][0] for row in kept]
        yield name, Claims.of(least[claiming], supported, [row["set"] for row in kept], passages)


def degrees(rows: Sequence[Mapping]) -> tuple[FloatArray, IntArray]:
    """Return the degree of each sentence that claims something, and its sample, (k,) each."""
    metric, found, samples = Groundedness(soft=True), [], []
    for first in range(0, len(rows), AT_ONCE):
        some = [
            {"id": str(place), "answer": row["answer"], "contexts": row["contexts"]}
            for place, row in enumerate(rows[first : first + AT_ONCE])
        ]
        table = metric.explain(Batch(pa.Table.from_pylist(some)))
        table = table.filter(table["supported"].is_valid())
        found.append(table["similarity"].to_numpy())
        samples += [first + int(place) for place in table["id"].to_pylist()]
    return np.concatenate(found), np.array(samples)


if __name__ == "__main__":
    main()
