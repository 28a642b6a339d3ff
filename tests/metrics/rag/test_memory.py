"""All semantic metrics with the default embedder, in memory that does not grow with the number of samples."""

from __future__ import annotations

import subprocess
import sys

import pytest

METRICS = (
    "groundedness context-precision context-utilization context-relevancy context-recall answer-relevancy "
    "answer-correctness semantic-similarity"
)

# The peak of a process that was forked starts at its parent's in ru_maxrss, but not in VmHWM of Linux.
PEAK = """
import resource, sys
from pathlib import Path

def peak_mb():
    if sys.platform == "linux":
        lines = Path("/proc/self/status").read_text().splitlines()
        return int(next(line.split()[1] for line in lines if line.startswith("VmHWM"))) // 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // (2**20 if sys.platform == "darwin" else 1024)
"""

# Five contexts of a hundred words each, no two alike; prints the peak after few samples, and after six times as many.
SCRIPT = f"""{PEAK}
import ragauge
from ragauge.embedders import store

# A quarter of what is usual: a batch is of some 36 samples.
store._BATCH_BYTES = 1 << 18

SYLLABLES = ("ka", "ti", "lo", "mer", "san", "vu", "dri", "pel", "on", "gar")

def text(seed, words):
    made = []
    for place in range(words):
        number = (seed * 7919 + place * 104729 + place * place * 31) % 99991
        word = "".join(SYLLABLES[int(digit)] for digit in str(number))
        made.append(word.capitalize() if place % 14 == 0 else word + "." * (place % 14 == 13))
    return " ".join(made)

def rows(n):
    for i in range(n):
        yield {{
            "question": text(i, 9), "answer": text(i + 5, 40), "references": [text(i + 6, 20)],
            "contexts": [text(i * 5 + k, 100) for k in range(5)],
        }}

def peak(n):
    ragauge.evaluate(list(rows(n)), {METRICS.split()!r}, resamples=0)
    return peak_mb()

print(peak(20), peak(120))
"""


@pytest.mark.long
def test_memory_is_bounded_by_the_batch() -> None:
    ran = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=False, timeout=300)
    assert ran.returncode == 0, ran.stderr
    few, many = map(int, ran.stdout.split())
    # Without batches the second needs 190 MB more than the first, with them 45; what allocators keep differs.
    assert few < 300
    assert many - few < 110


# One long sample of short sentences; prints scores, reasons of failures, and the peak in MB.
ONE_SAMPLE = f"""{PEAK}
import ragauge

kind, size, metrics = sys.argv[1], int(sys.argv[2]), sys.argv[3].split()
different = [f"the a{{i}}.\\n" for i in range(size)]
sentences = {{"marks": ["-\\n"] * size, "same": ["a.\\n"] * size, "different": different}}
text = "".join(sentences[kind])
result = ragauge.evaluate([{{"answer": text, "references": [text], "contexts": [text]}}], metrics, resamples=0)
for name in metrics:
    reasons = " ".join(result.columns[name].reasons.values())
    print(f"{{result[name].value:.2f}}", reasons)
print(peak_mb())
"""


def one_sample(kind: str, size: int, metrics: str) -> tuple[list[str], int]:
    command = [sys.executable, "-c", ONE_SAMPLE, kind, str(size), metrics]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert ran.returncode == 0, ran.stderr
    *lines, peak = ran.stdout.splitlines()
    return [line.strip() for line in lines], int(peak)


@pytest.mark.long
@pytest.mark.parametrize(
    ("kind", "size", "scores"),
    [("marks", 12_000, ["0.00", "0.00"]), ("same", 50_000, ["1.00", "1.00"]), ("different", 3_000, ["1.00", "1.00"])],
)
def test_one_long_sample_takes_under_500_megabytes(kind: str, size: int, scores: list[str]) -> None:
    found, peak = one_sample(kind, size, "groundedness answer-correctness")
    assert found == scores
    assert peak < 500


@pytest.mark.costly
def test_a_sample_that_is_too_long_fails_and_says_so() -> None:
    lines, peak = one_sample("different", 12_000, "groundedness context-recall answer-correctness")
    assert lines == ["nan too long: more than 33554432 comparisons of its sentences"] * 3
    assert peak < 500
