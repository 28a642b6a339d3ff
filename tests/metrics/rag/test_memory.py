"""All semantic metrics with the default embedder, in memory that does not grow with the number of samples."""

from __future__ import annotations

import subprocess
import sys

METRICS = (
    "groundedness context-precision context-utilization context-relevancy context-recall answer-relevancy "
    "answer-correctness semantic-similarity"
)

# Five contexts of a hundred words each, no two alike; prints the peak after few samples, and after three times as many.
SCRIPT = f"""
import resource
import ragauge

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
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024

print(peak(80), peak(240))
"""


def test_memory_is_bounded_by_the_batch() -> None:
    ran = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=False, timeout=300)
    assert ran.returncode == 0, ran.stderr
    few, many = map(int, ran.stdout.split())
    # Three times the samples are a megabyte of text more; what allocators keep differs from machine to machine.
    assert few < 1500
    assert many - few < few / 6
