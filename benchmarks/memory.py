"""Peak memory of `ragauge.evaluate` by the number of samples: how much of it grows.

python benchmarks/memory.py [--samples 50000 200000 1000000] [--metric ndcg@10 judged-groundedness-rating] [--save]
python benchmarks/memory.py --every [--samples 20000 100000]

Each run is a process of its own, which reads a file of JSON Lines, half a kilobyte a sample. Metrics that ask a judge
ask a function that always replies the same, so that no time goes into waiting. With ``--save`` the run is saved too,
and evidence is kept. With ``--every`` each registered metric that asks no judge, or each of ``--metric``, scores
samples of a few words in Parquet with all columns that metrics read.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

import ragauge
from ragauge.core.registry import entries
from ragauge.errors import OptionError
from ragauge.judges import FunctionJudge
from ragauge.metrics.parse import parse

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


def write_all_columns(path: Path, samples: int) -> None:
    """Write samples of a few words, in Parquet, that have every column a metric without a judge reads."""
    made = []
    for number in range(samples):
        text = f"Tea {number} is hot [1]."
        spans = [{"document": "d", "start": number % 5, "end": 20}]
        calls = [{"name": "search", "arguments": json.dumps({"q": text})}]
        row = {
            "id": str(number), "question": "What is tea?", "answer": text, "language": "en", "latency": 1.5,
            "references": [f"Tea {number % 7} is hot."], "contexts": [f"Tea {number} is green."],
            "reference_contexts": ["Tea is hot."], "answerable": number % 3 > 0, "subtopics": [["d1"], ["d2"]],
            "retrieved": [f"d{number % 7}", "d1x"], "relevance": [{"id": f"d{number % 5}", "grade": 1.0}],
            "nuggets": [{"text": f"Tea {number} is hot", "importance": "vital"}],
            "retrieved_spans": spans, "reference_spans": spans, "tool_calls": calls, "reference_tool_calls": calls,
        }  # fmt: skip
        made.append(row)
    pq.write_table(pa.Table.from_pylist(made), path)


def without_a_judge() -> list[str]:
    """Return every registered metric that asks no judge and needs no model by name, each under its first name."""
    found = []
    for name, entry in entries("metric").items():
        with suppress(OptionError):
            spec = "column:name=latency" if name == "column" else name
            if not entry.alias_of and not hasattr(parse(spec), "judge"):
                found.append(spec)
    return found


def every_metric(sizes: list[int], metrics: Sequence[str]) -> None:
    """Print the peak of each of the metrics with each number of samples, and what the last has more than the first."""
    with tempfile.TemporaryDirectory() as directory:
        paths = [Path(directory) / f"{samples}.parquet" for samples in sizes]
        for path, samples in zip(paths, sizes, strict=True):
            write_all_columns(path, samples)
        for metric in metrics:
            runs = [run(path, metric, "") for path in paths]
            shown = "; ".join(f"{samples:,}: {one}" for samples, one in zip(sizes, runs, strict=True))
            first, *_, last = [int(one.split()[-2]) for one in runs]
            print(f"{metric}: {shown}; {last - first:+} MB", flush=True)


def run(path: Path, metric: str, folder: str) -> str:
    """Return the seconds and the peak of a process of its own that scores the samples."""
    command = [sys.executable, __file__, "--run", str(path), metric, folder]
    return subprocess.run(command, capture_output=True, check=True, text=True).stdout.strip()


def evaluate(path: Path, metric: str, folder: str) -> None:
    """Score the samples, save the run where ``folder`` is named, and print seconds and the peak in MB."""
    asked = FunctionJudge(lambda _messages: '{"rating": 2}', "always-2", parallel=1)
    judge = asked if metric.startswith("judged-") else None
    start = time.perf_counter()
    result = ragauge.evaluate(path, metric, judge=judge, evidence=bool(folder), resamples=0)
    if folder:
        result.save(folder)
    print(f"{time.perf_counter() - start:.0f} s, {peak() / 1e6:.0f} MB")


def peak() -> int:
    """Return the most bytes that this process has had in memory."""
    status = Path("/proc/self/status")
    if status.exists():
        # What getrusage says begins on Linux with what the parent had.
        return next(int(line.split()[1]) * 1024 for line in status.read_text().splitlines() if line.startswith("VmHWM"))
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, nargs="+", help="default: 50000 200000 1000000")
    parser.add_argument("--metric", nargs="+")
    parser.add_argument("--every", action="store_true")
    parser.add_argument("--save", action="store_true")
    parser.add_argument("--run", nargs=3, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.run:
        evaluate(Path(given.run[0]), *given.run[1:])
        return
    if given.every:
        every_metric(given.samples or [20_000, 100_000], given.metric or without_a_judge())
        return
    with tempfile.TemporaryDirectory() as directory:
        for samples in given.samples or [50_000, 200_000, 1_000_000]:
            path = Path(directory) / f"{samples}.jsonl"
            write_samples(path, samples)
            for metric in given.metric or METRICS:
                folder = f"{directory}/{samples} {metric.partition(':')[0]}" if given.save else ""
                print(f"{samples:>9,}  {metric}: {run(path, metric, folder)}", flush=True)
            path.unlink()


if __name__ == "__main__":
    main()
