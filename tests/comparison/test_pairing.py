"""Samples of two runs that are the same: by their ids, or by another column."""

from __future__ import annotations

import pytest

import ragauge
from ragauge.errors import UsageError


def test_rows_without_ids_and_without_a_row_in_common() -> None:
    results = []
    for said in ("a", "b"):
        rows = [{"question": f"问{place}", "answer": said, "references": ["a"]} for place in range(3)]
        results.append(ragauge.evaluate(rows, "exact-match", resamples=0))
    with pytest.raises(
        UsageError, match="no sample in common: their data have no ids, and no row is the same"
    ) as error:
        ragauge.compare(*results)
    assert str(error.value).endswith("a column with a value of its own for each, as on='question'")
    assert ragauge.compare(*results, on="question").to_dict()["differences"]
