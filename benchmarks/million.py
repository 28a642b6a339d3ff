"""One million short pairs through ``ragauge score``: time, processor time of all processes and peak memory of one.

Run: python benchmarks/million.py [--pairs 1000000] [--words 6 14] [--metric bleu ...] [--workers 2 [--rounds 5]]

Answers of 30 to 70 words (``--pairs 5000000 --words 30 70``) make a file of 3 GB.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

METRICS = ("bleu", "rouge-l", "chrf", "token-f1")


def write_pairs(path: Path, pairs: int, least: int = 6, most: int = 14) -> None:
    """Write answers of ``least`` to ``most`` words, in which three words of ten differ from the reference."""
    draw = random.Random(0)  # noqa: S311 - data, not secrets
    words = [f"w{number}" for number in range(5000)]
    with path.open("w", encoding="utf-8") as file:
        for number in range(pairs):
            answer = draw.choices(words, k=draw.randint(least, most))
            reference = [word if draw.random() < 0.7 else draw.choice(words) for word in answer]
            row = {"id": str(number), "answer": " ".join(answer), "references": [" ".join(reference)]}
            file.write(json.dumps(row) + "\n")


def run(path: Path, metrics: Sequence[str], workers: int | None) -> tuple[float, float]:
    """Score a file; return seconds by the clock and of processor time."""
    asked = [word for metric in metrics for word in ("-m", metric)]
    asked += ["--workers", str(workers)] if workers else []
    before, start = processor(), time.perf_counter()
    subprocess.run([sys.executable, "-m", "ragauge", "score", str(path), *asked], check=True)
    return time.perf_counter() - start, processor() - before


def processor() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=1_000_000)
    parser.add_argument("--words", type=int, nargs=2, default=(6, 14), metavar=("LEAST", "MOST"))
    parser.add_argument("--metric", nargs="+", default=METRICS)
    parser.add_argument("--workers", type=int)
    parser.add_argument("--rounds", type=int, help="compare the workers with one process, in turn, so often")
    given = parser.parse_args()
    if given.rounds and not given.workers:
        parser.error("--rounds needs --workers")
    sides = [None, given.workers] if given.rounds else [given.workers]
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "pairs.jsonl"
        write_pairs(path, given.pairs, *given.words)
        times = [[run(path, given.metric, workers) for workers in sides] for _ in range(given.rounds or 1)]
    for workers, own in zip(sides, zip(*times, strict=True), strict=True):
        clock, work = (median(one) for one in zip(*own, strict=True))
        print(f"{given.pairs:,} pairs, {workers or 1} processes: {clock:.1f} s, {work:.1f} s of processor time")
    if given.rounds:
        ratios = sorted(one[0] / other[0] for (one, other) in times)
        print(f"times as fast: median {median(ratios):.2f}, from {ratios[0]:.2f} to {ratios[-1]:.2f}")
    # Linux counts in KiB, macOS in bytes.
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    print(f"peak of one process: {peak / 1e9:.2f} GB")


if __name__ == "__main__":
    main()
