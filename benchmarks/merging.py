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
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa

from ragauge.core.batch import Batch
from ragauge.engines.part import ScoredPart, merge, score_part
from ragauge.engines.plan import Plan, plan
from ragauge.evaluation.request import RunRequest

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
        self.levels: list[list[tuple[bytes, int | None]]] = []
        self.merges = self.sent = 0

    def add(self, content: bytes, number: int | None, level: int = 0) -> None:
        """Take what a task sends; ``number``: of the share that it stands for."""
        self.sent += len(content)
        while len(self.levels) <= level:
            self.levels.append([])
        self.levels[level].append((content, number))
        if len(self.levels[level]) == FAN:
            self._merge(level)

    def _merge(self, level: int) -> None:
        contents, self.levels[level] = self.levels[level], []
        self.merges += 1
        self.add(merge(read(*one) for one in contents).to_bytes(), None, level + 1)

    def root(self) -> ScoredPart:
        """Merge what is left."""
        for level in range(len(self.levels)):
            if level + 1 == len(self.levels) and len(self.levels[level]) == 1:
                break
            if self.levels[level]:
                self._merge(level)
        [one] = [one for some in self.levels for one in some]
        return read(*one)


def read(content: bytes, number: int | None) -> ScoredPart:
    """Return the part that a task sent, under the ``number`` of its share."""
    part = ScoredPart.from_bytes(content)
    return part if number is None else replace(part, numbers=((number, number),))


def error(root: ScoredPart, parts: list[ScoredPart], count: int) -> float:
    """Return the greatest relative error of a sum of the root, beside exact fractions of what the parts hold."""
    times = Counter(number % len(parts) for number in range(count))
    worst = Fraction(0)
    for name in root.partial.sums.names:
        exact = [Fraction(0) for _ in root.partial.sums.names[name]]
        for place, part in enumerate(parts):
            # Levels hold the digits of numbers apart, so each of their own sums over a part is exact.
            for level in part.partial.sums.totals(name).parts.tolist():
                exact = [before + times[place] * Fraction(one) for before, one in zip(exact, level, strict=True)]
        values = root.partial.sums.totals(name).values.tolist()
        errors = [abs(Fraction(one) / true - 1) for one, true in zip(values, exact, strict=True) if true]
        worst = max(worst, *errors)
    return float(worst)


def held(part: ScoredPart) -> int:
    """Return the bytes of the arrays of a part."""
    sums = part.partial.sums
    arrays = [one for levels in sums.parts.values() for one in levels.values()]
    return sum(one.nbytes for one in (sums.keys, sums.groups, *arrays, *sums.coverage.values()))


def peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000_000)
    parser.add_argument("--distinct", type=int, default=4)
    parser.add_argument("-m", "--metric", action="append", dest="metrics", help=f"default: {', '.join(METRICS)}")
    arguments = parser.parse_args()
    count = -(-arguments.rows // SAMPLES)
    request = RunRequest(metrics=arguments.metrics or METRICS)
    own_plan = plan(request, ["id", "answer", "references"], samples=count * SAMPLES)
    parts = [scored(own_plan, number) for number in range(arguments.distinct)]
    before, start, tree = peak(), time.process_time(), Tree()
    contents = [part.to_bytes() for part in parts]
    for number in range(count):
        tree.add(contents[number % len(contents)], number)
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
        "the root in memory, MB": round(held(root) / 1e6, 2),
        "all that is sent, GB": round(tree.sent / 1e9, 2),
        "memory before, MB": round(before),
        "memory at most, MB": round(peak()),
        "greatest relative error of a sum": error(root, parts, count),
    }
    print(json.dumps(shown, indent=1))


if __name__ == "__main__":
    main()
