"""Noise sensitivity by a judge: wrong claims that come from passages, divided by all claims."""

from __future__ import annotations

from typing import Any

import pytest

from ragauge.core.statistics import Status

from .toys import ScriptedJudge, always, cells_of, made, support


def test_noise_sensitivity() -> None:
    def script(_prompt: str, message: str) -> Any:
        passages, _, claims = message.partition("Claims:")
        if "garden" not in claims:
            return support([1])
        return support([1], [1]) if "rained" in passages else support([1], [])

    assert cells_of("judged-noise-sensitivity", script, {}).scores.tolist() == [0.5]
    assert cells_of("judged-noise-sensitivity", script, {}, mode="irrelevant").scores.tolist() == [0.0]
    cells = cells_of("judged-noise-sensitivity", script, {"answer": ""}, {"references": []}, {"contexts": []})
    assert cells.sums.status.tolist() == [Status.UNDEFINED, Status.UNDEFINED, Status.OK]


def test_lower_is_better() -> None:
    assert made("judged-noise-sensitivity", ScriptedJudge(always({}))).direction == "lower"


@pytest.mark.parametrize("mode", ["relevant", "irrelevant"])
def test_right_claims_are_no_noise(mode: str) -> None:
    """Every claim is in the reference, whatever passage it comes from."""
    row = {"answer": "林婉开的。", "references": ["林婉开的。"], "contexts": ["林婉开的。"]}
    assert cells_of("judged-noise-sensitivity", always(support([1])), row, mode=mode).scores.tolist() == [0.0]


def test_missing_columns_are_missing() -> None:
    rows = [{"answer": None}, {"contexts": None}, {"references": None}]
    cells = cells_of("judged-noise-sensitivity", always(support([1])), *rows)
    assert cells.sums.status.tolist() == [Status.MISSING] * 3
