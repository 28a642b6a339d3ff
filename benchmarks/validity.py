"""How far the semantic metrics agree with people, with intervals: on half of the data, chosen by a hash of their ids.

    python benchmarks/validity.py [--tuning] [lexical] ["st[model=...]"] ...

Reads the data of shared/data (or $RAGAUGE_SHARED_DATA); what is absent is left out. The other half (``--tuning``) was
there to choose thresholds and designs by. An embedder whose thresholds were not measured is used with ``soft=true``.

Figures are areas under the curve, in percent (50: chance), or rank correlations where people gave ratings; intervals
(95 %) are percentiles of 1,000 resamples of clusters: questions, claims, articles. Beside each, the same of token
overlap, and the interval of the difference. Ends with exit code 1 if a floor is missed.

evouna, openqa  a person found the answer correct; overlap: token F1 with the best reference
wice            a person found the claim supported, or supported at least in part, by the web page; overlap: token F1
                with the page, and the share of the claim's tokens that stand in it (precision)
nomiracl        a person found at least one of ten passages relevant to the question; overlap: the share of the
                question's tokens that stand in the passage, the highest of ten. Passages are shuffled: only those of
                questions that have an answer came ranked
ragas_wikiqa    an answer to the question, against a wrong one; overlap: token F1 with the reference. Questions and
                references of ``ko`` are Korean, its answers and passages English
summeval        ratings of consistency with the article; overlap: the share of the summary's tokens in the article
"""

from __future__ import annotations

import gzip
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

import ragauge
from ragauge.core.ragged import FloatArray
from ragauge.embedders import get

DATA = Path(os.environ.get("RAGAUGE_SHARED_DATA", Path(__file__).parents[2] / "shared/data"))
_RESAMPLES = 1000
# The four sets whose mean is reported, and the least mean of the default context-relevancy on the half to report.
_MEAN_OF = ("nomiracl en", "nomiracl zh", "nomiracl ja", "nomiracl ko")
_LEAST_MEAN = 64.0
_HALF = 0 if "--tuning" in sys.argv else 1

Row = dict[str, Any]
Rows = list[Row]


@dataclass(frozen=True)
class Set:
    """What people said of samples: ``label`` (n,), the higher the better; ``clusters`` belong together."""

    name: str
    samples: Rows
    label: FloatArray
    clusters: list[str]
    metrics: Sequence[str]
    overlap: str
    """A spec, and after ``|`` the part of it that is meant."""
    floors: Sequence[str] = ()
    rated: bool = False


def main(specs: list[str]) -> int:
    """Print all figures; return the number of floors that were missed."""
    missed = 0
    for spec in specs or ["lexical"]:
        print(get(spec).signature)
        of_languages: dict[str, list[FloatArray]] = {}
        for found in sets():
            missed += report(found, spec)
            if found.name in _MEAN_OF:
                for metric, draws in resampled_areas(found, spec).items():
                    of_languages.setdefault(metric, []).append(draws)
        for metric, areas in of_languages.items():
            mean = np.mean(areas, axis=0)
            low, high = np.nanpercentile(mean[1:], [2.5, 97.5])
            least = (
                _LEAST_MEAN
                if metric == "context-relevancy" and spec == "lexical" and len(areas) == len(_MEAN_OF)
                else 0
            )
            outcome = "" if not least else "  floor: held" if mean[0] >= least else "  floor: MISSED"
            missed += bool(mean[0] < least)
            print(f"  mean of {len(areas)} languages  {metric:34} {mean[0]:5.1f} [{low:5.1f}, {high:5.1f}]{outcome}")
    return min(missed, 1)


def resampled_areas(data: Set, embedder: str) -> dict[str, FloatArray]:
    """Return for each metric its area, and those of resamples, (1 + resamples,)."""
    own = {metric: with_embedder(metric, embedder) for metric in data.metrics}
    result = ragauge.evaluate(data.samples, list(own.values()), resamples=0)
    draws = [np.arange(len(data.samples)), *resamples(data.clusters)]
    return {
        metric: np.array([area(np.nan_to_num(result.scores(spec))[rows], data.label[rows]) for rows in draws])
        for metric, spec in own.items()
    }


def report(data: Set, embedder: str) -> int:
    """Print one line a metric; return how many floors were missed."""
    spec, _, part = data.overlap.partition("|")
    own = [with_embedder(metric, embedder) for metric in data.metrics]
    result = ragauge.evaluate(data.samples, [*own, spec], resamples=0)
    base = np.nan_to_num(result.parts(spec)[part] if part else result.scores(spec))
    agreement = correlation if data.rated else area
    draws = list(resamples(data.clusters))
    print(f"  {data.name}  n={len(data.samples)}, overlap {show(agreement, base, data.label, draws)}")
    missed = 0
    for metric, asked in zip(data.metrics, own, strict=True):
        values = np.nan_to_num(result.scores(asked))
        more = interval(
            lambda rows, v=values: agreement(v[rows], data.label[rows]) - agreement(base[rows], data.label[rows]), draws
        )
        floor = metric in data.floors and embedder == "lexical"
        held = more[0] > 0
        missed += floor and not held
        outcome = "" if not floor else "  floor: held" if held else "  floor: MISSED"
        head = f"    {metric:42} {show(agreement, values, data.label, draws)}"
        print(f"{head}  difference [{more[0]:+5.1f}, {more[1]:+5.1f}]{outcome}", flush=True)
    return missed


def with_embedder(metric: str, embedder: str) -> str:
    """Return ``metric`` with the embedder; where its thresholds were not measured, support is soft: a degree."""
    if embedder == "lexical":
        return metric
    needs_none = metric.startswith(("semantic", "answer-relevancy")) or metric == "context-relevancy"
    soft = "" if needs_none or "soft" in metric else ",soft=true"
    return f"{metric}{',' if ':' in metric else ':'}embedder={embedder}{soft}"


def sets() -> Iterator[Set]:
    """Yield what is there of all data."""
    every: list[tuple[str, Callable[[], Iterator[Set]]]] = [
        ("evouna/triviaqa", lambda: answers("evouna/triviaqa", "correct")),
        ("openqa/nq301_human", lambda: answers("openqa/nq301_human", "acceptable")),
        ("wice/dev", claims),
        *((f"nomiracl/{name}", lambda name=name: passages(name)) for name in ("en", "zh", "ja", "ko", "de", "es")),  # type: ignore[misc]
        *((f"ragas_wikiqa/{name}", lambda name=name: wrong_answers(name)) for name in ("en", "ko")),  # type: ignore[misc]
        ("summeval/first30", summaries),
    ]
    for path, make in every:
        if (DATA / f"{path}.jsonl.gz").exists():
            yield from make()


def answers(path: str, label: str) -> Iterator[Set]:
    """Answers to questions, judged correct or not."""
    found = [row for row in rows(path) if reported(row["question"])]
    metrics = (
        "answer-correctness",
        "answer-correctness:soft=true",
        "answer-correctness:soft=false",
        "semantic-similarity",
        "answer-relevancy:questions=direct",
    )
    yield Set(
        path.partition("/")[0],
        picked(found, "question", "answer", "references"),
        np.array([row["human"][label] in (True, "Yes") for row in found], dtype=float),
        [row["question"] for row in found],
        metrics,
        "token-f1",
        ("answer-correctness",),
    )


def claims() -> Iterator[Set]:
    """Claims and a web page, judged supported or not."""
    found = [row for row in rows("wice/dev") if reported(row["id"])]
    grades = {"supported": 2, "partially_supported": 1, "not_supported": 0}
    grade = np.array([grades[row["human"]["label"]] for row in found])
    samples = [{**one, "references": one["contexts"]} for one in picked(found, "answer", "contexts")]
    metrics = ("groundedness", "groundedness:soft=true", "groundedness:soft=false")
    metrics = (*metrics, "groundedness:support=cosine,soft=true")
    for part in ("", "|precision"):
        for name, least in (("supported", 2), ("in part", 1)):
            held = metrics[:1] if least == 2 or not part else ()
            label = (grade >= least).astype(float)
            said = f"wice {name}, overlap{part.replace('|', ' ') or ' F1'}"
            yield Set(said, samples, label, [row["id"] for row in found], metrics, f"token-f1{part}", held)


def passages(language: str) -> Iterator[Set]:
    """Questions with ten shuffled passages, one of which may be relevant."""
    found = [row for row in rows(f"nomiracl/{language}") if reported(row["id"])]
    samples = []
    for one in picked(found, "question", "contexts"):
        shuffled = sorted(one["contexts"], key=lambda text: sha256(text.encode()).digest())
        samples.append({**one, "contexts": shuffled, "answer": one["question"], "references": shuffled})
    label = np.array([row["human"]["any_relevant"] for row in found], dtype=float)
    metrics = ("context-relevancy", "context-relevancy:relevance=none")
    yield Set(f"nomiracl {language}", samples, label, [row["id"] for row in found], metrics, "token-f1|precision")


def wrong_answers(language: str) -> Iterator[Set]:
    """Answers of a RAG system, and wrong ones; all of them: there are twenty."""
    found = rows(f"ragas_wikiqa/{language}")
    both = [
        (
            row,
            kind,
            {
                "question": row["question"],
                "answer": row[kind],
                "contexts": row["contexts"],
                "references": row["references"],
            },
        )
        for row in found
        for kind in ("answer_with_rag", "incorrect_answer")
    ]
    label = np.array([kind == "answer_with_rag" for _, kind, _ in both], dtype=float)
    metrics = ("groundedness", "answer-correctness", "answer-relevancy:questions=direct")
    names = [row["id"] for row, _, _ in both]
    yield Set(f"ragas_wikiqa {language}", numbered([one for _, _, one in both]), label, names, metrics, "token-f1")


def summaries() -> Iterator[Set]:
    """Summaries of articles, rated by experts."""
    found = [row for row in rows("summeval/first30") if reported(row["doc_id"])]
    samples = [{**one, "references": one["contexts"]} for one in picked(found, "answer", "contexts")]
    label = np.array([row["human"]["consistency"] for row in found])
    clusters = [row["doc_id"] for row in found]
    yield Set(
        "summeval",
        samples,
        label,
        clusters,
        ("groundedness", "groundedness:soft=true"),
        "token-f1|precision",
        rated=True,
    )


def rows(path: str) -> Rows:
    """Read a data set."""
    with gzip.open(DATA / f"{path}.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def picked(found: Rows, *names: str) -> Rows:
    """Return the columns ``names``, with ids."""
    return numbered([{name: row[name] for name in names} for row in found])


def numbered(samples: Rows) -> Rows:
    """Give samples ids."""
    return [{"id": str(place), **sample} for place, sample in enumerate(samples)]


def reported(key: str) -> bool:
    """Say whether a case is of the half that is reported."""
    return sha256(key.encode()).digest()[0] % 2 == _HALF


def resamples(clusters: Sequence[str]) -> Iterator[np.ndarray]:
    """Yield the rows of resampled clusters."""
    _, cluster = np.unique(clusters, return_inverse=True)
    groups = np.split(np.argsort(cluster, kind="stable"), np.flatnonzero(np.diff(np.sort(cluster))) + 1)
    for draw in np.random.default_rng(0).integers(0, len(groups), (_RESAMPLES, len(groups))).tolist():
        yield np.concatenate([groups[place] for place in draw])


def interval(score: Callable[[np.ndarray], float], draws: Sequence[np.ndarray]) -> tuple[float, float]:
    """Return percentiles of a score over resamples."""
    low, high = np.nanpercentile([score(rows) for rows in draws], [2.5, 97.5])
    return float(low), float(high)


def show(agreement: Callable[..., float], values: FloatArray, label: FloatArray, draws: Sequence[np.ndarray]) -> str:
    """Write an agreement with its interval."""
    low, high = interval(lambda rows: agreement(values[rows], label[rows]), draws)
    return f"{agreement(values, label):5.1f} [{low:5.1f}, {high:5.1f}]"


def area(values: FloatArray, label: FloatArray) -> float:
    """Return the chance that a right case has the higher value, ties counting half; in percent."""
    right = label > 0
    if right.all() or not right.any():
        return float("nan")
    wrong = np.sort(values[~right])
    ranks = np.searchsorted(wrong, values[right], "left") + np.searchsorted(wrong, values[right], "right")
    return 100 * float(ranks.mean() / 2 / len(wrong))


def correlation(values: FloatArray, label: FloatArray) -> float:
    """Return Spearman's rank correlation, in percent."""
    left, right = (_ranks(some) for some in (values, label))
    return 100 * float(np.corrcoef(left, right)[0, 1])


def _ranks(values: FloatArray) -> FloatArray:
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return (ends - (counts - 1) / 2)[place]


if __name__ == "__main__":
    sys.exit(main([spec for spec in sys.argv[1:] if spec != "--tuning"]))
