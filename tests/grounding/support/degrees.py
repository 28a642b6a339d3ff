"""Degrees of many claims in one call, which costs as much as that of one."""

from __future__ import annotations

from collections.abc import Sequence

import ragauge


def degrees_of(pairs: Sequence[tuple[str, str]]) -> dict[tuple[str, str], float]:
    """Return the groundedness of each pair of a passage and a claim."""
    rows = [{"answer": claim, "contexts": [passage]} for passage, claim in pairs]
    scores = ragauge.evaluate(rows, "groundedness", resamples=0).scores("groundedness")
    return dict(zip(pairs, scores.tolist(), strict=True))
