"""What it costs to add up the parts of a thousand million samples, as the tasks of a cluster do.

    python benchmarks/merging.py --rows 1000000000

Real parts of 65,536 samples are merged in a tree in which 16 become one: each is read from the bytes that a task
sends, as if it came from another machine. A few are scored, and each of them stands for many. Sums of the root are
compared with exact fractions.
"""

from __future__ import annotations

import argparse
import json
import resource
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa

from ragauge.core.batch import Batch
from ragauge.engines.part import ScoredPart, merge, score_part
from ragauge.engines.plan import Plan, plan

METRICS = ("bleu", "rouge-l", "chrf", "token-f1")
SAMPLES = 1 << 16
FAN = 16


def scored(own_plan: Plan, number: int) -> ScoredPart:
    """Score a part of answers of 6 to 14 words, the same for the same number."""
    draw = np.random.default_rng(number)
    words = np.array([f"词{i}" if i % 2 else f"word{i}" for i in range(2000)])

    def texts() -> list[str]:
        return [" ".join(words[draw.zipf(1.3, size) % 2000]) for size in draw.integers(6, 15, SAMPLES)]

    columns = {
        "id": [f"{number}-{i}" for i in range(SAMPLES)],
        "answer": texts(),
        "references": [[one] for one in texts()],
    }
    table = pa.table(columns)
    batches = (Batch(table.slice(start, 8192)) for start in range(0, SAMPLES, 8192))
    return score_part(batches, own_plan, number).sums_alone()


class Tree:
    """Merges parts as they come: 16 of one level make one of the next, so that few are in memory."""

    def __init__(self) -> None:
        self.levels: list[list[bytes]] = []
        self.merges = self.sent = self.largest = 0
        self.reading = 0.0

    def add(self, content: bytes, level: int = 0) -> None:
        """Take what a task sends."""
        self.sent += len(content)
        self.largest = max(self.largest, len(content))
        while len(self.levels) <= level:
            self.levels.append([])
        self.levels[level].append(content)
        if len(self.levels[level]) == FAN:
            self.add(self._merged(level), level + 1)

    def root(self) -> ScoredPart:
        """Merge what is left."""
        for level in range(len(self.levels)):
            if level + 1 == len(self.levels) and len(self.levels[level]) == 1:
                break
            if self.levels[level]:
                self.add(self._merged(level), level + 1)
        [content] = [one for some in self.levels for one in some]
        return ScoredPart.from_bytes(content)

    def _merged(self, level: int) -> bytes:
        contents, self.levels[level] = self.levels[level], []
        self.merges += 1
        return merge(map(ScoredPart.from_bytes, contents)).to_bytes()


def contents(parts: list[ScoredPart], count: int) -> Iterator[bytes]:
    """Yield what ``count`` tasks send: the parts in turn, each time under a number of its own."""
    for number in range(count):
        yield replace(parts[number % len(parts)], numbers=((number, number),)).to_bytes()


def error(root: ScoredPart, parts: list[ScoredPart], count: int) -> float:
    """Return the greatest relative error of a sum of the root, beside exact fractions of what the parts hold."""
    times = Counter(number % len(parts) for number in range(count))
    worst = 0.0
    for name, found in root.partial.sums.parts.items():
        for column in range(found.shape[2]):
            exact = sum(
                times[place] * sum(map(Fraction, part.partial.sums.parts[name][:, :, column].sum(axis=1).tolist()))
                for place, part in enumerate(parts)
            )
            # Levels hold the digits of numbers apart, so each of their own sums is exact.
            of_root = sum(Fraction(one) for level in found[:, :, column].tolist() for one in level)
            if exact:
                worst = max(worst, abs(float((of_root - exact) / exact)))
    return worst


def peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000_000)
    parser.add_argument("--distinct", type=int, default=4)
    parser.add_argument("-m", "--metric", action="append", dest="metrics", help=f"default: {', '.join(METRICS)}")
    arguments = parser.parse_args()
    count = -(-arguments.rows // SAMPLES)
    own_plan, _ = plan(arguments.metrics or METRICS, ["id", "answer", "references"], samples=count * SAMPLES)
    parts = [scored(own_plan, number) for number in range(arguments.distinct)]
    before, start, tree = peak(), time.process_time(), Tree()
    for content in contents(parts, count):
        tree.add(content)
    root = tree.root()
    seconds = time.process_time() - start
    shown: dict[str, Any] = {
        "samples": root.samples,
        "parts": count,
        "merges": tree.merges,
        "seconds of processor time": round(seconds, 1),
        "ms per part": round(seconds / count * 1000, 2),
        "a part, MB": round(len(parts[0].to_bytes()) / 1e6, 2),
        "the root, MB": round(len(root.to_bytes()) / 1e6, 2),
        "all that is sent, GB": round(tree.sent / 1e9, 2),
        "memory before, MB": round(before),
        "memory at most, MB": round(peak()),
        "greatest relative error of a sum": error(root, parts, count),
    }
    print(json.dumps(shown, indent=1))


if __name__ == "__main__":
    main()
