"""Two runs on the same questions: scores that are given, through ``column:name=...``, and answers for BLEU."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import ragauge
from ragauge.results.result import Result

WORDS = np.array(["the", "cat", "sat", "on", "a", "mat", "while", "rain", "fell", "and", "nobody", "came", "to", "see"])
METRICS = ("column:name=quality", "bleu", "column:name=latency,direction=lower")


def rows(n: int, seed: int, *, skill: float = 0.6) -> list[dict[str, Any]]:
    rng, asked = np.random.default_rng([seed, n]), np.random.default_rng(n)
    made = []
    for i in range(n):
        reference = asked.choice(WORDS, 9)
        kept = np.where(rng.random(9) < skill, reference, rng.choice(WORDS, 9))
        made.append(
            {
                "id": f"q{i}",
                "question": f"what happened on day {i}?",
                "references": [" ".join(reference)],
                "answer": " ".join(kept),
                "quality": float(np.mean(kept == reference)),
                "latency": float(rng.exponential()),
                "language": ["en", "zh", None][i % 3],
                "document": f"d{i // 4}",
            }
        )
    return made


def scored(samples: Sequence[dict[str, Any]], *metrics: str, **options: Any) -> Result:
    return ragauge.evaluate(list(samples), list(metrics or METRICS), resamples=0, **options)


def given(scores: Sequence[float | None], **columns: Sequence[Any]) -> Result:
    """Return a run whose scores under ``column:name=x`` are ``scores``."""
    samples = [
        {"id": f"q{i}", "x": score, **{name: values[i] for name, values in columns.items()}}
        for i, score in enumerate(scores)
    ]
    return ragauge.evaluate(samples, "column:name=x", resamples=0)
