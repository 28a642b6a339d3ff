"""Peak memory of `ragauge.evaluate` by the number of samples: how much of it grows.

python benchmarks/memory.py [--samples 50000 200000 1000000] [--metric ndcg@10 judged-groundedness-rating] [--save]

Each run is a process of its own, which reads a file of JSON Lines, half a kilobyte a sample. Metrics that ask a judge
ask a function that always replies the same, so that no time goes into waiting. With ``--save`` the run is saved too,
and evidence is kept.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import ragauge
from ragauge.judges import FunctionJudge

METRICS = ("ndcg@10", "groundedness:support=ngram-recall", "judged-groundedness-rating")


def write_samples(path: Path, samples: int) -> None:
    """Write samples with an answer of five sentences, one passage of ten, and two ranked documents."""
    with path.open("w", encoding="utf-8") as file:
        for number in range(samples):
            row = {
                "id": str(number),
                "question": "What is tea?",
                "answer": f"Tea {number} is hot. " * 5,
                "contexts": [f"Tea {number} is hot and green. " * 10],
                "retrieved": [f"d{number % 7}", "d1x"],
                "relevance": [{"id": f"d{number % 5}", "grade": 1}],
            }
            file.write(json.dumps(row) + "\n")


def evaluate(path: Path, metric: str, folder: str) -> None:
    """Score the samples, save the run where ``folder`` is named, and print seconds and the peak in MB."""
    asked = FunctionJudge(lambda _messages: '{"rating": 2}', "always-2", parallel=1)
    judge = asked if metric.startswith("judged") else None
    start = time.perf_counter()
    result = ragauge.evaluate(path, metric, judge=judge, evidence=bool(folder), resamples=0)
    if folder:
        result.save(folder)
    # Linux counts in KiB, macOS in bytes.
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    print(f"{time.perf_counter() - start:.0f} s, {peak / 1e6:.0f} MB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, nargs="+", default=[50_000, 200_000, 1_000_000])
    parser.add_argument("--metric", nargs="+", default=METRICS)
    parser.add_argument("--save", action="store_true")
    parser.add_argument("--run", nargs=3, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.run:
        evaluate(Path(given.run[0]), *given.run[1:])
        return
    with tempfile.TemporaryDirectory() as directory:
        for samples in given.samples:
            path = Path(directory) / f"{samples}.jsonl"
            write_samples(path, samples)
            for metric in given.metric:
                folder = f"{directory}/{samples} {metric.partition(':')[0]}" if given.save else ""
                command = [sys.executable, __file__, "--run", str(path), metric, folder]
                ran = subprocess.run(command, capture_output=True, check=True, text=True)
                print(f"{samples:>9,}  {metric}: {ran.stdout.strip()}", flush=True)
            path.unlink()


if __name__ == "__main__":
    main()
