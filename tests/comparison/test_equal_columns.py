"""Metrics that say the same of two runs are shown once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ragauge
from ragauge.comparison.equal_columns import equal_columns, of_pairs
from ragauge.core.messages import Face

METRICS = ["hit-rate@3", "recall@3", "precision@3", "mrr", "token-f1"]


def compared(found: list[int], **options: Any) -> ragauge.Comparison:
    """Compare runs that retrieve the relevant document at the ranks ``found``, 0 for nowhere, and one rank lower."""
    runs = [
        ragauge.evaluate(
            [
                {
                    "id": f"q{place}",
                    "relevance": {"a": 1},
                    "retrieved": [*["b", "c", "d"][: rank + lower - 1], "a"] if rank else ["b"],
                    "answer": "nine",
                    "references": ["at nine"],
                }
                for place, rank in enumerate(found)
            ],
            METRICS,
            resamples=0,
        )
        for lower in (0, 1)
    ]
    return ragauge.compare(*runs, trials=100, resamples=100, **options)


def test_multiples_are_shown_once_beside_the_first() -> None:
    text = str(compared([1, 2, 3, 0, 1, 3] * 5, primary="mrr"))
    assert "hit-rate@3 = recall@3 = 3 × precision@3 here" in text
    names = [line.split()[0] for line in text.splitlines() if line[:1].isalpha()]
    assert names.count("recall@3") == names.count("precision@3") == 0
    assert "mrr" in names
    assert len(compared([1, 2, 3, 0]).to_dict()["differences"]) == len(METRICS)


def test_a_primary_metric_is_always_shown() -> None:
    comparison = compared([1, 2, 3, 0, 1, 3] * 5, primary=["recall@3", "precision@3"])
    [one] = of_pairs(comparison.candidates[0], ["recall@3", "precision@3"])
    assert (one.metric, list(one.others)) == ("recall@3", ["hit-rate@3"])
    names = [line.split()[0] for line in str(comparison).splitlines() if line.endswith("▼ worse")]
    assert names == ["recall@3", "precision@3", "mrr"]
    assert "hit-rate@3" not in comparison.verdicts()[0].sentence


def test_what_differs_on_one_sample_is_not_equal() -> None:
    own = np.array([1.0, 0.5, np.nan, 0.0])
    assert equal_columns({"a": own, "b": own + np.array([0, 0, 0, 0.1])}) == []
    assert equal_columns({"a": own, "b": np.array([1.0, 0.5, 0.0, 0.0])}) == []
    assert equal_columns({"a": own * 0, "b": own * 0}) == []
    [one] = equal_columns({"a": own, "b": own / 4})
    assert one.others == {"b": pytest.approx(4)}
    assert one.sentence({"a": "a", "b": "b"}).wording(Face("zh")) == "这里 a = 4 × b"  # type: ignore[attr-defined]
