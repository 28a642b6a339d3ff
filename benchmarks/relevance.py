"""How well the relevance of passages ranks passages and questions, its calibration, and what it costs.

    python benchmarks/relevance.py [--tuning] [--embedder NAME] [--relevance NAME] [--languages en,de]
                                   [figures] [within] [xquad] [curve] [cost]

Reads NoMIRACL and XQuAD in shared/data (or $RAGAUGE_SHARED_DATA). A half of each, by a hash of its ids, was there to
choose by (``--tuning``); the other half is reported. Passages are shuffled: in NoMIRACL only those of answerable
questions are ranked, so places would tell.

figures  AUC of context-relevancy, of questions with a relevant passage against others, with 95 % intervals of 2,000
         resamples of the questions within each language; beside it the share of relevant sentences (relevance=none)
within   of answerable questions, how often the passage that stands first in the file, mostly the relevant one, has a
         higher relevance than one at places 5 to 9; in percent
xquad    how often a question's own paragraph has the highest relevance of all 56; ties are wrong. In the language of
         the question, and in English
curve    the logistic curve from the score of a passage to its probability, as in grounding/relevance/calibration.toml
cost     seconds of context-relevancy and of relevance=none on the same texts, in turn

Tried on the half to choose by, without gain: a general type of answer (any year for "when", any name for "who"); more
weight for names and numbers; words that no passage has; the shortest window with all words; windows of several
sentences; the best passage less the median; logistic models over up to 15 features, for which there are too few labels.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import time
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

import ragauge
from ragauge.core.batch import EMBEDDER_CACHE, Batch
from ragauge.core.ragged import FloatArray, Ragged
from ragauge.embedders.store import Cached, Store
from ragauge.metrics.rag.context_relevancy import ContextRelevancy

DATA = Path(os.environ.get("RAGAUGE_SHARED_DATA", Path(__file__).parents[2] / "shared/data"))
LANGUAGES = ("en", "zh", "ja", "ko", "de", "es")
XQUAD = ("en", "zh", "ru", "ar", "de", "es", "th", "hi", "tr", "vi", "el")
_RESAMPLES = 2000
_COST_SAMPLES = 2000

Rows = list[dict[str, Any]]

# What the command line chooses.
HALF = 1
STORE = Store(None)
METRIC = ContextRelevancy()


def rows(path: str) -> Rows:
    """Read the half of a data set that is used."""
    with gzip.open(DATA / f"{path}.jsonl.gz", "rt", encoding="utf-8") as lines:
        found = [json.loads(line) for line in lines]
    return [row for row in found if sha256(row["id"].encode()).digest()[0] % 2 == HALF]


@cache
def questions(language: str) -> Rows:
    """Return questions of NoMIRACL; passages in the order of their hashes, ``rank`` their places in the file."""
    found = []
    for row in rows(f"nomiracl/{language}"):
        order = np.argsort([sha256(text.encode()).hexdigest() for text in row["contexts"]]).tolist()
        shuffled = [row["contexts"][place] for place in order]
        found.append(
            {"question": row["question"], "contexts": shuffled, "rank": order, "right": row["human"]["any_relevant"]}
        )
    return found


def batch_of(samples: Rows) -> Batch:
    """Return a batch of samples, whose vectors are kept."""
    columns = {name: [row[name] for row in samples] for name in ("question", "contexts")}
    table = pa.table({"id": [str(place) for place in range(len(samples))], **columns})
    return Batch(table).given(EMBEDDER_CACHE, lambda embedder: Cached(embedder, STORE))


def relevance(samples: Rows) -> Ragged:
    """Return the probability of each passage."""
    return METRIC.passages(batch_of(samples)).values


def area(values: FloatArray, label: FloatArray) -> float:
    """Return the chance that a right case has the higher value, ties counting half; in percent."""
    wrong, right = np.sort(values[label == 0]), values[label == 1]
    ranks = np.searchsorted(wrong, right) + np.searchsorted(wrong, right, "right")
    return 100 * float(ranks.mean() / 2 / len(wrong))


def figures() -> None:
    """Print AUC by language and their means, of four languages and of all, with intervals."""
    means = sorted({min(4, len(LANGUAGES)), len(LANGUAGES)})
    draws = {}
    for metric in (ContextRelevancy(relevance=None), METRIC):
        print(metric)
        areas = []
        for language in LANGUAGES:
            samples = questions(language)
            values = metric.measure(batch_of(samples))["value"]
            label = np.array([row["right"] for row in samples], dtype=float)
            areas.append(np.array(list(resampled(values, label))))
            print(f"  {language:4} {shown(areas[-1])}  n={len(samples)}", flush=True)
        draws[str(metric)] = areas
        for count in means:
            print(f"  mean of {' '.join(LANGUAGES[:count]):18} {shown(np.mean(areas[:count], axis=0))}")
    first, last = draws.values()
    for count in means:
        mean = np.mean(last[:count], axis=0) - np.mean(first[:count], axis=0)
        print(f"difference, mean of {' '.join(LANGUAGES[:count]):18} {shown(mean)}")


def resampled(values: FloatArray, label: FloatArray) -> Iterator[float]:
    """Yield the AUC of all samples, then of resamples, the same ones for each metric."""
    yield area(values, label)
    generator = np.random.default_rng(1)
    for _ in range(_RESAMPLES):
        some = generator.choice(len(label), len(label))
        yield area(values[some], label[some])


def shown(draws: FloatArray) -> str:
    low, high = np.nanpercentile(draws[1:], [2.5, 97.5])
    return f"{draws[0]:5.1f} [{low:5.1f}, {high:5.1f}]"


def within() -> None:
    """Print how passages are ranked within answerable questions."""
    means = []
    for language in LANGUAGES:
        samples, shares = questions(language), []
        found = relevance(samples)
        for place, row in enumerate(samples):
            rank = np.array(row["rank"])
            if row["right"] and len(rank) == 10:
                first, others = found[place][rank == 0][0], found[place][rank >= 5]
                shares.append(((first > others) + 0.5 * (first == others)).mean())
        means.append(100 * float(np.mean(shares)))
        print(f"  {language:4} {means[-1]:5.1f}")
    print(f"  mean {np.mean(means):5.1f}")


def xquad() -> None:
    """Print how often the own paragraph comes first."""
    # The same paragraphs and questions in each language, in the same order.
    with gzip.open(DATA / "xquad/en.jsonl.gz", "rt", encoding="utf-8") as lines:
        names = tuple(dict.fromkeys(json.loads(line)["context_id"] for line in lines))
    for language in XQUAD:
        own = rows(f"xquad/{language}")
        gold = np.array([names.index(row["context_id"]) for row in own])
        found = [first(own, paragraphs(name, names), gold) for name in dict.fromkeys((language, "en"))]
        print(f"  {language:4} own {found[0]:.2f}", f" English {found[-1]:.2f}" if language != "en" else "", flush=True)


@cache
def paragraphs(language: str, names: tuple[str, ...]) -> list[str]:
    with gzip.open(DATA / f"xquad/{language}.jsonl.gz", "rt", encoding="utf-8") as lines:
        by_name = {row["context_id"]: row["contexts"][0] for row in map(json.loads, lines)}
    return [by_name[name] for name in names]


def first(samples: Rows, candidates: list[str], gold: np.ndarray) -> float:
    """Return how often the right one of the candidates has the highest relevance."""
    found = relevance([{"question": row["question"], "contexts": candidates} for row in samples])
    values = found.values.reshape(len(samples), len(candidates))
    right = values[np.arange(len(gold)), gold]
    values[np.arange(len(gold)), gold] = -1
    return float((right > values.max(axis=1)).mean())


def curve() -> None:
    """Print the logistic curve of one passage that fits the languages best."""
    values, label, weights = [], [], []
    for language in LANGUAGES:
        samples = questions(language)
        found = relevance(samples)
        # Back from the probability to the score in units of the present curve.
        # Blank passages have 0; they would weigh as much as any.
        known = found.values.clip(0.001, 0.999)
        logits = np.split(np.log(known / (1 - known)), found.offsets[1:-1])
        right = [one[np.array(row["rank"]) == 0][0] for one, row in zip(logits, samples, strict=True) if row["right"]]
        wrong = np.concatenate([one for one, row in zip(logits, samples, strict=True) if not row["right"]])
        values += [np.array(right), wrong]
        label += [np.ones(len(right)), np.zeros(len(wrong))]
        weights += [np.full(len(right), 1 / len(right)), np.full(len(wrong), 1 / len(wrong))]
    slope, intercept = logistic(np.concatenate(values), np.concatenate(label), np.concatenate(weights))
    print(f"  of the present curve's logit: slope {slope:.3f}, intercept {intercept:+.3f} (1 and 0: it fits)")


def logistic(values: FloatArray, label: FloatArray, weights: FloatArray) -> tuple[float, float]:
    """Return slope and intercept of a weighted logistic regression, by Newton's method."""
    inputs, found = np.column_stack([values, np.ones(len(values))]), np.zeros(2)
    for _ in range(50):
        probability = 1 / (1 + np.exp(-inputs @ found))
        gradient = inputs.T @ (weights * (label - probability))
        curvature = (inputs * (weights * probability * (1 - probability))[:, None]).T @ inputs
        found = found + np.clip(np.linalg.solve(curvature, gradient), -0.5, 0.5)
    return float(found[0]), float(found[1])


def cost() -> None:
    """Print the seconds of two metrics on the same texts, in turn."""
    every = [row for language in LANGUAGES for row in questions(language)]
    samples = [{**every[i % len(every)], "id": str(i)} for i in range(_COST_SAMPLES)]
    # Texts that repeat would be read once.
    data = [
        {
            "id": row["id"],
            "question": row["question"],
            "contexts": [f"{text} {row['id']}." for text in row["contexts"][:5]],
        }
        for row in samples
    ]
    for _ in range(3):
        for metric in ("context-relevancy:relevance=none", "context-relevancy"):
            began = time.process_time()
            ragauge.evaluate(data, metric, resamples=0)
            print(f"  {metric:36} {time.process_time() - began:6.2f} s", flush=True)


TABLES = {"figures": figures, "within": within, "xquad": xquad, "curve": curve, "cost": cost}


def main() -> None:
    """Print the tables that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", nargs="*", metavar="TABLE", help=", ".join(TABLES))
    parser.add_argument("--tuning", action="store_true", help="the half that was there to choose by")
    parser.add_argument("--cache", help="a folder that keeps vectors from run to run")
    parser.add_argument("--embedder", default="lexical")
    parser.add_argument("--relevance", default="lexical")
    parser.add_argument("--languages", default=",".join(LANGUAGES), help="of NoMIRACL")
    options = parser.parse_args()
    if unknown := set(options.tables) - set(TABLES):
        parser.error(f"tables must be of {', '.join(TABLES)}; got {', '.join(sorted(unknown))}")
    globals().update(
        HALF=0 if options.tuning else 1,
        LANGUAGES=tuple(options.languages.split(",")),
        STORE=Store(options.cache),
        METRIC=ContextRelevancy(embedder=options.embedder, relevance=options.relevance),
    )
    for name in options.tables or TABLES:
        print("==", name, flush=True)
        TABLES[name]()


if __name__ == "__main__":
    main()
