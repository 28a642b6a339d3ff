"""One million short pairs through ``ragauge score``: time, processor time of all processes and peak memory of one.

Run: python benchmarks/million.py [--pairs 1000000] [--words 6 14] [--metric bleu ...] [--workers 2]

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
from pathlib import Path

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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=1_000_000)
    parser.add_argument("--words", type=int, nargs=2, default=(6, 14), metavar=("LEAST", "MOST"))
    parser.add_argument("--metric", nargs="+", default=METRICS)
    parser.add_argument("--workers", type=int)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "pairs.jsonl"
        write_pairs(path, given.pairs, *given.words)
        asked = [word for metric in given.metric for word in ("-m", metric)]
        asked += ["--workers", str(given.workers)] if given.workers else []
        start = time.perf_counter()
        subprocess.run([sys.executable, "-m", "ragauge", "score", str(path), *asked], check=True)
        took = time.perf_counter() - start
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    # Linux counts in KiB, macOS in bytes.
    peak = used.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    processor = used.ru_utime + used.ru_stime
    print(f"{given.pairs:,} pairs: {took:.0f} s, {processor:.1f} s of processor time, {peak / 1e9:.2f} GB at the peak")


if __name__ == "__main__":
    main()
