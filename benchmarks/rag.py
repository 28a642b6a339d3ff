"""How fast RAG metrics with the embedder ``lexical`` are, and whether memory stays bounded.

    python benchmarks/rag.py [--samples 20000] [--metrics all|semantic]
    python benchmarks/rag.py --samples 2000 --metrics semantic --kernel --rounds 3

Samples are made up: five contexts of 100 words, an answer of 40, a reference of 20, a question of 9; words are drawn
from 30,000 by Zipf's law, and half of each answer and reference stands in a context. They are written to a file and
streamed from it. Printed are samples per second, and the peak of memory after each tenth of the samples. With --kernel:
seconds without the compiled kernel and with it in turn, of the whole and of the parts that it serves; scores must be
equal.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

import ragauge
from ragauge.core import native
from ragauge.embedders.lexical import Lexical
from ragauge.embedders.sparse import SparseVectors
from ragauge.evaluation.presets import PRESETS
from ragauge.grounding.support.ngram_recall import NgramRecall, Terms

SEMANTIC = (
    "groundedness", "context-precision", "context-utilization", "context-relevancy", "context-recall",
    "answer-relevancy", "answer-correctness", "semantic-similarity",
)  # fmt: skip
OVERLAP = tuple(PRESETS["generation"])
_SYLLABLES = ("ka", "ti", "lo", "mer", "san", "vu", "dri", "pel", "on", "gar", "est", "ing", "er", "co", "th", "re")
_WORDS = 30_000


def main() -> None:
    """Write the data, score them, say what it took."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--samples", type=int, default=20_000)
    parser.add_argument("--metrics", choices=("all", "semantic"), default="all")
    parser.add_argument("--kernel", action="store_true")
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    metrics = (*SEMANTIC, *(OVERLAP if asked.metrics == "all" else ()))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "samples.jsonl"
        with path.open("w", encoding="utf-8") as lines:
            lines.writelines(json.dumps(row) + "\n" for row in rows(asked.samples))
        if asked.kernel:
            compared(path, metrics, asked.rounds)
        else:
            measured(path, metrics, asked.samples)


def measured(path: Path, metrics: tuple[str, ...], samples: int) -> None:
    """Score the file once, noting memory on the way."""
    tenths = 0
    start = time.perf_counter()

    def progress(done: int, total: int) -> None:
        nonlocal tenths
        if done * 10 // total > tenths:
            tenths = done * 10 // total
            print(f"  {done:9,} samples  {time.perf_counter() - start:8.1f} s  peak {peak():6,} MB", flush=True)

    print(f"{samples:,} samples, {len(metrics)} metrics, {path.stat().st_size / 1e6:.0f} MB; before: {peak()} MB")
    result = ragauge.evaluate(path, list(metrics), resamples=0, progress=progress)
    took = time.perf_counter() - start
    print(f"{samples / took:,.0f} samples/s, {1000 * took / samples:.2f} ms a sample, peak {peak():,} MB")
    print("  ".join(f"{name} {result[name].value:.4f}" for name in metrics))


def compared(path: Path, metrics: tuple[str, ...], rounds: int) -> None:
    """Score the file without the kernel and with it, in turn, and time what it serves."""
    seconds = dict.fromkeys(("embedder", "cosines", "hits", "coverage"), 0.0)
    for part, owner, name in (
        ("embedder", Lexical, "encode"), ("cosines", SparseVectors, "cosine"),
        ("hits", Terms, "found"), ("coverage", NgramRecall, "_near_rare"),
    ):  # fmt: skip
        setattr(owner, name, timed(getattr(owner, name), part, seconds))
    columns: dict[str, list[dict[str, float]]] = {"0": [], "1": []}
    values = set()
    for _ in range(rounds):
        for value, times in columns.items():
            os.environ[native.VARIABLE] = value
            seconds.update(dict.fromkeys(seconds, 0.0))
            start = time.perf_counter()
            result = ragauge.evaluate(path, list(metrics), resamples=0)
            times.append({"all": time.perf_counter() - start, **seconds, "the four parts": sum(seconds.values())})
            values.add(tuple(result[name].value for name in metrics))
    print("scores equal:", len(values) == 1)
    for part in columns["0"][0]:
        plain, fast = (median(times[part] for times in columns[value]) for value in "01")
        print(f"{part:15} without the kernel {plain:7.2f} s, with it {fast:7.2f} s, {plain / fast:5.2f} times as fast")


def timed(work: Callable[..., Any], part: str, seconds: dict[str, float]) -> Callable[..., Any]:
    """Return ``work``, which adds its seconds to those of its part."""

    def with_clock(*arguments: Any, **options: Any) -> Any:
        start = time.perf_counter()
        value = work(*arguments, **options)
        seconds[part] += time.perf_counter() - start
        return value

    return with_clock


def peak() -> int:
    """Return the highest resident memory so far, in megabytes."""
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return used // (1 << 20 if sys.platform == "darwin" else 1 << 10)


def rows(samples: int) -> Iterator[dict[str, object]]:
    """Make up samples, the same in every run."""
    random = np.random.default_rng(0)
    words = np.array(["".join(random.choice(_SYLLABLES, 1 + place % 4)) for place in range(_WORDS)], dtype=object)
    chances = 1 / np.arange(1, _WORDS + 1)
    ends = np.cumsum(chances / chances.sum())

    def drawn(count: int) -> list[str]:
        return list(words[np.searchsorted(ends, random.random(count)).clip(max=_WORDS - 1)])

    for place in range(samples):
        contexts = [drawn(100) for _ in range(5)]
        answer = [*contexts[place % 5][10:30], *drawn(20)]
        reference = [*contexts[place % 5][15:25], *drawn(10)]
        yield {
            "question": " ".join(drawn(9)) + "?",
            "answer": text(answer),
            "references": [text(reference)],
            "contexts": [text(one) for one in contexts],
        }


def text(words: list[str]) -> str:
    """Write words as sentences of fourteen."""
    parts = [words[first : first + 14] for first in range(0, len(words), 14)]
    return " ".join(" ".join([part[0].capitalize(), *part[1:]]) + "." for part in parts)


if __name__ == "__main__":
    main()
