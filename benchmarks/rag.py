"""How fast RAG metrics with the embedder ``lexical`` are, and whether memory stays bounded.

    python benchmarks/rag.py [--samples 20000] [--metrics all|semantic]

Samples are made up: five contexts of 100 words, an answer of 40, a reference of 20, a question of 9; words are drawn
from 30,000 by Zipf's law, and half of each answer and reference stands in a context. They are written to a file and
streamed from it. Printed are samples per second, and the peak of memory after each tenth of the samples.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import ragauge
from ragauge.evaluation.presets import PRESETS

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
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "samples.jsonl"
        with path.open("w", encoding="utf-8") as lines:
            lines.writelines(json.dumps(row) + "\n" for row in rows(asked.samples))
        measured(path, (*SEMANTIC, *(OVERLAP if asked.metrics == "all" else ())), asked.samples)


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
