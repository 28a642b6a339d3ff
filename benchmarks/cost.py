"""What a million samples cost, metric by metric: minutes of one core, reading left out and told apart.

Run: python benchmarks/cost.py [--rounds 3] [--samples 50000 2000 50000] [--only text rag retrieval]

Three made-up sets: answers of 30 to 70 words with a reference each, as benchmarks/million.py writes them; samples with
five contexts of 100 words, as benchmarks/rag.py makes them; rankings of 100 documents with five judgements. Each metric
is alone, with its interval, on data that were read before; rounds alternate, and figures are medians of processor time.
Metrics that are computed together share their tokens and vectors, so that a run costs less than the sum.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median

import million

import rag
from ragauge.evaluation.evaluator import Evaluator
from ragauge.evaluation.request import named
from ragauge.formats import read

METRICS = {
    "text": (
        "bleu",
        "rouge-1",
        "rouge-2",
        "rouge-l",
        "rouge-lsum",
        "chrf",
        "meteor",
        "token-f1",
        "exact-match",
        "edit-similarity",
    ),
    "rag": rag.SEMANTIC,
    "retrieval": ("hit-rate@10", "precision@10", "recall@10", "mrr", "map", "ndcg@10"),
}
OF = {
    "text": "an answer of 30 to 70 words",
    "rag": "five contexts of 100 words, an answer of 40",
    "retrieval": "100 documents of JSON, five judged",
}


def rankings(samples: int) -> Iterator[dict[str, object]]:
    """Make up rankings, the same in every run."""
    draw = random.Random(0)  # noqa: S311 - data, not secrets
    for _ in range(samples):
        retrieved = [f"doc{number}" for number in draw.sample(range(100_000), 100)]
        judged = [*draw.sample(retrieved, 3), "absent1", "absent2"]
        yield {"retrieved": retrieved, "relevance": {name: draw.randint(0, 3) for name in judged}}


def write(kind: str, path: Path, samples: int) -> None:
    """Write the samples of one of the three sets."""
    if kind == "text":
        million.write_pairs(path, samples, 30, 70)
        return
    rows = rag.rows(samples) if kind == "rag" else rankings(samples)
    with path.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)


def minutes(work: Callable[[], object], samples: int) -> float:
    """Return the processor time of ``work``, as minutes for a million samples."""
    start = time.process_time()
    work()
    return (time.process_time() - start) / samples * 1e6 / 60


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--samples", type=int, nargs=3, default=(50_000, 2_000, 50_000), metavar=tuple(METRICS))
    parser.add_argument("--only", nargs="+", choices=tuple(METRICS), default=tuple(METRICS))
    given = parser.parse_args()
    print("| what | of samples with | minutes of one core for a million |")
    print("|---|---|---:|")
    for kind, samples in zip(METRICS, given.samples, strict=True):
        if kind in given.only:
            show(kind, samples, given.rounds)


def show(kind: str, samples: int, rounds: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "samples.jsonl"
        write(kind, path, samples)
        data = read(path)
        works: dict[str, Callable[[], object]] = {"reading JSON Lines": lambda: read(path)}
        for name in METRICS[kind]:
            evaluator = Evaluator(named(name))
            works[f"`{name}`"] = lambda evaluator=evaluator: evaluator(data)
        times = [[minutes(work, samples) for work in works.values()] for _ in range(rounds + 1)][1:]
        for name, own in zip(works, zip(*times, strict=True), strict=True):
            print(f"| {name} | {OF[kind]} | {median(own):.2f} |", flush=True)


if __name__ == "__main__":
    main()
